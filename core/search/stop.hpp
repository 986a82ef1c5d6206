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

/// How long the system may keep a search from running, as seen so far.
///
/// Two looks at the clock are a fraction of a millisecond apart. When they are not, other programs
/// had the processor meanwhile, and may have it again just when time is up. So the longest pause is
/// kept in reserve; it fades from search to search, for machines become quiet again.
class Pauses {
  public:
    /// A new search begins.
    void fade() { longest_ = std::max(least, fading * longest_); }
    void learn(double seconds) { longest_ = std::max(longest_, seconds); }
    /// Seconds to keep of a limit; never so much that nothing is left.
    double reserve(double limit) const { return std::min(generous * longest_, most * limit); }
    double longest() const { return longest_; }

  private:
    static constexpr double least = 0.001;
    static constexpr double fading = 0.97;
    static constexpr double generous = 2.0;
    static constexpr double most = 0.95;

    double longest_ = 0.01;  ///< before anything is known
};

/// One for each search; all its threads share it. Only the first thread looks at clock and user, so
/// that the node where a search with a fixed number of nodes stops never depends on them.
class Stop {
  public:
    using Clock = std::chrono::steady_clock;
    /// Asked about every tenth of a second; true ends the search.
    using Interrupted = std::function<bool()>;

    /// `glance`: so many nodes may pass between two looks at the clock, or fewer if they take long;
    /// nobody knows that of the first ones, so looks begin with every node.
    /// `pauses`: what earlier searches saw, if somebody remembers it.
    explicit Stop(Limits limits, Interrupted interrupted = {}, std::uint64_t glance = 512,
                  Pauses* pauses = nullptr)
        : limits_(limits.divided()),
          interrupted_(std::move(interrupted)),
          begin_(Clock::now()),
          widest_(glance),
          pauses_(pauses != nullptr ? pauses : &own_pauses_) {
        pauses_->fade();
    }
    Stop(const Stop&) = delete;
    Stop& operator=(const Stop&) = delete;

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
    /// As given, with an account divided: what this move may take is their `time`.
    const Limits& limits() const { return limits_; }

    /// Whether there is time for work of so many seconds during which nobody looks at the clock. If
    /// not, the search ends here.
    bool allows(double work) {
        if (limits_.time && seconds() + work >= end_of(*limits_.time)) ask();
        return !asked();
    }

    /// The search goes on after a while that was none of its own.
    void resume() { last_look_ = seconds(); }

    /// The search is over. What passed since the last look at the clock is a pause as well: with a
    /// limit on time the answer waits for it.
    double end() {
        const double spent = seconds();
        if (limits_.time) pauses_->learn(spent - last_look_);
        last_look_ = spent;
        return spent;
    }

  private:
    void look(std::uint64_t nodes) {
        next_look_ = nodes + glance_;  // the limit on nodes is met exactly, however often we look
        if (limits_.nodes) next_look_ = std::min(next_look_, *limits_.nodes);
        if (limits_.nodes && nodes >= *limits_.nodes) {
            ask();
        } else if (limits_.time || interrupted_) {
            look_at_clock();
        }
    }
    void look_at_clock() {
        const double spent = seconds();
        adapt(spent - last_look_);
        pauses_->learn(spent - last_look_);
        last_look_ = spent;
        if (limits_.time && spent >= end_of(*limits_.time)) ask();
        if (!interrupted_ || spent < next_question_) return;
        next_question_ = spent + 0.1;
        if (interrupted_()) ask();
    }

    double end_of(double time) const { return time - pauses_->reserve(time); }

    /// On large boards nodes take long: then fewer of them pass between two looks.
    void adapt(double passed) {
        constexpr double longest = 0.0005;
        if (passed > longest) {
            glance_ = std::max<std::uint64_t>(1, glance_ / 2);
        } else if (passed < longest / 4) {
            glance_ = std::min(2 * glance_, widest_);
        }
    }

    Limits limits_;
    Interrupted interrupted_;
    Clock::time_point begin_;
    std::uint64_t widest_;
    std::uint64_t glance_ = 1;
    std::uint64_t next_look_ = 0;
    double next_question_ = 0.1;
    double last_look_ = 0;
    Pauses own_pauses_;
    Pauses* pauses_;
    std::atomic<bool> asked_ = false;
};

}  // namespace spielleiter::search
