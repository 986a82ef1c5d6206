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

/// Moves as the trained network likes them.
struct Evaluate {
    using Position = blokus::Position;
    static constexpr std::size_t widest = 64;

    Evaluate() : net(&Net::trained()) {}
    explicit Evaluate(const Net& other) : net(&other) {}

    /// As matches of many short games preferred it.
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
        net->judge(Sight(position), moves, weights, desk);
        const float highest = *std::max_element(weights, weights + moves.size());
        for (std::size_t at = 0; at < moves.size(); ++at)
            weights[at] = std::exp(trust * (weights[at] - highest));
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

    float prior(const Position& position, Move move) {
        const auto moves = position.legal_moves();
        const auto at = std::find(moves.begin(), moves.end(), move) - moves.begin();
        return chances(position)[static_cast<std::size_t>(at)];
    }

    /// Of a few moves drawn by lot the one with the largest piece and the most new contacts.
    std::optional<Move> playout_move(const Position& position, Random& random) const {
        std::array<Move, 8> drawn;
        Margined free;
        if (!position.draw(random, drawn.data(), lots, free)) return position.random_move(random);
        std::size_t best = 0;
        int highest = -1;
        for (std::size_t at = 0; at < lots; ++at) {
            const int value = worth_playing(drawn[at], free);
            if (value > highest) highest = value, best = at;
        }
        return drawn[best];
    }

    int worth_playing(Move move, const Margined& free) const {
        int value = large * static_cast<int>(move.orientation().shape.size);
        if (open == 0) return value;
        const Surroundings& corners = all_corners[move.number / cells];
        const std::uint32_t* const rows = &free[move.cell() / blokus::side + reach - 1];
        const std::size_t shift = move.cell() % blokus::side + reach - 1;
        std::uint32_t count = 0;
        for (std::size_t y = 0; y < move.orientation().height + 2U; ++y)
            count += static_cast<std::uint32_t>(popcount(corners[y] << shift & rows[y]));
        return value + open * static_cast<int>(count);
    }

    float trust = 1.0F;
    int large = 2;
    int open = 0;
    std::size_t lots = 8;
    const Net* net;
    Net::Desk desk;
};

}  // namespace spielleiter::blokus
