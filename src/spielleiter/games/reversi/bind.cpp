#include <utility>
#include <vector>

#include "core/bind.hpp"
#include "evaluate.hpp"
#include "position.hpp"

namespace {

/// Words of 16 bits, the lower byte first.
std::vector<std::int16_t> words_of(const nanobind::bytes& data) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(data.c_str());
    std::vector<std::int16_t> words;
    words.reserve(data.size() / 2);
    for (std::size_t at = 0; at + 1 < data.size(); at += 2)
        words.push_back(static_cast<std::int16_t>(bytes[at] | bytes[at + 1] << 8U));
    return words;
}

/// What refuses a wrong number of weights says so in Python.
template <class Load>
void load_or_raise(Load&& load) {
    try {
        load();
    } catch (const spielleiter::UsageError& error) {
        spielleiter::binding::raise("UsageError", error.what());
    }
}

/// Pattern tables as they are shipped: each stage as its difference to the one before.
void load_patterns(const nanobind::bytes& data) {
    using spielleiter::reversi::Patterns;
    load_or_raise([&] { Patterns::load(Patterns::unpacked(words_of(data))); });
}
void load_map_network(const nanobind::bytes& data) {
    load_or_raise([&] { spielleiter::reversi::MapNetworkWeights::load(words_of(data)); });
}

using spielleiter::Cell;
using spielleiter::binding::cells_where;
using spielleiter::binding::class_of;
using spielleiter::binding::seat_of;
using spielleiter::reversi::Move;
using spielleiter::reversi::Occupant;
using spielleiter::reversi::Position;

nanobind::tuple stones(const Position& position, spielleiter::Seat seat) {
    return cells_where(position, [&](Cell cell) { return position.at(cell) == Occupant{seat}; });
}

void bind_reading() {
    namespace nb = nanobind;
    using namespace nb::literals;
    class_of<Move>().def_prop_ro(
        "cell", [](const Move& self) { return std::pair<int, int>(self.x, self.y); },
        "Where the stone is set: column, row.");
    class_of<Position>()
        .def(
            "stones",
            [](const Position& self, int seat) { return stones(self, seat_of(self, seat)); },
            "seat"_a, nb::sig("def stones(self, seat: int) -> tuple[tuple[int, int], ...]"),
            "The cells of a seat's stones, row by row.")
        .def(
            "stone_counts",
            [](const Position& self) {
                nb::list counts;
                for (std::size_t seat = 0; seat < self.seats(); ++seat)
                    counts.append(stones(self, static_cast<spielleiter::Seat>(seat)).size());
                return nb::tuple(counts);
            },
            nb::sig("def stone_counts(self) -> tuple[int, ...]"),
            "How many stones each seat has on the board, disqualified or not.")
        .def(
            "holes",
            [](const Position& self) {
                return cells_where(self, [&](Cell cell) { return !self.has_cell(cell); });
            },
            nb::sig("def holes(self) -> tuple[tuple[int, int], ...]"),
            "The cells of the rectangle that do not exist for play.")
        .def(
            "is_disqualified",
            [](const Position& self, int seat) {
                return self.is_disqualified(seat_of(self, seat));
            },
            "seat"_a);
}

/// What a player of a kind would do in a position, by plies.
std::vector<Move> predict(const Position& position, std::size_t profile, std::uint64_t nodes) {
    using namespace spielleiter::reversi;
    if (profile >= profiles.size())
        spielleiter::binding::raise("UsageError", "there is no such profile");
    if (position.is_over())
        spielleiter::binding::raise("UsageError", "there is no legal move to predict");
    return std::visit(
        [&]<class Layout>(const Board<Layout>& board) {
            const MapGeometry<Layout> geometry(board.empty | board.occupied);
            spielleiter::search::Stop stop({.nodes = nodes});
            const Prediction found =
                OpponentSearch<Layout>().predict(geometry, board, profiles[profile], stop);
            std::vector<Move> moves;
            for (int depth = 1; depth <= found.depth(); ++depth)
                moves.push_back(Move::on(board, found.at(depth)));
            return moves;
        },
        position.board());
}

void bind_opponents(nanobind::module_& module) {
    namespace nb = nanobind;
    using namespace nb::literals;
    using Engine = spielleiter::reversi::Engine;
    using spielleiter::reversi::profiles;
    module.def(
        "profiles",
        [] {
            std::vector<std::string> names;
            for (const auto& profile : profiles) names.emplace_back(profile.name);
            return names;
        },
        "What players count that an adaptive engine knows.");
    module.def(
        "predict",
        [](const Position& position, std::size_t profile, std::uint64_t nodes) {
            nb::list texts;
            for (const Move move : predict(position, profile, nodes)) texts.append(move.text());
            return texts;
        },
        "position"_a, "profile"_a, "nodes"_a = 10'000,
        nb::sig("def predict(position: Position, profile: int, nodes: int = 10000) -> list[str]"),
        "The move that a player of a profile would make, when it looks one ply ahead, two plies, "
        "and so on, as far as so many nodes reach.");
    nb::cast<nb::class_<spielleiter::binding::EngineHandle<Engine>>>(module.attr("Engine"))
        .def(
            "opponents",
            [](const spielleiter::binding::EngineHandle<Engine>& self) {
                nb::list found;
                for (const auto& seat : self.engine().opponents())
                    found.append(nb::make_tuple(nb::str(profiles[seat.profile].name.data()),
                                                seat.nodes(), seat.accuracy, seat.is_foreseen));
                return found;
            },
            nb::sig("def opponents(self) -> list[tuple[str, int, float, bool]]"),
            "What an adaptive engine takes each seat for: the profile, how many nodes it seems to "
            "search, which share of its moves that foresees, and whether the engine looks at the "
            "replies that it expects. Of the own seat it knows nothing.");
}

}  // namespace

NB_MODULE(SPIELLEITER_MODULE, module) {
    using namespace spielleiter;
    bind_game<reversi::Position, reversi::Evaluate>(module);
    bind_reading();
    bind_opponents(module);
    module.def("load_patterns", &load_patterns, nanobind::arg("data"),
               "Other tables for the evaluation of two players on the common board.");
    module.def("load_map_network", &load_map_network, nanobind::arg("data"),
               "Another network for the evaluation of two players on all other maps.");
    const auto shipped = nanobind::module_::import_("spielleiter.games.reversi.shipped_weights");
    const auto data = [&](const char* name) {
        return nanobind::cast<nanobind::bytes>(shipped.attr("data")(name));
    };
    load_patterns(data("patterns"));
    load_map_network(data("map_network"));
}
