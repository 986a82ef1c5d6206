/// @file
/// Several numbers at once. Vector instructions where the compiler may use them, else a plain loop
/// with the same results: products are rounded before they are added everywhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__) || defined(_M_X64)
#define SPIELLEITER_BLOKUS_SSE2
#include <emmintrin.h>
#endif

namespace spielleiter::blokus {

struct Eight {
    static constexpr std::size_t size = 8;

#if defined(__AVX2__)
    static Eight load(const float* from) { return {_mm256_loadu_ps(from)}; }
    static Eight all(float value) { return {_mm256_set1_ps(value)}; }
    void store(float* to) const { _mm256_storeu_ps(to, lanes); }
    void add(Eight other) { lanes = _mm256_add_ps(lanes, other.lanes); }
    void add_product(Eight a, Eight b) {
        lanes = _mm256_add_ps(lanes, _mm256_mul_ps(a.lanes, b.lanes));
    }
    void cut_below_zero() { lanes = _mm256_max_ps(lanes, _mm256_setzero_ps()); }

    __m256 lanes;
#elif defined(SPIELLEITER_BLOKUS_SSE2)
    static Eight load(const float* from) { return {_mm_loadu_ps(from), _mm_loadu_ps(from + 4)}; }
    static Eight all(float value) { return {_mm_set1_ps(value), _mm_set1_ps(value)}; }
    void store(float* to) const {
        _mm_storeu_ps(to, low);
        _mm_storeu_ps(to + 4, high);
    }
    void add(Eight other) {
        low = _mm_add_ps(low, other.low);
        high = _mm_add_ps(high, other.high);
    }
    void add_product(Eight a, Eight b) {
        low = _mm_add_ps(low, _mm_mul_ps(a.low, b.low));
        high = _mm_add_ps(high, _mm_mul_ps(a.high, b.high));
    }
    void cut_below_zero() {
        low = _mm_max_ps(low, _mm_setzero_ps());
        high = _mm_max_ps(high, _mm_setzero_ps());
    }

    __m128 low;
    __m128 high;
#else
    static Eight load(const float* from) {
        Eight made;
        std::copy_n(from, size, made.lanes.begin());
        return made;
    }
    static Eight all(float value) {
        Eight made;
        made.lanes.fill(value);
        return made;
    }
    void store(float* to) const { std::copy_n(lanes.begin(), size, to); }
    void add(Eight other) {
        for (std::size_t n = 0; n < size; ++n) lanes[n] += other.lanes[n];
    }
    void add_product(Eight a, Eight b) {
        for (std::size_t n = 0; n < size; ++n) {
            const float product = a.lanes[n] * b.lanes[n];
            lanes[n] += product;
        }
    }
    void cut_below_zero() {
        for (float& lane : lanes) lane = std::max(lane, 0.0F);
    }

    std::array<float, size> lanes;
#endif
};

/// Sixteen short integers, which wrap around. `pairs` repeats two of them; the part of a product is
/// its 32768th, rounded.
struct Sixteen {
    static constexpr std::size_t size = 16;

#if defined(__AVX2__)
    static Sixteen load(const std::int16_t* from) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
    }
    void store(std::int16_t* to) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), lanes);
    }
    static Sixteen all(std::int16_t value) { return {_mm256_set1_epi16(value)}; }
    static Sixteen pairs(const std::int16_t* two) {
        std::int32_t both;
        std::memcpy(&both, two, sizeof both);
        return {_mm256_set1_epi32(both)};
    }
    void add(Sixteen other) { lanes = _mm256_add_epi16(lanes, other.lanes); }
    void add_part_of_product(Sixteen a, Sixteen b) {
        lanes = _mm256_add_epi16(lanes, _mm256_mulhrs_epi16(a.lanes, b.lanes));
    }
    void cut_below_zero() { lanes = _mm256_max_epi16(lanes, _mm256_setzero_si256()); }

    __m256i lanes;
#elif defined(SPIELLEITER_BLOKUS_SSE2)
    static Sixteen load(const std::int16_t* from) {
        const auto half = [&](std::size_t at) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
        };
        return {half(0), half(8)};
    }
    void store(std::int16_t* to) const {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), low);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 8), high);
    }
    static Sixteen all(std::int16_t value) {
        return {_mm_set1_epi16(value), _mm_set1_epi16(value)};
    }
    static Sixteen pairs(const std::int16_t* two) {
        std::int32_t both;
        std::memcpy(&both, two, sizeof both);
        return {_mm_set1_epi32(both), _mm_set1_epi32(both)};
    }
    void add(Sixteen other) {
        low = _mm_add_epi16(low, other.low);
        high = _mm_add_epi16(high, other.high);
    }
    void add_part_of_product(Sixteen a, Sixteen b) {
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
    void cut_below_zero() {
        low = _mm_max_epi16(low, _mm_setzero_si128());
        high = _mm_max_epi16(high, _mm_setzero_si128());
    }

    __m128i low;
    __m128i high;
#else
    static Sixteen load(const std::int16_t* from) {
        Sixteen made;
        std::copy_n(from, size, made.lanes.begin());
        return made;
    }
    void store(std::int16_t* to) const { std::copy_n(lanes.begin(), size, to); }
    static Sixteen all(std::int16_t value) {
        Sixteen made;
        made.lanes.fill(value);
        return made;
    }
    static Sixteen pairs(const std::int16_t* two) {
        Sixteen made;
        for (std::size_t n = 0; n < size; ++n) made.lanes[n] = two[n % 2];
        return made;
    }
    void add(Sixteen other) {
        for (std::size_t n = 0; n < size; ++n)
            lanes[n] = static_cast<std::int16_t>(lanes[n] + other.lanes[n]);
    }
    void add_part_of_product(Sixteen a, Sixteen b) {
        for (std::size_t n = 0; n < size; ++n) {
            const int part = (a.lanes[n] * b.lanes[n] + (1 << 14)) >> 15;
            lanes[n] = static_cast<std::int16_t>(lanes[n] + part);
        }
    }
    void cut_below_zero() {
        for (std::int16_t& lane : lanes) lane = std::max<std::int16_t>(lane, 0);
    }

    std::array<std::int16_t, size> lanes;
#endif
};

/// Eight integers, which sum up products of shorts, two by two. There are registers for the sums of
/// so many rows `together`.
struct EightWhole {
    static constexpr std::size_t size = 8;

#if defined(__AVX2__)
    static constexpr std::size_t together = 2;
    static EightWhole load(const std::int32_t* from) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
    }
    void store(std::int32_t* to) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), lanes);
    }
    void add_products(Sixteen a, Sixteen b) {
        lanes = _mm256_add_epi32(lanes, _mm256_madd_epi16(a.lanes, b.lanes));
    }

    __m256i lanes;
#elif defined(SPIELLEITER_BLOKUS_SSE2)
    static constexpr std::size_t together = 1;
    static EightWhole load(const std::int32_t* from) {
        const auto half = [&](std::size_t at) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
        };
        return {half(0), half(4)};
    }
    void store(std::int32_t* to) const {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), low);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 4), high);
    }
    void add_products(Sixteen a, Sixteen b) {
        low = _mm_add_epi32(low, _mm_madd_epi16(a.low, b.low));
        high = _mm_add_epi32(high, _mm_madd_epi16(a.high, b.high));
    }

    __m128i low;
    __m128i high;
#else
    static constexpr std::size_t together = 1;
    static EightWhole load(const std::int32_t* from) {
        EightWhole made;
        std::copy_n(from, size, made.lanes.begin());
        return made;
    }
    void store(std::int32_t* to) const { std::copy_n(lanes.begin(), size, to); }
    void add_products(Sixteen a, Sixteen b) {
        for (std::size_t n = 0; n < size; ++n)
            lanes[n] += a.lanes[2 * n] * b.lanes[2 * n] + a.lanes[2 * n + 1] * b.lanes[2 * n + 1];
    }

    std::array<std::int32_t, size> lanes;
#endif
};

/// Sums of many sixteens that are not negative.
struct SumsOfSixteen {
#if defined(__AVX2__)
    void add(Sixteen more) {
        const __m256i zero = _mm256_setzero_si256();
        low = _mm256_add_epi32(low, _mm256_unpacklo_epi16(more.lanes, zero));
        high = _mm256_add_epi32(high, _mm256_unpackhi_epi16(more.lanes, zero));
    }
    void store(std::int32_t* to) const {
        const auto place = [&](std::size_t at) { return reinterpret_cast<__m128i*>(to + at); };
        _mm_storeu_si128(place(0), _mm256_castsi256_si128(low));
        _mm_storeu_si128(place(4), _mm256_castsi256_si128(high));
        _mm_storeu_si128(place(8), _mm256_extracti128_si256(low, 1));
        _mm_storeu_si128(place(12), _mm256_extracti128_si256(high, 1));
    }

    __m256i low = _mm256_setzero_si256();
    __m256i high = _mm256_setzero_si256();
#elif defined(SPIELLEITER_BLOKUS_SSE2)
    void add(Sixteen more) {
        const __m128i zero = _mm_setzero_si128();
        first = _mm_add_epi32(first, _mm_unpacklo_epi16(more.low, zero));
        second = _mm_add_epi32(second, _mm_unpackhi_epi16(more.low, zero));
        third = _mm_add_epi32(third, _mm_unpacklo_epi16(more.high, zero));
        fourth = _mm_add_epi32(fourth, _mm_unpackhi_epi16(more.high, zero));
    }
    void store(std::int32_t* to) const {
        const auto place = [&](std::size_t at) { return reinterpret_cast<__m128i*>(to + at); };
        _mm_storeu_si128(place(0), first);
        _mm_storeu_si128(place(4), second);
        _mm_storeu_si128(place(8), third);
        _mm_storeu_si128(place(12), fourth);
    }

    __m128i first = _mm_setzero_si128();
    __m128i second = _mm_setzero_si128();
    __m128i third = _mm_setzero_si128();
    __m128i fourth = _mm_setzero_si128();
#else
    void add(Sixteen more) {
        std::array<std::int16_t, Sixteen::size> parts;
        more.store(parts.data());
        for (std::size_t n = 0; n < parts.size(); ++n) lanes[n] += parts[n];
    }
    void store(std::int32_t* to) const { std::copy_n(lanes.begin(), lanes.size(), to); }

    std::array<std::int32_t, Sixteen::size> lanes{};
#endif
};

}  // namespace spielleiter::blokus
