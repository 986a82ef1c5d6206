/// @file
/// What search thinks of a position of Reversi, and the engine that picks the right search for it:
/// duels on the common board by patterns, duels on other maps by terms, tables of three and four by
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

#include "core/search/alphabeta_engine.hpp"
#include "core/search/best_first_engine.hpp"
#include "judge.hpp"
#include "midgame.hpp"
#include "patterns.hpp"
#include "position.hpp"
#include "several.hpp"

namespace spielleiter::reversi {

/// Duels on the board of 8 × 8 without holes.
class ClassicDuel {
  public:
    using Position = reversi::Position;      ///< of the game
    using Node = DuelNode<Small, Patterns>;  ///< estimated by patterns
    using Search = Midgame<Node>;            ///< knows the endgame

    /// Weights are for other maps.
    explicit ClassicDuel(const std::vector<std::int16_t>&) {}
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
    const Terrain<Small>& terrain() const { return terrain_; }
    /// Whether the position is on the full board of 8 × 8.
    static bool fits(const Position& position);

  private:
    std::shared_ptr<const Patterns> patterns_;  ///< as long as its nodes look at them
    Terrain<Small> terrain_{Small::Set{{~std::uint64_t{0}}}};
};

/// Duels on any other map.
template <class Lattice>
class MapDuel {
  public:
    using Position = reversi::Position;                  ///< of the game
    using Node = DuelNode<Lattice, DuelJudge<Lattice>>;  ///< estimated by terms that fit any map
    using Search = Midgame<Node>;                        ///< knows the endgame

    /// With the fitted weights unless others are given.
    explicit MapDuel(const std::vector<std::int16_t>& weights)
        : weights_(weights_from(weights, 2)) {}
    /// A position made for search; a new map is surveyed first.
    Node node(const Position& position) {
        const auto& board = std::get<Board<Lattice>>(position.board());
        const auto cells = board.empty | board.occupied;
        if (judge_ == nullptr || !(cells == terrain_.cells())) {
            terrain_ = Terrain<Lattice>(cells);
            judge_ = std::make_unique<DuelJudge<Lattice>>(terrain_, weights_);
        }
        return {*judge_, board};
    }
    /// Of the map that was seen last.
    const Terrain<Lattice>& terrain() const { return terrain_; }

  private:
    Weights weights_;
    Terrain<Lattice> terrain_;
    std::unique_ptr<DuelJudge<Lattice>> judge_;
};

/// Three or four players on a map, as a node that one of several searches plays on.
template <class Lattice, class NodeType>
class MapTable {
  public:
    using Position = reversi::Position;  ///< of the game
    using Node = NodeType;               ///< what the search plays on

    /// With the fitted weights unless others are given.
    explicit MapTable(const std::vector<std::int16_t>& weights) : weights_(weights) {}
    /// A position made for search; a new map is surveyed first.
    Node node(const Position& position) {
        const auto& board = std::get<Board<Lattice>>(position.board());
        const auto cells = board.empty | board.occupied;
        if (judge_ == nullptr || !(cells == terrain_.cells())) {
            terrain_ = Terrain<Lattice>(cells);
            judge_ = std::make_unique<TableJudge<Lattice>>(terrain_, weights_);
        }
        return Node(TableNode<Lattice>(*judge_, board));
    }

  private:
    std::vector<std::int16_t> weights_;
    Terrain<Lattice> terrain_;
    std::unique_ptr<TableJudge<Lattice>> judge_;
};

template <class Lattice>
/// For paranoid search.
using Paranoid = MapTable<Lattice, search::ParanoidNode<TableNode<Lattice>>>;
template <class Lattice>
/// For best-reply search.
using BestReply = MapTable<Lattice, search::BestReplyNode<TableNode<Lattice>>>;

template <class Lattice>
class MaxN : public Paranoid<Lattice> {
  public:
    /// Max^n as the engine makes searches.
    struct Search : search::MaxN<typename Paranoid<Lattice>::Node> {
        /// Needs neither table nor evaluation.
        Search(search::TranspositionTable&, const search::EngineOptions& options, const MaxN&)
            : search::MaxN<typename Paranoid<Lattice>::Node>(options.pruning, options.seed) {}
    };
    using Paranoid<Lattice>::Paranoid;
};

/// The same as best-first search plays on it.
template <class Lattice>
class BestFirstMap {
  public:
    using Position = reversi::Position;   ///< of the game
    using Node = BestFirstNode<Lattice>;  ///< with values of all seats

    /// Its weights are always the fitted ones.
    explicit BestFirstMap(const std::vector<std::int16_t>&) {}
    /// A position made for search; a new map is surveyed first.
    Node node(const Position& position) {
        const auto& board = std::get<Board<Lattice>>(position.board());
        const auto cells = board.empty | board.occupied;
        const auto players = static_cast<std::size_t>(popcount(board.remaining));
        if (outlook_ == nullptr || !(cells == terrain_.cells()) || players != players_) {
            terrain_ = Terrain<Lattice>(cells);
            players_ = players;
            outlook_ = std::make_unique<Outlook<Lattice>>(terrain_, players);
        }
        return {*outlook_, board};
    }

  private:
    Terrain<Lattice> terrain_;
    std::size_t players_ = 0;
    std::unique_ptr<Outlook<Lattice>> outlook_;
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

    /// How tables of three and four are searched.
    static constexpr std::array<std::string_view, 4> styles{"best-first", "paranoid", "best-reply",
                                                            "maxn"};

  private:
    template <class Kind>
    using Held = std::unique_ptr<search::AlphaBetaEngine<Kind>>;
    template <class Lattice>
    using Grown = search::BestFirstEngine<BestFirstMap<Lattice>>;

    template <class Kept>
    Kept& held();
    template <class Kept>
    std::unique_ptr<Kept> made();
    template <class Begin>
    void begin_duel(const Position& root, Begin&& begin);
    template <class Begin>
    void begin_table(const Position& root, Begin&& begin);

    search::EngineOptions options_;
    std::string style_;
    /// Stays from engine to engine: new memory may take a tenth of a second to get, and a client
    /// learns which map is played when the clock is about to run.
    std::shared_ptr<search::TranspositionTable> table_;
    std::variant<std::monostate, Held<ClassicDuel>, Held<MapDuel<Small>>, Held<MapDuel<Large>>,
                 Held<Paranoid<Small>>, Held<Paranoid<Large>>, Held<BestReply<Small>>,
                 Held<BestReply<Large>>, Held<MaxN<Small>>, Held<MaxN<Large>>,
                 std::unique_ptr<Grown<Small>>, std::unique_ptr<Grown<Large>>>
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
