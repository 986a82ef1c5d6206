/// @file
/// What the forecast network sees of a position: twenty planes of bits and a few numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ground.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

/// Colours are counted from the one on turn, as in `Sight`. Of each that is in play there are five
/// planes: its contacts, the cells it could lie on, and those of them that lie at most 4, 9 and 19
/// steps from a contact, which is as far as one piece, two or four reach.
struct Prospect {
    static constexpr std::size_t kinds_of_planes = 5;
    static constexpr std::size_t planes = colours * kinds_of_planes;

    explicit Prospect(const Position& position) : round(position.turn_ / colours) {
        const auto scores = position.scores();
        lead = scores[position.to_move()] - scores[1U - position.to_move()];
        for (std::size_t seen = 0; seen < colours; ++seen) look(position, seen);
    }

    std::array<Rows, planes> rows{};
    std::array<std::uint32_t, colours> pieces{};  ///< that are left to those in play
    std::size_t round;
    int lead;  ///< points the seat on turn has more than the other

  private:
    void look(const Position& position, std::size_t seen) {
        const std::size_t colour = (position.colour() + seen) % colours;
        if (!position.is_in_play(colour)) return;
        pieces[seen] = position.remaining_[colour];
        Rows* const plane = &rows[kinds_of_planes * seen];
        const Ground ground(position, colour);
        for (std::size_t y = 0; y < side; ++y) {
            plane[0][y] = ground.contacts[y] >> reach;
            plane[1][y] = ground.free[y + reach] >> reach;
        }
        plane[2] = reached(plane[0], plane[1], 4);
        plane[3] = reached(plane[2], plane[1], 5);
        plane[4] = reached(plane[3], plane[1], 10);
    }
};

}  // namespace spielleiter::blokus
