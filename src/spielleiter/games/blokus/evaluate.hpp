/// @file
/// What tree search thinks of moves in Blokus before it has tried them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

#include "core/random.hpp"
#include "core/search/tree.hpp"
#include "endgame.hpp"
#include "forecast.hpp"
#include "net.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

/// Moves as the policy network likes them, ends as the forecast network sees them. Games that are
/// played out all the same prefer large pieces.
class Evaluate {
  public:
    using Position = blokus::Position;
    using Solver = Endgame;
    static constexpr std::size_t widest = 64;

    explicit Evaluate(const Net& net = Net::trained(),
                      const Forecast& forecast = Forecast::trained())
        : net_(&net), forecast_(&forecast) {}

    /// As matches of many short games preferred it (training/blokus).
    static search::Tuning tuning() {
        search::Tuning tuning;
        tuning.equivalence = 100.0F;
        tuning.urgency = 0.15F;
        tuning.trust = 1.0F;
        return tuning;
    }

    static std::size_t side(const Position& position) { return position.colour(); }
    /// Whoever passes gives points away; where that is right after all, the end is solved.
    static bool is_pointless(Move move) { return move.is_pass(); }

    /// Weights that are proportional to the chance that a move is the best one.
    void priors(const Position& position, const Position::Moves& moves, float* weights) {
        net_->judge(Sight(position), moves, weights, desk_);
        const float highest = *std::max_element(weights, weights + moves.size());
        for (std::size_t at = 0; at < moves.size(); ++at)
            weights[at] = std::exp(weights[at] - highest);
    }

    /// The chance that each of the legal moves is the best one.
    std::vector<float> chances(const Position& position) {
        const auto moves = position.legal_moves();
        std::vector<float> weights(moves.size());
        priors(position, moves, weights.data());
        const float sum = std::accumulate(weights.begin(), weights.end(), 0.0F);
        for (float& weight : weights) weight /= sum;
        return weights;
    }

    /// The same for one of them.
    float prior(const Position& position, Move move) {
        const auto moves = position.legal_moves();
        const auto at = std::find(moves.begin(), moves.end(), move) - moves.begin();
        return chances(position)[static_cast<std::size_t>(at)];
    }

    /// What the rest of a game will bring to each seat.
    search::Worth forecast(const Position& position, const search::Tuning& tuning) {
        const Forecast::End end = forecast_->end(Prospect(position));
        const float margin = 0.5F + 0.5F * end.lead / (tuning.lead + std::abs(end.lead));
        const float own = (1.0F - tuning.margin) * end.chance + tuning.margin * margin;
        search::Worth values{};
        values[position.to_move()] = own;
        values[1U - position.to_move()] = 1.0F - own;
        return values;
    }

    /// The first of the largest pieces among a few drawn by lot.
    static std::optional<Move> playout_move(const Position& position, Random& random) {
        std::array<Move, 8> drawn;
        if (!position.draw(random, drawn)) return position.random_move(random);
        const auto smaller = [](Move a, Move b) {
            return a.orientation().shape.size < b.orientation().shape.size;
        };
        return *std::max_element(drawn.begin(), drawn.end(), smaller);
    }

  private:
    const Net* net_;
    Net::Desk desk_;
    const Forecast* forecast_;
};

}  // namespace spielleiter::blokus
