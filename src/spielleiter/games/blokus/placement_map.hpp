/// @file
/// What the board means to one colour: where it may lie, and what it has to touch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "covers.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

/// What the board means to one colour, row by row, with the margin of covers.hpp.
struct PlacementMap {
    /// Reads the board for one colour.
    PlacementMap(const Position& position, Colour colour) {
        const Rows& own = position.squares_[colour];
        for (std::size_t y = 0; y < reach; ++y) free[y] = free[reach + side + y] = 0;
        // Rows are read where they lie: a copy with a margin would be read before it is written.
        look(position, own, 0, 0, own[1]);
        for (std::size_t y = 1; y + 1 < side; ++y) look(position, own, y, own[y - 1], own[y + 1]);
        look(position, own, side - 1, own[side - 2], 0);
        if (position.is_first(colour)) start_contacts(position.rules_);
    }

    Margined free;                             ///< empty and not beside the own colour
    std::array<std::uint32_t, side> taken;     ///< covered by any colour
    std::array<std::uint32_t, side> contacts;  ///< free cells of which one has to be covered

    /// Whether any placement can be legal.
    bool has_contacts() const {
        std::uint32_t any = 0;
        for (const std::uint32_t row : contacts) any |= row;
        return any != 0;
    }

  private:
    void look(const Position& position, const Rows& own, std::size_t y, std::uint32_t above,
              std::uint32_t below) {
        constexpr std::uint32_t board = ((1U << side) - 1) << reach;
        const auto& squares = position.squares_;
        const auto sideways = [](std::uint32_t row) { return row << 1 | row >> 1; };
        taken[y] = 0;
        for (const Colour colour : all_colours) taken[y] |= squares[colour][y] << reach;
        const std::uint32_t beside = above | below | sideways(own[y]);
        free[y + reach] = board & ~(taken[y] | beside << reach);
        contacts[y] = free[y + reach] & sideways(above | below) << reach;
    }
    void start_contacts(Rules rules) {
        constexpr std::uint32_t ends = (1U | 1U << (side - 1)) << reach;
        const std::uint32_t inner = rules.corners ? 0 : ends;
        for (std::size_t y = 0; y < side; ++y) {
            const bool outer = y == 0 || y == side - 1;
            contacts[y] = free[y + reach] & (!outer ? inner : rules.corners ? ends : ~0U);
        }
    }
};

/// The free cells that lie at most so many steps over free cells from those of `begin`. There are
/// four rows more than the board has, so that vector instructions need not care for the last ones.
inline Rows reached(const Rows& begin, const Rows& free, std::size_t steps) {
    constexpr std::size_t rows = side + 4;
    std::array<std::uint32_t, rows> open{};
    std::array<std::array<std::uint32_t, rows + 2>, 2> both{};  // one row before and one behind
    for (std::size_t y = 0; y < side; ++y) {
        open[y] = free[y];
        both[0][y + 1] = begin[y];
    }
    for (std::size_t step = 0; step < steps; ++step) {
        const auto& last = both[step % 2];
        auto& now = both[1 - step % 2];
        for (std::size_t y = 0; y < rows; ++y) {
            const std::uint32_t flat = last[y + 1] | last[y + 1] << 1 | last[y + 1] >> 1;
            now[y + 1] = (flat | last[y] | last[y + 2]) & open[y];
        }
    }
    Rows found;
    std::copy_n(both[steps % 2].begin() + 1, side, found.begin());
    return found;
}

}  // namespace spielleiter::blokus
