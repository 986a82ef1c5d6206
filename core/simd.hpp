/// @file
/// Several numbers at once: the only file that knows an instruction set.
///
/// The same types exist once for each instruction set and once in plain C++, the portable twin. All
/// of them give the same bits (core/tests/simd.cpp compares them), so every build plays the same
/// game. `spielleiter::simd` offers the best that the compiler may use.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bits.hpp"
#include "force_inline.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

/// Vectors of numbers, as wide as the processor has them.
namespace spielleiter::simd {

/// A lane of `Words`.
using Word = std::uint64_t;

/// Plain C++: for processors without vectors, and the judge of the others.
namespace portable {

/// Eight floats.
struct Floats {
    static constexpr std::size_t size = 8;  ///< lanes
    /// Reads eight numbers, at any address.
    static Floats load(const float* from) {
        Floats made;
        std::copy_n(from, size, made.lanes.begin());
        return made;
    }
    /// The same number in every lane.
    static Floats all(float value) {
        Floats made;
        made.lanes.fill(value);
        return made;
    }
    /// Writes the lanes, to any address.
    void store(float* to) const { std::copy_n(lanes.begin(), size, to); }
    /// Adds lane by lane.
    void add(Floats other) {
        for (std::size_t n = 0; n < size; ++n) lanes[n] += other.lanes[n];
    }
    /// Adds the products; each is rounded before it is added, on every machine.
    void add_product(Floats a, Floats b) {
        for (std::size_t n = 0; n < size; ++n) {
            const float product = a.lanes[n] * b.lanes[n];
            lanes[n] += product;
        }
    }
    /// Rectifies: negative lanes become 0.
    void cut_below_zero() {
        for (float& lane : lanes) lane = lane > 0.0F ? lane : 0.0F;
    }

    std::array<float, size> lanes;  ///< all of them
};

/// Sixteen 16-bit integers, which wrap around.
struct Shorts {
    static constexpr std::size_t size = 16;  ///< lanes
    /// Reads sixteen numbers, at any address.
    static Shorts load(const std::int16_t* from) {
        Shorts made;
        std::copy_n(from, size, made.lanes.begin());
        return made;
    }
    /// Reads sixteen signed bytes, at any address.
    static Shorts load(const std::int8_t* from) {
        Shorts made;
        std::copy_n(from, size, made.lanes.begin());
        return made;
    }
    /// Writes the lanes, to any address.
    void store(std::int16_t* to) const { std::copy_n(lanes.begin(), size, to); }
    /// The same number in every lane.
    static Shorts all(std::int16_t value) {
        Shorts made;
        made.lanes.fill(value);
        return made;
    }
    /// Two numbers in turn.
    static Shorts pairs(const std::int16_t* two) {
        Shorts made;
        for (std::size_t n = 0; n < size; ++n) made.lanes[n] = two[n % 2];
        return made;
    }
    /// Adds lane by lane.
    void add(Shorts other) {
        for (std::size_t n = 0; n < size; ++n)
            lanes[n] = static_cast<std::int16_t>(lanes[n] + other.lanes[n]);
    }
    /// Adds the 32768th part of the products, rounded; no factor is −32768.
    void add_part_of_product(Shorts a, Shorts b) {
        for (std::size_t n = 0; n < size; ++n) {
            const int part = (a.lanes[n] * b.lanes[n] + (1 << 14)) >> 15;
            lanes[n] = static_cast<std::int16_t>(lanes[n] + part);
        }
    }
    /// Rectifies: negative lanes become 0.
    void cut_below_zero() {
        for (std::int16_t& lane : lanes) lane = std::max<std::int16_t>(lane, 0);
    }

    std::array<std::int16_t, size> lanes;  ///< all of them
};

/// Eight 32-bit integers, which sum up products of shorts, two by two.
struct Ints {
    static constexpr std::size_t size = 8;      ///< lanes
    static constexpr std::size_t together = 1;  ///< sums of so many rows fit into registers
    /// Reads eight numbers, at any address.
    static Ints load(const std::int32_t* from) {
        Ints made;
        std::copy_n(from, size, made.lanes.begin());
        return made;
    }
    /// Writes the lanes, to any address.
    void store(std::int32_t* to) const { std::copy_n(lanes.begin(), size, to); }
    /// Adds to lane n the products of lanes 2n and 2n + 1.
    void add_products(Shorts a, Shorts b) {
        for (std::size_t n = 0; n < size; ++n)
            lanes[n] += a.lanes[2 * n] * b.lanes[2 * n] + a.lanes[2 * n + 1] * b.lanes[2 * n + 1];
    }
    /// All lanes together.
    std::int32_t sum() const {
        std::int32_t all = 0;
        for (const std::int32_t lane : lanes) all += lane;
        return all;
    }

    std::array<std::int32_t, size> lanes;  ///< all of them
};

/// Sums of many `Shorts` that are not negative, in 32 bits.
struct ShortSums {
    /// Adds lane by lane.
    void add(Shorts more) {
        std::array<std::int16_t, Shorts::size> parts;
        more.store(parts.data());
        for (std::size_t n = 0; n < parts.size(); ++n) lanes[n] += parts[n];
    }
    /// Writes the lanes, to any address.
    void store(std::int32_t* to) const { std::copy_n(lanes.begin(), lanes.size(), to); }

    std::array<std::int32_t, Shorts::size> lanes{};  ///< all of them
};

/// Four 64-bit words.
class Words {
  public:
    /// Whether all four lanes are worked on at once.
    static constexpr bool in_one_register = false;

    /// A set of 256 bits, its lowest word in lane 0.
    explicit Words(const Bits<4>& set) : all_(set) {}
    /// Lane by lane.
    Words(Word a, Word b, Word c, Word d) : all_{{a, b, c, d}} {}
    /// The same word in every lane.
    static Words each(Word word) { return {word, word, word, word}; }

    /// The intersection.
    friend Words operator&(const Words& a, const Words& b) { return Words(a.all_ & b.all_); }
    /// The union.
    friend Words operator|(const Words& a, const Words& b) { return Words(a.all_ | b.all_); }
    /// Adds the bits of the other.
    Words& operator|=(const Words& other) { return *this = *this | other; }
    /// Keeps the common bits.
    Words& operator&=(const Words& other) { return *this = *this & other; }

    /// The bits of `a` that are not in `b`.
    friend Words without(const Words& a, const Words& b) { return Words(without(a.all_, b.all_)); }
    /// The lowest bit of each lane.
    Words lowest() const {
        return each_lane([](Word word) { return word & (0 - word); });
    }
    /// All bits below the only bit of a lane; nothing if the lane is empty.
    Words below() const {
        return each_lane([](Word word) { return word - static_cast<Word>(word != 0); });
    }
    /// All bits of the lanes that are empty.
    Words where_empty() const {
        return each_lane([](Word word) { return 0 - static_cast<Word>(word == 0); });
    }

    /// Every lane shifted towards higher bits, each by its own distance.
    template <std::size_t A, std::size_t B, std::size_t C, std::size_t D>
    Words left() const {
        const auto& w = all_.words;
        return {w[0] << A, w[1] << B, w[2] << C, w[3] << D};
    }
    /// The same, towards lower bits.
    template <std::size_t A, std::size_t B, std::size_t C, std::size_t D>
    Words right() const {
        const auto& w = all_.words;
        return {w[0] >> A, w[1] >> B, w[2] >> C, w[3] >> D};
    }

    /// All 256 bits moved as one set; what leaves it is lost.
    template <std::size_t Distance>
    Words up() const {
        return Words(all_.template up<Distance>());
    }
    /// The same, towards lower bits.
    template <std::size_t Distance>
    Words down() const {
        return Words(all_.template down<Distance>());
    }

    /// A set of rows of 16 bits moved up by whole rows, eight at most, and along them by cells.
    /// What leaves its row may be lost or not: the caller masks it off.
    template <std::size_t Rows, int Cells>
    Words rows_up() const {
        constexpr int distance = 16 * static_cast<int>(Rows) + Cells;
        if constexpr (distance < 0) {
            return down<static_cast<std::size_t>(-distance)>();
        } else {
            return up<static_cast<std::size_t>(distance)>();
        }
    }
    /// The same, down by whole rows.
    template <std::size_t Rows, int Cells>
    Words rows_down() const {
        constexpr int distance = 16 * static_cast<int>(Rows) - Cells;
        if constexpr (distance < 0) {
            return up<static_cast<std::size_t>(-distance)>();
        } else {
            return down<static_cast<std::size_t>(distance)>();
        }
    }

    /// The four lanes as a set of 256 bits.
    Bits<4> set() const { return all_; }
    /// The union of the four lanes.
    Word merged() const {
        const auto& w = all_.words;
        return (w[0] | w[1]) | (w[2] | w[3]);
    }

  private:
    template <class Body>
    Words each_lane(Body&& body) const {
        const auto& w = all_.words;
        return {body(w[0]), body(w[1]), body(w[2]), body(w[3])};
    }

    Bits<4> all_;
};

/// Bit i for word i that is not zero; without a branch that could be predicted wrongly.
inline std::uint64_t nonzero(const std::array<std::uint32_t, 64>& words) {
    std::uint64_t found = 0;
    for (std::size_t at = 0; at < words.size(); ++at) found |= std::uint64_t{words[at] != 0} << at;
    return found;
}

/// Eight bits as eight bytes, 0 or 1.
inline constexpr auto bytes_of_bits = [] {
    std::array<std::array<std::uint8_t, 8>, 256> table{};
    for (std::size_t bits = 0; bits < 256; ++bits) {
        for (std::size_t i = 0; i < 8; ++i) table[bits][i] = bits >> i & 1U;
    }
    return table;
}();

/// How many bytes `write_as_bytes` writes.
template <std::size_t Stride>
inline constexpr std::size_t bytes_written = (8 * Stride + 31) / 32 * 32;

/// Writes the bits of a word as bytes, 0 or 1: eight rows of eight, `Stride` bytes from row to row.
/// What lies between the rows, and behind them up to `bytes_written`, becomes 0.
template <std::size_t Stride>
SPIELLEITER_FORCE_INLINE void write_as_bytes(Word bits, std::uint8_t* to) {
    if constexpr (Stride > 8) std::memset(to, 0, bytes_written<Stride>);
    for (std::size_t row = 0; row < 8; ++row, bits >>= 8U)
        std::memcpy(to + Stride * row, bytes_of_bits[bits & 0xffU].data(), 8);
}

/// Writes the eight bytes of a word, the lowest first, as numbers of 16 bits.
inline void write_as_shorts(Word bytes, std::uint16_t* to) {
    for (std::size_t at = 0; at < 8; ++at, bytes >>= 8U)
        to[at] = static_cast<std::uint16_t>(bytes & 0xffU);
}

}  // namespace portable

#if defined(__AVX2__)
/// 256 bits at once.
namespace avx2 {

/// Eight floats.
struct Floats {
    static constexpr std::size_t size = 8;  ///< lanes
    /// Reads eight numbers, at any address.
    static Floats load(const float* from) { return {_mm256_loadu_ps(from)}; }
    /// The same number in every lane.
    static Floats all(float value) { return {_mm256_set1_ps(value)}; }
    /// Writes the lanes, to any address.
    void store(float* to) const { _mm256_storeu_ps(to, lanes); }
    /// Adds lane by lane.
    void add(Floats other) { lanes = _mm256_add_ps(lanes, other.lanes); }
    /// Adds the products; each is rounded before it is added, on every machine.
    void add_product(Floats a, Floats b) {
        lanes = _mm256_add_ps(lanes, _mm256_mul_ps(a.lanes, b.lanes));
    }
    /// Rectifies: negative lanes become 0.
    void cut_below_zero() { lanes = _mm256_max_ps(lanes, _mm256_setzero_ps()); }

    __m256 lanes;  ///< all of them
};

/// Sixteen 16-bit integers, which wrap around.
struct Shorts {
    static constexpr std::size_t size = 16;  ///< lanes
    /// Reads sixteen numbers, at any address.
    static Shorts load(const std::int16_t* from) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
    }
    /// Reads sixteen signed bytes, at any address.
    static Shorts load(const std::int8_t* from) {
        return {_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)))};
    }
    /// Writes the lanes, to any address.
    void store(std::int16_t* to) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), lanes);
    }
    /// The same number in every lane.
    static Shorts all(std::int16_t value) { return {_mm256_set1_epi16(value)}; }
    /// Two numbers in turn.
    static Shorts pairs(const std::int16_t* two) {
        std::int32_t both;
        std::memcpy(&both, two, sizeof both);
        return {_mm256_set1_epi32(both)};
    }
    /// Adds lane by lane.
    void add(Shorts other) { lanes = _mm256_add_epi16(lanes, other.lanes); }
    /// Adds the 32768th part of the products, rounded; no factor is −32768.
    void add_part_of_product(Shorts a, Shorts b) {
        lanes = _mm256_add_epi16(lanes, _mm256_mulhrs_epi16(a.lanes, b.lanes));
    }
    /// Rectifies: negative lanes become 0.
    void cut_below_zero() { lanes = _mm256_max_epi16(lanes, _mm256_setzero_si256()); }

    __m256i lanes;  ///< all of them
};

/// Eight 32-bit integers, which sum up products of shorts, two by two.
struct Ints {
    static constexpr std::size_t size = 8;      ///< lanes
    static constexpr std::size_t together = 2;  ///< sums of so many rows fit into registers
    /// Reads eight numbers, at any address.
    static Ints load(const std::int32_t* from) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
    }
    /// Writes the lanes, to any address.
    void store(std::int32_t* to) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), lanes);
    }
    /// Adds to lane n the products of lanes 2n and 2n + 1.
    void add_products(Shorts a, Shorts b) {
        lanes = _mm256_add_epi32(lanes, _mm256_madd_epi16(a.lanes, b.lanes));
    }
    /// All lanes together.
    std::int32_t sum() const {
        const __m128i halves =
            _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
        const __m128i quarters = _mm_add_epi32(halves, _mm_shuffle_epi32(halves, 0x4e));
        return _mm_cvtsi128_si32(_mm_add_epi32(quarters, _mm_shuffle_epi32(quarters, 0xb1)));
    }

    __m256i lanes;  ///< all of them
};

/// Sums of many `Shorts` that are not negative, in 32 bits.
struct ShortSums {
    /// Adds lane by lane.
    void add(Shorts more) {
        const __m256i zero = _mm256_setzero_si256();
        low = _mm256_add_epi32(low, _mm256_unpacklo_epi16(more.lanes, zero));
        high = _mm256_add_epi32(high, _mm256_unpackhi_epi16(more.lanes, zero));
    }
    /// Writes the lanes, to any address.
    void store(std::int32_t* to) const {
        const auto place = [&](std::size_t at) { return reinterpret_cast<__m128i*>(to + at); };
        _mm_storeu_si128(place(0), _mm256_castsi256_si128(low));
        _mm_storeu_si128(place(4), _mm256_castsi256_si128(high));
        _mm_storeu_si128(place(8), _mm256_extracti128_si256(low, 1));
        _mm_storeu_si128(place(12), _mm256_extracti128_si256(high, 1));
    }

    __m256i low = _mm256_setzero_si256();   ///< lanes 0 to 3 and 8 to 11
    __m256i high = _mm256_setzero_si256();  ///< the others
};

/// Four 64-bit words.
class Words {
  public:
    /// Whether all four lanes are worked on at once.
    static constexpr bool in_one_register = true;

    /// A set of 256 bits, its lowest word in lane 0.
    explicit Words(const Bits<4>& set)
        : all_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(set.words.data()))) {}
    /// Lane by lane.
    Words(Word a, Word b, Word c, Word d)
        : all_(_mm256_setr_epi64x(static_cast<long long>(a), static_cast<long long>(b),
                                  static_cast<long long>(c), static_cast<long long>(d))) {}
    /// The same word in every lane.
    static Words each(Word word) { return _mm256_set1_epi64x(static_cast<long long>(word)); }

    /// The intersection.
    friend Words operator&(Words a, Words b) { return _mm256_and_si256(a.all_, b.all_); }
    /// The union.
    friend Words operator|(Words a, Words b) { return _mm256_or_si256(a.all_, b.all_); }
    /// Adds the bits of the other.
    Words& operator|=(Words other) { return *this = *this | other; }
    /// Keeps the common bits.
    Words& operator&=(Words other) { return *this = *this & other; }

    /// The bits of `a` that are not in `b`.
    friend Words without(Words a, Words b) { return _mm256_andnot_si256(b.all_, a.all_); }
    /// The lowest bit of each lane.
    Words lowest() const {
        return _mm256_and_si256(all_, _mm256_sub_epi64(_mm256_setzero_si256(), all_));
    }
    /// All bits below the only bit of a lane; nothing if the lane is empty.
    Words below() const {
        const __m256i empty = _mm256_cmpeq_epi64(all_, _mm256_setzero_si256());
        return _mm256_andnot_si256(empty, _mm256_sub_epi64(all_, _mm256_set1_epi64x(1)));
    }
    /// All bits of the lanes that are empty.
    Words where_empty() const { return _mm256_cmpeq_epi64(all_, _mm256_setzero_si256()); }

    /// Every lane shifted towards higher bits, each by its own distance.
    template <std::size_t A, std::size_t B, std::size_t C, std::size_t D>
    Words left() const {
        return _mm256_sllv_epi64(all_, _mm256_setr_epi64x(A, B, C, D));
    }
    /// The same, towards lower bits.
    template <std::size_t A, std::size_t B, std::size_t C, std::size_t D>
    Words right() const {
        return _mm256_srlv_epi64(all_, _mm256_setr_epi64x(A, B, C, D));
    }

    /// All 256 bits moved as one set; what leaves it is lost.
    template <std::size_t Distance>
    Words up() const {
        if constexpr (Distance >= 64) {
            return Words(next_lane_up(all_)).template up<Distance - 64>();
        } else if constexpr (Distance == 0) {
            return *this;
        } else {
            return _mm256_or_si256(_mm256_slli_epi64(all_, Distance),
                                   _mm256_srli_epi64(next_lane_up(all_), 64 - Distance));
        }
    }
    /// The same, towards lower bits.
    template <std::size_t Distance>
    Words down() const {
        if constexpr (Distance >= 64) {
            return Words(next_lane_down(all_)).template down<Distance - 64>();
        } else if constexpr (Distance == 0) {
            return *this;
        } else {
            return _mm256_or_si256(_mm256_srli_epi64(all_, Distance),
                                   _mm256_slli_epi64(next_lane_down(all_), 64 - Distance));
        }
    }

    /// A set of rows of 16 bits moved up by whole rows, eight at most, and along them by cells.
    /// What leaves its row may be lost or not: the caller masks it off.
    template <std::size_t Rows, int Cells>
    Words rows_up() const {
        return along<Cells>(lines_up<Rows>(all_));
    }
    /// The same, down by whole rows.
    template <std::size_t Rows, int Cells>
    Words rows_down() const {
        return along<Cells>(lines_down<Rows>(all_));
    }

    /// The four lanes as a set of 256 bits.
    Bits<4> set() const {
        Bits<4> set;
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(set.words.data()), all_);
        return set;
    }
    /// The union of the four lanes.
    Word merged() const {
        const __m128i two =
            _mm_or_si128(_mm256_castsi256_si128(all_), _mm256_extracti128_si256(all_, 1));
        return static_cast<Word>(_mm_cvtsi128_si64(two)) |
               static_cast<Word>(_mm_extract_epi64(two, 1));
    }

  private:
    Words(__m256i all) : all_(all) {}  // NOLINT(google-explicit-constructor)

    static __m256i next_lane_up(__m256i all) {
        return _mm256_blend_epi32(_mm256_permute4x64_epi64(all, 0x90), _mm256_setzero_si256(), 3);
    }
    static __m256i next_lane_down(__m256i all) {
        return _mm256_blend_epi32(_mm256_permute4x64_epi64(all, 0xf9), _mm256_setzero_si256(),
                                  0xc0);
    }

    template <std::size_t Rows>
    static __m256i lines_up(__m256i all) {
        static_assert(Rows <= 8);
        if constexpr (Rows == 0) {
            return all;
        } else {
            const __m256i half = _mm256_permute2x128_si256(all, all, 0x08);
            if constexpr (Rows == 8) {
                return half;
            } else {
                return _mm256_alignr_epi8(all, half, 16 - 2 * static_cast<int>(Rows));
            }
        }
    }
    template <std::size_t Rows>
    static __m256i lines_down(__m256i all) {
        static_assert(Rows <= 8);
        if constexpr (Rows == 0) {
            return all;
        } else {
            const __m256i half = _mm256_permute2x128_si256(all, all, 0x81);
            if constexpr (Rows == 8) {
                return half;
            } else {
                return _mm256_alignr_epi8(half, all, 2 * static_cast<int>(Rows));
            }
        }
    }
    template <int Cells>
    static __m256i along(__m256i all) {
        if constexpr (Cells > 0) {
            return _mm256_slli_epi16(all, Cells);
        } else if constexpr (Cells < 0) {
            return _mm256_srli_epi16(all, -Cells);
        } else {
            return all;
        }
    }

    __m256i all_;
};

/// Bit i for word i that is not zero; without a branch that could be predicted wrongly.
inline std::uint64_t nonzero(const std::array<std::uint32_t, 64>& words) {
    std::uint64_t found = 0;
    for (std::size_t at = 0; at < words.size(); at += 8) {
        const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&words[at]));
        const __m256i empty = _mm256_cmpeq_epi32(eight, _mm256_setzero_si256());
        const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(empty)));
        found |= std::uint64_t{~mask & 0xffU} << at;
    }
    return found;
}

/// For every byte that `write_as_bytes` writes: which byte of the word it shows, and the bit.
template <std::size_t Stride>
struct RowsOfBytes {
    static constexpr std::size_t size = portable::bytes_written<Stride>;  ///< bytes
    alignas(32) std::array<std::uint8_t, size> row{};                     ///< 0x80: it is blank
    alignas(32) std::array<std::uint8_t, size> bit{};                     ///< the only one

    constexpr RowsOfBytes() {
        for (std::size_t at = 0; at < size; ++at) {
            const bool is_cell = at / Stride < 8 && at % Stride < 8;
            row[at] = static_cast<std::uint8_t>(is_cell ? at / Stride : 0x80U);
            bit[at] = static_cast<std::uint8_t>(is_cell ? 1U << (at % Stride) : 0U);
        }
    }
};

/// The table of a stride.
template <std::size_t Stride>
inline constexpr RowsOfBytes<Stride> rows_of_bytes;

/// Writes the bits of a word as bytes, 0 or 1: eight rows of eight, `Stride` bytes from row to row.
/// What lies between the rows, and behind them up to `bytes_written`, becomes 0.
template <std::size_t Stride>
SPIELLEITER_FORCE_INLINE void write_as_bytes(Word bits, std::uint8_t* to) {
    const __m256i word = _mm256_set1_epi64x(static_cast<long long>(bits));
    const auto part = [](const std::uint8_t* from) {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
    };
    for (std::size_t at = 0; at < rows_of_bytes<Stride>.size; at += 32) {
        const __m256i row = _mm256_shuffle_epi8(word, part(&rows_of_bytes<Stride>.row[at]));
        const __m256i cells = _mm256_and_si256(row, part(&rows_of_bytes<Stride>.bit[at]));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at),
                            _mm256_min_epu8(cells, _mm256_set1_epi8(1)));
    }
}

/// Writes the eight bytes of a word, the lowest first, as numbers of 16 bits.
SPIELLEITER_FORCE_INLINE void write_as_shorts(Word bytes, std::uint16_t* to) {
    const __m128i eight = _mm_cvtsi64_si128(static_cast<long long>(bytes));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_cvtepu8_epi16(eight));
}

}  // namespace avx2
#elif defined(__SSE2__) || defined(_M_X64)
/// 128 bits at once; what gains nothing by that is the portable twin's.
namespace sse2 {

/// Eight floats.
struct Floats {
    static constexpr std::size_t size = 8;  ///< lanes
    /// Reads eight numbers, at any address.
    static Floats load(const float* from) { return {_mm_loadu_ps(from), _mm_loadu_ps(from + 4)}; }
    /// The same number in every lane.
    static Floats all(float value) { return {_mm_set1_ps(value), _mm_set1_ps(value)}; }
    /// Writes the lanes, to any address.
    void store(float* to) const {
        _mm_storeu_ps(to, low);
        _mm_storeu_ps(to + 4, high);
    }
    /// Adds lane by lane.
    void add(Floats other) {
        low = _mm_add_ps(low, other.low);
        high = _mm_add_ps(high, other.high);
    }
    /// Adds the products; each is rounded before it is added, on every machine.
    void add_product(Floats a, Floats b) {
        low = _mm_add_ps(low, _mm_mul_ps(a.low, b.low));
        high = _mm_add_ps(high, _mm_mul_ps(a.high, b.high));
    }
    /// Rectifies: negative lanes become 0.
    void cut_below_zero() {
        low = _mm_max_ps(low, _mm_setzero_ps());
        high = _mm_max_ps(high, _mm_setzero_ps());
    }

    __m128 low;   ///< the first half
    __m128 high;  ///< the second half
};

/// Sixteen 16-bit integers, which wrap around.
struct Shorts {
    static constexpr std::size_t size = 16;  ///< lanes
    /// Reads sixteen numbers, at any address.
    static Shorts load(const std::int16_t* from) {
        const auto half = [&](std::size_t at) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
        };
        return {half(0), half(8)};
    }
    /// Reads sixteen signed bytes, at any address.
    static Shorts load(const std::int8_t* from) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        return {_mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8),
                _mm_srai_epi16(_mm_unpackhi_epi8(bytes, bytes), 8)};
    }
    /// Writes the lanes, to any address.
    void store(std::int16_t* to) const {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), low);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 8), high);
    }
    /// The same number in every lane.
    static Shorts all(std::int16_t value) { return {_mm_set1_epi16(value), _mm_set1_epi16(value)}; }
    /// Two numbers in turn.
    static Shorts pairs(const std::int16_t* two) {
        std::int32_t both;
        std::memcpy(&both, two, sizeof both);
        return {_mm_set1_epi32(both), _mm_set1_epi32(both)};
    }
    /// Adds lane by lane.
    void add(Shorts other) {
        low = _mm_add_epi16(low, other.low);
        high = _mm_add_epi16(high, other.high);
    }
    /// Adds the 32768th part of the products, rounded; no factor is −32768.
    void add_part_of_product(Shorts a, Shorts b) {
        const auto part = [](__m128i one, __m128i other) {
            const __m128i below = _mm_mullo_epi16(one, other);
            const __m128i above = _mm_mulhi_epi16(one, other);
            const auto rounded = [](__m128i product) {
                return _mm_srai_epi32(_mm_add_epi32(product, _mm_set1_epi32(1 << 14)), 15);
            };
            return _mm_packs_epi32(rounded(_mm_unpacklo_epi16(below, above)),
                                   rounded(_mm_unpackhi_epi16(below, above)));
        };
        low = _mm_add_epi16(low, part(a.low, b.low));
        high = _mm_add_epi16(high, part(a.high, b.high));
    }
    /// Rectifies: negative lanes become 0.
    void cut_below_zero() {
        low = _mm_max_epi16(low, _mm_setzero_si128());
        high = _mm_max_epi16(high, _mm_setzero_si128());
    }

    __m128i low;   ///< the first half
    __m128i high;  ///< the second half
};

/// Eight 32-bit integers, which sum up products of shorts, two by two.
struct Ints {
    static constexpr std::size_t size = 8;      ///< lanes
    static constexpr std::size_t together = 1;  ///< sums of so many rows fit into registers
    /// Reads eight numbers, at any address.
    static Ints load(const std::int32_t* from) {
        const auto half = [&](std::size_t at) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
        };
        return {half(0), half(4)};
    }
    /// Writes the lanes, to any address.
    void store(std::int32_t* to) const {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), low);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 4), high);
    }
    /// Adds to lane n the products of lanes 2n and 2n + 1.
    void add_products(Shorts a, Shorts b) {
        low = _mm_add_epi32(low, _mm_madd_epi16(a.low, b.low));
        high = _mm_add_epi32(high, _mm_madd_epi16(a.high, b.high));
    }
    /// All lanes together.
    std::int32_t sum() const {
        const __m128i halves = _mm_add_epi32(low, high);
        const __m128i quarters = _mm_add_epi32(halves, _mm_shuffle_epi32(halves, 0x4e));
        return _mm_cvtsi128_si32(_mm_add_epi32(quarters, _mm_shuffle_epi32(quarters, 0xb1)));
    }

    __m128i low;   ///< the first half
    __m128i high;  ///< the second half
};

/// Sums of many `Shorts` that are not negative, in 32 bits.
struct ShortSums {
    /// Adds lane by lane.
    void add(Shorts more) {
        const __m128i zero = _mm_setzero_si128();
        first = _mm_add_epi32(first, _mm_unpacklo_epi16(more.low, zero));
        second = _mm_add_epi32(second, _mm_unpackhi_epi16(more.low, zero));
        third = _mm_add_epi32(third, _mm_unpacklo_epi16(more.high, zero));
        fourth = _mm_add_epi32(fourth, _mm_unpackhi_epi16(more.high, zero));
    }
    /// Writes the lanes, to any address.
    void store(std::int32_t* to) const {
        const auto place = [&](std::size_t at) { return reinterpret_cast<__m128i*>(to + at); };
        _mm_storeu_si128(place(0), first);
        _mm_storeu_si128(place(4), second);
        _mm_storeu_si128(place(8), third);
        _mm_storeu_si128(place(12), fourth);
    }

    __m128i first = _mm_setzero_si128();   ///< a quarter
    __m128i second = _mm_setzero_si128();  ///< a quarter
    __m128i third = _mm_setzero_si128();   ///< a quarter
    __m128i fourth = _mm_setzero_si128();  ///< a quarter
};

using portable::nonzero;
using portable::Words;
using portable::write_as_bytes;
using portable::write_as_shorts;

}  // namespace sse2
#endif

#if defined(__AVX2__)
namespace best = avx2;
#elif defined(__SSE2__) || defined(_M_X64)
namespace best = sse2;
#else
namespace best = portable;
#endif

using best::Floats;
using best::Ints;
using best::nonzero;
using best::Shorts;
using best::ShortSums;
using best::Words;
using best::write_as_bytes;
using best::write_as_shorts;
using portable::bytes_of_bits;
using portable::bytes_written;

}  // namespace spielleiter::simd
