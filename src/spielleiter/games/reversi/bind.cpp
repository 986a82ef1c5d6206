#include "core/search/bind.hpp"
#include "position.hpp"

NB_MODULE(SPIELLEITER_MODULE, module) {
    using namespace spielleiter;
    bind_game<reversi::Position, search::NoOpinion<reversi::Position>>(module);
}
