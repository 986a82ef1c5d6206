/// @file
/// The pieces of Blokus, the 91 ways to hold them and the numbering of all placements (rules.md §2
/// and §3). Tables only, all made at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/game.hpp"

namespace spielleiter::blokus {

inline constexpr std::size_t side = 20;            ///< cells along an edge of the board
inline constexpr std::size_t cells = side * side;  ///< of the board
inline constexpr std::size_t colours = 4;          ///< of two seats
inline constexpr std::size_t kinds = 21;           ///< different pieces of a colour
inline constexpr std::size_t orientations = 91;    ///< ways to hold all pieces that look different
inline constexpr std::size_t longest = 5;          ///< squares of the largest piece

/// In the order of their turns; blue and red belong to the first seat.
enum class Colour : std::uint8_t { blue, yellow, red, green };
/// To loop over.
inline constexpr std::array<Colour, colours> all_colours{Colour::blue, Colour::yellow, Colour::red,
                                                         Colour::green};
/// Its place in the first round.
constexpr std::size_t index_of(Colour colour) { return static_cast<std::size_t>(colour); }
/// The colour so many turns later.
constexpr Colour turns_after(Colour colour, std::size_t turns) {
    return all_colours[(index_of(colour) + turns) % colours];
}
/// Whose it is.
constexpr Seat seat_of(Colour colour) { return static_cast<Seat>(index_of(colour) % 2U); }

/// A set of colours as bits.
using ColourSet = std::uint8_t;
/// The set of one colour.
constexpr ColourSet only(Colour colour) { return static_cast<ColourSet>(1U << index_of(colour)); }
/// Whether a colour is in a set.
constexpr bool holds(ColourSet set, Colour colour) { return (set & only(colour)) != 0; }

/// One value for each colour.
template <class T>
struct ByColour {
    std::array<T, colours> values{};  ///< in the order of their turns

    /// The same for every colour.
    bool operator==(const ByColour&) const = default;
    /// Of a colour.
    constexpr T& operator[](Colour colour) { return values[index_of(colour)]; }
    /// Of a colour.
    constexpr const T& operator[](Colour colour) const { return values[index_of(colour)]; }
};

/// The mask of a colour that has placed nothing.
inline constexpr std::uint32_t all_pieces = (1U << kinds) - 1;

/// A cell, or an offset between cells.
struct Square {
    std::int8_t x = 0;  ///< to the right
    std::int8_t y = 0;  ///< downwards
    /// The same cell.
    bool operator==(const Square&) const = default;
};

/// Squares in reading order: row by row, each from the left.
struct Shape {
    std::size_t size = 0;                   ///< how many squares there are
    std::array<Square, longest> squares{};  ///< only the first `size` count

    /// The same squares.
    bool operator==(const Shape&) const = default;

    /// Puts a square into its place in the order.
    constexpr void add(Square square) {
        std::size_t at = size++;
        for (; at > 0 && later(squares[at - 1], square); --at) squares[at] = squares[at - 1];
        squares[at] = square;
    }

  private:
    static constexpr bool later(Square a, Square b) { return a.y != b.y ? a.y > b.y : a.x > b.x; }
};

/// A piece as the wire names it; `squares` lists x and y of each.
struct Kind {
    std::string_view name;     ///< as on the wire
    std::string_view squares;  ///< two digits each, x and y, separated by blanks

    /// How many squares it has.
    constexpr std::size_t size() const { return (squares.size() + 1) / 3; }
};

/// In the order of the wire.
inline constexpr std::array<Kind, kinds> all_kinds{{
    {"MONO", "00"},
    {"DOMINO", "00 10"},
    {"TRIO_L", "00 01 11"},
    {"TRIO_I", "00 01 02"},
    {"TETRO_O", "00 10 01 11"},
    {"TETRO_T", "00 10 20 11"},
    {"TETRO_I", "00 01 02 03"},
    {"TETRO_L", "00 01 02 12"},
    {"TETRO_Z", "00 10 11 21"},
    {"PENTO_L", "00 01 02 03 13"},
    {"PENTO_T", "00 10 20 11 12"},
    {"PENTO_V", "00 01 02 12 22"},
    {"PENTO_S", "10 20 30 01 11"},
    {"PENTO_Z", "00 10 11 12 22"},
    {"PENTO_I", "00 01 02 03 04"},
    {"PENTO_P", "00 10 01 11 02"},
    {"PENTO_W", "00 01 11 12 22"},
    {"PENTO_U", "00 01 11 21 20"},
    {"PENTO_R", "01 11 12 21 20"},
    {"PENTO_X", "10 01 11 21 12"},
    {"PENTO_Y", "01 10 11 12 13"},
}};

inline constexpr std::size_t mono = 0;  ///< the piece of one square
/// The cross, which some editions never draw as start piece.
inline constexpr std::size_t pento_x = 19;
inline constexpr std::size_t first_pentomino = 9;  ///< from here on pieces have five squares

/// One way to hold a piece: the first of the rotations and flips that look like this.
struct Orientation {
    std::uint8_t kind = 0;                      ///< index into `all_kinds`
    std::uint8_t rotation = 0;                  ///< quarter turns to the right
    bool flipped = false;                       ///< mirrored after the rotation
    Shape shape;                                ///< its squares, from the upper left corner
    std::uint8_t width = 0;                     ///< in cells
    std::uint8_t height = 0;                    ///< in cells
    std::array<std::uint32_t, longest> rows{};  ///< the shape once more, bit x of row y
};

/// The squares of a piece, rotated, then flipped, then moved into the upper left corner.
constexpr Shape turned(std::size_t kind, std::size_t rotation, bool flipped) {
    const Kind& piece = all_kinds[kind];
    std::array<Square, longest> squares{};
    Square least{longest, longest};
    for (std::size_t at = 0; at < piece.size(); ++at) {
        Square square{static_cast<std::int8_t>(piece.squares[3 * at] - '0'),
                      static_cast<std::int8_t>(piece.squares[3 * at + 1] - '0')};
        for (std::size_t turn = 0; turn < rotation; ++turn) {
            square = {static_cast<std::int8_t>(-square.y), square.x};
        }
        if (flipped) square.x = static_cast<std::int8_t>(-square.x);
        least = {square.x < least.x ? square.x : least.x, square.y < least.y ? square.y : least.y};
        squares[at] = square;
    }
    Shape shape;
    for (std::size_t at = 0; at < piece.size(); ++at) {
        shape.add({static_cast<std::int8_t>(squares[at].x - least.x),
                   static_cast<std::int8_t>(squares[at].y - least.y)});
    }
    return shape;
}

namespace tables {

/// A piece after rotation and flip, with all that follows from it.
constexpr Orientation held(std::size_t kind, std::size_t rotation, bool flipped) {
    Orientation made;
    made.kind = static_cast<std::uint8_t>(kind);
    made.rotation = static_cast<std::uint8_t>(rotation);
    made.flipped = flipped;
    made.shape = turned(kind, rotation, flipped);
    for (std::size_t at = 0; at < made.shape.size; ++at) {
        const Square square = made.shape.squares[at];
        const auto wide = static_cast<std::uint8_t>(square.x + 1);
        const auto high = static_cast<std::uint8_t>(square.y + 1);
        made.width = wide > made.width ? wide : made.width;
        made.height = high > made.height ? high : made.height;
        made.rows[high - 1U] |= 1U << square.x;
    }
    return made;
}

/// What the 91 orientations are, and which of them each rotation and flip of a piece looks like.
struct Numbering {
    std::array<Orientation, orientations>
        list{};  ///< one for each look, in the order in which they are found
    std::array<std::array<std::uint8_t, 8>, kinds> looks_like{};  ///< [kind][rotation + 4·flipped]
    std::size_t count = 0;                                        ///< looks found so far
};

/// Tries all rotations and flips of all pieces.
constexpr Numbering numbering() {
    Numbering made;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        const std::size_t first = made.count;
        for (std::size_t how = 0; how < 8; ++how) {
            const Orientation next = held(kind, how % 4, how >= 4);
            std::size_t same = first;
            while (same < made.count && made.list[same].shape != next.shape) ++same;
            if (same == made.count) made.list[made.count++] = next;
            made.looks_like[kind][how] = static_cast<std::uint8_t>(same);
        }
    }
    return made;
}

inline constexpr Numbering numbered = numbering();  ///< the result, made at compile time
static_assert(numbered.count == orientations);

}  // namespace tables

/// By their numbers.
inline constexpr const std::array<Orientation, orientations>& all_orientations =
    tables::numbered.list;

/// The number of the orientation that a rotation and flip of a piece looks like.
constexpr std::size_t orientation_of(std::size_t kind, std::size_t rotation, bool flipped) {
    return tables::numbered.looks_like[kind][rotation + (flipped ? 4U : 0U)];
}

/// Whether an orientation lies wholly on the board with its upper left corner on that cell.
constexpr bool fits_on_board(const Orientation& orientation, std::size_t cell) {
    return cell % side + orientation.width <= side && cell / side + orientation.height <= side;
}

/// How many of all numbers mean a placement that lies on the board.
constexpr std::size_t placements_on_board() {
    std::size_t count = 0;
    for (const Orientation& orientation : all_orientations) {
        count += (side + 1 - orientation.width) * (side + 1 - orientation.height);
    }
    return count;
}
static_assert(placements_on_board() == 30433);

/// Squares of all pieces in a mask.
constexpr int squares_of(std::uint32_t mask) {
    int count = 0;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        if ((mask >> kind & 1U) != 0) count += static_cast<int>(all_kinds[kind].size());
    }
    return count;
}
inline constexpr int all_squares = squares_of(all_pieces);  ///< squares of all pieces of a colour
static_assert(all_squares == 89);

}  // namespace spielleiter::blokus
