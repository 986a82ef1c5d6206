#include "core/bind.hpp"
#include "evaluate.hpp"

namespace spielleiter::blokus {

namespace {

using binding::class_of;

constexpr std::array<std::string_view, colours> colour_names{"blue", "yellow", "red", "green"};

Colour colour_named(std::string_view name) {
    for (const Colour colour : all_colours) {
        if (colour_names[index_of(colour)] == name) return colour;
    }
    binding::raise("UsageError",
                   "the colours are blue, yellow, red and green, not '" + std::string(name) + "'");
}

nb::tuple covered(const Move& move) {
    nb::list cells;
    if (!move.is_pass()) {
        const Shape& shape = move.orientation().shape;
        const int left = static_cast<int>(move.cell() % side);
        const int top = static_cast<int>(move.cell() / side);
        for (std::size_t at = 0; at < shape.size; ++at) {
            const Square square = shape.squares[at];
            cells.append(nb::make_tuple(left + square.x, top + square.y));
        }
    }
    return nb::tuple(cells);
}

template <class Chosen>
nb::tuple pieces_where(Chosen&& chosen) {
    nb::list names;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        if (chosen(kind)) names.append(all_kinds[kind].name);
    }
    return nb::tuple(names);
}

void bind_move() {
    class_of<Move>()
        .def_prop_ro("is_pass", &Move::is_pass)
        .def_prop_ro(
            "piece",
            [](const Move& self) {
                return self.is_pass() ? std::nullopt
                                      : std::optional(all_kinds[self.orientation().kind].name);
            },
            "The piece, such as PENTO_Y; None: a pass.")
        .def_prop_ro(
            "orientation",
            [](const Move& self) {
                return self.is_pass() ? std::nullopt : std::optional(self.turn());
            },
            "How the piece is held: N (as drawn), R, M or L (a quarter turn right, half, left), "
            "with F if it is then flipped; None: a pass.")
        .def_prop_ro("cells", &covered, nb::sig("def cells(self) -> tuple[tuple[int, int], ...]"),
                     "The cells it covers, row by row; none: a pass.");
    class_of<Occupant>().def_prop_ro(
        "colour", [](const Occupant& self) { return colour_names[index_of(self.colour)]; },
        "blue, yellow, red or green.");
}

void bind_colours() {
    class_of<Position>()
        .def(
            "colour_to_move",
            [](const Position& self) { return colour_names[index_of(self.colour())]; },
            "The colour whose turn it is: blue, yellow, red or green.")
        .def(
            "colours_in_play",
            [](const Position& self) {
                nb::list names;
                for (const Colour colour : all_colours) {
                    if (self.is_in_play(colour)) names.append(colour_names[index_of(colour)]);
                }
                return nb::tuple(names);
            },
            nb::sig("def colours_in_play(self) -> tuple[str, ...]"),
            "The colours that can still place something.")
        .def(
            "pieces_left",
            [](const Position& self, std::string_view colour) {
                const auto left = self.remaining(colour_named(colour));
                return pieces_where([&](std::size_t kind) { return (left >> kind & 1U) != 0; });
            },
            "colour"_a, nb::sig("def pieces_left(self, colour: str) -> tuple[str, ...]"),
            "The pieces that a colour has not placed yet.")
        .def(
            "squares",
            [](const Position& self, std::string_view colour) {
                const Rows& rows = self.squares(colour_named(colour));
                return binding::cells_where(
                    self, [&](Cell cell) { return (rows[cell.y] >> cell.x & 1U) != 0; });
            },
            "colour"_a, nb::sig("def squares(self, colour: str) -> tuple[tuple[int, int], ...]"),
            "The cells that a colour covers, row by row.")
        .def(
            "points",
            [](const Position& self, std::string_view colour) {
                return self.points(colour_named(colour));
            },
            "colour"_a, "The points of a colour; a seat has those of its two colours.")
        .def_prop_ro(
            "start_piece", [](const Position& self) { return all_kinds[self.start_piece()].name; },
            "The piece every colour places first.");
}

}  // namespace

}  // namespace spielleiter::blokus

NB_MODULE(SPIELLEITER_MODULE, module) {
    using namespace spielleiter;
    bind_game<blokus::Position, blokus::Evaluate>(module);
    blokus::bind_move();
    blokus::bind_colours();
    module.def(
        "policy",
        [](const blokus::Position& position) {
            if (is_over(position)) return std::vector<float>{};
            return blokus::Evaluate().chances(position);
        },
        "position"_a,
        "The chance that each of the legal moves is the best one, without search; in their order.");
    module.def(
        "policy_weights", [] { return blokus::PolicyNetwork::trained().weights(); },
        "The numbers of the network behind `policy`, in the order of `PolicyNetwork::Parameters`.");
    module.def(
        "forecast",
        [](const blokus::Position& position) {
            const auto [chance, lead] =
                blokus::ForecastNetwork::trained().end(blokus::ForecastInput(position));
            return std::vector<float>{chance, lead};
        },
        "position"_a,
        "How the game will end for the seat on turn, without search: its chance to win, and its "
        "lead in points.");
    module.def(
        "forecast_weights", [] { return blokus::ForecastNetwork::trained().weights(); },
        "The numbers of the network behind `forecast`, in the order of "
        "`ForecastNetwork::Parameters`.");
    module.def(
        "solve",
        [](const blokus::Position& position, std::uint64_t nodes) {
            return binding::without_gil([&, here = position] {
                search::Stop stop(search::Limits{}, binding::user_interrupts);
                return blokus::Endgame().lead(here, nodes, stop);
            });
        },
        "position"_a, "nodes"_a = 1'000'000,
        "By how many points the seat on turn will lead if both play their best; nothing if so many "
        "nodes do not tell.");
}
