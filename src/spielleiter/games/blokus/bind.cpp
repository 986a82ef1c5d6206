#include "core/search/bind.hpp"
#include "evaluate.hpp"

NB_MODULE(SPIELLEITER_MODULE, module) {
    using namespace spielleiter;
    bind_game<blokus::Position, blokus::Evaluate>(module);
}
