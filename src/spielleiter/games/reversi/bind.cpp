#include "core/search/bind.hpp"
#include "position.hpp"

namespace {

using spielleiter::reversi::Position;
namespace nb = nanobind;

/// Perft with the GIL released, but stopped by Ctrl-C.
std::uint64_t perft_with_passes(const Position& position, int depth) {
    if (depth < 0) spielleiter::binding::raise("UsageError", "a depth is not negative");
    const nb::gil_scoped_release released;
    return position.perft_with_passes(depth, [] {
        const nb::gil_scoped_acquire python;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
}

}  // namespace

NB_MODULE(SPIELLEITER_MODULE, module) {
    spielleiter::bind_game<Position, spielleiter::search::NoOpinion<Position>>(module);
    const nb::object type = module.attr("Position");
    type.attr("perft_with_passes") = nb::cpp_function(
        &perft_with_passes, nb::name("perft_with_passes"), nb::scope(type), nb::is_method(),
        nb::arg("depth"), "Perft as the published tables of Othello count it: a pass is a ply.");
}
