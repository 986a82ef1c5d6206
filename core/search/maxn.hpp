/// @file
/// Max^n: every seat plays for its own good, and nobody for or against anybody else. Nothing can be
/// cut off that way, so it looks less far than searches that take the others for one enemy.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "alphabeta.hpp"
#include "several.hpp"

namespace spielleiter::search {

/// A search that `Deepening` can use; `N` has the `table()` it is played on.
template <class N>
class MaxN {
  public:
    using Move = typename N::Move;
    using Scores = std::array<Score, max_seats>;

    MaxN(Devices devices, std::uint64_t seed) : devices_(devices), seed_(seed) {}

    void begin(Stop& stop, bool watches) {
        stop_ = &stop;
        watches_ = watches;
        nodes_ = 0;
        seen_.clear();
    }
    void listen(Stop& stop) { stop_ = &stop; }
    std::uint64_t nodes() const { return nodes_; }
    bool stopped() const { return stop_->asked(); }
    const Devices& devices() const { return devices_; }
    std::span<const Move> variation(int) const { return {}; }
    bool overlooks(const N& node, Move move) const {
        return overlooked(devices_, node.key(), seed_, move.code());
    }

    /// The score of a root's child for the seat at the root. There are no windows: a second
    /// question about the same child has the same answer.
    Score value(const N& node, const N& child, int depth, Score, Score, Path path) {
        const std::uint64_t name = mix(child.key()) + static_cast<std::uint64_t>(depth);
        if (const auto found = seen_.find(name); found != seen_.end()) return found->second;
        const Score score = scores(child.table(), depth, path.ply)[node.table().to_move()];
        if (!stopped()) seen_.emplace(name, score);
        return score;
    }
    Score late_value(const N& node, const N& child, int depth, int, Score alpha, Score beta,
                     Path path) {
        return value(node, child, depth, alpha, beta, path);
    }

  private:
    using Table = typename N::Several;

    Scores scores(const Table& table, int depth, int ply) {
        if (const auto end = table.end()) return ++nodes_, end_scores(*end, ply);
        if (depth <= 0 || ply >= max_depth) return ++nodes_, table.estimates();
        if (visit()) return {};
        const Seat mover = table.to_move();
        Scores best;
        best.fill(-infinite);
        typename N::Moves moves;
        table.list_moves(moves);
        for (const Move move : moves) {
            if (best[mover] != -infinite && overlooked(devices_, table.key(), seed_, move.code()))
                continue;
            Table child = table;
            child.play(move);
            const Scores found = scores(child, depth - 1, ply + 1);
            if (stopped()) return {};
            if (found[mover] > best[mover]) best = found;
        }
        return best;
    }
    static Scores end_scores(const std::array<int, max_seats>& end, int ply) {
        Scores scores{};
        for (std::size_t seat = 0; seat < max_seats; ++seat)
            scores[seat] = end_score(end[seat], ply);
        return scores;
    }
    bool visit() {
        ++nodes_;
        return watches_ ? stop_->now(nodes_) : stop_->asked();
    }

    Devices devices_;
    std::uint64_t seed_;
    Stop* stop_ = nullptr;
    bool watches_ = false;
    std::uint64_t nodes_ = 0;
    std::unordered_map<std::uint64_t, Score> seen_;
};

}  // namespace spielleiter::search
