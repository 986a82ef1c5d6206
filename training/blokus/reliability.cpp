/// @file
/// How often games were won of which the forecast was how sure, as reliability.py draws it. See
/// README.md.
///
///     reliability GAMES [FORECAST]
///
/// Prints for every phase of four rounds and every tenth of the chance to win: the first round, how
/// many positions, the mean chance that the forecast gave, and the share of them that was won.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "records.hpp"
#include "src/spielleiter/games/blokus/forecast_network.hpp"
#include "weights.hpp"

using namespace spielleiter;
using blokus::ForecastInput;
using blokus::ForecastNetwork;
using blokus::Move;
using blokus::Position;

namespace {

constexpr std::size_t phase_rounds = 4;
constexpr std::size_t phases = 6;
constexpr std::size_t tenths = 10;

struct Bin {
    int positions = 0;
    double expected = 0;  ///< wins by the forecast
    double won = 0;
};
using Bins = std::array<std::array<Bin, tenths>, phases>;

/// A position that was forecast and waits for the end of its game.
struct Waiting {
    std::size_t round;
    Seat seat;
    float chance;
};

/// Positions before the last move by lot say nothing about the forecast.
void add_game(const GameRecord& game, const ForecastNetwork& forecast, Bins& bins) {
    Position position = game.start();
    std::vector<Waiting> waiting;
    for (std::size_t at = 0; at < game.plies.size(); ++at) {
        if (at >= game.careful) {
            const ForecastInput input(position);
            waiting.push_back({input.round, position.to_move(), forecast.end(input).chance});
        }
        position.play(Move{game.plies[at].move});
    }
    const auto scores = position.scores();
    for (const auto& [round, seat, chance] : waiting) {
        const int lead = scores[seat] - scores[1U - seat];
        Bin& bin = bins[std::min(round / phase_rounds, phases - 1)]
                       [std::min(static_cast<std::size_t>(chance * tenths), tenths - 1)];
        ++bin.positions;
        bin.expected += chance;
        bin.won += lead > 0 ? 1 : lead == 0 ? 0.5 : 0;
    }
}

}  // namespace

int main(int count, char** words) {
    if (count < 2 || count > 3) return std::puts("reliability GAMES [FORECAST]"), 2;
    const ForecastNetwork forecast(count == 3 ? read_weights(words[2])
                                              : ForecastNetwork::trained().weights());
    std::ifstream in(words[1], std::ios::binary);
    Bins bins{};
    for (GameRecord game; take(in, game);) add_game(game, forecast, bins);
    for (std::size_t phase = 0; phase < phases; ++phase) {
        for (const Bin& bin : bins[phase]) {
            if (bin.positions > 0)
                std::printf("%zu %d %.4f %.4f\n", phase * phase_rounds, bin.positions,
                            bin.expected / bin.positions, bin.won / bin.positions);
        }
    }
}
