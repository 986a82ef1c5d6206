/// @file
/// Best-first search as an engine: the face of `BestFirst` that is the same as that of `Engine`.
///
/// One thread grows the tree; more would only help if moves took long to estimate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bestfirst.hpp"
#include "engine.hpp"
#include "report.hpp"
#include "score.hpp"

namespace spielleiter::search {

/// A hope in the unit of scores, far from certain ends.
inline Score score_of(float hope) {
    const float bounded = std::clamp(hope, 0.001F, 0.999F);
    return static_cast<Score>(std::lround(400.0F * std::log10(bounded / (1.0F - bounded))));
}

/// `Evaluate` makes the nodes of positions, as for `Engine`.
template <class Evaluate>
class Growth {
  public:
    using Position = typename Evaluate::Position;
    using N = typename Evaluate::Node;
    using Move = typename N::Move;

    /// `thinning`: seconds that it is expected to take to thin out a megabyte of the tree.
    explicit Growth(const Options& options, double thinning = 0.001)
        : evaluate_(options.weights),
          tree_(options.megabytes, options.devices, options.seed),
          thinning_(thinning * static_cast<double>(options.megabytes)) {}

    /// Nothing is kept from move to move.
    void forget() {}

    void begin(const Position& root, Limits limits, std::size_t lines = 1,
               Stop::Interrupted interrupted = {}) {
        if (limits.depth)
            limits.nodes =
                std::min(limits.nodes.value_or(~std::uint64_t{0}), nodes_for(*limits.depth));
        stop_ = std::make_unique<Stop>(limits.divided(root, pauses_.longest()),
                                       std::move(interrupted), glance, &pauses_);
        tree_.begin(evaluate_.node(root), limits.depth.value_or(max_depth));
        lines_ = std::max<std::size_t>(1, lines);
        portion_ = 64;
        report_ = {};
    }

    /// Grows the tree to about twice its size; false when there is nothing left to do.
    bool step() {
        if (finished()) return false;
        stop_->resume();
        const std::uint64_t until = tree_.nodes() + portion_;
        while (has_room()) {
            tree_.descend();
            if (stop_->now(tree_.nodes()) || tree_.solved() || tree_.nodes() >= until) break;
        }
        portion_ = std::min(2 * portion_, largest_portion);
        record();
        return true;
    }

    const Report<Move>& report() const { return report_; }

  private:
    using Branch = typename BestFirst<N>::Branch;
    static constexpr std::uint64_t glance = 128;
    static constexpr std::uint64_t largest_portion = 1U << 17U;

    /// A tree has no plies to finish: a depth stands for about the nodes that it takes elsewhere.
    static std::uint64_t nodes_for(int depth) {
        return std::uint64_t{64} << static_cast<unsigned>(2 * std::min(depth, 9));
    }

    /// Makes room in a full tree. Nobody looks at the clock meanwhile: without the time for that,
    /// the search is over.
    bool has_room() {
        if (!tree_.is_full()) return true;
        if (!stop_->allows(thinning_)) return false;
        const double begin = stop_->seconds();
        tree_.thin_out();
        thinning_ = std::max(0.9 * thinning_, stop_->seconds() - begin);
        stop_->resume();
        return true;
    }

    bool finished() const {
        if (report_.depth == 0) return false;
        return stop_->asked() || tree_.solved() ||
               (stop_->limits().time && tree_.root().children == 1);
    }

    void record() {
        report_.lines.clear();
        for (const Branch* branch : ranked(tree_.root())) {
            if (report_.lines.size() == lines_) break;
            report_.lines.push_back(line_from(*branch));
        }
        if (lines_ > 1) sort_by_score(report_.lines);
        report_.depth = static_cast<int>(report_.lines.front().moves.size());
        report_.nodes = tree_.nodes();
        report_.seconds = stop_->asked() ? stop_->end() : stop_->seconds();
        report_.fill = static_cast<int>(1000 * tree_.fill());
    }

    static void sort_by_score(std::vector<Variation<Move>>& lines) {
        std::stable_sort(lines.begin(), lines.end(),
                         [](const auto& a, const auto& b) { return a.score > b.score; });
    }

    /// The moves behind a branch, the one to be played first.
    std::vector<const Branch*> ranked(const Branch& branch) const {
        std::vector<const Branch*> order;
        for (const Branch* at = tree_.begin_of(branch); at != tree_.end_of(branch); ++at)
            order.push_back(at);
        std::stable_sort(order.begin(), order.end(), [&](const Branch* a, const Branch* b) {
            return tree_.prefers(branch, *a, *b);
        });
        return order;
    }

    Variation<Move> line_from(const Branch& first) const {
        Variation<Move> line;
        const Branch* at = &first;
        while (true) {
            line.moves.push_back(Move::coded(at->move));
            if (at->children == 0) break;
            const Branch* next = tree_.begin_of(*at);
            for (const Branch* other = next; other != tree_.end_of(*at); ++other) {
                if (tree_.prefers(*at, *other, *next)) next = other;
            }
            at = next;
        }
        line.score = score_from(first, static_cast<int>(line.moves.size()));
        return line;
    }

    /// What is certain whatever the others do is said so; a first rank that is shared counts as
    /// even.
    Score score_from(const Branch& branch, int plies) const {
        if (BestFirst<N>::is_sure(branch)) return win - plies;
        if (branch.best == Standing::behind) return plies - win;
        if (branch.worst == Standing::shared && branch.best == Standing::shared) return 0;
        return score_of(branch.mean[tree_.root().mover]);
    }

    Evaluate evaluate_;
    BestFirst<N> tree_;
    double thinning_;  ///< seconds that thinning out takes, as far as is known
    Pauses pauses_;
    std::unique_ptr<Stop> stop_;
    std::size_t lines_ = 1;
    std::uint64_t portion_ = 64;
    Report<Move> report_;
};

}  // namespace spielleiter::search
