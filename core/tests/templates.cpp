/// @file
/// The templates of core/ exercised with Nim. Exits with the number of failures.
#include <cstdio>
#include <vector>

#include "core/batch.hpp"
#include "core/bits.hpp"
#include "core/perft.hpp"
#include "core/playout.hpp"
#include "examples/nim/position.hpp"

using namespace spielleiter;

namespace {

int failures = 0;

void check(bool holds, const char* what) {
    if (holds) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

template <std::size_t Words>
void shifts_agree_with_moving_each_cell() {
    Random random(5);
    for (int round = 0; round < 200; ++round) {
        Bits<Words> bits;
        for (int n = 0; n < 40; ++n) bits.set(random.below(64 * Words));
        Bits<Words> up;
        Bits<Words> down;
        unsigned number = 0;
        bool nth = true;
        bits.each([&](std::size_t cell) {
            if (cell + 11 < 64 * Words) up.set(cell + 11);
            if (cell >= 11) down.set(cell - 11);
            nth = nth && bits.nth(number++) == cell;
        });
        check(bits.template up<11>() == up, "up<11>");
        check(bits.template down<11>() == down, "down<11>");
        check(static_cast<int>(number) == bits.count(), "count");
        check(nth, "nth finds what each visits");
        check(bits.template up<64>().none() || Words > 1, "up by a whole word");
    }
}

void counting_ahead_equals_playing_out() {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const auto start = nim::Position::start(seed, "", {});
        for (int depth = 0; depth < 5; ++depth) {
            check(perft(start, depth) == slow_perft(start, depth), "perft");
        }
    }
}

void threads_do_not_change_playouts() {
    const auto start = nim::Position::start(1, "", {});
    check(playouts(start, 500, 3, 1) == playouts(start, 500, 3, 4), "playouts on four threads");
    check(playouts(start, 500, 3, 1).games == 500, "all games are played");
}

void rewards_sum_to_zero() {
    const Outcome tie{.seats = 4, .ranks = {1, 1, 3, 4}, .scores = {}, .reason = ""};
    float sum = 0;
    for (Seat seat = 0; seat < 4; ++seat) sum += reward(tie, seat);
    check(sum < 1e-6F && sum > -1e-6F, "rewards of a tie");
    check(!tie.winner(), "a shared first rank has no winner");
    check(duel(Seat{1}, {3, 4}, "x").winner() == Seat{1}, "winner of a duel");
}

void draws_stay_below_their_bound() {
    Random random(9);
    std::vector<int> seen(7);
    for (int n = 0; n < 7000; ++n) ++seen[random.below(7)];
    for (const int count : seen) check(count > 850 && count < 1150, "below is about uniform");
}

}  // namespace

int main() {
    shifts_agree_with_moving_each_cell<1>();
    shifts_agree_with_moving_each_cell<2>();
    shifts_agree_with_moving_each_cell<4>();
    shifts_agree_with_moving_each_cell<7>();
    counting_ahead_equals_playing_out();
    threads_do_not_change_playouts();
    rewards_sum_to_zero();
    draws_stay_below_their_bound();
    std::printf("%d failures\n", failures);
    return failures;
}
