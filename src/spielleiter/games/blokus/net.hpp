/// @file
/// A small network that says which moves look good.
///
/// Two layers look at the planes of sight.hpp, cell by cell: the first at the cells around (a table
/// answers for all nine at once, since they are bits), the second once more at the cells around.
/// What they find is eight numbers for each cell in each of three roles: as a cell that a piece
/// covers, as a cell it touches at a corner, as a cell it touches at an edge. A move is judged by
/// the sums of these numbers over its cells, by its piece and by the round. training/blokus tells
/// how it was trained.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "layers.hpp"
#include "sight.hpp"

namespace spielleiter::blokus {

class Net {
  public:
    static constexpr std::size_t units = 32;   ///< of either layer, for each cell
    static constexpr std::size_t traits = 8;   ///< numbers of a cell in a role
    static constexpr std::size_t roles = 3;    ///< covered, at a corner, at an edge
    static constexpr std::size_t around = 9;   ///< a cell and its neighbours
    static constexpr std::size_t places = 55;  ///< cells that no symmetry of the board makes equal
    static constexpr std::size_t rounds = 26;

    /// The weights in the order of the members of `Parameters`.
    explicit Net(std::span<const float> weights);
    /// The one that was trained.
    static const Net& trained();

    std::vector<float> weights() const;

    /// Where a judgement is worked out: kept by the caller, who has one for each thread.
    struct Desk {
        std::vector<std::int16_t> first = std::vector<std::int16_t>(framed * framed * units);
        std::vector<float> found = std::vector<float>(roles * framed * framed * traits);
    };

    /// How good each placement looks: the logarithm of a weight.
    template <class Moves>
    void judge(const Sight& sight, const Moves& moves, float* logits, Desk& desk) const {
        Rows covered{};
        for (const Move move : moves) cover(covered, move);
        look(sight, covered, desk);
        for (std::size_t at = 0; at < moves.size(); ++at)
            logits[at] = moves[at].is_pass() ? dislike : logit(sight, moves[at], desk);
    }

    using Around = std::array<std::array<float, units>, around>;
    struct Parameters {
        std::array<std::array<Around, Sight::levels - 1>, colours> seen;  ///< by every level
        std::array<std::array<float, units>, places> place;
        std::array<std::array<float, units>, rounds> time;
        std::array<std::array<float, units>, around> spread;
        std::array<std::array<float, units>, units> mixed;
        std::array<float, units> mixed_bias;
        std::array<std::array<float, roles * traits>, units> told;         ///< by the second layer
        std::array<std::array<float, roles * traits>, units> told_before;  ///< by the first
        std::array<std::array<float, traits>, kinds> piece;
        std::array<std::array<float, traits>, rounds> late;
        std::array<float, traits> bent;
        std::array<float, traits> straight;
        std::array<std::array<float, kinds>, rounds> custom;
    };
    static constexpr std::size_t numbers = sizeof(Parameters) / sizeof(float);

  private:
    static constexpr float dislike = -60.0F;  ///< of passing
    static constexpr float unit = 512.0F;     ///< 1 in what the first layer says
    static constexpr float wide = 256.0F;     ///< 1 in what is gathered for the second layer
    static constexpr float inner = 128.0F;    ///< 1 in what that layer says
    static constexpr int fine_bits = 11;
    static constexpr float fine = 1 << fine_bits;  ///< 1 of that in its sums
    static constexpr float finest = 1 << 19;       ///< 1 in what is told to moves

    using Table = std::array<Answers<Sight::levels, units>, colours>;
    using Begin = std::array<std::array<std::int16_t, units>, places>;

    /// What the layers multiply with, in whole numbers.
    struct Whole {
        std::array<std::array<std::int16_t, units>, around> spread;
        Paired<units, units> mixed;
        std::array<std::int32_t, units> mixed_bias;
        Paired<units, roles * traits> told;
        Paired<units, roles * traits> told_before;
    };

    /// Framed cells that the second layer looks at together, and what it says of them.
    static constexpr std::size_t together = EightWhole::together;
    using Group = std::array<std::size_t, together>;
    using Said = std::array<std::array<std::int16_t, units>, together>;

    static void cover(Rows& rows, Move move) {
        if (move.is_pass()) return;
        const Orientation& held = move.orientation();
        for (std::size_t row = 0; row < held.height; ++row)
            rows[move.cell() / side + row] |= held.rows[row] << move.cell() % side;
    }
    void look(const Sight& sight, const Rows& covered, Desk& desk) const;
    void first_layer(const Sight& sight, const Rows& where, Desk& desk) const;
    void second_layer(const Rows& where, Desk& desk) const;
    void second_layer(const Group& cells, Desk& desk) const;
    Said mix_around(const Group& cells, const Desk& desk) const;
    float logit(const Sight& sight, Move move, const Desk& desk) const;

    std::unique_ptr<Table> table_;                      ///< first layer, column by column
    std::unique_ptr<std::array<Begin, rounds>> begin_;  ///< what it says of a cell before it looks
    std::unique_ptr<Whole> whole_;
    std::unique_ptr<Parameters> of_;
};

}  // namespace spielleiter::blokus
