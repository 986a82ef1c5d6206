/// @file
/// Games of the tree search against itself, as examples.cpp reads them. See README.md.
///
///     record OUT SECONDS QUICK THOROUGH SEED THREADS [SETTINGS | nothing]
///
/// Most moves are made after QUICK simulations, one of six after THOROUGH ones. SETTINGS: a list as
/// match.cpp has it, such as `net=policy.bin,forecast=forecast.bin,prior_exponent=0.7`; without it
/// the engine plays as it is shipped. From `nothing`, large pieces come first, towards the middle.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/search/mcts.hpp"
#include "duels.hpp"
#include "records.hpp"
#include "src/spielleiter/games/blokus/evaluate.hpp"

using namespace spielleiter;
using blokus::Evaluate;
using blokus::Move;
using blokus::Position;

namespace {

constexpr std::size_t most = 32;      ///< moves that a thorough search remembers
constexpr std::uint32_t lively = 24;  ///< up to this ply moves are drawn

/// A policy for the first generation.
struct Plain {
    using Position = blokus::Position;
    static constexpr std::size_t widest = 96;

    static std::size_t side(const Position& position) { return index_of(position.colour()); }
    static search::MctsTuning tuning() {
        search::MctsTuning tuning = Evaluate::tuning();
        tuning.forecast_weight = 0;
        return tuning;
    }
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
        return Evaluate::playout_move(position, random);
    }
};

struct Budget {
    std::uint64_t quick;
    std::uint64_t thorough;
};

/// How players err in a game: up to some ply now and then by lot, so that positions arise that
/// search looks at and good players avoid.
struct Carelessness {
    explicit Carelessness(Random& random)
        : until(random.below(2) == 0 ? 0 : random.below(56)), percent(3 + 4 * random.below(3)) {}

    bool now(int ply, Random& random) const {
        return ply < static_cast<int>(until) && random.below(100) < percent;
    }

    std::uint32_t until;
    std::uint32_t percent;
};

GameRecord opening(Random& random) {
    GameRecord game;
    game.rules = {random.below(2) == 0, random.below(2) == 0};
    game.seed = random.next();
    return game;
}

/// What the search thinks: the worth of its best move, and how often moves were tried.
template <class Tree>
Ply ply_of(const Tree& tree, bool thorough) {
    Ply ply;
    const auto lines = tree.lines(thorough ? most : 8);
    const float chance = 1.0F / (1.0F + std::pow(10.0F, -lines.front().score / 400.0F));
    ply.worth = static_cast<std::int16_t>(std::lround(10000 * chance));
    for (const auto& line : lines) {
        const Move move = line.moves.front();
        const auto visits = static_cast<std::uint16_t>(std::min(65535U, tree.visits(move)));
        if (!move.is_pass() && visits > 0) ply.tried.emplace_back(move.number, visits);
    }
    std::stable_sort(ply.tried.begin(), ply.tried.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return ply;
}

/// The most tried move; in the opening by lot, in proportion to how often they were tried.
std::uint16_t pick(const Ply& ply, int number, Random& random) {
    if (ply.tried.empty()) return Move::pass().number;
    if (number >= static_cast<int>(lively)) return ply.tried.front().first;
    std::uint32_t sum = 0;
    for (const auto& [move, visits] : ply.tried) sum += visits;
    std::uint32_t lot = random.below(sum);
    for (const auto& [move, visits] : ply.tried) {
        if (lot < visits) return move;
        lot -= visits;
    }
    return ply.tried.front().first;
}

/// What is certain near the end; nothing if it would take long.
std::optional<Ply> solved(blokus::Endgame& endgame, const Position& position) {
    constexpr std::uint64_t nodes = 30'000;
    constexpr float effort = 4.5F;  // about as many, as a logarithm
    if (blokus::Endgame::effort(position) > effort) return std::nullopt;
    search::Stop stop{search::Limits{}};
    const auto lines = endgame.solve(position, nodes, 1, stop);
    if (!lines) return std::nullopt;
    const search::Score score = lines->front().score;
    Ply ply;
    ply.move = lines->front().moves.front().number;
    ply.worth = score > 0 ? 10000 : score < 0 ? 0 : 5000;
    return ply;
}

template <class Policy>
GameRecord play(const Policy& policy, const search::MctsTuning& tuning, blokus::Endgame& endgame,
                const Budget& budget, Random random) {
    GameRecord game = opening(random);
    const std::uint32_t blind = 2 * random.below(5);  // plies by lot to begin
    const Carelessness careless(random);
    Position position = game.start();
    endgame.forget();
    search::Mcts<Position, Policy> tree(random.next(), 48, 1, tuning, policy);
    search::Stop stop{search::Limits{}};
    while (!position.is_over()) {
        Ply ply;
        const int number = position.ply();
        const bool begins = number < static_cast<int>(blind);
        if (begins || careless.now(number, random)) {
            const auto lot =
                begins ? position.random_move(random) : Evaluate::playout_move(position, random);
            ply.move = lot.value_or(Move::pass()).number;
            game.careful = static_cast<std::uint16_t>(game.plies.size() + 1);
        } else if (const auto certain = solved(endgame, position)) {
            ply = *certain;
        } else {
            const bool thorough = random.below(6) == 0;
            tree.begin(position);
            tree.run(stop, thorough ? budget.thorough : budget.quick);
            ply = ply_of(tree, thorough);
            ply.move = pick(ply, number, random);
            if (!thorough) ply.tried.clear();
        }
        position.play(Move{ply.move});
        game.plies.push_back(std::move(ply));
    }
    return game;
}

template <class Policy>
void record(const Policy& policy, const search::MctsTuning& tuning, char** words) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(std::stod(words[2]));
    const Budget budget{std::stoull(words[3]), std::stoull(words[4])};
    const std::uint64_t seed = std::stoull(words[5]);
    std::ofstream out(words[1], std::ios::binary);
    std::mutex writing;
    std::atomic<std::uint64_t> games = 0;
    std::atomic<std::uint64_t> plies = 0;
    std::vector<std::jthread> threads;
    for (int at = 0; at < std::stoi(words[6]); ++at) {
        threads.emplace_back([&] {
            blokus::Endgame endgame(4);
            while (Clock::now() < end) {
                std::string bytes;
                const GameRecord game =
                    play(policy, tuning, endgame, budget, Random::stream(seed, games++));
                put(bytes, game);
                plies += game.plies.size();
                const std::scoped_lock lock(writing);
                out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
            }
        });
    }
    threads.clear();
    std::printf("%llu games, %llu plies\n", static_cast<unsigned long long>(games),
                static_cast<unsigned long long>(plies));
}

}  // namespace

int main(int count, char** words) {
    if (count < 7 || count > 8)
        return std::puts("record OUT SECONDS QUICK THOROUGH SEED THREADS [SETTINGS | nothing]"), 2;
    if (count == 8 && std::string(words[7]) == "nothing") {
        record(Plain(), Plain::tuning(), words);
    } else {
        const blokus::Settings settings(count == 8 ? words[7] : "");
        record(settings.policy(), settings.tuning, words);
    }
}
