/// @file
/// Monte Carlo tree search for wide games and any number of seats: one thread, one tree.
///
/// A tree of counted games grows where games went well (UCT). Moves that won whenever they were
/// played later (RAVE) are tried first, and a policy says which moves look good before any game is
/// played; the others of a wide position join in one by one as it is visited more often
/// (progressive widening). Certain results are kept as such (solver), and what was learnt about the
/// position that really arose stays in the tree from move to move.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/batch.hpp"
#include "core/game.hpp"
#include "core/playout.hpp"
#include "core/random.hpp"
#include "report.hpp"
#include "stop.hpp"

namespace spielleiter::search {

/// What a game may say about its moves: this says nothing.
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

/// What a finished game is worth to each seat, 0 … 1: its rank, and a little for the margin.
template <GamePosition P>
std::array<float, max_seats> worth(const P& position) {
    const Outcome outcome = position.outcome().value_or(forfeit(position));
    std::array<float, max_seats> values{};
    for (std::size_t seat = 0; seat < outcome.seats; ++seat) {
        int others = -1'000'000;
        for (std::size_t other = 0; other < outcome.seats; ++other) {
            if (other != seat) others = std::max(others, outcome.scores[other]);
        }
        const auto lead = static_cast<float>(outcome.scores[seat] - others);
        const float margin = 0.5F + 0.5F * lead / (20.0F + std::abs(lead));
        const float rank = 0.5F + 0.5F * reward(outcome, static_cast<Seat>(seat));
        values[seat] = 0.9F * rank + 0.1F * margin;
    }
    return values;
}

template <GamePosition P, class Policy = NoOpinion<P>>
class Mcts {
  public:
    using Move = typename P::Move;

    explicit Mcts(std::uint64_t seed, std::size_t megabytes = 256)
        : random_(seed),
          room_((megabytes << 20U) / sizeof(Branch)),
          amaf_(max_seats * P::actions) {}

    void forget() { tree_.clear(); }

    /// Prepares a search; what the tree knows of the position is kept.
    void begin(const P& root) {
        if (!reuse(root)) plant(root);
        root_ = root;
        games_ = 0;
    }

    /// Plays games until told to stop, at most `games` of them.
    void run(Stop& stop, std::uint64_t games) {
        if (tree_[0].count == 0) grow(0, root_);
        for (std::uint64_t game = 0; game < games && !stop.now(games_); ++game, ++games_) {
            if (tree_[0].won_by != nobody) break;
            simulate();
        }
    }

    std::uint64_t games() const { return games_; }
    bool solved() const { return tree_[0].won_by != nobody; }
    std::size_t choices() const { return tree_[0].count; }
    std::uint32_t visits(Move move) const {
        for (std::uint32_t at = tree_[0].first; at < tree_[0].first + tree_[0].count; ++at) {
            if (tree_[at].move == move.code()) return tree_[at].visits;
        }
        return 0;
    }
    double fill() const { return static_cast<double>(tree_.size()) / static_cast<double>(room_); }

    /// The best moves at the root, by how often they were played.
    std::vector<Variation<Move>> lines(std::size_t count) const {
        std::vector<std::uint32_t> order(tree_[0].count);
        std::iota(order.begin(), order.end(), tree_[0].first);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return preference(tree_[a]) > preference(tree_[b]);
        });
        std::vector<Variation<Move>> best;
        for (std::size_t at = 0; at < std::min(count, order.size()); ++at)
            best.push_back(variation(order[at]));
        return best;
    }

  private:
    static constexpr std::uint8_t nobody = 0xff;
    static constexpr float equivalence = 800.0F;  ///< games after which RAVE counts half
    static constexpr float exploration = 0.25F;
    static constexpr float trust = 12.0F;  ///< games that a policy's opinion is worth

    /// A move in the tree and the position it leads to.
    struct Branch {
        std::uint32_t move = 0;    ///< its code
        std::uint32_t first = 0;   ///< of its branches, best opinion first
        std::uint32_t count = 0;   ///< of its branches
        std::uint32_t visits = 0;  ///< games through it
        std::uint32_t rave_visits = 0;
        float wins = 0;  ///< for the seat that makes the move
        float rave_wins = 0;
        float prior = 0.5F;
        std::uint8_t mover = 0;        ///< the seat that makes the move
        std::uint8_t won_by = nobody;  ///< certain winner of the position behind it
        bool closed = false;           ///< the game is over there
    };

    void plant(const P& root) {
        tree_.assign(1, Branch{});
        tree_[0].mover = nobody;
        static_cast<void>(root);
    }

    /// One game: down the tree, one position more, to the end by lot, and back.
    void simulate() {
        P position = root_;
        path_.assign(1, 0);
        played_.clear();
        while (tree_[path_.back()].count > 0) descend(position);
        const std::uint32_t leaf = path_.back();
        if (!tree_[leaf].closed && tree_[leaf].visits > 0 && tree_.size() < room_) {
            grow(leaf, position);
            if (tree_[leaf].count > 0) descend(position);
        }
        finish(position);
        back_up(worth(position));
        solve();
    }

    void descend(P& position) {
        const std::uint32_t next = choose(path_.back());
        const Move move = Move::coded(tree_[next].move);
        note(position, move);
        position.play(move);
        path_.push_back(next);
        if (is_over(position)) close(next, position);
    }

    void close(std::uint32_t at, const P& position) {
        tree_[at].closed = true;
        const auto winner = position.outcome().value_or(forfeit(position)).winner();
        if (winner) tree_[at].won_by = *winner;
    }

    void finish(P& position) {
        while (!is_decided(position)) {
            const auto move = policy_.playout_move(position, random_);
            if (!move) break;
            note(position, *move);
            position.play(*move);
        }
    }

    void note(const P& position, Move move) {
        played_.push_back(
            static_cast<std::uint32_t>(position.to_move() * P::actions + position.action(move)));
    }

    /// All legal moves as branches, those that look best first.
    void grow(std::uint32_t at, const P& position) {
        if (is_over(position)) return;
        const auto moves = position.legal_moves();
        const auto first = static_cast<std::uint32_t>(tree_.size());
        for (const Move move : moves) {
            Branch branch;
            branch.move = move.code();
            branch.mover = position.to_move();
            branch.prior = policy_.prior(position, move);
            tree_.push_back(branch);
        }
        std::stable_sort(tree_.begin() + first, tree_.end(),
                         [](const Branch& a, const Branch& b) { return a.prior > b.prior; });
        tree_[at].first = first;
        tree_[at].count = static_cast<std::uint32_t>(moves.size());
    }

    /// How many branches are in play after so many games.
    static std::uint32_t width(const Branch& node) {
        const double wide = 6.0 + 2.0 * std::pow(static_cast<double>(node.visits), 0.45);
        return std::min(node.count, static_cast<std::uint32_t>(wide));
    }

    std::uint32_t choose(std::uint32_t at) const {
        const Branch& node = tree_[at];
        const float bonus =
            exploration * std::sqrt(std::log(static_cast<float>(node.visits) + 1.0F));
        std::uint32_t best = node.first;
        float highest = -1e9F;
        for (std::uint32_t next = node.first; next < node.first + width(node); ++next) {
            const float value = promise(tree_[next], bonus);
            if (value > highest) highest = value, best = next;
        }
        return best;
    }

    static float promise(const Branch& branch, float bonus) {
        if (branch.won_by == branch.mover) return 1e6F;
        if (branch.won_by != nobody) return -1e6F + branch.prior;
        const auto visits = static_cast<float>(branch.visits);
        const auto rave_visits = static_cast<float>(branch.rave_visits);
        const float mean = (branch.wins + trust * branch.prior) / (visits + trust);
        const float rave = (branch.rave_wins + trust * branch.prior) / (rave_visits + trust);
        const float share = std::sqrt(equivalence / (3.0F * visits + equivalence));
        return (1.0F - share) * mean + share * rave + bonus / std::sqrt(visits + 1.0F);
    }

    void back_up(const std::array<float, max_seats>& values) {
        for (std::size_t at = 0; at < path_.size(); ++at) {
            Branch& branch = tree_[path_[at]];
            ++branch.visits;
            if (at > 0) branch.wins += values[branch.mover];
        }
        // A move that was played later in the game counts as if it had been played at once.
        ++stamp_;
        for (std::size_t at = played_.size(); at-- > 0;) {
            amaf_[played_[at]] = stamp_;
            if (at >= path_.size()) continue;
            Branch& node = tree_[path_[at]];
            const std::uint32_t end = node.first + width(node);
            for (std::uint32_t next = node.first; next < end; ++next) {
                Branch& branch = tree_[next];
                if (amaf_[branch.mover * P::actions + slot(branch)] != stamp_) continue;
                ++branch.rave_visits;
                branch.rave_wins += values[branch.mover];
            }
        }
    }

    std::size_t slot(const Branch& branch) const { return root_.action(Move::coded(branch.move)); }

    /// Certain results, from the leaf upwards as far as they reach.
    void solve() {
        for (std::size_t at = path_.size(); at-- > 1;) {
            if (tree_[path_[at]].won_by == nobody) return;
            Branch& above = tree_[path_[at - 1]];
            const auto winner = certain_winner(above);
            if (winner == nobody) return;
            above.won_by = winner;
        }
    }

    /// Who moves wins if one branch is won; another seat wins if all branches are won by it.
    std::uint8_t certain_winner(const Branch& node) const {
        const std::uint8_t mover = tree_[node.first].mover;
        std::uint8_t all = tree_[node.first].won_by;
        for (std::uint32_t next = node.first; next < node.first + node.count; ++next) {
            if (tree_[next].won_by == mover) return mover;
            if (tree_[next].won_by != all) all = nobody;
        }
        return all;
    }

    double preference(const Branch& branch) const {
        const double certain = branch.won_by == branch.mover ? 1e12
                               : branch.won_by != nobody     ? -1e12
                                                             : 0;
        return certain + branch.visits + 1e-3 * branch.prior;
    }

    Variation<Move> variation(std::uint32_t at) const {
        Variation<Move> line;
        line.score = score(tree_[at]);
        while (true) {
            line.moves.push_back(Move::coded(tree_[at].move));
            const Branch& node = tree_[at];
            if (node.count == 0) return line;
            std::uint32_t best = node.first;
            for (std::uint32_t next = node.first; next < node.first + node.count; ++next) {
                if (preference(tree_[next]) > preference(tree_[best])) best = next;
            }
            if (tree_[best].visits == 0) return line;
            at = best;
        }
    }

    static Score score(const Branch& branch) {
        if (branch.won_by != nobody) return branch.won_by == branch.mover ? win - 1 : 1 - win;
        const float chance = (branch.wins + 0.5F) / (static_cast<float>(branch.visits) + 1.0F);
        const float bounded = std::clamp(chance, 0.001F, 0.999F);
        return static_cast<Score>(std::lround(400.0F * std::log10(bounded / (1.0F - bounded))));
    }

    /// Makes the branch that leads to `position` the root, if it lies a few moves away.
    bool reuse(const P& position) {
        if (tree_.empty() || tree_[0].count == 0 || !(root_.rules() == position.rules()))
            return false;
        const auto found = locate(0, root_, position.key(), 3);
        if (!found || *found == 0) return found.has_value();
        keep(*found);
        return true;
    }

    std::optional<std::uint32_t> locate(std::uint32_t at, const P& here, std::uint64_t key,
                                        int plies) const {
        if (here.key() == key) return at;
        if (plies == 0 || is_over(here)) return std::nullopt;
        const Branch& node = tree_[at];
        for (std::uint32_t next = node.first; next < node.first + node.count; ++next) {
            if (tree_[next].visits == 0) continue;
            P child = here;
            child.play(Move::coded(tree_[next].move));
            if (const auto found = locate(next, child, key, plies - 1)) return found;
        }
        return std::nullopt;
    }

    /// The part of the tree below a branch, and nothing else.
    void keep(std::uint32_t top) {
        std::vector<Branch> kept{tree_[top]};
        for (std::size_t at = 0; at < kept.size(); ++at) {
            const auto first = static_cast<std::uint32_t>(kept.size());
            const std::uint32_t from = kept[at].first;
            for (std::uint32_t next = 0; next < kept[at].count; ++next)
                kept.push_back(tree_[from + next]);
            if (kept[at].count > 0) kept[at].first = first;
        }
        tree_ = std::move(kept);
        tree_[0].mover = nobody;
    }

    Policy policy_{};
    Random random_;
    std::size_t room_;
    P root_{};
    std::vector<Branch> tree_;
    std::vector<std::uint32_t> path_;    ///< branches of the game in progress
    std::vector<std::uint32_t> played_;  ///< its moves, with the seat
    std::vector<std::uint32_t> amaf_;    ///< the last game in which a move was played
    std::uint32_t stamp_ = 0;
    std::uint64_t games_ = 0;
};

}  // namespace spielleiter::search
