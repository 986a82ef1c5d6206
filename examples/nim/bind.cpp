#include "core/bind.hpp"
#include "position.hpp"

NB_MODULE(SPIELLEITER_MODULE, module) {
    using namespace spielleiter;
    using nim::Move;
    using nim::Position;
    bind_game<Position>(module);
    binding::class_of<Move>()
        .def_prop_ro(
            "heap", [](const Move& self) { return static_cast<int>(self.heap); },
            "The heap it takes from: 0, 1 or 2.")
        .def_prop_ro(
            "taken", [](const Move& self) { return static_cast<int>(self.taken); },
            "How many it takes.");
    binding::class_of<Position>().def_prop_ro(
        "heaps",
        [](const Position& self) {
            const auto& sizes = self.sizes();
            return nb::make_tuple(sizes[0], sizes[1], sizes[2]);
        },
        nb::sig("def heaps(self) -> tuple[int, int, int]"), "How many lie on each heap.");
}
