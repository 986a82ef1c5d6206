/// @file
/// Which of many words are not zero. The only file of the game that knows an instruction set; both
/// flavours are built and compared, so each is the other's twin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace spielleiter::piranhas {

/// Bit i for word i; without a branch that could be guessed wrong.
inline std::uint64_t busy_lines(const std::array<std::uint32_t, 64>& words) {
    std::uint64_t busy = 0;
#if defined(__AVX2__)
    for (std::size_t at = 0; at < words.size(); at += 8) {
        const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&words[at]));
        const __m256i empty = _mm256_cmpeq_epi32(eight, _mm256_setzero_si256());
        const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(empty)));
        busy |= std::uint64_t{~mask & 0xffU} << at;
    }
#else
    for (std::size_t at = 0; at < words.size(); ++at) busy |= std::uint64_t{words[at] != 0} << at;
#endif
    return busy;
}

}  // namespace spielleiter::piranhas
