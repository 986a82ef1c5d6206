/// @file
/// The Python face of every game: `bind_game<Position>(module)` and nothing else.
#pragma once

#include <cstdlib>

#include "bind.batch.hpp"
#include "bind.position.hpp"

namespace spielleiter {

namespace binding {

/// What is alive when Python ends is reported to us only: our tests set the variable and must see
/// nothing. A user's program may end with threads, in a forked child or with a reference that some
/// library never gives back; it is no leak of ours, and he can do nothing about it.
inline void report_leaks_if_asked() {
    nb::set_leak_warnings(std::getenv("SPIELLEITER_REPORT_LEAKS") != nullptr);
}

}  // namespace binding

/// Everything Python sees of a game.
template <GamePosition P>
void bind_game(nb::module_& module) {
    const binding::MoveObjects<P> objects(module);
    binding::Outside::watch();
    binding::report_leaks_if_asked();
    binding::bind_mistakes<P>(module);
    binding::bind_moves<P>(module);
    binding::bind_legal_moves<P>(module, objects);
    binding::bind_occupants<P>(module);
    binding::bind_position<P>(module, objects);
    binding::bind_batch<P>(module);
}

}  // namespace spielleiter
