/// @file
/// Best-first search as an engine.
///
/// All threads work on one tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "best_first_tree.hpp"
#include "engine.hpp"
#include "score.hpp"

namespace spielleiter::search {

/// `Evaluate` makes the nodes of positions, as for `AlphaBetaEngine`.
template <class Evaluate>
class BestFirstEngine {
  public:
    using Position = typename Evaluate::Position;          ///< what is searched
    using N = typename Evaluate::Node;                     ///< a position made for being searched
    using Move = typename N::Move;                         ///< of the reports
    using TreeNode = typename BestFirstTree<N>::TreeNode;  ///< a move of the tree

    /// `pruning_time`: seconds that it is expected to take to prune a megabyte of the tree.
    explicit BestFirstEngine(const EngineOptions& options, double pruning_time = 0.001)
        : threads_(std::max(1U, options.threads)),
          evaluate_(options.weights),
          tree_(options.megabytes, options.pruning, options.seed),
          pruning_time_(pruning_time * static_cast<double>(options.megabytes)) {}

    /// Does nothing: no tree is kept from move to move.
    void forget() {}

    /// Prepares a search; `step` does it. The position must have a legal move.
    void begin(const Position& root, Limits limits, std::size_t lines = 1,
               Stop::Interrupted interrupted = {}) {
        if (limits.depth)
            limits.nodes =
                std::min(limits.nodes.value_or(~std::uint64_t{0}), nodes_for(*limits.depth));
        progress_.begin(root, limits, lines, std::move(interrupted), check_interval);
        tree_.begin(evaluate_.node(root), limits.depth.value_or(max_depth));
        portion_ = first_portion;
    }

    /// Grows the tree to about twice its size; false when there is nothing left to do.
    bool step() {
        if (finished()) return false;
        progress_.stop().resume();
        const std::uint64_t until = tree_.nodes() + portion_;
        while (has_room()) {
            if (grow(until)) break;
        }
        portion_ = std::min(2 * portion_, largest_portion);
        record();
        return true;
    }

    /// What was found so far.
    const Report<Move>& report() const { return progress_.report(); }
    /// Ends the search at its next node.
    void stop() { progress_.request_stop(); }

    /// The tree of the last search.
    const BestFirstTree<N>& tree() const { return tree_; }
    /// The children of a node, the move to be played first.
    std::vector<const TreeNode*> ranked(const TreeNode& node) const {
        std::vector<const TreeNode*> order;
        for (const TreeNode* at = tree_.begin_of(node); at != tree_.end_of(node); ++at)
            order.push_back(at);
        std::stable_sort(order.begin(), order.end(), [&](const TreeNode* a, const TreeNode* b) {
            return tree_.prefers(node, *a, *b);
        });
        return order;
    }
    /// A move at the root and what is expected to follow.
    Variation<Move> line_from(const TreeNode& first) const {
        Variation<Move> line;
        const TreeNode* at = &first;
        while (true) {
            line.moves.push_back(Move::coded(at->move));
            if (at->children == 0) break;
            const TreeNode* next = tree_.begin_of(*at);
            for (const TreeNode* other = next; other != tree_.end_of(*at); ++other) {
                if (tree_.prefers(*at, *other, *next)) next = other;
            }
            at = next;
        }
        line.score = score_from(first, static_cast<int>(line.moves.size()));
        return line;
    }
    /// Seconds that the system kept the last searches from running at most.
    double longest_delay() { return progress_.delays().longest(); }

  private:
    static constexpr std::uint64_t check_interval = 128;  ///< a node estimates all its children
    static constexpr std::uint64_t first_portion = 64;
    static constexpr std::uint64_t largest_portion = 1U << 17U;

    /// A tree has no plies to finish: a depth stands for about the nodes that it takes elsewhere.
    static std::uint64_t nodes_for(int depth) {
        return std::uint64_t{64} << static_cast<unsigned>(2 * std::min(depth, 9));
    }

    /// Grows the tree until it has so many nodes or is full; tells whether that is all for now.
    bool grow(std::uint64_t until) {
        Stop& stop = progress_.stop();
        const auto done = [&] { return tree_.solved() || tree_.nodes() >= until; };
        std::vector<std::jthread> others;
        others.reserve(threads_ - 1);
        for (std::size_t at = 1; at < threads_; ++at)
            others.emplace_back([&] {
                while (!stop.requested() && !done() && !tree_.is_full()) tree_.descend();
            });
        bool all = false;
        while (!all && !tree_.is_full()) {
            tree_.descend();
            all = stop.check(tree_.nodes()) || done();
        }
        return all;
    }

    /// Makes room in a full tree. Nobody checks the clock meanwhile: without the time for that, the
    /// search is over.
    bool has_room() {
        if (!tree_.is_full()) return true;
        Stop& stop = progress_.stop();
        if (!stop.allows(pruning_time_)) return false;
        const double begin = stop.seconds();
        tree_.prune();
        pruning_time_ = std::max(0.9 * pruning_time_, stop.seconds() - begin);
        stop.resume();
        return true;
    }

    bool finished() const {
        if (report().depth == 0) return false;
        return progress_.stop().requested() || tree_.solved() ||
               (progress_.limits().time && tree_.root().children == 1);
    }

    void record() {
        std::vector<Variation<Move>> lines;
        for (const TreeNode* node : ranked(tree_.root())) {
            if (lines.size() == progress_.lines()) break;
            lines.push_back(line_from(*node));
        }
        if (progress_.lines() > 1) sort_by_score(lines);
        progress_.record_tree(std::move(lines), tree_.nodes(), tree_.fill());
    }

    /// A result that stands whatever the others do is reported as certain; a first rank that is
    /// shared counts as even.
    Score score_from(const TreeNode& node, int plies) const {
        if (BestFirstTree<N>::is_sure(node)) return win - plies;
        const Standing best = node.status.best();
        if (best == Standing::behind) return plies - win;
        if (node.status.worst() == Standing::shared && best == Standing::shared) return 0;
        return score_of(node.mean[tree_.root().mover]);
    }

    std::size_t threads_;
    Evaluate evaluate_;
    BestFirstTree<N> tree_;
    double pruning_time_;  ///< seconds that pruning takes, as far as is known
    std::uint64_t portion_ = first_portion;
    SearchProgress<Move> progress_;
};

}  // namespace spielleiter::search
