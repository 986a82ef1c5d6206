/// @file
/// The weights of the network, in 2048ths, as training/blokus made them.
#include <array>
#include <cstdint>
#include <vector>

#include "net.hpp"

namespace spielleiter::blokus {

namespace {

constexpr float one = 2048.0F;

constexpr std::array<std::int16_t, Net::numbers> shipped{
#include "weights/policy.inc"
};

}  // namespace

const Net& Net::trained() {
    static const Net net = [] {
        std::vector<float> values;
        values.reserve(shipped.size());
        for (const std::int16_t weight : shipped)
            values.push_back(static_cast<float>(weight) / one);
        return Net(values);
    }();
    return net;
}

}  // namespace spielleiter::blokus
