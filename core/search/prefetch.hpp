/// @file
/// Asks for memory before it is needed. Where a compiler cannot do that, nothing happens.
#pragma once

#include <cstddef>

namespace spielleiter::search {

/// Starts to load `lines` cache lines of 64 bytes, beginning at `begin`.
inline void prefetch(const void* begin, std::size_t lines = 1) {
#if defined(__GNUC__)
    constexpr std::size_t line = 64;
    for (std::size_t at = 0; at < lines; ++at)
        __builtin_prefetch(static_cast<const char*>(begin) + at * line);
#else
    static_cast<void>(begin);
    static_cast<void>(lines);
#endif
}

}  // namespace spielleiter::search
