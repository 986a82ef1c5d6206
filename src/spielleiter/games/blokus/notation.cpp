#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>

#include "core/text.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

namespace {

constexpr std::string_view letters = "BYRG";
constexpr std::string_view hexadecimal_digits = "0123456789abcdef";
constexpr std::string_view rotation_letters = "NRML";
constexpr std::array<std::string_view, 4> rotations{"NONE", "RIGHT", "MIRROR", "LEFT"};
constexpr int last_turn = 103;

char upper(char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

bool same_word(std::string_view word, std::string_view known) {
    return word.size() == known.size() && std::equal(word.begin(), word.end(), known.begin(),
                                                     [](char a, char b) { return upper(a) == b; });
}

void refuse_leading_zero(const Cursor& cursor, std::size_t at, char first) {
    if (first == '0' && cursor.at() - at > 1) cursor.fail("a number has no leading zeros", at);
}

int number_between(Cursor& cursor, int least, int most, std::string_view meaning,
                   const std::string& problem) {
    const std::size_t at = cursor.at();
    const char first = cursor.peek();
    const int number = cursor.number(meaning);
    refuse_leading_zero(cursor, at, first);
    if (number < least || number > most) cursor.fail(problem, at);
    return number;
}

}  // namespace

Rules Rules::named(std::string_view edition, std::string_view authority) {
    if (edition != "blokus-2021" && edition != "blokus-2027")
        throw UsageError("blokus has no edition '" + std::string(edition) + "'");
    if (authority != "document" && authority != "server")
        throw UsageError("there is no authority '" + std::string(authority) + "'");
    return {.corners = edition == "blokus-2021", .server = authority == "server"};
}

// ------------------------------------------------------------------------------------------ moves

std::string Move::turn() const {
    std::string turn(1, rotation_letters[orientation().rotation]);
    if (orientation().flipped) turn += 'F';
    return turn;
}

std::string Move::text() const {
    if (is_pass()) return "pass";
    std::string text(all_kinds[orientation().kind].name);
    if (turn() != "N") text += ':' + turn();
    text += '@';
    text += static_cast<char>('a' + cell() % side);
    return text + std::to_string(cell() / side + 1);
}

namespace {

struct Held {
    std::size_t rotation = 0;
    bool flipped = false;
    std::size_t cell = 0;
};

/// `:RF@e4`, where `:N` can be left out.
Held read_short(Cursor& cursor) {
    Held held;
    if (cursor.accept(':')) {
        held.rotation = rotation_letters.find(upper(cursor.peek()));
        if (held.rotation == std::string_view::npos)
            cursor.fail("expected a rotation: one of N R M L");
        cursor.take();
        held.flipped = cursor.accept('F') || cursor.accept('f');
    }
    cursor.expect('@', "'@' before the field");
    const char column = upper(cursor.peek());
    if (column < 'A' || column > 'T') cursor.fail("expected a column: a to t");
    cursor.take();
    const int row = number_between(cursor, 1, side, "a row: 1 to 20", "the board has rows 1 to 20");
    held.cell = side * static_cast<std::size_t>(row - 1) + static_cast<std::size_t>(column - 'A');
    return held;
}

/// `RIGHT false 0 4`: rotation, whether flipped, x and y.
Held read_official(Cursor& cursor) {
    Held held;
    const std::size_t at = cursor.at();
    const std::string_view rotation = cursor.word();
    while (held.rotation < 4 && !same_word(rotation, rotations[held.rotation])) ++held.rotation;
    if (held.rotation == 4) cursor.fail("expected a rotation: NONE, RIGHT, MIRROR or LEFT", at);
    cursor.expect(' ', "a blank before 'true' or 'false'");
    const std::size_t flip_at = cursor.at();
    const std::string_view flipped = cursor.word();
    held.flipped = same_word(flipped, "TRUE");
    if (!held.flipped && !same_word(flipped, "FALSE"))
        cursor.fail("expected whether it is flipped: 'true' or 'false'", flip_at);
    cursor.expect(' ', "a blank before x");
    const int x = number_between(cursor, 0, side - 1, "x: 0 to 19", "x counts from 0 to 19");
    cursor.expect(' ', "a blank before y");
    const int y = number_between(cursor, 0, side - 1, "y: 0 to 19", "y counts from 0 to 19");
    held.cell = side * static_cast<std::size_t>(y) + static_cast<std::size_t>(x);
    return held;
}

std::string_view read_name(Cursor& cursor) {
    const std::string_view rest = cursor.rest();
    std::size_t size = 0;
    for (; size < rest.size(); ++size) {
        const char letter = upper(rest[size]);
        if ((letter < 'A' || letter > 'Z') && letter != '_') break;
        cursor.take();
    }
    return rest.substr(0, size);
}

}  // namespace

Move Position::parse_move(std::string_view text) {
    Cursor cursor(text);
    const std::string_view name = read_name(cursor);
    if (same_word(name, "PASS") || same_word(name, "SKIP")) {
        cursor.end();
        return Move::pass();
    }
    std::size_t kind = 0;
    while (kind < kinds && !same_word(name, all_kinds[kind].name)) ++kind;
    if (kind == kinds) cursor.fail("expected 'pass' or the name of a piece", 0);
    const Held held = cursor.accept(' ') ? read_official(cursor) : read_short(cursor);
    cursor.end();
    const std::size_t orientation = orientation_of(kind, held.rotation, held.flipped);
    return {static_cast<std::uint16_t>(cells * orientation + held.cell)};
}

// -------------------------------------------------------------------------------------- positions

namespace {

std::string letters_of(std::uint8_t set) {
    std::string text;
    for (const Colour colour : all_colours) {
        if (holds(set, colour)) text += letters[index_of(colour)];
    }
    return text.empty() ? "-" : text;
}

std::string hexadecimal(std::uint32_t mask) {
    std::string text;
    do {
        text.insert(text.begin(), hexadecimal_digits[mask & 15U]);
        mask >>= 4;
    } while (mask != 0);
    return text;
}

ColourSet read_colours(Cursor& cursor) {
    if (cursor.accept('-')) return 0;
    std::uint8_t set = 0;
    for (const Colour colour : all_colours) {
        if (cursor.accept(letters[index_of(colour)])) set |= only(colour);
    }
    if (set == 0) cursor.fail("expected colours in the order BYRG, or '-'");
    return set;
}

void read_board(Cursor& cursor, ByColour<Rows>& squares) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
        if (cell > 0 && cell % side == 0) cursor.expect('/', "'/' before the next row");
        if (cursor.accept('.')) continue;
        const std::size_t letter = letters.find(cursor.peek());
        if (cursor.done() || letter == std::string_view::npos)
            cursor.fail("expected a field: one of B Y R G .");
        cursor.take();
        squares[all_colours[letter]][cell / side] |= 1U << cell % side;
    }
}

std::uint32_t read_mask(Cursor& cursor) {
    const std::size_t at = cursor.at();
    const char first = cursor.peek();
    std::uint32_t mask = 0;
    while (!cursor.done() && cursor.at() - at < 6) {
        const std::size_t digit = hexadecimal_digits.find(cursor.peek());
        if (digit == std::string_view::npos) break;
        mask = mask << 4 | static_cast<std::uint32_t>(digit);
        cursor.take();
    }
    if (cursor.at() == at) cursor.fail("expected the remaining pieces in hexadecimal digits");
    refuse_leading_zero(cursor, at, first);
    if (mask > all_pieces) cursor.fail("there are only 21 pieces", at);
    return mask;
}

std::size_t read_start_piece(Cursor& cursor, Rules rules) {
    const std::size_t at = cursor.at();
    const std::string_view word = cursor.word();
    std::size_t kind = 0;
    while (kind < kinds && word != all_kinds[kind].name) ++kind;
    if (kind == kinds || !rules.may_start(kind))
        cursor.fail("expected the start piece, a pentomino that the edition allows", at);
    return kind;
}

}  // namespace

Position Position::start(std::uint64_t seed, std::string_view set_up, Rules rules) {
    Position position;
    position.rules_ = rules;
    if (!set_up.empty()) {
        Cursor cursor(set_up);
        position.start_piece_ = static_cast<std::uint8_t>(read_start_piece(cursor, rules));
        cursor.end();
        return position;
    }
    std::uint32_t lot = Random(seed).below(rules.corners ? 11 : 12);
    std::size_t kind = first_pentomino;
    while (!rules.may_start(kind) || lot-- > 0) ++kind;
    position.start_piece_ = static_cast<std::uint8_t>(kind);
    return position;
}

Position Position::parse(std::string_view text, Rules rules) {
    Cursor cursor(text);
    Position position;
    position.rules_ = rules;
    read_board(cursor, position.squares_);
    cursor.expect(' ', "a blank before the turn");
    position.turn_ = static_cast<std::uint8_t>(
        number_between(cursor, 0, last_turn, "the turn", "no game lasts that long"));
    cursor.expect(' ', "a blank before the start piece");
    position.start_piece_ = static_cast<std::uint8_t>(read_start_piece(cursor, rules));
    for (const Colour colour : all_colours) {
        cursor.expect(' ', "a blank before the remaining pieces");
        const std::size_t at = cursor.at();
        const std::uint32_t left = position.remaining_[colour] = read_mask(cursor);
        if (number_of_cells(position.squares_[colour]) > squares_of(all_pieces & ~left))
            cursor.fail("more squares of that colour on the board than in its placed pieces", at);
    }
    cursor.expect(' ', "a blank before the colours in play");
    const std::size_t in_play_at = cursor.at();
    position.in_play_ = read_colours(cursor);
    cursor.expect(' ', "a blank before the colours whose last piece was the monomino");
    const std::size_t mono_at = cursor.at();
    position.mono_last_ = read_colours(cursor);
    for (const Colour colour : all_colours) {
        if (holds(position.mono_last_, colour) && position.remaining_[colour] != 0)
            cursor.fail("a colour that still has pieces has no last piece", mono_at);
    }
    cursor.end();
    position.piece_keys_ = position.compute_piece_keys();
    if (!position.is_over() && !position.is_in_play(position.colour()))
        cursor.fail("the colour on turn is not in play", in_play_at);
    return position;
}

std::string Position::text() const {
    std::string text;
    for (std::size_t cell = 0; cell < cells; ++cell) {
        if (cell > 0 && cell % side == 0) text += '/';
        char letter = '.';
        for (const Colour colour : all_colours) {
            if ((squares_[colour][cell / side] >> cell % side & 1U) != 0)
                letter = letters[index_of(colour)];
        }
        text += letter;
    }
    text += ' ' + std::to_string(turn_) + ' ' + std::string(all_kinds[start_piece_].name);
    for (const std::uint32_t mask : remaining_.values) text += ' ' + hexadecimal(mask);
    return text + ' ' + letters_of(in_play_) + ' ' + letters_of(mono_last_);
}

}  // namespace spielleiter::blokus
