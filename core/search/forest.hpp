/// @file
/// Tree search as an engine: the face of `Mcts` that is the same as that of `Engine`.
///
/// All threads work on one tree. A policy may bring a `Solver`, which finds certain results where
/// little of a game is left; it is asked first when it is likely to be done in good time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "mcts.hpp"

namespace spielleiter::search {

/// Who solves the ends of games of a policy: nobody, unless it brings somebody.
template <class Policy>
struct SolverOf {
    struct Type {};
};
template <class Policy>
    requires requires { typename Policy::Solver; }
struct SolverOf<Policy> {
    using Type = typename Policy::Solver;
};

template <class Policy>
class Forest {
  public:
    using Position = typename Policy::Position;
    using Move = typename Position::Move;

    /// Nodes are games: both limits mean the same.
    static constexpr bool plays_out = true;

    Forest(std::size_t megabytes, unsigned threads, std::uint64_t seed,
           const Tuning& tuning = tuning_of<Policy>(), const Policy& policy = Policy())
        : threads_(std::max(1U, threads)),
          solves_(tuning.solver && tuning.overlooked == 0),
          tree_(seed, megabytes, threads_, tuning, policy) {
        if constexpr (has_solver) {
            if (solves_) solver_ = std::make_unique<Solver>();  // its memory, before the clock runs
        }
    }

    void forget() {
        tree_.forget();
        if constexpr (has_solver) {
            if (solver_was_asked_) solver_->forget();
        }
        solver_was_asked_ = false;
    }

    void begin(const Position& root, Limits limits, std::size_t lines = 1,
               Stop::Interrupted interrupted = {}) {
        if (!limits.simulations) limits.simulations = limits.nodes;
        limits.nodes.reset();
        stop_ = std::make_unique<Stop>(limits.divided(root, pauses_.longest()), interrupted, glance,
                                       &pauses_);
        interrupted_ = std::move(interrupted);
        solved_ = false;
        lines_ = std::max<std::size_t>(1, lines);
        tree_.begin(root, lines_);
        portion_ = 64;
        report_ = {};
    }

    /// Plays about as many games again as there were; false when there is nothing left to do.
    bool step() {
        if (finished()) return false;
        if (report_.depth == 0 && solves_ && solve()) return true;
        stop_->resume();
        const std::uint64_t games = std::min(portion_, left());
        {
            std::vector<std::jthread> others;
            for (std::size_t at = 1; at < threads_; ++at)
                others.emplace_back([this, at, games] { tree_.run(*stop_, games / threads_, at); });
            tree_.run(*stop_, games - games / threads_ * (threads_ - 1));
        }
        portion_ = std::min<std::uint64_t>(2 * portion_, largest_portion);
        record(tree_.lines(lines_), tree_.games());
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

    /// Asks the solver, if it will probably need less than its share of the limits.
    bool solve() {
        if constexpr (has_solver) {
            const std::uint64_t most = solver_nodes();
            const Position& root = tree_.position();
            const float less = lines_ == 1 ? Solver::head_start : 0.0F;
            if (Solver::effort(root) - less > std::log10(static_cast<float>(most))) return false;
            Limits limits;
            if (stop_->limits().time) limits.time = solver_share * *stop_->limits().time;
            Stop stop(limits, interrupted_, Solver::glance, &pauses_);
            solver_was_asked_ = true;
            auto lines = solver_->solve(root, most, lines_, stop);
            if (!lines) return false;
            solved_ = true;
            const double games = static_cast<double>(solver_->nodes()) / Solver::game;
            record(std::move(*lines), static_cast<std::uint64_t>(std::ceil(games)));
        }
        return solved_;
    }
    std::uint64_t solver_nodes() const {
        const Limits& limits = stop_->limits();
        double most = 1e6;
        if (limits.time) most = std::min(most, solver_share * *limits.time * Solver::speed);
        if (limits.simulations)
            most = std::min(most, static_cast<double>(*limits.simulations) * Solver::game);
        return static_cast<std::uint64_t>(most) + 1;
    }

    bool finished() const {
        if (report_.depth == 0) return false;
        return solved_ || stop_->asked() || left() == 0 || tree_.solved() ||
               (stop_->limits().time && tree_.choices() == 1) ||
               (stop_->limits().depth && report_.depth >= *stop_->limits().depth);
    }

    void record(std::vector<Variation<Move>> lines, std::uint64_t nodes) {
        report_.lines = std::move(lines);
        report_.depth = static_cast<int>(report_.lines.front().moves.size());
        report_.nodes = nodes;
        report_.seconds = stop_->asked() ? stop_->end() : stop_->seconds();
        report_.fill = static_cast<int>(1000 * tree_.fill());
    }

    using Solver = typename SolverOf<Policy>::Type;
    static constexpr bool has_solver = requires { typename Policy::Solver; };
    static constexpr double solver_share = 0.4;  ///< of the time

    std::size_t threads_;
    bool solves_;
    Mcts<Position, Policy> tree_;
    std::unique_ptr<Solver> solver_;
    bool solved_ = false;
    bool solver_was_asked_ = false;
    Stop::Interrupted interrupted_;
    Pauses pauses_;
    std::unique_ptr<Stop> stop_;
    std::size_t lines_ = 1;
    std::uint64_t portion_ = 64;
    Report<Move> report_;
};

}  // namespace spielleiter::search
