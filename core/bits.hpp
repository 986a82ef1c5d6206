/// @file
/// Sets of cells as bits: `Bits<Words>` is a set of up to 64·Words cells, cell 0 in the lowest bit.
///
/// Every operation is unrolled over an index sequence, not written as a loop: g++ 12 with
/// -O3 -march=x86-64-v3 was seen to miscompile plain loops over four 64-bit words, and unrolled
/// code keeps small sets in registers.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace spielleiter {

/// Number of bits of each byte, in that byte.
constexpr std::uint64_t byte_counts(std::uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
    return (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
}

/// Number of bits of a word. Without the instruction `std::popcount` is a call into a library.
constexpr int popcount(std::uint64_t word) {
#if defined(__POPCNT__) || defined(__aarch64__) || defined(_M_ARM64)
    return std::popcount(word);
#else
    return static_cast<int>((byte_counts(word) * 0x0101010101010101ULL) >> 56);
#endif
}

/// Position of bit number `n` of a byte.
inline constexpr std::array<std::array<std::uint8_t, 256>, 8> nth_in_byte = [] {
    std::array<std::array<std::uint8_t, 256>, 8> table{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        std::size_t n = 0;
        for (std::uint8_t bit = 0; bit < 8; ++bit) {
            if ((byte >> bit) & 1U) table[n++][byte] = bit;
        }
    }
    return table;
}();

/// Position of bit number `n`, counted from 0 at the lowest; the word must have more than n bits.
/// Free of branches: on random draws every one of them would be predicted wrongly.
constexpr std::size_t nth_bit(std::uint64_t word, unsigned n) {
    // Sums of the bytes up to each byte; then count, all bytes at once, how many of them are ≤ n.
    const std::uint64_t sums = byte_counts(word) * 0x0101010101010101ULL;
    const std::uint64_t bound = n * 0x0101010101010101ULL | 0x8080808080808080ULL;
    const std::uint64_t full = ((bound - sums) & 0x8080808080808080ULL) >> 7;
    const auto byte = static_cast<unsigned>((full * 0x0101010101010101ULL) >> 56) * 8;
    const unsigned before = static_cast<unsigned>((sums << 8) >> byte) & 0xffU;
    return byte + nth_in_byte[n - before][(word >> byte) & 0xffU];
}

/// A fixed set of bits, unrolled word by word.
template <std::size_t Words>
struct Bits {
    std::array<std::uint64_t, Words> words{};  ///< cell 0 is the lowest bit of the first

    static constexpr std::size_t size = 64 * Words;  ///< cells there is room for

    /// The same cells.
    constexpr bool operator==(const Bits&) const = default;

    /// The set of a single cell.
    static constexpr Bits of(std::size_t cell) {
        Bits bits;
        bits.set(cell);
        return bits;
    }

    /// Whether the set has a cell.
    constexpr bool test(std::size_t cell) const { return (words[cell / 64] >> (cell % 64)) & 1U; }
    /// Adds a cell.
    constexpr void set(std::size_t cell) { words[cell / 64] |= std::uint64_t{1} << (cell % 64); }
    /// Removes a cell.
    constexpr void reset(std::size_t cell) {
        words[cell / 64] &= ~(std::uint64_t{1} << (cell % 64));
    }
    /// Adds a cell or removes it.
    constexpr void flip(std::size_t cell) { words[cell / 64] ^= std::uint64_t{1} << (cell % 64); }

    /// Whether there is a cell at all.
    constexpr bool any() const {
        return fold([this]<std::size_t... I>(std::index_sequence<I...>) {
                   return (words[I] | ...);
               }) != 0;
    }
    /// Whether there is no cell.
    constexpr bool none() const { return !any(); }
    /// How many cells there are.
    constexpr int count() const {
        return fold([this]<std::size_t... I>(std::index_sequence<I...>) {
            return (popcount(words[I]) + ...);
        });
    }

    /// The lowest cell; the set must not be empty.
    constexpr std::size_t first() const {
        std::size_t word = 0;
        while (words[word] == 0) ++word;
        return 64 * word + static_cast<std::size_t>(std::countr_zero(words[word]));
    }

    /// Cell number `n`, counted from 0 at the lowest; the set must have more than n cells.
    constexpr std::size_t nth(unsigned n) const {
        std::uint64_t word = words[0];
        std::size_t base = 0;
        auto here = static_cast<unsigned>(popcount(word));
        for (std::size_t next = 1; next < Words; ++next) {
            const bool beyond = n >= here;
            const auto there = static_cast<unsigned>(popcount(words[next]));
            n -= beyond ? here : 0U;
            word = beyond ? words[next] : word;
            base = beyond ? 64 * next : base;
            here = beyond ? there : ~0U;
        }
        return base + nth_bit(word, n);
    }

    /// Removes and returns the lowest cell; the set must not be empty.
    constexpr std::size_t pop() {
        std::size_t word = 0;
        while (words[word] == 0) ++word;
        const auto bit = static_cast<std::size_t>(std::countr_zero(words[word]));
        words[word] &= words[word] - 1;
        return 64 * word + bit;
    }

    /// Calls `visit(cell)` for each cell, lowest first.
    template <class Visit>
    constexpr void each(Visit&& visit) const {
        for (std::size_t word = 0; word < Words; ++word) {
            for (std::uint64_t rest = words[word]; rest != 0; rest &= rest - 1) {
                visit(64 * word + static_cast<std::size_t>(std::countr_zero(rest)));
            }
        }
    }

    /// The intersection.
    friend constexpr Bits operator&(const Bits& a, const Bits& b) {
        return zip([&](std::size_t i) { return a.words[i] & b.words[i]; });
    }
    /// The union.
    friend constexpr Bits operator|(const Bits& a, const Bits& b) {
        return zip([&](std::size_t i) { return a.words[i] | b.words[i]; });
    }
    /// The cells that only one has.
    friend constexpr Bits operator^(const Bits& a, const Bits& b) {
        return zip([&](std::size_t i) { return a.words[i] ^ b.words[i]; });
    }
    /// The cells of `a` that are not in `b`.
    friend constexpr Bits without(const Bits& a, const Bits& b) {
        return zip([&](std::size_t i) { return a.words[i] & ~b.words[i]; });
    }
    /// Keeps the common cells.
    constexpr Bits& operator&=(const Bits& other) { return *this = *this & other; }
    /// Adds the cells of the other.
    constexpr Bits& operator|=(const Bits& other) { return *this = *this | other; }
    /// Keeps the cells that only one has.
    constexpr Bits& operator^=(const Bits& other) { return *this = *this ^ other; }

    /// Every cell moved up by `Distance`; what leaves the set at the top is lost.
    template <std::size_t Distance>
    constexpr Bits up() const {
        constexpr std::size_t whole = Distance / 64;
        constexpr std::size_t part = Distance % 64;
        return zip([this](std::size_t i) -> std::uint64_t {
            if (i < whole) return 0;
            const std::uint64_t high = words[i - whole] << part;
            if constexpr (part == 0) return high;
            return i == whole ? high : high | (words[i - whole - 1] >> (64 - part) % 64);
        });
    }

    /// Every cell moved down by `Distance`; what leaves the set at the bottom is lost.
    template <std::size_t Distance>
    constexpr Bits down() const {
        constexpr std::size_t whole = Distance / 64;
        constexpr std::size_t part = Distance % 64;
        return zip([this](std::size_t i) -> std::uint64_t {
            if (i + whole >= Words) return 0;
            const std::uint64_t low = words[i + whole] >> part;
            if constexpr (part == 0) return low;
            return i + whole + 1 == Words ? low : low | (words[i + whole + 1] << (64 - part) % 64);
        });
    }

  private:
    template <class Body>
    static constexpr auto fold(Body&& body) {
        return body(std::make_index_sequence<Words>{});
    }
    template <class Word>
    static constexpr Bits zip(Word&& word) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return Bits{{word(I)...}};
        }(std::make_index_sequence<Words>{});
    }
};

}  // namespace spielleiter
