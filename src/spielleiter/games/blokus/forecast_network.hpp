/// @file
/// A small network that says how a game will end.
///
/// One layer looks at the levels of forecast_input.hpp, cell by cell: at all nine cells around at
/// once, by table, since they are bits. What it finds is summed up over the board; two more layers
/// turn the sums, the pieces that are left and the round into the points that the seat on turn will
/// gain on the other. training/blokus tells how it was trained.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "forecast_input.hpp"
#include "layers.hpp"

namespace spielleiter::blokus {

/// The value network: from a position to the end of the game.
class ForecastNetwork {
  public:
    static constexpr std::size_t units = 32;   ///< of the layer that looks at cells
    static constexpr std::size_t hidden = 32;  ///< of the layers behind the sums
    static constexpr std::size_t around = 9;   ///< a cell and its neighbours
    static constexpr std::size_t places = 55;  ///< cells that no symmetry of the board makes equal
    static constexpr std::size_t rounds = 26;  ///< of a game, and one for what comes after

    /// How a game will end for the seat on turn.
    struct End {
        float chance;  ///< to win
        float lead;    ///< in points
    };

    /// The weights in the order of the members of `Parameters`.
    explicit ForecastNetwork(std::span<const float> weights);
    /// The one that was trained.
    static const ForecastNetwork& trained();

    /// In the order in which the constructor takes them.
    std::vector<float> weights() const;

    /// What the network expects of a position.
    End end(const ForecastInput& input) const;

    using Around = std::array<std::array<float, units>,
                              around>;  ///< weights of the nine cells around, one for each unit
    /// All weights, in the order of the file.
    struct Parameters {
        std::array<std::array<Around, ForecastInput::levels - 1>, colours>
            seen;  ///< by every level
        std::array<std::array<float, units>, places>
            place;  ///< bias of a unit by the place of the cell
        std::array<std::array<float, units>, rounds> time;  ///< bias of a unit by the round
        std::array<std::array<float, hidden>, units>
            summed;  ///< from the sums over the board to the first hidden layer
        std::array<std::array<float, hidden>, colours * kinds>
            piece;  ///< input of that layer by colour and remaining piece
        std::array<std::array<float, hidden>, rounds> late;  ///< bias of that layer by the round
        std::array<std::array<float, hidden>, hidden>
            inner;                             ///< from the first hidden layer to the second
        std::array<float, hidden> inner_bias;  ///< bias of the second hidden layer
        std::array<float, hidden> gain;  ///< from the second hidden layer to the points to come
        std::array<float, rounds> gain_late;  ///< bias of the points by the round
        std::array<float, rounds> sure;       ///< logarithm of what a lead of 16 points is worth
    };
    /// How many weights there are.
    static constexpr std::size_t numbers = sizeof(Parameters) / sizeof(float);

  private:
    static constexpr float unit = 512.0F;   ///< 1 in the sums of the first layer
    static constexpr float points = 16.0F;  ///< 1 in what the network says of points
    static constexpr float board = 64.0F;   ///< what sums over the board are divided by

    using Table = std::array<Answers<ForecastInput::levels, units>, colours>;
    using Begin = std::array<std::array<std::int16_t, units>, places>;
    using Sums = std::array<float, units>;

    Sums summed_up(const ForecastInput& input) const;
    float gain(const ForecastInput& input, const Sums& sums) const;

    std::unique_ptr<Table> table_;                      ///< first layer, column by column
    std::unique_ptr<std::array<Begin, rounds>> begin_;  ///< what it says of a cell before it looks
    std::unique_ptr<Parameters> of_;
};

}  // namespace spielleiter::blokus
