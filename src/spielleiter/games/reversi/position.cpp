#include "position.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/zobrist.hpp"

namespace spielleiter::reversi {

static_assert(GamePosition<Position>);
static_assert(CountsMoves<Position> && CountsReplies<Position> && Disqualifies<Position>);

namespace {

/// Keys by what is true of a position: a stone of seat s on cell c (225 s + c), a turn of seat s,
/// seat s disqualified as number n (4 n + s). The map's own key is made where a text is read.
constexpr auto stone_keys = zobrist_table<max_seats * Move::codes, 0x5e7e25151ULL>();
constexpr auto turn_keys = zobrist_table<max_seats, 0x5e7e25152ULL>();
constexpr auto fallen_keys = zobrist_table<max_seats * max_seats, 0x5e7e25153ULL>();

/// Who still plays ranks by stones; who was disqualified comes behind, the first one last.
template <class Layout>
Outcome ranking(const Board<Layout>& board, const std::array<int, max_seats>& scores) {
    Outcome outcome{.seats = board.seats, .scores = scores, .reason = "most stones"};
    int winners = 0;
    for (Seat seat = 0; seat < board.seats; ++seat) {
        if (!board.plays(seat)) continue;
        int better = 0;
        for (Seat other = 0; other < board.seats; ++other)
            better += board.plays(other) && scores[other] > scores[seat];
        outcome.ranks[seat] = 1 + better;
        winners += better == 0;
    }
    for (std::size_t turn = 0; turn < board.fallen; ++turn)
        outcome.ranks[board.fallen_seats[turn]] = static_cast<int>(board.seats - turn);
    if (board.fallen == board.seats) {
        outcome.reason = "nobody left";
    } else if (board.at_most_one_left()) {
        outcome.reason = "last one left";
    } else if (winners > 1) {
        outcome.reason = "equal stones";
    }
    return outcome;
}

template <std::size_t Words>
Bits<Words> complement(const Bits<Words>& set) {
    Bits<Words> all;
    all.words.fill(~std::uint64_t{0});
    return without(all, set);
}

template <class Layout>
std::array<int, max_seats> stones_of(const Board<Layout>& board) {
    std::array<int, max_seats> counts{};
    for (Seat seat = 0; seat < board.seats; ++seat)
        counts[seat] = board.plays(seat) ? board.stones[seat].count() : 0;
    return counts;
}

/// How many players pass between a move of seat `last` and the turn of the board.
template <class Layout>
int passes_since(const Board<Layout>& board, Seat last) {
    int passes = 0;
    for (Seat seat = board.after(last); seat != board.mover; seat = board.after(seat))
        passes += board.plays(seat);
    return passes;
}

template <class Layout>
std::uint64_t with_passes(const Board<Layout>& board, int depth,
                          const std::function<void()>& pause) {
    constexpr int worth_a_pause = 8;
    if (depth <= 0 || board.legal.none()) return 1;
    if (depth == 1) return static_cast<std::uint64_t>(board.legal.count());
    if (depth >= worth_a_pause && pause) pause();
    std::uint64_t nodes = 0;
    board.legal.each([&](std::size_t cell) {
        if (depth == 2) {  // a player without a move passes, or the game is over: one either way
            nodes += static_cast<std::uint64_t>(std::max(1, board.moves_of_next(cell)));
            return;
        }
        Board<Layout> next = board;
        next.play(cell);
        const int passes = next.legal.none() ? 0 : passes_since(next, board.mover);
        nodes += with_passes(next, depth - 1 - passes, pause);
    });
    return nodes;
}

}  // namespace

int Position::ply() const {
    return std::visit([](const auto& board) { return board.occupied.count(); }, board_) -
           first_stones_;
}

/// The empty cells, shared among those who are in. The last ones of a board are solved in no time.
int Position::moves_left() const {
    constexpr int solved = 12;
    return std::visit(
        [](const auto& board) {
            const int empty = board.empty.count() - (board.seats == 2 ? solved : 0);
            const int playing = std::max(1, std::popcount(board.remaining));
            return std::max(1, (empty + playing - 1) / playing);
        },
        board_);
}

Position::Moves Position::legal_moves() const {
    Moves moves;
    std::visit(
        [&](const auto& board) {
            board.legal.each([&](std::size_t cell) { moves.push_back(Move::on(board, cell)); });
        },
        board_);
    return moves;
}

void Position::disqualify(Seat seat) {
    std::visit([&](auto& board) { board.disqualify(seat); }, board_);
}

std::optional<Outcome> Position::outcome() const {
    return std::visit(
        [](const auto& board) -> std::optional<Outcome> {
            if (board.legal.any()) return std::nullopt;
            return ranking(board, stones_of(board));
        },
        board_);
}

std::array<int, max_seats> Position::scores() const {
    return std::visit([](const auto& board) { return stones_of(board); }, board_);
}

std::uint64_t Position::key() const {
    return std::visit(
        [](const auto& board) {
            std::uint64_t key = board.map_key ^ turn_keys[board.mover];
            for (std::size_t seat = 0; seat < board.seats; ++seat) {
                board.stones[seat].each([&](std::size_t cell) {
                    key ^= stone_keys[Move::codes * seat + Move::on(board, cell).code()];
                });
            }
            for (std::size_t turn = 0; turn < board.fallen; ++turn)
                key ^= fallen_keys[max_seats * turn + board.fallen_seats[turn]];
            return key;
        },
        board_);
}

bool Position::has_cell(Cell cell) const {
    return std::visit(
        [&](const auto& board) {
            return (board.empty | board.occupied).test(board.cell(cell.x, cell.y));
        },
        board_);
}

std::optional<Occupant> Position::at(Cell cell) const {
    return std::visit(
        [&](const auto& board) -> std::optional<Occupant> {
            for (Seat seat = 0; seat < board.seats; ++seat) {
                if (board.stones[seat].test(board.cell(cell.x, cell.y))) return Occupant{seat};
            }
            return std::nullopt;
        },
        board_);
}

bool Position::is_disqualified(Seat seat) const {
    return std::visit([&](const auto& board) { return !board.plays(seat); }, board_);
}

void write_part_of_row(std::uint32_t row, std::size_t cells, std::uint8_t* to) {
    const std::size_t low = std::min<std::size_t>(cells, 8);
    std::memcpy(to, simd::bytes_of_bits[row & 0xffU].data(), low);
    std::memcpy(to + low, simd::bytes_of_bits[row >> 8U].data(), cells - low);
}

void Position::observe(std::uint8_t* planes_out, Seat viewer) const {
    std::memset(planes_out, 0, planes[0] * plane_size);
    std::visit(
        [&]<class Layout>(const Board<Layout>& board) {
            const auto cells = board.empty | board.occupied;
            std::uint8_t* const missing = planes_out + 4 * plane_size;
            for (std::size_t y = 0; y < largest_side; ++y)
                write_row(whole_row & ~Layout::row(cells, y), missing + y * largest_side);
        },
        board_);
    rewrite_planes(planes_out, viewer);
}

void Position::observe_board(std::uint8_t* planes_out, Seat viewer) const {
    std::visit(
        [&](const auto& board) {
            const std::size_t cells_of_plane = std::size_t{board.width} * board.height;
            std::memset(planes_out, 0, planes[0] * cells_of_plane);
            write_board_cells(board, complement(board.empty | board.occupied),
                              planes_out + 4 * cells_of_plane);
        },
        board_);
    rewrite_board(planes_out, viewer);
}

void Position::observe_bits(PlaneRow* rows_out, Seat viewer) const {
    std::memset(rows_out, 0, planes[0] * largest_side * sizeof(*rows_out));
    std::visit(
        [&]<class Layout>(const Board<Layout>& board) {
            const auto cells = board.empty | board.occupied;
            for (std::size_t y = 0; y < largest_side; ++y)
                rows_out[4 * largest_side + y] = whole_row & ~Layout::row(cells, y);
        },
        board_);
    rewrite_bits(rows_out, viewer);
}

void Position::write_mask(std::uint8_t* mask_out) const {
    std::visit(
        [&]<class Layout>(const Board<Layout>& board) {
            // Row by row to the end: a `memset` this short costs more than the stores.
            for (std::size_t y = 0; y < largest_side; ++y)
                write_row(Layout::row(board.legal, y), mask_out + y * largest_side);
        },
        board_);
}

std::uint64_t Position::count_replies() const {
    return std::visit(
        [](const auto& board) {
            std::uint64_t replies = 0;
            board.legal.each([&](std::size_t cell) {
                replies += static_cast<std::uint64_t>(board.replies(cell));
            });
            return replies;
        },
        board_);
}

std::uint64_t Position::perft_with_passes(int depth, const std::function<void()>& pause) const {
    return std::visit([&](const auto& board) { return with_passes(board, depth, pause); }, board_);
}

}  // namespace spielleiter::reversi
