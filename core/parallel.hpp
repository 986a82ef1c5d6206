/// @file
/// Work shared among threads in fixed slices, so that the result never depends on their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace spielleiter {

/// Calls `work(begin, end)` on disjoint slices of 0 … count−1, in up to `threads` threads, the
/// first slice in the calling one, and rethrows the first exception once all have stopped.
template <class Work>
void parallel(std::size_t count, unsigned threads, Work&& work) {
    const std::size_t slices =
        std::min<std::size_t>(std::max(1U, threads), std::max<std::size_t>(1, count));
    if (slices == 1) return work(std::size_t{0}, count);
    std::vector<std::exception_ptr> failures(slices);
    const auto do_slice = [&](std::size_t slice) {
        try {
            work(count * slice / slices, count * (slice + 1) / slices);
        } catch (...) {
            failures[slice] = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        others.reserve(slices - 1);
        for (std::size_t slice = 1; slice < slices; ++slice) others.emplace_back(do_slice, slice);
        do_slice(0);
    }
    for (const auto& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
}

}  // namespace spielleiter
