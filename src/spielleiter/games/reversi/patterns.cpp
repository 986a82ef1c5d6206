#include "patterns.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "lazy_tables.hpp"

namespace spielleiter::reversi {

namespace {

constexpr std::array<std::uint16_t, 10> powers{1, 3, 9, 27, 81, 243, 729, 2187, 6561, 19683};

/// One place of each family: corner, long corner, edge with the cells before the corners, the
/// three inner lines, the long diagonal with the cells beside one corner, the shorter diagonals.
const std::vector<std::vector<std::uint8_t>>& shapes() {
    static const std::vector<std::vector<std::uint8_t>> all{{0, 1, 2, 8, 9, 10, 16, 17, 18},
                                                            {0, 1, 2, 3, 4, 8, 9, 10, 11, 12},
                                                            {9, 0, 1, 2, 3, 4, 5, 6, 7, 14},
                                                            {8, 9, 10, 11, 12, 13, 14, 15},
                                                            {16, 17, 18, 19, 20, 21, 22, 23},
                                                            {24, 25, 26, 27, 28, 29, 30, 31},
                                                            {0, 1, 8, 9, 18, 27, 36, 45, 54, 63},
                                                            {1, 10, 19, 28, 37, 46, 55},
                                                            {2, 11, 20, 29, 38, 47},
                                                            {3, 12, 21, 30, 39},
                                                            {4, 13, 22, 31}};
    return all;
}

std::uint8_t turned(std::uint8_t cell, unsigned symmetry) {
    unsigned x = cell % 8U;
    unsigned y = cell / 8U;
    if ((symmetry & 4U) != 0) std::swap(x, y);
    if ((symmetry & 2U) != 0) y = 7 - y;
    if ((symmetry & 1U) != 0) x = 7 - x;
    return static_cast<std::uint8_t>(8 * y + x);
}

using Cells = std::vector<std::uint8_t>;

Cells turned(const Cells& cells, unsigned symmetry) {
    Cells made;
    for (const auto cell : cells) made.push_back(turned(cell, symmetry));
    return made;
}

Cells sorted(Cells cells) {
    std::sort(cells.begin(), cells.end());
    return cells;
}

Places made_places() {
    Places made;
    std::size_t at = 0;
    for (std::size_t family = 0; family < Places::families; ++family) {
        const Cells& shape = shapes()[family];
        made.sizes[family] = shape.size();
        made.offsets[family] = made.indices;
        made.indices += std::size_t{3} * powers[shape.size() - 1];
        std::vector<Cells> seen;
        for (unsigned symmetry = 0; symmetry < 8; ++symmetry) {
            const Cells cells = turned(shape, symmetry);
            if (std::find(seen.begin(), seen.end(), sorted(cells)) != seen.end()) continue;
            seen.push_back(sorted(cells));
            auto& place = made.places.at(at++);
            place.family = static_cast<std::uint8_t>(family);
            place.size = static_cast<std::uint8_t>(cells.size());
            std::copy(cells.begin(), cells.end(), place.cells.begin());
        }
    }
    return made;
}

/// For each family the order of digits that a symmetry of the board makes of its shape, if one maps
/// the shape onto itself.
std::vector<std::vector<std::size_t>> made_mirrors() {
    std::vector<std::vector<std::size_t>> mirrors(Places::families);
    for (std::size_t family = 0; family < Places::families; ++family) {
        const Cells& shape = shapes()[family];
        for (unsigned symmetry = 1; symmetry < 8; ++symmetry) {
            const Cells image = turned(shape, symmetry);
            if (sorted(image) != sorted(shape) || image == shape) continue;
            for (const auto cell : image) {
                mirrors[family].push_back(static_cast<std::size_t>(
                    std::find(shape.begin(), shape.end(), cell) - shape.begin()));
            }
            break;
        }
    }
    return mirrors;
}

/// What a stone of seat 0 on a cell adds to each index.
struct Steps {
    alignas(32) std::array<std::array<std::uint16_t, Places::count>, 64> of{};
};
const Steps& steps() {
    static const Steps all = [] {
        Steps made;
        const auto& places = Places::all().places;
        for (std::size_t at = 0; at < Places::count; ++at) {
            for (std::size_t digit = 0; digit < places[at].size; ++digit)
                made.of[places[at].cells[digit]][at] = powers[digit];
        }
        return made;
    }();
    return all;
}

std::size_t indices_of(std::size_t family) {
    return std::size_t{3} * powers[Places::all().sizes[family] - 1];
}

}  // namespace

const Places& Places::all() {
    static const Places places = made_places();
    return places;
}

std::size_t Patterns::folded(std::size_t family, std::size_t index) {
    static const auto mirrors = made_mirrors();
    if (mirrors[family].empty()) return index;
    std::size_t image = 0;
    std::size_t rest = index;
    for (const auto digit : mirrors[family]) {
        image += rest % 3 * powers[digit];
        rest /= 3;
    }
    return std::min(index, image);
}

std::vector<std::uint32_t> Places::columns_of_indices() {
    const Places& places = all();
    std::vector<std::uint32_t> found(places.indices);
    std::uint32_t width = 0;
    for (std::size_t family = 0; family < families; ++family) {
        const std::size_t start = places.offsets[family];
        for (std::size_t index = 0; index < indices_of(family); ++index) {
            const std::size_t first = Patterns::folded(family, index);
            found[start + index] = first == index ? width++ : found[start + first];
        }
    }
    assert(width == columns);
    return found;
}

Patterns::Patterns(std::span<const std::int16_t> shipped) {
    const std::vector<std::uint32_t> columns_of = Places::columns_of_indices();
    size_ = columns_of.size();
    tables_.reserve(stages * size_);
    for (std::size_t stage = 0; stage < stages; ++stage) {
        const auto* weights = shipped.data() + stage * (columns + most_moves);
        for (const std::uint32_t column : columns_of) tables_.push_back(weights[column]);
        moves_.insert(moves_.end(), weights + columns, weights + columns + most_moves);
    }
    if (shipped.size() > shipped_size) network_.emplace(shipped.subspan(shipped_size));
}

Patterns::Accumulator Patterns::accumulator(const TwoPlayerBoard<Small>& board, Seat seat) {
    Accumulator accumulator;
    const auto add = [&](const Small::Set& stones, unsigned digit) {
        stones.each([&](std::size_t cell) {
            for (std::size_t at = 0; at < Places::count; ++at) {
                const unsigned step = steps().of[cell][at];
                accumulator.at[at] = static_cast<std::uint16_t>(accumulator.at[at] + digit * step);
                accumulator.occupied[at] =
                    static_cast<std::uint16_t>(accumulator.occupied[at] + step);
            }
        });
    };
    add(board.own, seat == 0 ? 1 : 2);
    add(board.other, seat == 0 ? 2 : 1);
    return accumulator;
}

void Patterns::update(Accumulator& accumulator, std::size_t cell, const Small::Set& taken,
                      Seat seat) {
    static const Steps& all = steps();
    Accumulator made = accumulator;
    for (std::size_t i = 0; i < Places::count; ++i)
        made.occupied[i] = static_cast<std::uint16_t>(made.occupied[i] + all.of[cell][i]);
    const auto add = [&](std::size_t at, std::uint16_t times) {
        for (std::size_t i = 0; i < Places::count; ++i)
            made.at[i] = static_cast<std::uint16_t>(made.at[i] + times * all.of[at][i]);
    };
    if (seat == 0) {  // a stone of 1 comes, stones of 2 become 1
        add(cell, 1);
        taken.each([&](std::size_t at) { add(at, 0xffffU); });
    } else {
        add(cell, 2);
        taken.each([&](std::size_t at) { add(at, 1); });
    }
    accumulator = made;
}

std::vector<std::int16_t> Patterns::unpacked(std::vector<std::int16_t> changes) {
    const std::size_t end = std::min(changes.size(), shipped_size);
    for (std::size_t at = columns + most_moves; at < end; ++at)
        changes[at] = static_cast<std::int16_t>(changes[at] + changes[at - columns - most_moves]);
    return changes;
}

std::shared_ptr<const Patterns> Patterns::loaded() {
    return LazyTables<Patterns>::instance().get();
}
void Patterns::load(std::vector<std::int16_t> shipped) {
    constexpr std::size_t with_network = shipped_size + PatternNetwork::shipped_size;
    const bool has_network = shipped.size() == with_network;
    LazyTables<Patterns>::instance().set(std::move(shipped),
                                         has_network ? with_network : shipped_size);
}

}  // namespace spielleiter::reversi
