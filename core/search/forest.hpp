/// @file
/// Tree search as an engine: the face of `Mcts` that is the same as that of `Engine`.
///
/// All threads work on one tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "mcts.hpp"

namespace spielleiter::search {

template <class Policy>
class Forest {
  public:
    using Position = typename Policy::Position;
    using Move = typename Position::Move;

    /// Nodes are games: both limits mean the same.
    static constexpr bool plays_out = true;

    Forest(std::size_t megabytes, unsigned threads, std::uint64_t seed,
           const Tuning& tuning = tuning_of<Policy>())
        : threads_(std::max(1U, threads)), tree_(seed, megabytes, threads_, tuning) {}

    void forget() { tree_.forget(); }

    void begin(const Position& root, Limits limits, std::size_t lines = 1,
               Stop::Interrupted interrupted = {}) {
        if (!limits.simulations) limits.simulations = limits.nodes;
        limits.nodes.reset();
        stop_ =
            std::make_unique<Stop>(limits.divided(root), std::move(interrupted), glance, &pauses_);
        lines_ = std::max<std::size_t>(1, lines);
        tree_.begin(root, lines_);
        portion_ = 64;
        report_ = {};
    }

    /// Plays about as many games again as there were; false when there is nothing left to do.
    bool step() {
        if (finished()) return false;
        stop_->resume();
        const std::uint64_t games = std::min(portion_, left());
        {
            std::vector<std::jthread> others;
            for (std::size_t at = 1; at < threads_; ++at)
                others.emplace_back([this, at, games] { tree_.run(*stop_, games / threads_, at); });
            tree_.run(*stop_, games - games / threads_ * (threads_ - 1));
        }
        portion_ = std::min<std::uint64_t>(2 * portion_, largest_portion);
        record();
        return true;
    }

    const Report<Move>& report() const { return report_; }

  private:
    static constexpr std::uint64_t largest_portion = 2048;
    static constexpr std::uint64_t glance = 4;  ///< a game takes much longer than a node

    std::uint64_t left() const {
        const auto& limit = stop_->limits().simulations;
        const std::uint64_t done = tree_.games();
        return !limit ? largest_portion : *limit > done ? *limit - done : 0;
    }

    bool finished() const {
        if (report_.depth == 0) return false;
        return stop_->asked() || left() == 0 || tree_.solved() ||
               (stop_->limits().time && tree_.choices() == 1) ||
               (stop_->limits().depth && report_.depth >= *stop_->limits().depth);
    }

    void record() {
        report_.lines = tree_.lines(lines_);
        report_.depth = static_cast<int>(report_.lines.front().moves.size());
        report_.nodes = tree_.games();
        report_.seconds = stop_->asked() ? stop_->end() : stop_->seconds();
        report_.fill = static_cast<int>(1000 * tree_.fill());
    }

    std::size_t threads_;
    Mcts<Position, Policy> tree_;
    Pauses pauses_;
    std::unique_ptr<Stop> stop_;
    std::size_t lines_ = 1;
    std::uint64_t portion_ = 64;
    Report<Move> report_;
};

}  // namespace spielleiter::search
