/// @file
/// Texts of moves and positions.
///
/// A position is one line: the rows from the top joined by `/`, each cell `0` (empty), `1` … `4`
/// (a stone of that player) or `-` (a hole); a blank; the number of players; a blank; the player to
/// move, from 1; a blank; the disqualified players in the order in which it happened, or `-`.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "core/zobrist.hpp"
#include "position.hpp"

namespace spielleiter::reversi {

namespace {

constexpr auto hole_keys = zobrist_table<Move::codes, 0x5e7e25154ULL>();
/// Height h (from 1), width w and n players: entries h, 16 + w and 32 + n.
constexpr auto shape_keys = zobrist_table<37, 0x5e7e25155ULL>();

/// What a text says, before it is laid on a layout.
struct Reading {
    std::vector<std::string_view> rows;
    std::size_t seats = 0;
    Seat mover = 0;
    std::vector<Seat> fallen;

    std::size_t height() const { return rows.size(); }
    std::size_t width() const { return rows.front().size(); }
    bool is_fallen(Seat seat) const {
        return std::find(fallen.begin(), fallen.end(), seat) != fallen.end();
    }
};

bool is_cell(char mark) { return mark == '-' || (mark >= '0' && mark <= '4'); }

std::string_view read_row(Cursor& cursor) {
    const std::string_view rest = cursor.rest();
    std::size_t size = 0;
    for (; is_cell(cursor.peek()) && !cursor.done(); ++size) cursor.take();
    return rest.substr(0, size);
}

void read_rows(Cursor& cursor, Reading& reading) {
    do {
        const std::size_t begin = cursor.at();
        const std::string_view row = read_row(cursor);
        if (row.empty()) cursor.fail("expected a cell: 0 to 4 or -");
        if (row.size() > largest_side)
            cursor.fail("a row has at most 15 cells", begin + largest_side);
        if (reading.height() == largest_side) cursor.fail("there are at most 15 rows", begin);
        if (reading.height() > 0 && row.size() != reading.width())
            cursor.fail("this row has another length than the first one", begin);
        reading.rows.push_back(row);
    } while (cursor.accept('/'));
}

int read_digit(Cursor& cursor, char least, char most, const std::string& problem) {
    if (cursor.done() || cursor.peek() < least || cursor.peek() > most) cursor.fail(problem);
    return cursor.take() - '0';
}

/// Stones of players who are not in the game are found only when their number is known.
void check_stones(const Cursor& cursor, const Reading& reading, std::string_view text) {
    for (const std::string_view row : reading.rows) {
        for (const char& cell : row) {
            if (cell == '-' || cell <= static_cast<char>('0' + reading.seats)) continue;
            cursor.fail("a stone of a player who is not in the game",
                        static_cast<std::size_t>(&cell - text.data()));
        }
    }
}

void read_fallen(Cursor& cursor, Reading& reading) {
    if (cursor.accept('-')) return;
    const auto last = static_cast<char>('0' + reading.seats);
    do {
        const std::size_t at = cursor.at();
        const auto seat = static_cast<Seat>(
            read_digit(cursor, '1', last, "expected the disqualified players, or -") - 1);
        if (reading.is_fallen(seat)) cursor.fail("this player is disqualified already", at);
        reading.fallen.push_back(seat);
    } while (!cursor.done());
}

Reading read(std::string_view text) {
    Cursor cursor(text);
    Reading reading;
    read_rows(cursor, reading);
    cursor.expect(' ', "a cell (0 to 4 or -), / or a blank");
    reading.seats = static_cast<std::size_t>(
        read_digit(cursor, '2', '4', "expected the number of players, 2 to 4"));
    check_stones(cursor, reading, text);
    cursor.expect(' ', "a blank before the player to move");
    const std::size_t mover_at = cursor.at();
    reading.mover =
        static_cast<Seat>(read_digit(cursor, '1', static_cast<char>('0' + reading.seats),
                                     "expected the player to move, counted from 1") -
                          1);
    cursor.expect(' ', "a blank before the disqualified players");
    read_fallen(cursor, reading);
    cursor.end();
    if (reading.is_fallen(reading.mover) && reading.fallen.size() < reading.seats)
        cursor.fail("the player to move is disqualified", mover_at);
    return reading;
}

template <class Layout>
void put(Board<Layout>& board, std::size_t x, std::size_t y, char mark) {
    const std::size_t cell = board.cell(x, y);
    if (mark == '-') {
        board.map_key ^= hole_keys[largest_side * y + x];
    } else if (mark == '0') {
        board.empty.set(cell);
    } else {
        board.occupied.set(cell);
        board.stones[static_cast<std::size_t>(mark - '1')].set(cell);
    }
}

template <class Layout>
Board<Layout> lay(const Reading& reading) {
    Board<Layout> board;
    board.height = static_cast<std::uint8_t>(reading.height());
    board.width = static_cast<std::uint8_t>(reading.width());
    board.seats = static_cast<std::uint8_t>(reading.seats);
    board.map_key =
        shape_keys[board.height] ^ shape_keys[16U + board.width] ^ shape_keys[32U + board.seats];
    for (std::size_t y = 0; y < reading.height(); ++y) {
        for (std::size_t x = 0; x < reading.width(); ++x) put(board, x, y, reading.rows[y][x]);
    }
    board.remaining = static_cast<std::uint8_t>((1U << board.seats) - 1U);
    for (const Seat seat : reading.fallen) {
        board.remaining = static_cast<std::uint8_t>(board.remaining & ~(1U << seat));
        board.fallen_seats[board.fallen++] = seat;
    }
    board.give_turn(reading.mover);
    return board;
}

template <class Layout>
char mark_at(const Board<Layout>& board, std::size_t x, std::size_t y) {
    const std::size_t cell = board.cell(x, y);
    if (board.empty.test(cell)) return '0';
    for (std::size_t seat = 0; seat < board.seats; ++seat) {
        if (board.stones[seat].test(cell)) return static_cast<char>('1' + seat);
    }
    return '-';
}

/// A coordinate of a move, in `low` … `low` + 14.
std::uint8_t coordinate(Cursor& cursor, int low, const std::string& meaning) {
    const std::size_t at = cursor.at();
    const int number = cursor.number(meaning);
    if (number < low || number >= low + static_cast<int>(largest_side))
        cursor.fail("expected " + meaning, at);
    return static_cast<std::uint8_t>(number - low);
}

}  // namespace

std::string Move::text() const { return static_cast<char>('a' + x) + std::to_string(y + 1); }

Rules Rules::named(std::string_view edition, std::string_view authority) {
    if (edition != "reversi") throw UsageError("reversi has no edition " + std::string(edition));
    if (authority != "document" && authority != "server")
        throw UsageError("reversi knows no authority " + std::string(authority));
    return {authority == "server"};
}

Position Position::start(std::uint64_t, std::string_view set_up, Rules rules) {
    return parse(set_up, rules);
}

Position Position::parse(std::string_view text, Rules rules) {
    const Reading reading = read(text);
    Position position;
    position.rules_ = rules;
    if (reading.height() <= Small::limit && reading.width() <= Small::limit) {
        position.board_ = lay<Small>(reading);
    } else {
        position.board_ = lay<Large>(reading);
    }
    position.first_stones_ = static_cast<std::uint8_t>(position.ply());
    return position;
}

std::string Position::text() const {
    return std::visit(
        [](const auto& board) {
            std::string text;
            for (std::size_t y = 0; y < board.height; ++y) {
                if (y > 0) text += '/';
                for (std::size_t x = 0; x < board.width; ++x) text += mark_at(board, x, y);
            }
            text += ' ' + std::to_string(board.seats) + ' ' + std::to_string(board.mover + 1) + ' ';
            if (board.fallen == 0) return text + '-';
            for (std::size_t turn = 0; turn < board.fallen; ++turn)
                text += static_cast<char>('1' + board.fallen_seats[turn]);
            return text;
        },
        board_);
}

/// `d3` as people write it, or `3,2` as x,y from 0.
Move Position::parse_move(std::string_view text) {
    Cursor cursor(text);
    Move move;
    if (cursor.peek() >= '0' && cursor.peek() <= '9') {
        move.x = coordinate(cursor, 0, "the column x, 0 to 14");
        cursor.expect(',', "',' between x and y");
        move.y = coordinate(cursor, 0, "the row y, 0 to 14");
    } else {
        const char letter = cursor.peek();
        const bool capital = letter >= 'A' && letter <= 'O';
        if (!capital && !(letter >= 'a' && letter <= 'o'))
            cursor.fail("expected a column letter, a to o, or the column x");
        move.x = static_cast<std::uint8_t>(cursor.take() - (capital ? 'A' : 'a'));
        move.y = coordinate(cursor, 1, "the row, 1 to 15 from the top");
    }
    cursor.end();
    return move;
}

}  // namespace spielleiter::reversi
