/// @file
/// Chance as an argument: the same seed gives the same numbers on every machine.
#pragma once

#include <cstdint>

namespace spielleiter {

/// One step of splitmix64 (Steele, Lea, Flood 2014): a bijection that mixes all 64 bits.
constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/// The splitmix64 generator: small, fast, and easy to write again in plain Python.
class Random {
  public:
    /// Any seed will do, also 0.
    explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

    /// An independent generator for part `index` of the work of `seed`.
    static constexpr Random stream(std::uint64_t seed, std::uint64_t index) {
        return Random(mix(seed + 0x9e3779b97f4a7c15ULL) ^ mix(index + 0xd1b54a32d192ed03ULL));
    }

    /// 64 random bits.
    constexpr std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15ULL); }

    /// Uniform in 0 … bound − 1, without bias (Lemire 2019, on the upper 32 bits); bound ≥ 1.
    constexpr std::uint32_t below(std::uint32_t bound) {
        std::uint64_t product = (next() >> 32) * bound;
        if (static_cast<std::uint32_t>(product) < bound) [[unlikely]] {
            const std::uint32_t refuse = (0U - bound) % bound;
            while (static_cast<std::uint32_t>(product) < refuse) product = (next() >> 32) * bound;
        }
        return static_cast<std::uint32_t>(product >> 32);
    }

  private:
    std::uint64_t state_;
};

}  // namespace spielleiter
