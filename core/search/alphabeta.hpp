/// @file
/// Alpha-beta: principal variation search of one thread, from one node to its score.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/random.hpp"
#include "node.hpp"
#include "order.hpp"
#include "prune.hpp"
#include "stop.hpp"
#include "table.hpp"

namespace spielleiter::search {

/// Where a node stands in the tree.
struct Path {
    int ply = 0;           ///< below the root
    std::size_t last = 0;  ///< slot of the move that led here
    bool passed = false;   ///< it was a pass
};

template <Node N>
class AlphaBeta {
  public:
    using Move = typename N::Move;

    AlphaBeta(Table& table, Devices devices, std::uint64_t seed)
        : table_(&table), devices_(devices), seed_(seed) {}

    /// A new root. One thread of a search watches the limits, the others only listen.
    void begin(Stop& stop, bool watches) {
        stop_ = &stop;
        watches_ = watches;
        nodes_ = 0;
        habits_.fade();
    }
    void listen(Stop& stop) { stop_ = &stop; }

    std::uint64_t nodes() const { return nodes_; }
    bool stopped() const { return stop_->asked(); }
    const Devices& devices() const { return devices_; }

    /// Score of a node for its seat to move, between alpha and beta if it lies there. What is
    /// returned after `stopped()` means nothing.
    Score search(const N& node, int depth, Score alpha, Score beta, Path path);

    /// Score of a move for the seat that makes it: the search of its child, seen from above.
    Score value(const N& node, const N& child, int depth, Score alpha, Score beta, Path path) {
        if (same_side(node, child)) return search(child, depth, alpha, beta, path);
        return -search(child, depth, -beta, -alpha, path);
    }
    /// The same for a move that is expected to be no better.
    Score late_value(const N& node, const N& child, int depth, int reduction, Score alpha,
                     Score beta, Path path);

    /// The moves that follow a move at the root, as the last search of it saw them.
    std::span<const Move> variation(int ply) const {
        return {line(ply).data(), lengths_[static_cast<std::size_t>(ply)]};
    }

    /// A weak player does not see this move. The same one always, whatever the order.
    bool overlooks(const N& node, Move move) const {
        return overlooked(devices_, node.key(), seed_, move.code());
    }

  private:
    Score quiesce(const N& node, Score alpha, Score beta, int ply);
    Score quiet_end(const N& node, Score alpha, Score beta, int ply);
    Score best_of(const N& node, int depth, Score alpha, Score beta, Path path,
                  const std::optional<Known>& known, Score guess);
    /// What has been found so far among the moves of a node.
    struct Found {
        Found(Score low, Score high, int plies, Score estimate, bool quiet_place)
            : floor(low),
              alpha(low),
              beta(high),
              depth(plies),
              guess(estimate),
              calm(quiet_place) {}

        bool narrow() const { return beta - floor == 1; }
        bool improves(Score score, Move candidate) {
            best = std::max(best, score);
            if (score <= alpha) return false;
            alpha = score;
            move = candidate;
            return true;
        }
        Bound bound() const {
            return best >= beta ? Bound::lower : best > floor ? Bound::exact : Bound::upper;
        }

        Score floor;
        Score alpha;
        Score beta;
        int depth;
        Score guess;  ///< the estimate of the node
        bool calm;    ///< the node is not tense
        Score best = -infinite;
        Move move{};
        int number = 0;  ///< moves tried
        int quiet = 0;   ///< quiet moves tried
    };

    /// Whether an estimate is so far above the window that no reply will bring it back.
    bool stands(int depth, Score beta, Score guess) const {
        return devices_.futility && depth <= 5 && !is_certain(beta) &&
               guess - cut_margin(depth) >= beta;
    }
    bool leaves_rest(Found& found) const;
    Score try_move(const N& node, Move move, bool quiet, const Found& found, Path path);
    std::optional<Score> pruned(const N& node, int depth, Score beta, Score guess, Path path);
    void learn(const N& node, Move best, std::span<const Move> tried, int depth, Path path);

    /// Fetches what the table knows of a child while the child is being made.
    void prefetch(const N& node, Move move) const {
        if constexpr (requires { node.key_after(move); }) {
            table_->prefetch(node.key_after(move));
        }
    }
    /// Counts a node; true if the search is to stop.
    bool visit() {
        ++nodes_;
        return watches_ ? stop_->now(nodes_) : stop_->asked();
    }
    void begin_line(int ply) { lengths_[static_cast<std::size_t>(ply)] = 0; }
    void extend_line(int ply, Move move) {
        const auto here = static_cast<std::size_t>(ply);
        const std::size_t length = std::min(lengths_[here + 1], line_length - 1);
        lines_[here][0] = move;
        std::copy_n(lines_[here + 1].begin(), length, lines_[here].begin() + 1);
        lengths_[here] = length + 1;
    }
    const auto& line(int ply) const { return lines_[static_cast<std::size_t>(ply)]; }

    static constexpr std::size_t line_length = 32;
    static constexpr int deepest = max_depth + 4;

    Table* table_;
    Devices devices_;
    std::uint64_t seed_;
    Habits<N> habits_;
    Stop* stop_ = nullptr;
    bool watches_ = false;
    std::uint64_t nodes_ = 0;
    std::array<std::array<Move, line_length>, max_depth + 8> lines_{};
    std::array<std::size_t, max_depth + 8> lengths_{};
};

/// Whether what the table knows answers the question.
inline bool answers(const Known& known, int depth, Score score, Score alpha, Score beta) {
    if (known.depth < depth) return false;
    return known.bound == Bound::exact || (known.bound == Bound::lower && score >= beta) ||
           (known.bound == Bound::upper && score <= alpha);
}

template <Node N>
Score AlphaBeta<N>::search(const N& node, int depth, Score alpha, Score beta, Path path) {
    begin_line(path.ply);
    if (const auto end = node.end()) return ++nodes_, end_score(*end, path.ply);
    if (depth <= 0 && devices_.extensions && is_tense(node)) depth = 1;
    if (depth <= 0 || path.ply >= deepest) return quiesce(node, alpha, beta, path.ply);
    if (visit()) return 0;
    // Nothing here can be better than to win at once, or worse than to have lost.
    alpha = std::max(alpha, end_score(-1, path.ply));
    beta = std::min(beta, end_score(1, path.ply + 1));
    if (alpha >= beta) return alpha;
    const bool narrow = beta - alpha == 1;
    const bool calm = !is_tense(node);
    // Near the horizon an estimate is cheaper than a look into the table, and most often enough.
    const std::uint64_t key = node.key();
    std::optional<Score> early;
    if (narrow && calm && depth <= 2) {
        table_->prefetch(key);
        early = node.evaluate();
        if (stands(depth, beta, *early)) return *early;
    }
    const auto known = table_->find(key);
    if (known && narrow) {
        const Score score = from_table(known->score, path.ply);
        if (answers(*known, depth, score, alpha, beta)) return score;
    }
    const Score guess = early ? *early : known ? known->estimate : node.evaluate();
    if (narrow && calm) {
        if (const auto score = pruned(node, depth, beta, guess, path)) return *score;
    }
    return best_of(node, depth, alpha, beta, path, known, guess);
}

/// Whether the node is so good that even less would refute the move that led here.
template <Node N>
std::optional<Score> AlphaBeta<N>::pruned(const N& node, int depth, Score beta, Score guess,
                                          Path path) {
    if (is_certain(beta) || guess < beta) return std::nullopt;
    if (stands(depth, beta, guess)) return guess;
    if constexpr (Passes<N>) {
        if (!devices_.null_move || path.passed || depth < 3 || !node.may_pass())
            return std::nullopt;
        N child = node;
        child.pass();
        const int rest = depth - 1 - pass_reduction(depth, guess - beta);
        const Score score = -search(child, rest, -beta, 1 - beta, {path.ply + 1, path.last, true});
        if (stopped() || score < beta) return std::nullopt;
        return is_certain(score) ? beta : score;
    }
    return std::nullopt;
}

template <Node N>
Score AlphaBeta<N>::best_of(const N& node, int depth, Score alpha, Score beta, Path path,
                            const std::optional<Known>& known, Score guess) {
    if (devices_.late_moves && !known && depth >= 4) --depth;
    const bool remembers = known && known->bound != Bound::upper;
    const Move remembered = remembers ? Move::coded(known->move) : Move{};
    Ordered<N> moves(node, habits_, {static_cast<std::size_t>(path.ply) & 1U, path.ply, path.last},
                     remembers ? &remembered : nullptr);
    Found found{alpha, beta, depth, guess, !is_tense(node)};
    MoveList<Move, 64> tried;
    while (!moves.only_quiet() || !leaves_rest(found)) {
        const Move* move = moves.next();
        if (move == nullptr) break;
        if (found.number > 0 && overlooks(node, *move)) continue;
        const bool quiet = moves.quiet();
        if (quiet && leaves_rest(found)) break;
        const Score score = try_move(node, *move, quiet, found, path);
        if (stopped()) return 0;
        ++found.number;
        found.quiet += quiet;
        if (found.improves(score, *move) && !found.narrow()) extend_line(path.ply, *move);
        if (found.alpha >= beta) {
            if (quiet) learn(node, *move, {tried.begin(), tried.size()}, depth, path);
            break;
        }
        if (quiet && tried.size() < 64) tried.push_back(*move);
    }
    if (found.number == 0) return end_score(node.stuck(), path.ply);
    table_->put(node.key(),
                {found.move.code(), to_table(found.best, path.ply), guess, depth, found.bound()});
    return found.best;
}

/// Captures come first: once the quiet moves are hopeless, so is the rest.
template <Node N>
bool AlphaBeta<N>::leaves_rest(Found& found) const {
    if (!found.narrow() || !found.calm || found.best <= -certain || found.depth > 3) return false;
    if (devices_.late_moves && found.quiet >= late_move_limit(found.depth)) return true;
    if (!devices_.futility || found.guess + futility_margin(found.depth) > found.alpha)
        return false;
    found.best = std::max(found.best, found.guess);
    return true;
}

/// The score of a move: in full for the first, for the others only if they surprise.
template <Node N>
Score AlphaBeta<N>::try_move(const N& node, Move move, bool quiet, const Found& found, Path path) {
    if (found.depth > 2) prefetch(node, move);
    const N child = child_of(node, move);
    const int depth = found.depth - 1;
    const Path below{path.ply + 1, node.slot(move), false};
    if (found.number == 0) return value(node, child, depth, found.alpha, found.beta, below);
    int less = 0;
    if (devices_.late_moves && quiet && found.calm && found.depth >= 3 && found.number >= 3) {
        less = late_reduction(found.depth, found.number) - !found.narrow() -
               habits_.history(static_cast<std::size_t>(path.ply) & 1U, below.last) / 4096;
    }
    less = std::clamp(less, 0, std::max(0, depth - 1));
    return late_value(node, child, depth, less, found.alpha, found.beta, below);
}

/// A move that is expected to be no better: a null window, first with less depth, and the full
/// question only if it surprises.
template <Node N>
Score AlphaBeta<N>::late_value(const N& node, const N& child, int depth, int reduction, Score alpha,
                               Score beta, Path path) {
    Score score = value(node, child, depth - reduction, alpha, alpha + 1, path);
    if (reduction > 0 && score > alpha && !stopped())
        score = value(node, child, depth, alpha, alpha + 1, path);
    if (score > alpha && score < beta && !stopped())
        score = value(node, child, depth, alpha, beta, path);
    return score;
}

/// At the horizon, where the game is not over: the estimate, or what a sequence of tactical moves
/// makes better.
template <Node N>
Score AlphaBeta<N>::quiesce(const N& node, Score alpha, Score beta, int ply) {
    begin_line(ply);
    ++nodes_;
    const Score guess = node.evaluate();
    Score best = guess;
    if constexpr (Tactical<N>) {
        if (!devices_.quiescence || best >= beta || ply >= deepest) return best;
        alpha = std::max(alpha, best);
        if constexpr (requires { node.most_gain(); }) {
            if (guess + node.most_gain() + prey_margin <= alpha) return best;
        }
        Prey<N> moves(node);
        while (const auto* move = moves.next()) {
            if (guess + move->gain + prey_margin <= alpha) break;
            const N child = child_of(node, move->move);
            const Score score = same_side(node, child) ? quiet_end(child, alpha, beta, ply + 1)
                                                       : -quiet_end(child, -beta, -alpha, ply + 1);
            best = std::max(best, score);
            alpha = std::max(alpha, score);
            if (alpha >= beta) break;
        }
    }
    return best;
}

/// The same for a node where it may be over.
template <Node N>
Score AlphaBeta<N>::quiet_end(const N& node, Score alpha, Score beta, int ply) {
    const auto end = node.end();
    if (!end) return quiesce(node, alpha, beta, ply);
    begin_line(ply);
    return ++nodes_, end_score(*end, ply);
}

/// A quiet move refuted the one before: remember it, and that the others did not.
template <Node N>
void AlphaBeta<N>::learn(const N& node, Move best, std::span<const Move> tried, int depth,
                         Path path) {
    const std::size_t side = static_cast<std::size_t>(path.ply) & 1U;
    const int bonus = std::min(16 * depth * depth, Habits<N>::limit / 4);
    const std::size_t slot = node.slot(best);
    habits_.learn_killer(path.ply, slot);
    habits_.learn_counter(side, path.last, slot);
    habits_.learn(side, slot, bonus);
    for (const Move move : tried) habits_.learn(side, node.slot(move), -bonus);
    if (path.passed) return;
    habits_.learn_answer(path.last, slot, bonus);
    for (const Move move : tried) habits_.learn_answer(path.last, node.slot(move), -bonus);
}

}  // namespace spielleiter::search
