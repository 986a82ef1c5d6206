/// @file
/// Games of the tree search against itself, as examples for the network: what it saw, and how often
/// it tried each move. See README.md.
///
///     selfplay OUT SECONDS SIMULATIONS SEED THREADS [WEIGHTS FORECAST]
///
/// Without weights it starts from nothing: large pieces first, towards the middle.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/search/mcts.hpp"
#include "src/spielleiter/games/blokus/evaluate.hpp"
#include "weights.hpp"

using namespace spielleiter;
using blokus::Move;
using blokus::Net;
using blokus::Position;
using blokus::Sight;

namespace {

constexpr std::size_t most = 40;  ///< moves that an example remembers

/// One position and what came of it, as train.py reads it.
struct Example {
    std::array<blokus::Rows, Sight::planes> rows;
    std::uint32_t pieces;
    std::uint16_t round;
    std::uint16_t count;
    std::int16_t lead;  ///< at the end of the game, of the seat on turn
    std::uint16_t seat;
    float value;
    std::array<std::uint16_t, most> moves;
    std::array<std::uint16_t, most> visits;
};
static_assert(sizeof(Example) == 1280 + 16 + 4 * most);

/// A policy for the first generation.
struct Plain {
    using Position = blokus::Position;
    static constexpr std::size_t widest = 96;
    static std::size_t side(const Position& position) { return position.colour(); }

    static float prior(const Position& position, Move move) {
        if (move.is_pass()) return -1;
        const blokus::Shape& shape = move.orientation().shape;
        const float opening = std::max(0.0F, 1.0F - static_cast<float>(position.ply()) / 40.0F);
        float nearest = 20;
        for (std::size_t at = 0; at < shape.size; ++at) {
            const std::size_t row = move.cell() / blokus::side;
            const auto x = static_cast<float>(move.cell() % blokus::side) - 9.5F;
            const auto y = static_cast<float>(row) - 9.5F;
            nearest = std::min(nearest, std::hypot(x + static_cast<float>(shape.squares[at].x),
                                                   y + static_cast<float>(shape.squares[at].y)));
        }
        const float large = static_cast<float>(shape.size) / 5.0F;
        return large + 0.5F * opening * (1.0F - nearest / 14.0F);
    }
    static std::optional<Move> playout_move(const Position& position, Random& random) {
        return blokus::Evaluate::playout_move(position, random);
    }
};

Position opening(Random& random) {
    blokus::Rules rules;
    rules.corners = random.below(2) == 0;
    Position position = Position::start(random.next(), "", rules);
    const std::uint32_t plies = random.below(3) * 4;
    for (std::uint32_t ply = 0; ply < plies; ++ply) {
        if (const auto move = position.random_move(random)) position.play(*move);
    }
    return position;
}

template <class Tree>
Example example(const Tree& tree, const Position& position) {
    Example made{};
    const Sight sight(position);
    made.rows = sight.rows;
    made.pieces = sight.pieces;
    made.round = static_cast<std::uint16_t>(sight.round);
    made.seat = position.to_move();
    const auto lines = tree.lines(most);
    made.value = static_cast<float>(lines.front().score);
    for (const auto& line : lines) {
        const Move move = line.moves.front();
        if (move.is_pass() || tree.visits(move) == 0) continue;
        made.moves[made.count] = move.number;
        made.visits[made.count++] = static_cast<std::uint16_t>(std::min(65535U, tree.visits(move)));
    }
    return made;
}

/// The most tried move; in the opening by lot, in proportion to how often they were tried.
Move pick(const Example& from, const Position& position, Random& random) {
    std::uint32_t sum = 0;
    for (std::size_t at = 0; at < from.count; ++at) sum += from.visits[at];
    if (position.ply() >= 24 || sum == 0) return Move{from.moves[0]};
    std::uint32_t drawn = random.below(sum);
    for (std::size_t at = 0; at < from.count; ++at) {
        if (drawn < from.visits[at]) return Move{from.moves[at]};
        drawn -= from.visits[at];
    }
    return Move{from.moves[0]};
}

template <class Policy>
search::Tuning tuning_for() {
    search::Tuning tuning = blokus::Evaluate::tuning();
    tuning.trust = std::is_same_v<Policy, Plain> ? 0 : 1;
    return tuning;
}

template <class Policy>
std::vector<Example> play(const Policy& policy, std::uint64_t simulations, Random random) {
    search::Mcts<Position, Policy> tree(random.next(), 96, 1, tuning_for<Policy>(), policy);
    search::Stop stop{search::Limits{}};
    Position position = opening(random);
    std::vector<Example> examples;
    while (!position.is_over()) {
        tree.begin(position);
        tree.run(stop, simulations);
        const Example made = example(tree, position);
        if (made.count == 0) break;
        examples.push_back(made);
        position.play(pick(made, position, random));
    }
    const auto scores = position.scores();
    for (Example& made : examples)
        made.lead = static_cast<std::int16_t>(scores[made.seat] - scores[1U - made.seat]);
    return examples;
}

template <class Policy>
void generate(const Policy& policy, const std::string& path, double seconds,
              std::uint64_t simulations, std::uint64_t seed, unsigned count) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    std::ofstream out(path, std::ios::binary);
    std::mutex writing;
    std::atomic<std::uint64_t> games = 0;
    std::atomic<std::uint64_t> positions = 0;
    std::vector<std::jthread> threads;
    threads.reserve(count);
    for (unsigned at = 0; at < count; ++at) {
        threads.emplace_back([&] {
            while (Clock::now() < end) {
                const auto examples = play(policy, simulations, Random::stream(seed, games++));
                const std::scoped_lock lock(writing);
                out.write(reinterpret_cast<const char*>(examples.data()),
                          static_cast<std::streamsize>(examples.size() * sizeof(Example)));
                positions += examples.size();
            }
        });
    }
    threads.clear();
    std::printf("%llu games, %llu positions\n", static_cast<unsigned long long>(games),
                static_cast<unsigned long long>(positions));
}

}  // namespace

int main(int count, char** words) {
    if (count != 6 && count != 8)
        return std::puts("selfplay OUT SECONDS SIMULATIONS SEED THREADS [WEIGHTS FORECAST]"), 2;
    const double seconds = std::stod(words[2]);
    const std::uint64_t simulations = std::stoull(words[3]);
    const std::uint64_t seed = std::stoull(words[4]);
    const auto threads = static_cast<unsigned>(std::stoul(words[5]));
    if (count == 6) {
        generate(Plain{}, words[1], seconds, simulations, seed, threads);
    } else {
        const Net net(read_weights(words[6]));
        const blokus::Forecast forecast(read_weights(words[7]));
        generate(blokus::Evaluate(net, forecast), words[1], seconds, simulations, seed, threads);
    }
}
