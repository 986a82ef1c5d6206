#include "evaluate.hpp"

#include <algorithm>

namespace spielleiter::reversi {

bool ClassicDuel::fits(const Position& position) {
    const auto* board = std::get_if<Board<Small>>(&position.board());
    return board != nullptr && board->seats == 2 && (board->empty | board->occupied).count() == 64;
}

// ----------------------------------------------------------------------------------- the engine

Engine::Engine(search::Options options) : options_(std::move(options)) {
    static_cast<void>(weights_from(options_.weights, 2));  // refuses a wrong number of them
}

template <class Kind>
search::Engine<Kind>& Engine::held() {
    if (!std::holds_alternative<Held<Kind>>(engine_))
        engine_ = std::make_unique<search::Engine<Kind>>(options_);
    return *std::get<Held<Kind>>(engine_);
}

void Engine::forget() { engine_ = std::monostate{}; }

void Engine::begin(const Position& root, search::Limits limits, std::size_t lines,
                   search::Stop::Interrupted interrupted) {
    const auto begin = [&](auto& engine) {
        engine.begin(root, limits, lines, std::move(interrupted));
    };
    if (options_.weights.empty() && Patterns::loaded() != nullptr && ClassicDuel::fits(root)) {
        begin(held<ClassicDuel>());
    } else {
        std::visit(
            [&]<class Lattice>(const Board<Lattice>& board) {
                if (board.seats == 2) {
                    begin(held<MapDuel<Lattice>>());
                } else {
                    begin(held<ParanoidTable<Lattice>>());
                }
            },
            root.board());
    }
}

bool Engine::step() {
    return std::visit(
        [](auto& engine) {
            if constexpr (std::is_same_v<std::decay_t<decltype(engine)>, std::monostate>) {
                return false;
            } else {
                return engine->step();
            }
        },
        engine_);
}

const search::Report<Move>& Engine::report() const {
    return std::visit(
        [this](const auto& engine) -> const search::Report<Move>& {
            if constexpr (std::is_same_v<std::decay_t<decltype(engine)>, std::monostate>) {
                return nothing_;
            } else {
                return engine->report();
            }
        },
        engine_);
}

// ------------------------------------------------------------------------------- without search

namespace {

/// The terms of the seat to move.
template <class Lattice>
Shares shares_of(const Board<Lattice>& board) {
    const Terrain<Lattice> terrain(board.empty | board.occupied);
    if (board.seats > 2) return TableJudge<Lattice>(terrain, {}).shares(board)[board.mover];
    const Duel<Lattice> duel{board.stones[board.mover], board.stones[1U - board.mover],
                             board.empty};
    return duel_shares(terrain, duel, board.legal);
}

template <class Lattice>
std::array<int, knots> mixture_of(const Board<Lattice>& board) {
    return Scale::mixture(board.empty.count(), (board.empty | board.occupied).count());
}

}  // namespace

search::Score Evaluate::estimate(const Position& position) const {
    if (weights_.empty() && Patterns::loaded() != nullptr && ClassicDuel::fits(position))
        return ClassicDuel({}).node(position).evaluate();
    return std::visit(
        [&]<class Lattice>(const Board<Lattice>& board) {
            return board.seats == 2 ? MapDuel<Lattice>(weights_).node(position).evaluate()
                                    : ParanoidTable<Lattice>(weights_).node(position).evaluate();
        },
        position.board());
}

std::vector<float> Evaluate::features_of(const Position& position) {
    return std::visit(
        [](const auto& board) {
            std::vector<float> features;
            const auto parts = mixture_of(board);
            for (const int share : shares_of(board)) {
                for (const int part : parts)
                    features.push_back(static_cast<float>(share) / whole *
                                       static_cast<float>(part) / whole);
            }
            return features;
        },
        position.board());
}

std::vector<std::string_view> Evaluate::names() { return {term_names.begin(), term_names.end()}; }

std::vector<std::int16_t> Evaluate::weights_for(const Position& position) {
    std::vector<std::int16_t> weights;
    for (const auto& row : fitted_weights(position.seats()))
        weights.insert(weights.end(), row.begin(), row.end());
    return weights;
}

}  // namespace spielleiter::reversi
