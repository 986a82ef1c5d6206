/// @file
/// e to the power of −x from a table: the same on every machine, and quicker than the library's.
#pragma once

#include <array>
#include <cstddef>

namespace spielleiter::search {

inline constexpr std::size_t fade_steps = 1024;  ///< beyond 16 nothing is left
inline constexpr float fade_steps_per_unit = 64.0F;

inline constexpr auto fade_table = [] {
    std::array<float, fade_steps + 1> made{};
    double value = 1.0;
    for (auto& each : made) {
        each = static_cast<float>(value);
        value *= 0.98449643700540845;  // e^(−1/64)
    }
    made[fade_steps] = 0.0F;
    return made;
}();

/// For x from 0 on.
inline float faded(float x) {
    const float place = x * fade_steps_per_unit;
    if (!(place < static_cast<float>(fade_steps))) return 0.0F;
    const auto at = static_cast<std::size_t>(place);
    const float rest = place - static_cast<float>(at);
    return fade_table[at] + rest * (fade_table[at + 1] - fade_table[at]);
}

}  // namespace spielleiter::search
