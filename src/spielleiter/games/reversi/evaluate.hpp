/// @file
/// What search thinks of a position of Reversi, and the engine that picks the right search for it:
/// two players on the common board by patterns, on other maps by terms, three and four players by
/// the search that won most among them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "adaptive_engine.hpp"
#include "core/search/alphabeta_engine.hpp"
#include "core/search/best_first_engine.hpp"
#include "midgame.hpp"
#include "multi_player.hpp"
#include "patterns.hpp"
#include "position.hpp"
#include "terms.hpp"

namespace spielleiter::reversi {

/// Two players on the board of 8 × 8 without holes.
class PatternEvaluator {
  public:
    using Position = reversi::Position;           ///< of the game
    using Node = TwoPlayerNode<Small, Patterns>;  ///< estimated by patterns
    using Search = Midgame<Node>;                 ///< knows the endgame

    /// Weights are for other maps.
    explicit PatternEvaluator(const std::vector<std::int16_t>&) {}
    /// A position made for search; it keeps the patterns alive.
    Node node(const Position& position) {
        patterns_ = Patterns::loaded();
        return node(position, *patterns_);
    }
    /// A position made for search; it keeps the patterns alive.
    static Node node(const Position& position, const Patterns& patterns) {
        return {patterns, std::get<Board<Small>>(position.board())};
    }
    /// Always the full board.
    const MapGeometry<Small>& geometry() const { return geometry_; }
    /// Whether the position is on the full board of 8 × 8.
    static bool fits(const Position& position);

  private:
    std::shared_ptr<const Patterns> patterns_;  ///< as long as its nodes look at them
    MapGeometry<Small> geometry_{Small::Set{{~std::uint64_t{0}}}};
};

/// Two players on any other map.
template <class Layout>
class TermEvaluator {
  public:
    using Position = reversi::Position;                               ///< of the game
    using Node = TwoPlayerNode<Layout, TwoPlayerEvaluation<Layout>>;  ///< estimated by terms that
                                                                      ///< fit any map
    using Search = Midgame<Node>;                                     ///< knows the endgame

    /// With the fitted weights and the network on top of them, unless other weights are given.
    explicit TermEvaluator(const std::vector<std::int16_t>& weights)
        : weights_(weights_from(weights, 2)), asks_network_(weights.empty()) {}
    /// A position made for search; a new map is surveyed first.
    Node node(const Position& position) {
        const auto& board = std::get<Board<Layout>>(position.board());
        const auto cells = board.empty | board.occupied;
        if (evaluation_ == nullptr || !(cells == geometry_.cells())) {
            geometry_ = MapGeometry<Layout>(cells);
            evaluation_ = std::make_unique<TwoPlayerEvaluation<Layout>>(
                geometry_, weights_, asks_network_ ? MapNetwork<Layout>::of_map(cells) : nullptr);
        }
        return {*evaluation_, board};
    }
    /// Of the map that was seen last.
    const MapGeometry<Layout>& geometry() const { return geometry_; }

  private:
    Weights weights_;
    bool asks_network_;
    MapGeometry<Layout> geometry_;
    std::unique_ptr<TwoPlayerEvaluation<Layout>> evaluation_;
};

/// Three or four players on a map, as a node that one of several searches plays on.
template <class Layout, class NodeType>
class MultiPlayerEvaluator {
  public:
    using Position = reversi::Position;  ///< of the game
    using Node = NodeType;               ///< what the search plays on

    /// With the fitted weights unless others are given.
    explicit MultiPlayerEvaluator(const std::vector<std::int16_t>& weights) : weights_(weights) {}
    /// A position made for search; a new map is surveyed first.
    Node node(const Position& position) {
        const auto& board = std::get<Board<Layout>>(position.board());
        const auto cells = board.empty | board.occupied;
        if (evaluation_ == nullptr || !(cells == geometry_.cells())) {
            geometry_ = MapGeometry<Layout>(cells);
            evaluation_ = std::make_unique<MultiPlayerEvaluation<Layout>>(geometry_, weights_);
        }
        return Node(MultiPlayerNode<Layout>(*evaluation_, board));
    }

  private:
    std::vector<std::int16_t> weights_;
    MapGeometry<Layout> geometry_;
    std::unique_ptr<MultiPlayerEvaluation<Layout>> evaluation_;
};

template <class Layout>
/// For paranoid search.
using Paranoid = MultiPlayerEvaluator<Layout, search::ParanoidNode<MultiPlayerNode<Layout>>>;
template <class Layout>
/// For best-reply search.
using BestReply = MultiPlayerEvaluator<Layout, search::BestReplyNode<MultiPlayerNode<Layout>>>;

template <class Layout>
class MaxN : public Paranoid<Layout> {
  public:
    /// Max^n as the engine makes searches.
    struct Search : search::MaxN<typename Paranoid<Layout>::Node> {
        /// Needs neither table nor evaluation.
        Search(search::TranspositionTable&, const search::EngineOptions& options, const MaxN&)
            : search::MaxN<typename Paranoid<Layout>::Node>(options.pruning, options.seed) {}
    };
    using Paranoid<Layout>::Paranoid;
};

/// The same as best-first search plays on it.
template <class Layout>
class BestFirstEvaluator {
  public:
    using Position = reversi::Position;  ///< of the game
    using Node = BestFirstNode<Layout>;  ///< with values of all seats

    /// Its weights are always the fitted ones.
    explicit BestFirstEvaluator(const std::vector<std::int16_t>&) {}
    /// A position made for search; a new map is surveyed first.
    Node node(const Position& position) {
        const auto& board = std::get<Board<Layout>>(position.board());
        const auto cells = board.empty | board.occupied;
        const auto players = static_cast<std::size_t>(popcount(board.remaining));
        if (probability_ == nullptr || !(cells == geometry_.cells()) || players != players_) {
            geometry_ = MapGeometry<Layout>(cells);
            players_ = players;
            probability_ = std::make_unique<WinProbability<Layout>>(geometry_, players);
        }
        return {*probability_, board};
    }

  private:
    MapGeometry<Layout> geometry_;
    std::size_t players_ = 0;
    std::unique_ptr<WinProbability<Layout>> probability_;
};

/// One engine for all maps and numbers of players: it keeps the one that fits the game in progress.
class Engine {
  public:
    using Position = reversi::Position;  ///< of the game
    using Move = reversi::Move;          ///< of the game

    /// Takes the memory of the table at once.
    explicit Engine(search::EngineOptions options);

    /// As if new, but the memory stays.
    void forget();
    /// Chooses the engine that fits, then begins.
    void begin(const Position& root, search::Limits limits, std::size_t lines,
               search::Stop::Interrupted interrupted);
    /// One step of that engine.
    bool step();
    /// What was found so far.
    const search::Report<Move>& report() const { return report_; }
    /// Ends the search at its next node.
    void stop();

    /// What an adaptive search takes each seat for, the own one included; otherwise nothing.
    std::vector<Opponent> opponents() const;

    /// How tables of three and four are searched.
    static constexpr std::array<std::string_view, 5> styles{"best-first", "adaptive", "paranoid",
                                                            "best-reply", "maxn"};

  private:
    template <class Kind>
    using AlphaBetaOf = std::unique_ptr<search::AlphaBetaEngine<Kind>>;
    template <class Layout>
    using BestFirstOf = search::BestFirstEngine<BestFirstEvaluator<Layout>>;
    template <class Layout>
    using AdaptiveOf = AdaptiveEngine<Layout, BestFirstEvaluator<Layout>>;

    template <class Kind>
    Kind& engine_of();
    template <class Kind>
    std::unique_ptr<Kind> make();
    template <class Begin>
    void begin_two_player(const Position& root, Begin&& begin);
    template <class Begin>
    void begin_multi_player(const Position& root, Begin&& begin);

    search::EngineOptions options_;
    std::string style_;
    /// Stays from engine to engine: new memory may take a tenth of a second to get, and a client
    /// learns which map is played when the clock is about to run.
    std::shared_ptr<search::TranspositionTable> table_;
    std::variant<std::monostate, AlphaBetaOf<PatternEvaluator>, AlphaBetaOf<TermEvaluator<Small>>,
                 AlphaBetaOf<TermEvaluator<Large>>, AlphaBetaOf<Paranoid<Small>>,
                 AlphaBetaOf<Paranoid<Large>>, AlphaBetaOf<BestReply<Small>>,
                 AlphaBetaOf<BestReply<Large>>, AlphaBetaOf<MaxN<Small>>, AlphaBetaOf<MaxN<Large>>,
                 std::unique_ptr<BestFirstOf<Small>>, std::unique_ptr<BestFirstOf<Large>>,
                 std::unique_ptr<AdaptiveOf<Small>>, std::unique_ptr<AdaptiveOf<Large>>>
        engine_;
    search::Report<Move> report_;
};

static_assert(search::Engine<Engine>);

/// The judgement without search.
class Evaluate {
  public:
    using Position = reversi::Position;  ///< of the game
    using Engine = reversi::Engine;      ///< of the game

    Evaluate() = default;
    /// With the fitted weights unless others are given.
    explicit Evaluate(std::span<const std::int16_t> weights)
        : weights_(weights.begin(), weights.end()) {}

    /// The score of a position without search.
    search::Score estimate(const Position& position) const;

    /// For tree search: no opinion of moves, and games played out by lot.
    static float prior(const Position&, Move) { return 0.5F; }
    /// A uniformly drawn move.
    static std::optional<Move> playout_move(const Position& position, Random& random) {
        return position.random_move(random);
    }

    /// What the position shows to the seat to move, one number for each weight. For fitting.
    static std::vector<float> features_of(const Position& position);
    /// Of the features, in the order of the weights.
    static std::vector<std::string_view> names();
    /// The fitted weights under the rules of a position.
    static std::vector<std::int16_t> weights_for(const Position& position);

  private:
    std::vector<std::int16_t> weights_;
};

}  // namespace spielleiter::reversi
