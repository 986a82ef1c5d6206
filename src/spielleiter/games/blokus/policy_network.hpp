/// @file
/// A small network that says which moves look good.
///
/// Two layers look at the levels of policy_input.hpp, cell by cell: the first at the cells around
/// (a table answers for all nine at once, since they are bits), the second once more at the cells
/// around. What they find is eight numbers for each cell in each of three roles: as a cell that a
/// piece covers, as a cell it touches at a corner, as a cell it touches at an edge. A move is
/// judged by the sums of these numbers over its cells, by its piece and by the round.
/// training/blokus tells how it was trained.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "layers.hpp"
#include "policy_input.hpp"

namespace spielleiter::blokus {

/// From a position and its placements to how good each of them looks.
class PolicyNetwork {
  public:
    static constexpr std::size_t units = 32;   ///< of either layer, for each cell
    static constexpr std::size_t traits = 8;   ///< numbers of a cell in a role
    static constexpr std::size_t roles = 3;    ///< covered, at a corner, at an edge
    static constexpr std::size_t around = 9;   ///< a cell and its neighbours
    static constexpr std::size_t places = 55;  ///< cells that no symmetry of the board makes equal
    static constexpr std::size_t rounds = 26;  ///< of a game, and one for what comes after

    /// The weights in the order of the members of `Parameters`.
    explicit PolicyNetwork(std::span<const float> weights);
    /// The one that was trained.
    static const PolicyNetwork& trained();

    /// In the order in which the constructor takes them.
    std::vector<float> weights() const;

    /// Intermediate results; the caller keeps one for each thread.
    struct Workspace {
        std::vector<std::int16_t> first = std::vector<std::int16_t>(
            framed * framed * units);  ///< what the first layer found, cell by cell
        std::vector<float> found =
            std::vector<float>(roles * framed * framed *
                               traits);  ///< what the second layer tells moves, by role and cell
    };

    /// How good each placement looks: the logarithm of a weight.
    template <class Moves>
    void judge(const PolicyInput& input, const Moves& moves, float* logits,
               Workspace& workspace) const {
        Rows covered{};
        for (const Move move : moves) cover(covered, move);
        look(input, covered, workspace);
        for (std::size_t at = 0; at < moves.size(); ++at)
            logits[at] = moves[at].is_pass() ? dislike : logit(input, moves[at], workspace);
    }

    using Around = std::array<std::array<float, units>,
                              around>;  ///< weights of the nine cells around, one for each unit
    /// All weights, in the order of the file.
    struct Parameters {
        std::array<std::array<Around, PolicyInput::levels - 1>, colours> seen;  ///< by every level
        std::array<std::array<float, units>, places>
            place;  ///< bias of a unit by the place of the cell
        std::array<std::array<float, units>, rounds> time;  ///< bias of a unit by the round
        std::array<std::array<float, units>, around>
            spread;  ///< how the second layer weighs the nine cells around
        std::array<std::array<float, units>, units> mixed;  ///< from the first layer to the second
        std::array<float, units> mixed_bias;                ///< bias of the second layer
        std::array<std::array<float, roles * traits>, units> told;         ///< by the second layer
        std::array<std::array<float, roles * traits>, units> told_before;  ///< by the first
        std::array<std::array<float, traits>, kinds>
            piece;  ///< added to the sums of a move by its piece
        std::array<std::array<float, traits>, rounds> late;   ///< added to them by the round
        std::array<float, traits> bent;                       ///< weights of the rectified sums
        std::array<float, traits> straight;                   ///< weights of the sums themselves
        std::array<std::array<float, kinds>, rounds> custom;  ///< bias of a move by round and piece
    };
    /// How many weights there are.
    static constexpr std::size_t numbers = sizeof(Parameters) / sizeof(float);

  private:
    static constexpr float dislike = -60.0F;  ///< of passing
    static constexpr float unit = 512.0F;     ///< 1 in what the first layer says
    static constexpr float wide = 256.0F;     ///< 1 in what is gathered for the second layer
    static constexpr float inner = 128.0F;    ///< 1 in what that layer says
    static constexpr int fine_bits = 11;
    static constexpr float fine = 1 << fine_bits;  ///< 1 of that in its sums
    static constexpr float finest = 1 << 19;       ///< 1 in what is told to moves

    using Table = std::array<Answers<PolicyInput::levels, units>, colours>;
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
    static constexpr std::size_t together = simd::Ints::together;
    using Group = std::array<std::size_t, together>;
    using Said = std::array<std::array<std::int16_t, units>, together>;

    static void cover(Rows& rows, Move move) {
        if (move.is_pass()) return;
        const Orientation& held = move.orientation();
        for (std::size_t row = 0; row < held.height; ++row)
            rows[move.cell() / side + row] |= held.rows[row] << move.cell() % side;
    }
    void look(const PolicyInput& input, const Rows& covered, Workspace& workspace) const;
    void first_layer(const PolicyInput& input, const Rows& where, Workspace& workspace) const;
    void second_layer(const Rows& where, Workspace& workspace) const;
    void second_layer(const Group& cells, Workspace& workspace) const;
    Said mix_around(const Group& cells, const Workspace& workspace) const;
    float logit(const PolicyInput& input, Move move, const Workspace& workspace) const;

    std::unique_ptr<Table> table_;                      ///< first layer, column by column
    std::unique_ptr<std::array<Begin, rounds>> begin_;  ///< what it says of a cell before it looks
    std::unique_ptr<Whole> whole_;
    std::unique_ptr<Parameters> of_;
};

}  // namespace spielleiter::blokus
