/// @file
/// Reversi on sets of cells: what a stone takes, where a player may set, whose turn is next.
///
/// A layout says how cells lie in a set of bits and answers two questions about lines; there are
/// two, chosen by the size of the map. A board adds the players and is the same code for both.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/bits.hpp"
#include "core/force_inline.hpp"
#include "core/game.hpp"
#include "core/simd.hpp"

namespace spielleiter::reversi {

/// The cells next behind a row of `others` that begins at a stone of `own`, both ways along each
/// axis. Instead of walking cell by cell the reached part of a row doubles: after a step of n cells
/// every stone of `others` up to 2n cells away is reached, if n such stones lie before it.
template <class Axis>
SPIELLEITER_FORCE_INLINE simd::Words row_ends(const simd::Words& own, const simd::Words& others) {
    simd::Words ahead = others & Axis::template forward<1>(own);
    simd::Words behind = others & Axis::template backward<1>(own);
    ahead |= others & Axis::template forward<1>(ahead);
    behind |= others & Axis::template backward<1>(behind);
    simd::Words pairs = others & Axis::template forward<1>(others);
    simd::Words pairs_back = Axis::template backward<1>(pairs);
    ahead |= pairs & Axis::template forward<2>(ahead);
    behind |= pairs_back & Axis::template backward<2>(behind);
    if constexpr (Axis::longest_row <= 6) {  // 1 + 1 + 2 + 2
        ahead |= pairs & Axis::template forward<2>(ahead);
        behind |= pairs_back & Axis::template backward<2>(behind);
    } else {  // 1 + 1 + 2 + 4 + 8
        simd::Words fours = pairs & Axis::template forward<2>(pairs);
        simd::Words fours_back = pairs_back & Axis::template backward<2>(pairs_back);
        ahead |= fours & Axis::template forward<4>(ahead);
        behind |= fours_back & Axis::template backward<4>(behind);
        fours &= Axis::template forward<4>(fours);
        fours_back &= Axis::template backward<4>(fours_back);
        ahead |= fours & Axis::template forward<8>(ahead);
        behind |= fours_back & Axis::template backward<8>(behind);
    }
    return Axis::template forward<1>(ahead) | Axis::template backward<1>(behind);
}

/// Up to 8 × 8 cells in one word, without guards; the four axes are worked on side by side.
struct Small {
    using Set = Bits<1>;                      ///< cells as bits
    static constexpr std::size_t stride = 8;  ///< bits from a row to the next
    static constexpr std::size_t limit = 8;   ///< cells along an edge at most

    /// Empty cells aside: where `own` would take something of `others`.
    SPIELLEITER_FORCE_INLINE static Set targets(const Set& own, const Set& others) {
        const simd::Word all = others.words[0];
        const simd::Word inner =
            all & 0x7e7e7e7e7e7e7e7eULL;  // no row runs over the left or right edge
        return {
            {row_ends<Axes>(simd::Words::each(own.words[0]), simd::Words(inner, inner, all, inner))
                 .merged()}};
    }

    /// What a stone of `own` on `cell` takes.
    SPIELLEITER_FORCE_INLINE static Set taken(std::size_t cell, const Set& own, const Set& others) {
        if constexpr (simd::Words::in_one_register) return taken_at_once(cell, own, others);
        simd::Word taken = 0;
        const simd::Word mine = own.words[0];
        const simd::Word bars = ~others.words[0];
        for (std::size_t way = 0; way < 4; ++way) taken |= taken_up(rays[cell][way], mine, bars);
        for (std::size_t way = 4; way < 8; ++way) taken |= taken_down(rays[cell][way], mine, bars);
        return {{taken}};
    }

    /// The cells of a row, from the lowest bit on.
    static std::uint32_t row(const Set& set, std::size_t y) {
        return y < limit ? set.words[0] >> (stride * y) & 0xffU : 0;
    }

  private:
    struct Axes {
        static constexpr std::size_t longest_row = 6;
        template <std::size_t Cells>
        static simd::Words forward(const simd::Words& set) {
            return set.left<Cells, 7 * Cells, 8 * Cells, 9 * Cells>();
        }
        template <std::size_t Cells>
        static simd::Words backward(const simd::Words& set) {
            return set.right<Cells, 7 * Cells, 8 * Cells, 9 * Cells>();
        }
    };

    /// Four rays side by side. Upwards as in `taken_up`; downwards everything from the first bar on
    /// is found by doubling, which leaves what lies before it.
    SPIELLEITER_FORCE_INLINE static Set taken_at_once(std::size_t cell, const Set& own,
                                                      const Set& others) {
        const auto& ray = rays[cell];
        const simd::Words mine = simd::Words::each(own.words[0]);
        const simd::Words theirs = simd::Words::each(others.words[0]);
        const simd::Words up(ray[0], ray[1], ray[2], ray[3]);
        const simd::Words taken_up = up & (without(up, theirs).lowest() & mine).below();
        const simd::Words down(ray[4], ray[5], ray[6], ray[7]);
        simd::Words rest = without(down, theirs);
        rest |= Axes::backward<1>(rest);
        rest |= Axes::backward<2>(rest);
        rest |= Axes::backward<4>(rest);
        const simd::Words first = without(rest, Axes::backward<1>(rest)) & down & mine;
        const simd::Words taken_down = without(without(down, rest), first.where_empty());
        return {{(taken_up | taken_down).merged()}};
    }

    /// The first bar on a ray that leads to higher bits is its lowest one; if that is an own stone,
    /// everything of the ray below it is taken.
    static simd::Word taken_up(simd::Word ray, simd::Word own, simd::Word bars) {
        const simd::Word first = ray & bars;
        const simd::Word hit = first & (0 - first) & own;
        return ray & (hit - static_cast<simd::Word>(hit != 0));
    }

    /// The same towards lower bits, where the first bar is the highest one. (`| 1` keeps the count
    /// of zeros defined on a ray without bars; bit 0 is then no cell of the ray.)
    static simd::Word taken_down(simd::Word ray, simd::Word own, simd::Word bars) {
        const simd::Word first = (simd::Word{1} << 63U) >> std::countl_zero((ray & bars) | 1U);
        const simd::Word hit = first & ray & own;
        return ray & (0 - (hit << 1U));
    }

    static constexpr auto rays = [] {
        constexpr std::array<std::array<int, 2>, 8> ways{
            {{1, 0}, {-1, 1}, {0, 1}, {1, 1}, {-1, 0}, {1, -1}, {0, -1}, {-1, -1}}};
        std::array<std::array<simd::Word, 8>, 64> made{};
        for (int cell = 0; cell < 64; ++cell) {
            for (std::size_t way = 0; way < 8; ++way) {
                const auto [dx, dy] = ways[way];
                int x = cell % 8 + dx;
                int y = cell / 8 + dy;
                for (; x >= 0 && x < 8 && y >= 0 && y < 8; x += dx, y += dy)
                    made[static_cast<std::size_t>(cell)][way] |= simd::Word{1} << (8 * y + x);
            }
        }
        return made;
    }();
};

/// Up to 15 × 15 cells in four words: each row of 16 ends with a guard cell and a guard row follows
/// the last one, so that no line runs over an edge.
struct Large {
    using Set = Bits<4>;                       ///< cells as bits
    static constexpr std::size_t stride = 16;  ///< bits from a row to the next
    static constexpr std::size_t limit = 15;   ///< cells along an edge at most

    /// Empty cells aside: where `own` would take something of `others`.
    static Set targets(const Set& own, const Set& others) {
        const simd::Words mine(own);
        const simd::Words theirs(others);
        return ((row_ends<Axis<0, 1>>(mine, theirs) | row_ends<Axis<1, -1>>(mine, theirs)) |
                (row_ends<Axis<1, 0>>(mine, theirs) | row_ends<Axis<1, 1>>(mine, theirs)))
            .set();
    }

    /// What a stone of `own` on `cell` takes.
    static Set taken(std::size_t cell, const Set& own, const Set& others) {
        Set taken;
        for (const int way : {-17, -16, -15, -1, 1, 15, 16, 17}) {
            // Unsigned steps wrap round, so a step above row 0 lands beyond the set: see `holds`.
            const auto step = static_cast<std::size_t>(way);
            if (!holds(others, cell + step)) continue;
            std::size_t end = cell + 2 * step;
            while (holds(others, end)) end += step;
            if (!holds(own, end)) continue;
            for (std::size_t at = cell + step; at != end; at += step) taken.set(at);
        }
        return taken;
    }

    /// The cells of a row, from the lowest bit on.
    static std::uint32_t row(const Set& set, std::size_t y) {
        return set.words[y / 4] >> (stride * (y % 4)) & 0xffffU;
    }

  private:
    /// So many rows up and cells along them is the next cell of a line.
    template <std::size_t Rows, int Along>
    struct Axis {
        static constexpr std::size_t longest_row = 13;
        template <std::size_t Cells>
        static simd::Words forward(const simd::Words& set) {
            return set.rows_up<Cells * Rows, static_cast<int>(Cells) * Along>();
        }
        template <std::size_t Cells>
        static simd::Words backward(const simd::Words& set) {
            return set.rows_down<Cells * Rows, -static_cast<int>(Cells) * Along>();
        }
    };

    static bool holds(const Set& set, std::size_t cell) {
        return cell < Set::size && set.test(cell);
    }
};

/// Stones and players on a layout, with the legal moves of the player whose turn it is. All
/// members are values that follow from the moves made, so boards compare member by member.
template <class Layout>
struct Board {
    using Set = typename Layout::Set;  ///< cells of the layout

    std::array<Set, max_seats> stones{};         ///< by seat
    Set occupied{};                              ///< by any stone
    Set empty{};                                 ///< cells that are neither occupied nor holes
    Set legal{};                                 ///< none when the game is over
    std::uint64_t map_key = 0;                   ///< differs from map to map
    std::uint8_t height = 0;                     ///< rows of the map
    std::uint8_t width = 0;                      ///< columns of the map
    std::uint8_t seats = 2;                      ///< how many began
    Seat mover = 0;                              ///< whose turn it is
    std::uint8_t remaining = 0b11;               ///< bit i: seat i is not disqualified
    std::uint8_t fallen = 0;                     ///< how many are disqualified,
    std::array<Seat, max_seats> fallen_seats{};  ///< and who, in this order

    /// The same in every member.
    bool operator==(const Board&) const = default;

    /// The bit of column x and row y.
    static constexpr std::size_t cell(std::size_t x, std::size_t y) {
        return Layout::stride * y + x;
    }

    /// Whether nobody can play against anybody any more.
    bool at_most_one_left() const { return (remaining & (remaining - 1)) == 0; }
    /// Whether a seat is not disqualified.
    bool plays(Seat seat) const { return (remaining >> seat & 1U) != 0; }
    /// The next seat in turn, whoever plays.
    Seat after(Seat seat) const {
        return seat + 1 == seats ? Seat{0} : static_cast<Seat>(seat + 1);
    }

    /// Where a seat could set.
    Set targets(Seat seat) const {
        return Layout::targets(stones[seat], without(occupied, stones[seat])) & empty;
    }

    /// The turn goes to the first seat from `first` on that can move, if there is one.
    SPIELLEITER_FORCE_INLINE void give_turn(Seat first) {
        legal = {};
        while (remaining != 0 && !plays(first)) first = after(first);
        mover = first;
        if (at_most_one_left()) return;
        Seat seat = first;
        do {
            if (!plays(seat)) continue;
            if (legal = targets(seat); legal.any()) {
                mover = seat;
                return;
            }
        } while ((seat = after(seat)) != first);
    }

    /// Makes a legal move and gives the turn on.
    SPIELLEITER_FORCE_INLINE void play(std::size_t at) { play(at, taken(at)); }
    /// The stones that a move takes.
    SPIELLEITER_FORCE_INLINE Set taken(std::size_t at) const {
        const Set mine = stones[mover];
        return Layout::taken(at, mine, without(occupied, mine));
    }
    /// The same where they are known.
    SPIELLEITER_FORCE_INLINE void play(std::size_t at, const Set& taken) {
        if (seats == 2 && fallen == 0) return play_of_two(at, taken);
        for (auto& colour : stones) colour = without(colour, taken);
        const Set placed = Set::of(at);
        stones[mover] |= taken | placed;
        occupied |= placed;
        empty = without(empty, placed);
        give_turn(after(mover));
    }

    /// The same between two: what is needed again need not be read again.
    SPIELLEITER_FORCE_INLINE void play_of_two(std::size_t at, const Set& taken) {
        const Set placed = Set::of(at);
        const Seat next = mover ^ 1U;
        const Set of_mover = stones[mover] | taken | placed;
        const Set of_next = without(stones[next], taken);
        const Set free = without(empty, placed);
        const Set moves = Layout::targets(of_next, of_mover) & free;
        stones[mover] = of_mover;
        stones[next] = of_next;
        occupied |= placed;
        empty = free;
        legal = moves;
        if (moves.none()) {
            legal = Layout::targets(of_mover, of_next) & free;
            if (legal.any()) return;
        }
        mover = next;
    }

    /// How many moves the next player in turn has after a move on `at`, without making it.
    int moves_of_next(std::size_t at) const {
        const Set mine = stones[mover];
        const Set taken = Layout::taken(at, mine, without(occupied, mine));
        const Set placed = Set::of(at);
        Seat next = after(mover);
        while (!plays(next)) next = after(next);
        const Set own = without(stones[next], taken);
        const Set targets = Layout::targets(own, without(occupied | placed, own));
        return (targets & without(empty, placed)).count();
    }

    /// How many moves follow a move on `at`: those of the next player who has any.
    int replies(std::size_t at) const {
        if (const int found = moves_of_next(at); found > 0) return found;
        Board made = *this;
        made.play(at);
        return made.legal.count();
    }

    /// The game goes on without that seat; its stones stay.
    void disqualify(Seat seat) {
        if (!plays(seat)) return;
        remaining = static_cast<std::uint8_t>(remaining & ~(1U << seat));
        fallen_seats[fallen++] = seat;
        if (seat == mover || at_most_one_left()) give_turn(mover);
    }
};

}  // namespace spielleiter::reversi
