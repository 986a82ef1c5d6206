/// @file
/// Four 64-bit words worked on together: in one register where the processor has 256-bit integers,
/// word by word elsewhere. The only file of the game that knows an instruction set; both flavours
/// are built and compared, so each is the other's twin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/bits.hpp"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace spielleiter::reversi {

using Word = std::uint64_t;

#if defined(__AVX2__)

class Lanes {
  public:
    static constexpr bool in_one_register = true;

    explicit Lanes(const Bits<4>& set)
        : all_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(set.words.data()))) {}
    Lanes(Word a, Word b, Word c, Word d)
        : all_(_mm256_setr_epi64x(static_cast<long long>(a), static_cast<long long>(b),
                                  static_cast<long long>(c), static_cast<long long>(d))) {}
    static Lanes each(Word word) { return _mm256_set1_epi64x(static_cast<long long>(word)); }

    friend Lanes operator&(Lanes a, Lanes b) { return _mm256_and_si256(a.all_, b.all_); }
    friend Lanes operator|(Lanes a, Lanes b) { return _mm256_or_si256(a.all_, b.all_); }
    Lanes& operator|=(Lanes other) { return *this = *this | other; }
    Lanes& operator&=(Lanes other) { return *this = *this & other; }

    /// The bits of `a` that are not in `b`.
    friend Lanes without(Lanes a, Lanes b) { return _mm256_andnot_si256(b.all_, a.all_); }
    /// The lowest bit of each lane.
    Lanes lowest() const {
        return _mm256_and_si256(all_, _mm256_sub_epi64(_mm256_setzero_si256(), all_));
    }
    /// All bits below the only bit of a lane; nothing if the lane is empty.
    Lanes below() const {
        const __m256i empty = _mm256_cmpeq_epi64(all_, _mm256_setzero_si256());
        return _mm256_andnot_si256(empty, _mm256_sub_epi64(all_, _mm256_set1_epi64x(1)));
    }
    /// All bits of the lanes that are empty.
    Lanes where_empty() const { return _mm256_cmpeq_epi64(all_, _mm256_setzero_si256()); }

    /// Lane i moved by its own distance.
    template <std::size_t A, std::size_t B, std::size_t C, std::size_t D>
    Lanes left() const {
        return _mm256_sllv_epi64(all_, _mm256_setr_epi64x(A, B, C, D));
    }
    template <std::size_t A, std::size_t B, std::size_t C, std::size_t D>
    Lanes right() const {
        return _mm256_srlv_epi64(all_, _mm256_setr_epi64x(A, B, C, D));
    }

    /// All 256 bits moved as one set; what leaves it is lost.
    template <std::size_t Distance>
    Lanes up() const {
        if constexpr (Distance >= 64) {
            return Lanes(next_lane_up(all_)).template up<Distance - 64>();
        } else if constexpr (Distance == 0) {
            return *this;
        } else {
            return _mm256_or_si256(_mm256_slli_epi64(all_, Distance),
                                   _mm256_srli_epi64(next_lane_up(all_), 64 - Distance));
        }
    }
    template <std::size_t Distance>
    Lanes down() const {
        if constexpr (Distance >= 64) {
            return Lanes(next_lane_down(all_)).template down<Distance - 64>();
        } else if constexpr (Distance == 0) {
            return *this;
        } else {
            return _mm256_or_si256(_mm256_srli_epi64(all_, Distance),
                                   _mm256_slli_epi64(next_lane_down(all_), 64 - Distance));
        }
    }

    /// A set of rows of 16 bits moved up by whole rows, eight at most, and along them by cells.
    /// What leaves its row is nobody's business: it may be lost or not.
    template <std::size_t Rows, int Cells>
    Lanes rows_up() const {
        return along<Cells>(lines_up<Rows>(all_));
    }
    template <std::size_t Rows, int Cells>
    Lanes rows_down() const {
        return along<Cells>(lines_down<Rows>(all_));
    }

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
    Lanes(__m256i all) : all_(all) {}  // NOLINT(google-explicit-constructor)

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

#else

class Lanes {
  public:
    static constexpr bool in_one_register = false;

    explicit Lanes(const Bits<4>& set) : all_(set) {}
    Lanes(Word a, Word b, Word c, Word d) : all_{{a, b, c, d}} {}
    static Lanes each(Word word) { return {word, word, word, word}; }

    friend Lanes operator&(const Lanes& a, const Lanes& b) { return Lanes(a.all_ & b.all_); }
    friend Lanes operator|(const Lanes& a, const Lanes& b) { return Lanes(a.all_ | b.all_); }
    Lanes& operator|=(const Lanes& other) { return *this = *this | other; }
    Lanes& operator&=(const Lanes& other) { return *this = *this & other; }

    /// The bits of `a` that are not in `b`.
    friend Lanes without(const Lanes& a, const Lanes& b) { return Lanes(without(a.all_, b.all_)); }
    /// The lowest bit of each lane.
    Lanes lowest() const {
        return each_lane([](Word word) { return word & (0 - word); });
    }
    /// All bits below the only bit of a lane; nothing if the lane is empty.
    Lanes below() const {
        return each_lane([](Word word) { return word - static_cast<Word>(word != 0); });
    }
    /// All bits of the lanes that are empty.
    Lanes where_empty() const {
        return each_lane([](Word word) { return 0 - static_cast<Word>(word == 0); });
    }

    /// Lane i moved by its own distance.
    template <std::size_t A, std::size_t B, std::size_t C, std::size_t D>
    Lanes left() const {
        const auto& w = all_.words;
        return {w[0] << A, w[1] << B, w[2] << C, w[3] << D};
    }
    template <std::size_t A, std::size_t B, std::size_t C, std::size_t D>
    Lanes right() const {
        const auto& w = all_.words;
        return {w[0] >> A, w[1] >> B, w[2] >> C, w[3] >> D};
    }

    /// All 256 bits moved as one set; what leaves it is lost.
    template <std::size_t Distance>
    Lanes up() const {
        return Lanes(all_.template up<Distance>());
    }
    template <std::size_t Distance>
    Lanes down() const {
        return Lanes(all_.template down<Distance>());
    }

    /// A set of rows of 16 bits moved up by whole rows, eight at most, and along them by cells.
    /// What leaves its row is nobody's business: it may be lost or not.
    template <std::size_t Rows, int Cells>
    Lanes rows_up() const {
        constexpr int distance = 16 * static_cast<int>(Rows) + Cells;
        if constexpr (distance < 0) {
            return down<static_cast<std::size_t>(-distance)>();
        } else {
            return up<static_cast<std::size_t>(distance)>();
        }
    }
    template <std::size_t Rows, int Cells>
    Lanes rows_down() const {
        constexpr int distance = 16 * static_cast<int>(Rows) - Cells;
        if constexpr (distance < 0) {
            return up<static_cast<std::size_t>(-distance)>();
        } else {
            return down<static_cast<std::size_t>(distance)>();
        }
    }

    Bits<4> set() const { return all_; }
    /// The union of the four lanes.
    Word merged() const {
        const auto& w = all_.words;
        return (w[0] | w[1]) | (w[2] | w[3]);
    }

  private:
    template <class Body>
    Lanes each_lane(Body&& body) const {
        const auto& w = all_.words;
        return {body(w[0]), body(w[1]), body(w[2]), body(w[3])};
    }

    Bits<4> all_;
};

#endif

}  // namespace spielleiter::reversi
