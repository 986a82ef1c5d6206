/// @file
/// Alpha-beta: principal variation search of one thread, from one node to its score.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/random.hpp"
#include "history.hpp"
#include "move_picker.hpp"
#include "node.hpp"
#include "principal_variation.hpp"
#include "pruning.hpp"
#include "stop.hpp"
#include "transposition_table.hpp"

namespace spielleiter::search {

/// Where a node stands in the tree.
struct PlyInfo {
    int ply = 0;               ///< below the root
    std::size_t previous = 0;  ///< slot of the move that led here
    bool after_pass = false;   ///< that move was a pass
};

/// What the search of one thread is to `IterativeDeepening` and to `AlphaBetaEngine`.
template <class S, class N>
concept RootSearch = requires(S search, const S& c, const N& node, typename N::Move move, int depth,
                              Score score, PlyInfo info, Stop& stop) {
    { search.begin(stop, true) } -> std::same_as<void>;
    { search.listen(stop) } -> std::same_as<void>;
    { c.nodes() } -> std::same_as<std::uint64_t>;
    { c.stopped() } -> std::same_as<bool>;
    { c.pruning() } -> std::same_as<const PruningOptions&>;
    { c.overlooks(node, move) } -> std::same_as<bool>;
    { c.variation(depth) } -> std::same_as<std::span<const typename N::Move>>;
    { search.value(node, node, depth, score, score, info) } -> std::same_as<Score>;
    { search.scout(node, node, depth, depth, score, score, info) } -> std::same_as<Score>;
};

/// What every search of one thread has: its node count, its options, the moves it overlooks.
template <class N>
class ThreadSearch {
  public:
    using Move = typename N::Move;  ///< of the game

    /// `seed` decides which moves a weak player overlooks.
    ThreadSearch(PruningOptions pruning, std::uint64_t seed) : pruning_(pruning), seed_(seed) {}

    /// Obeys another stop from now on, without a new root.
    void listen(Stop& stop) { counter_.listen(stop); }
    /// Visited by this thread since `begin`.
    std::uint64_t nodes() const { return counter_.nodes(); }
    /// Whether the search is to end; what it returns from then on means nothing.
    bool stopped() const { return counter_.stopped(); }
    /// What may be left out.
    const PruningOptions& pruning() const { return pruning_; }
    /// A weak player does not see this move. Always the same ones, whatever the order.
    bool overlooks(const N& node, Move move) const {
        return pruning_.overlooked != 0 && overlooked(pruning_, node.key(), seed_, move.code());
    }

  protected:
    PruningOptions pruning_;  ///< what may be left out
    std::uint64_t seed_;      ///< of the weak player
    NodeCounter counter_;     ///< of this thread
};

/// Principal variation search with a transposition table, quiescence and pruning.
template <Node N>
class AlphaBeta : public ThreadSearch<N> {
    using Base = ThreadSearch<N>;
    using Base::counter_;
    using Base::pruning_;

  public:
    using Move = typename N::Move;  ///< of the game

    /// The table is shared with the other threads of the search.
    AlphaBeta(TranspositionTable& table, PruningOptions pruning, std::uint64_t seed)
        : Base(pruning, seed), table_(&table) {}

    /// A new root. One thread of a search checks the limits, the others only listen.
    void begin(Stop& stop, bool checks_limits) {
        counter_.begin(stop, checks_limits);
        history_.age();
    }
    using Base::overlooks;
    using Base::stopped;

    /// Score of a node for its seat to move, between alpha and beta if it lies there. What is
    /// returned after `stopped()` means nothing.
    Score search(const N& node, int depth, Score alpha, Score beta, PlyInfo info);

    /// Score of a move for the seat that makes it: the search of its child, seen from above.
    Score value(const N& node, const N& child, int depth, Score alpha, Score beta, PlyInfo info) {
        if (same_side(node, child)) return search(child, depth, alpha, beta, info);
        return -search(child, depth, -beta, -alpha, info);
    }
    /// The same for a move that is expected to be no better: a null window, first with less depth,
    /// and the full window only if the move turns out better.
    Score scout(const N& node, const N& child, int depth, int reduction, Score alpha, Score beta,
                PlyInfo info);

    /// The moves that follow a move at the root, as the last search of it saw them.
    std::span<const Move> variation(int ply) const { return variations_.at(ply); }

  private:
    Score quiesce(const N& node, Score alpha, Score beta, int ply);
    Score quiesce_or_end(const N& node, Score alpha, Score beta, int ply);
    Score search_moves(const N& node, int depth, Score alpha, Score beta, PlyInfo info,
                       const std::optional<TableEntry>& entry, Score static_score);
    /// The state of the loop over the moves of a node.
    struct MoveLoop {
        MoveLoop(Score low, Score high, int plies, Score estimate, bool quiet_place)
            : floor(low),
              alpha(low),
              beta(high),
              depth(plies),
              static_score(estimate),
              calm(quiet_place) {}

        bool null_window() const { return beta - floor == 1; }
        bool improves(Score score, Move candidate) {
            best = std::max(best, score);
            if (score <= alpha) return false;
            alpha = score;
            move = candidate;
            return true;
        }
        Bound bound() const { return bound_of(best, floor, beta); }

        Score floor;
        Score alpha;
        Score beta;
        int depth;
        Score static_score;  ///< the evaluation of the node
        bool calm;           ///< the node is not tense
        Score best = -infinite;
        Move move{};
        int number = 0;  ///< moves tried
        int quiet = 0;   ///< quiet moves tried
    };

    /// Reverse futility: an estimate so far above the window that no reply will bring it back.
    bool fails_high_statically(int depth, Score beta, Score static_score) const {
        return pruning_.futility && depth <= reverse_futility_depth && !is_certain(beta) &&
               static_score - reverse_futility_margin(depth) >= beta;
    }
    bool prunes_quiet_moves(MoveLoop& loop) const;
    Score try_move(const N& node, Move move, bool quiet, const MoveLoop& loop, PlyInfo info);
    std::optional<Score> prune(const N& node, int depth, Score beta, Score static_score,
                               PlyInfo info);
    void update_history(const N& node, Move best, std::span<const Move> tried, int depth,
                        PlyInfo info);

    /// Loads the table's entry of a child while the child is being made.
    void prefetch(const N& node, Move move) const {
        if constexpr (requires { node.key_after(move); }) {
            table_->prefetch(node.key_after(move));
        }
    }
    static std::size_t side_of(PlyInfo info) { return static_cast<std::size_t>(info.ply) & 1U; }

    static constexpr std::size_t longest_variation = 32;
    static constexpr int deepest = max_depth + 4;
    static constexpr std::size_t most_tried = 64;  ///< quiet moves whose history is lowered

    TranspositionTable* table_;
    History<N> history_;
    PrincipalVariations<Move, longest_variation> variations_;
};

template <Node N>
Score AlphaBeta<N>::search(const N& node, int depth, Score alpha, Score beta, PlyInfo info) {
    variations_.begin(info.ply);
    if (const auto end = node.end()) return counter_.count(), end_score(*end, info.ply);
    if (depth <= 0 && pruning_.extensions && is_tense(node)) depth = 1;
    if (depth <= 0 || info.ply >= deepest) return quiesce(node, alpha, beta, info.ply);
    if (counter_.visit()) return 0;
    // Mate distance: nothing here can be better than to win at once, or worse than to have lost.
    alpha = std::max(alpha, end_score(-1, info.ply));
    beta = std::min(beta, end_score(1, info.ply + 1));
    if (alpha >= beta) return alpha;
    const bool null_window = beta - alpha == 1;
    const bool calm = !is_tense(node);
    // Near the horizon an estimate is cheaper than a look into the table, and most often enough.
    const std::uint64_t key = node.key();
    std::optional<Score> early;
    if (null_window && calm && depth <= 2) {
        table_->prefetch(key);
        early = node.evaluate();
        if (fails_high_statically(depth, beta, *early)) return *early;
    }
    const auto entry = table_->probe(key);
    if (entry && null_window) {
        const Score score = from_table(entry->score, info.ply);
        if (entry->settles(depth, score, alpha, beta)) return score;
    }
    const Score static_score = early ? *early : entry ? entry->estimate : node.evaluate();
    if (null_window && calm) {
        if (const auto score = prune(node, depth, beta, static_score, info)) return *score;
    }
    return search_moves(node, depth, alpha, beta, info, entry, static_score);
}

/// Whether the node is so good that even less would refute the move that led here.
template <Node N>
std::optional<Score> AlphaBeta<N>::prune(const N& node, int depth, Score beta, Score static_score,
                                         PlyInfo info) {
    if (is_certain(beta) || static_score < beta) return std::nullopt;
    if (fails_high_statically(depth, beta, static_score)) return static_score;
    if constexpr (Passes<N>) {
        if (!pruning_.null_move || info.after_pass || depth < null_move_depth || !node.may_pass())
            return std::nullopt;
        N child = node;
        child.pass();
        const int rest = depth - 1 - null_move_reduction(depth, static_score - beta);
        const Score score =
            -search(child, rest, -beta, 1 - beta, {info.ply + 1, info.previous, true});
        if (stopped() || score < beta) return std::nullopt;
        return is_certain(score) ? beta : score;
    }
    return std::nullopt;
}

template <Node N>
Score AlphaBeta<N>::search_moves(const N& node, int depth, Score alpha, Score beta, PlyInfo info,
                                 const std::optional<TableEntry>& entry, Score static_score) {
    if (pruning_.late_moves && !entry && depth >= internal_reduction_depth) --depth;
    const bool has_table_move = entry && entry->bound != Bound::upper;
    const Move table_move = has_table_move ? Move::coded(entry->move) : Move{};
    MovePicker<N> moves(node, history_, {side_of(info), info.ply, info.previous},
                        has_table_move ? &table_move : nullptr);
    MoveLoop loop{alpha, beta, depth, static_score, !is_tense(node)};
    MoveList<Move, most_tried> tried;
    while (!moves.only_quiet() || !prunes_quiet_moves(loop)) {
        const Move* move = moves.next();
        if (move == nullptr) break;
        if (loop.number > 0 && overlooks(node, *move)) continue;
        const bool quiet = moves.quiet();
        if (quiet && prunes_quiet_moves(loop)) break;
        const Score score = try_move(node, *move, quiet, loop, info);
        if (stopped()) return 0;
        ++loop.number;
        loop.quiet += quiet;
        if (loop.improves(score, *move) && !loop.null_window()) variations_.extend(info.ply, *move);
        if (loop.alpha >= beta) {
            if (quiet) update_history(node, *move, {tried.begin(), tried.size()}, depth, info);
            break;
        }
        if (quiet && tried.size() < most_tried) tried.push_back(*move);
    }
    if (loop.number == 0) return end_score(node.value_without_moves(), info.ply);
    table_->store(node.key(), {loop.move.code(), to_table(loop.best, info.ply), static_score, depth,
                               loop.bound()});
    return loop.best;
}

/// Captures come first: once the quiet moves are hopeless, so is the rest.
template <Node N>
bool AlphaBeta<N>::prunes_quiet_moves(MoveLoop& loop) const {
    if (!loop.null_window() || !loop.calm || loop.best <= -certain) return false;
    if (loop.depth > late_pruning_depth) return false;
    if (pruning_.late_moves && loop.quiet >= late_move_limit(loop.depth)) return true;
    if (!pruning_.futility || loop.static_score + futility_margin(loop.depth) > loop.alpha)
        return false;
    loop.best = std::max(loop.best, loop.static_score);
    return true;
}

/// The score of a move: in full for the first, for the others only if they turn out better.
template <Node N>
Score AlphaBeta<N>::try_move(const N& node, Move move, bool quiet, const MoveLoop& loop,
                             PlyInfo info) {
    constexpr int full_depth_moves = 3;    // these are not reduced (guessed)
    constexpr int history_per_ply = 4096;  // half of the largest history is worth a ply (guessed)
    if (loop.depth > 2) prefetch(node, move);
    const N child = child_of(node, move);
    const int depth = loop.depth - 1;
    const PlyInfo below{info.ply + 1, node.slot(move), false};
    if (loop.number == 0) return value(node, child, depth, loop.alpha, loop.beta, below);
    int reduction = 0;
    if (pruning_.late_moves && quiet && loop.calm && loop.depth >= late_reduction_depth &&
        loop.number >= full_depth_moves) {
        reduction = late_reduction(loop.depth, loop.number) - !loop.null_window() -
                    history_.quiet(side_of(info), below.previous) / history_per_ply;
    }
    reduction = std::clamp(reduction, 0, std::max(0, depth - 1));
    return scout(node, child, depth, reduction, loop.alpha, loop.beta, below);
}

template <Node N>
Score AlphaBeta<N>::scout(const N& node, const N& child, int depth, int reduction, Score alpha,
                          Score beta, PlyInfo info) {
    Score score = value(node, child, depth - reduction, alpha, alpha + 1, info);
    if (reduction > 0 && score > alpha && !stopped())
        score = value(node, child, depth, alpha, alpha + 1, info);
    if (score > alpha && score < beta && !stopped())
        score = value(node, child, depth, alpha, beta, info);
    return score;
}

/// At the horizon, where the game is not over: the estimate, or what a sequence of tactical moves
/// makes better.
template <Node N>
Score AlphaBeta<N>::quiesce(const N& node, Score alpha, Score beta, int ply) {
    variations_.begin(ply);
    counter_.count();
    const Score stand_pat = node.evaluate();
    Score best = stand_pat;
    if constexpr (Tactical<N>) {
        if (!pruning_.quiescence || best >= beta || ply >= deepest) return best;
        alpha = std::max(alpha, best);
        if constexpr (requires { node.most_gain(); }) {
            if (stand_pat + node.most_gain() + delta_margin <= alpha) return best;
        }
        CapturePicker<N> captures(node);
        while (const auto* capture = captures.next()) {
            if (stand_pat + capture->gain + delta_margin <= alpha) break;
            const N child = child_of(node, capture->move);
            const Score score = same_side(node, child)
                                    ? quiesce_or_end(child, alpha, beta, ply + 1)
                                    : -quiesce_or_end(child, -beta, -alpha, ply + 1);
            best = std::max(best, score);
            alpha = std::max(alpha, score);
            if (alpha >= beta) break;
        }
    }
    return best;
}

/// The same for a node where the game may be over.
template <Node N>
Score AlphaBeta<N>::quiesce_or_end(const N& node, Score alpha, Score beta, int ply) {
    const auto end = node.end();
    if (!end) return quiesce(node, alpha, beta, ply);
    variations_.begin(ply);
    return counter_.count(), end_score(*end, ply);
}

/// A quiet move refuted the one before: remember it, and that the others did not.
template <Node N>
void AlphaBeta<N>::update_history(const N& node, Move best, std::span<const Move> tried, int depth,
                                  PlyInfo info) {
    const std::size_t side = side_of(info);
    const int bonus = std::min(16 * depth * depth, History<N>::limit / 4);  // guessed
    const std::size_t slot = node.slot(best);
    history_.add_killer(info.ply, slot);
    history_.set_counter_move(side, info.previous, slot);
    history_.update(side, slot, bonus);
    for (const Move move : tried) history_.update(side, node.slot(move), -bonus);
    if (info.after_pass) return;
    history_.update_continuation(info.previous, slot, bonus);
    for (const Move move : tried)
        history_.update_continuation(info.previous, node.slot(move), -bonus);
}

}  // namespace spielleiter::search
