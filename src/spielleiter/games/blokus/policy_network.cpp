#include "policy_network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "layers.hpp"

namespace spielleiter::blokus {

namespace {

/// The entries of `Workspace::found` that a piece sums up, from the framed cell of its upper left
/// corner less one row and one column.
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
            (as * framed * framed + framed * (at / wide) + at % wide) * PolicyNetwork::traits);
    }
    return made;
}

std::array<Touched, orientations> list_touched() noexcept {
    std::array<Touched, orientations> list{};
    for (std::size_t at = 0; at < orientations; ++at) list[at] = touched(all_orientations[at]);
    return list;
}
const std::array<Touched, orientations> all_touched = list_touched();

template <class Do>
void each_cell(const Rows& rows, Do&& act) {
    for (std::size_t y = 0; y < side; ++y) {
        for (std::uint32_t rest = rows[y]; rest != 0; rest &= rest - 1)
            act(static_cast<std::size_t>(std::countr_zero(rest)), y);
    }
}

template <std::size_t Units, std::size_t Count>
std::array<const std::int16_t*, Count> begins(
    const std::array<std::array<std::int16_t, Units>, Count>& rows) {
    std::array<const std::int16_t*, Count> made;
    for (std::size_t at = 0; at < Count; ++at) made[at] = rows[at].data();
    return made;
}

}  // namespace

PolicyNetwork::PolicyNetwork(std::span<const float> weights)
    : table_(std::make_unique<Table>()),
      begin_(std::make_unique<std::array<Begin, rounds>>()),
      whole_(std::make_unique<Whole>()),
      of_(std::make_unique<Parameters>()) {
    if (weights.size() != numbers) throw UsageError("these are not the weights of this network");
    std::memcpy(of_.get(), weights.data(), sizeof(Parameters));
    tabulate(of_->seen, unit, *table_);
    for (std::size_t n = 0; n < units; ++n) {
        for (std::size_t round = 0; round < rounds; ++round) {
            for (std::size_t place = 0; place < places; ++place)
                (*begin_)[round][place][n] =
                    rounded(of_->time[round][n] + of_->place[place][n], unit);
        }
        for (std::size_t at = 0; at < around; ++at)
            whole_->spread[at][n] = rounded(of_->spread[at][n], 32768.0F * wide / unit);
        whole_->mixed_bias[n] =  // and a half, since sums are rounded down
            static_cast<std::int32_t>(std::lround((of_->mixed_bias[n] * inner + 0.5F) * fine));
    }
    pair_up(of_->mixed, fine * inner / wide, whole_->mixed);
    pair_up(of_->told, finest / inner, whole_->told);
    pair_up(of_->told_before, finest / unit, whole_->told_before);
}

std::vector<float> PolicyNetwork::weights() const {
    std::vector<float> list(numbers);
    std::memcpy(list.data(), of_.get(), sizeof(Parameters));
    return list;
}

void PolicyNetwork::look(const PolicyInput& input, const Rows& covered,
                         Workspace& workspace) const {
    const Rows touched = wider(covered);
    first_layer(input, wider(touched), workspace);
    second_layer(touched, workspace);
}

void PolicyNetwork::first_layer(const PolicyInput& input, const Rows& where,
                                Workspace& workspace) const {
    const Columns<PolicyInput::levels, colours> columns(input.level);
    const Begin& now = (*begin_)[std::min(input.round, rounds - 1)];
    for (std::size_t y = 0; y < side; ++y) {
        if (where[y] == 0) continue;
        const auto first = [&](std::size_t x) -> const auto& { return now[place_of(x, y)]; };
        look_up_row(*table_, columns, y, first, [&](std::size_t x, Shorts<units> found) {
            std::int16_t* const out = &workspace.first[framed_cell(x, y) * units];
            for (std::size_t n = 0; n < found.size(); ++n) {
                found[n].cut_below_zero();
                found[n].store(out + simd::Shorts::size * n);
            }
        });
    }
}

void PolicyNetwork::second_layer(const Rows& where, Workspace& workspace) const {
    Group group;
    std::size_t count = 0;
    each_cell(where, [&](std::size_t x, std::size_t y) {
        group[count++] = framed_cell(x, y);
        if (count == group.size()) second_layer(group, workspace), count = 0;
    });
    if (count == 0) return;
    std::fill(group.begin() + static_cast<std::ptrdiff_t>(count), group.end(), group[0]);
    second_layer(group, workspace);
}

void PolicyNetwork::second_layer(const Group& cells, Workspace& workspace) const {
    constexpr std::size_t told = roles * traits;
    static_assert(traits == simd::Ints::size);
    const Said said = mix_around(cells, workspace);
    std::array<const std::int16_t*, together> before;
    for (std::size_t at = 0; at < together; ++at) before[at] = &workspace.first[cells[at] * units];
    std::array<Wholes<told>, together> out{};
    add_products<units, told>(begins(said), whole_->told, out);
    add_products<units, told>(before, whole_->told_before, out);
    for (std::size_t at = 0; at < together; ++at) {
        for (std::size_t role = 0; role < roles; ++role) {
            std::array<std::int32_t, traits> numbers;
            out[at][role].store(numbers.data());
            float* const found = &workspace.found[(role * framed * framed + cells[at]) * traits];
            for (std::size_t n = 0; n < traits; ++n)
                found[n] = static_cast<float>(numbers[n]) * (1.0F / finest);
        }
    }
}

PolicyNetwork::Said PolicyNetwork::mix_around(const Group& cells,
                                              const Workspace& workspace) const {
    Said rows;
    std::array<Wholes<units>, together> mixed;
    for (std::size_t at = 0; at < together; ++at) {
        const auto spread = spread_around(workspace.first.data(), cells[at], whole_->spread);
        for (std::size_t n = 0; n < spread.size(); ++n)
            spread[n].store(&rows[at][simd::Shorts::size * n]);
        for (std::size_t n = 0; n < mixed[at].size(); ++n)
            mixed[at][n] = simd::Ints::load(&whole_->mixed_bias[simd::Ints::size * n]);
    }
    add_products<units, units>(begins(rows), whole_->mixed, mixed);
    for (std::size_t at = 0; at < together; ++at) {
        std::array<std::int32_t, units> sums;
        for (std::size_t n = 0; n < mixed[at].size(); ++n)
            mixed[at][n].store(&sums[simd::Ints::size * n]);
        for (std::size_t n = 0; n < units; ++n)
            rows[at][n] = static_cast<std::int16_t>(std::clamp(sums[n] >> fine_bits, 0, 8191));
    }
    return rows;
}

float PolicyNetwork::logit(const PolicyInput& input, Move move, const Workspace& workspace) const {
    const std::size_t round = std::min(input.round, rounds - 1);
    const std::size_t kind = move.orientation().kind;
    const Touched& touched = all_touched[move.number / cells];
    const float* const from =
        &workspace.found[(framed * (move.cell() / side) + move.cell() % side) * traits];
    simd::Floats sums = simd::Floats::load(of_->piece[kind].data());
    sums.add(simd::Floats::load(of_->late[round].data()));
    for (std::size_t at = 0; at < touched.count; ++at)
        sums.add(simd::Floats::load(from + touched.at[at]));
    simd::Floats parts = simd::Floats::all(0);
    parts.add_product(sums, simd::Floats::load(of_->straight.data()));
    sums.cut_below_zero();
    parts.add_product(sums, simd::Floats::load(of_->bent.data()));
    std::array<float, traits> part;
    parts.store(part.data());
    float result = of_->custom[round][kind];
    for (const float value : part) result += value;
    return result;
}

}  // namespace spielleiter::blokus
