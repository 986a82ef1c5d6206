/// @file
/// A small network that says how a game will end.
///
/// One layer looks at the planes of prospect.hpp, cell by cell: at all nine cells around at once,
/// by table, since they are bits. What it finds is summed up over the board; two more layers turn
/// the sums, the pieces that are left and the round into the points that the seat on turn will
/// gain on the other. training/blokus tells how it was trained.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "layers.hpp"
#include "prospect.hpp"

namespace spielleiter::blokus {

class Forecast {
  public:
    static constexpr std::size_t units = 32;   ///< of the layer that looks at cells
    static constexpr std::size_t hidden = 32;  ///< of the layers behind the sums
    static constexpr std::size_t around = 9;   ///< a cell and its neighbours
    static constexpr std::size_t places = 55;  ///< cells that no symmetry of the board makes equal
    static constexpr std::size_t rounds = 26;

    /// How a game will end for the seat on turn.
    struct End {
        float chance;  ///< to win
        float lead;    ///< in points
    };

    /// The weights in the order of the members of `Parameters`.
    explicit Forecast(std::span<const float> weights);
    /// The one that was trained.
    static const Forecast& trained();

    std::vector<float> weights() const;

    End end(const Prospect& prospect) const;

    using Around = std::array<std::array<float, units>, around>;
    struct Parameters {
        std::array<std::array<Around, Prospect::levels - 1>, colours> seen;  ///< by every level
        std::array<std::array<float, units>, places> place;
        std::array<std::array<float, units>, rounds> time;
        std::array<std::array<float, hidden>, units> summed;
        std::array<std::array<float, hidden>, colours * kinds> piece;
        std::array<std::array<float, hidden>, rounds> late;
        std::array<std::array<float, hidden>, hidden> inner;
        std::array<float, hidden> inner_bias;
        std::array<float, hidden> gain;
        std::array<float, rounds> gain_late;
        std::array<float, rounds> sure;  ///< logarithm of what a lead of 16 points is worth
    };
    static constexpr std::size_t numbers = sizeof(Parameters) / sizeof(float);

  private:
    static constexpr float unit = 512.0F;   ///< 1 in the sums of the first layer
    static constexpr float points = 16.0F;  ///< 1 in what the network says of points
    static constexpr float board = 64.0F;   ///< what sums over the board are divided by

    using Table = std::array<Answers<Prospect::levels, units>, colours>;
    using Begin = std::array<std::array<std::int16_t, units>, places>;
    using Sums = std::array<float, units>;

    Sums summed_up(const Prospect& prospect) const;
    float gain(const Prospect& prospect, const Sums& sums) const;

    std::unique_ptr<Table> table_;                      ///< first layer, column by column
    std::unique_ptr<std::array<Begin, rounds>> begin_;  ///< what it says of a cell before it looks
    std::unique_ptr<Parameters> of_;
};

}  // namespace spielleiter::blokus
