/// @file
/// What every engine is: limits in, reports out, and what it remembers between searches.
///
/// Alpha-beta, Monte Carlo tree search and best-first search satisfy the same concept, so that the
/// binding, the bots and the tests need to know only one. A new engine is one header that satisfies
/// it, and an alias `Engine` in the evaluation of the game that uses it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "pruning.hpp"
#include "report.hpp"
#include "stop.hpp"

namespace spielleiter::search {

/// How an engine is made; not every engine uses everything.
struct EngineOptions {
    std::size_t megabytes = 64;         ///< of the transposition table or the tree
    unsigned threads = 1;               ///< that search together
    std::uint64_t seed = 0;             ///< only weak players draw lots
    PruningOptions pruning{};           ///< what the search may leave out
    std::vector<std::int16_t> weights;  ///< of the evaluation; none: the fitted ones
    std::string style;                  ///< of search, where a game has several; none: the best
    bool adaptive = false;  ///< learns from move to move how others play, where there are several
};

/// An engine searches one position after another and keeps what it learnt.
///
/// `begin` takes a position with a legal move, the limits, how many lines to report and a question
/// that is asked now and then whether to stop. `step` searches a little; false when there is
/// nothing left to do. `report` is complete after every step. `stop` ends the search that was begun
/// last, from any thread, at its next node. `forget` makes the engine as if new.
template <class E>
concept Engine = requires(E engine, const E& c, const typename E::Position& root, Limits limits,
                          std::size_t lines, Stop::Interrupted interrupted) {
    { engine.begin(root, limits, lines, interrupted) } -> std::same_as<void>;
    { engine.step() } -> std::same_as<bool>;
    { c.report() } -> std::same_as<const Report<typename E::Move>&>;
    { engine.stop() } -> std::same_as<void>;
    { engine.forget() } -> std::same_as<void>;
};

/// Runs an engine until its limits are reached.
template <Engine E>
Report<typename E::Move> run(E& engine, const typename E::Position& root, Limits limits,
                             std::size_t lines = 1, Stop::Interrupted interrupted = {}) {
    engine.begin(root, limits, lines, std::move(interrupted));
    while (engine.step()) {
    }
    return engine.report();
}

/// The search in progress, as every engine keeps it: its stop, how many lines, its report.
template <class Move>
class SearchProgress {
  public:
    /// A new search begins now. `check_interval`: see `Stop`.
    template <class Position>
    void begin(const Position& root, const Limits& limits, std::size_t lines,
               Stop::Interrupted interrupted, std::uint64_t check_interval) {
        stop_ = std::make_unique<Stop>(limits.divided(root, delays_.longest()),
                                       std::move(interrupted), check_interval, &delays_);
        lines_ = std::max<std::size_t>(1, lines);
        report_ = {};
    }
    /// The stop of the search; there is one after `begin`.
    Stop& stop() { return *stop_; }
    /// The same, to read.
    const Stop& stop() const { return *stop_; }
    /// Its limits.
    const Limits& limits() const { return stop_->limits(); }
    /// How many lines to report.
    std::size_t lines() const { return lines_; }
    /// What was found so far.
    const Report<Move>& report() const { return report_; }
    /// What earlier searches learnt about the machine.
    SchedulingDelays& delays() { return delays_; }
    /// Ends the search at its next node, if there is one.
    void request_stop() {
        if (stop_ != nullptr) stop_->request();
    }

    /// What was found up to now; `fill` in thousandths.
    void record(std::vector<Variation<Move>> lines, int depth, std::uint64_t nodes, int fill) {
        report_ = {std::move(lines), depth, nodes,
                   stop_->requested() ? stop_->end() : stop_->seconds(), fill};
    }
    /// The same for a tree, whose depth is the length of its best line. `fill`: a share of 1.
    void record_tree(std::vector<Variation<Move>> lines, std::uint64_t nodes, double fill) {
        const auto depth = static_cast<int>(lines.front().moves.size());
        record(std::move(lines), depth, nodes, static_cast<int>(1000 * fill));
    }

  private:
    SchedulingDelays delays_;
    std::unique_ptr<Stop> stop_;
    std::size_t lines_ = 1;
    Report<Move> report_;
};

/// Brings the best line to the front; equal ones stay in their order.
template <class Move>
void sort_by_score(std::vector<Variation<Move>>& lines) {
    std::stable_sort(lines.begin(), lines.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
}

}  // namespace spielleiter::search
