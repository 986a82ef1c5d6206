/// @file
/// The policy of tree search in Blokus: priors of moves, forecasts and playouts.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "core/bits.hpp"
#include "core/random.hpp"
#include "core/search/mcts_tree.hpp"
#include "endgame.hpp"
#include "forecast_network.hpp"
#include "placement_map.hpp"
#include "policy_network.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

/// Moves as the policy network likes them, ends as the forecast network sees them and, later on, as
/// games end that are played out with large pieces in the way of others.
class Evaluate {
  public:
    using Position = blokus::Position;  ///< of the game
    using Solver = Endgame;             ///< of the last moves of a game
    /// Moves that a node of the tree keeps; the others are hardly ever best.
    static constexpr std::size_t widest = 64;
    /// Positions that the tree and the forecast remember by their keys.
    static constexpr std::size_t transpositions = std::size_t{1} << 16U;

    /// The networks must outlive it; training passes others than the trained ones.
    explicit Evaluate(const PolicyNetwork& net = PolicyNetwork::trained(),
                      const ForecastNetwork& forecast = ForecastNetwork::trained())
        : net_(&net), forecast_(&forecast) {}

    /// As matches of many settings drawn by lot preferred it, with few simulations and with many
    /// (training/blokus).
    static search::MctsTuning tuning() {
        search::MctsTuning tuning;
        tuning.exploration = 0.35F;
        tuning.prior_exponent = 0.65F;
        tuning.rave_equivalence = 130.0F;
        tuning.fpu_reduction = 0.0F;
        tuning.forecast_weight = 1.0F;
        tuning.late_forecast_weight = 0.6F;
        tuning.last_good_reply = true;
        return tuning;
    }

    /// The colour: a seat plays two of them, and their moves are kept apart.
    static std::size_t side(const Position& position) { return index_of(position.colour()); }
    /// A pass gives points away; where it is right after all, the endgame solver finds it.
    static bool is_pointless(Move move) { return move.is_pass(); }

    /// Weights that are proportional to the chance that a move is the best one.
    void priors(const Position& position, const Position::Moves& moves, float* weights,
                const search::MctsTuning& tuning = {}) {
        net_->judge(PolicyInput(position), moves, weights, workspace_);
        const float highest = *std::max_element(weights, weights + moves.size());
        for (std::size_t at = 0; at < moves.size(); ++at)
            weights[at] = std::exp(tuning.prior_exponent * (weights[at] - highest));
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
    search::SeatValues forecast(const Position& position, const search::MctsTuning& tuning) {
        const ForecastNetwork::End end = end_of(position);
        const float margin = 0.5F + 0.5F * end.lead / (tuning.margin_scale + std::abs(end.lead));
        const float own =
            (1.0F - tuning.margin_weight) * end.chance + tuning.margin_weight * margin;
        search::SeatValues values{};
        values[position.to_move()] = own;
        values[1U - position.to_move()] = 1.0F - own;
        return values;
    }

    /// How much a forecast counts. It does not see which pieces still fit where, so in the second
    /// half of a game others are played out besides, and near the end nothing else counts.
    static float forecast_weight(const Position& position, const search::MctsTuning& tuning) {
        constexpr int half = 34;
        constexpr int end = 72;
        if (position.ply() < half) return tuning.forecast_weight;
        const float left = static_cast<float>(std::max(0, end - position.ply())) / 40.0F;
        return std::min({tuning.forecast_weight, tuning.late_forecast_weight, left});
    }

    /// Of a few moves drawn by lot the first of those that take most.
    static std::optional<Move> playout_move(const Position& position, Random& random) {
        std::array<Move, 8> drawn;
        if (!position.draw(random, drawn)) return position.random_move(random);
        const RowsAndMore wanted = wanted_by_others(position);
        std::array<int, drawn.size()> taken;
        std::transform(drawn.begin(), drawn.end(), taken.begin(),
                       [&](Move move) { return takes(move, wanted); });
        return drawn[static_cast<std::size_t>(std::max_element(taken.begin(), taken.end()) -
                                              taken.begin())];
    }

  private:
    /// The end that was forecast for the position with that key.
    struct CachedForecast {
        std::uint64_t key = 0;
        ForecastNetwork::End end{};
    };

    /// Looked up where other moves led to the same position before.
    ForecastNetwork::End end_of(const Position& position) {
        if (cache_.empty()) cache_.resize(transpositions);
        const Rules rules = position.rules();
        const std::uint64_t key =
            position.key() ^ (rules.corners ? 1U : 0U) ^ (rules.server ? 2U : 0U);
        CachedForecast& known = cache_[key % transpositions];
        if (known.key != key) known = {key, forecast_->end(ForecastInput(position))};
        return known.end;
    }

    /// Rows of the board, and behind it as many as the longest piece could reach.
    using RowsAndMore = std::array<std::uint32_t, blokus::side + reach>;

    /// Where the colours of the other seat can go on.
    static RowsAndMore wanted_by_others(const Position& position) {
        RowsAndMore wanted{};
        for (const std::size_t step : {1U, 3U}) {
            const Colour colour = turns_after(position.colour(), step);
            if (!position.is_in_play(colour)) continue;
            const PlacementMap map(position, colour);
            for (std::size_t y = 0; y < blokus::side; ++y) wanted[y] |= map.contacts[y] >> reach;
        }
        return wanted;
    }

    /// In half squares: those it covers, and half a square more for each that the others want.
    static int takes(Move move, const RowsAndMore& wanted) {
        const Orientation& orientation = move.orientation();
        const std::size_t x = move.cell() % blokus::side;
        const std::size_t y = move.cell() / blokus::side;
        int halves = 2 * static_cast<int>(orientation.shape.size);
        for (std::size_t row = 0; row < orientation.rows.size(); ++row)  // also those it has not
            halves += popcount(orientation.rows[row] << x & wanted[y + row]);
        return halves;
    }

    const PolicyNetwork* net_;
    PolicyNetwork::Workspace workspace_;
    const ForecastNetwork* forecast_;
    std::vector<CachedForecast> cache_;  ///< by the last bits of their keys
};

}  // namespace spielleiter::blokus
