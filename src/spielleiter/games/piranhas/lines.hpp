/// @file
/// The 58 lines of the board, each a word of up to ten bits, and what can move along one of them.
///
/// All fish on a line have the same distance (rules.md §3), so a whole line moves by one shift: the
/// targets are the own bits shifted by the number of fish, without those whose way an opponent
/// bars.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace spielleiter::piranhas {

inline constexpr int side = 10;              ///< fields along an edge of the board
inline constexpr std::size_t squares = 100;  ///< fields of the board
inline constexpr std::size_t axes = 4;       ///< row, column, rising diagonal, falling diagonal
/// Rows, columns and both kinds of diagonals.
inline constexpr std::size_t line_count = 10 + 10 + 19 + 19;

using LineBits = std::uint16_t;  ///< one bit per square of a line

/// A field of the board: A0 is the first, J9 the last. Weights, bits and seats do not pass for one.
enum class Square : std::uint8_t {};
/// The field of a number, which counts row by row from A0.
constexpr Square numbered(std::size_t number) { return static_cast<Square>(number); }
/// The field in column x and row y; y counts upwards.
constexpr Square square_at(int x, int y) { return static_cast<Square>(side * y + x); }
/// The number of a field.
constexpr std::size_t number_of(Square square) { return static_cast<std::size_t>(square); }
/// Counted from the left.
constexpr int column_of(Square square) { return static_cast<int>(square) % side; }
/// Counted upwards.
constexpr int row_of(Square square) { return static_cast<int>(square) / side; }

/// A direction, in the order of the wire. Its axis and sign follow from the tables below.
enum class Direction : std::uint8_t {
    up,
    up_right,
    right,
    down_right,
    down,
    down_left,
    left,
    up_left
};
inline constexpr std::size_t directions = 8;  ///< how many there are

/// From a field to its neighbour.
struct Step {
    int x;  ///< to the right
    int y;  ///< upwards
};
/// By direction.
inline constexpr std::array<Step, directions> steps{
    {{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}};

/// Where a square lies on the four lines through it: which line, which bit.
struct SquareLines {
    std::array<std::uint8_t, axes> line;  ///< by axis
    std::array<std::uint8_t, axes> bit;   ///< by axis
};

/// Of the field in column x and row y.
constexpr SquareLines lines_of(int x, int y) {
    const auto byte = [](int value) { return static_cast<std::uint8_t>(value); };
    return {{byte(y), byte(10 + x), byte(20 + x - y + 9), byte(39 + x + y)},
            {byte(x), byte(y), byte(x), byte(x)}};
}

/// By field.
inline constexpr std::array<SquareLines, squares> places = [] {
    std::array<SquareLines, squares> table{};
    for (std::size_t number = 0; number < squares; ++number)
        table[number] = lines_of(column_of(numbered(number)), row_of(numbered(number)));
    return table;
}();
/// The four lines through a field.
constexpr const SquareLines& lines_of(Square square) { return places[number_of(square)]; }

/// The field of each bit of each line.
inline constexpr auto squares_of = [] {
    std::array<std::array<Square, side>, line_count> table{};
    for (std::size_t number = 0; number < squares; ++number) {
        for (std::size_t axis = 0; axis < axes; ++axis)
            table[places[number].line[axis]][places[number].bit[axis]] = numbered(number);
    }
    return table;
}();

/// The axis of a line.
constexpr std::size_t axis_of(std::size_t line) {
    return line < 10 ? 0 : line < 20 ? 1 : line < 39 ? 2 : 3;
}

/// So many fields from `from` in a direction; it must lie on the board.
constexpr Square along(Square from, Direction direction, int distance) {
    const Step step = steps[static_cast<std::size_t>(direction)];
    return static_cast<Square>(static_cast<int>(from) + distance * (side * step.y + step.x));
}

/// The bits of each line that lie on the board.
inline constexpr std::array<LineBits, line_count> on_board = [] {
    std::array<LineBits, line_count> table{};
    for (const SquareLines& place : places) {
        for (std::size_t axis = 0; axis < axes; ++axis) {
            table[place.line[axis]] |= static_cast<LineBits>(1U << place.bit[axis]);
        }
    }
    return table;
}();

/// Axis of each direction, and whether it runs towards higher bits.
struct AxisDirection {
    std::uint8_t axis;  ///< index of the axis
    bool upwards;       ///< towards higher bits
};
/// By direction.
inline constexpr std::array<AxisDirection, directions> axis_directions{
    {{1, true}, {2, true}, {0, true}, {3, true}, {1, false}, {2, false}, {0, false}, {3, false}}};

/// The directions of an axis: towards higher bits, towards lower bits.
inline constexpr std::array<std::array<Direction, 2>, axes> directions_of{
    {{Direction::right, Direction::left},
     {Direction::up, Direction::down},
     {Direction::up_right, Direction::down_left},
     {Direction::down_right, Direction::up_left}}};

/// Number of fish on a line. A table, because the portable flavour has no instruction for it.
inline constexpr std::array<std::uint8_t, 1024> fish_count = [] {
    std::array<std::uint8_t, 1024> table{};
    for (unsigned line = 0; line < table.size(); ++line) {
        table[line] = static_cast<std::uint8_t>(std::popcount(line));
    }
    return table;
}();

/// How to smear a set over the distance − 1 fields behind it by doubling: three shifts, each at
/// most as far as what is covered already. Distance 10 leaves every line, so 9 is the longest.
struct Smear {
    std::uint8_t first;   ///< length of the first shift
    std::uint8_t second;  ///< length of the second shift
    std::uint8_t third;   ///< length of the third shift
    std::uint32_t any;    ///< all ones, or zero for distance 1: nothing lies between
};
/// By distance.
inline constexpr std::array<Smear, 11> smears{{{0, 0, 0, 0U},
                                               {0, 0, 0, 0U},
                                               {0, 0, 0, ~0U},
                                               {1, 0, 0, ~0U},
                                               {1, 1, 0, ~0U},
                                               {1, 2, 0, ~0U},
                                               {1, 2, 1, ~0U},
                                               {1, 2, 2, ~0U},
                                               {1, 2, 3, ~0U},
                                               {1, 2, 4, ~0U},
                                               {1, 2, 4, ~0U}}};

/// Where the own fish of a line can land, seen from the targets.
struct Targets {
    LineBits up;            ///< landing fields of moves towards higher bits
    LineBits down;          ///< landing fields of moves towards lower bits
    std::uint8_t distance;  ///< number of fish on the line
};

/// `land` are the fields of the line where a fish may end its move, own fish excluded by the
/// caller.
inline Targets targets_of(LineBits own, LineBits enemy, LineBits land) {
    const std::uint8_t distance = fish_count[own | enemy];
    const Smear smear = smears[distance];
    std::uint32_t up = std::uint32_t{enemy} << 1U;
    up |= up << smear.first;
    up |= up << smear.second;
    up |= up << smear.third;
    // The mirror image runs in the upper half of a wider word, so that nothing falls off below.
    std::uint32_t down = std::uint32_t{enemy} << 15U;
    down |= down >> smear.first;
    down |= down >> smear.second;
    down |= down >> smear.third;
    const std::uint32_t barred_up = up & smear.any;
    const std::uint32_t barred_down = (down >> 16U) & smear.any;
    return {static_cast<LineBits>((std::uint32_t{own} << distance) & land & ~barred_up),
            static_cast<LineBits>((std::uint32_t{own} >> distance) & land & ~barred_down),
            distance};
}

/// Number of moves along a line.
inline int count_along(LineBits own, LineBits enemy, LineBits land) {
    const Targets targets = targets_of(own, enemy, land);
    return fish_count[targets.up] + fish_count[targets.down];
}

}  // namespace spielleiter::piranhas
