/// @file
/// Matches between two settings of the tree search, at equal time or equal numbers of simulations.
/// See README.md.
///
///     match SECONDS THREADS BUDGET SEED FIRST SECOND
///
/// SECONDS: no game begins later. BUDGET: `0.2s` or `2000` simulations a move. FIRST and SECOND: a
/// list such as `forecast_weight=0.5,exploration=1,net=weights.bin,forecast=forecast.bin`, or `-`
/// for none. Openings are played twice, with seats swapped.
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "duels.hpp"

using namespace spielleiter;
using namespace spielleiter::blokus;

namespace {

struct Tally {
    std::atomic<int> games = 0, halves = 0, lead = 0;
    std::array<Effort, 2> efforts{};

    void add(int points) {
        ++games;
        lead += points;
        halves += points > 0 ? 2 : points == 0 ? 1 : 0;
    }
    double speed(std::size_t player) const {
        return static_cast<double>(efforts[player].simulations) / efforts[player].seconds;
    }
};

}  // namespace

int main(int count, char** words) {
    if (count < 7) return std::puts("match SECONDS THREADS BUDGET SEED FIRST SECOND"), 2;
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(std::stod(words[1]));
    const search::Limits limits = budget(words[3]);
    const std::uint64_t seed = std::stoull(words[4]);
    const Settings first(words[5]);
    const Settings second(words[6]);
    Tally tally;
    std::atomic<std::uint64_t> next = 0;
    std::vector<std::jthread> threads;
    for (int at = 0; at < std::stoi(words[2]); ++at) {
        threads.emplace_back([&] {
            const Player one{first, tally.efforts[0]};
            const Player other{second, tally.efforts[1]};
            while (Clock::now() < end) {
                Random random = Random::stream(seed, next++);
                const Position start = opening(random);
                const std::uint64_t luck = random.next();
                tally.add(play(start, {one, other}, limits, luck));
                tally.add(-play(start, {other, one}, limits, luck));
            }
        });
    }
    threads.clear();
    const double games = tally.games;
    const double share = tally.halves / (2 * games);
    std::printf(
        "%s %s | %s | %.0f games: %.1f %% +- %.1f, lead %+.1f, %.0f : %.0f simulations/s, "
        "%.0f : %.0f s\n",
        words[3], words[5], words[6], games, 100 * share, 100 * std::sqrt(0.25 / games),
        tally.lead / games, tally.speed(0), tally.speed(1), double(tally.efforts[0].seconds),
        double(tally.efforts[1].seconds));
}
