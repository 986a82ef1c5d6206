/// @file
/// Monte Carlo tree search as an engine.
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

#include "engine.hpp"
#include "mcts.hpp"

namespace spielleiter::search {

/// The endgame solver of a policy: none, unless it brings one.
template <class Policy>
struct SolverOf {
    /// Stands for no solver.
    struct Type {};
};
/// A solver that the policy brings.
template <class Policy>
    requires requires { typename Policy::Solver; }
struct SolverOf<Policy> {
    /// Solves the endgames of the policy's game.
    using Type = typename Policy::Solver;
};

/// Tree search by games played out; the tree is kept from move to move.
template <class Policy>
class MctsEngine {
  public:
    using Position = typename Policy::Position;  ///< what is searched
    using Move = typename Position::Move;        ///< of the reports

    /// Nodes are games: both limits mean the same.
    static constexpr bool plays_out = true;

    /// The tree may take so many megabytes; its memory is taken at once.
    MctsEngine(std::size_t megabytes, unsigned threads, std::uint64_t seed,
               const MctsTuning& tuning = tuning_of<Policy>(), const Policy& policy = Policy())
        : threads_(std::max(1U, threads)),
          solves_(tuning.solver && tuning.overlooked == 0),
          tree_(seed, megabytes, threads_, tuning, policy),
          pruning_time_(pruning_time * static_cast<double>(megabytes)) {
        if constexpr (has_solver) {
            if (solves_) solver_ = std::make_unique<Solver>();  // its memory, before the clock runs
        }
    }

    /// Forgets the tree, as if new.
    void forget() {
        tree_.forget();
        if constexpr (has_solver) {
            if (solver_was_asked_) solver_->forget();
        }
        solver_was_asked_ = false;
    }

    /// Prepares a search; `step` does it. The position must have a legal move.
    void begin(const Position& root, Limits limits, std::size_t lines = 1,
               Stop::Interrupted interrupted = {}) {
        if (!limits.simulations) limits.simulations = limits.nodes;
        limits.nodes.reset();
        progress_.begin(root, limits, lines, interrupted, check_interval);
        interrupted_ = std::move(interrupted);
        solved_ = false;
        tree_.begin(root, progress_.lines());
        portion_ = first_portion;
    }

    /// Plays about as many games again as there were; false when there is nothing left to do.
    bool step() {
        if (finished()) return false;
        if (report().depth == 0 && solves_ && solve()) return true;
        make_room();
        progress_.stop().resume();
        play_games(std::min(portion_, left()));
        portion_ = std::min<std::uint64_t>(2 * portion_, largest_portion);
        progress_.record_tree(tree_.lines(progress_.lines()), tree_.games(), tree_.fill());
        return true;
    }

    /// What was found so far.
    const Report<Move>& report() const { return progress_.report(); }
    /// Ends the search at its next game.
    void stop() { progress_.request_stop(); }

  private:
    static constexpr double pruning_time = 0.002;  ///< seconds expected for a megabyte
    static constexpr std::uint64_t first_portion = 64;
    static constexpr std::uint64_t largest_portion = 2048;
    static constexpr std::uint64_t check_interval = 4;  ///< a game takes much longer than a node

    /// Prunes a full tree. Nobody checks the clock meanwhile: without the time for that, the search
    /// goes on with the nodes that there are.
    void make_room() {
        Stop& stop = progress_.stop();
        if (!tree_.full() || !stop.has_time_for(pruning_time_)) return;
        const double begin = stop.seconds();
        tree_.prune();
        pruning_time_ = std::max(0.9 * pruning_time_, stop.seconds() - begin);
    }

    void play_games(std::uint64_t games) {
        Stop& stop = progress_.stop();
        std::vector<std::jthread> others;
        for (std::size_t at = 1; at < threads_; ++at)
            others.emplace_back([&, at] { tree_.run(stop, games / threads_, at); });
        tree_.run(stop, games - games / threads_ * (threads_ - 1));
    }

    std::uint64_t left() const {
        const auto& limit = progress_.limits().simulations;
        const std::uint64_t done = tree_.games();
        return !limit ? largest_portion : *limit > done ? *limit - done : 0;
    }

    /// Asks the solver, if it will probably need less than its share of the limits.
    bool solve() {
        if constexpr (has_solver) {
            const std::uint64_t most = solver_nodes();
            const Position& root = tree_.position();
            const float less = progress_.lines() == 1 ? Solver::head_start : 0.0F;
            if (Solver::effort(root) - less > std::log10(static_cast<float>(most))) return false;
            Limits limits;
            if (progress_.limits().time) limits.time = solver_share * *progress_.limits().time;
            Stop stop(limits, interrupted_, Solver::check_interval, &progress_.delays());
            solver_was_asked_ = true;
            auto lines = solver_->solve(root, most, progress_.lines(), stop);
            if (!lines) return false;
            solved_ = true;
            const double games = static_cast<double>(solver_->nodes()) / Solver::game;
            progress_.record_tree(std::move(*lines), static_cast<std::uint64_t>(std::ceil(games)),
                                  tree_.fill());
        }
        return solved_;
    }
    std::uint64_t solver_nodes() const {
        constexpr double without_limit = 1e6;  // about two seconds
        constexpr double most_nodes = 1e9;
        const Limits& limits = progress_.limits();
        double most = limits.time || limits.simulations ? most_nodes : without_limit;
        if (limits.time) most = std::min(most, solver_share * *limits.time * Solver::speed);
        if (limits.simulations)
            most = std::min(most, static_cast<double>(*limits.simulations) * Solver::game);
        return static_cast<std::uint64_t>(most) + 1;
    }

    bool finished() const {
        if (report().depth == 0) return false;
        const Limits& limits = progress_.limits();
        return solved_ || progress_.stop().requested() || left() == 0 || tree_.solved() ||
               (limits.time && tree_.choices() == 1) ||
               (limits.depth && report().depth >= *limits.depth);
    }

    using Solver = typename SolverOf<Policy>::Type;
    static constexpr bool has_solver = requires { typename Policy::Solver; };
    static constexpr double solver_share = 0.4;  ///< of the time (guessed)

    std::size_t threads_;
    bool solves_;
    Mcts<Position, Policy> tree_;
    std::unique_ptr<Solver> solver_;
    bool solved_ = false;
    bool solver_was_asked_ = false;
    Stop::Interrupted interrupted_;
    std::uint64_t portion_ = first_portion;
    double pruning_time_;  ///< seconds that pruning takes, as far as is known
    SearchProgress<Move> progress_;
};

}  // namespace spielleiter::search
