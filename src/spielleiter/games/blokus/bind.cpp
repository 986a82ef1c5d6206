#include "core/bind.hpp"
#include "position.hpp"

NB_MODULE(SPIELLEITER_MODULE, module) {
    spielleiter::bind_game<spielleiter::blokus::Position>(module);
}
