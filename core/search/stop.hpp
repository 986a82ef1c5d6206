/// @file
/// When to stop: the clock, the number of nodes, or somebody who asks.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "limits.hpp"

namespace spielleiter::search {

/// One for each search; all its threads share it. Only the first thread looks at clock and user, so
/// that the node where a search with a fixed number of nodes stops never depends on them.
class Stop {
  public:
    using Clock = std::chrono::steady_clock;
    /// Asked about every tenth of a second; true ends the search.
    using Interrupted = std::function<bool()>;

    explicit Stop(Limits limits, Interrupted interrupted = {})
        : limits_(limits), interrupted_(std::move(interrupted)), begin_(Clock::now()) {}

    /// Cheap enough for every node.
    bool asked() const { return asked_.load(std::memory_order_relaxed); }
    void ask() { asked_.store(true, std::memory_order_relaxed); }

    /// Called by the first thread at every node with its own count. Looks at the clock now and
    /// then.
    bool now(std::uint64_t nodes) {
        if (nodes >= next_look_) [[unlikely]]
            look(nodes);
        return asked();
    }

    double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
    const Limits& limits() const { return limits_; }

  private:
    static constexpr std::uint64_t glance = 512;

    void look(std::uint64_t nodes) {
        next_look_ = nodes + glance;
        if (limits_.nodes) next_look_ = std::min(next_look_, *limits_.nodes);
        if (limits_.nodes && nodes >= *limits_.nodes) {
            ask();
        } else if (limits_.time || interrupted_) {
            look_at_clock();
        }
    }
    void look_at_clock() {
        const double spent = seconds();
        if (limits_.time && spent >= *limits_.time) ask();
        if (!interrupted_ || spent < next_question_) return;
        next_question_ = spent + 0.1;
        if (interrupted_()) ask();
    }

    Limits limits_;
    Interrupted interrupted_;
    Clock::time_point begin_;
    std::uint64_t next_look_ = 0;
    double next_question_ = 0.1;
    std::atomic<bool> asked_ = false;
};

}  // namespace spielleiter::search
