/// @file
/// What the policy network sees of a position: sixteen planes of bits and a few numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ground.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

/// Colours are counted from the one on turn: 0 is on turn, 1 the next, 2 its partner, 3 the other
/// opponent. Of each there are four planes: its squares, its contacts, the cells it could lie on,
/// and those of them it could cover with its next piece, if it had any piece it liked.
struct Sight {
    static constexpr std::size_t kinds_of_planes = 4;
    static constexpr std::size_t planes = colours * kinds_of_planes;

    explicit Sight(const Position& position)
        : pieces(position.pieces(position.colour())), round(position.turn_ / colours) {
        for (std::size_t seen = 0; seen < colours; ++seen) look(position, seen);
    }

    std::array<Rows, planes> rows{};
    std::uint32_t pieces;  ///< that the colour on turn may place
    std::size_t round;

  private:
    void look(const Position& position, std::size_t seen) {
        const std::size_t colour = (position.colour() + seen) % colours;
        Rows* const plane = &rows[kinds_of_planes * seen];
        plane[0] = position.squares_[colour];
        if (!position.is_in_play(colour)) return;
        const Ground ground(position, colour);
        for (std::size_t y = 0; y < side; ++y) {
            plane[1][y] = ground.contacts[y] >> reach;
            plane[2][y] = ground.free[y + reach] >> reach;
        }
        plane[3] = reached(plane[1], plane[2], reach);
    }
};

}  // namespace spielleiter::blokus
