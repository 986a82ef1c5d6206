/// @file
/// What the policy network sees of a position: what each cell is
/// to each colour, and a few numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "layers.hpp"
#include "placement_map.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

/// Colours are counted from the one on turn: 0 is on turn, 1 the next, 2 its partner, 3 the other
/// opponent. To each of them a cell is at one of five levels: 4 if it lies there; if it is in play,
/// 3 at a contact, 2 where it could lie with its next piece, if it had any piece it liked, 1 where
/// it could lie at all; else 0.
struct PolicyInput {
    static constexpr std::size_t levels = 5;  ///< see above

    /// Reads a position that is not over.
    explicit PolicyInput(const Position& position)
        : pieces(position.pieces(position.colour())), round(position.turn_ / colours) {
        for (std::size_t seen = 0; seen < colours; ++seen) look(position, seen);
    }

    std::array<Levels, colours> level{};  ///< by colour, counted from the one on turn
    std::uint32_t pieces;                 ///< that the colour on turn may place
    std::size_t round;                    ///< turns of each colour so far

  private:
    void look(const Position& position, std::size_t seen) {
        const Colour colour = turns_after(position.colour(), seen);
        const Rows& own = position.squares_[colour];
        Rows contacts{};
        Rows free{};
        if (position.is_in_play(colour)) {
            const PlacementMap map(position, colour);
            for (std::size_t y = 0; y < side; ++y) {
                contacts[y] = map.contacts[y] >> reach;
                free[y] = map.free[y + reach] >> reach;
            }
        }
        const Rows near = reached(contacts, free, reach);
        for (std::size_t y = 0; y < side; ++y)
            raise(level[seen], y,
                  {own[y] | free[y], own[y] | near[y], own[y] | contacts[y], own[y]});
    }
};

}  // namespace spielleiter::blokus
