/// @file
/// How the others seem to play, learnt from the moves they have made in this game.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

#include "core/game.hpp"
#include "core/search/exponential.hpp"
#include "opponent_search.hpp"

namespace spielleiter::reversi {

/// A move that is expected, and how likely it is if the player is what it is taken for.
struct ExpectedMove {
    std::size_t cell;  ///< where the stone is set
    float part;        ///< the parts of all expected moves add up to 1
};
using ExpectedMoves = MoveList<ExpectedMove, 3>;  ///< the likeliest first

/// How long a player may search: until so many nodes are visited, or always so many plies.
class Effort {
  public:
    static constexpr std::size_t counted_in_nodes = 31;         ///< the first ones, up to 8 million
    static constexpr std::size_t count = counted_in_nodes + 6;  ///< of those that are told apart

    /// By its number, which is below `count`.
    explicit constexpr Effort(std::size_t number) : number_(number) {}

    /// Where it ends within a prediction.
    int depth(const Prediction& prediction) const {
        if (number_ < counted_in_nodes) return prediction.depth_within(nodes());
        return std::min(static_cast<int>(number_ - counted_in_nodes) + 1, prediction.depth());
    }
    /// Two fifths more from one to the next; nothing where plies are counted.
    std::uint64_t nodes() const {
        if (number_ >= counted_in_nodes) return 0;
        return std::uint64_t{number_ % 2 == 0 ? 256U : 362U} << (number_ / 2);
    }

  private:
    std::size_t number_;
};

/// What is known of one opponent.
struct Opponent {
    std::size_t profile = 0;                     ///< what it seems to count
    std::array<float, Effort::count> efforts{};  ///< how likely each is; together they are 1
    float accuracy = 0;        ///< the share of its moves that are among the expected ones
    bool is_foreseen = false;  ///< and better than by the tree

    /// What it would do in the position of a prediction.
    ExpectedMoves expected(const Prediction& prediction) const {
        std::array<float, Prediction::deepest + 1> by_depth{};
        for (std::size_t effort = 0; effort < efforts.size(); ++effort)
            by_depth[Effort(effort).depth(prediction)] += efforts[effort];
        MoveList<ExpectedMove, Prediction::deepest> moves;
        for (int depth = 1; depth <= prediction.depth(); ++depth)
            add(moves, prediction.at(depth), by_depth[depth]);
        std::stable_sort(moves.begin(), moves.end(),
                         [](const auto& a, const auto& b) { return a.part > b.part; });
        ExpectedMoves likely;
        float all = 0;
        for (const ExpectedMove& move : moves) {
            if (likely.size() == ExpectedMoves::capacity ||
                (!likely.empty() && move.part < least_part))
                break;
            likely.push_back(move);
            all += move.part;
        }
        for (ExpectedMove& move : likely) move.part /= all;
        return likely;
    }
    /// The effort that is as likely too large as too small.
    std::uint64_t nodes() const { return nodes_at(0.5F); }
    /// Nodes that hardly ever are exceeded.
    std::uint64_t most_nodes() const { return nodes_at(0.95F); }

  private:
    static constexpr float least_part = 0.1F;  ///< what is rarer is not looked at

    template <class Moves>
    static void add(Moves& moves, std::size_t cell, float part) {
        for (ExpectedMove& move : moves) {
            if (move.cell != cell) continue;
            move.part += part;
            return;
        }
        moves.push_back({cell, part});
    }
    std::uint64_t nodes_at(float share) const {
        float rest = 0;
        for (std::size_t effort = 0; effort < Effort::counted_in_nodes; ++effort)
            rest += share * efforts[effort];
        std::size_t effort = 0;
        while (effort + 1 < Effort::counted_in_nodes && rest >= efforts[effort])
            rest -= efforts[effort++];
        return Effort(effort).nodes();
    }
};

/// What is known of all opponents, by seat.
///
/// A player counts something (its profile) and searches for a while (its effort). Every move that a
/// profile or an effort does not explain makes it less likely, also a little for the other seats:
/// who plays at one table often has the same time, and learnt from the same book. Profiles are
/// compared with few nodes; efforts, and how far predictions can be trusted, with many. Where a
/// prediction and the tree differ, it is counted who was right: who plays as the tree expects is
/// left to the tree.
class OpponentModels {
  public:
    using Profiles = std::array<bool, profiles.size()>;  ///< some of them

    /// A player has made a move which short searches under these profiles had expected.
    void compare(Seat seat, const Profiles& foreseen) {
        count(seats_[seat].profile_misses, [&](std::size_t profile) { return foreseen[profile]; });
    }
    /// A player has set a stone on a cell where the search before had made a prediction, and its
    /// tree, if it came that far, had expected a move, too.
    void confirm(Seat seat, const Prediction& prediction, std::optional<std::size_t> of_tree,
                 std::size_t cell) {
        const ExpectedMoves moves = known(seat).expected(prediction);
        Seen& seen = seats_[seat];
        const std::size_t likeliest = moves.begin()->cell;
        if (of_tree && *of_tree != likeliest) {
            seen.advantage *= memory;
            if (likeliest == cell) seen.advantage += 1;
            if (*of_tree == cell) seen.advantage -= 1;
        }
        const bool hit = std::any_of(moves.begin(), moves.end(),
                                     [&](const auto& move) { return move.cell == cell; });
        seen.trials = memory * seen.trials + 1;
        seen.hits = memory * seen.hits + (hit ? 1.0F : 0.0F);
        count(seen.effort_misses, [&](std::size_t effort) {
            return prediction.at(Effort(effort).depth(prediction)) == cell;
        });
    }
    /// So far. Before the first move it is what most players are like.
    Opponent known(Seat seat) const {
        const Seen& seen = seats_[seat];
        Opponent found;
        const auto weights = weights_of_profiles(seat);
        found.profile = static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) -
                                                 weights.begin());
        found.efforts =
            weights_of<Effort::count>(seat, &Seen::effort_misses, per_miss_of_effort, {});
        found.accuracy = seen.hits / seen.trials;
        found.is_foreseen = advantage(seat) > 0 && found.accuracy >= least_accuracy;
        return found;
    }
    /// The profiles that a player may still turn out to have.
    Profiles open(Seat seat) const {
        const auto weights = weights_of_profiles(seat);
        Profiles open{};
        std::transform(weights.begin(), weights.end(), open.begin(),
                       [](float weight) { return weight >= least_weight; });
        return open;
    }

  private:
    template <std::size_t N>
    using Misses = std::array<float, N>;  ///< of each alternative, the last ones count most

    struct Seen {
        Misses<profiles.size()> profile_misses{};
        Misses<Effort::count> effort_misses{};
        // As if six moves had been seen before the first.
        float hits = 3.6F;
        float trials = 6;
        float advantage = 0;  ///< of the predictions over the tree
    };

    // All guessed or chosen on moves of students' clients. What was compared in play stands in
    // docs/lab/reversi.md.
    static constexpr float memory = 0.97F;               ///< what moves before still count
    static constexpr float per_miss_of_effort = 1.39F;   ///< it explains four moves of five
    static constexpr float per_miss_of_profile = 0.41F;  ///< with few nodes, three of five
    static constexpr float from_others = 0.5F;           ///< what moves of another seat count
    static constexpr float first_profile = 1;            ///< it is e times as likely as others
    static constexpr float least_weight = 0.05F;         ///< what is less likely is given up
    static constexpr float least_accuracy = 0.45F;

    template <std::size_t N, class Foreseen>
    static void count(Misses<N>& misses, const Foreseen& foreseen) {
        for (std::size_t each = 0; each < N; ++each)
            misses[each] = memory * misses[each] + (foreseen(each) ? 0.0F : 1.0F);
    }
    /// Of the predictions over the tree: more than nothing if they are to be believed.
    float advantage(Seat seat) const {
        float advantage = 0;
        for (std::size_t other = 0; other < seats_.size(); ++other)
            advantage += seats_[other].advantage * (other == seat ? 1.0F : from_others);
        return advantage;
    }
    /// How likely each alternative is; some begin as if they had missed more.
    template <std::size_t N>
    std::array<float, N> weights_of(Seat seat, Misses<N> Seen::* of, float per_miss,
                                    const Misses<N>& handicaps) const {
        std::array<float, N> weights = handicaps;
        for (std::size_t other = 0; other < seats_.size(); ++other) {
            const float share = per_miss * (other == seat ? 1.0F : from_others);
            for (std::size_t each = 0; each < N; ++each)
                weights[each] += share * (seats_[other].*of)[each];
        }
        const float least = *std::min_element(weights.begin(), weights.end());
        for (float& weight : weights) weight = search::exp_negative(weight - least);
        const float all = std::accumulate(weights.begin(), weights.end(), 0.0F);
        for (float& weight : weights) weight /= all;
        return weights;
    }
    std::array<float, profiles.size()> weights_of_profiles(Seat seat) const {
        Misses<profiles.size()> handicaps;
        handicaps.fill(first_profile);
        handicaps.front() = 0;
        return weights_of<profiles.size()>(seat, &Seen::profile_misses, per_miss_of_profile,
                                           handicaps);
    }

    std::array<Seen, max_seats> seats_{};
};

}  // namespace spielleiter::reversi
