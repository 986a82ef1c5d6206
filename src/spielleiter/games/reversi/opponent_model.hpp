/// @file
/// How one of the others seems to play, learnt from the moves it has made in this game.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "core/game.hpp"
#include "opponent_search.hpp"

namespace spielleiter::reversi {

/// A move that is expected, and how likely it is if the player is what it is taken for.
struct ExpectedMove {
    std::size_t cell;  ///< where the stone is set
    float part;        ///< the parts of all expected moves add up to 1
};
using ExpectedMoves = MoveList<ExpectedMove, 3>;  ///< the likeliest first

/// What is known of one opponent: which profile foresees its moves, and how often.
///
/// Many profiles are compared with few nodes, to find out which one fits; how far it can be trusted
/// is counted from the predictions that were made with many. The last ones count most, for a
/// profile that does not fit is soon replaced by another one. Where a prediction and the tree
/// differ, it is counted who was right: who plays as the tree expects is left to the tree.
class OpponentModel {
  public:
    /// What foresees most.
    struct Best {
        std::size_t profile = 0;   ///< its number
        int depth = 0;             ///< see `depths`
        float accuracy = 0;        ///< the share of moves that it foresees, as far as is known
        bool is_foreseen = false;  ///< and better than by the tree
    };

    /// The opponent has set a stone on a cell, and this is what a short search had expected.
    void compare(std::size_t profile, const Prediction& prediction, std::size_t cell) {
        count(compared_[profile], prediction, cell, 1);
    }
    /// The same for the prediction of the search before, whose tree had expected a move, too, if
    /// it came that far.
    void confirm(const Prediction& prediction, std::optional<std::size_t> of_tree,
                 std::size_t cell) {
        const std::size_t foreseen = prediction.at(plies(prediction, best().depth));
        if (of_tree && *of_tree != foreseen) {
            advantage_ *= memory;
            if (foreseen == cell) advantage_ += 1;
            if (*of_tree == cell) advantage_ -= 1;
        }
        count(confirmed_, prediction, cell, memory);
    }
    /// So far. Before the first move it is what most players are like.
    Best best() const {
        Best found;
        for (std::size_t profile = 1; profile < profiles.size(); ++profile) {
            if (most(compared_[profile]) > most(compared_[found.profile])) found.profile = profile;
        }
        for (std::size_t at = 0; at < depths.size(); ++at) {
            const float accuracy = confirmed_[at].accuracy();
            if (accuracy > found.accuracy) found.accuracy = accuracy, found.depth = depths[at];
        }
        found.is_foreseen = advantage_ >= 0 && found.accuracy >= least_accuracy;
        return found;
    }
    /// Whether a profile may still turn out to be the best one.
    bool is_open(std::size_t profile) const {
        return most(compared_[profile]) + tolerance >= most(compared_[best().profile]);
    }

    /// What a player of this kind is expected to do: players look a ply further at times, or less
    /// far.
    static ExpectedMoves expected(const Best& best, const Prediction& prediction) {
        const int depth = plies(prediction, best.depth);
        ExpectedMoves moves;
        add(moves, prediction.at(depth), as_deep);
        add(moves, prediction.at(depth - 1), less_deep);
        add(moves, prediction.at(depth + 1), deeper);
        return moves;
    }

  private:
    /// Plies that a player looks ahead, or, up to 0, how many less than our search of its move.
    static constexpr std::array<int, 8> depths{0, -1, -2, 1, 2, 3, 4, 5};
    // All guessed. What was compared in play stands in docs/lab/reversi.md.
    static constexpr float as_deep = 0.6F;
    static constexpr float less_deep = 0.25F;
    static constexpr float deeper = 0.15F;
    static constexpr float tolerance = 0.25F;  ///< a profile this much worse is given up

    static constexpr float memory = 0.95F;  ///< what the predictions before still count
    static constexpr float least_accuracy = 0.45F;
    /// One reply that only the tree foresaw is enough.
    static constexpr float first_advantage = 0.5F;

    struct Record {
        // As if six moves had been seen before the first.
        float hits = 3.6F;
        float trials = 6;
        float accuracy() const { return hits / trials; }
    };
    using Records = std::array<Record, depths.size()>;

    static void count(Records& records, const Prediction& prediction, std::size_t cell,
                      float memory) {
        for (std::size_t at = 0; at < depths.size(); ++at) {
            const bool hit = prediction.at(plies(prediction, depths[at])) == cell;
            records[at].trials = memory * records[at].trials + 1;
            records[at].hits = memory * records[at].hits + (hit ? 1.0F : 0.0F);
        }
    }
    static float most(const Records& records) {
        float most = 0;
        for (const Record& record : records) most = std::max(most, record.accuracy());
        return most;
    }
    static int plies(const Prediction& prediction, int depth) {
        return std::clamp(depth > 0 ? depth : prediction.depth() + depth, 1, prediction.depth());
    }
    static void add(ExpectedMoves& moves, std::size_t cell, float part) {
        for (ExpectedMove& move : moves) {
            if (move.cell != cell) continue;
            move.part += part;
            return;
        }
        moves.push_back({cell, part});
    }

    std::array<Records, profiles.size()> compared_{};
    Records confirmed_{};
    float advantage_ = first_advantage;  ///< of the predictions over the tree
};

}  // namespace spielleiter::reversi
