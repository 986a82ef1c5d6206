/// @file
/// Games between settings drawn by lot: what is better follows from many of them (settings.py).
/// See README.md.
///
///     settings SECONDS THREADS BUDGET SEED OUT NAME=LOW:HIGH …
///
/// SECONDS: no game begins later. BUDGET: `0.2s` or `2000` simulations a move. Each NAME is a
/// number of `Tuning`, drawn evenly between its bounds. Openings that look even are played twice,
/// with seats swapped. A line of OUT is such a pair: the settings of both, each within its bounds
/// (-1 … 1), and the points by which the first of them led in either game.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "duels.hpp"

using namespace spielleiter;
using namespace spielleiter::blokus;

namespace {

struct Bounds {
    std::string name;
    double low;
    double high;

    explicit Bounds(const std::string& text) : name(text.substr(0, text.find('='))) {
        const std::string both = text.substr(name.size() + 1);
        low = std::stod(both);
        high = std::stod(both.substr(both.find(':') + 1));
    }
    std::string at(double place) const {
        return name + "=" + std::to_string(low + (high - low) * (place + 1) / 2) + ",";
    }
};

using Places = std::vector<double>;

Places drawn(std::size_t count, Random& random) {
    constexpr int steps = 1000;
    Places places(count);
    for (double& place : places) place = double(random.below(2 * steps + 1)) / steps - 1;
    return places;
}

Settings settings(std::span<const Bounds> bounds, const Places& places) {
    std::string text;
    for (std::size_t at = 0; at < bounds.size(); ++at) text += bounds[at].at(places[at]);
    return Settings(text);
}

/// An opening that neither seat seems to have won; the last one drawn, if there is none.
Position even_opening(Random& random) {
    constexpr int even = 90;
    const Settings usual("");
    Position position = opening(random);
    for (int attempt = 0; attempt < 20; ++attempt) {
        search::MctsEngine<Evaluate> engine(64, 1, 1, usual.tuning, usual.policy());
        engine.begin(position, budget("3000"));
        while (engine.step()) {
        }
        if (std::abs(engine.report().score()) < even) break;
        position = opening(random);
    }
    return position;
}

std::string pair(std::span<const Bounds> bounds, const search::Limits& limits, Random random) {
    const Position start = even_opening(random);
    const Places first = drawn(bounds.size(), random);
    const Places second = drawn(bounds.size(), random);
    const Settings one = settings(bounds, first);
    const Settings other = settings(bounds, second);
    const std::uint64_t luck = random.next();
    Effort effort;
    std::ostringstream line;
    for (const Places& places : {first, second}) {
        for (const double place : places) line << place << ' ';
    }
    line << play(start, {Player{one, effort}, Player{other, effort}}, limits, luck) << ' ';
    line << -play(start, {Player{other, effort}, Player{one, effort}}, limits, luck);
    return line.str();
}

}  // namespace

int main(int count, char** words) {
    if (count < 7) return std::puts("settings SECONDS THREADS BUDGET SEED OUT NAME=LOW:HIGH"), 2;
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(std::stod(words[1]));
    const search::Limits limits = budget(words[3]);
    const std::uint64_t seed = std::stoull(words[4]);
    std::ofstream out(words[5], std::ios::app);
    const std::vector<Bounds> bounds(words + 6, words + count);
    std::atomic<std::uint64_t> next = 0;
    std::mutex writing;
    std::vector<std::jthread> threads;
    for (int at = 0; at < std::stoi(words[2]); ++at) {
        threads.emplace_back([&] {
            while (Clock::now() < end) {
                const std::string line = pair(bounds, limits, Random::stream(seed, next++));
                const std::scoped_lock lock(writing);
                out << line << std::endl;
            }
        });
    }
}
