// Who sits where in a run of many games on a list of maps.
#pragma once

#include <cstddef>
#include <cstdint>

namespace schedule {

/// Our seat in a game: it rotates from map to map, and on each map from lap to lap.
constexpr std::size_t seat_in(std::uint64_t number, std::size_t maps, std::size_t seats) {
    return (number % maps + number / maps) % seats;
}

/// Whether every seat is ours once in `seats` laps, on each of so many maps.
constexpr bool rotates(std::size_t maps, std::size_t seats) {
    for (std::uint64_t map = 0; map < maps; ++map) {
        std::size_t seen = 0;
        for (std::uint64_t lap = 0; lap < seats; ++lap)
            seen |= std::size_t{1} << seat_in(lap * maps + map, maps, seats);
        if (seen != (std::size_t{1} << seats) - 1) return false;
    }
    return true;
}
static_assert(rotates(7, 2) && rotates(8, 2) && rotates(8, 3) && rotates(7, 4) && rotates(6, 4));

}  // namespace schedule
