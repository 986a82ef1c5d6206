#include "forecast_network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace spielleiter::blokus {

namespace {

/// Numbers below zero become zero.
template <std::size_t Size>
std::array<float, Size> cut(Many<Size>& sums) {
    std::array<float, Size> row;
    for (std::size_t n = 0; n < sums.size(); ++n) {
        sums[n].cut_below_zero();
        sums[n].store(&row[simd::Floats::size * n]);
    }
    return row;
}

}  // namespace

ForecastNetwork::ForecastNetwork(std::span<const float> weights)
    : table_(std::make_unique<Table>()),
      begin_(std::make_unique<std::array<Begin, rounds>>()),
      of_(std::make_unique<Parameters>()) {
    if (weights.size() != numbers) throw UsageError("these are not the weights of this network");
    std::memcpy(of_.get(), weights.data(), sizeof(Parameters));
    tabulate(of_->seen, unit, *table_);
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t place = 0; place < places; ++place) {
            for (std::size_t n = 0; n < units; ++n)
                (*begin_)[round][place][n] =
                    rounded(of_->time[round][n] + of_->place[place][n], unit);
        }
    }
}

std::vector<float> ForecastNetwork::weights() const {
    std::vector<float> list(numbers);
    std::memcpy(list.data(), of_.get(), sizeof(Parameters));
    return list;
}

ForecastNetwork::End ForecastNetwork::end(const ForecastInput& input) const {
    const float sure = std::exp(of_->sure[std::min(input.round, rounds - 1)]);
    const float lead = static_cast<float>(input.lead) / points + gain(input, summed_up(input));
    return {1.0F / (1.0F + std::exp(-lead * sure)), points * lead};
}

ForecastNetwork::Sums ForecastNetwork::summed_up(const ForecastInput& input) const {
    const Columns<ForecastInput::levels, colours> columns(input.level);
    const Begin& begin = (*begin_)[std::min(input.round, rounds - 1)];
    std::array<simd::ShortSums, units / simd::Shorts::size> total;
    for (std::size_t y = 0; y < side; ++y) {
        const auto first = [&](std::size_t x) -> const auto& { return begin[place_of(x, y)]; };
        look_up_row(*table_, columns, y, first, [&](std::size_t, Shorts<units> found) {
            for (std::size_t n = 0; n < total.size(); ++n) {
                found[n].cut_below_zero();
                total[n].add(found[n]);
            }
        });
    }
    std::array<std::int32_t, units> whole;
    for (std::size_t n = 0; n < total.size(); ++n) total[n].store(&whole[simd::Shorts::size * n]);
    Sums sums;
    for (std::size_t n = 0; n < units; ++n) sums[n] = static_cast<float>(whole[n]) / (unit * board);
    return sums;
}

float ForecastNetwork::gain(const ForecastInput& input, const Sums& sums) const {
    const std::size_t round = std::min(input.round, rounds - 1);
    Many<hidden> first = load<hidden>(of_->late[round].data());
    add_product(sums.data(), of_->summed, first);
    for (std::size_t colour = 0; colour < colours; ++colour) {
        for (std::uint32_t rest = input.pieces[colour]; rest != 0; rest &= rest - 1) {
            const auto kind = static_cast<std::size_t>(std::countr_zero(rest));
            const float* const add = of_->piece[kinds * colour + kind].data();
            for (std::size_t n = 0; n < first.size(); ++n)
                first[n].add(simd::Floats::load(add + simd::Floats::size * n));
        }
    }
    Many<hidden> second = load<hidden>(of_->inner_bias.data());
    add_product(cut<hidden>(first).data(), of_->inner, second);
    const std::array<float, hidden> found = cut<hidden>(second);
    float sum = of_->gain_late[round];
    for (std::size_t n = 0; n < hidden; ++n) sum += found[n] * of_->gain[n];
    return sum;
}

}  // namespace spielleiter::blokus
