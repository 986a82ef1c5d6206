#include "evaluate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "core/simd.hpp"
#include "core/zobrist.hpp"

namespace spielleiter::piranhas {

namespace {

/// Seed "SWIM". Layout: 3 weights × 100 fields, 61 plies, 3 states of the credit.
constexpr auto search_keys = zobrist_table<300 + 61 + 3, 0x5357494d>();

std::uint64_t fish_key(int weight, Square square) {
    return search_keys[static_cast<std::size_t>(weight - 1) * squares + number_of(square)];
}

// ------------------------------------------------------------------------------------------ lines

// A line is one word: ten bits for the fish of each seat, then their number. All lines are moved at
// once: plain loops over words that a compiler turns into vector instructions.
constexpr std::uint32_t ten = 0x3ff;
constexpr unsigned number_shift = 20;

constexpr std::uint32_t fish_word(unsigned bit, Seat seat) {
    return 1U << (bit + 10U * seat) | 1U << number_shift;
}

/// Where the own fish of a line may land: ten bits for moves upwards, then ten for moves downwards.
/// The fields between are barred by smearing the enemy's bits over distance − 1 fields, in three
/// steps, each at most as far as what is covered already. At distance 1 nothing lies between, and
/// what is barred then is where an enemy would come from.
inline std::uint32_t landings(std::uint32_t own, std::uint32_t enemy, std::uint32_t distance,
                              std::uint32_t land) {
    const std::uint32_t first = (distance + 2U) >> 3U;
    const std::uint32_t second = distance >> 2U;
    const std::uint32_t third = (distance - 1U) >> 1U & 7U;
    std::uint32_t up = enemy << 1U;
    up |= up << first;
    up |= up << second;
    up |= up << third;
    std::uint32_t down = enemy >> 1U;
    down |= down >> first;
    down |= down >> second;
    down |= down >> third;
    return (own << distance & land & ~up) | (own >> distance & land & ~down) << 10U;
}

/// Eight words at a time: for a block this long compilers choose an instruction that starts slowly.
inline void copy_words(Lines& to, const Lines& from) {
    using Eight = std::array<std::uint32_t, 8>;
    for (std::size_t at = 0; at < line_words; at += 8) {
        Eight words;
        std::memcpy(&words, &from[at], sizeof words);
        std::memcpy(&to[at], &words, sizeof words);
    }
}

Square target_of(Move move) { return along(move.from, move.direction, move.distance); }

// ---------------------------------------------------------------------------------------- schools

/// What a fish changes where it comes or goes, by which of the eight fields round it are its kin.
struct Change {
    std::int8_t swarms;
    std::uint8_t links;
};

/// Four times the Euler number of a 2 × 2 window: one fish counts 1, three −1, two at opposite
/// corners −2 (number of swarms less number of holes, after Gray).
constexpr int window_value(bool a, bool b, bool c, bool d) {
    const int fish = a + b + c + d;
    return fish == 1 ? 1 : fish == 3 ? -1 : fish == 2 && a == d ? -2 : 0;
}
/// Bits 0 to 2 are the fields below, 3 and 4 left and right, 5 to 7 above.
constexpr auto changes = [] {
    std::array<Change, 256> made{};
    for (unsigned round = 0; round < made.size(); ++round) {
        const auto kin = [&](unsigned bit) { return (round >> bit & 1U) != 0; };
        const auto value = [&](bool here) {
            return window_value(kin(0), kin(1), kin(3), here) +
                   window_value(kin(1), kin(2), here, kin(4)) +
                   window_value(kin(3), here, kin(5), kin(6)) +
                   window_value(here, kin(4), kin(6), kin(7));
        };
        made[round] = {static_cast<std::int8_t>((value(true) - value(false)) / 4),
                       static_cast<std::uint8_t>(std::popcount(round))};
    }
    return made;
}();

/// Which of the eight fields round a field are in a set, in the order of `changes`.
unsigned kin_of(const Board& fish, std::size_t bit) {
    constexpr unsigned reach = stride + 1;
    const std::uint64_t low = fish.words[0] << reach;
    const std::uint64_t high = fish.words[1] << reach | fish.words[0] >> (64U - reach);
    // Two choices of a value and no branch: which half it is cannot be foreseen.
    const std::uint64_t here = bit < 64 ? low : high;
    const std::uint64_t beyond = bit < 64 ? high : 0;
    const std::uint64_t near = here >> bit % 64U | beyond << 1U << (63U - bit % 64U);
    return static_cast<unsigned>((near & 7U) | (near >> stride & 1U) << 3U |
                                 (near >> (stride + 2U) & 1U) << 4U |
                                 (near >> (2U * stride) & 7U) << 5U);
}

constexpr auto sums_of = [] {
    std::array<CoordinateSums, squares> made{};
    for (std::size_t square = 0; square < squares; ++square)
        made[square] = CoordinateSums::of(numbered(square));
    return made;
}();

/// Tens of fields in 256ths, by the number of fish that a scatter is to be divided by.
constexpr auto tenths = [] {
    std::array<std::int64_t, squares + 1> made{};
    for (std::size_t n = 1; n < made.size(); ++n)
        made[n] = (std::int64_t{256} << 16U) / static_cast<std::int64_t>(10 * n);
    return made;
}();

int spread_of(const SideState& side_state, int scatter) {
    return static_cast<int>(scatter * tenths[static_cast<std::size_t>(side_state.count())] >> 16U);
}

/// A root is rounded alike everywhere, and so is one division.
int reach_of(const SideState& side_state, int scatter) {
    const float fish = std::max(static_cast<float>(side_state.count()), 1.0F);
    return static_cast<int>(256.0F * std::sqrt(static_cast<float>(scatter)) / fish);
}

/// The fields without the guard column, where neighbours may lie.
constexpr Board all_fields = [] {
    Board fields;
    for (std::size_t number = 0; number < squares; ++number) fields.set(bit_of(numbered(number)));
    return fields;
}();

/// All fish linked to those of `swarm`.
Board swarm_from(Board swarm, const Board& fish) {
    while (true) {
        const Board next = with_neighbours(with_neighbours(swarm) & fish) & fish;
        if (next == swarm) return swarm;
        swarm = next;
    }
}

}  // namespace

int SideState::scatter() const {
    const int columns = sums.columns();
    const int rows = sums.rows();
    return count() * sums.squares() - columns * columns - rows * rows;
}

const std::array<std::string_view, features> feature_names{
    "network", "swarms", "links", "spread", "reach", "fish", "credit", "opens_round", "ends_round"};

// --------------------------------------------------------------------------------------- Evaluate

Evaluate::Evaluate(std::span<const std::int16_t> weights) : given_(weights.begin(), weights.end()) {
    if (!given_.empty() && given_.size() != weight_count)
        throw UsageError("the evaluation takes " + std::to_string(weight_count) + " weights");
}

void Evaluate::follow(Rules rules) {
    if (network_ != nullptr && rules_ == rules) return;
    rules_ = rules;
    network_ = &fitted_network(rules);
    Weights weights = fitted_weights(rules);
    for (std::size_t at = 0; at < given_.size(); ++at) weights[at / knots][at % knots] = given_[at];
    for (std::size_t ply = 0; ply < by_ply_.size(); ++ply) {
        for (std::size_t feature = 0; feature < features; ++feature)
            by_ply_[ply][feature] = at_ply(weights[feature], ply);
    }
}

Node Evaluate::node(const Position& position) {
    follow(position.rules());
    for (std::size_t line = 0; line < line_count; ++line) {
        std::uint32_t land = on_board[line];
        for (std::size_t bit = 0; bit < side; ++bit) {
            const bool exists = (on_board[line] >> bit & 1U) != 0;
            if (exists && position.octopuses().test(bit_of(squares_of[line][bit])))
                land &= ~(1U << bit);
        }
        land_[line] = land;
    }
    return {*this, position};
}

std::vector<float> Evaluate::features_of(const Position& position) {
    Evaluate judge;
    const auto counted = judge.node(position).feature_values();
    const Phase phase = phases[static_cast<std::size_t>(position.ply())];
    const float share = static_cast<float>(phase.share) / static_cast<float>(full_share);
    std::vector<float> all(weight_count);
    for (std::size_t feature = 0; feature < features; ++feature) {
        const float value = static_cast<float>(counted[feature]) / 256.0F;
        all[feature * knots + phase.knot] = value * (1.0F - share);
        all[feature * knots + phase.knot + 1] = value * share;
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

Node::Node(Evaluate& evaluate, const Position& position) : evaluate_(&evaluate) {
    accumulators_.fill(evaluate.network_->bias());
    lines_.fill(0);
    for (std::size_t square = 0; square < squares; ++square) {
        const Square field = numbered(square);
        for (Seat seat = 0; seat < 2; ++seat) {
            if (position.fish(seat).test(bit_of(field))) put(field, seat, position.weight(field));
            if (position.octopuses().test(bit_of(field)))
                accumulators_[seat].add(evaluate.network_->octopus(field));
        }
    }
    ply_ = static_cast<std::uint8_t>(position.ply());
    credit_ = position.union_credit().value_or(2);
}

void Node::put(Square square, Seat seat, int weight) {
    const std::size_t bit = bit_of(square);
    if (weight >= 2) medium_or_large_.set(bit);
    if (weight >= 3) large_.set(bit);
    count<true>(sides_[seat], square, weight);
    accumulators_[seat].add(evaluate_->network_->row(true, weight, square));
    accumulators_[seat ^ 1U].add(evaluate_->network_->row(false, weight, square));
    for (std::size_t axis = 0; axis < axes; ++axis) {
        lines_[lines_of(square).line[axis]] += fish_word(lines_of(square).bit[axis], seat);
    }
}

/// A fish comes or goes.
template <bool comes>
void Node::count(SideState& side_state, Square square, int weight) const {
    constexpr int sign = comes ? 1 : -1;
    const std::size_t bit = bit_of(square);
    const Change change = changes[kin_of(side_state.fish, bit)];
    const auto& worth = evaluate_->network_->place(weight, square);
    side_state.fish.flip(bit);
    side_state.key ^= fish_key(weight, square);
    for (std::size_t knot = 0; knot < knots; ++knot) side_state.places[knot] += sign * worth[knot];
    side_state.sums.packed += static_cast<std::uint64_t>(sign) * sums_of[number_of(square)].packed;
    side_state.swarms = static_cast<std::int8_t>(side_state.swarms + sign * change.swarms);
    side_state.links = static_cast<std::uint8_t>(side_state.links + sign * change.links);
    side_state.whole = -1;
}

/// Two swarms more than holes are two swarms at least; that answers most questions.
bool Node::is_whole(Seat seat) const {
    const SideState& side_state = sides_[seat];
    if (side_state.swarms >= 2 || side_state.count() == 0) return false;
    if (side_state.whole < 0) {
        const Board swarm = swarm_from(Board::of(side_state.fish.first()), side_state.fish);
        side_state.whole = static_cast<std::int8_t>(swarm == side_state.fish);
    }
    return side_state.whole != 0;
}

/// Weight of the heaviest swarm.
int Node::heaviest(Seat seat) const {
    int best = 0;
    for (Board rest = sides_[seat].fish; rest.any();) {
        const Board swarm = swarm_from(Board::of(rest.first()), rest);
        best = std::max(
            best, swarm.count() + (swarm & medium_or_large_).count() + (swarm & large_).count());
        rest = without(rest, swarm);
    }
    return best;
}

/// Appends the moves of the seat to move that land where `wanted(own, enemy)` says.
template <class Wanted>
void Node::list(Moves& moves, Wanted&& wanted) const {
    const unsigned mine = 10U * to_move();
    const Lines& words = lines();
    alignas(32) Lines targets;
    for (std::size_t line = 0; line < line_words; ++line) {
        const std::uint32_t own = words[line] >> mine & ten;
        const std::uint32_t enemy = words[line] >> (10U - mine) & ten;
        const std::uint32_t distance = words[line] >> number_shift;
        targets[line] = landings(own, enemy, distance, evaluate_->land_[line] & wanted(own, enemy));
    }
    for (std::uint64_t busy = simd::nonzero(targets); busy != 0; busy &= busy - 1) {
        const auto line = static_cast<std::size_t>(std::countr_zero(busy));
        const auto distance = static_cast<std::uint8_t>(words[line] >> number_shift);
        const auto& ways = directions_of[axis_of(line)];
        for (std::uint32_t rest = targets[line]; rest != 0; rest &= rest - 1) {
            const auto bit = static_cast<unsigned>(std::countr_zero(rest));
            const bool down = bit >= 10;
            const std::size_t from = down ? bit - 10 + distance : bit - distance;
            moves.push_back({squares_of[line][from], ways[down], distance});
        }
    }
}

void Node::list_moves(Moves& moves) const {
    list(moves, [](std::uint32_t own, std::uint32_t) { return ~own; });
}

void Node::list_tactical_moves(Moves& moves) const {
    list(moves, [](std::uint32_t, std::uint32_t enemy) { return enemy; });
    Moves uniting;
    list_uniting_moves(uniting);
    for (const Move move : uniting) {
        if (!captures(move)) moves.push_back(move);
    }
}

void Node::list_quiet_moves(Moves& moves) const {
    const auto empty = [](std::uint32_t own, std::uint32_t enemy) { return ~(own | enemy); };
    if (!can_unite()) {
        list(moves, empty);
        return;
    }
    Moves all;
    list(all, empty);
    for (const Move move : all) {
        if (!unites(move)) moves.push_back(move);
    }
}

bool Node::can_move() const {
    Moves moves;
    list_moves(moves);
    return !moves.empty();
}

bool Node::is_legal(Move move) const {
    const AxisDirection axis_direction = axis_directions[static_cast<std::size_t>(move.direction)];
    const SquareLines& place = lines_of(move.from);
    const std::size_t line = place.line[axis_direction.axis];
    const unsigned mine = 10U * to_move();
    const std::uint32_t word = lines()[line];
    const std::uint32_t own = word >> mine & ten;
    const std::uint32_t enemy = word >> (10U - mine) & ten;
    const std::uint32_t distance = word >> number_shift;
    const std::uint32_t fish = own & 1U << place.bit[axis_direction.axis];
    if (fish == 0 || move.distance != distance) return false;
    const std::uint32_t targets = landings(fish, enemy, distance, evaluate_->land_[line] & ~own);
    return (axis_direction.upwards ? targets & ten : targets >> 10U) != 0;
}

Move Node::move_of(std::size_t slot) const {
    const std::size_t from = slot / directions;
    const std::size_t line = places[from].line[axis_directions[slot % directions].axis];
    return {numbered(from), static_cast<Direction>(slot % directions),
            static_cast<std::uint8_t>(lines()[line] >> number_shift)};
}

// ------------------------------------------------------------------------------------------ unions

// A move that makes its side whole decides most games, so search looks at it before anything else
// and nowhere leaves it out, not even where it only follows captures.

/// One move hardly ever makes a side of so many swarms (less holes) whole: it is not looked for.
constexpr int too_many_swarms = 4;

/// Whether a move makes its side whole, which it was not.
bool Node::unites(Move move) const {
    const SideState& mine = sides_[to_move()];
    if (mine.swarms >= too_many_swarms || can_unite_ == 0) return false;
    const std::size_t to = bit_of(target_of(move));
    Board fish = mine.fish;
    int swarms = mine.swarms - changes[kin_of(fish, bit_of(move.from))].swarms;
    fish.flip(bit_of(move.from));
    swarms += changes[kin_of(fish, to)].swarms;
    if (swarms > 1 || is_whole(to_move())) return false;
    fish.set(to);
    return swarm_from(Board::of(to), fish) == fish;
}

bool Node::can_unite() const {
    if (can_unite_ < 0) {
        Moves first;
        list_uniting_moves(first, 1);
    }
    return can_unite_ != 0;
}

/// A fish that unites comes between two swarms, or is a swarm by itself and joins the others. Fills
/// an empty list, and remembers whether there is such a move.
void Node::list_uniting_moves(Moves& moves, std::size_t most) const {
    const SideState& mine = sides_[to_move()];
    if (mine.swarms >= too_many_swarms || mine.count() == 0 || is_whole(to_move())) can_unite_ = 0;
    if (can_unite_ == 0) return;
    const auto consider = [&](Move move) {
        if (moves.size() < most && unites(move) && is_legal(move)) moves.push_back(move);
    };
    const Board first = swarm_from(Board::of(mine.fish.first()), mine.fish);
    const Board others = without(mine.fish, first);
    const Board near = with_neighbours(first) & with_neighbours(others);
    const Board between = without(near & all_fields, mine.fish);
    between.each([&](std::size_t bit) { each_move_to(square_of(bit), consider); });
    for (const Board& swarm : {first, others}) {
        if (swarm.count() != 1) continue;
        const std::size_t slot = number_of(square_of(swarm.first())) * directions;
        for (std::size_t direction = 0; direction < directions; ++direction) {
            const Move move = move_of(slot + direction);
            const auto target = move.target();
            if (target && !between.test(bit_of(*target))) consider(move);
        }
    }
    can_unite_ = static_cast<std::int8_t>(!moves.empty());
}

/// Visits the own moves that end on a field if nothing bars their way.
template <class Visit>
void Node::each_move_to(Square target, Visit&& visit) const {
    const SquareLines& place = lines_of(target);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::size_t line = place.line[axis];
        const std::size_t bit = place.bit[axis];
        const std::uint32_t own = lines()[line] >> 10U * to_move() & ten;
        const auto distance = static_cast<std::uint8_t>(lines()[line] >> number_shift);
        if (bit >= distance && (own >> (bit - distance) & 1U) != 0)
            visit(Move{squares_of[line][bit - distance], directions_of[axis][0], distance});
        if ((own >> (bit + distance) & 1U) != 0)
            visit(Move{squares_of[line][bit + distance], directions_of[axis][1], distance});
    }
}

// ------------------------------------------------------------------------------------------- gains

/// Roughly what it is worth to eat a fish: for itself, and for each unit of its weight.
constexpr int fish_gain = 120;
constexpr int weight_gain = 70;
/// A union comes before every capture, and no window is so high that it could not be reached.
constexpr int union_gain = 2 * search::infinite;

bool Node::captures(Move move) const {
    return sides_[to_move() ^ 1U].fish.test(bit_of(target_of(move)));
}

int Node::gain(Move move) const {
    if (unites(move)) return union_gain;
    if (!captures(move)) return 0;
    const int weighed = evaluate_->rules_.weighs() ? weight(bit_of(target_of(move))) : 0;
    return fish_gain + weight_gain * weighed;
}

int Node::most_gain() const {
    if (can_unite()) return union_gain;
    return fish_gain + weight_gain * (evaluate_->rules_.weighs() ? 3 : 0);
}

/// Everything is made anew from the parent rather than copied first and changed then.
Node::Node(const Node& parent, Move move)
    : sides_(parent.sides_),
      medium_or_large_(parent.medium_or_large_),
      large_(parent.large_),
      evaluate_(parent.evaluate_),
      parent_(&parent),
      move_(move),
      ply_(static_cast<std::uint8_t>(parent.ply_ + 1)),
      credit_(parent.credit_) {
    const Network& network = *evaluate_->network_;
    const Seat me = parent.to_move();
    const Seat you = me ^ 1U;
    const Square to = target_of(move);
    const int moved = weight(bit_of(move.from));
    accumulators_[me].moved(parent.accumulators_[me], network.row(true, moved, move.from),
                            network.row(true, moved, to));
    accumulators_[you].moved(parent.accumulators_[you], network.row(false, moved, move.from),
                             network.row(false, moved, to));
    if (sides_[you].fish.test(bit_of(to))) capture(to, you);
    move_fish(move.from, to, me, moved);
    if (evaluate_->rules_.weighs() && credit_ == 2) give_credit(me);
}

Node::Node(const Node& other)
    : accumulators_(other.accumulators_),
      sides_(other.sides_),
      medium_or_large_(other.medium_or_large_),
      large_(other.large_),
      evaluate_(other.evaluate_),
      move_(other.move_),
      ply_(other.ply_),
      credit_(other.credit_),
      can_unite_(other.can_unite_) {
    copy_words(lines_, other.lines());
}

Node& Node::operator=(const Node& other) {
    if (this == &other) return *this;
    copy_words(lines_, other.lines());
    accumulators_ = other.accumulators_;
    sides_ = other.sides_;
    medium_or_large_ = other.medium_or_large_;
    large_ = other.large_;
    evaluate_ = other.evaluate_;
    parent_ = nullptr;
    move_ = other.move_;
    ply_ = other.ply_;
    credit_ = other.credit_;
    can_unite_ = other.can_unite_;
    return *this;
}

void Node::make_lines() const {
    const Seat me = parent_->to_move();
    const Square to = target_of(move_);
    copy_words(lines_, parent_->lines());
    const auto& from_place = lines_of(move_.from);
    const auto& to_place = lines_of(to);
    const std::uint32_t takes = parent_->sides_[me ^ 1U].fish.test(bit_of(to)) ? 1U : 0U;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        lines_[from_place.line[axis]] -= fish_word(from_place.bit[axis], me);
        lines_[to_place.line[axis]] +=
            fish_word(to_place.bit[axis], me) - takes * fish_word(to_place.bit[axis], me ^ 1U);
    }
    parent_ = nullptr;
}

void Node::capture(Square square, Seat owner) {
    const std::size_t bit = bit_of(square);
    const int captured = weight(bit);
    count<false>(sides_[owner], square, captured);
    accumulators_[owner].subtract(evaluate_->network_->row(true, captured, square));
    accumulators_[owner ^ 1U].subtract(evaluate_->network_->row(false, captured, square));
    medium_or_large_.reset(bit);
    large_.reset(bit);
}

void Node::move_fish(Square from, Square to, Seat owner, int weight) {
    const std::size_t leave = bit_of(from);
    const std::size_t reach = bit_of(to);
    count<false>(sides_[owner], from, weight);
    count<true>(sides_[owner], to, weight);
    if (weight >= 2) medium_or_large_.reset(leave), medium_or_large_.set(reach);
    if (weight >= 3) large_.reset(leave), large_.set(reach);
}

void Node::pass() {
    ++ply_;
    can_unite_ = -1;
}

/// Near the end of rounds with a swarm a pass would end the game, and near the last ply it would
/// change who has the last word.
bool Node::may_pass() const {
    return !is_tense() && ply_ < last_ply - 8 && sides_[to_move()].count() > 3;
}

std::uint64_t Node::key() const {
    return sides_[0].key ^ std::rotl(sides_[1].key, 21) ^ search_keys[300U + ply_] ^
           search_keys[361U + credit_];
}

/// Without the credit a move may bring about: good for looking ahead, not for knowing.
std::uint64_t Node::key_after(Move move) const {
    const Seat me = to_move();
    const Square to = target_of(move);
    const int moved = weight(bit_of(move.from));
    std::array<std::uint64_t, 2> sides{sides_[0].key, sides_[1].key};
    sides[me] ^= fish_key(moved, move.from) ^ fish_key(moved, to);
    if (captures(move)) sides[me ^ 1U] ^= fish_key(weight(bit_of(to)), to);
    return sides[0] ^ std::rotl(sides[1], 21) ^ search_keys[301U + ply_] ^
           search_keys[361U + credit_];
}

void Node::give_credit(Seat mover) {
    if (!is_tense()) return;
    credit_ = !evaluate_->rules_.as_server ? mover : is_whole(0) ? Seat{0} : Seat{1};
}

/// Whether the swarms end the game now that a round is over. The server of 2019 takes a side
/// without fish for whole, and plays on while both are whole and equal.
bool Node::unions_end() const {
    const Rules& rules = evaluate_->rules_;
    if (!rules.as_server || rules.weighs()) return is_tense();
    const bool first = is_whole(0) || sides_[0].count() == 0;
    const bool second = is_whole(1) || sides_[1].count() == 0;
    return (first || second) && (first != second || sides_[0].count() != sides_[1].count());
}

/// 1, 0 or −1 for the seat to move.
int Node::judged_by_swarms() const {
    const Rules& rules = evaluate_->rules_;
    const Seat me = to_move();
    const Seat you = me ^ 1U;
    const bool i_am_whole = is_whole(me);
    const bool you_are_whole = is_whole(you);
    if (!rules.weighs()) {
        const bool i_am = i_am_whole || (rules.as_server && sides_[me].count() == 0);
        const bool you_are = you_are_whole || (rules.as_server && sides_[you].count() == 0);
        if (i_am != you_are) return i_am ? 1 : -1;
    }
    const int mine = heaviest(me);
    const int yours = heaviest(you);
    if (mine != yours) return mine > yours ? 1 : -1;
    const bool asked = credit_ != 2 && (!rules.as_server || i_am_whole || you_are_whole);
    return !asked ? 0 : credit_ == me ? 1 : -1;
}

std::optional<int> Node::end() const {
    if (ply_ < last_ply && (ply_ % 2 == 1 || !unions_end())) {
        // A side without fish cannot move; asking here spares the leaves a list of moves.
        if (sides_[to_move()].count() == 0) return value_without_moves();
        return std::nullopt;
    }
    const bool blocks_first =
        evaluate_->rules_.as_server && evaluate_->rules_.weighs() && !is_tense() && !can_move();
    return blocks_first ? -1 : judged_by_swarms();
}

int Node::value_without_moves() const {
    const Rules& rules = evaluate_->rules_;
    const bool by_swarms = rules.as_server && rules.weighs() && is_tense();
    return by_swarms ? judged_by_swarms() : -1;
}

/// Every feature for the seat to move, in 256ths.
std::array<int, features> Node::feature_values() const {
    const Seat me = to_move();
    const SideState& mine = sides_[me];
    const SideState& yours = sides_[me ^ 1U];
    PieceSquareSums gap{};
    for (std::size_t knot = 0; knot < knots; ++knot)
        gap[knot] = mine.places[knot] - yours.places[knot];
    const int seen = evaluate_->network_->judge(accumulators_[me], accumulators_[me ^ 1U], ply_);
    const int my_scatter = mine.scatter();
    const int your_scatter = yours.scatter();
    return {16 * (seen + at_ply(gap, ply_)),
            256 * (mine.swarms - yours.swarms),
            256 * (mine.links - yours.links),
            spread_of(mine, my_scatter) - spread_of(yours, your_scatter),
            reach_of(mine, my_scatter) - reach_of(yours, your_scatter),
            256 * (mine.count() - yours.count()),
            credit_ == 2    ? 0
            : credit_ == me ? 256
                            : -256,
            me == 0 ? 256 : 0,
            me == 0 ? 0 : 256};
}

search::Score Node::evaluate() const {
    const auto counts = feature_values();
    const auto& weights = evaluate_->by_ply_[ply_];
    // Unrolled: as a loop the numbers would go to memory first and come back as vectors, slowly.
    const auto sum = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return ((std::int64_t{counts[I]} * weights[I]) + ...);
    }(std::make_index_sequence<features>{});
    return search::estimate(static_cast<int>(sum / 4096));
}

}  // namespace spielleiter::piranhas
