/// @file
/// When to stop: the clock, the number of nodes, or a request.
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
/// Two checks of the clock are a fraction of a millisecond apart. When they are not, other programs
/// had the processor meanwhile, and may have it again just when time is up. So the longest delay is
/// kept in reserve; it decays from search to search, for machines become quiet again.
class SchedulingDelays {
  public:
    /// A new search begins.
    void decay() { longest_ = std::max(least, decay_factor * longest_); }
    /// Adds a delay that was seen.
    void record(double seconds) { longest_ = std::max(longest_, seconds); }
    /// Seconds to keep of a deadline; never so much that nothing is left.
    double reserve(double deadline) const {
        return std::min(safety * longest_, most_of_deadline * deadline);
    }
    /// Seconds to keep of the time to think. Nobody loses by exceeding it: where delays are long
    /// compared with it, a reserve for them would leave no time to think at all.
    double reserve_of_time(double time) const {
        return std::min(safety * longest_, most_of_time * time);
    }
    /// Seconds of the longest delay that still counts.
    double longest() const { return longest_; }

  private:
    // Guessed, and confirmed on busy machines (`benchmarks/strength/punctual.py`).
    static constexpr double least = 0.001;
    static constexpr double decay_factor = 0.97;
    static constexpr double safety = 2.0;
    static constexpr double most_of_deadline = 0.95;
    static constexpr double most_of_time = 0.1;

    double longest_ = 0.01;  ///< before anything is known
};

/// One for each search; all its threads share it. Only the first thread checks the clock and the
/// interruption, so that the node where a search with a fixed number of nodes stops never depends
/// on them.
class Stop {
  public:
    /// Never set back while a search runs.
    using Clock = std::chrono::steady_clock;
    /// Asked about every tenth of a second; true ends the search.
    using Interrupted = std::function<bool()>;

    static constexpr std::uint64_t default_interval = 512;  ///< for nodes of about a microsecond

    /// `check_interval`: so many nodes may pass between two checks of the clock, or fewer if they
    /// take long; nothing is known about the first ones, so checks begin with every node.
    /// `delays`: what earlier searches saw, if the caller keeps it.
    explicit Stop(Limits limits, Interrupted interrupted = {},
                  std::uint64_t check_interval = default_interval,
                  SchedulingDelays* delays = nullptr)
        : limits_(limits.divided()),
          interrupted_(std::move(interrupted)),
          begin_(Clock::now()),
          longest_interval_(check_interval),
          delays_(delays != nullptr ? delays : &own_delays_) {
        delays_->decay();
    }
    Stop(const Stop&) = delete;
    Stop& operator=(const Stop&) = delete;

    /// Whether the search is to end; cheap enough for every node.
    bool requested() const { return requested_.load(std::memory_order_relaxed); }
    /// Ends the search, from any thread.
    void request() { requested_.store(true, std::memory_order_relaxed); }

    /// Called by the first thread at every node with its own count; checks the limits now and then.
    /// True if the search is to end.
    bool check(std::uint64_t nodes) {
        if (nodes >= next_check_) [[unlikely]]
            check_limits(nodes);
        return requested();
    }

    /// Since the search began.
    double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
    /// As given, with an account divided: what this move may take is their `time`, which is there
    /// wherever there is a deadline.
    const Limits& limits() const { return limits_; }

    /// Whether there is time for `work` seconds during which nobody checks the clock. If not, the
    /// search ends here.
    bool allows(double work) {
        if (!has_time_for(work)) request();
        return !requested();
    }
    /// The same, but the search goes on.
    bool has_time_for(double work) const {
        return !limits_.time || seconds() + work < time_to_end(*limits_.time);
    }

    /// The search goes on after time that was not its own, and that is no delay.
    void resume() { last_check_ = seconds(); }

    /// The search is over. What passed since the last check of the clock is a delay as well: with a
    /// limit on time the answer waits for it. Returns the seconds the search took.
    double end() {
        const double spent = seconds();
        if (limits_.time) delays_->record(spent - last_check_);
        last_check_ = spent;
        return spent;
    }

  private:
    static constexpr double interrupt_interval = 0.1;  ///< seconds
    static constexpr double longest_between = 0.0005;  ///< seconds between two checks of the clock

    void check_limits(std::uint64_t nodes) {
        next_check_ = nodes + interval_;  // the limit on nodes is met exactly in any case
        if (limits_.nodes) next_check_ = std::min(next_check_, *limits_.nodes);
        if (limits_.nodes && nodes >= *limits_.nodes) {
            request();
        } else if (limits_.time || interrupted_) {
            check_clock();
        }
    }
    void check_clock() {
        const double spent = seconds();
        adapt_interval(spent - last_check_);
        delays_->record(spent - last_check_);
        last_check_ = spent;
        if (limits_.time && spent >= time_to_end(*limits_.time)) request();
        if (!interrupted_ || spent < next_question_) return;
        next_question_ = spent + interrupt_interval;
        if (interrupted_()) request();
    }

    /// Seconds after which a search with so much time to think ends; delays are seen meanwhile, so
    /// they may become fewer.
    double time_to_end(double time) const {
        const double thought = time - delays_->reserve_of_time(time);
        if (!limits_.deadline) return thought;
        return std::min(thought, *limits_.deadline - delays_->reserve(*limits_.deadline));
    }

    /// On large boards nodes take long: then fewer of them pass between two checks.
    void adapt_interval(double passed) {
        if (passed > longest_between) {
            interval_ = std::max<std::uint64_t>(1, interval_ / 2);
        } else if (passed < longest_between / 4) {
            interval_ = std::min(2 * interval_, longest_interval_);
        }
    }

    Limits limits_;
    Interrupted interrupted_;
    Clock::time_point begin_;
    std::uint64_t longest_interval_;
    std::uint64_t interval_ = 1;
    std::uint64_t next_check_ = 0;
    double next_question_ = interrupt_interval;
    double last_check_ = 0;
    SchedulingDelays own_delays_;
    SchedulingDelays* delays_;
    std::atomic<bool> requested_ = false;
};

/// One thread's count of nodes, and whether it is to stop: shared by the parts of one search.
class NodeCounter {
  public:
    /// A new search begins. One of its threads checks the limits, the others only listen.
    void begin(Stop& stop, bool checks_limits) {
        stop_ = &stop;
        checks_limits_ = checks_limits;
        nodes_ = 0;
    }
    /// Goes on counting, but obeys another stop from now on.
    void listen(Stop& stop) { stop_ = &stop; }

    /// Counts a node; true if the search is to stop.
    bool visit() {
        ++nodes_;
        return checks_limits_ ? stop_->check(nodes_) : stop_->requested();
    }
    /// Counts a node that takes too little time to check the clock for.
    void count() { ++nodes_; }
    /// Whether the search is to end; what it returns from then on means nothing.
    bool stopped() const { return stop_->requested(); }
    /// Visited so far by this thread.
    std::uint64_t nodes() const { return nodes_; }
    /// The limits of the present search.
    const Stop& stop() const { return *stop_; }

  private:
    Stop* stop_ = nullptr;
    bool checks_limits_ = false;
    std::uint64_t nodes_ = 0;
};

}  // namespace spielleiter::search
