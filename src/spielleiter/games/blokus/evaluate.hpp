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
#include "net.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

/// Moves as the trained network likes them; games are played out with large pieces.
class Evaluate {
  public:
    using Position = blokus::Position;
    static constexpr std::size_t widest = 64;

    explicit Evaluate(const Net& net = Net::trained()) : net_(&net) {}

    /// As matches of many short games preferred it (training/blokus).
    static search::Tuning tuning() {
        search::Tuning tuning;
        tuning.equivalence = 100.0F;
        tuning.urgency = 0.15F;
        tuning.replies = true;
        return tuning;
    }

    static std::size_t side(const Position& position) { return position.colour(); }

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
};

}  // namespace spielleiter::blokus
