/// @file
/// The end of a duel, solved exactly: how many stones more the player to move will have.
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
#include "duel.hpp"
#include "scratch.hpp"
#include "terrain.hpp"

namespace spielleiter::reversi {

/// Solves duels with few empty cells.
template <class Lattice>
class Endgame {
  public:
    using Set = typename Lattice::Set;  ///< cells of the lattice
    using Position = Duel<Lattice>;     ///< only the stones matter

    /// All three must outlive it.
    Endgame(const Terrain<Lattice>& terrain, search::TranspositionTable& table,
            search::NodeCounter& counter)
        : terrain_(&terrain),
          table_(&table),
          counter_(&counter),
          scratch_(most_empties * (most_empties + 1) / 2) {}

    /// Regions of what is empty now: parity is counted in them from here on.
    void survey(const Set& empty) {
        regions_ = {};
        Set rest = empty;
        for (count_ = 0; count_ < regions_.size() && rest.any(); ++count_) {
            regions_[count_] = Terrain<Lattice>::region(rest);
            rest = without(rest, regions_[count_]);
        }
        if (rest.any()) regions_[count_ - 1] |= rest;
        if (count_ == 1) divide();
    }

    /// Quarters of the map: regions for whoever does not look closer.
    void divide() {
        const Set& cells = terrain_->cells();
        std::size_t right = 0;
        std::size_t bottom = 0;
        cells.each([&](std::size_t cell) {
            right = std::max(right, cell % Lattice::stride);
            bottom = std::max(bottom, cell / Lattice::stride);
        });
        regions_ = {};
        count_ = 4;
        cells.each([&](std::size_t cell) {
            const bool east = 2 * (cell % Lattice::stride) > right;
            const bool south = 2 * (cell / Lattice::stride) > bottom;
            regions_[2U * south + east].set(cell);
        });
    }

    /// Stones the player to move has more at the end, between alpha and beta if it lies there;
    /// beyond them a bound. What is returned after the search was stopped means nothing. At most
    /// `most_empties` cells are empty.
    int solve(const Position& duel, int alpha, int beta) {
        const int empties = duel.empty.count();
        return empties > shallow ? deep(duel, alpha, beta, empties)
                                 : near(duel, alpha, beta, empties, false);
    }
    /// The move that `solve` found best, if the table still knows it.
    std::uint32_t best(const Position& duel) const {
        const auto known = table_->probe(duel.key(salt));
        return known ? known->move : 0;
    }

    static constexpr int shallow = 7;  ///< so few empty cells are searched without table
    static constexpr std::size_t most_empties = 24;  ///< there is scratch for so many

  private:
    static constexpr std::uint64_t salt = 0x656e6467616d65ULL;

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

    int deep(const Position& duel, int alpha, int beta, int empties) {
        if (empties <= shallow) return near(duel, alpha, beta, empties, false);
        if (counter_->visit()) return 0;
        if (const int most = ceiling(duel, alpha, empties); most <= alpha) return most;
        const std::uint64_t key = duel.key(salt);
        const auto known = table_->probe(key);
        if (known && known->depth >= empties) {
            if (known->bound == search::Bound::exact) return known->score;
            if (known->bound == search::Bound::lower && known->score >= beta) return known->score;
            if (known->bound == search::Bound::upper && known->score <= alpha) return known->score;
        }
        const Set moves = duel.moves();
        if (moves.none()) return without_move(duel, alpha, beta, empties);
        return best_of(duel, moves, alpha, beta, empties, key, known ? known->move : Set::size);
    }

    int without_move(const Position& duel, int alpha, int beta, int empties) {
        const Position other = duel.passed();
        if (other.moves().none()) return duel.lead();
        return -deep(other, -beta, -alpha, empties);
    }

    int best_of(const Position& duel, const Set& moves, int alpha, int beta, int empties,
                std::uint64_t key, std::size_t remembered) {
        typename Scratch<Choice>::Piece choices(scratch_, static_cast<std::size_t>(moves.count()));
        const std::size_t count = list(duel, moves, empties, remembered, choices.data());
        const int floor = alpha;
        int best = -1000;
        std::size_t chosen = 0;
        for (std::size_t at = 0; at < count; ++at) {
            bring_best(choices.data() + at, choices.data() + count);
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

    std::size_t list(const Position& duel, const Set& moves, int empties, std::size_t remembered,
                     Choice* to) const {
        const Set odds = odd(duel.empty);
        std::size_t count = 0;
        moves.each([&](std::size_t cell) {
            Choice& choice = to[count++];
            choice.cell = static_cast<std::uint8_t>(cell);
            choice.after = duel.after(cell);
            if (empties - 1 > shallow) table_->prefetch(choice.after.key(salt));
            const Set answers = choice.after.moves();
            const Set anchors = answers & terrain_->anchors();
            choice.value = -16 * answers.count() - 16 * anchors.count();
            if (empties > 10) choice.value -= 4 * liberties(choice.after);
            choice.value +=
                8 * terrain_->anchors().test(cell) + (empties < 20 ? 6 : 2) * odds.test(cell);
            if (cell == remembered) choice.value = 1 << 20;
        });
        return count;
    }

    /// Empty cells next to stones of the player who has just moved: what the answer may use later.
    int liberties(const Position& duel) const {
        return (grown<Lattice>(duel.other) & duel.empty).count();
    }

    static void bring_best(Choice* at, Choice* end) {
        Choice* best = at;
        for (Choice* other = at + 1; other < end; ++other) {
            if (other->value > best->value) best = other;
        }
        if (best != at) std::swap(*at, *best);
    }

    /// At most so many stones more: what the other can never lose is not to be had.
    int ceiling(const Position& duel, int alpha, int empties) const {
        const int all = terrain_->count();
        if (alpha < all - 2 * (all - empties) * 3 / 4) return all;  // far away: not worth a look
        return all - 2 * terrain_->stable(duel.other, duel.own | duel.other).count();
    }

    // ------------------------------------------------------------------------------- few empty

    /// Without table: cells in odd regions first, the others afterwards.
    int near(const Position& duel, int alpha, int beta, int empties, bool passed) {
        if (empties <= 2) return empties == 2 ? last_two(duel, alpha, beta) : last(duel, empties);
        if (counter_->visit()) return 0;
        const Set odds = odd(duel.empty);
        int best = -1000;
        for (Set rest : {odds, without(duel.empty, odds)}) {
            while (rest.any()) {
                const std::size_t cell = rest.pop();
                if ((terrain_->around(cell) & duel.other).none()) continue;
                const Set taken = duel.taken(cell);
                if (taken.none()) continue;
                const int score = -near(duel.after(cell, taken), -beta, -alpha, empties - 1, false);
                if (score >= beta) return score;
                best = std::max(best, score);
                alpha = std::max(alpha, score);
            }
        }
        if (best > -1000) return best;
        return passed ? duel.lead() : -near(duel.passed(), -beta, -alpha, empties, true);
    }

    int last_two(const Position& duel, int alpha, int beta) {
        counter_->count();
        Set rest = duel.empty;
        const std::size_t first = rest.pop();
        const std::size_t second = rest.first();
        if (const auto score = two(duel, first, second, beta); score != nothing) return score;
        const Position other = duel.passed();
        if (const auto score = two(other, first, second, -alpha); score != nothing) return -score;
        return duel.lead();
    }

    /// The better of two cells for the player to move; `nothing` if there is no move.
    int two(const Position& duel, std::size_t first, std::size_t second, int beta) {
        int best = nothing;
        if (const Set taken = reached(duel, first); taken.any()) {
            best = -last_one(duel.after(first, taken), second);
            if (best >= beta) return best;
        }
        if (const Set taken = reached(duel, second); taken.any())
            best = std::max(best, -last_one(duel.after(second, taken), first));
        return best;
    }
    Set reached(const Position& duel, std::size_t cell) const {
        if ((terrain_->around(cell) & duel.other).none()) return {};
        return duel.taken(cell);
    }

    int last(const Position& duel, int empties) {
        return empties == 0 ? duel.lead() : last_one(duel, duel.empty.first());
    }
    int last_one(const Position& duel, std::size_t cell) {
        counter_->count();
        const int lead = duel.lead();
        if (const int more = duel.taken(cell).count(); more > 0) return lead + 2 * more + 1;
        const int less = Lattice::taken(cell, duel.other, duel.own).count();
        return less > 0 ? lead - 2 * less - 1 : lead;
    }

    static constexpr int nothing = -1000;

    const Terrain<Lattice>* terrain_;
    search::TranspositionTable* table_;
    search::NodeCounter* counter_;
    Scratch<Choice> scratch_;
    std::array<Set, 8> regions_{};
    std::size_t count_ = 0;
};

}  // namespace spielleiter::reversi
