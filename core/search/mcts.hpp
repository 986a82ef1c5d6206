/// @file
/// Monte Carlo tree search for wide games and any number of seats.
///
/// A tree of counted games grows where games went well. A policy gives each move a prior, the
/// chance that it is the best one, before any game is played, and likely moves are tried first
/// (PUCT); so are moves that won whenever they were played later (RAVE). The other moves of a wide
/// position join in one by one as it is visited more often (progressive widening). Proven results
/// are kept as such (solver), and the subtree of the position that really arose stays from move to
/// move.
///
/// Threads share the tree without waiting for each other: of two updates that come at once one may
/// get lost. A game in progress counts as lost until it is over (virtual loss), so that they
/// spread.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/batch.hpp"
#include "core/game.hpp"
#include "core/playout.hpp"
#include "core/random.hpp"
#include "mcts_tree.hpp"
#include "stop.hpp"

namespace spielleiter::search {

/// The policy of a game judges its moves: this one treats all alike. A policy may further offer
/// - `priors(position, moves, weights, tuning)`: what `prior` says, for all moves of a position at
///   once, as weights that are proportional to the chance that a move is the best one;
/// - `side(position)`: whose move it is, finer than the seat, 0 … 3 (a seat may have two colours);
/// - `forecast(position, tuning)`: the values of a game that goes on from here, without playing it;
/// - `is_pointless(move)`: whether a move is never better than others, where there are others;
/// - `tuning()`: its own `MctsTuning`;
/// - `widest`: so many moves of a position are kept at most, the likeliest; at the root all;
/// - `transpositions`: so many positions of the tree are found by their keys, a power of two; where
///   other moves lead to one of them, the policy is not asked again.
template <GamePosition P>
struct UniformPolicy {
    using Position = P;  ///< of the game
    /// How good a move looks, 0 … 1; called for all moves of a node before it is expanded.
    float prior(const P&, typename P::Move) const { return 0.5F; }
    /// A move for playouts.
    std::optional<typename P::Move> playout_move(const P& position, Random& random) const {
        return random_move(position, random);
    }
};

/// The values of a finished game for each seat: its rank, and a little for the margin.
template <GamePosition P>
SeatValues game_values(const P& position, const MctsTuning& tuning = {}) {
    const Outcome outcome = position.outcome().value_or(forfeit(position));
    SeatValues values{};
    for (std::size_t seat = 0; seat < outcome.seats; ++seat) {
        int others = -1'000'000;
        for (std::size_t other = 0; other < outcome.seats; ++other) {
            if (other != seat) others = std::max(others, outcome.scores[other]);
        }
        const auto lead = static_cast<float>(outcome.scores[seat] - others);
        const float margin = 0.5F + 0.5F * lead / (tuning.margin_scale + std::abs(lead));
        const float rank = 0.5F + 0.5F * reward(outcome, static_cast<Seat>(seat));
        values[seat] = (1.0F - tuning.margin_weight) * rank + tuning.margin_weight * margin;
    }
    return values;
}

/// The tuning of a policy, or the defaults.
template <class Policy>
MctsTuning tuning_of() {
    if constexpr (requires { Policy::tuning(); }) {
        return Policy::tuning();
    } else {
        return {};
    }
}

/// How many positions of its trees are found by their keys.
template <class Policy>
constexpr std::size_t transpositions_of() {
    if constexpr (requires { Policy::transpositions; }) {
        return Policy::transpositions;
    } else {
        return 0;
    }
}

/// One of the threads that share a tree: it plays one game after the other.
template <GamePosition P, class Policy>
class MctsWorker {
  public:
    using Move = typename P::Move;              ///< of the game
    using Index = typename MctsTree<P>::Index;  ///< of a node

    /// `seed` decides its playouts.
    MctsWorker(std::uint64_t seed, const MctsTuning& tuning, Policy policy)
        : tuning_(tuning),
          policy_(std::move(policy)),
          seed_(seed),
          random_(seed),
          amaf_(max_seats * P::actions),
          replies_(tuning.last_good_reply ? max_seats * P::actions : 0, none) {}

    /// As if new.
    void forget() {
        random_ = Random(seed_);
        std::fill(replies_.begin(), replies_.end(), none);
    }

    /// One game: selection, expansion, playout and backup. Tells whether the root is proven now.
    bool simulate(MctsTree<P>& tree, const P& root) {
        P position = root;
        path_.assign(1, 0);
        played_.clear();
        ++tree[0].visits;
        while (has_children(tree, path_.back())) {
            if (tree.is_too_narrow(path_.back(), widest())) expand(tree, position, widest());
            descend(tree, position);
        }
        if (const Index leaf = path_.back(); is_ready_to_expand(tree, leaf)) {
            expand(tree, position, std::min(narrow, widest()));
            if (has_children(tree, leaf)) descend(tree, position);
        }
        const SeatValues value = assess(position);
        back_up(tree, value, root);
        tree.solve(path_, position.seats());
        return tree.root().is_certain();
    }

    /// Gives the root all its children.
    void expand_root(MctsTree<P>& tree, const P& root) {
        generate_children(root, P::Moves::capacity);
        tree.expand(0, found_, false);
    }

  private:
    static constexpr std::uint32_t none = 0xffffffff;
    /// So many children do until a node has been visited some fifty times; most never are.
    static constexpr std::size_t narrow = 20;

    /// A move of the game in progress.
    struct Played {
        std::uint32_t slot;  ///< side and action
        std::uint32_t code;
        Seat mover;
    };

    static bool has_children(const MctsTree<P>& tree, Index at) {
        return tree[at].children.get().count > 0;
    }

    /// Gives the node at the end of the path its children, at most `most`, unless another thread
    /// does so.
    void expand(MctsTree<P>& tree, const P& position, std::size_t most) {
        const Index at = path_.back();
        if (tree[at].expanding.exchange(true)) return;
        const std::uint64_t key = transpositions_of<Policy>() > 0 ? position.key() : 0;
        const Children known = tree.find(key, most);
        const bool partial =
            known.count > 0 ? copy_children(tree, known, most) : generate_children(position, most);
        if (!tree.full()) {
            tree.expand(at, found_, partial);
            tree.remember(key, at);
        }
        tree[at].expanding = false;
    }

    /// Copies what the children of another node began with; tells whether some are left out.
    bool copy_children(const MctsTree<P>& tree, Children from, std::size_t most) {
        const auto children = tree.children(from);
        found_.clear();
        for (const MctsNode& known : children.first(std::min(most, children.size()))) {
            MctsNode& child = found_.emplace_back();
            child.move = known.move;
            child.prior = known.prior;
            child.mover = known.mover;
            child.side = known.side;
            child.pointless = known.pointless;
        }
        return from.is_partial || found_.size() < children.size();
    }

    bool is_ready_to_expand(const MctsTree<P>& tree, Index leaf) const {
        const MctsNode& child = tree[leaf];
        return !child.is_certain() && !child.expanding &&
               static_cast<float>(child.visits) > tuning_.expansion_threshold && !tree.full();
    }

    void descend(MctsTree<P>& tree, P& position) {
        const Index next = tree.choose(path_.back());
        tree.prefetch(next);
        play(position, Move::coded(tree[next].move));
        ++tree[next].visits;
        path_.push_back(next);
        if (!is_over(position)) return;
        const Outcome outcome = position.outcome().value_or(forfeit(position));
        tree[next].won_by = outcome.winner().value_or(MctsNode::drawn);
    }

    /// The values of the game in progress: the forecast of the policy, a playout, or a mixture.
    SeatValues assess(P& position) {
        if constexpr (requires { policy_.forecast(position, tuning_); }) {
            const float weight = forecast_weight(position);
            if (weight > 0 && !is_decided(position)) {
                const SeatValues expected = policy_.forecast(position, tuning_);
                if (weight >= 1) return expected;
                finish(position);
                return mixture(game_values(position, tuning_), expected, weight);
            }
        }
        finish(position);
        return game_values(position, tuning_);
    }

    float forecast_weight(const P& position) const {
        if constexpr (requires { policy_.forecast_weight(position, tuning_); }) {
            return policy_.forecast_weight(position, tuning_);
        } else {
            return tuning_.forecast_weight;
        }
    }

    static SeatValues mixture(const SeatValues& played, const SeatValues& expected, float share) {
        SeatValues values;
        for (std::size_t seat = 0; seat < values.size(); ++seat)
            values[seat] = played[seat] + share * (expected[seat] - played[seat]);
        return values;
    }

    void finish(P& position) {
        while (!is_decided(position)) {
            const auto move = playout_move(position);
            if (!move) break;
            play(position, *move);
        }
    }

    void play(P& position, Move move) {
        const std::size_t slot = side(position) * P::actions + position.action(move);
        played_.push_back({static_cast<std::uint32_t>(slot), move.code(), position.to_move()});
        position.play(move);
    }

    std::optional<Move> playout_move(const P& position) {
        if (!replies_.empty() && !played_.empty()) {
            const std::uint32_t code = replies_[played_.back().slot];
            if (code != none && !position.why_illegal(Move::coded(code))) return Move::coded(code);
        }
        return policy_.playout_move(position, random_);
    }

    std::uint8_t side(const P& position) const {
        if constexpr (requires { policy_.side(position); }) {
            return static_cast<std::uint8_t>(policy_.side(position));
        } else {
            return position.to_move();
        }
    }

    static std::size_t widest() {
        if constexpr (requires { Policy::widest; }) {
            return Policy::widest;
        } else {
            return P::Moves::capacity;
        }
    }

    /// The legal moves as children, the likeliest first and at most `most`; tells whether some are
    /// left out.
    bool generate_children(const P& position, std::size_t most) {
        found_.clear();
        if (is_over(position)) return false;
        const auto moves = position.legal_moves();
        compute_priors(position, moves);
        order_.resize(moves.size());
        std::iota(order_.begin(), order_.end(), 0U);
        if (most < P::Moves::capacity) leave_out_pointless(moves);
        if (tuning_.overlooked > 0) drop_overlooked(position, moves);
        const std::size_t count = std::min(most, order_.size());
        bring_to_front(count);
        MctsNode child;
        child.mover = position.to_move();
        child.side = side(position) & 3U;
        for (std::size_t next = 0; next < count; ++next) {
            child.move = moves[order_[next]].code();
            child.prior = priors_[order_[next]];
            child.pointless = moves.size() > 1 && is_pointless(moves[order_[next]]);
            found_.push_back(child);
        }
        return count < order_.size();
    }

    /// The `count` likeliest come first, in order. Priors are never negative, so their bits are in
    /// the same order as they are; of equal ones the first stays first.
    void bring_to_front(std::size_t count) {
        keys_.resize(order_.size());
        std::transform(order_.begin(), order_.end(), keys_.begin(), [&](std::uint32_t at) {
            return std::uint64_t{std::bit_cast<std::uint32_t>(priors_[at])} << 32U | ~at;
        });
        const auto end = keys_.begin() + static_cast<std::ptrdiff_t>(count);
        if (end != keys_.end()) std::nth_element(keys_.begin(), end, keys_.end(), std::greater{});
        std::sort(keys_.begin(), end, std::greater{});
        std::transform(keys_.begin(), end, order_.begin(),
                       [](std::uint64_t key) { return ~static_cast<std::uint32_t>(key); });
    }

    static bool is_pointless(Move move) {
        if constexpr (requires { Policy::is_pointless(move); }) {
            return Policy::is_pointless(move);
        } else {
            return false;
        }
    }

    /// Below the root, moves that are never better than others count as illegal where there are
    /// others.
    void leave_out_pointless(const typename P::Moves& moves) {
        if (moves.size() < 2) return;
        std::erase_if(order_, [&](std::uint32_t at) { return is_pointless(moves[at]); });
    }

    /// Takes moves out of the order, in a position always the same ones, as if they were illegal. A
    /// reasonable move is left: nobody overlooks that there is a move at all.
    void drop_overlooked(const P& position, const typename P::Moves& moves) {
        const auto best = std::max_element(priors_.begin(), priors_.end()) - priors_.begin();
        const float reasonable = priors_[static_cast<std::size_t>(best)] / 1000;
        std::erase_if(order_, [&](std::uint32_t at) {
            const std::uint64_t lot = mix(position.key() ^ mix(seed_ + moves[at].code()));
            return lot % 1024 < tuning_.overlooked;
        });
        const auto seen = [&](std::uint32_t at) { return priors_[at] >= reasonable; };
        if (std::none_of(order_.begin(), order_.end(), seen))
            order_.push_back(static_cast<std::uint32_t>(best));
    }

    /// The priors of all moves, as shares of one.
    void compute_priors(const P& position, const typename P::Moves& moves) {
        priors_.resize(moves.size());
        if constexpr (requires { policy_.priors(position, moves, priors_.data(), tuning_); }) {
            policy_.priors(position, moves, priors_.data(), tuning_);
        } else {
            constexpr float spread = 4.0F;  // e^4 between the best and the worst move (guessed)
            const float exponent = spread * tuning_.prior_exponent;
            for (std::size_t at = 0; at < moves.size(); ++at)
                priors_[at] = std::exp(exponent * policy_.prior(position, moves[at]));
        }
        const float sum = std::accumulate(priors_.begin(), priors_.end(), 0.0F);
        for (float& weight : priors_) weight /= sum;
    }

    void back_up(MctsTree<P>& tree, const SeatValues& value, const P& root) {
        ++stamp_;
        std::size_t later = played_.size();
        const auto played = [&](std::size_t depth) {
            while (later > depth) amaf_[played_[--later].slot] = stamp_;
            return [&](const MctsNode& child) {
                const auto action = root.action(Move::coded(child.move));
                return amaf_[child.side * P::actions + action] == stamp_;
            };
        };
        tree.back_up(path_, value, played);
        if (!replies_.empty()) learn_replies(value);
    }

    /// Last good reply: one that won is repeated, one that lost is forgotten.
    void learn_replies(const SeatValues& value) {
        for (std::size_t at = 1; at < played_.size(); ++at) {
            std::uint32_t& reply = replies_[played_[at - 1].slot];
            if (value[played_[at].mover] > 0.5F) {
                reply = played_[at].code;
            } else if (reply == played_[at].code) {
                reply = none;
            }
        }
    }

    MctsTuning tuning_;
    Policy policy_;
    std::uint64_t seed_;
    Random random_;
    std::vector<Index> path_;  ///< children of the game in progress, the root first
    std::vector<Played> played_;
    std::vector<std::uint32_t> amaf_;     ///< the last game in which a move was played
    std::vector<std::uint32_t> replies_;  ///< to each move the one that won last
    std::uint32_t stamp_ = 0;
    std::vector<float> priors_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint64_t> keys_;  ///< priors and places in one, to be sorted
    std::vector<MctsNode> found_;
};

/// A tree and its workers: the search without the clock.
template <GamePosition P, class Policy = UniformPolicy<P>>
class Mcts {
  public:
    using Move = typename P::Move;  ///< of the game

    /// One worker for each thread; the memory of the tree is taken by the first search.
    explicit Mcts(std::uint64_t seed, std::size_t megabytes = 256, std::size_t threads = 1,
                  MctsTuning tuning = tuning_of<Policy>(), const Policy& policy = Policy())
        : tree_(megabytes, tuning, transpositions_of<Policy>()) {
        for (std::size_t at = 0; at < threads; ++at)
            workers_.emplace_back(mix(seed + at), tuning, policy);
    }

    /// Removes the tree and what the workers learnt.
    void forget() {
        tree_.clear();
        for (auto& worker : workers_) worker.forget();
    }

    /// Prepares a search; the subtree of the position is kept, if there is one.
    void begin(const P& root, std::size_t lines = 1) {
        tree_.compare(lines);
        if (!reuse(root)) tree_.reset();
        root_ = root;
        games_ = 0;
        const bool everything = lines >= root.legal_moves().size();
        const Children moves = tree_.root().children;
        if (moves.count == 0 || moves.is_partial || everything)
            workers_[0].expand_root(tree_, root_);
        solved_ = tree_.root().is_certain();
    }

    /// Plays games until told to stop, at most `games` of them. The first thread of a search checks
    /// the limits, the others only listen.
    void run(Stop& stop, std::uint64_t games, std::size_t thread = 0) {
        for (std::uint64_t game = 0; game < games && !solved_; ++game, ++games_) {
            if (thread == 0 ? stop.check(games_) : stop.requested()) break;
            if (workers_[thread].simulate(tree_, root_)) solved_ = true;
        }
    }

    /// Games of the present search.
    std::uint64_t games() const { return games_; }
    /// Whether the result of the root is proven.
    bool solved() const { return solved_; }
    /// The root.
    const P& position() const { return root_; }
    /// Moves at the root that are worth a game.
    std::size_t choices() const {
        const auto moves = tree_.children(tree_.root());
        return static_cast<std::size_t>(std::count_if(
            moves.begin(), moves.end(), [](const MctsNode& child) { return !child.pointless; }));
    }
    /// The used share of the memory.
    double fill() const { return tree_.fill(); }
    /// Whether no node can be expanded any more.
    bool full() const { return tree_.full(); }
    /// Makes room in the tree, while no thread plays a game.
    void prune() { tree_.prune(); }
    /// The best moves, the best one first.
    std::vector<Variation<Move>> lines(std::size_t count) const { return tree_.lines(count); }
    /// Games that began with a move.
    std::uint32_t visits(Move move) const {
        for (const MctsNode& child : tree_.children(tree_.root()))
            if (child.move == move.code()) return child.visits;
        return 0;
    }

  private:
    /// Makes the node of `position` the root, if it lies a few moves away.
    bool reuse(const P& position) {
        if (tree_.empty() || !(root_.rules() == position.rules())) return false;
        const auto found = tree_.locate(root_, position.key(), 2);
        if (found && *found != 0) tree_.keep(*found);
        return found.has_value();
    }

    MctsTree<P> tree_;
    std::vector<MctsWorker<P, Policy>> workers_;
    P root_{};
    std::atomic<std::uint64_t> games_ = 0;
    std::atomic<bool> solved_ = false;
};

}  // namespace spielleiter::search
