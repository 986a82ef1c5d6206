/// @file
/// What the forecast network sees of a position: what each cell
/// is to each colour, and a few numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "layers.hpp"
#include "placement_map.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

/// Colours are counted from the one on turn, as in `PolicyInput`. Of each that is in play cells are
/// at one of six levels: 0 if it cannot lie there, 1 if it can, 2, 3 and 4 if they lie at most 19,
/// 9 and 4 steps from a contact, which is as far as four pieces, two or one reach, 5 if it is one.
struct ForecastInput {
    static constexpr std::size_t levels = 6;  ///< see above

    /// Reads a position that is not over.
    explicit ForecastInput(const Position& position) : round(position.turn_ / colours) {
        const auto scores = position.scores();
        lead = scores[position.to_move()] - scores[1U - position.to_move()];
        for (std::size_t seen = 0; seen < colours; ++seen) look(position, seen);
    }

    std::array<Levels, colours> level{};          ///< by colour, counted from the one on turn
    std::array<std::uint32_t, colours> pieces{};  ///< that are left to those in play
    std::size_t round;                            ///< turns of each colour so far
    int lead;  ///< points the seat on turn has more than the other

  private:
    void look(const Position& position, std::size_t seen) {
        const Colour colour = turns_after(position.colour(), seen);
        if (!position.is_in_play(colour)) return;
        pieces[seen] = position.remaining_[colour];
        const PlacementMap map(position, colour);
        Rows contacts;
        Rows free;
        for (std::size_t y = 0; y < side; ++y) {
            contacts[y] = map.contacts[y] >> reach;
            free[y] = map.free[y + reach] >> reach;
        }
        const Rows near = reached(contacts, free, 4);
        const Rows far = reached(near, free, 5);
        const Rows farther = reached(far, free, 10);
        for (std::size_t y = 0; y < side; ++y)
            raise(level[seen], y, {free[y], farther[y], far[y], near[y], contacts[y]});
    }
};

}  // namespace spielleiter::blokus
