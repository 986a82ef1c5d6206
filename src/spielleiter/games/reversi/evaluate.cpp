#include "evaluate.hpp"

#include <algorithm>

namespace spielleiter::reversi {

bool PatternEvaluator::fits(const Position& position) {
    const auto* board = std::get_if<Board<Small>>(&position.board());
    return board != nullptr && board->seats == 2 && (board->empty | board->occupied).count() == 64;
}

// ----------------------------------------------------------------------------------- the engine

namespace {

using Variation = search::Variation<Move>;

/// The search that won most games among three and among four (docs/engines/reversi.md).
std::string_view best_style(const search::EngineOptions& options) {
    if (!options.weights.empty()) return "paranoid";
    return options.adaptive ? "adaptive" : "best-first";
}

/// What is reported of a line: moves out of turn are nobody's business.
Variation line_of(const search::Variation<Move>& line) { return line; }
Variation line_of(const search::Variation<search::SeatMove<Move>>& line) {
    return {line.score, {line.moves.front().move}};
}

}  // namespace

Engine::Engine(search::EngineOptions options) : options_(std::move(options)) {
    static_cast<void>(weights_from(options_.weights, 2));  // refuses a wrong number of them
    style_ = std::exchange(options_.style, "");
    if (!style_.empty() && std::find(styles.begin(), styles.end(), style_) == styles.end())
        throw UsageError("search has no style " + style_);
}

template <class Kind>
Kind& Engine::engine_of() {
    if (!std::holds_alternative<std::unique_ptr<Kind>>(engine_)) engine_ = make<Kind>();
    return *std::get<std::unique_ptr<Kind>>(engine_);
}

template <class Kind>
std::unique_ptr<Kind> Engine::make() {
    if constexpr (std::is_constructible_v<Kind, search::EngineOptions,
                                          std::shared_ptr<search::TranspositionTable>>) {
        if (table_ != nullptr) {
            table_->clear();
        } else {
            table_ = std::make_shared<search::TranspositionTable>(options_.megabytes);
        }
        return std::make_unique<Kind>(options_, table_);
    } else {
        table_.reset();  // trees have memory of their own
        return std::make_unique<Kind>(options_);
    }
}

void Engine::forget() {
    std::visit(
        [](auto& engine) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(engine)>, std::monostate>)
                engine->forget();
        },
        engine_);
}

void Engine::begin(const Position& root, search::Limits limits, std::size_t lines,
                   search::Stop::Interrupted interrupted) {
    const search::Stop clock{search::Limits{}};
    const auto begin = [&](auto& engine) {
        // A new engine takes a while to be made, and that time is gone.
        engine.begin(root, limits.after(clock.seconds()), lines, std::move(interrupted));
    };
    report_ = {};
    if (root.seats() == 2) {
        begin_two_player(root, begin);
    } else {
        begin_multi_player(root, begin);
    }
}

template <class Begin>
void Engine::begin_two_player(const Position& root, Begin&& begin) {
    if (options_.weights.empty() && Patterns::loaded() != nullptr && PatternEvaluator::fits(root)) {
        begin(engine_of<search::AlphaBetaEngine<PatternEvaluator>>());
    } else if (std::holds_alternative<Board<Small>>(root.board())) {
        begin(engine_of<search::AlphaBetaEngine<TermEvaluator<Small>>>());
    } else {
        begin(engine_of<search::AlphaBetaEngine<TermEvaluator<Large>>>());
    }
}

template <class Begin>
void Engine::begin_multi_player(const Position& root, Begin&& begin) {
    const std::string_view style = style_.empty() ? best_style(options_) : style_;
    std::visit(
        [&]<class Layout>(const Board<Layout>&) {
            if (style == "best-first") {
                begin(engine_of<BestFirstOf<Layout>>());
            } else if (style == "adaptive") {
                begin(engine_of<AdaptiveOf<Layout>>());
            } else if (style == "paranoid") {
                begin(engine_of<search::AlphaBetaEngine<Paranoid<Layout>>>());
            } else if (style == "best-reply") {
                begin(engine_of<search::AlphaBetaEngine<BestReply<Layout>>>());
            } else {
                begin(engine_of<search::AlphaBetaEngine<MaxN<Layout>>>());
            }
        },
        root.board());
}

void Engine::stop() {
    std::visit(
        [](auto& engine) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(engine)>, std::monostate>)
                engine->stop();
        },
        engine_);
}

std::vector<Opponent> Engine::opponents() const {
    return std::visit(
        [](const auto& engine) -> std::vector<Opponent> {
            if constexpr (requires { engine->opponents(); })
                return engine->opponents();
            else
                return {};
        },
        engine_);
}

bool Engine::step() {
    return std::visit(
        [this](auto& engine) {
            if constexpr (std::is_same_v<std::decay_t<decltype(engine)>, std::monostate>) {
                return false;
            } else {
                if (!engine->step()) return false;
                const auto& found = engine->report();
                report_ = {{}, found.depth, found.nodes, found.seconds, found.fill};
                for (const auto& line : found.lines) report_.lines.push_back(line_of(line));
                return true;
            }
        },
        engine_);
}

// ------------------------------------------------------------------------------- without search

namespace {

/// The terms of the seat to move.
template <class Layout>
Shares shares_of(const Board<Layout>& board) {
    const MapGeometry<Layout> geometry(board.empty | board.occupied);
    if (board.seats > 2)
        return MultiPlayerEvaluation<Layout>(geometry, {}).shares(board)[board.mover];
    const TwoPlayerBoard<Layout> seen{board.stones[board.mover], board.stones[1U - board.mover],
                                      board.empty};
    return two_player_shares(geometry, seen, board.legal, seen.passed().moves());
}

/// What the seat to move may hope for among three or four.
search::Score chance_of_first(const Position& position) {
    return std::visit(
        [&]<class Layout>(const Board<Layout>& board) {
            return search::score_of(
                BestFirstEvaluator<Layout>({}).node(position).seat_values()[board.mover]);
        },
        position.board());
}

template <class Layout>
std::array<int, knots> interpolation_of(const Board<Layout>& board) {
    return PhaseWeights::interpolation(board.empty.count(), (board.empty | board.occupied).count());
}

}  // namespace

search::Score Evaluate::estimate(const Position& position) const {
    if (weights_.empty() && position.seats() > 2) return chance_of_first(position);
    const auto patterns = Patterns::loaded();
    if (weights_.empty() && patterns != nullptr && PatternEvaluator::fits(position))
        return PatternEvaluator::node(position, *patterns).evaluate();
    return std::visit(
        [&]<class Layout>(const Board<Layout>& board) {
            return board.seats == 2 ? TermEvaluator<Layout>(weights_).node(position).evaluate()
                                    : Paranoid<Layout>(weights_).node(position).evaluate();
        },
        position.board());
}

std::vector<float> Evaluate::features_of(const Position& position) {
    return std::visit(
        [](const auto& board) {
            std::vector<float> features;
            const auto parts = interpolation_of(board);
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
