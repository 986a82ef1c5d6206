/// @file
/// The engine: a table and a crew of threads that keep what they learnt from move to move.
///
/// Threads search the same root together (lazy SMP): they share nothing but the table, and what one
/// finds there saves the others work. Only the first one reports.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "deepen.hpp"

namespace spielleiter::search {

struct Options {
    std::size_t megabytes = 64;
    unsigned threads = 1;
    std::uint64_t seed = 0;             ///< only weak players draw lots
    Devices devices{};                  ///< what the search may leave out
    std::vector<std::int16_t> weights;  ///< of the evaluation; none: the fitted ones
    std::string style;                  ///< of search, where a game has several; none: the best
};

/// The search of one thread: alpha-beta, unless the game brings a search of its own. That one is
/// made from the table, the options and the judgement of its thread.
template <class Evaluate>
struct SearchOf {
    using Type = AlphaBeta<typename Evaluate::Node>;
    static Type made(Table& table, const Options& options, const Evaluate&) {
        return Type(table, options.devices, options.seed);
    }
};
template <class Evaluate>
    requires requires { typename Evaluate::Search; }
struct SearchOf<Evaluate> {
    using Type = typename Evaluate::Search;
    static Type made(Table& table, const Options& options, const Evaluate& evaluate) {
        return Type(table, options, evaluate);
    }
};

/// One position after another, each searched iteration by iteration.
template <class Evaluate>
class Engine {
  public:
    using Position = typename Evaluate::Position;
    using N = typename Evaluate::Node;
    using Move = typename N::Move;
    using Search = typename SearchOf<Evaluate>::Type;

    /// `table`: an empty one whose memory is already there; none: the engine makes its own.
    explicit Engine(Options options, std::shared_ptr<Table> table = nullptr)
        : options_(std::move(options)),
          table_(table != nullptr ? std::move(table)
                                  : std::make_shared<Table>(options_.megabytes)) {
        if (!options_.style.empty()) throw UsageError("search has no style " + options_.style);
        hire();
    }

    /// Forgets everything, as if new. Nothing takes no time: a table is large.
    void forget() {
        if (is_new_) return;
        table_->clear();
        hire();
        is_new_ = true;
    }

    /// Prepares a search; `step` does it. The position must have a legal move.
    void begin(const Position& root, Limits limits, std::size_t lines = 1,
               Stop::Interrupted interrupted = {}) {
        stop_ = std::make_unique<Stop>(limits.divided(root, pauses_.longest()),
                                       std::move(interrupted), 512, &pauses_);
        is_new_ = false;
        table_->grow_older();
        for (auto& worker : crew_) worker->begin(root, *stop_, worker == crew_.front());
        lines_ = std::max<std::size_t>(1, lines);
        report_ = {};
    }

    /// Searches one ply deeper; false when there is nothing left to do.
    bool step() {
        if (finished()) return false;
        stop_->resume();
        const int depth = next_depth();
        iterate(depth);
        if (!stop_->asked()) report_.depth = depth;
        record();
        return true;
    }

    const Report<Move>& report() const { return report_; }

    Report<Move> search(const Position& root, Limits limits, std::size_t lines = 1,
                        Stop::Interrupted interrupted = {}) {
        begin(root, limits, lines, std::move(interrupted));
        while (step()) {
        }
        return report_;
    }

  private:
    /// The root that is being searched.
    struct Task {
        Task(const N& node, Search& search) : root(node), deepening(root, search) {}

        N root;
        Deepening<N, Search> deepening;
    };

    /// What one thread works with and remembers.
    struct Worker {
        Worker(const Options& options, Table& table)
            : evaluate(options.weights),
              search(SearchOf<Evaluate>::made(table, options, evaluate)) {}

        void begin(const Position& position, Stop& stop, bool watches) {
            const N root = evaluate.node(position);
            search.begin(stop, watches);
            task = std::make_unique<Task>(root, search);
        }

        Evaluate evaluate;
        Search search;
        std::unique_ptr<Task> task;
    };

    /// Tells the others to come to an end, however the first thread comes to its own.
    struct Dismissal {
        Stop& done;
        ~Dismissal() { done.ask(); }
    };

    void hire() {
        crew_.clear();
        for (unsigned at = 0; at < std::max(1U, options_.threads); ++at)
            crew_.push_back(std::make_unique<Worker>(options_, *table_));
    }

    /// One iteration of the first thread; the others help until it is done.
    void iterate(int depth) {
        Stop done(Limits{});
        std::vector<std::jthread> others;
        const Dismissal dismissal{done};
        for (std::size_t at = 1; at < crew_.size(); ++at) {
            crew_[at]->search.listen(done);
            others.emplace_back([this, at, depth] {
                crew_[at]->task->deepening.iterate(depth + static_cast<int>(at % 2), lines_);
            });
        }
        crew_[0]->task->deepening.iterate(depth, lines_);
    }

    /// One ply more, or what a search that knows better says.
    int next_depth() const {
        const Worker& first = *crew_[0];
        if constexpr (requires { first.search.next_depth(first.task->root, 0); }) {
            if (report_.depth > 0) return first.search.next_depth(first.task->root, report_.depth);
        }
        return report_.depth + 1;
    }
    bool is_final() const {
        const Worker& first = *crew_[0];
        if constexpr (requires { first.search.is_final(first.task->root, 0); }) {
            return first.search.is_final(first.task->root, report_.depth);
        }
        return false;
    }

    /// Also when more depth can change nothing: a certain end is found, or there is no choice and
    /// time to be saved.
    bool finished() const {
        if (stop_->asked() || report_.depth >= max_depth) return true;
        if (stop_->limits().depth && report_.depth >= *stop_->limits().depth) return true;
        if (report_.depth == 0) return false;
        if (is_final()) return true;
        if (crew_[0]->task->deepening.moves() == 1 && stop_->limits().time) return true;
        return lines_ == 1 && is_certain(report_.score()) &&
               win - std::abs(report_.score()) <= report_.depth;
    }

    void record() {
        report_.lines = crew_[0]->task->deepening.lines(lines_);
        report_.nodes = 0;
        for (const auto& worker : crew_) report_.nodes += worker->search.nodes();
        report_.seconds = stop_->asked() ? stop_->end() : stop_->seconds();
        report_.fill = table_->fill();
    }

    Options options_;
    std::shared_ptr<Table> table_;
    std::vector<std::unique_ptr<Worker>> crew_;
    bool is_new_ = true;
    Pauses pauses_;
    std::unique_ptr<Stop> stop_;
    std::size_t lines_ = 1;
    Report<Move> report_;
};

}  // namespace spielleiter::search
