/// @file
/// e to the power of −x from a table: the same on every machine, and quicker than the library's.
#pragma once

#include <array>
#include <cstddef>

namespace spielleiter::search {

/// A table of e^(−x) for x from 0 to 16; beyond that the result is 0.
struct ExponentialTable {
    static constexpr std::size_t steps = 1024;            ///< entries up to x = 16
    static constexpr float steps_per_unit = 64.0F;        ///< entries between x and x + 1
    static constexpr double ratio = 0.98449643700540845;  ///< of neighbours: e^(−1/64)

    /// Fills the table by repeated multiplication, at compile time.
    constexpr ExponentialTable() {
        double value = 1.0;
        for (auto& each : values) {
            each = static_cast<float>(value);
            value *= ratio;
        }
        values[steps] = 0.0F;
    }

    std::array<float, steps + 1> values{};  ///< entry n is e^(−n/64), the last one is 0
};
inline constexpr ExponentialTable exponential_table;  ///< the one that `exp_negative` reads

/// e^(−x) for x ≥ 0, interpolated between the entries of the table.
inline float exp_negative(float x) {
    const float place = x * ExponentialTable::steps_per_unit;
    if (!(place < static_cast<float>(ExponentialTable::steps))) return 0.0F;
    const auto at = static_cast<std::size_t>(place);
    const float rest = place - static_cast<float>(at);
    const auto& values = exponential_table.values;
    return values[at] + rest * (values[at + 1] - values[at]);
}

}  // namespace spielleiter::search
