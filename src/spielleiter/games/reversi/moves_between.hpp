/// @file
/// Which moves were made between two boards of a game.
#pragma once

#include <cstddef>
#include <vector>

#include "board.hpp"

namespace spielleiter::reversi {

/// A move and the board on which it was made.
template <class Layout>
struct MoveMade {
    Board<Layout> before;  ///< whose mover made it
    std::size_t cell;      ///< where the stone was set
};

/// Whether a board may come later in a game than another one.
template <class Layout>
bool may_follow(const Board<Layout>& before, const Board<Layout>& after) {
    return before.map_key == after.map_key && before.seats == after.seats &&
           without(before.occupied, after.occupied).none();
}

/// The moves that lead from one board to another; none if there is no way of a few moves.
template <class Layout>
std::vector<MoveMade<Layout>> moves_between(const Board<Layout>& before,
                                            const Board<Layout>& after) {
    constexpr int most = 6;  // with many more the orders of moves are too many to try
    using Set = typename Layout::Set;
    std::vector<MoveMade<Layout>> moves;
    const auto reaches = [&](const auto& again, const Board<Layout>& board, const Set& missing) {
        if (missing.none()) return board == after;
        Set next = board.legal & missing;
        while (next.any()) {
            const std::size_t cell = next.pop();
            moves.push_back({board, cell});
            Board<Layout> child = board;
            child.play(cell);
            Set rest = missing;
            rest.reset(cell);
            if (again(again, child, rest)) return true;
            moves.pop_back();
        }
        return false;
    };
    const Set missing = without(after.occupied, before.occupied);
    if (!may_follow(before, after) || missing.count() > most || !reaches(reaches, before, missing))
        return {};
    return moves;
}

}  // namespace spielleiter::reversi
