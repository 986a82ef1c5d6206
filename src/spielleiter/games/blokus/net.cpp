#include "net.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "lanes.hpp"

namespace spielleiter::blokus {

namespace {

constexpr std::size_t framed = side + 2;  ///< cells of a row with a frame of one on either side

constexpr std::size_t framed_cell(std::size_t x, std::size_t y) { return framed * (y + 1) + x + 1; }

/// Cells that a rotation or reflection of the board maps to each other have the same number.
constexpr std::size_t place_of(std::size_t x, std::size_t y) {
    const std::size_t a = x < side - 1 - x ? x : side - 1 - x;
    const std::size_t b = y < side - 1 - y ? y : side - 1 - y;
    const std::size_t low = a < b ? a : b;
    const std::size_t high = a < b ? b : a;
    return high * (high + 1) / 2 + low;
}

/// The entries of `Desk::found` that a piece sums up, from the framed cell of its upper left corner
/// less one row and one column.
struct Touched {
    std::size_t count = 0;
    std::array<std::uint16_t, 32> at{};
};

constexpr Touched touched(const Orientation& held) {
    constexpr std::size_t wide = longest + 2;
    std::array<std::uint8_t, wide * wide> role{};  // 0: none; 1: edge; 2: corner; 3: covered
    const auto mark = [&](int x, int y, std::uint8_t as) {
        std::uint8_t& cell =
            role[wide * static_cast<std::size_t>(y + 1) + static_cast<std::size_t>(x + 1)];
        // An edge rules a corner out, and a square both.
        const auto rank = [](std::uint8_t what) { return what == 2 ? 1 : what == 1 ? 2 : what; };
        if (rank(as) > rank(cell)) cell = as;
    };
    for (std::size_t n = 0; n < held.shape.size; ++n) {
        const auto [x, y] = held.shape.squares[n];
        mark(x, y, 3);
        for (const int d : {-1, 1}) {
            mark(x + d, y, 1);
            mark(x, y + d, 1);
            mark(x + d, y - 1, 2);
            mark(x + d, y + 1, 2);
        }
    }
    Touched made;
    for (std::size_t at = 0; at < role.size(); ++at) {
        if (role[at] == 0) continue;
        const std::size_t as = role[at] == 3 ? 0 : role[at] == 2 ? 1 : 2;
        made.at[made.count++] = static_cast<std::uint16_t>(
            (as * framed * framed + framed * (at / wide) + at % wide) * Net::traits);
    }
    return made;
}

std::array<Touched, orientations> list_touched() noexcept {
    std::array<Touched, orientations> list{};
    for (std::size_t at = 0; at < orientations; ++at) list[at] = touched(all_orientations[at]);
    return list;
}
const std::array<Touched, orientations> all_touched = list_touched();

Rows wider(const Rows& rows) {
    constexpr std::uint32_t board = (1U << side) - 1;
    Rows flat;
    Rows wide;
    for (std::size_t y = 0; y < side; ++y)
        flat[y] = (rows[y] | rows[y] << 1 | rows[y] >> 1) & board;
    for (std::size_t y = 0; y < side; ++y)
        wide[y] = flat[y] | (y > 0 ? flat[y - 1] : 0) | (y + 1 < side ? flat[y + 1] : 0);
    return wide;
}

template <class Do>
void each_cell(const Rows& rows, Do&& act) {
    for (std::size_t y = 0; y < side; ++y) {
        for (std::uint32_t rest = rows[y]; rest != 0; rest &= rest - 1)
            act(static_cast<std::size_t>(std::countr_zero(rest)), y);
    }
}

/// So many numbers, eight by eight.
template <std::size_t Size>
using Many = std::array<Eight, Size / Eight::size>;

template <std::size_t Size>
Many<Size> load(const float* from) {
    Many<Size> made;
    for (std::size_t n = 0; n < made.size(); ++n) made[n] = Eight::load(from + Eight::size * n);
    return made;
}

/// Adds the product of a row of numbers and a matrix.
template <std::size_t In, std::size_t Out>
void add_product(const float* row, const std::array<std::array<float, Out>, In>& matrix,
                 Many<Out>& sums) {
    for (std::size_t in = 0; in < In; ++in) {
        const Eight factor = Eight::all(row[in]);
        for (std::size_t n = 0; n < sums.size(); ++n)
            sums[n].add_product(factor, Eight::load(&matrix[in][Eight::size * n]));
    }
}

std::int16_t rounded(float value, float unit) {
    return static_cast<std::int16_t>(std::clamp(std::lround(value * unit), -32000L, 32000L));
}

}  // namespace

Net::Net(std::span<const float> weights)
    : table_(std::make_unique<Table>()), of_(std::make_unique<Parameters>()) {
    if (weights.size() != numbers) throw UsageError("these are not the weights of this network");
    std::memcpy(of_.get(), weights.data(), sizeof(Parameters));
    for (std::size_t plane = 0; plane < Sight::planes; ++plane) {
        for (std::size_t bits = 0; bits < 1U << around; ++bits) {
            for (std::size_t n = 0; n < units; ++n) {
                float sum = 0;
                for (std::size_t at = 0; at < around; ++at)
                    if ((bits >> at & 1U) != 0) sum += of_->seen[plane][at][n];
                (*table_)[plane][bits][n] = rounded(sum, unit);
            }
        }
    }
}

std::vector<float> Net::weights() const {
    std::vector<float> list(numbers);
    std::memcpy(list.data(), of_.get(), sizeof(Parameters));
    return list;
}

void Net::look(const Sight& sight, const Rows& covered, Desk& desk) const {
    const Rows touched = wider(covered);
    first_layer(sight, wider(touched), desk);
    second_layer(touched, desk);
}

void Net::first_layer(const Sight& sight, const Rows& where, Desk& desk) const {
    // Rows with a frame of one cell, so that nine bits can be cut out anywhere.
    std::array<std::array<std::uint32_t, framed>, Sight::planes> rows{};
    for (std::size_t plane = 0; plane < Sight::planes; ++plane)
        for (std::size_t y = 0; y < side; ++y) rows[plane][y + 1] = sight.rows[plane][y] << 1;
    std::array<std::int16_t, units> now;
    const std::size_t round = std::min(sight.round, rounds - 1);
    for (std::size_t n = 0; n < units; ++n) now[n] = rounded(of_->time[round][n], unit);
    each_cell(where, [&](std::size_t x, std::size_t y) {
        std::array<Sixteen, units / Sixteen::size> sum{Sixteen::load(now.data()),
                                                       Sixteen::load(&now[Sixteen::size])};
        for (std::size_t plane = 0; plane < Sight::planes; ++plane) {
            const std::uint32_t* const row = &rows[plane][y];
            const std::size_t bits =
                (row[0] >> x & 7U) | (row[1] >> x & 7U) << 3 | (row[2] >> x & 7U) << 6;
            const std::int16_t* const add = (*table_)[plane][bits].data();
            for (std::size_t n = 0; n < sum.size(); ++n)
                sum[n].add(Sixteen::load(add + Sixteen::size * n));
        }
        std::array<std::int16_t, units> sums;
        for (std::size_t n = 0; n < sum.size(); ++n) sum[n].store(&sums[Sixteen::size * n]);
        const float* const place = of_->place[place_of(x, y)].data();
        float* const out = &desk.first[framed_cell(x, y) * units];
        for (std::size_t n = 0; n < units; ++n)
            out[n] = std::max(0.0F, static_cast<float>(sums[n]) * (1.0F / unit) + place[n]);
    });
}

void Net::second_layer(const Rows& where, Desk& desk) const {
    constexpr std::size_t told = roles * traits;
    static_assert(traits == Eight::size);
    each_cell(where, [&](std::size_t x, std::size_t y) {
        const std::size_t cell = framed_cell(x, y);
        std::array<float, units> row;
        Many<units> spread;
        spread.fill(Eight::all(0));
        for (std::size_t at = 0; at < around; ++at) {
            const float* const from =
                &desk.first[(cell + framed * (at / 3) + at % 3 - framed - 1) * units];
            for (std::size_t n = 0; n < spread.size(); ++n)
                spread[n].add_product(Eight::load(from + Eight::size * n),
                                      Eight::load(&of_->spread[at][Eight::size * n]));
        }
        for (std::size_t n = 0; n < spread.size(); ++n) spread[n].store(&row[Eight::size * n]);
        Many<units> mixed = load<units>(of_->mixed_bias.data());
        add_product(row.data(), of_->mixed, mixed);
        for (std::size_t n = 0; n < mixed.size(); ++n) {
            mixed[n].cut_below_zero();
            mixed[n].store(&row[Eight::size * n]);
        }
        Many<told> out;
        out.fill(Eight::all(0));
        add_product(row.data(), of_->told, out);
        add_product(&desk.first[cell * units], of_->told_before, out);
        for (std::size_t role = 0; role < roles; ++role)
            out[role].store(&desk.found[(role * framed * framed + cell) * traits]);
    });
}

float Net::logit(const Sight& sight, Move move, const Desk& desk) const {
    const std::size_t round = std::min(sight.round, rounds - 1);
    const std::size_t kind = move.orientation().kind;
    const Touched& touched = all_touched[move.number / cells];
    const float* const from =
        &desk.found[(framed * (move.cell() / side) + move.cell() % side) * traits];
    Eight sums = Eight::load(of_->piece[kind].data());
    sums.add(Eight::load(of_->late[round].data()));
    for (std::size_t at = 0; at < touched.count; ++at) sums.add(Eight::load(from + touched.at[at]));
    Eight parts = Eight::all(0);
    parts.add_product(sums, Eight::load(of_->straight.data()));
    sums.cut_below_zero();
    parts.add_product(sums, Eight::load(of_->bent.data()));
    std::array<float, traits> part;
    parts.store(part.data());
    float result = of_->custom[round][kind];
    for (const float value : part) result += value;
    return result;
}

}  // namespace spielleiter::blokus
