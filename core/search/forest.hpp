/// @file
/// Tree search as an engine: the face of `Mcts` that is the same as that of `Engine`.
///
/// Every thread grows a tree of its own from its own lots, and the visits at the roots are added
/// up.
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

    Forest(std::size_t megabytes, unsigned threads, std::uint64_t seed) {
        const unsigned count = std::max(1U, threads);
        for (unsigned at = 0; at < count; ++at)
            trees_.push_back(std::make_unique<Tree>(mix(seed + at), megabytes / count));
    }

    void forget() {
        for (auto& tree : trees_) tree->forget();
    }

    void begin(const Position& root, Limits limits, std::size_t lines = 1,
               Stop::Interrupted interrupted = {}) {
        if (!limits.simulations) limits.simulations = limits.nodes;
        limits.nodes.reset();
        stop_ = std::make_unique<Stop>(limits, std::move(interrupted));
        for (auto& tree : trees_) tree->begin(root);
        lines_ = std::max<std::size_t>(1, lines);
        portion_ = 64;
        report_ = {};
    }

    /// Plays about as many games again as there were; false when there is nothing left to do.
    bool step() {
        if (finished()) return false;
        const std::uint64_t games = std::min(portion_, left());
        {
            std::vector<std::jthread> others;
            for (std::size_t at = 1; at < trees_.size(); ++at) {
                others.emplace_back([this, at, games] {
                    Stop never(Limits{});
                    trees_[at]->run(never, games);
                });
            }
            trees_[0]->run(*stop_, games);
        }
        portion_ = std::min<std::uint64_t>(2 * portion_, largest_portion);
        record();
        return true;
    }

    const Report<Move>& report() const { return report_; }

  private:
    using Tree = Mcts<Position, Policy>;
    /// Threads that only follow the first one are late by less than this many games.
    static constexpr std::uint64_t largest_portion = 2048;

    std::uint64_t left() const {
        const auto& limit = stop_->limits().simulations;
        const std::uint64_t done = trees_[0]->games();
        return !limit ? largest_portion : *limit > done ? *limit - done : 0;
    }

    bool finished() const {
        if (report_.depth == 0) return false;
        return stop_->asked() || left() == 0 || trees_[0]->solved() ||
               (stop_->limits().time && trees_[0]->choices() == 1) ||
               (stop_->limits().depth && report_.depth >= *stop_->limits().depth);
    }

    void record() {
        report_.lines = trees_[0]->lines(trees_.size() > 1 ? trees_[0]->choices() : lines_);
        if (trees_.size() > 1) vote();
        report_.depth = static_cast<int>(report_.lines.front().moves.size());
        report_.nodes = 0;
        for (const auto& tree : trees_) report_.nodes += tree->games();
        report_.seconds = stop_->seconds();
        report_.fill = static_cast<int>(1000 * trees_[0]->fill());
    }

    /// The lines of the first tree in the order of all trees' visits; certain ones keep their
    /// place.
    void vote() {
        const auto visits = [&](const Variation<Move>& line) {
            double sum = is_certain(line.score) ? (line.score > 0 ? 1e12 : -1e12) : 0;
            for (const auto& tree : trees_) sum += tree->visits(line.moves.front());
            return sum;
        };
        std::stable_sort(report_.lines.begin(), report_.lines.end(),
                         [&](const auto& a, const auto& b) { return visits(a) > visits(b); });
        report_.lines.resize(std::min(report_.lines.size(), lines_));
    }

    std::vector<std::unique_ptr<Tree>> trees_;
    std::unique_ptr<Stop> stop_;
    std::size_t lines_ = 1;
    std::uint64_t portion_ = 64;
    Report<Move> report_;
};

}  // namespace spielleiter::search
