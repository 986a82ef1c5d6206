/// @file
/// Alpha-beta as an engine: a transposition table and threads that keep what they learnt from move
/// to move.
///
/// Threads search the same root together (lazy SMP): they share nothing but the table, and what one
/// finds there saves the others work. Only the first one reports.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "engine.hpp"
#include "iterative_deepening.hpp"

namespace spielleiter::search {

/// The search of one thread: alpha-beta, unless the game brings a search of its own. That one is
/// made from the table, the options and the evaluation of its thread.
template <class Evaluate>
struct SearchOf {
    /// What one thread searches with.
    using Type = AlphaBeta<typename Evaluate::Node>;
    /// A new one.
    static Type made(TranspositionTable& table, const EngineOptions& options, const Evaluate&) {
        return Type(table, options.pruning, options.seed);
    }
};
/// A search that the game brings.
template <class Evaluate>
    requires requires { typename Evaluate::Search; }
struct SearchOf<Evaluate> {
    /// What one thread searches with.
    using Type = typename Evaluate::Search;
    /// A new one.
    static Type made(TranspositionTable& table, const EngineOptions& options,
                     const Evaluate& evaluate) {
        return Type(table, options, evaluate);
    }
};

/// One position after another, each searched iteration by iteration. `Evaluate` makes the nodes of
/// positions.
template <class Evaluate>
class AlphaBetaEngine {
  public:
    using Position = typename Evaluate::Position;      ///< what is searched
    using N = typename Evaluate::Node;                 ///< a position made for being searched
    using Move = typename N::Move;                     ///< of the reports
    using Search = typename SearchOf<Evaluate>::Type;  ///< of one thread

    /// `table`: an empty one whose memory is already there; none: the engine makes its own.
    explicit AlphaBetaEngine(EngineOptions options,
                             std::shared_ptr<TranspositionTable> table = nullptr)
        : options_(std::move(options)),
          table_(table != nullptr ? std::move(table)
                                  : std::make_shared<TranspositionTable>(options_.megabytes)) {
        if (!options_.style.empty()) throw UsageError("search has no style " + options_.style);
        make_workers();
    }

    /// Forgets everything, as if new. A new engine has nothing to do: clearing a table takes time.
    void forget() {
        if (is_new_) return;
        table_->clear();
        make_workers();
        is_new_ = true;
    }

    /// Prepares a search; `step` does it. The position must have a legal move.
    void begin(const Position& root, Limits limits, std::size_t lines = 1,
               Stop::Interrupted interrupted = {}) {
        progress_.begin(root, limits, lines, std::move(interrupted), Stop::default_interval);
        is_new_ = false;
        table_->new_search();
        for (auto& worker : workers_)
            worker->begin(root, progress_.stop(), worker == workers_.front());
    }

    /// Searches one ply deeper; false when there is nothing left to do.
    bool step() {
        if (finished()) return false;
        progress_.stop().resume();
        const int depth = next_depth();
        iterate(depth);
        record(progress_.stop().requested() ? report().depth : depth);
        return true;
    }

    /// What was found so far.
    const Report<Move>& report() const { return progress_.report(); }
    /// Ends the search at its next node.
    void stop() { progress_.request_stop(); }

  private:
    /// The root that is being searched.
    struct Task {
        Task(const N& node, Search& search) : root(node), deepening(root, search) {}

        N root;
        IterativeDeepening<N, Search> deepening;
    };

    /// What one thread works with and remembers.
    struct Worker {
        Worker(const EngineOptions& options, TranspositionTable& table)
            : evaluate(options.weights),
              search(SearchOf<Evaluate>::made(table, options, evaluate)) {}

        void begin(const Position& position, Stop& stop, bool checks_limits) {
            const N root = evaluate.node(position);
            search.begin(stop, checks_limits);
            if constexpr (requires { search.set_root(root); }) search.set_root(root);
            task = std::make_unique<Task>(root, search);
        }

        Evaluate evaluate;
        Search search;
        std::unique_ptr<Task> task;
    };

    /// Ends the other threads, however the first one leaves its iteration.
    struct StopOnExit {
        Stop& done;
        ~StopOnExit() { done.request(); }
    };

    void make_workers() {
        workers_.clear();
        for (unsigned at = 0; at < std::max(1U, options_.threads); ++at)
            workers_.push_back(std::make_unique<Worker>(options_, *table_));
    }

    /// One iteration of the first thread; the others help until it is done.
    void iterate(int depth) {
        const std::size_t lines = progress_.lines();
        Stop done(Limits{});
        std::vector<std::jthread> others;
        const StopOnExit stop_others{done};
        for (std::size_t at = 1; at < workers_.size(); ++at) {
            workers_[at]->search.listen(done);
            others.emplace_back([this, at, depth, lines] {
                workers_[at]->task->deepening.iterate(depth + static_cast<int>(at % 2), lines);
            });
        }
        workers_[0]->task->deepening.iterate(depth, lines);
    }

    /// One ply more, or what a search that knows better says.
    int next_depth() const {
        const Worker& first = *workers_[0];
        if constexpr (requires { first.search.next_depth(first.task->root, 0); }) {
            if (report().depth > 0)
                return first.search.next_depth(first.task->root, report().depth);
        }
        return report().depth + 1;
    }
    /// Whether a search of so many plies went to the end of the game everywhere.
    bool is_final(int depth) const {
        const Worker& first = *workers_[0];
        if constexpr (requires { first.search.is_final(first.task->root, 0); }) {
            return first.search.is_final(first.task->root, depth);
        } else if constexpr (requires { first.task->root.plies_left(); }) {
            return first.search.pruning().is_exact() && depth >= first.task->root.plies_left();
        }
        return false;
    }

    /// Also when more depth can change nothing: a certain result is found, or there is only one
    /// move and time to be saved.
    bool finished() const {
        const Limits& limits = progress_.limits();
        const int depth = report().depth;
        if (progress_.stop().requested() || depth >= max_depth) return true;
        if (limits.depth && depth >= *limits.depth) return true;
        if (depth == 0) return false;
        if (is_final(depth)) return true;
        if (workers_[0]->task->deepening.moves() == 1 && limits.time) return true;
        return progress_.lines() == 1 && is_certain(report().score()) &&
               win - std::abs(report().score()) <= depth;
    }

    void record(int depth) {
        std::uint64_t nodes = 0;
        for (const auto& worker : workers_) nodes += worker->search.nodes();
        auto lines = workers_[0]->task->deepening.lines(progress_.lines());
        if (proves_draws(depth)) {
            for (auto& line : lines) line.drawn = !is_certain(line.score);
        }
        progress_.record(std::move(lines), depth, nodes, table_->fill());
    }

    /// Where nothing was estimated or overlooked, what is neither won nor lost is a draw.
    bool proves_draws(int depth) const {
        return !progress_.stop().requested() && is_final(depth) && options_.pruning.overlooked == 0;
    }

    EngineOptions options_;
    std::shared_ptr<TranspositionTable> table_;
    std::vector<std::unique_ptr<Worker>> workers_;
    bool is_new_ = true;
    SearchProgress<Move> progress_;
};

}  // namespace spielleiter::search
