/// @file
/// Monte Carlo tree search for wide games and any number of seats.
///
/// A tree of counted games grows where games went well. A policy says how likely each move is the
/// best one before any game is played, and the likely ones are tried first (PUCT); so are moves
/// that won whenever they were played later (RAVE). The others of a wide position join in one by
/// one as it is visited more often (progressive widening). Certain results are kept as such
/// (solver), and what was learnt about the position that really arose stays in the tree from move
/// to move.
///
/// Threads share the tree and take turns in it; they find moves and play games out side by side. A
/// game in progress counts as lost until it is over (virtual loss), so that they spread.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/batch.hpp"
#include "core/game.hpp"
#include "core/playout.hpp"
#include "core/random.hpp"
#include "stop.hpp"
#include "tree.hpp"

namespace spielleiter::search {

/// What a game may say about its moves: this says nothing. A policy may further offer
/// - `priors(position, moves, weights, tuning)`: what `prior` says, for all moves of a position at
///   once, as weights that are proportional to the chance that a move is the best one;
/// - `side(position)`: whose move it is, finer than the seat, 0 … 3 (a seat may have two colours);
/// - `forecast(position, tuning)`: what a game is worth that goes on from here, without playing it;
/// - `is_pointless(move)`: whether a move is never better than others, where there are others;
/// - `tuning()`: how its trees grow best;
/// - `widest`: so many moves of a position are kept at most, those that look best; at the root all;
/// - `twins`: so many positions of the tree are known by their keys, a power of two; where other
///   moves lead to one of them, what the policy says of it is not asked again.
template <GamePosition P>
struct NoOpinion {
    using Position = P;
    /// How good a move looks, 0 … 1; called for all moves of a position before it is entered.
    float prior(const P&, typename P::Move) const { return 0.5F; }
    /// A move for the games that are played out.
    std::optional<typename P::Move> playout_move(const P& position, Random& random) const {
        return random_move(position, random);
    }
};

/// What a finished game is worth to each seat: its rank, and a little for the margin.
template <GamePosition P>
Worth worth(const P& position, const Tuning& tuning = {}) {
    const Outcome outcome = position.outcome().value_or(forfeit(position));
    Worth values{};
    for (std::size_t seat = 0; seat < outcome.seats; ++seat) {
        int others = -1'000'000;
        for (std::size_t other = 0; other < outcome.seats; ++other) {
            if (other != seat) others = std::max(others, outcome.scores[other]);
        }
        const auto lead = static_cast<float>(outcome.scores[seat] - others);
        const float margin = 0.5F + 0.5F * lead / (tuning.lead + std::abs(lead));
        const float rank = 0.5F + 0.5F * reward(outcome, static_cast<Seat>(seat));
        values[seat] = (1.0F - tuning.margin) * rank + tuning.margin * margin;
    }
    return values;
}

/// How the trees of a policy grow.
template <class Policy>
Tuning tuning_of() {
    if constexpr (requires { Policy::tuning(); }) {
        return Policy::tuning();
    } else {
        return {};
    }
}

/// How many positions of its trees are known by their keys.
template <class Policy>
constexpr std::size_t twins_of() {
    if constexpr (requires { Policy::twins; }) {
        return Policy::twins;
    } else {
        return 0;
    }
}

/// One of the threads that share a tree: it plays one game after the other.
template <GamePosition P, class Policy>
class Sampler {
  public:
    using Move = typename P::Move;
    using Index = typename Tree<P>::Index;

    Sampler(std::uint64_t seed, const Tuning& tuning, Policy policy)
        : tuning_(tuning),
          policy_(std::move(policy)),
          seed_(seed),
          random_(seed),
          amaf_(max_seats * P::actions),
          replies_(tuning.replies ? max_seats * P::actions : 0, none) {}

    void forget() {
        random_ = Random(seed_);
        std::fill(replies_.begin(), replies_.end(), none);
    }

    /// One game: down the tree, one position more, to the end by lot, and back. `turn` is locked
    /// while the tree is used. Tells whether the root is certain now.
    template <class Lock>
    bool simulate(Tree<P>& tree, const P& root, Lock turn) {
        P position = root;
        path_.assign(1, 0);
        played_.clear();
        turn.lock();
        ++tree[0].visits;
        while (tree[path_.back()].count > 0) {
            if (tree.is_too_narrow(path_.back(), widest())) grow(tree, position, widest(), turn);
            descend(tree, position);
        }
        if (const Index leaf = path_.back(); is_worth_entering(tree, leaf)) {
            grow(tree, position, std::min(narrow, widest()), turn);
            if (tree[leaf].count > 0) descend(tree, position);
        }
        turn.unlock();
        const Worth value = assess(position);
        turn.lock();
        back_up(tree, value, root);
        tree.solve(path_, position.seats());
        const bool certain = tree.root().is_certain();
        turn.unlock();
        return certain;
    }

    /// The root gets all its branches.
    void grow_root(Tree<P>& tree, const P& root) {
        find_branches(root, P::Moves::capacity);
        tree.grow(0, found_, false);
    }

  private:
    static constexpr std::uint32_t none = 0xffffffff;
    /// So many branches do until a position has been visited some fifty times; most never are.
    static constexpr std::size_t narrow = 20;

    /// A move of the game in progress.
    struct Played {
        std::uint32_t slot;  ///< side and action
        std::uint32_t code;
        Seat mover;
    };

    /// Gives the position at the end of the path its branches, at most so many.
    template <class Lock>
    void grow(Tree<P>& tree, const P& position, std::size_t most, Lock& turn) {
        const Index at = path_.back();
        const std::uint64_t key = twins_of<Policy>() > 0 ? position.key() : 0;
        const Branch* const twin = tree.twin(key, most);
        const bool partial = twin != nullptr ? copy_branches(tree, *twin, most)
                                             : find_branches(tree, position, most, turn);
        if (tree.full()) return;
        tree.grow(at, found_, partial);
        tree.remember(key, at);
    }

    /// What the branches of a branch began with; tells whether some are left out.
    bool copy_branches(const Tree<P>& tree, const Branch& from, std::size_t most) {
        const auto branches = tree.below(from);
        found_.clear();
        for (const Branch& known : branches.first(std::min(most, branches.size()))) {
            Branch& branch = found_.emplace_back();
            branch.move = known.move;
            branch.prior = known.prior;
            branch.mover = known.mover;
            branch.side = known.side;
            branch.pointless = known.pointless;
        }
        return from.partial || found_.size() < branches.size();
    }

    /// Other threads may use the tree meanwhile.
    template <class Lock>
    bool find_branches(Tree<P>& tree, const P& position, std::size_t most, Lock& turn) {
        tree[path_.back()].growing = true;
        turn.unlock();
        const bool partial = find_branches(position, most);
        turn.lock();
        tree[path_.back()].growing = false;
        return partial;
    }

    bool is_worth_entering(const Tree<P>& tree, Index leaf) const {
        const Branch& branch = tree[leaf];
        return !branch.closed && !branch.growing &&
               static_cast<float>(branch.visits) > tuning_.patience && !tree.full();
    }

    void descend(Tree<P>& tree, P& position) {
        const Index next = tree.choose(path_.back());
        tree.prefetch(next);
        play(position, Move::coded(tree[next].move));
        ++tree[next].visits;
        path_.push_back(next);
        if (!is_over(position)) return;
        tree[next].closed = true;
        const Outcome outcome = position.outcome().value_or(forfeit(position));
        tree[next].won_by = outcome.winner().value_or(Branch::drawn);
    }

    /// What became of the game in progress: what the policy forecasts, how it ends by lot, or both.
    Worth assess(P& position) {
        if constexpr (requires { policy_.forecast(position, tuning_); }) {
            const float trust = trusted(position);
            if (trust > 0 && !is_decided(position)) {
                const Worth expected = policy_.forecast(position, tuning_);
                if (trust >= 1) return expected;
                finish(position);
                return mixture(worth(position, tuning_), expected, trust);
            }
        }
        finish(position);
        return worth(position, tuning_);
    }

    float trusted(const P& position) const {
        if constexpr (requires { policy_.trust(position, tuning_); }) {
            return policy_.trust(position, tuning_);
        } else {
            return tuning_.trust;
        }
    }

    static Worth mixture(const Worth& played, const Worth& expected, float share) {
        Worth values;
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

    /// The legal moves as branches, those that look best first and at most so many; tells whether
    /// some are left out.
    bool find_branches(const P& position, std::size_t most) {
        found_.clear();
        if (is_over(position)) return false;
        const auto moves = position.legal_moves();
        weigh(position, moves);
        order_.resize(moves.size());
        std::iota(order_.begin(), order_.end(), 0U);
        if (most < P::Moves::capacity) leave_out_pointless(moves);
        if (tuning_.overlooked > 0) overlook(position, moves);
        const std::size_t count = std::min(most, order_.size());
        bring_to_front(count);
        Branch branch;
        branch.mover = position.to_move();
        branch.side = side(position);
        for (std::size_t next = 0; next < count; ++next) {
            branch.move = moves[order_[next]].code();
            branch.prior = weights_[order_[next]];
            branch.pointless = moves.size() > 1 && is_pointless(moves[order_[next]]);
            found_.push_back(branch);
        }
        return count < order_.size();
    }

    /// The `count` likeliest come first, in order. Weights are no less than zero, so their bits are
    /// in the same order as they are; of equal ones the first stays first.
    void bring_to_front(std::size_t count) {
        keys_.resize(order_.size());
        std::transform(order_.begin(), order_.end(), keys_.begin(), [&](std::uint32_t at) {
            return std::uint64_t{std::bit_cast<std::uint32_t>(weights_[at])} << 32U | ~at;
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
    /// move that looks reasonable is left: nobody overlooks that he can move.
    void overlook(const P& position, const typename P::Moves& moves) {
        const auto best = std::max_element(weights_.begin(), weights_.end()) - weights_.begin();
        const float reasonable = weights_[static_cast<std::size_t>(best)] / 1000;
        std::erase_if(order_, [&](std::uint32_t at) {
            const std::uint64_t lot = mix(position.key() ^ mix(seed_ + moves[at].code()));
            return lot % 1024 < tuning_.overlooked;
        });
        const auto seen = [&](std::uint32_t at) { return weights_[at] >= reasonable; };
        if (std::none_of(order_.begin(), order_.end(), seen))
            order_.push_back(static_cast<std::uint32_t>(best));
    }

    /// What the policy thinks of each move, as shares of one.
    void weigh(const P& position, const typename P::Moves& moves) {
        weights_.resize(moves.size());
        if constexpr (requires { policy_.priors(position, moves, weights_.data(), tuning_); }) {
            policy_.priors(position, moves, weights_.data(), tuning_);
        } else {
            const float eagerness = 4.0F * tuning_.sharpness;
            for (std::size_t at = 0; at < moves.size(); ++at)
                weights_[at] = std::exp(eagerness * policy_.prior(position, moves[at]));
        }
        const float sum = std::accumulate(weights_.begin(), weights_.end(), 0.0F);
        for (float& weight : weights_) weight /= sum;
    }

    void back_up(Tree<P>& tree, const Worth& value, const P& root) {
        ++stamp_;
        std::size_t later = played_.size();
        const auto played = [&](std::size_t depth) {
            while (later > depth) amaf_[played_[--later].slot] = stamp_;
            return [&](const Branch& branch) {
                const auto action = root.action(Move::coded(branch.move));
                return amaf_[branch.side * P::actions + action] == stamp_;
            };
        };
        tree.back_up(path_, value, played);
        if (!replies_.empty()) learn_replies(value);
    }

    /// A reply that won is given again, one that lost is forgotten.
    void learn_replies(const Worth& value) {
        for (std::size_t at = 1; at < played_.size(); ++at) {
            std::uint32_t& reply = replies_[played_[at - 1].slot];
            if (value[played_[at].mover] > 0.5F) {
                reply = played_[at].code;
            } else if (reply == played_[at].code) {
                reply = none;
            }
        }
    }

    Tuning tuning_;
    Policy policy_;
    std::uint64_t seed_;
    Random random_;
    std::vector<Index> path_;  ///< branches of the game in progress, the root first
    std::vector<Played> played_;
    std::vector<std::uint32_t> amaf_;     ///< the last game in which a move was played
    std::vector<std::uint32_t> replies_;  ///< to each move the one that won last
    std::uint32_t stamp_ = 0;
    std::vector<float> weights_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint64_t> keys_;  ///< weights and places in one, to be sorted
    std::vector<Branch> found_;
};

template <GamePosition P, class Policy = NoOpinion<P>>
class Mcts {
  public:
    using Move = typename P::Move;

    explicit Mcts(std::uint64_t seed, std::size_t megabytes = 256, std::size_t threads = 1,
                  Tuning tuning = tuning_of<Policy>(), const Policy& policy = Policy())
        : tree_(megabytes, tuning, twins_of<Policy>()) {
        for (std::size_t at = 0; at < threads; ++at)
            samplers_.emplace_back(mix(seed + at), tuning, policy);
    }

    void forget() {
        tree_.clear();
        for (auto& sampler : samplers_) sampler.forget();
    }

    /// Prepares a search; what the tree knows of the position is kept.
    void begin(const P& root, std::size_t lines = 1) {
        tree_.compare(lines);
        if (!reuse(root)) tree_.plant();
        root_ = root;
        games_ = 0;
        const bool everything = lines >= root.legal_moves().size();
        if (tree_.root().count == 0 || tree_.root().partial || everything)
            samplers_[0].grow_root(tree_, root_);
        solved_ = tree_.root().is_certain();
    }

    /// Plays games until told to stop, at most `games` of them. The first thread of a search
    /// watches the limits, the others only listen.
    void run(Stop& stop, std::uint64_t games, std::size_t thread = 0) {
        for (std::uint64_t game = 0; game < games && !solved_; ++game, ++games_) {
            if (thread == 0 ? stop.now(games_) : stop.asked()) break;
            if (simulate(thread)) solved_ = true;
        }
    }

    std::uint64_t games() const { return games_; }
    bool solved() const { return solved_; }
    const P& position() const { return root_; }
    std::size_t choices() const {
        const auto moves = tree_.below(tree_.root());
        return static_cast<std::size_t>(std::count_if(
            moves.begin(), moves.end(), [](const Branch& branch) { return !branch.pointless; }));
    }
    double fill() const { return tree_.fill(); }
    std::vector<Variation<Move>> lines(std::size_t count) const { return tree_.lines(count); }
    std::uint32_t visits(Move move) const {
        for (const Branch& branch : tree_.below(tree_.root()))
            if (branch.move == move.code()) return branch.visits;
        return 0;
    }

  private:
    /// The lock of somebody who need not wait.
    struct Alone {
        void lock() const {}
        void unlock() const {}
    };

    bool simulate(std::size_t thread) {
        Sampler<P, Policy>& sampler = samplers_[thread];
        if (samplers_.size() == 1) return sampler.simulate(tree_, root_, Alone{});
        return sampler.simulate(tree_, root_, std::unique_lock(turn_, std::defer_lock));
    }

    /// Makes the branch that leads to `position` the root, if it lies a few moves away.
    bool reuse(const P& position) {
        if (tree_.empty() || !(root_.rules() == position.rules())) return false;
        const auto found = tree_.locate(root_, position.key(), 2);
        if (found && *found != 0) tree_.keep(*found);
        return found.has_value();
    }

    Tree<P> tree_;
    std::mutex turn_;
    std::vector<Sampler<P, Policy>> samplers_;
    P root_{};
    std::atomic<std::uint64_t> games_ = 0;
    std::atomic<bool> solved_ = false;
};

}  // namespace spielleiter::search
