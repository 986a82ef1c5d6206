/// @file
/// The end of a board, solved exactly: how many stones more the player to move will have.
///
/// Near the end order is all. Who moves last in a closed region gains by it, so cells in regions
/// with an odd number of empty cells come first (parity); and where the other player has few
/// answers there is little to search (fastest first). Far from the end a table remembers results,
/// and stones that can never be taken bound what is still possible.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/search/stop.hpp"
#include "core/search/transposition_table.hpp"
#include "map_geometry.hpp"
#include "move_stack.hpp"
#include "two_player_board.hpp"

namespace spielleiter::reversi {

/// Solves positions of two players with few empty cells.
template <class Layout>
class Endgame {
  public:
    using Set = typename Layout::Set;         ///< cells of the layout
    using Position = TwoPlayerBoard<Layout>;  ///< only the stones matter

    /// All three must outlive it.
    Endgame(const MapGeometry<Layout>& geometry, search::TranspositionTable& table,
            search::NodeCounter& counter)
        : geometry_(&geometry),
          table_(&table),
          counter_(&counter),
          stack_(most_empties * (most_empties + 1) / 2) {}

    /// Regions of what is empty now: parity is counted in them from here on.
    void find_regions(const Set& empty) {
        regions_ = {};
        Set rest = empty;
        for (count_ = 0; count_ < regions_.size() && rest.any(); ++count_) {
            regions_[count_] = MapGeometry<Layout>::region(rest);
            rest = without(rest, regions_[count_]);
        }
        if (rest.any()) regions_[count_ - 1] |= rest;
        if (count_ == 1) use_quadrants();
    }

    /// Quarters of the map: regions for whoever does not look closer.
    void use_quadrants() {
        const Set& cells = geometry_->cells();
        std::size_t right = 0;
        std::size_t bottom = 0;
        cells.each([&](std::size_t cell) {
            right = std::max(right, cell % Layout::stride);
            bottom = std::max(bottom, cell / Layout::stride);
        });
        regions_ = {};
        count_ = 4;
        cells.each([&](std::size_t cell) {
            const bool east = 2 * (cell % Layout::stride) > right;
            const bool south = 2 * (cell / Layout::stride) > bottom;
            regions_[2U * south + east].set(cell);
        });
    }

    /// Stones the player to move has more at the end, between alpha and beta if it lies there;
    /// beyond them a bound. What is returned after the search was stopped means nothing. At most
    /// `most_empties` cells are empty.
    int solve(const Position& board, int alpha, int beta) {
        const int empties = board.empty.count();
        return empties > shallow ? deep(board, alpha, beta, empties)
                                 : near(board, alpha, beta, empties, false);
    }
    /// The move that `solve` found best, if the table still knows it.
    std::uint32_t best(const Position& board) const {
        const auto known = table_->probe(board.key(salt));
        return known ? known->move : 0;
    }

    static constexpr int shallow = 7;  ///< so few empty cells are searched without table
    static constexpr std::size_t most_empties = 24;  ///< there is room for so many
    static constexpr int beyond_any_lead = 1000;     ///< more stones than any map has cells

  private:
    static constexpr std::uint64_t salt = 0x656e6467616d65ULL;

    // The order of moves. All weights are guessed: only their ratios matter.
    static constexpr int first_of_all = 1 << 20;    ///< the move of the table
    static constexpr int per_answer = 16;           ///< moves that the other has then
    static constexpr int per_corner_answer = 16;    ///< on top, if it is a corner
    static constexpr int per_liberty = 4;           ///< cells that the answer may use later
    static constexpr int liberties_from = 11;       ///< empty cells: below it takes longer
    static constexpr int corner_bonus = 8;          ///< for a cell where no stone is ever taken
    static constexpr int odd_region_bonus = 6;      ///< for a cell whose region has an odd number
    static constexpr int early_odd_bonus = 2;       ///< the same while regions may still change
    static constexpr int regions_change_from = 20;  ///< empty cells

    struct Choice {
        Position after;
        std::uint8_t cell;
        int value;
    };

    /// The empty cells of regions that have an odd number of them.
    Set odd(const Set& empty) const {
        Set found;
        for (std::size_t at = 0; at < count_; ++at) {
            const Set part = regions_[at] & empty;
            if ((part.count() & 1) != 0) found |= part;
        }
        return found;
    }

    // ------------------------------------------------------------------------------ many empty

    int deep(const Position& board, int alpha, int beta, int empties) {
        if (empties <= shallow) return near(board, alpha, beta, empties, false);
        if (counter_->visit()) return 0;
        if (const int most = ceiling(board, alpha, empties); most <= alpha) return most;
        const std::uint64_t key = board.key(salt);
        const auto known = table_->probe(key);
        if (known && known->depth >= empties) {
            if (known->bound == search::Bound::exact) return known->score;
            if (known->bound == search::Bound::lower && known->score >= beta) return known->score;
            if (known->bound == search::Bound::upper && known->score <= alpha) return known->score;
        }
        const Set moves = board.moves();
        if (moves.none()) return without_move(board, alpha, beta, empties);
        return best_of(board, moves, alpha, beta, empties, key, known ? known->move : Set::size);
    }

    int without_move(const Position& board, int alpha, int beta, int empties) {
        const Position other = board.passed();
        if (other.moves().none()) return board.lead();
        return -deep(other, -beta, -alpha, empties);
    }

    int best_of(const Position& board, const Set& moves, int alpha, int beta, int empties,
                std::uint64_t key, std::size_t remembered) {
        typename MoveStack<Choice>::Frame choices(stack_, static_cast<std::size_t>(moves.count()));
        const std::size_t count = list(board, moves, empties, remembered, choices.data());
        const int floor = alpha;
        int best = -beyond_any_lead;
        std::size_t chosen = 0;
        for (std::size_t at = 0; at < count; ++at) {
            swap_best_first(choices.data() + at, choices.data() + count);
            const Choice& choice = choices[at];
            const int score = value(choice.after, alpha, beta, empties - 1, at == 0);
            if (counter_->stopped()) return 0;
            if (score <= best) continue;
            best = score;
            chosen = choice.cell;
            alpha = std::max(alpha, score);
            if (alpha >= beta) break;
        }
        const auto bound = best >= beta   ? search::Bound::lower
                           : best > floor ? search::Bound::exact
                                          : search::Bound::upper;
        table_->store(key, {static_cast<std::uint32_t>(chosen), best, 0, empties, bound});
        return best;
    }

    /// A later move is first only asked whether it is better at all.
    int value(const Position& child, int alpha, int beta, int empties, bool first) {
        if (first || beta - alpha == 1) return -deep(child, -beta, -alpha, empties);
        const int score = -deep(child, -alpha - 1, -alpha, empties);
        if (score <= alpha || score >= beta || counter_->stopped()) return score;
        return -deep(child, -beta, -alpha, empties);
    }

    std::size_t list(const Position& board, const Set& moves, int empties, std::size_t remembered,
                     Choice* to) const {
        const Set odds = odd(board.empty);
        std::size_t count = 0;
        moves.each([&](std::size_t cell) {
            Choice& choice = to[count++];
            choice.cell = static_cast<std::uint8_t>(cell);
            choice.after = board.after(cell);
            if (empties - 1 > shallow) table_->prefetch(choice.after.key(salt));
            const Set answers = choice.after.moves();
            const Set corners = answers & geometry_->corners();
            choice.value = -per_answer * answers.count() - per_corner_answer * corners.count();
            if (empties >= liberties_from) choice.value -= per_liberty * liberties(choice.after);
            if (geometry_->corners().test(cell)) choice.value += corner_bonus;
            if (odds.test(cell))
                choice.value += empties < regions_change_from ? odd_region_bonus : early_odd_bonus;
            if (cell == remembered) choice.value = first_of_all;
        });
        return count;
    }

    /// Empty cells next to stones of the player who has just moved: what the answer may use later.
    int liberties(const Position& board) const {
        return (dilated<Layout>(board.other) & board.empty).count();
    }

    static void swap_best_first(Choice* at, Choice* end) {
        Choice* best = at;
        for (Choice* other = at + 1; other < end; ++other) {
            if (other->value > best->value) best = other;
        }
        if (best != at) std::swap(*at, *best);
    }

    /// At most so many stones more: what the other can never lose is not to be had.
    int ceiling(const Position& board, int alpha, int empties) const {
        const int all = geometry_->count();
        const int stones = all - empties;
        // Seldom more than three quarters of the stones are stable (guessed): not worth a look.
        if (alpha < all - 2 * stones * 3 / 4) return all;
        return all - 2 * geometry_->stable(board.other, board.own | board.other).count();
    }

    // ------------------------------------------------------------------------------- few empty

    /// Without table: cells in odd regions first, the others afterwards.
    int near(const Position& board, int alpha, int beta, int empties, bool passed) {
        if (empties <= 2) return empties == 2 ? last_two(board, alpha, beta) : last(board, empties);
        if (counter_->visit()) return 0;
        const Set odds = odd(board.empty);
        int best = nothing;
        for (Set rest : {odds, without(board.empty, odds)}) {
            while (rest.any()) {
                const std::size_t cell = rest.pop();
                if ((geometry_->neighbours(cell) & board.other).none()) continue;
                const Set taken = board.taken(cell);
                if (taken.none()) continue;
                const int score =
                    -near(board.after(cell, taken), -beta, -alpha, empties - 1, false);
                if (score >= beta) return score;
                best = std::max(best, score);
                alpha = std::max(alpha, score);
            }
        }
        if (best != nothing) return best;
        return passed ? board.lead() : -near(board.passed(), -beta, -alpha, empties, true);
    }

    int last_two(const Position& board, int alpha, int beta) {
        counter_->count();
        Set rest = board.empty;
        const std::size_t first = rest.pop();
        const std::size_t second = rest.first();
        if (const auto score = two(board, first, second, beta); score != nothing) return score;
        const Position other = board.passed();
        if (const auto score = two(other, first, second, -alpha); score != nothing) return -score;
        return board.lead();
    }

    /// The better of two cells for the player to move; `nothing` if there is no move.
    int two(const Position& board, std::size_t first, std::size_t second, int beta) {
        int best = nothing;
        if (const Set taken = reached(board, first); taken.any()) {
            best = -last_one(board.after(first, taken), second);
            if (best >= beta) return best;
        }
        if (const Set taken = reached(board, second); taken.any())
            best = std::max(best, -last_one(board.after(second, taken), first));
        return best;
    }
    Set reached(const Position& board, std::size_t cell) const {
        if ((geometry_->neighbours(cell) & board.other).none()) return {};
        return board.taken(cell);
    }

    int last(const Position& board, int empties) {
        return empties == 0 ? board.lead() : last_one(board, board.empty.first());
    }
    int last_one(const Position& board, std::size_t cell) {
        counter_->count();
        const int lead = board.lead();
        if (const int more = board.taken(cell).count(); more > 0) return lead + 2 * more + 1;
        const int less = Layout::taken(cell, board.other, board.own).count();
        return less > 0 ? lead - 2 * less - 1 : lead;
    }

    static constexpr int nothing = -beyond_any_lead;  ///< no move was there to be tried

    const MapGeometry<Layout>* geometry_;
    search::TranspositionTable* table_;
    search::NodeCounter* counter_;
    MoveStack<Choice> stack_;
    std::array<Set, 8> regions_{};
    std::size_t count_ = 0;
};

}  // namespace spielleiter::reversi
