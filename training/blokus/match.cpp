/// @file
/// Matches between two settings of the tree search, at equal time or equal numbers of simulations.
/// See README.md.
///
///     match SECONDS THREADS BUDGET SEED FIRST SECOND
///
/// SECONDS: no game begins later. BUDGET: `0.2s` or `2000` simulations a move. FIRST and SECOND: a
/// list such as `trust=0.5,exploration=1,net=weights.bin,forecast=forecast.bin`, or `-` for none.
/// Openings are played twice, with seats swapped.
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/search/forest.hpp"
#include "src/spielleiter/games/blokus/evaluate.hpp"
#include "weights.hpp"

using namespace spielleiter;
using blokus::Evaluate;
using blokus::Forecast;
using blokus::Move;
using blokus::Net;
using blokus::Position;

namespace {

struct Settings {
    search::Tuning tuning = Evaluate::tuning();
    std::shared_ptr<Net> net;
    std::shared_ptr<Forecast> forecast;

    explicit Settings(const std::string& text) {
        std::stringstream list(text);
        for (std::string word; std::getline(list, word, ',');) {
            const std::size_t equals = word.find('=');
            if (equals == std::string::npos) continue;
            set(word.substr(0, equals), word.substr(equals + 1));
        }
    }
    Evaluate policy() const {
        return Evaluate(net ? *net : Net::trained(), forecast ? *forecast : Forecast::trained());
    }

  private:
    void set(const std::string& name, const std::string& value) {
        if (name == "net") {
            net = std::make_shared<Net>(read_weights(value));
        } else if (name == "forecast") {
            forecast = std::make_shared<Forecast>(read_weights(value));
        } else if (!tuning.set(name, std::stof(value))) {
            throw UsageError("a tree has no " + name);
        }
    }
};

search::Limits budget(const std::string& text) {
    search::Limits limits;
    if (text.back() == 's') {
        limits.time = std::stod(text);
    } else {
        limits.simulations = std::stoull(text);
    }
    return limits;
}

struct Tally {
    std::atomic<int> games = 0, halves = 0, lead = 0;
    std::array<std::atomic<std::uint64_t>, 2> simulations{};
    std::array<std::atomic<double>, 2> seconds{};
};

void play(Position position, const std::array<const Settings*, 2>& seats, bool swapped,
          const search::Limits& limits, std::uint64_t seed, Tally& tally) {
    using Engine = search::Forest<Evaluate>;
    std::vector<std::unique_ptr<Engine>> engines;
    for (const Settings* one : seats)
        engines.push_back(std::make_unique<Engine>(256, 1, ++seed, one->tuning, one->policy()));
    while (!position.is_over()) {
        Engine& engine = *engines[position.to_move()];
        const std::size_t player = swapped ? 1U - position.to_move() : position.to_move();
        engine.begin(position, limits);
        while (engine.step()) {
        }
        tally.simulations[player] += engine.report().nodes;
        tally.seconds[player] += engine.report().seconds;
        position.play(engine.report().best());
    }
    const auto scores = position.scores();
    const int lead = swapped ? scores[1] - scores[0] : scores[0] - scores[1];
    ++tally.games;
    tally.lead += lead;
    tally.halves += lead > 0 ? 2 : lead == 0 ? 1 : 0;
}

Position opening(Random& random) {
    blokus::Rules rules;
    rules.corners = random.below(2) == 0;
    Position position = Position::start(random.next(), "", rules);
    for (int ply = 0; ply < 4; ++ply)
        if (const auto move = position.random_move(random)) position.play(*move);
    return position;
}

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
            while (Clock::now() < end) {
                const std::uint64_t game = next++;
                Random random = Random::stream(seed, game);
                const Position start = opening(random);
                const std::uint64_t luck = random.next();
                play(start, {&first, &second}, false, limits, luck, tally);
                play(start, {&second, &first}, true, limits, luck, tally);
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
        tally.lead / games, double(tally.simulations[0]) / tally.seconds[0],
        double(tally.simulations[1]) / tally.seconds[1], double(tally.seconds[0]),
        double(tally.seconds[1]));
}
