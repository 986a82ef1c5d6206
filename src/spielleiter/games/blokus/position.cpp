#include "position.hpp"

#include <algorithm>
#include <bit>

#include "core/zobrist.hpp"
#include "covers.hpp"
#include "placement_map.hpp"

namespace spielleiter::blokus {

static_assert(GamePosition<Position>);

// ------------------------------------------------------------------------------------------- keys

namespace {

/// One number for each thing that can be true of a position (rules.md §8).
constexpr auto keys = zobrist_table<1817, 0x424c4f4b5553>();
constexpr std::size_t piece_keys = colours * cells;
constexpr std::size_t turn_keys = piece_keys + colours * kinds;
constexpr std::size_t start_keys = turn_keys + 104;
constexpr std::size_t in_play_keys = start_keys + kinds;
constexpr std::size_t mono_keys = in_play_keys + colours;

std::uint64_t square_key(Colour colour, std::size_t cell) {
    return keys[index_of(colour) * cells + cell];
}
std::uint64_t piece_key(Colour colour, std::size_t kind) {
    return keys[piece_keys + index_of(colour) * kinds + kind];
}

}  // namespace

// ----------------------------------------------------------------------------------------- survey

/// The contacts of a colour and how each can be covered. A placement that covers several contacts
/// is named at the first of them only.
struct Survey {
    Survey(const Position& position, Colour colour) {
        const CoverSet wanted = covers_by(position.pieces(colour));
        PlacementMap map(position, colour);
        for (std::size_t y = 0; y < side; ++y) {
            for (std::uint32_t rest = map.contacts[y]; rest != 0; rest &= rest - 1) {
                const auto x = static_cast<std::size_t>(std::countr_zero(rest)) - reach;
                cell[contacts] = static_cast<std::uint16_t>(side * y + x);
                find_covers(map.free, x, y, wanted, found[contacts++]);
                map.free[y + reach] &= ~(1U << (x + reach));  // what covers it has been named
            }
        }
    }

    std::size_t contacts = 0;
    std::array<std::uint16_t, cells> cell;  // filled as far as needed
    union {                                 // keeps `found` from being initialised
        std::array<CoverSet, cells> found;
    };
};

std::uint32_t Position::pieces(Colour colour) const {
    return is_first(colour) ? 1U << start_piece_ : remaining_[colour];
}

/// Most games end with about one piece in five unplaced.
int Position::moves_left() const {
    int left = 0;
    for (const Colour colour : {all_colours[to_move()], turns_after(all_colours[to_move()], 2)}) {
        if (is_in_play(colour)) left += std::popcount(remaining_[colour]);
    }
    return std::max(1, 4 * left / 5);
}

bool Position::can_place(Colour colour) const {
    const PlacementMap map(*this, colour);
    if ((pieces(colour) >> mono & 1U) != 0) return map.has_contacts();  // it covers any of them
    const CoverSet wanted = covers_by(pieces(colour));
    CoverSet found;
    for (std::size_t y = 0; y < side; ++y) {
        for (std::uint32_t rest = map.contacts[y]; rest != 0; rest &= rest - 1) {
            const auto x = static_cast<std::size_t>(std::countr_zero(rest)) - reach;
            find_covers(map.free, x, y, wanted, found);
            if (found.any()) return true;
        }
    }
    return false;
}

// ------------------------------------------------------------------------------------------ moves

Position::Moves Position::legal_moves() const {
    const Survey survey(*this, colour());
    Moves moves;
    for (std::size_t contact = 0; contact < survey.contacts; ++contact) {
        survey.found[contact].each(
            [&](std::size_t cover) { moves.push_back({placement(cover, survey.cell[contact])}); });
    }
    if (may_pass()) moves.push_back(Move::pass());
    return moves;
}

std::uint64_t Position::count_moves() const {
    const Survey survey(*this, colour());
    std::uint64_t total = may_pass() ? 1 : 0;
    for (std::size_t contact = 0; contact < survey.contacts; ++contact) {
        total += static_cast<std::uint32_t>(survey.found[contact].count());
    }
    return total;
}

std::optional<Move> Position::random_move(Random& random) const {
    Move move;
    if (draw(random, {&move, 1})) return move;
    return may_pass() ? std::optional(Move::pass()) : std::nullopt;
}

bool Position::draw(Random& random, std::span<Move> drawn) const {
    const Survey survey(*this, colour());
    std::array<std::uint32_t, cells + 1> before;  // filled as far as needed
    before[0] = 0;
    for (std::size_t contact = 0; contact < survey.contacts; ++contact) {
        before[contact + 1] =
            before[contact] + static_cast<std::uint32_t>(survey.found[contact].count());
    }
    if (before[survey.contacts] == 0) return false;
    for (Move& move : drawn) {
        const std::uint32_t lot = random.below(before[survey.contacts]);
        std::size_t contact = 0;  // counted to the end: a branch to stop would be predicted wrongly
        for (std::size_t next = 1; next < survey.contacts; ++next)
            contact += before[next] <= lot ? 1U : 0U;
        const std::size_t cover = survey.found[contact].nth(lot - before[contact]);
        move = Move{placement(cover, survey.cell[contact])};
    }
    return true;
}

std::optional<Mistake> Position::why_illegal(Move move) const {
    if (move.is_pass()) {
        return may_pass() ? std::nullopt : std::optional(Mistake::passes_first_move);
    }
    if ((pieces(colour()) >> move.orientation().kind & 1U) == 0) {
        return is_first(colour()) ? Mistake::not_the_start_piece : Mistake::already_placed;
    }
    if (!fits_on_board(move.orientation(), move.cell())) return Mistake::off_board;
    return wrong_place(move);
}

std::optional<Mistake> Position::wrong_place(Move move) const {
    const PlacementMap map(*this, colour());
    bool occupied = false;
    bool beside = false;
    bool contact = false;
    for (std::size_t row = 0; row < move.orientation().height; ++row) {
        const std::size_t y = move.cell() / side + row;
        const std::uint32_t wanted = move.orientation().rows[row] << (move.cell() % side + reach);
        occupied |= (wanted & map.taken[y]) != 0;
        beside |= (wanted & ~map.free[y + reach]) != 0;
        contact |= (wanted & map.contacts[y]) != 0;
    }
    if (occupied) return Mistake::occupied;
    if (beside) return Mistake::touches_own_edge;
    if (contact) return std::nullopt;
    if (!is_first(colour())) return Mistake::no_corner_contact;
    return rules_.corners ? Mistake::not_on_corner : Mistake::not_on_edge;
}

void Position::play(Move move) {
    if (!move.is_pass()) place(move);
    ++turn_;
    skip_colours_without_moves();
}

void Position::place(Move move) {
    const Orientation& orientation = move.orientation();
    const std::size_t x = move.cell() % side;
    const std::size_t y = move.cell() / side;
    for (std::size_t row = 0; row < orientation.height; ++row) {
        squares_[colour()][y + row] |= orientation.rows[row] << x;
    }
    for (std::size_t at = 0; at < orientation.shape.size; ++at) {
        const Square square = orientation.shape.squares[at];
        piece_keys_ ^= square_key(colour(), move.cell() + side * square.y + square.x);
    }
    piece_keys_ ^= piece_key(colour(), orientation.kind);
    remaining_[colour()] &= ~(1U << orientation.kind);
    if (remaining_[colour()] == 0 && orientation.kind == mono) mono_last_ |= only(colour());
}

/// Until a colour can place, or none is left (rules.md §4). The server does so even beyond the last
/// round; the document's game stops at the end of its last round.
void Position::skip_colours_without_moves() {
    while (rules_.server || !is_over()) {
        if (is_in_play(colour()) && can_place(colour())) return;
        in_play_ &= static_cast<ColourSet>(~only(colour()));
        if (in_play_ == 0) return;
        ++turn_;
    }
}

// ---------------------------------------------------------------------------------------- endings

bool Position::is_over() const {
    if (in_play_ == 0 || turn_ >= rules_.turns()) return true;
    if (!rules_.finished_colour_ends_game()) return false;
    // A colour that has placed everything did so in this round only if its turn has been.
    for (std::size_t turn = turn_ % colours; turn < colours; ++turn) {
        if (remaining_[all_colours[turn]] == 0) return true;
    }
    return false;
}

int Position::points(Colour colour) const {
    const std::uint32_t left = remaining_[colour];
    if (left != 0) return all_squares - squares_of(left);
    return all_squares + 15 + (holds(mono_last_, colour) ? 5 : 0);
}

std::array<int, max_seats> Position::scores() const {
    return {points(Colour::blue) + points(Colour::red),
            points(Colour::yellow) + points(Colour::green)};
}

std::optional<Outcome> Position::outcome() const {
    if (!is_over()) return std::nullopt;
    const int first = scores()[0];
    const int second = scores()[1];
    if (first == second) return duel(std::nullopt, {first, second}, "equal points");
    return duel(first > second ? Seat{0} : Seat{1}, {first, second}, "more points");
}

// ------------------------------------------------------------------------------------------ start

Position::Position() {
    remaining_.values.fill(all_pieces);
    piece_keys_ = compute_piece_keys();
}

std::uint64_t Position::compute_piece_keys() const {
    std::uint64_t things = 0;
    for (const Colour colour : all_colours) {
        for (std::size_t cell = 0; cell < cells; ++cell) {
            if ((squares_[colour][cell / side] >> cell % side & 1U) != 0)
                things ^= square_key(colour, cell);
        }
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            if ((remaining_[colour] >> kind & 1U) != 0) things ^= piece_key(colour, kind);
        }
    }
    return things;
}

std::uint64_t Position::key() const {
    std::uint64_t key = piece_keys_ ^ keys[turn_keys + turn_] ^ keys[start_keys + start_piece_];
    for (const Colour colour : all_colours) {
        if (is_in_play(colour)) key ^= keys[in_play_keys + index_of(colour)];
        if (holds(mono_last_, colour)) key ^= keys[mono_keys + index_of(colour)];
    }
    return key;
}

// ------------------------------------------------------------------------------------ observation

namespace {

void write_cells(const std::array<std::uint32_t, side>& rows, std::size_t shift,
                 std::uint8_t* plane) {
    for (std::size_t y = 0; y < side; ++y) {
        for (std::size_t x = 0; x < side; ++x) {
            plane[side * y + x] = rows[y] >> (x + shift) & 1U;
        }
    }
}

}  // namespace

std::optional<Occupant> Position::at(Cell cell) const {
    for (const Colour colour : all_colours) {
        if ((squares_[colour][cell.y] >> cell.x & 1U) != 0) return Occupant{colour};
    }
    return std::nullopt;
}

/// As rules.md §9 lists them; the colours from the viewer's next one onwards.
void Position::observe(std::uint8_t* planes_out, Seat viewer) const {
    const Colour first = turns_after(colour(), viewer == to_move() ? 0 : 1);
    const auto plane = [&](std::size_t number) { return planes_out + cells * number; };
    for (std::size_t seen = 0; seen < colours; ++seen) {
        const Colour other = turns_after(first, seen);
        const PlacementMap map(*this, other);
        std::array<std::uint32_t, side> free{};
        std::copy_n(map.free.begin() + reach, side, free.begin());
        write_cells(squares_[other], 0, plane(seen));
        write_cells(map.contacts, reach, plane(4 + seen));
        write_cells(free, reach, plane(8 + seen));
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            const std::uint8_t left = remaining_[other] >> kind & 1U;
            const std::uint8_t must = is_first(other) && kind == start_piece_ ? 1 : 0;
            std::fill_n(plane(12 + kinds * seen + kind), cells,
                        static_cast<std::uint8_t>(left + must));
        }
        const int state = holds(in_play_, other) + 2 * holds(mono_last_, other);
        std::fill_n(plane(96 + seen), cells, static_cast<std::uint8_t>(state));
    }
    std::fill_n(plane(100), cells, turn_);
}

}  // namespace spielleiter::blokus
