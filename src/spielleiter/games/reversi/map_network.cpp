#include "map_network.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

#include "lazy_tables.hpp"

namespace spielleiter::reversi {

namespace {

using Shipped = MapNetworkWeights;
using simd::Floats;

constexpr std::size_t side = Large::limit;
constexpr std::size_t squares = side * side;
constexpr float shipped_unit = 4096.0F;
constexpr float sum_unit = 64.0F;

// ---------------------------------------------------------------------------------- the numbers

/// Hands out the numbers of a file one after the other.
class Reader {
  public:
    explicit Reader(std::span<const std::int16_t> numbers) : rest_(numbers) {}

    std::int16_t next() {
        const std::int16_t number = rest_.front();
        rest_ = rest_.subspan(1);
        return number;
    }
    float next_float() { return static_cast<float>(next()) / shipped_unit; }
    Shipped::Convolution convolution(std::size_t inputs, std::size_t outputs) {
        Shipped::Convolution made;
        for (std::size_t at = 0; at < inputs * outputs; ++at) made.weights.push_back(next_float());
        for (std::size_t at = 0; at < outputs; ++at) made.bias.push_back(next_float());
        return made;
    }
    Shipped::Phase phase() {
        constexpr std::size_t lanes = simd::Ints::size;
        Shipped::Phase made{};
        std::array<int, Shipped::hidden> most{};
        for (std::size_t input = 0; input < Shipped::inputs; ++input) {
            for (std::size_t output = 0; output < Shipped::hidden; ++output) {
                const std::size_t block = input / 2 * (Shipped::hidden / lanes) + output / lanes;
                auto& weight = made.weights[2 * (block * lanes + output % lanes) + input % 2];
                weight = next();
                most[output] += std::abs(weight);
            }
        }
        for (auto& weight : made.output) weight = next();
        int most_out = 0;
        for (const auto weight : made.output) most_out += std::abs(weight);
        constexpr int bearable = std::numeric_limits<std::int32_t>::max() / 32'768;
        if (most_out > bearable || *std::max_element(most.begin(), most.end()) > bearable)
            throw UsageError("weights of the network are so large that its sums overflow");
        made.offset = next_float();
        made.terms = next_float();
        return made;
    }

  private:
    std::span<const std::int16_t> rest_;
};

std::int16_t in_sums(float value) {
    return static_cast<std::int16_t>(std::lround(sum_unit * value));
}

// ---------------------------------------------------------------------------------- the survey

using MapCells = std::array<bool, squares>;
/// For each square of 15 × 15 so many numbers; nothing where the map has no cell.
using Found = std::vector<float>;

struct Step {
    int x;
    int y;
};
/// The number of the square next to one, unless that is beyond the edge.
std::optional<std::size_t> beside(std::size_t square, Step step) {
    const int x = static_cast<int>(square % side) + step.x;
    const int y = static_cast<int>(square / side) + step.y;
    constexpr int end = static_cast<int>(side);
    if (x < 0 || y < 0 || x >= end || y >= end) return std::nullopt;
    return side * static_cast<std::size_t>(y) + static_cast<std::size_t>(x);
}

/// How many cells lie in a row on a side of a square.
int cells_towards(const MapCells& cells, std::size_t square, Step step) {
    int found = 0;
    for (auto at = beside(square, step); at && cells[*at]; at = beside(*at, step)) ++found;
    return found;
}

/// That there is a cell, how large the map is, and how far it is to the edges.
Found planes_of(const MapCells& cells) {
    constexpr std::array<Step, 8> steps{
        {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}};
    static_assert(Shipped::planes == 2 + steps.size());
    const auto count = static_cast<float>(std::count(cells.begin(), cells.end(), true));
    Found planes(squares * Shipped::planes);
    for (std::size_t square = 0; square < squares; ++square) {
        if (!cells[square]) continue;
        float* plane = planes.data() + square * Shipped::planes;
        *plane++ = 1.0F;
        *plane++ = count / static_cast<float>(squares);
        for (const Step step : steps)
            *plane++ = static_cast<float>(cells_towards(cells, square, step)) / 8.0F;
    }
    return planes;
}

/// What a layer finds on one square: so many outputs, from all taps.
template <std::size_t Outputs>
class Sum {
  public:
    explicit Sum(const std::vector<float>& bias) {
        for (std::size_t row = 0; row < rows; ++row)
            sums_[row] = Floats::load(bias.data() + row * Floats::size);
    }
    /// Adds what these inputs say; each is rounded alike on every machine.
    void add(std::span<const float> inputs, const float* weights) {
        for (const float input : inputs) {
            if (input != 0.0F) {
                const Floats factor = Floats::all(input);
                for (std::size_t row = 0; row < rows; ++row)
                    sums_[row].add_product(factor, Floats::load(weights + row * Floats::size));
            }
            weights += Outputs;
        }
    }
    void store(float* to) const {
        for (std::size_t row = 0; row < rows; ++row) sums_[row].store(to + row * Floats::size);
    }

  private:
    static constexpr std::size_t rows = Outputs / Floats::size;
    std::array<Floats, rows> sums_;
};

Found convolved(const Shipped::Convolution& layer, const MapCells& cells, const Found& from) {
    constexpr std::size_t outputs = Shipped::channels;
    const std::size_t inputs = from.size() / squares;
    Found found(squares * outputs);
    for (std::size_t square = 0; square < squares; ++square) {
        if (!cells[square]) continue;
        Sum<outputs> sum(layer.bias);
        for (std::size_t tap = 0; tap < Shipped::taps; ++tap) {
            const auto at =
                beside(square, {static_cast<int>(tap % 3) - 1, static_cast<int>(tap / 3) - 1});
            if (at && cells[*at])
                sum.add({from.data() + *at * inputs, inputs},
                        layer.weights.data() + tap * inputs * outputs);
        }
        sum.store(found.data() + square * outputs);
    }
    return found;
}

void cut_below_zero(Found& found) {
    for (float& number : found) number = std::max(number, 0.0F);
}

CellVectors survey(const Shipped& weights, const MapCells& cells) {
    Found found = convolved(weights.first, cells, planes_of(cells));
    cut_below_zero(found);
    for (std::size_t at = 0; at < weights.rest.size(); at += 2) {
        Found more = convolved(weights.rest[at], cells, found);
        cut_below_zero(more);
        more = convolved(weights.rest[at + 1], cells, more);
        for (std::size_t number = 0; number < found.size(); ++number) found[number] += more[number];
        cut_below_zero(found);
    }
    constexpr std::size_t outputs = Shipped::occupants * Shipped::units;
    CellVectors vectors(squares * outputs);
    for (std::size_t square = 0; square < squares; ++square) {
        if (!cells[square]) continue;
        Sum<outputs> sum(weights.vectors.bias);
        sum.add({found.data() + square * Shipped::channels, Shipped::channels},
                weights.vectors.weights.data());
        std::array<float, outputs> numbers{};
        sum.store(numbers.data());
        std::transform(numbers.begin(), numbers.end(),
                       vectors.begin() + static_cast<std::ptrdiff_t>(square * outputs), in_sums);
    }
    return vectors;
}

/// Maps that were surveyed last, for callers that come with one position after the other.
template <class Layout>
class LastMaps {
  public:
    using Network = MapNetwork<Layout>;
    using Set = typename Layout::Set;

    std::shared_ptr<const Network> of(const Set& cells) {
        const auto weights = Shipped::loaded();
        if (weights == nullptr) return nullptr;
        const std::scoped_lock held(lock_);
        const auto known = std::find_if(maps_.begin(), maps_.end(), [&](const Map& map) {
            return map.cells == cells && map.weights == weights;
        });
        if (known != maps_.end()) {
            maps_.splice(maps_.begin(), maps_, known);
        } else {
            maps_.push_front({cells, weights, std::make_shared<const Network>(weights, cells)});
            if (maps_.size() > most) maps_.pop_back();
        }
        return maps_.front().network;
    }

  private:
    static constexpr std::size_t most = 8;
    struct Map {
        Set cells;
        std::shared_ptr<const Shipped> weights;
        std::shared_ptr<const Network> network;
    };
    std::mutex lock_;
    std::list<Map> maps_;
};

}  // namespace

MapNetworkWeights::MapNetworkWeights(std::span<const std::int16_t> shipped) {
    Reader numbers(shipped);
    first = numbers.convolution(taps * planes, channels);
    for (std::size_t layer = 0; layer < layers; ++layer)
        rest.push_back(numbers.convolution(taps * channels, channels));
    vectors = numbers.convolution(channels, occupants * units);
    for (auto& number : start) number = in_sums(numbers.next_float());
    for (Phase& phase : by_phase) phase = numbers.phase();
}

std::shared_ptr<const MapNetworkWeights> MapNetworkWeights::loaded() {
    return LazyTables<MapNetworkWeights>::instance().get();
}
void MapNetworkWeights::load(std::vector<std::int16_t> shipped) {
    if (shipped.size() == shipped_size) {  // any other is refused below
        Reader numbers(std::span<const std::int16_t>(shipped).last(phases * phase_size));
        for (std::size_t phase = 0; phase < phases; ++phase) numbers.phase();
    }
    LazyTables<MapNetworkWeights>::instance().set(std::move(shipped), shipped_size);
}

// ------------------------------------------------------------------------------------ positions

template <class Layout>
MapNetwork<Layout>::MapNetwork(std::shared_ptr<const MapNetworkWeights> weights, const Set& cells)
    : weights_(std::move(weights)), vectors_(Set::size * entries * units) {
    const auto square = [](std::size_t cell) {
        return side * (cell / Layout::stride) + cell % Layout::stride;
    };
    MapCells exists{};
    cells.each([&](std::size_t cell) { exists[square(cell)] = true; });
    const CellVectors found = survey(*weights_, exists);
    cells.each([&](std::size_t cell) {
        const std::int16_t* from =
            found.data() + square(cell) * MapNetworkWeights::occupants * units;
        std::int16_t* to = vectors_.data() + cell * entries * units;
        for (std::size_t unit = 0; unit < units; ++unit, ++from, ++to) {
            to[own * units] = from[0];
            to[other * units] = from[units];
            to[own_for_other * units] = static_cast<std::int16_t>(from[0] - from[units]);
            to[other_for_own * units] = static_cast<std::int16_t>(from[units] - from[0]);
            to[moves * units] = from[2 * units];
            to[others_moves * units] = from[3 * units];
        }
    });
    const auto count = static_cast<std::size_t>(cells.count());
    for (std::size_t empties = 0; empties <= count; ++empties)
        phase_of_[empties] = static_cast<std::uint8_t>(std::min(
            MapNetworkWeights::phases - 1,
            MapNetworkWeights::phases * (count - empties) / std::max<std::size_t>(1, count)));
}

template <class Layout>
std::shared_ptr<const MapNetwork<Layout>> MapNetwork<Layout>::of_map(const Set& cells) {
    static LastMaps<Layout> last;
    if (cells.count() < MapNetworkWeights::least_cells) return nullptr;
    return last.of(cells);
}

template <class Layout>
typename MapNetwork<Layout>::Sums MapNetwork<Layout>::sums(const TwoPlayerBoard<Layout>& board,
                                                           Seat seat) const {
    Vector seen = load(weights_->start.data());
    Vector seen_by_other = seen;
    board.own.each([&](std::size_t cell) {
        add(seen, entry(cell, own));
        add(seen_by_other, entry(cell, other));
    });
    board.other.each([&](std::size_t cell) {
        add(seen, entry(cell, other));
        add(seen_by_other, entry(cell, own));
    });
    Sums sums;
    store(seen, sums.of[seat].data());
    store(seen_by_other, sums.of[1U - seat].data());
    return sums;
}

template <class Layout>
void MapNetwork<Layout>::update(Sums& sums, std::size_t cell, const Set& taken, Seat seat) const {
    Vector seen = load(sums.of[seat].data());
    Vector seen_by_other = load(sums.of[1U - seat].data());
    add(seen, entry(cell, own));
    add(seen_by_other, entry(cell, other));
    taken.each([&](std::size_t each) {
        add(seen, entry(each, own_for_other));
        add(seen_by_other, entry(each, other_for_own));
    });
    store(seen, sums.of[seat].data());
    store(seen_by_other, sums.of[1U - seat].data());
}

template <class Layout>
typename MapNetwork<Layout>::Inputs MapNetwork<Layout>::inputs(const Sums& sums, Seat seat,
                                                               const Set& legal,
                                                               const Set& legal_for_other) const {
    Vector all = load(sums.of[seat].data());
    legal.each([&](std::size_t cell) { add(all, entry(cell, moves)); });
    legal_for_other.each([&](std::size_t cell) { add(all, entry(cell, others_moves)); });
    for (simd::Shorts& row : all) row.cut_below_zero();
    Inputs found{};
    store(all, found.data());
    return found;
}

template <class Layout>
std::int32_t MapNetwork<Layout>::output(const MapNetworkWeights::Phase& phase,
                                        const Inputs& inputs) {
    constexpr std::size_t blocks = MapNetworkWeights::hidden / simd::Ints::size;
    constexpr int shift = 10;              // leaves 256ths
    constexpr std::int32_t most = 32'767;  // so that the sum of all fits
    std::array<simd::Ints, blocks> sums{};
    const std::int16_t* weights = phase.weights.data();
    for (std::size_t input = 0; input < inputs.size(); input += 2) {
        const simd::Shorts two = simd::Shorts::pairs(inputs.data() + input);
        for (simd::Ints& sum : sums) {
            sum.add_products(two, simd::Shorts::load(weights));
            weights += simd::Shorts::size;
        }
    }
    std::array<std::int32_t, MapNetworkWeights::hidden> found;
    for (std::size_t block = 0; block < blocks; ++block)
        sums[block].store(found.data() + block * simd::Ints::size);
    std::int32_t output = 0;
    for (std::size_t at = 0; at < found.size(); ++at)
        output += std::clamp(found[at] >> shift, 0, most) * phase.output[at];
    return output;
}

template <class Layout>
search::Score MapNetwork<Layout>::score(const Sums& sums, Seat seat, int empties, const Set& legal,
                                        const Set& legal_for_other, search::Score terms) const {
    constexpr float natural = 0.0057564627F;  // of a score: ln 10 / 400, as logarithms of odds are
    constexpr search::Score most_terms = 1600;  // what it has learnt from, as is the limit below
    constexpr float most_said = 4.0F;
    constexpr float output_unit = shipped_unit * 256.0F;
    const auto& phase = weights_->by_phase[phase_of_[static_cast<std::size_t>(empties)]];
    const float said = static_cast<float>(std::clamp(terms, -most_terms, most_terms)) * natural;
    Inputs seen = inputs(sums, seat, legal, legal_for_other);
    seen[units] = in_sums(std::clamp(said, -most_said, most_said));
    seen[units + 1] = in_sums(1.0F);
    const float found = static_cast<float>(output(phase, seen)) / output_unit;
    return static_cast<search::Score>((found + phase.offset + phase.terms * said) / natural);
}

template class MapNetwork<Small>;
template class MapNetwork<Large>;

}  // namespace spielleiter::reversi
