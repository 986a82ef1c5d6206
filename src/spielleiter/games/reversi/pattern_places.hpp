/// @file
/// Where the patterns of the board of 8 × 8 lie.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace spielleiter::reversi {

/// The places of all patterns on the board.
struct Places {
    /// Patterns that rotations and reflections map to each other share a table.
    static constexpr std::size_t families = 11;
    static constexpr std::size_t count = 48;  ///< a multiple of four
    /// Indices that mirror no lower one, in all tables together.
    static constexpr std::size_t columns = 149'922;

    /// One pattern on the board.
    struct Place {
        std::uint8_t family = 0;               ///< which table it reads
        std::uint8_t size = 0;                 ///< number of cells
        std::array<std::uint8_t, 10> cells{};  ///< the first one is the lowest digit
    };

    /// Where the table of each place begins: known to the compiler, so that it costs nothing.
    static constexpr std::array<std::uint32_t, count> starts = [] {
        constexpr std::array<std::size_t, families> cells{9, 10, 10, 8, 8, 8, 10, 7, 6, 5, 4};
        constexpr std::array<std::size_t, families> places{4, 8, 4, 4, 4, 4, 4, 4, 4, 4, 4};
        std::array<std::uint32_t, count> made{};
        std::uint32_t start = 0;
        std::size_t at = 0;
        for (std::size_t family = 0; family < families; ++family) {
            for (std::size_t place = 0; place < places[family]; ++place) made[at++] = start;
            std::uint32_t size = 1;
            for (std::size_t cell = 0; cell < cells[family]; ++cell) size *= 3;
            start += size;
        }
        return made;
    }();

    /// Calls `body` with each place as a constant.
    template <class Body>
    static void each(Body&& body) {
        [&]<std::size_t... at>(std::index_sequence<at...>) {
            (body(std::integral_constant<std::size_t, at>{}), ...);
        }(std::make_index_sequence<count>{});
    }

    std::array<Place, count> places{};            ///< families side by side
    std::array<std::size_t, families> sizes{};    ///< number of cells
    std::array<std::size_t, families> offsets{};  ///< of the family's table
    std::size_t indices = 0;                      ///< in all tables together

    /// The only one, made on first use.
    static const Places& all();
    /// The column of each index of all tables; an index and its mirror image share one.
    static std::vector<std::uint32_t> columns_of_indices();
};

/// What lies in each place: its stones as a number in base 3.
using PatternIndices = std::array<std::uint16_t, Places::count>;

}  // namespace spielleiter::reversi
