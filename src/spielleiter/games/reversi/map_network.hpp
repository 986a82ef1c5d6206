/// @file
/// What the terms cannot say of two players on a map of any shape: a network that is asked on top
/// of them (training/reversi/map_network).
///
/// What a stone on a cell is worth depends on the map. So a convolutional network surveys the map
/// once, before the first move, and gives each cell four vectors: what a stone of the player to
/// move adds there, what one of the other player, and what it adds if the one or the other may move
/// there. In a position these vectors are summed up; those of the stones follow the moves. Two
/// small layers, which differ with how full the map is, turn the sums and the terms into a score.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "board.hpp"
#include "core/search/score.hpp"
#include "core/simd.hpp"
#include "two_player_board.hpp"

namespace spielleiter::reversi {

/// Its numbers, as they are shipped with the package.
class MapNetworkWeights {
  public:
    static constexpr std::size_t planes = 10;    ///< what is seen of each cell of a map
    static constexpr std::size_t channels = 64;  ///< of the layers that survey it
    static constexpr std::size_t layers =
        8;  ///< of those, after the first; in pairs that correct what was found
    static constexpr std::size_t taps = 9;       ///< a cell and its neighbours
    static constexpr std::size_t occupants = 4;  ///< stones of both players, moves of both
    static constexpr std::size_t units = 64;     ///< of a vector
    static constexpr std::size_t hidden = 16;    ///< of the layer behind the sums
    static constexpr int least_cells =
        36;  ///< of a map it is asked on: none was smaller in training
    static constexpr std::size_t phases = 6;          ///< from an empty map to a full one
    static constexpr std::size_t inputs = units + 2;  ///< of the hidden layer: sums, terms, 1

    /// A layer of the survey: by tap, by input, by output; then what is added.
    struct Convolution {
        std::vector<float> weights;  ///< in that order
        std::vector<float> bias;     ///< by output
    };
    /// What turns sums into a score, for one phase.
    struct Phase {
        /// By two inputs, by eight outputs: for each of these the weights of both inputs.
        alignas(32) std::array<std::int16_t, inputs * hidden> weights;
        std::array<std::int32_t, hidden> output;  ///< weights of what the layer finds
        float offset;                             ///< added to what comes out
        float terms;                              ///< how much the terms count by themselves
    };

    /// From what is shipped, 4096ths layer by layer.
    explicit MapNetworkWeights(std::span<const std::int16_t> shipped);

    Convolution first;                      ///< sees the planes
    std::vector<Convolution> rest;          ///< see what the layer before found
    Convolution vectors;                    ///< of each cell, from what was found there
    std::array<std::int16_t, units> start;  ///< of the sums
    std::array<Phase, phases> by_phase;     ///< from an empty map on

    /// Numbers of a phase in the file, 16 bits each.
    static constexpr std::size_t phase_size = inputs * hidden + hidden + 2;
    /// Numbers of the file.
    static constexpr std::size_t shipped_size =
        taps * planes * channels + channels + layers * (taps * channels * channels + channels) +
        (channels + 1) * occupants * units + units + phases * phase_size;

    /// What was shipped with the package, or nothing as long as nobody has loaded it.
    static std::shared_ptr<const MapNetworkWeights> loaded();
    /// Other weights from now on. Whoever is searching goes on with those it has. Throws UsageError
    /// if they are too few, too many, or so large that sums could overflow.
    static void load(std::vector<std::int16_t> shipped);
};

/// The vectors of a map's cells: 15 to a row, by cell, by occupant, by unit.
using CellVectors = std::vector<std::int16_t>;

/// The network on one map.
template <class Layout>
class MapNetwork {
  public:
    using Set = typename Layout::Set;                               ///< cells of the layout
    static constexpr std::size_t units = MapNetworkWeights::units;  ///< of a vector

    /// The sums of the stones, as each seat sees them.
    struct Sums {
        alignas(32) std::array<std::array<std::int16_t, units>, 2> of;  ///< by seat
    };

    /// Surveys the map.
    MapNetwork(std::shared_ptr<const MapNetworkWeights> weights, const Set& cells);
    /// The same for a map that may have been surveyed lately; nothing for a map that is too small,
    /// and while no weights are loaded.
    static std::shared_ptr<const MapNetwork> of_map(const Set& cells);

    /// The sums of a position, seen by a seat.
    Sums sums(const TwoPlayerBoard<Layout>& board, Seat seat) const;
    /// The sums after a move of a seat.
    void update(Sums& sums, std::size_t cell, const Set& taken, Seat seat) const;
    /// The score for the seat to move, which has these moves, if the terms say `terms`.
    search::Score score(const Sums& sums, Seat seat, int empties, const Set& legal,
                        const Set& legal_for_other, search::Score terms) const;

  private:
    static constexpr std::size_t rows = units / simd::Shorts::size;
    /// What a cell may add: also one stone in exchange for the other.
    enum Entry : std::uint8_t { own, other, own_for_other, other_for_own, moves, others_moves };
    static constexpr std::size_t entries = 6;
    using Vector = std::array<simd::Shorts, rows>;
    using Inputs = std::array<std::int16_t, MapNetworkWeights::inputs>;

    const std::int16_t* entry(std::size_t cell, Entry which) const {
        return vectors_.data() + (cell * entries + which) * units;
    }
    static Vector load(const std::int16_t* from) {
        Vector made;
        for (std::size_t row = 0; row < rows; ++row)
            made[row] = simd::Shorts::load(from + row * simd::Shorts::size);
        return made;
    }
    static void store(const Vector& vector, std::int16_t* to) {
        for (std::size_t row = 0; row < rows; ++row)
            vector[row].store(to + row * simd::Shorts::size);
    }
    static void add(Vector& to, const std::int16_t* more) {
        for (std::size_t row = 0; row < rows; ++row)
            to[row].add(simd::Shorts::load(more + row * simd::Shorts::size));
    }
    Inputs inputs(const Sums& sums, Seat seat, const Set& legal, const Set& legal_for_other) const;
    static std::int32_t output(const MapNetworkWeights::Phase& phase, const Inputs& inputs);

    std::shared_ptr<const MapNetworkWeights> weights_;
    CellVectors vectors_;
    std::array<std::uint8_t, Set::size + 1> phase_of_{};  ///< by empty cells
};

extern template class MapNetwork<Small>;
extern template class MapNetwork<Large>;

}  // namespace spielleiter::reversi
