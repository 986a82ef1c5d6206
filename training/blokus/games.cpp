/// @file
/// Games of the policy network against itself, without search, as examples for the forecast: what
/// a position looked like, and how the game ended. See README.md.
///
///     games OUT SECONDS SEED THREADS [FORECAST POLICY]
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "src/spielleiter/games/blokus/evaluate.hpp"
#include "src/spielleiter/games/blokus/prospect.hpp"
#include "weights.hpp"

using namespace spielleiter;
using blokus::Move;
using blokus::Position;
using blokus::Prospect;

namespace {

/// One position and how its game ended, as forecast.py reads it.
struct Example {
    std::array<blokus::Rows, Prospect::planes> rows;
    std::array<std::uint32_t, blokus::colours> pieces;
    std::uint16_t round;
    std::int16_t lead;  ///< of the seat on turn
    std::int16_t end;   ///< its lead at the end of the game
    std::uint16_t seat;
};
static_assert(sizeof(Example) == 1600 + 16 + 8);

/// Draws moves as the networks like them. Without a forecast as often as the policy network thinks
/// that they are best; with one, those that look best are tried and judged by what they lead to.
class Player {
  public:
    Player(const blokus::Net& policy, const blokus::Forecast* forecast)
        : forecast_(forecast), policy_(policy) {}

    /// The cooler, the surer the best one.
    Move move(const Position& position, float heat, Random& random) {
        const auto moves = position.legal_moves();
        policy_.priors(position, moves, weights_.data());
        if (forecast_ != nullptr) return tried(position, moves, heat, random);
        for (std::size_t at = 0; at < moves.size(); ++at)
            weights_[at] = std::pow(weights_[at], 1 / heat);
        return moves[drawn(moves.size(), random)];
    }

  private:
    static constexpr std::size_t few = 8;
    static constexpr float points = 2.0F;  ///< of lead that a prior e times as large is worth

    Move tried(const Position& position, const Position::Moves& moves, float heat, Random& random) {
        std::vector<std::uint32_t> order(moves.size());
        std::iota(order.begin(), order.end(), 0U);
        const std::size_t count = std::min(few, moves.size());
        std::partial_sort(
            order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
            [&](std::uint32_t x, std::uint32_t y) { return weights_[x] > weights_[y]; });
        std::array<float, few> worth;
        for (std::size_t at = 0; at < count; ++at)
            worth[at] = lead_after(position, moves[order[at]]) +
                        points * std::log(weights_[order[at]] + 1e-6F);
        const float best = *std::max_element(worth.begin(), worth.begin() + count);
        for (std::size_t at = 0; at < count; ++at)
            weights_[at] = std::exp((worth[at] - best) / heat);
        return moves[order[drawn(count, random)]];
    }
    float lead_after(Position position, Move move) {
        const Seat seat = position.to_move();
        position.play(move);
        const blokus::Prospect after(position);
        const float lead =
            position.is_over() ? static_cast<float>(after.lead) : forecast_->end(after).lead;
        return position.to_move() == seat ? lead : -lead;
    }
    std::size_t drawn(std::size_t count, Random& random) {
        constexpr float lots = 1U << 24U;
        float sum = 0;
        for (std::size_t at = 0; at < count; ++at) sum += weights_[at];
        float lot = sum * static_cast<float>(random.below(1U << 24U)) / lots;
        for (std::size_t at = 0; at < count; ++at)
            if ((lot -= weights_[at]) < 0) return at;
        return 0;
    }

    const blokus::Forecast* forecast_;
    blokus::Evaluate policy_;
    std::vector<float> weights_ = std::vector<float>(Position::Moves::capacity);
};

Position opening(Random& random) {
    blokus::Rules rules;
    rules.corners = random.below(2) == 0;
    rules.server = random.below(2) == 0;
    return Position::start(random.next(), "", rules);
}

Example example(const Position& position) {
    const Prospect prospect(position);
    return {prospect.rows,
            prospect.pieces,
            static_cast<std::uint16_t>(prospect.round),
            static_cast<std::int16_t>(prospect.lead),
            0,
            position.to_move()};
}

/// Up to some turn players are careless, most of all in its last round: search looks at such
/// positions, too. Examples are taken from there on.
void play(Player& player, bool tries, Random random, std::vector<Example>& examples) {
    Position position = opening(random);
    const int careful = static_cast<int>(random.below(64));
    const std::uint32_t careless = random.below(3) * 6;  // of 100 moves
    const std::uint32_t wild = random.below(3) * 25;
    const std::size_t before = examples.size();
    while (!position.is_over()) {
        const int left = careful - position.ply();
        if (left <= 0 && random.below(2) == 0) examples.push_back(example(position));
        const bool lot = left > 0 && random.below(100) < (left > 4 ? careless : wild);
        const float heat = (tries ? 1.0F : 0.5F) * (left > 0 ? 2.0F : 1.0F);
        const auto chosen = lot ? blokus::Evaluate::playout_move(position, random)
                                : player.move(position, heat, random);
        position.play(*chosen);
    }
    const auto scores = position.scores();
    for (std::size_t at = before; at < examples.size(); ++at) {
        Example& made = examples[at];
        made.end = static_cast<std::int16_t>(scores[made.seat] - scores[1U - made.seat]);
    }
}

}  // namespace

int main(int count, char** words) {
    if (count < 5) return std::puts("games OUT SECONDS SEED THREADS [FORECAST POLICY]"), 2;
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(std::stod(words[2]));
    const std::uint64_t seed = std::stoull(words[3]);
    std::unique_ptr<blokus::Forecast> forecast;
    if (count > 5) forecast = std::make_unique<blokus::Forecast>(read_weights(words[5]));
    std::unique_ptr<blokus::Net> policy;
    if (count > 6) policy = std::make_unique<blokus::Net>(read_weights(words[6]));
    std::ofstream out(words[1], std::ios::binary);
    std::mutex writing;
    std::atomic<std::uint64_t> games = 0;
    std::vector<std::jthread> threads;
    for (int at = 0; at < std::stoi(words[4]); ++at) {
        threads.emplace_back([&] {
            Player player(policy ? *policy : blokus::Net::trained(), forecast.get());
            while (Clock::now() < end) {
                std::vector<Example> examples;
                for (int game = 0; game < 64; ++game)
                    play(player, forecast != nullptr, Random::stream(seed, games++), examples);
                const std::scoped_lock lock(writing);
                out.write(reinterpret_cast<const char*>(examples.data()),
                          static_cast<std::streamsize>(examples.size() * sizeof(Example)));
            }
        });
    }
    threads.clear();
    std::printf("%llu games\n", static_cast<unsigned long long>(games));
}
