#include "evaluate.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>

#include "core/zobrist.hpp"

namespace spielleiter::piranhas {

namespace {

/// Seed "SWIM". Layout: 3 weights × 100 fields, 61 plies, 3 states of the credit.
constexpr auto keys = zobrist_table<300 + 61 + 3, 0x5357494d>();

std::uint64_t fish_key(int weight, Square square) {
    return keys[static_cast<std::size_t>(weight - 1) * squares + square];
}

// ------------------------------------------------------------------------------------------ lines

constexpr std::array<std::uint16_t, 10> powers{1, 3, 9, 27, 81, 243, 729, 2187, 6561, 19683};

/// All that can happen on a line, in one word: for each seat 10 bits of landing fields upwards and
/// 10 downwards, then 10 bits of fish for each seat, then the distance.
using Ways = std::uint64_t;
constexpr Ways ten = 0x3ff;

Ways ways_of(std::array<unsigned, 2> fish) {
    const auto all = static_cast<unsigned>(std::popcount(fish[0] | fish[1]));
    Ways ways = Ways{fish[0]} << 40U | Ways{fish[1]} << 50U | Ways{all} << 60U;
    for (unsigned seat = 0; seat < 2; ++seat) {
        const auto own = static_cast<Line>(fish[seat]);
        const auto enemy = static_cast<Line>(fish[1 - seat]);
        const Targets targets = targets_of(own, enemy, static_cast<Line>(ten & ~own));
        ways |= (Ways{targets.up} | Ways{targets.down} << 10U) << 20U * seat;
    }
    return ways;
}

/// By the line's number in base 3. Made at the start: too many steps for a compiler's patience.
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): nothing here throws
const auto table = []() noexcept {
    std::array<Ways, 59049> made{};
    for (std::size_t code = 0; code < made.size(); ++code) {
        std::array<unsigned, 2> fish{};
        std::size_t rest = code;
        for (unsigned bit = 0; bit < 10; ++bit, rest /= 3) {
            if (rest % 3 != 0) fish[rest % 3 - 1] |= 1U << bit;
        }
        made[code] = ways_of(fish);
    }
    return made;
}();

constexpr auto squares_of = [] {
    std::array<std::array<Square, side>, line_count> made{};
    for (std::size_t square = 0; square < squares; ++square) {
        for (std::size_t axis = 0; axis < axes; ++axis) {
            made[places[square].line[axis]][places[square].bit[axis]] = static_cast<Square>(square);
        }
    }
    return made;
}();

constexpr std::size_t axis_of(std::size_t line) {
    return line < 10 ? 0 : line < 20 ? 1 : line < 39 ? 2 : 3;
}

Square target_of(Move move) {
    const Step step = steps[static_cast<std::size_t>(move.direction)];
    return static_cast<Square>(move.from + move.distance * (10 * step.y + step.x));
}

// ----------------------------------------------------------------------------------------- shapes

constexpr Board inner(int margin) {
    Board board;
    for (int y = margin; y < side - margin; ++y) {
        for (int x = margin; x < side - margin; ++x) {
            board.set(static_cast<std::size_t>(stride) * static_cast<std::size_t>(y) +
                      static_cast<std::size_t>(x));
        }
    }
    return board;
}
constexpr Board board = inner(0);
constexpr Board inner_8 = inner(1);
constexpr Board inner_6 = inner(2);

/// Fields whose column (row) has bit `n` set: sums of coordinates by counting.
struct Digits {
    std::array<Board, 4> x;
    std::array<Board, 4> y;
};
constexpr Digits digits = [] {
    Digits made{};
    for (std::size_t at = 0; at < squares; ++at) {
        for (std::size_t n = 0; n < 4; ++n) {
            if ((at % side >> n & 1U) != 0) made.x[n].set(bit_of(static_cast<Square>(at)));
            if ((at / side >> n & 1U) != 0) made.y[n].set(bit_of(static_cast<Square>(at)));
        }
    }
    return made;
}();

/// Fields at most `radius` columns (rows) away from a column (row).
struct Bands {
    std::array<std::array<Board, side>, side> columns;
    std::array<std::array<Board, side>, side> rows;
};
constexpr Bands bands = [] {
    Bands made{};
    for (int at = 0; at < side; ++at) {
        for (int radius = 0; radius < side; ++radius) {
            for (int square = 0; square < static_cast<int>(squares); ++square) {
                const int dx = square % side - at;
                const int dy = square / side - at;
                const std::size_t bit = bit_of(static_cast<Square>(square));
                const auto centre = static_cast<std::size_t>(at);
                const auto reach = static_cast<std::size_t>(radius);
                if (dx >= -radius && dx <= radius) made.columns[centre][reach].set(bit);
                if (dy >= -radius && dy <= radius) made.rows[centre][reach].set(bit);
            }
        }
    }
    return made;
}();

/// All fish linked to those of `swarm`.
Board swarm_from(Board swarm, const Board& fish) {
    while (true) {
        const Board next = grown(grown(swarm) & fish) & fish;
        if (next == swarm) return swarm;
        swarm = next;
    }
}

/// The fish of one side, by weight.
struct School {
    Board fish;
    Board medium_or_large;
    Board large;

    int weight(const Board& part) const {
        return part.count() + (part & medium_or_large).count() + (part & large).count();
    }
};

struct Swarm {
    Board fish{};
    int weight = 0;
};

/// Begins with the swarm of the fish at `seed`, which is most often the heaviest: then no other has
/// to be looked for.
Swarm heaviest_swarm(const School& school, std::size_t seed, int weight) {
    Swarm best;
    Board rest = school.fish;
    for (int left = weight; left > best.weight; seed = rest.any() ? rest.first() : 0) {
        const Board swarm = swarm_from(Board::of(seed), rest);
        const int heavy = school.weight(swarm);
        if (heavy > best.weight) best = {swarm, heavy};
        rest = without(rest, swarm);
        left -= heavy;
    }
    return best;
}

/// Number of swarms less number of holes, from the sixteen kinds of 2 × 2 windows: windows with one
/// fish less those with three less twice those with two at opposite corners, divided by four.
int euler_number(const Board& a) {
    const Board b = a.up<1>();
    const Board c = a.up<stride>();
    const Board d = a.up<stride + 1>();
    const Board odd = a ^ b ^ c ^ d;
    const Board three = odd & ((a & b) | (c & d));
    const Board diagonal = without(without(a & d, b | c) | without(b & c, a | d), odd);
    return ((odd.count() - three.count()) - three.count() - 2 * diagonal.count()) / 4;
}

int centre_of(const Board& fish, const std::array<Board, 4>& digit, int count) {
    const int sum = (fish & digit[0]).count() + 2 * (fish & digit[1]).count() +
                    4 * (fish & digit[2]).count() + 8 * (fish & digit[3]).count();
    return (2 * sum + count) / (2 * count);
}

/// How fish lie round their centre of gravity.
struct Spread {
    int sum = 0;           ///< of distances from the centre, less the least possible
    std::size_t seed = 0;  ///< a fish near the centre
};

/// A distance is counted once for each square round the centre that leaves its fish outside.
Spread spread_of(const Board& fish, int count) {
    const auto& columns = bands.columns[static_cast<std::size_t>(centre_of(fish, digits.x, count))];
    const auto& rows = bands.rows[static_cast<std::size_t>(centre_of(fish, digits.y, count))];
    // One fish in the middle, eight around it at distance 1, the others at distance 2.
    Spread spread{-std::max(0, count - 1) - std::max(0, count - 9), 0};
    bool seeded = false;
    for (std::size_t radius = 0; radius < side; ++radius) {
        const Board inside = fish & columns[radius] & rows[radius];
        const int outside = count - inside.count();
        spread.sum += outside;
        if (!seeded && outside < count) spread.seed = inside.first(), seeded = true;
        if (outside == 0) break;
    }
    return spread;
}

/// Whether some fish has no neighbour.
bool has_lonely(const Board& fish) {
    const Board beside = fish.up<1>() | fish.down<1>();
    const Board three = fish | beside;
    return without(fish, beside | three.up<stride>() | three.down<stride>()).any();
}

int links_of(const Board& fish) {
    return (fish & fish.up<1>()).count() + (fish & fish.up<stride>()).count() +
           (fish & fish.up<stride - 1>()).count() + (fish & fish.up<stride + 1>()).count();
}

using Traits = std::array<int, traits>;

Traits traits_of(const School& school) {
    Traits counts{};
    const auto at = [&](Trait trait) -> int& { return counts[static_cast<std::size_t>(trait)]; };
    const Board& fish = school.fish;
    if (fish.none()) return counts;
    at(Trait::fish) = fish.count();
    at(Trait::weight) = school.weight(fish);
    const Spread spread = spread_of(fish, at(Trait::fish));
    const Swarm main = heaviest_swarm(school, spread.seed, at(Trait::weight));
    at(Trait::heaviest) = main.weight;
    at(Trait::swarms) = euler_number(fish);
    at(Trait::whole) = main.fish == fish;
    at(Trait::links) = links_of(fish);
    at(Trait::spread) = spread.sum;
    at(Trait::edge) = without(fish, inner_8).count();
    at(Trait::inner) = (fish & inner_6).count();
    return counts;
}

/// Which knot a ply follows, and how far it is on the way to the next, in 24ths.
struct Moment {
    std::size_t knot;
    int share;
};
constexpr int whole_share = 24;
constexpr auto moments = [] {
    std::array<Moment, last_ply + 1> made{};
    for (int ply = 0; ply <= last_ply; ++ply) {
        std::size_t knot = knots - 2;
        while (knot_plies[knot] > ply) --knot;
        const int length = knot_plies[knot + 1] - knot_plies[knot];
        made[static_cast<std::size_t>(ply)] = {knot,
                                               (ply - knot_plies[knot]) * whole_share / length};
    }
    return made;
}();
const Moment& moment_of(int ply) { return moments[static_cast<std::size_t>(ply)]; }

}  // namespace

const std::array<std::string_view, features> feature_names{
    "fish",   "weight", "heaviest", "swarms", "whole",       "links",
    "spread", "edge",   "inner",    "credit", "opens_round", "ends_round"};

// --------------------------------------------------------------------------------------- Evaluate

Evaluate::Evaluate(std::span<const std::int16_t> weights) : given_(weights.begin(), weights.end()) {
    if (!given_.empty() && given_.size() != weight_count)
        throw UsageError("the evaluation takes " + std::to_string(weight_count) + " weights");
}

void Evaluate::follow(Rules rules) {
    if (judges_ && rules_ == rules) return;
    judges_ = true;
    rules_ = rules;
    shapes_.clear();
    weights_ = fitted_weights(rules);
    for (std::size_t at = 0; at < given_.size(); ++at)
        weights_[at / knots][at % knots] = given_[at];
}

Node Evaluate::node(const Position& position) {
    follow(position.rules());
    for (std::size_t line = 0; line < line_count; ++line) {
        Ways land = on_board[line];
        for (std::size_t bit = 0; bit < side; ++bit) {
            const bool exists = (on_board[line] >> bit & 1U) != 0;
            if (exists && position.octopuses().test(bit_of(squares_of[line][bit])))
                land &= ~(Ways{1} << bit);
        }
        land_[line] = land | land << 10U | land << 20U | land << 30U;
    }
    return {*this, position};
}

Shape Evaluate::judge(const Board& fish, const Board& medium_or_large, const Board& large) const {
    const Traits counts = traits_of({fish, medium_or_large, large});
    Shape shape;
    for (std::size_t knot = 0; knot < knots; ++knot) {
        int sum = 0;
        for (std::size_t trait = 0; trait < traits; ++trait)
            sum += counts[trait] * weights_[trait][knot];
        shape.value[knot] = static_cast<std::int16_t>(std::clamp(sum / 16, -15'000, 15'000));
    }
    shape.heaviest = static_cast<std::uint8_t>(counts[static_cast<std::size_t>(Trait::heaviest)]);
    shape.fish = static_cast<std::uint8_t>(counts[static_cast<std::size_t>(Trait::fish)]);
    shape.whole = counts[static_cast<std::size_t>(Trait::whole)] != 0;
    return shape;
}

Shape Evaluate::shape(std::uint64_t key, const Board& fish, const Board& medium,
                      const Board& large) {
    if (const Shape* known = shapes_.find(key)) return *known;
    return shapes_.put(key, judge(fish, medium & fish, large & fish));
}

std::vector<float> Evaluate::features_of(const Position& position) {
    std::array<float, features> values{};
    const Seat me = position.to_move();
    std::array<Board, 2> weighty{};  // medium or large, large
    for (std::size_t square = 0; square < squares; ++square) {
        const auto field = static_cast<Square>(square);
        const std::size_t bit = bit_of(field);
        if (!position.fish(0).test(bit) && !position.fish(1).test(bit)) continue;
        if (position.weight(field) >= 2) weighty[0].set(bit);
        if (position.weight(field) >= 3) weighty[1].set(bit);
    }
    for (Seat seat = 0; seat < 2; ++seat) {
        const Board& fish = position.fish(seat);
        const Traits counts = traits_of({fish, weighty[0] & fish, weighty[1] & fish});
        for (std::size_t trait = 0; trait < traits; ++trait)
            values[trait] += static_cast<float>(seat == me ? counts[trait] : -counts[trait]);
    }
    const auto at = [&](Circumstance what) -> float& {
        return values[traits + static_cast<std::size_t>(what)];
    };
    if (const auto credit = position.union_credit())
        at(Circumstance::credit) = *credit == me ? 1.0F : -1.0F;
    at(me == 0 ? Circumstance::opens_round : Circumstance::ends_round) = 1.0F;
    const Moment moment = moment_of(position.ply());
    const float share = static_cast<float>(moment.share) / static_cast<float>(whole_share);
    std::vector<float> all(weight_count);
    for (std::size_t feature = 0; feature < features; ++feature) {
        all[feature * knots + moment.knot] = values[feature] * (1.0F - share);
        all[feature * knots + moment.knot + 1] = values[feature] * share;
    }
    return all;
}

std::vector<std::string_view> Evaluate::names() {
    return {feature_names.begin(), feature_names.end()};
}

std::vector<std::int16_t> Evaluate::weights_for(const Position& position) {
    std::vector<std::int16_t> all;
    for (const auto& row : fitted_weights(position.rules()))
        all.insert(all.end(), row.begin(), row.end());
    return all;
}

// ------------------------------------------------------------------------------------------- Node

Node::Node(Evaluate& evaluate, const Position& position) : judge_(&evaluate) {
    for (std::size_t square = 0; square < squares; ++square) {
        const auto field = static_cast<Square>(square);
        for (Seat seat = 0; seat < 2; ++seat) {
            if (position.fish(seat).test(bit_of(field))) put(field, seat, position.weight(field));
        }
    }
    ply_ = static_cast<std::uint8_t>(position.ply());
    credit_ = position.union_credit().value_or(2);
}

void Node::put(Square square, Seat seat, int weight) {
    const std::size_t bit = bit_of(square);
    fish_[seat].set(bit);
    if (weight >= 2) medium_or_large_.set(bit);
    if (weight >= 3) large_.set(bit);
    keys_[seat] ^= fish_key(weight, square);
    ++count_[seat];
    for (std::size_t axis = 0; axis < axes; ++axis) {
        auto& line = lines_[places[square].line[axis]];
        line = static_cast<std::uint16_t>(line + powers[places[square].bit[axis]] * (1U + seat));
    }
}

/// A side's fish, judged when first asked for.
const Shape& Node::shape(Seat seat) const {
    if (!judged_[seat]) {
        shapes_[seat] = judge_->shape(keys_[seat], fish_[seat], medium_or_large_, large_);
        judged_[seat] = true;
    }
    return shapes_[seat];
}

/// A fish without neighbour answers most questions.
bool Node::is_whole(Seat seat) const {
    if (judged_[seat]) return shapes_[seat].whole;
    if (count_[seat] > 1 && has_lonely(fish_[seat])) return false;
    return shape(seat).whole;
}

/// Appends the moves of the seat to move whose landing field `wanted(ways)` allows.
template <class Wanted>
void Node::list(Moves& moves, Wanted&& wanted) const {
    const unsigned shift = 20U * to_move();
    for (std::size_t line = 0; line < line_count; ++line) {
        const Ways all = table[lines_[line]];
        Ways mine = (all & judge_->land_[line]) >> shift & wanted(all);
        if (mine == 0) continue;
        const auto distance = static_cast<std::uint8_t>(all >> 60U);
        const auto& ways = directions_of[axis_of(line)];
        for (; mine != 0; mine &= mine - 1) {
            const auto bit = static_cast<unsigned>(std::countr_zero(mine));
            const bool down = bit >= 10;
            const std::size_t from = down ? bit - 10 + distance : bit - distance;
            moves.push_back({squares_of[line][from], ways[down], distance});
        }
    }
}

void Node::list_moves(Moves& moves) const {
    list(moves, [](Ways) { return Ways{0xfffff}; });
}

void Node::list_tactical_moves(Moves& moves) const {
    const unsigned yours = to_move() == 0 ? 50U : 40U;
    list(moves, [yours](Ways all) { return (all >> yours & ten) * 0x401U; });
}

void Node::list_quiet_moves(Moves& moves) const {
    const unsigned yours = to_move() == 0 ? 50U : 40U;
    list(moves, [yours](Ways all) { return ~((all >> yours & ten) * 0x401U) & 0xfffffU; });
}

bool Node::can_move() const {
    Moves moves;
    list_moves(moves);
    return !moves.empty();
}

bool Node::is_legal(Move move) const {
    const Course course = courses[static_cast<std::size_t>(move.direction)];
    const Place& place = places[move.from];
    const std::size_t line = place.line[course.axis];
    const Ways all = table[lines_[line]];
    if (!fish_[to_move()].test(bit_of(move.from)) || move.distance != all >> 60U) return false;
    const int bit = place.bit[course.axis] + (course.upwards ? move.distance : -move.distance);
    if (bit < 0 || bit >= side) return false;
    const unsigned shift = 20U * to_move() + (course.upwards ? 0U : 10U);
    return ((all & judge_->land_[line]) >> shift >> static_cast<unsigned>(bit) & 1U) != 0;
}

int Node::gain(Move move) const {
    const std::size_t bit = bit_of(target_of(move));
    return fish_[to_move() ^ 1U].test(bit) ? judge_->prey(weight(bit)) : 0;
}

void Node::play(Move move) {
    const Seat me = to_move();
    const Seat you = me ^ 1U;
    const Square to = target_of(move);
    const std::size_t leave = bit_of(move.from);
    const std::size_t reach = bit_of(to);
    const int moved = weight(leave);
    const bool takes = fish_[you].test(reach);
    const int change = 1 + me - (takes ? 1 + you : 0);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        auto& left = lines_[places[move.from].line[axis]];
        left = static_cast<std::uint16_t>(left - powers[places[move.from].bit[axis]] * (1 + me));
        auto& reached = lines_[places[to].line[axis]];
        reached = static_cast<std::uint16_t>(reached + powers[places[to].bit[axis]] * change);
    }
    if (takes) {
        keys_[you] ^= fish_key(weight(reach), to);
        --count_[you];
        fish_[you].reset(reach);
        medium_or_large_.reset(reach);
        large_.reset(reach);
        judged_[you] = false;
    }
    keys_[me] ^= fish_key(moved, move.from) ^ fish_key(moved, to);
    fish_[me].reset(leave);
    fish_[me].set(reach);
    if (moved >= 2) medium_or_large_.reset(leave), medium_or_large_.set(reach);
    if (moved >= 3) large_.reset(leave), large_.set(reach);
    judged_[me] = false;
    ++ply_;
    if (judge_->rules_.weighs() && credit_ == 2) give_credit(me);
}

void Node::pass() { ++ply_; }

/// Near the end of rounds with a swarm a pass would end the game, and near the last ply it would
/// change who has the last word.
bool Node::may_pass() const { return !is_tense() && ply_ < last_ply - 8 && count_[to_move()] > 3; }

std::uint64_t Node::key() const {
    return keys_[0] ^ std::rotl(keys_[1], 21) ^ keys[300U + ply_] ^ keys[361U + credit_];
}

/// Without the credit a move may bring about: good for looking ahead, not for knowing.
std::uint64_t Node::key_after(Move move) const {
    const Seat me = to_move();
    const Square to = target_of(move);
    const int moved = weight(bit_of(move.from));
    std::array<std::uint64_t, 2> sides = keys_;
    sides[me] ^= fish_key(moved, move.from) ^ fish_key(moved, to);
    if (fish_[me ^ 1U].test(bit_of(to))) sides[me ^ 1U] ^= fish_key(weight(bit_of(to)), to);
    return sides[0] ^ std::rotl(sides[1], 21) ^ keys[301U + ply_] ^ keys[361U + credit_];
}

void Node::give_credit(Seat mover) {
    if (!is_tense()) return;
    credit_ = !judge_->rules_.as_server ? mover : is_whole(0) ? Seat{0} : Seat{1};
}

/// Whether the swarms end the game now that a round is over. The server of 2019 takes a side
/// without fish for whole, and plays on while both are whole and equal.
bool Node::unions_end() const {
    const Rules& rules = judge_->rules_;
    if (!rules.as_server || rules.weighs()) return is_tense();
    const bool first = is_whole(0) || count_[0] == 0;
    const bool second = is_whole(1) || count_[1] == 0;
    return (first || second) && (first != second || count_[0] != count_[1]);
}

/// 1, 0 or −1 for the seat to move.
int Node::judged_by_swarms() const {
    const Rules& rules = judge_->rules_;
    const Shape& mine = shape(to_move());
    const Shape& yours = shape(to_move() ^ 1U);
    if (!rules.weighs()) {
        const bool i_am = mine.whole || (rules.as_server && mine.fish == 0);
        const bool you_are = yours.whole || (rules.as_server && yours.fish == 0);
        if (i_am != you_are) return i_am ? 1 : -1;
    }
    if (mine.heaviest != yours.heaviest) return mine.heaviest > yours.heaviest ? 1 : -1;
    const bool asked = credit_ != 2 && (!rules.as_server || mine.whole || yours.whole);
    return !asked ? 0 : credit_ == to_move() ? 1 : -1;
}

std::optional<int> Node::end() const {
    if (ply_ < last_ply && (ply_ % 2 == 1 || !unions_end())) {
        // A side without fish cannot move; asking here spares the leaves a list of moves.
        if (count_[to_move()] == 0) return stuck();
        return std::nullopt;
    }
    const bool blocks_first =
        judge_->rules_.as_server && judge_->rules_.weighs() && !is_tense() && !can_move();
    return blocks_first ? -1 : judged_by_swarms();
}

int Node::stuck() const {
    const Rules& rules = judge_->rules_;
    const bool by_swarms = rules.as_server && rules.weighs() && is_tense();
    return by_swarms ? judged_by_swarms() : -1;
}

search::Score Node::evaluate() const {
    const Seat me = to_move();
    const Shape& mine = shape(me);
    const Shape& yours = shape(me ^ 1U);
    const Weights& weights = judge_->weights_;
    const Moment moment = moment_of(ply_);
    const int credited = credit_ == 2 ? 0 : credit_ == me ? 1 : -1;
    const auto turn = me == 0 ? Circumstance::opens_round : Circumstance::ends_round;
    const auto at = [&](std::size_t knot) {
        const auto weigh = [&](Circumstance what) {
            return int{weights[traits + static_cast<std::size_t>(what)][knot]};
        };
        return 16 * (mine.value[knot] - yours.value[knot]) + weigh(turn) +
               credited * weigh(Circumstance::credit);
    };
    const int sum =
        at(moment.knot) * (whole_share - moment.share) + at(moment.knot + 1) * moment.share;
    return search::estimate(sum / (16 * whole_share));
}

}  // namespace spielleiter::piranhas
