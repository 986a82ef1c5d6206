#include "core/bind.hpp"
#include "evaluate.hpp"

namespace spielleiter::piranhas {

namespace {

using binding::class_of;
using binding::seat_of;
using binding::to_python;

void bind_reading() {
    class_of<Move>()
        .def_prop_ro(
            "start", [](const Move& self) { return to_python(cell_of(self.from)); },
            "The field the fish leaves.")
        .def_prop_ro(
            "target",
            [](const Move& self) {
                const auto target = self.target();
                return target ? std::optional(to_python(cell_of(*target))) : std::nullopt;
            },
            "The field where it arrives; None: it would leave the board.")
        .def_prop_ro(
            "direction", [](const Move& self) { return name_of(self.direction); },
            "One of up, up-right, right, down-right, down, down-left, left, up-left.")
        .def_prop_ro(
            "distance", [](const Move& self) { return static_cast<int>(self.distance); },
            "How many fields it swims.");
    class_of<Occupant>()
        .def_prop_ro(
            "weight", [](const Occupant& self) { return static_cast<int>(self.weight); },
            "1 to 3 of a fish, 0 of an octopus.")
        .def_prop_ro("is_octopus", &Occupant::is_octopus);
}

nb::dict weighed(const Position& position, const Board& fish) {
    nb::dict cells;
    for (std::size_t number = 0; number < squares; ++number) {
        const Square square = numbered(number);
        if (fish.test(bit_of(square)))
            cells[nb::cast(to_python(cell_of(square)))] = position.weight(square);
    }
    return cells;
}

void bind_fish() {
    class_of<Position>()
        .def(
            "fish",
            [](const Position& self, int seat) {
                return weighed(self, self.fish(seat_of(self, seat)));
            },
            "seat"_a, nb::sig("def fish(self, seat: int) -> dict[tuple[int, int], int]"),
            "The fields of a seat's fish and their weights.")
        .def(
            "swarms",
            [](const Position& self, int seat) {
                nb::list swarms;
                for (const Board& swarm : self.swarms(seat_of(self, seat)))
                    swarms.append(weighed(self, swarm));
                return swarms;
            },
            "seat"_a, nb::sig("def swarms(self, seat: int) -> list[dict[tuple[int, int], int]]"),
            "The fish of a seat in groups that touch, also diagonally; fields and weights.")
        .def(
            "is_whole",
            [](const Position& self, int seat) { return self.is_whole(seat_of(self, seat)); },
            "seat"_a, "Whether all fish of a seat are one swarm, as the rules in force see it.")
        .def(
            "octopuses",
            [](const Position& self) {
                return binding::cells_where(self, [&](Cell cell) {
                    const auto found = self.at(cell);
                    return found && found->is_octopus();
                });
            },
            nb::sig("def octopuses(self) -> tuple[tuple[int, int], ...]"),
            "The fields that hold an octopus.")
        .def_prop_ro(
            "first_union",
            [](const Position& self) {
                const auto credit = self.union_credit();
                return credit ? std::optional<int>(*credit) : std::nullopt;
            },
            "The seat credited with the first union; None: nobody yet.");
}

/// The numbers of the network of an edition, one after the other.
std::vector<int> network_weights(std::string_view edition) {
    const NetworkWeights& file =
        fitted_network(binding::rules_of<Position>(edition, "document")).weights();
    std::vector<int> numbers;
    const auto add = [&](const auto& row) {
        numbers.insert(numbers.end(), row.begin(), row.end());
    };
    for (const Accumulator& row : file.rows) add(row.units);
    add(file.bias.units);
    for (const auto& seat : file.out)
        for (const auto& knot : seat) add(knot);
    for (const auto& place : file.places) add(place);
    return numbers;
}

}  // namespace

}  // namespace spielleiter::piranhas

NB_MODULE(SPIELLEITER_MODULE, module) {
    using namespace spielleiter;
    bind_game<piranhas::Position, piranhas::Evaluate>(module);
    piranhas::bind_reading();
    piranhas::bind_fish();
    module.def(
        "network_weights", &piranhas::network_weights, "edition"_a,
        "The numbers of an edition's network in the order of `NetworkWeights`: 700 × 32 rows, 32 "
        "biases, 2 × 8 × 64 weights of the output, 300 × 8 of fish on their fields.");
}
