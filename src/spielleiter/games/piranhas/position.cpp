#include "position.hpp"

#include <algorithm>
#include <cstring>

#include "core/text.hpp"
#include "core/zobrist.hpp"

namespace spielleiter::piranhas {

static_assert(GamePosition<Position>);

namespace {

/// Seed "PIRN". Layout: 7 pieces × 100 fields, 61 plies, 2 seats of the credit, 6 sets of rules.
constexpr auto position_keys = zobrist_table<700 + 61 + 2 + 6, 0x5049524e>();
constexpr std::size_t octopus_piece = 6;

std::uint64_t piece_key(std::size_t piece, Square square) {
    return position_keys[piece * squares + number_of(square)];
}
std::uint64_t fish_key(Seat seat, int weight, Square square) {
    return piece_key(std::size_t{3} * seat + static_cast<std::size_t>(weight) - 1U, square);
}
std::uint64_t ply_key(int ply) { return position_keys[700U + static_cast<std::size_t>(ply)]; }
std::uint64_t credit_key(Seat seat) { return position_keys[761U + seat]; }
std::uint64_t rules_key(Rules rules) {
    return position_keys[763U + static_cast<std::size_t>(rules.season) * 2U + rules.as_server];
}

/// The fields next to a set, without the set's own contribution: a lone fish is not its neighbour.
constexpr Board neighbours(const Board& board) {
    const Board beside = board.up<1>() | board.down<1>();
    const Board three = board | beside;
    return beside | three.up<stride>() | three.down<stride>();
}

/// All fish reachable from the lowest one; the set must not be empty.
Board swarm_of_first(const Board& fish) {
    Board swarm = Board::of(fish.first());
    for (Board before{}; swarm != before;) {
        before = swarm;
        swarm = with_neighbours(swarm) & fish;
    }
    return swarm;
}

/// Whether a set that is not empty is one swarm. A fish without neighbour answers most questions.
bool connected(const Board& fish) {
    Board rest = fish;
    rest.pop();
    if (rest.none()) return true;
    if (without(fish, neighbours(fish)).any()) return false;
    return swarm_of_first(fish) == fish;
}

}  // namespace

Rules Rules::named(std::string_view edition, std::string_view authority) {
    for (const auto season : {Edition::draft_2019, Edition::season_2019, Edition::season_2026}) {
        const Rules rules{season, authority == "server"};
        if (rules.edition() == edition && rules.authority() == authority) return rules;
    }
    throw UsageError("there is no edition " + std::string(edition) + " under the authority " +
                     std::string(authority));
}

std::string_view Rules::edition() const {
    switch (season) {
        case Edition::draft_2019:
            return "piranhas-2019-draft";
        case Edition::season_2019:
            return "piranhas-2019";
        default:
            return "piranhas-2026";
    }
}

std::optional<Square> Move::target() const {
    const Step step = steps[static_cast<std::size_t>(direction)];
    const int x = column_of(from) + distance * step.x;
    const int y = row_of(from) + distance * step.y;
    if (x < 0 || x >= side || y < 0 || y >= side) return std::nullopt;
    return square_at(x, y);
}

Position Position::start(std::uint64_t seed, std::string_view set_up, Rules rules) {
    if (!set_up.empty()) throw TextError("this game has no set-up to choose", 0);
    Random random(seed);
    Position position;
    position.rules_ = rules;
    position.draw_fish(random);
    position.draw_octopuses(random);
    position.set_counters(0, no_credit);
    return position;
}

/// Both sides get the same weights, mirrored at the diagonal: small, medium, large as 4 : 3 : 2.
void Position::draw_fish(Random& random) {
    const auto weight = [&] {
        if (!rules_.weighs()) return 1;
        const auto lot = random.below(9);
        return lot < 4 ? 1 : lot < 7 ? 2 : 3;
    };
    for (int at = 1; at <= 8; ++at) {
        const int near = weight();
        put(square_at(0, at), 0, near);
        put(square_at(at, 0), 1, near);
        const int far = weight();
        put(square_at(9, at), 0, far);
        put(square_at(at, 9), 1, far);
    }
}

/// Two octopuses in the inner 6 × 6 fields that share no row, column or diagonal. 2019 draws the
/// second among the fields left; 2026 draws pairs until one fits.
void Position::draw_octopuses(Random& random) {
    const auto share = [](int x1, int y1, int x2, int y2) {
        return x1 == x2 || y1 == y2 || x1 - y1 == x2 - y2 || x1 + y1 == x2 + y2;
    };
    const auto lot = [&](std::uint32_t bound) { return static_cast<int>(random.below(bound)); };
    if (rules_.weighs()) {
        int x1, y1, x2, y2;
        do {
            x1 = 2 + lot(6), y1 = 2 + lot(6), x2 = 2 + lot(6), y2 = 2 + lot(6);
        } while (share(x1, y1, x2, y2));
        put_octopus(square_at(x1, y1));
        put_octopus(square_at(x2, y2));
        return;
    }
    const int first = lot(36);
    const int x1 = 2 + first % 6;
    const int y1 = 2 + first / 6;
    MoveList<Square, 36> left;
    for (int field = 0; field < 36; ++field) {
        const int x2 = 2 + field % 6;
        const int y2 = 2 + field / 6;
        if (!share(x1, y1, x2, y2)) left.push_back(square_at(x2, y2));
    }
    put_octopus(square_at(x1, y1));
    put_octopus(left[static_cast<std::size_t>(lot(static_cast<std::uint32_t>(left.size())))]);
}

void Position::put(Square square, Seat seat, int weight) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
        lines_[seat][lines_of(square).line[axis]] |=
            static_cast<LineBits>(1U << lines_of(square).bit[axis]);
    }
    const std::size_t bit = bit_of(square);
    fish_[seat].set(bit);
    if (weight >= 2) medium_or_large_.set(bit);
    if (weight >= 3) large_.set(bit);
    key_ ^= fish_key(seat, weight, square);
}

void Position::lift(Square square, Seat seat) {
    key_ ^= fish_key(seat, weight(square), square);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        lines_[seat][lines_of(square).line[axis]] ^=
            static_cast<LineBits>(1U << lines_of(square).bit[axis]);
    }
    const std::size_t bit = bit_of(square);
    fish_[seat].reset(bit);
    medium_or_large_.reset(bit);
    large_.reset(bit);
}

void Position::put_octopus(Square square) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
        octopus_lines_[lines_of(square).line[axis]] |=
            static_cast<LineBits>(1U << lines_of(square).bit[axis]);
    }
    octopuses_.set(bit_of(square));
    key_ ^= piece_key(octopus_piece, square);
}

/// The last step of construction, when everything lies on the board.
void Position::set_counters(int ply, std::uint8_t credit) {
    ply_ = static_cast<std::uint8_t>(ply);
    credit_ = credit;
    key_ ^= ply_key(ply) ^ rules_key(rules_);
    if (credit != no_credit) key_ ^= credit_key(credit);
    whole_ = {whole(fish_[0]), whole(fish_[1])};
}

bool Position::operator==(const Position& other) const {
    return fish_ == other.fish_ && medium_or_large_ == other.medium_or_large_ &&
           large_ == other.large_ && octopuses_ == other.octopuses_ && ply_ == other.ply_ &&
           credit_ == other.credit_ && rules_ == other.rules_;
}

Position::Moves Position::legal_moves() const {
    const Seat me = to_move();
    const Seat you = me ^ 1U;
    Moves moves;
    for (std::size_t line = 0; line < line_count; ++line) {
        const LineBits own = lines_[me][line];
        if (own == 0) continue;
        const Targets targets = targets_of(own, lines_[you][line], land(line, me));
        const auto& ways = directions_of[axis_of(line)];
        for (unsigned rest = targets.up; rest != 0; rest &= rest - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(rest));
            moves.push_back({squares_of[line][bit - targets.distance], ways[0], targets.distance});
        }
        for (unsigned rest = targets.down; rest != 0; rest &= rest - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(rest));
            moves.push_back({squares_of[line][bit + targets.distance], ways[1], targets.distance});
        }
    }
    return moves;
}

int Position::count_moves() const {
    const Seat me = to_move();
    int count = 0;
    for (std::size_t line = 0; line < line_count; ++line) {
        count += count_along(lines_[me][line], lines_[me ^ 1U][line], land(line, me));
    }
    return count;
}

bool Position::can_move() const {
    const Seat me = to_move();
    for (std::size_t line = 0; line < line_count; ++line) {
        const LineBits own = lines_[me][line];
        if (own != 0 && count_along(own, lines_[me ^ 1U][line], land(line, me)) > 0) return true;
    }
    return false;
}

/// The sum over my moves of your replies. A move changes seven lines at most, so your replies are
/// counted once for the whole board and then only corrected on those lines.
std::uint64_t Position::count_replies() const {
    if (ply_ + 1 >= last_ply) return 0;
    const Seat me = to_move();
    const Seat you = me ^ 1U;
    const bool round_ends = ply_ % 2 == 1;
    std::array<std::uint8_t, line_count> before;
    int total = 0;
    for (std::size_t line = 0; line < line_count; ++line) {
        const int count = count_along(lines_[you][line], lines_[me][line], land(line, you));
        before[line] = static_cast<std::uint8_t>(count);
        total += count;
    }
    std::uint64_t replies = 0;
    for (const Move move : legal_moves()) {
        const Square to = along(move.from, move.direction, move.distance);
        const bool takes = fish_[you].test(bit_of(to));
        if (round_ends && unites(move.from, to, takes)) continue;
        const SquareLines& leave = lines_of(move.from);
        const SquareLines& reach = lines_of(to);
        int count = total;
        for (std::size_t axis = 0; axis < axes; ++axis) {
            const std::size_t left = leave.line[axis];
            const std::size_t reached = reach.line[axis];
            const auto from_bit = static_cast<LineBits>(1U << leave.bit[axis]);
            const auto to_bit = static_cast<LineBits>(1U << reach.bit[axis]);
            const auto your_line = static_cast<LineBits>(lines_[you][reached] & ~to_bit);
            const auto your_land =
                static_cast<LineBits>(on_board[reached] & ~(your_line | octopus_lines_[reached]));
            if (left == reached) {
                const auto my_line = static_cast<LineBits>((lines_[me][left] & ~from_bit) | to_bit);
                count += count_along(your_line, my_line, your_land) - before[left];
                continue;
            }
            const auto my_reached = static_cast<LineBits>(lines_[me][reached] | to_bit);
            const auto my_left = static_cast<LineBits>(lines_[me][left] & ~from_bit);
            count += count_along(your_line, my_reached, your_land) - before[reached];
            count += count_along(lines_[you][left], my_left, land(left, you)) - before[left];
        }
        replies += static_cast<std::uint64_t>(count);
    }
    return replies;
}

/// Whether a move that ends a round would end the game by a swarm.
bool Position::unites(Square from, Square to, bool takes) const {
    const Seat me = to_move();
    const Seat you = me ^ 1U;
    std::array<Board, 2> fish = fish_;
    fish[me].reset(bit_of(from));
    fish[me].set(bit_of(to));
    std::array<bool, 2> wholes = whole_;
    wholes[me] = whole(fish[me]);
    if (takes) {
        fish[you].reset(bit_of(to));
        wholes[you] = whole(fish[you]);
    }
    return union_ends(fish, wholes);
}

std::uint8_t Position::distance(Square from, Direction direction) const {
    const std::size_t line =
        lines_of(from).line[axis_directions[static_cast<std::size_t>(direction)].axis];
    return fish_count[lines_[0][line] | lines_[1][line]];
}

std::optional<Mistake> Position::why_illegal(Move move) const {
    const Seat me = to_move();
    if (!fish_[me].test(bit_of(move.from))) return Mistake::wrong_start;
    if (move.distance != distance(move.from, move.direction)) return Mistake::wrong_distance;
    Move step = move;
    for (step.distance = 1; step.distance < move.distance; ++step.distance) {
        const auto between = step.target();
        if (!between) return Mistake::out_of_bounds;
        if (fish_[me ^ 1U].test(bit_of(*between))) return Mistake::jump_over_opponent;
    }
    const auto target = move.target();
    if (!target) return Mistake::out_of_bounds;
    if (octopuses_.test(bit_of(*target))) return Mistake::blocked;
    if (fish_[me].test(bit_of(*target))) return Mistake::blocked_by_self;
    return std::nullopt;
}

void Position::play(Move move) {
    const Seat me = to_move();
    const Seat you = me ^ 1U;
    const Square to = along(move.from, move.direction, move.distance);
    const int moved = weight(move.from);
    if (fish_[you].test(bit_of(to))) {
        lift(to, you);
        whole_[you] = whole(fish_[you]);
    }
    lift(move.from, me);
    put(to, me, moved);
    whole_[me] = whole(fish_[me]);
    key_ ^= ply_key(ply_) ^ ply_key(ply_ + 1);
    ++ply_;
    if (rules_.weighs() && credit_ == no_credit) give_credit(me);
}

/// As written the mover is credited with the first union of any colour; the server credits its
/// owner, and looks at seat 0 first.
void Position::give_credit(Seat mover) {
    if (!whole_[0] && !whole_[1]) return;
    credit_ = !rules_.as_server ? mover : whole_[0] ? Seat{0} : Seat{1};
    key_ ^= credit_key(credit_);
}

std::optional<Seat> Position::union_credit() const {
    if (credit_ == no_credit) return std::nullopt;
    return credit_;
}

/// A side without fish is no swarm; only the server of 2019 takes it for one.
bool Position::whole(const Board& fish) const {
    if (fish.none()) return rules_.as_server && !rules_.weighs();
    return connected(fish);
}

/// Whether unions end the game when a round is over. The server of 2019 plays on while both sides
/// are whole and equally large.
bool Position::union_ends(const std::array<Board, 2>& fish,
                          const std::array<bool, 2>& wholes) const {
    if (!wholes[0] && !wholes[1]) return false;
    if (!rules_.as_server || rules_.weighs()) return true;
    return wholes[0] != wholes[1] || fish[0].count() != fish[1].count();
}

int Position::weigh(const Board& swarm) const {
    return swarm.count() + (swarm & medium_or_large_).count() + (swarm & large_).count();
}

std::vector<Board> Position::swarms(Seat seat) const {
    std::vector<Board> found;
    for (Board rest = fish_[seat]; rest.any(); rest = without(rest, found.back()))
        found.push_back(swarm_of_first(rest));
    return found;
}

std::optional<Occupant> Position::at(Cell cell) const {
    const Square square = square_at(cell.x, cell.y);
    const std::size_t bit = bit_of(square);
    if (octopuses_.test(bit)) return Occupant{};
    for (Seat seat = 0; seat < 2; ++seat) {
        if (fish_[seat].test(bit)) return Occupant{static_cast<std::uint8_t>(weight(square)), seat};
    }
    return std::nullopt;
}

int Position::largest_swarm(Seat seat) const {
    int heaviest = 0;
    for (Board rest = fish_[seat]; rest.any();) {
        const Board swarm = swarm_of_first(rest);
        heaviest = std::max(heaviest, weigh(swarm));
        rest = without(rest, swarm);
    }
    return heaviest;
}

std::array<int, max_seats> Position::scores() const {
    const auto score = [&](Seat seat) {
        const bool punished = rules_.as_server && rules_.weighs() && fish_[seat].none();
        return punished ? -1 : largest_swarm(seat);
    };
    return {score(0), score(1)};
}

std::optional<Outcome> Position::outcome() const {
    const bool blocked = judges_blocking() && !can_move();
    if (!decided() && !blocked) return std::nullopt;
    // As written a swarm at the end of a round comes first, then the limit, then the blocked side.
    // The server of 2026 judges by swarms whenever somebody is whole, and asks for the limit last.
    const bool by_swarms = rules_.as_server ? !blocked || whole_[0] || whole_[1] : decided();
    if (by_swarms) return judged_by_swarms();
    const auto all = scores();
    return duel(static_cast<Seat>(to_move() ^ 1U), {all[0], all[1]}, "blocked");
}

Outcome Position::judged_by_swarms() const {
    const auto all = scores();
    const std::array<int, 2> sizes{all[0], all[1]};
    if (!rules_.weighs() && whole_[0] != whole_[1]) {
        return duel(whole_[0] ? Seat{0} : Seat{1}, sizes, "only whole swarm");
    }
    if (sizes[0] != sizes[1]) {
        return duel(sizes[0] > sizes[1] ? Seat{0} : Seat{1}, sizes,
                    rules_.weighs() ? "heavier swarm" : "larger swarm");
    }
    // The server looks at the credit only while somebody is whole.
    const bool credited = credit_ != no_credit && (!rules_.as_server || whole_[0] || whole_[1]);
    if (credited) return duel(credit_, sizes, "first union");
    return duel(std::nullopt, sizes, "equal swarms");
}

Move Position::move_at(Action action) const {
    const Square from = numbered(action / directions);
    const auto direction = static_cast<Direction>(action % 8);
    return {from, direction, distance(from, direction)};
}

/// A fish and a direction drawn together until they are a move: each move is equally likely.
std::optional<Move> Position::random_move(Random& random) const {
    const Seat me = to_move();
    const auto alive = static_cast<std::uint32_t>(fish_[me].count());
    for (int attempt = 0; attempt < 64 && alive > 0; ++attempt) {
        const std::uint32_t lot = random.below(alive * 8);
        const std::size_t bit = fish_[me].nth(lot / 8);
        const Square from = square_of(bit);
        const auto direction = static_cast<Direction>(lot % 8);
        const AxisDirection axis_direction = axis_directions[lot % 8];
        const std::size_t line = lines_of(from).line[axis_direction.axis];
        const auto own = static_cast<LineBits>(1U << lines_of(from).bit[axis_direction.axis]);
        const LineBits yours = lines_[me ^ 1U][line];
        const std::uint8_t distance = fish_count[lines_[me][line] | yours];
        const unsigned to =
            axis_direction.upwards ? unsigned{own} << distance : unsigned{own} >> distance;
        const unsigned low = axis_direction.upwards ? own : to;
        const unsigned high = axis_direction.upwards ? to : own;
        const unsigned between = (high - 1) & ~(2 * low - 1);
        const bool lands = (to & land(line, me)) != 0;
        const bool passes = (between & yours) == 0;
        if (static_cast<int>(lands) & static_cast<int>(passes))
            return Move{from, direction, distance};
    }
    const auto moves = legal_moves();
    if (moves.empty()) return std::nullopt;
    return moves[random.below(static_cast<std::uint32_t>(moves.size()))];
}

/// Planes: own small, medium, large; the opponent's small, medium, large; octopuses; the ply; the
/// credit for the first union (0 nobody, 1 own, 2 the opponent's).
void Position::observe(std::uint8_t* planes_out, Seat viewer) const {
    std::memset(planes_out, 0, 7 * squares);
    for (std::size_t square = 0; square < squares; ++square) {
        const Square field = numbered(square);
        const std::size_t bit = bit_of(field);
        for (Seat seat = 0; seat < 2; ++seat) {
            if (!fish_[seat].test(bit)) continue;
            const std::size_t plane =
                (seat == viewer ? 0U : 3U) + static_cast<std::size_t>(weight(field)) - 1U;
            planes_out[plane * squares + square] = 1;
        }
        if (octopuses_.test(bit)) planes_out[6 * squares + square] = 1;
    }
    std::memset(planes_out + 7 * squares, ply_, squares);
    const int credit = credit_ == no_credit ? 0 : credit_ == viewer ? 1 : 2;
    std::memset(planes_out + 8 * squares, credit, squares);
}

}  // namespace spielleiter::piranhas
