/// @file
/// The middle of a board: principal variation search, with the exact endgame at its leaves.
///
/// What deep search finds is close to what shallow search finds, so a node whose shallow score lies
/// far enough outside the window is left at that (multi-probcut). How far is enough was measured:
/// the spread of the difference, by both depths.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>

#include "core/random.hpp"
#include "core/search/alphabeta_engine.hpp"
#include "core/search/principal_variation.hpp"
#include "endgame.hpp"
#include "move_stack.hpp"
#include "node.hpp"

namespace spielleiter::reversi {

using search::Score;

/// A board won by n stones is `certain + n`; what a draw is worth is given.
constexpr Score score_of_lead(int lead, Score draw) {
    return lead > 0 ? search::certain + lead : lead < 0 ? lead - search::certain : draw;
}
/// The window in stones that asks the same as a window of scores.
constexpr int stones_at_most(Score alpha, Score draw) {
    if (alpha >= search::certain) return alpha - search::certain;
    return alpha >= draw ? 0 : alpha > -search::certain ? -1 : alpha + search::certain;
}
/// The same for the upper end.
constexpr int stones_at_least(Score beta, Score draw) { return -stones_at_most(-beta, -draw); }

/// How many nodes it takes to solve so many empty cells, about: guessed.
constexpr double nodes_to_solve(int empties) {
    constexpr int usual = 14;
    constexpr double nodes_of_usual = 300'000;
    constexpr double per_empty_cell = 1.9;
    double nodes = nodes_of_usual;
    for (; empties > usual; --empties) nodes *= per_empty_cell;
    for (; empties < usual; ++empties) nodes /= per_empty_cell;
    return nodes;
}

/// How shallow a search foretells a deep one: by how much the score rises on average, and how far
/// beyond the window is far enough. Depth 0 is the estimate alone.
struct ProbCut {
    int depth;     ///< of the shallow search
    Score rise;    ///< of the score, from shallow to deep
    Score margin;  ///< beyond the window
};

/// Margins are given in so many parts of the measured spread.
inline constexpr int margin_parts = 1024;

/// Measured on positions searched to all depths (training/reversi, `spread`): mean and spread of
/// the difference. It grows towards the end of the game.
constexpr ProbCut probcut_of(int depth, int late) {
    struct Measured {
        int depth;
        Score rise;
        Score spread;
    };
    constexpr std::array<Measured, 12> measured{{{0, 85, 96},
                                                 {0, -32, 108},
                                                 {1, -20, 98},
                                                 {2, 28, 87},
                                                 {1, -14, 119},
                                                 {2, 35, 105},
                                                 {3, 9, 90},
                                                 {4, 7, 85},
                                                 {5, 8, 88},
                                                 {6, 0, 75},
                                                 {5, 7, 98},
                                                 {6, 1, 85}}};
    constexpr Score deeper_spread = 85;  // as measured at the greatest depths
    const auto margin = [&](Score spread) { return spread * late / margin_parts; };
    if (depth <= static_cast<int>(measured.size())) {
        const Measured& row = measured[static_cast<std::size_t>(depth - 1)];
        // An estimate alone is believed less readily than a search: half as wide again,
        // compared in games (docs/lab/reversi.md).
        return {row.depth, row.rise, margin(row.depth == 0 ? row.spread * 3 / 2 : row.spread)};
    }
    const int half = depth / 2;
    return {half + ((half ^ depth) & 1), 0, margin(deeper_spread)};
}

/// Factor of the margins in `margin_parts`: measured, it grows towards the end.
constexpr int phase_factor(int empties, int cells) {
    constexpr int on_full_board = 1393;
    constexpr int less_on_empty_board = 655;
    return on_full_board - less_on_empty_board * empties / std::max(1, cells);
}

/// Principal variation search with multi-probcut.
template <class N>
class Midgame : public search::ThreadSearch<N> {
    using Base = search::ThreadSearch<N>;
    using Base::counter_;
    using Base::pruning_;

  public:
    using Move = typename N::Move;      ///< of the game
    using Layout = typename N::Layout;  ///< of the nodes
    using Set = typename Layout::Set;   ///< cells of the layout
    using PlyInfo = search::PlyInfo;    ///< as for `AlphaBeta`

    /// `Map` has the geometry, which changes with the map that is played on.
    template <class Map>
    Midgame(search::TranspositionTable& table, const search::EngineOptions& options, const Map& map)
        : Base(options.pruning, options.seed),
          table_(&table),
          geometry_(&map.geometry()),
          endgame_(map.geometry(), table, counter_) {}
    Midgame(const Midgame&) = delete;
    Midgame& operator=(const Midgame&) = delete;

    /// A new root; history counts less.
    void begin(search::Stop& stop, bool checks_limits) {
        counter_.begin(stop, checks_limits);
        endgame_.use_quadrants();
        for (std::size_t empties = 0; empties < late_.size(); ++empties)
            late_[empties] = phase_factor(static_cast<int>(empties), geometry_->count());
        for (auto& side : history_) {
            for (auto& value : side) value /= history_fading;
        }
    }
    /// Whose move is sought.
    void set_root(const N& root) { root_side_ = root.side(); }
    /// What a score at the root means to others: they take a draw for a draw.
    static Score reported(Score score) { return score == -contempt ? 0 : score; }
    using Base::nodes;
    using Base::overlooks;
    using Base::stopped;
    /// What follows a move at the root.
    std::span<const Move> variation(int ply) const { return variations_.at(ply); }

    /// After `depth` plies: one more, or at once to the end of the game if that seems to be
    /// affordable; with many empty cells first by the way that relies on probcut, since it finds
    /// the order of moves.
    int next_depth(const N& root, int depth) const {
        const int empties = root.empties();
        if (!pruning_.endgame || depth >= empties) return depth + 1;
        const bool ready = depth >= std::min(ordering_depth, empties / 2);
        if (!ready || nodes_to_solve(empties) > nodes_left(empties)) return depth + 1;
        const bool first = N::per_stone > 0 && empties > handover && depth < empties - whole;
        return first ? empties - whole : empties;
    }
    /// Whether more depth can change nothing.
    bool is_final(const N& root, int depth) const { return depth >= root.empties(); }

    /// As in `AlphaBeta`.
    Score value(const N& node, const N& child, int depth, Score alpha, Score beta, PlyInfo path) {
        if (node.side() == child.side()) return search(child, depth, alpha, beta, path.ply);
        return -search(child, depth, -beta, -alpha, path.ply);
    }
    /// As in `AlphaBeta`; nothing is reduced.
    Score scout(const N& node, const N& child, int depth, int, Score alpha, Score beta,
                PlyInfo path) {
        const Score score = value(node, child, depth, alpha, alpha + 1, path);
        if (score <= alpha || score >= beta || stopped()) return score;
        return value(node, child, depth, alpha, beta, path);
    }

  private:
    /// A draw is worth so much less to the player at the root, who plays on where that is not
    /// certain to lose. Some maps are drawn after four plies by whoever is content with that. On
    /// the board of 8 × 8 draws are rare.
    static constexpr Score contempt = N::per_stone > 0 ? 0 : 150;
    static constexpr int deepest = search::max_depth + 4;
    static constexpr std::size_t longest_variation = 24;
    /// The last iterations before the exact one go to the end as well, but rely on probcut on the
    /// way, less and less. From so few empty cells on they do not.
    static constexpr int whole = 3;
    static constexpr int whole_handover = 10;
    /// So many empty cells are left to the endgame; with more the estimate still orders better.
    static constexpr int handover = 14;
    static_assert(handover <= static_cast<int>(Endgame<Layout>::most_empties));

    /// What orders moves well enough to go to the end of the game from there; guessed.
    static constexpr int ordering_depth = 10;

    // The order of moves. All weights are guessed; the unit is that of the evaluation.
    static constexpr int first_of_all = 1 << 24;     ///< the move of the table
    static constexpr int corner_bonus = 600;         ///< for a cell where no stone is ever taken
    static constexpr int per_taken_stone = 8;        ///< near the leaves: few are better
    static constexpr int per_answer = 40;            ///< moves that the other has then
    static constexpr int per_corner_answer = 60;     ///< on top, if it is a corner
    static constexpr int evaluation_weight = 2;      ///< of the position after the move
    static constexpr int answers_counted_from = 3;   ///< plies: below it takes longer than it saves
    static constexpr int evaluation_asked_from = 5;  ///< plies, likewise

    // History of moves, by side and cell; guessed, shrinking as is usual in the field.
    static constexpr int history_fading = 4;        ///< what is left at a new root: a quarter
    static constexpr int history_divisor = 16;      ///< of its weight in the order of moves
    static constexpr int history_most = 4096;       ///< no value grows beyond it
    static constexpr int history_most_bonus = 256;  ///< of one cut-off

    // Nodes a second on one core, rather less than there are; and nodes if nothing limits them.
    static constexpr double speed = Set::size == 64 ? 1.5e7 : 3e6;
    static constexpr double unlimited_nodes = 2e9;

    /// So few plies are guessed before the table is asked, for that takes longer.
    static constexpr int unremembered = 2;
    /// Terms of any map are too rough to leave out the last two plies.
    static constexpr int least_guessed = N::per_stone > 0 ? 1 : 3;

    struct Choice {
        Set taken;
        std::uint8_t cell;
        int value;
    };
    using Choices = typename MoveStack<Choice>::Frame;

    Score search(const N& node, int depth, Score alpha, Score beta, int ply) {
        variations_.begin(ply);
        if (node.is_over()) return counter_.count(), end_of(node, ply);
        if (depth <= 0 || ply >= deepest) return counter_.count(), estimate(node, alpha, beta);
        if (const auto end = left_to_endgame(node, depth, alpha, beta)) return *end;
        if (counter_.visit()) return 0;
        const bool narrow = beta - alpha == 1;
        const bool guesses =
            narrow && pruning_.probcut && depth < node.empties() && depth >= least_guessed;
        std::optional<Score> seen;
        if (guesses && depth <= unremembered) {
            seen = first_guess(node, depth, alpha, beta);
            if (const auto outside = probcut(node, depth, alpha, beta, ply, *seen)) return *outside;
        }
        if (depth == 1) return last_ply(node, alpha, beta, ply);
        const std::uint64_t key = key_of(node);
        const auto known = table_->probe(key);
        if (known && narrow) {
            const Score score = from_table(known->score, ply);
            if (known->settles(depth, score, alpha, beta)) return score;
        }
        const Score guess = known ? known->estimate : seen ? *seen : estimate(node);
        if (guesses && depth > unremembered) {
            if (const auto outside = probcut(node, depth, alpha, beta, ply, guess)) return *outside;
        }
        const std::size_t remembered = known ? known->move : Set::size;
        return best_of(node, depth, alpha, beta, ply, {key, guess, remembered});
    }

    /// With few empty cells and a search that goes to the end, or nearly, nothing is estimated.
    std::optional<Score> left_to_endgame(const N& node, int depth, Score alpha, Score beta) {
        const int empties = node.empties();
        if (!pruning_.endgame) return std::nullopt;
        if (depth >= empties && empties <= handover) return solved(node, alpha, beta);
        if constexpr (N::per_stone > 0) {
            if (depth >= empties - whole && empties <= whole_handover)
                return selective_end(node, alpha, beta);
        }
        return std::nullopt;
    }

    /// What is known of a node before its moves are tried.
    struct Hints {
        std::uint64_t key;
        Score guess;
        std::size_t remembered;
    };

    Score best_of(const N& node, int depth, Score alpha, Score beta, int ply, const Hints& hints) {
        Choices choices(stack_, static_cast<std::size_t>(node.legal().count()));
        const std::size_t count = list(node, depth, hints.remembered, choices);
        const Score floor = alpha;
        Score best = -search::infinite;
        std::size_t chosen = 0;
        std::size_t tried = 0;
        for (std::size_t at = 0; at < count; ++at) {
            swap_best_first(choices.data() + at, choices.data() + count);
            const Choice& choice = choices[at];
            const Move move = N::move_on(choice.cell);
            if (tried > 0 && overlooks(node, move)) continue;
            N child = node;
            child.play(choice.cell, choice.taken);
            if (depth > 2) table_->prefetch(key_of(child));
            const PlyInfo path{ply + 1, 0, false};
            const Score score = tried == 0 ? value(node, child, depth - 1, alpha, beta, path)
                                           : scout(node, child, depth - 1, 0, alpha, beta, path);
            if (stopped()) return 0;
            ++tried;
            if (score <= best) continue;
            best = score;
            chosen = choice.cell;
            if (score <= alpha) continue;
            alpha = score;
            if (beta - floor > 1) variations_.extend(ply, move);
            if (alpha >= beta) break;
        }
        const auto bound = search::bound_of(best, floor, beta);
        if (best >= beta) update_history(node, chosen, depth);
        table_->store(hints.key, {static_cast<std::uint32_t>(chosen), to_table(best, ply),
                                  hints.guess, depth, bound});
        return best;
    }

    /// All moves and their estimates: no order is worth its price here.
    Score last_ply(const N& node, Score alpha, Score beta, int ply) {
        Score best = -search::infinite;
        Set rest = node.legal();
        while (rest.any()) {
            const std::size_t cell = rest.pop();
            if (best != -search::infinite && overlooks(node, N::move_on(cell))) continue;
            N child = node;
            child.play(cell, node.board().taken(cell));
            counter_.count();
            const bool again = child.side() == node.side();
            const Score seen = child.is_over() ? end_of(child, ply + 1)
                               : again         ? estimate(child, alpha, beta)
                                               : estimate(child, -beta, -alpha);
            const Score score = again ? seen : -seen;
            if (score <= best) continue;
            best = score;
            if (score <= alpha) continue;
            if (beta - alpha > 1) {
                variations_.begin(ply + 1);
                variations_.extend(ply, N::move_on(cell));
            }
            alpha = score;
            if (alpha >= beta) break;
        }
        return best;
    }

    /// What decides the last plies. Remembered, it must hold anywhere; with one ply left, it is
    /// asked only whether it lies beyond the margins.
    Score first_guess(const N& node, int depth, Score alpha, Score beta) const {
        if (depth > 1) return estimate(node);
        const ProbCut cut = probcut_at(node, depth);
        return estimate(node, alpha - cut.margin - cut.rise, beta + cut.margin - cut.rise);
    }

    /// The edge of the window that the node is probably beyond; nothing if it must be searched.
    std::optional<Score> probcut(const N& node, int depth, Score alpha, Score beta, int ply,
                                 Score guess) {
        if (search::is_certain(alpha) || search::is_certain(beta)) return std::nullopt;
        const ProbCut cut = probcut_at(node, depth);
        if (guess >= beta) {
            const Score bound = beta + cut.margin - cut.rise;
            if (shallow_score(node, cut.depth, bound - 1, bound, ply, guess) >= bound) return beta;
        } else if (guess <= alpha) {
            const Score bound = alpha - cut.margin - cut.rise;
            if (shallow_score(node, cut.depth, bound, bound + 1, ply, guess) <= bound) return alpha;
        }
        return std::nullopt;
    }
    ProbCut probcut_at(const N& node, int depth) const {
        ProbCut cut = probcut_of(depth, late_[static_cast<std::size_t>(node.empties())]);
        if constexpr (N::per_stone > 0) {
            // Three quarters of the spread are enough, compared in games (docs/lab/reversi.md).
            if (cut.depth > 0) cut.margin = cut.margin * 3 / 4;
            // The end differs more from what is foreseen than a deep search does. Guessed, by the
            // plies that are missing to the end.
            constexpr std::array<Score, whole + 1> quarters{4, 14, 9, 6};
            const int missing = node.empties() - depth;
            if (missing <= whole)
                cut.margin = cut.margin * quarters[static_cast<std::size_t>(missing)] / 4;
        }
        return cut;
    }
    /// What a shallow search says, or the estimate alone.
    Score shallow_score(const N& node, int depth, Score alpha, Score beta, int ply, Score guess) {
        return depth == 0 ? guess : search(node, depth, alpha, beta, ply);
    }

    Score solved(const N& node, Score alpha, Score beta) {
        const Score draw = draw_score(node);
        const int low = stones_at_most(alpha, draw);
        const int high = std::max(low + 1, stones_at_least(beta, draw));
        if (node.empties() > Endgame<Layout>::shallow) endgame_.find_regions(node.board().empty);
        return score_of_lead(endgame_.solve(node.board(), low, high), draw);
    }

    /// What is solved exactly below a node that is not: as an estimate.
    Score selective_end(const N& node, Score alpha, Score beta) {
        static constexpr int beyond = Endgame<Layout>::beyond_any_lead;
        const auto low = [](Score score) { return std::clamp(floor_of(score), -beyond, beyond); };
        const int least = low(alpha);
        const int most = std::max(least + 1, -low(-beta));
        if (node.empties() > Endgame<Layout>::shallow) endgame_.find_regions(node.board().empty);
        return N::per_stone * endgame_.solve(node.board(), least, most);
    }
    static constexpr int floor_of(Score score) {
        return score >= 0 ? score / N::per_stone : -((-score + N::per_stone - 1) / N::per_stone);
    }

    Score end_of(const N& node, int ply) const {
        if (pruning_.endgame) return score_of_lead(node.board().lead(), draw_score(node));
        const auto end = node.end();
        return end ? search::end_score(*end, ply) : Score{0};
    }
    Score draw_score(const N& node) const {
        return node.side() == root_side_ ? -contempt : contempt;
    }
    /// What a position is worth without search, roughly beyond the limits; never the score of a
    /// draw.
    static Score estimate(const N& node, Score low = -search::infinite,
                          Score high = search::infinite) {
        const Score score = node.evaluate(low, high);
        return contempt != 0 && std::abs(score) == contempt ? score + 1 : score;
    }
    /// Draws are worth something else to each side, so what was found for one is not read for the
    /// other.
    std::uint64_t key_of(const N& node) const {
        return contempt != 0 && root_side_ != 0 ? ~node.key() : node.key();
    }
    /// Leads count from no root.
    Score from_table(Score score, int ply) const {
        return pruning_.endgame ? score : search::from_table(score, ply);
    }
    Score to_table(Score score, int ply) const {
        return pruning_.endgame ? score : search::to_table(score, ply);
    }

    double nodes_left(int empties) const {
        const search::Limits& limits = counter_.stop().limits();
        if (limits.depth && *limits.depth < empties) return 0;
        double left = unlimited_nodes;
        if (limits.nodes) left = static_cast<double>(*limits.nodes) - static_cast<double>(nodes());
        if (limits.time) left = std::min(left, speed * (*limits.time - counter_.stop().seconds()));
        return left;
    }

    /// Moves with their stones, and how good they look: few answers of the other, safe cells, what
    /// was best elsewhere; with much to search below also what the position is worth then.
    std::size_t list(const N& node, int depth, std::size_t remembered, Choices& choices) const {
        std::size_t count = 0;
        const auto& board = node.board();
        node.legal().each([&](std::size_t cell) {
            Choice& choice = choices[count++];
            choice.cell = static_cast<std::uint8_t>(cell);
            choice.taken = board.taken(cell);
            choice.value = cell == remembered ? first_of_all : ordering_value(node, depth, choice);
        });
        return count;
    }
    int ordering_value(const N& node, int depth, const Choice& choice) const {
        int value = history_[node.side()][choice.cell] / history_divisor;
        if (geometry_->corners().test(choice.cell)) value += corner_bonus;
        if (depth < answers_counted_from) return value - per_taken_stone * choice.taken.count();
        const auto after = node.board().after(choice.cell, choice.taken);
        const Set answers = after.moves();
        value -= per_answer * answers.count();
        value -= per_corner_answer * (answers & geometry_->corners()).count();
        if (depth >= evaluation_asked_from) {
            N child = node;
            child.play(choice.cell, choice.taken);
            const Score seen = child.is_over() ? end_of(child, 0) : child.rough_evaluation();
            value += evaluation_weight * (child.side() == node.side() ? seen : -seen);
        }
        return value;
    }
    static void swap_best_first(Choice* at, Choice* end) {
        Choice* best = at;
        for (Choice* other = at + 1; other < end; ++other) {
            if (other->value > best->value) best = other;
        }
        if (best != at) std::swap(*at, *best);
    }
    void update_history(const N& node, std::size_t cell, int depth) {
        auto& value = history_[node.side()][cell];
        const int bonus = std::min(depth * depth, history_most_bonus);
        value += bonus - value * bonus / history_most;
    }

    search::TranspositionTable* table_;
    const MapGeometry<Layout>* geometry_;
    Endgame<Layout> endgame_;
    MoveStack<Choice> stack_{static_cast<std::size_t>(deepest + 1) * Set::size};
    std::array<std::array<int, Set::size>, 2> history_{};
    std::array<int, Set::size + 1> late_{};  ///< by empty cells
    Seat root_side_ = 0;
    search::PrincipalVariations<Move, longest_variation> variations_;
};

}  // namespace spielleiter::reversi
