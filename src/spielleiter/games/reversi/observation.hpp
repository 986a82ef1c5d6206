/// @file
/// How sets of cells are written for learners: as bytes or as rows of bits of the largest map.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "board.hpp"
#include "core/force_inline.hpp"
#include "core/game.hpp"
#include "core/simd.hpp"

namespace spielleiter::reversi {

inline constexpr std::size_t largest_side = 15;  ///< cells along an edge of the largest map
inline constexpr std::size_t plane_size = largest_side * largest_side;  ///< bytes of a plane

/// All cells of a row of the largest map.
inline constexpr PlaneRow whole_row = (1U << largest_side) - 1;

/// Writes a row of 15 cells: the cells 0 … 7, then 7 … 14.
inline void write_row(std::uint32_t row, std::uint8_t* to) {
    std::memcpy(to, simd::bytes_of_bits[row & 0xffU].data(), 8);
    std::memcpy(to + 7, simd::bytes_of_bits[row >> 7U & 0xffU].data(), 8);
}

static_assert(simd::bytes_written<largest_side> <= plane_size);

/// Writes a set into a plane that is blank beyond the cells of the layout.
SPIELLEITER_FORCE_INLINE void write_cells(Small::Set set, std::uint8_t* plane) {
    simd::write_as_bytes<largest_side>(set.words[0], plane);
}
/// The same for a set of the larger layout.
inline void write_cells(Large::Set set, std::uint8_t* plane) {
    for (std::size_t y = 0; y < Large::limit; ++y)
        write_row(Large::row(set, y), plane + y * largest_side);
}

/// Writes a row of up to 15 cells, and nothing beyond them.
void write_part_of_row(std::uint32_t row, std::size_t cells, std::uint8_t* to);

/// Writes the cells of a board and nothing else: rows × columns.
template <class Layout>
void write_board_cells(const Board<Layout>& board, const typename Layout::Set& set,
                       std::uint8_t* to) {
    for (std::size_t y = 0; y < board.height; ++y, to += board.width)
        write_part_of_row(Layout::row(set, y), board.width, to);
}

/// Writes the rows 0 … 7 of a plane of bits.
SPIELLEITER_FORCE_INLINE void write_rows(Small::Set set, PlaneRow* to) {
    simd::write_as_shorts(set.words[0], to);
}
/// Writes the rows 0 … 14 of a plane of bits: 0 … 11, then 11 … 14.
inline void write_rows(Large::Set set, PlaneRow* to) {
    static_assert(std::endian::native == std::endian::little);
    const auto& fours = set.words;
    std::memcpy(to, fours.data(), 3 * sizeof(fours[0]));
    const std::uint64_t last = fours[2] >> 48U | fours[3] << 16U;
    std::memcpy(to + 11, &last, sizeof(last));
}

/// Writes planes of bytes, as large as the largest map.
struct PlanesOfBytes {
    std::uint8_t* planes;  ///< of one game

    /// One plane.
    template <class Set>
    SPIELLEITER_FORCE_INLINE void operator()(std::size_t plane, const Set& cells) const {
        write_cells(cells, planes + plane * plane_size);
    }
};

/// Writes planes of bits.
struct PlanesOfBits {
    PlaneRow* rows;  ///< of one game

    /// One plane.
    template <class Set>
    SPIELLEITER_FORCE_INLINE void operator()(std::size_t plane, const Set& cells) const {
        write_rows(cells, rows + plane * largest_side);
    }
};

/// Writes planes of 8 × 8 bytes, without a look at the size of the map.
struct PlanesOfWords {
    std::uint8_t* planes;  ///< of one game

    /// One plane.
    SPIELLEITER_FORCE_INLINE void operator()(std::size_t plane, const Small::Set& cells) const {
        simd::write_as_bytes<8>(cells.words[0], planes + 64 * plane);
    }
};

/// Writes planes as large as the map of a board.
template <class Layout>
struct PlanesOfBoard {
    const Board<Layout>& board;  ///< any one of the game
    std::uint8_t* planes;        ///< of one game

    /// One plane.
    void operator()(std::size_t plane, const typename Layout::Set& cells) const {
        write_board_cells(board, cells, planes + plane * board.width * board.height);
    }
};

/// What `each_plane` does for more than two players, or where somebody is disqualified.
template <class Layout, class Write>
void each_plane_of_many(const Board<Layout>& board, Seat viewer, const Write& write) {
    Seat seat = viewer;
    std::size_t plane = 0;
    do {
        write(plane++, board.stones[seat]);
        seat = board.after(seat);
    } while (seat != viewer);
    write(5, viewer == board.mover ? board.legal : typename Layout::Set{});
    if (board.fallen == 0) return;
    typename Layout::Set fallen;
    for (seat = 0; seat < board.seats; ++seat)
        if (!board.plays(seat)) fallen |= board.stones[seat];
    write(6, fallen);
}

/// Calls `write` with the number and the cells of every plane that can change within a game.
template <class Layout, class Write>
SPIELLEITER_FORCE_INLINE void each_plane(const Board<Layout>& board, Seat viewer,
                                         const Write& write) {
    if (board.seats != 2 || board.fallen != 0) return each_plane_of_many(board, viewer, write);
    // All is read before anything is written: for all the compiler knows bytes could be a board.
    const typename Layout::Set own = board.stones[viewer];
    const typename Layout::Set other = board.stones[viewer ^ 1U];
    const typename Layout::Set legal = viewer == board.mover ? board.legal : typename Layout::Set{};
    write(0, own);
    write(1, other);
    write(5, legal);
}

/// As `each_plane`, into planes as large as the map.
template <class Layout>
SPIELLEITER_FORCE_INLINE void write_planes_of_board(const Board<Layout>& board, Seat viewer,
                                                    std::uint8_t* planes) {
    if constexpr (Layout::limit <= 8) {
        if (board.width == 8 && board.height == 8)
            return each_plane(board, viewer, PlanesOfWords{planes});
    }
    each_plane(board, viewer, PlanesOfBoard<Layout>{board, planes});
}

}  // namespace spielleiter::reversi
