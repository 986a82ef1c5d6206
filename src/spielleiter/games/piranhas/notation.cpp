#include <algorithm>
#include <cctype>

#include "core/text.hpp"
#include "position.hpp"

namespace spielleiter::piranhas {

namespace {

constexpr std::array<std::string_view, directions> direction_names{
    "up", "up-right", "right", "down-right", "down", "down-left", "left", "up-left"};

constexpr std::string_view fish_letters = "abcABC";

std::string field_text(Square square) {
    return {static_cast<char>('A' + column_of(square)), static_cast<char>('0' + row_of(square))};
}

char lower(char letter) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// Column letter and row digit: A0 to J9, in either case.
Square read_field(Cursor& cursor) {
    const char column = lower(cursor.peek());
    if (column < 'a' || column > 'j') cursor.fail("expected a column, A to J");
    cursor.take();
    const char row = cursor.peek();
    if (row < '0' || row > '9') cursor.fail("expected a row, 0 to 9");
    cursor.take();
    return square_at(column - 'a', row - '0');
}

std::optional<Direction> direction_named(std::string_view word) {
    std::string name(word);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char letter) { return letter == '_' ? '-' : lower(letter); });
    const auto* found = std::find(direction_names.begin(), direction_names.end(), name);
    if (found == direction_names.end()) return std::nullopt;
    return static_cast<Direction>(found - direction_names.begin());
}

int sign(int value) { return (value > 0) - (value < 0); }

/// The move between two fields of one line.
std::optional<Move> move_between(Square from, Square to) {
    const int x = column_of(to) - column_of(from);
    const int y = row_of(to) - row_of(from);
    if ((x == 0 && y == 0) || (x != 0 && y != 0 && x != y && x != -y)) return std::nullopt;
    const auto* step = std::find_if(steps.begin(), steps.end(),
                                    [&](Step s) { return s.x == sign(x) && s.y == sign(y); });
    return Move{from, static_cast<Direction>(step - steps.begin()),
                static_cast<std::uint8_t>(std::max(x < 0 ? -x : x, y < 0 ? -y : y))};
}

}  // namespace

std::string_view name_of(Direction direction) {
    return direction_names[static_cast<std::size_t>(direction)];
}

Move Move::coded(std::uint32_t code) {
    return {numbered(code / 88), static_cast<Direction>(code / 11 % 8),
            static_cast<std::uint8_t>(code % 11)};
}

std::string Move::text() const {
    const auto to = target();
    if (to && distance > 0) return field_text(from) + "-" + field_text(*to);
    return field_text(from) + " " + std::string(name_of(direction));
}

Move Position::parse_move(std::string_view text) const {
    Cursor cursor(text);
    const Square from = read_field(cursor);
    if (!cursor.accept('-')) cursor.accept(' ');
    const std::size_t at = cursor.at();
    if (const auto direction = direction_named(cursor.rest()))
        return {from, *direction, distance(from, *direction)};
    if (cursor.rest().size() > 2 || lower(cursor.peek()) < 'a' || lower(cursor.peek()) > 'j') {
        cursor.fail("expected a target field such as C4, or a direction such as up-right");
    }
    const Square to = read_field(cursor);
    cursor.end();
    if (const auto move = move_between(from, to)) return *move;
    cursor.fail(
        from == to ? "a fish must leave its field" : "the two fields are not on one straight line",
        at);
}

Position Position::parse(std::string_view text, Rules rules) {
    Cursor cursor(text);
    Position position;
    position.rules_ = rules;
    for (int y = 0; y < side; ++y) {
        if (y > 0) cursor.expect('/', "'/' after the ten fields of a row");
        for (int x = 0; x < side; ++x) position.read_square(cursor, square_at(x, y));
    }
    cursor.expect(' ', "a blank before the ply");
    position.read_counters(cursor);
    cursor.end();
    return position;
}

void Position::read_square(Cursor& cursor, Square square) {
    const char letter = cursor.peek();
    if (letter == '#') {
        put_octopus(square);
    } else if (const auto fish = fish_letters.find(letter);
               fish != std::string_view::npos && !cursor.done()) {
        const int weight = static_cast<int>(fish % 3) + 1;
        if (weight > 1 && !rules_.weighs())
            cursor.fail("in this edition all fish are equal: expected a or A");
        put(square, fish < 3 ? 0 : 1, weight);
    } else if (letter != '.') {
        cursor.fail("expected a field: a fish, '#' or '.'");
    }
    cursor.take();
}

void Position::read_counters(Cursor& cursor) {
    const std::size_t at = cursor.at();
    const int ply = cursor.number("the ply, 0 to 60");
    if (ply > last_ply) cursor.fail("no game lasts longer than 60 plies", at);
    cursor.expect(' ', "a blank before the credit for the first union");
    const char credit = cursor.peek();
    const bool known = credit == '-' || (rules_.weighs() && (credit == '0' || credit == '1'));
    if (!known)
        cursor.fail(rules_.weighs()
                        ? "expected '-', 0 or 1: who is credited with the first union"
                        : "expected '-': this edition has no credit for the first union");
    cursor.take();
    set_counters(ply, credit == '-' ? no_credit : static_cast<std::uint8_t>(credit - '0'));
}

std::string Position::text() const {
    std::string text;
    text.reserve(128);
    for (std::size_t square = 0; square < squares; ++square) {
        if (square > 0 && square % side == 0) text += '/';
        const Square field = numbered(square);
        const std::size_t bit = bit_of(field);
        char letter = octopuses_.test(bit) ? '#' : '.';
        for (Seat seat = 0; seat < 2; ++seat) {
            if (fish_[seat].test(bit))
                letter = fish_letters[std::size_t{3} * seat +
                                      static_cast<std::size_t>(weight(field)) - 1U];
        }
        text += letter;
    }
    text += ' ' + std::to_string(ply_) + ' ';
    return text + (credit_ == no_credit ? '-' : static_cast<char>('0' + credit_));
}

}  // namespace spielleiter::piranhas
