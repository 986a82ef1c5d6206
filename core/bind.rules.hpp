/// @file
/// The rules of a game for Python: positions, moves, batches.
#pragma once

#include <cstdlib>

#include "bind.batch.hpp"
#include "bind.position.hpp"

namespace spielleiter::binding {

/// What is alive when Python ends is reported to us only: our tests set the variable and must see
/// nothing. A user's program may end with threads, in a forked child or with a reference that some
/// library never gives back: no leak of ours, and nothing its user could change.
inline void report_leaks_if_asked() {
    nb::set_leak_warnings(std::getenv("SPIELLEITER_REPORT_LEAKS") != nullptr);
}

/// Everything Python sees of a game's rules; the objects of its moves are for whoever binds more.
template <GamePosition P>
MoveObjects<P> bind_rules(nb::module_& module) {
    const MoveObjects<P> objects(module);
    DetachedThreads::register_hooks();
    report_leaks_if_asked();
    bind_mistakes<P>(module);
    bind_moves<P>(module);
    bind_legal_moves<P>(module, objects);
    bind_occupants<P>(module);
    bind_position<P>(module, objects);
    bind_batch<P>(module);
    return objects;
}

}  // namespace spielleiter::binding
