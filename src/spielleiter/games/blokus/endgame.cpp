#include "endgame.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "covers.hpp"
#include "placement_map.hpp"

namespace spielleiter::blokus {

namespace {

bool meet(const Rows& a, const Rows& b) {
    std::uint32_t common = 0;
    for (std::size_t y = 0; y < side; ++y) common |= a[y] & b[y];
    return common != 0;
}

/// The free cells that can be reached from some of them, step by step, also at corners.
Rows flooded(const Rows& begin, const Rows& free) {
    Rows now = begin;
    for (bool grows = true; grows;) {
        grows = false;
        for (std::size_t y = 0; y < side; ++y) {
            std::uint32_t near = now[y] | (y > 0 ? now[y - 1] : 0);
            if (y + 1 < side) near |= now[y + 1];
            const std::uint32_t more = (near | near << 1 | near >> 1) & free[y];
            grows |= more != now[y];
            now[y] = more;
        }
    }
    return now;
}

int lead_of(const Position& position, Seat seat) {
    const auto scores = position.scores();
    return scores[seat] - scores[1U - seat];
}

}  // namespace

// -------------------------------------------------------------------------------------- remainder

struct Endgame::Remainder {
    explicit Remainder(const Position& position) {
        bool may_finish = false;
        for (const Colour colour : all_colours) {
            if (position.remaining_[colour] == 0) may_finish = true;
            if (!position.is_in_play(colour)) continue;
            survey(position, colour);
            if (gain[colour] > squares_of(position.remaining_[colour])) may_finish = true;
        }
        entangled = position.rules_.finished_colour_ends_game() && may_finish;
        find_parts(position.in_play_);
    }

    ByColour<Rows> area{};                   ///< cells a colour may ever cover
    ByColour<Rows> touch{};                  ///< its contacts
    ByColour<int> gain{};                    ///< at most so many points
    std::array<ColourSet, colours> parts{};  ///< colours that meet
    std::size_t count_of_parts = 0;
    bool entangled = false;  ///< a colour that places its last piece may end the game of all

    int gain_of(Seat seat, ColourSet part = 0b1111) const {
        int sum = 0;
        for (const Colour colour : {all_colours[seat], turns_after(all_colours[seat], 2)})
            if (holds(part, colour)) sum += gain[colour];
        return sum;
    }
    /// Whether both seats have a colour in it.
    static bool is_contested(ColourSet part) {
        return (part & 0b0101U) != 0 && (part & 0b1010U) != 0;
    }

  private:
    void survey(const Position& position, Colour colour) {
        const PlacementMap map(position, colour);
        Rows free;
        for (std::size_t y = 0; y < side; ++y) {
            free[y] = map.free[y + reach] >> reach;
            touch[colour][y] = map.contacts[y] >> reach;
        }
        area[colour] = flooded(touch[colour], free);
        const std::uint32_t left = position.remaining_[colour];
        const std::uint32_t fitting = fit(area[colour], position.pieces(colour));
        const int room = number_of_cells(area[colour]);
        gain[colour] = std::min(squares_of(fitting), room);
        if (position.is_first(colour)) gain[colour] = room;
        if ((fitting == left || position.is_first(colour)) && squares_of(left) <= room)
            gain[colour] = squares_of(left) + 15 + static_cast<int>(5 * (left & 1U));
    }

    /// Those of the pieces for which there is room somewhere.
    static std::uint32_t fit(const Rows& area, std::uint32_t pieces) {
        Margined free{};
        for (std::size_t y = 0; y < side; ++y) free[y + reach] = area[y] << reach;
        std::uint32_t fitting = 0;
        CoverSet wanted = covers_by(pieces);
        CoverSet found;
        for (std::size_t y = 0; y < side; ++y) {
            for (std::uint32_t rest = area[y]; rest != 0 && fitting != pieces; rest &= rest - 1) {
                const auto x = static_cast<std::size_t>(std::countr_zero(rest));
                find_covers(free, x, y, wanted, found);
                if (found.any()) {
                    fitting |= kinds_of(found, side * y + x);
                    wanted = covers_by(pieces & ~fitting);
                }
                free[y + reach] &= ~(1U << (x + reach));  // what covers it has been looked at
            }
        }
        return fitting;
    }

    static std::uint32_t kinds_of(const CoverSet& found, std::size_t cell) {
        std::uint32_t pieces = 0;
        found.each([&](std::size_t cover) {
            pieces |= 1U << Move{placement(cover, cell)}.orientation().kind;
        });
        return pieces;
    }

    void find_parts(ColourSet in_play) {
        for (ColourSet rest = in_play; rest != 0;) {
            ColourSet part = rest & static_cast<ColourSet>(-rest);
            for (ColourSet before = 0; before != part;) {
                before = part;
                for (const Colour colour : all_colours)
                    if (holds(rest, colour) && meets(colour, part)) part |= only(colour);
            }
            if (entangled) part = rest;
            parts[count_of_parts++] = part;
            rest &= static_cast<ColourSet>(~part);
        }
        // What takes longest comes last: by then most of the sum is known.
        std::stable_partition(parts.begin(), parts.begin() + count_of_parts,
                              [](ColourSet part) { return !is_contested(part); });
    }
    bool meets(Colour colour, ColourSet part) const {
        return std::any_of(all_colours.begin(), all_colours.end(), [&](Colour other) {
            return holds(part, other) && meet(area[colour], area[other]);
        });
    }
};

// ------------------------------------------------------------------------------------------ solve

Endgame::Endgame(std::size_t megabytes) : table_(megabytes), history_(colours * Move::codes) {}

void Endgame::forget() {
    table_.clear();
    std::fill(history_.begin(), history_.end(), 0);
}

void Endgame::begin(const Position& root, std::uint64_t most, search::Stop& stop) {
    if (!(root.rules() == rules_)) forget();
    rules_ = root.rules();
    stop_ = &stop;
    nodes_ = 0;
    most_ = most;
    stopped_ = false;
    choices_.clear();
    table_.new_search();
    for (std::int32_t& praised : history_) praised /= 2;
}

std::optional<int> Endgame::lead(const Position& root, std::uint64_t most, search::Stop& stop) {
    begin(root, most, stop);
    return windowed(root);
}

/// First who wins, then by how much.
std::optional<int> Endgame::windowed(const Position& root) {
    int found = value(root, -1, 1);
    if (stopped_ || found == 0) return stopped_ ? std::nullopt : std::optional(0);
    found = found > 0 ? value(root, 0, most_points) : value(root, -most_points, 0);
    return stopped_ ? std::nullopt : std::optional(found);
}

std::optional<std::vector<search::Variation<Move>>> Endgame::solve(const Position& root,
                                                                   std::uint64_t most,
                                                                   std::size_t lines,
                                                                   search::Stop& stop) {
    begin(root, most, stop);
    if (lines > 1) return compared(root, lines);
    auto found = win(root);
    if (!found && !stopped_ && effort(root) <= std::log10(static_cast<float>(most)))
        found = loss_or_draw(root);
    if (!found) return std::nullopt;
    return std::vector{std::move(*found)};
}

/// The winning move with the highest lead; if there are too many nodes to be sure, the best so far.
std::optional<search::Variation<Move>> Endgame::win(const Position& root) {
    std::optional<Move> chosen;
    int lead = 0;
    for (const Move move : in_order(root)) {
        const int least = value_after(root, move, lead, lead + 1);
        if (stopped_) break;
        if (least <= lead) continue;
        chosen = move;
        lead = least;
        const int exact = value_after(root, move, lead - 1, most_points);
        if (stopped_) break;
        lead = exact;
    }
    return chosen ? std::optional(line(root, *chosen, lead)) : std::nullopt;
}

/// The least bad move, where none wins.
std::optional<search::Variation<Move>> Endgame::loss_or_draw(const Position& root) {
    const int lead = value(root, -most_points, 1);
    if (stopped_) return std::nullopt;
    const Move first = best(root);
    if (stopped_) return std::nullopt;
    return line(root, first, lead);
}

/// All moves, each with its certain score; the best lines of them.
std::optional<std::vector<search::Variation<Move>>> Endgame::compared(const Position& root,
                                                                      std::size_t lines) {
    std::vector<search::Variation<Move>> found;
    for (const Move move : root.legal_moves()) {
        const int result = value_after(root, move, -most_points, most_points);
        if (stopped_) return std::nullopt;
        found.push_back({result, {move}});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    found.resize(std::min(found.size(), lines));
    for (auto& one : found) one = line(root, one.moves.front(), one.score);
    return found;
}

/// The moves of a position, what promises most first.
std::vector<Move> Endgame::in_order(const Position& position) {
    const auto known = table_.probe(position.key());
    list(position, Remainder(position), known ? known->move : Move::codes);
    std::stable_sort(choices_.begin(), choices_.end(),
                     [](const Choice& a, const Choice& b) { return a.value > b.value; });
    std::vector<Move> moves;
    moves.reserve(choices_.size());
    for (const Choice& choice : choices_) moves.push_back(choice.move);
    choices_.clear();
    return moves;
}

/// The move as the table remembers it after a search with an open window.
Move Endgame::best(const Position& position) {
    const Remainder remainder(position);
    Position part = position;
    for (std::size_t at = 0; at < remainder.count_of_parts; ++at)
        if (holds(remainder.parts[at], position.colour())) part.in_play_ = remainder.parts[at];
    best_of(part, Remainder(part), -most_points, most_points);
    const auto known = table_.probe(part.key());
    return known ? Move::coded(known->move) : part.legal_moves()[0];
}

/// With the moves that follow, as far as the nodes last.
search::Variation<Move> Endgame::line(const Position& root, Move first, int lead) {
    const int score = lead > 0 ? search::certain + lead : lead < 0 ? lead - search::certain : 0;
    search::Variation<Move> made{score, {first}, lead == 0};
    Position position = root;
    position.play(first);
    while (!position.is_over()) {
        const Move next = best(position);
        if (stopped_) break;
        made.moves.push_back(next);
        position.play(next);
    }
    return made;
}

// ----------------------------------------------------------------------------------------- search

bool Endgame::visit() {
    ++nodes_;
    if (nodes_ >= most_ || stop_->check(nodes_)) stopped_ = true;
    return stopped_;
}

/// The lead of the seat on turn at the end: exact between alpha and beta, beyond them a bound.
/// What is returned after the search was stopped means nothing.
int Endgame::value(const Position& position, int alpha, int beta) {
    const Seat seat = position.to_move();
    const int now = lead_of(position, seat);
    if (position.is_over()) return now;
    if (visit()) return 0;
    const auto known = table_.probe(position.key());
    if (known) {
        if (known->bound == search::Bound::exact) return known->score;
        if (known->bound == search::Bound::lower && known->score >= beta) return known->score;
        if (known->bound == search::Bound::upper && known->score <= alpha) return known->score;
    }
    const Remainder remainder(position);
    if (const int most = now + remainder.gain_of(seat); most <= alpha) return most;
    if (const int least = now - remainder.gain_of(1U - seat); least >= beta) return least;
    if (remainder.count_of_parts > 1) return value_of_parts(position, remainder, alpha, beta);
    return best_of(position, remainder, alpha, beta);
}

int Endgame::value_after(const Position& position, Move move, int alpha, int beta) {
    Position after = position;
    after.play(move);
    if (after.to_move() == position.to_move()) return value(after, alpha, beta);
    return -value(after, -beta, -alpha);
}

/// Colours that never meet: nobody chooses in which part to move, so results add up. As soon as
/// what the other parts can bring does not matter any more, they are left out.
int Endgame::value_of_parts(const Position& position, const Remainder& remainder, int alpha,
                            int beta) {
    const Seat seat = position.to_move();
    const int now = lead_of(position, seat);
    int sum = now;
    int most = remainder.gain_of(seat);  // that the parts behind may bring
    int least = -remainder.gain_of(1U - seat);
    for (std::size_t at = 0; at < remainder.count_of_parts; ++at) {
        Position part = position;
        part.in_play_ = remainder.parts[at];
        part.skip_colours_without_moves();
        most -= remainder.gain_of(seat, remainder.parts[at]);
        least += remainder.gain_of(1U - seat, remainder.parts[at]);
        const int low = alpha - sum + now - most;
        const int high = beta - sum + now - least;
        const int found = part.is_over()           ? lead_of(part, seat)
                          : part.to_move() == seat ? value(part, low, high)
                                                   : -value(part, -high, -low);
        if (stopped_) return 0;
        sum += found - now;
        if (found <= low) return sum + most;
        if (found >= high) return sum + least;
    }
    return sum;
}

int Endgame::best_of(const Position& position, const Remainder& remainder, int alpha, int beta) {
    const auto known = table_.probe(position.key());
    const std::size_t begin = choices_.size();
    const std::size_t end = list(position, remainder, known ? known->move : Move::codes);
    const int floor = alpha;
    int best = -most_points;
    Move chosen = choices_[begin].move;
    for (std::size_t at = begin; at < end && alpha < beta; ++at) {
        const auto from = choices_.begin() + static_cast<std::ptrdiff_t>(at);
        const auto behind = choices_.begin() + static_cast<std::ptrdiff_t>(end);
        std::iter_swap(from, std::max_element(from, behind, [](const Choice& a, const Choice& b) {
                           return a.value < b.value;
                       }));
        const Move move = choices_[at].move;
        int score = 0;
        if (at == begin || beta - alpha == 1) {
            score = value_after(position, move, alpha, beta);
        } else {
            score = value_after(position, move, alpha, alpha + 1);
            if (score > alpha && score < beta) score = value_after(position, move, alpha, beta);
        }
        if (stopped_) break;
        if (score <= best) continue;
        best = score;
        chosen = move;
        alpha = std::max(alpha, score);
    }
    choices_.resize(begin);
    if (stopped_) return 0;
    if (best >= beta) update_history(position, chosen);
    const auto bound = best >= beta   ? search::Bound::lower
                       : best > floor ? search::Bound::exact
                                      : search::Bound::upper;
    int left = 0;
    for (const Colour colour : all_colours) left += std::popcount(position.remaining_[colour]);
    table_.store(position.key(), {chosen.code(), best, 0, left, bound});
    return best;
}

/// Puts the moves on the stack, with what they promise; returns its new end. A seat that plays
/// alone gains nothing by passing.
std::size_t Endgame::list(const Position& position, const Remainder& remainder,
                          std::uint32_t remembered) {
    const Colour colour = position.colour();
    const bool alone =
        !remainder.entangled && (position.in_play_ & (0b1010U >> seat_of(colour))) == 0;
    const auto moves = position.legal_moves();
    for (const Move move : moves) {
        if (move.is_pass()) {
            if (!alone || moves.size() == 1)
                choices_.push_back({move, move.code() == remembered ? 1 << 30 : -1});
            continue;
        }
        const Orientation& held = move.orientation();
        int value = history_[index_of(colour) * Move::codes + move.code()];
        value += 64 * static_cast<int>(held.shape.size);
        for (std::size_t row = 0; row < held.height; ++row) {
            const std::size_t y = move.cell() / side + row;
            const std::uint32_t covered = held.rows[row] << move.cell() % side;
            for (const Colour other : {turns_after(colour, 1), turns_after(colour, 3)}) {
                value += 16 * std::popcount(covered & remainder.area[other][y]);
                value += 48 * std::popcount(covered & remainder.touch[other][y]);
            }
        }
        choices_.push_back({move, move.code() == remembered ? 1 << 30 : value});
    }
    return choices_.size();
}

void Endgame::update_history(const Position& position, Move move) {
    if (move.is_pass()) return;
    std::int32_t& praised = history_[index_of(position.colour()) * Move::codes + move.code()];
    praised = std::min(praised + 32, 1 << 20);
}

/// Fitted to what it took in games of the network against itself.
float Endgame::effort(const Position& position) {
    const Remainder remainder(position);
    std::array<float, 2> most{};  // of a part: where one seat plays alone, where both play
    for (std::size_t at = 0; at < remainder.count_of_parts; ++at) {
        const ColourSet part = remainder.parts[at];
        float sum = 0;
        for (const Colour colour : all_colours) {
            if (!holds(part, colour)) continue;
            Position one = position;
            one.turn_ = static_cast<std::uint8_t>(index_of(colour));
            const auto choices = static_cast<float>(one.count_moves());
            sum += std::log10(1.0F + choices) + 0.02F * static_cast<float>(remainder.gain[colour]);
        }
        float& largest = most[Remainder::is_contested(part) ? 1 : 0];
        largest = std::max(largest, sum);
    }
    return 0.67F * most[0] + 0.92F * most[1];
}

}  // namespace spielleiter::blokus
