/// @file
/// The weights of the networks, in 2048ths, as training/blokus made them.
#include <array>
#include <cstdint>
#include <vector>

#include "forecast_network.hpp"
#include "policy_network.hpp"

namespace spielleiter::blokus {

namespace {

constexpr std::array<std::int16_t, PolicyNetwork::numbers> policy{
#include "weights/policy.inc"
};
constexpr std::array<std::int16_t, ForecastNetwork::numbers> forecast{
#include "weights/forecast.inc"
};

template <std::size_t Size>
std::vector<float> numbers_of(const std::array<std::int16_t, Size>& shipped) {
    constexpr float one = 2048.0F;
    std::vector<float> values;
    values.reserve(Size);
    for (const std::int16_t weight : shipped) values.push_back(static_cast<float>(weight) / one);
    return values;
}

}  // namespace

const PolicyNetwork& PolicyNetwork::trained() {
    static const PolicyNetwork net(numbers_of(policy));
    return net;
}

const ForecastNetwork& ForecastNetwork::trained() {
    static const ForecastNetwork network(numbers_of(forecast));
    return network;
}

}  // namespace spielleiter::blokus
