/// @file
/// What a move is worth after the replies that are expected of the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/search/best_first_engine.hpp"
#include "multi_player.hpp"
#include "opponent_model.hpp"
#include "opponent_search.hpp"
#include "position.hpp"

namespace spielleiter::reversi {

/// The limits with a share of their nodes and of their time.
inline search::Limits part_of(search::Limits limits, double share) {
    if (limits.nodes)
        limits.nodes = std::max<std::uint64_t>(
            1, static_cast<std::uint64_t>(share * static_cast<double>(*limits.nodes)));
    if (limits.time) limits.time = share * *limits.time;
    return limits;
}

/// What is needed to judge a move; every thread has its own.
template <class Layout, class TreeEvaluator>
class ExpectedReplies {
  public:
    /// A prediction that may come true.
    struct Foreseen {
        Board<Layout> before;   ///< where the opponent is to move
        Prediction prediction;  ///< its move
    };
    /// What one move may use.
    struct Budget {
        search::Limits predictions;           ///< for all that the others may reply
        search::Limits judging;               ///< for what follows
        std::function<bool(double)> is_late;  ///< whether there is no time for so many seconds
        bool probes;  ///< only to learn later whether the replies can be foreseen
    };

    /// A small tree is enough.
    explicit ExpectedReplies(const search::EngineOptions& options) : tree_(options) {}

    /// Forgets what it had foreseen, and counts nodes anew.
    void begin(const MapGeometry<Layout>& geometry) {
        geometry_ = &geometry;
        foreseen_.clear();
        nodes_ = 0;
    }
    /// Positions visited since then.
    std::uint64_t nodes() const { return nodes_; }
    /// Of the moves judged since then.
    std::span<const Foreseen> foreseen() const { return foreseen_; }

    /// What the player to move would do if it were of a kind.
    Prediction predict(const Board<Layout>& board, std::size_t profile,
                       const search::Limits& limits, const search::Stop::Interrupted& interrupted) {
        search::Stop stop(limits, interrupted);
        const Prediction found = search_.predict(*geometry_, board, profiles[profile], stop);
        nodes_ += search_.nodes();
        return found;
    }

    /// What a move is worth to the player who makes it, where the tree alone says `estimate`;
    /// nothing if there was not enough time.
    std::optional<float> value_of(const Position& root, Move move, float estimate,
                                  const OpponentModels& models, const Budget& budget) {
        const Seat me = root.to_move();
        const int replies = std::max(1, opponents_on(board_of(root)));
        Line first{root, 1, 1, 0};
        first.position.play(move);
        std::vector<Line> open{first};
        float value = 0;
        const auto interrupted = [&budget] { return budget.is_late(0); };
        while (!open.empty()) {
            const Line line = open.back();
            open.pop_back();
            const bool is_end =
                line.position.is_over() || line.position.to_move() == me || line.replies == replies;
            const auto limits = is_end ? part_of(budget.judging, line.part)
                                       : part_of(budget.predictions, line.part / replies);
            if (budget.is_late(limits.time.value_or(0))) return std::nullopt;
            if (is_end) {
                if (budget.probes) continue;
                const float found = judge(line.position, me, limits, interrupted);
                value += line.part * (line.trust * found + (1 - line.trust) * estimate);
                continue;
            }
            // Who is not foreseen today may be tomorrow, so the prediction is made in any case.
            const Board<Layout>& board = board_of(line.position);
            const Opponent known = models.known(board.mover);
            const Prediction found =
                predict(board, known.profile, no_more_than(known, limits), interrupted);
            foreseen_.push_back({board, found});
            if (known.is_foreseen || budget.probes) {
                follow(open, line, known, known.expected(found));
            } else {
                value += line.part * estimate;
            }
        }
        return value;
    }

  private:
    static constexpr float least_part = 0.25F;  ///< rarer lines follow only the likeliest reply

    /// Replies that are expected one after the other.
    struct Line {
        Position position;  ///< after them
        float part;         ///< how likely they are if the others are what they are taken for
        float trust;        ///< in the player who is foreseen least
        int replies;        ///< how many
    };

    static const Board<Layout>& board_of(const Position& position) {
        return std::get<Board<Layout>>(position.board());
    }
    /// Whoever has no stone left never moves again.
    static int opponents_on(const Board<Layout>& board) {
        int opponents = 0;
        for (Seat seat = 0; seat < board.seats; ++seat)
            opponents += seat != board.mover && board.plays(seat) && board.stones[seat].any();
        return opponents;
    }
    /// Nodes that the opponent hardly ever visits tell nothing of it.
    static search::Limits no_more_than(const Opponent& known, search::Limits limits) {
        const std::uint64_t most = known.most_nodes() + known.most_nodes() / 2;
        limits.nodes = std::min(limits.nodes.value_or(most), most);
        return limits;
    }
    static void follow(std::vector<Line>& open, const Line& line, const Opponent& known,
                       const ExpectedMoves& moves) {
        const bool only_one = line.part < least_part;
        for (const ExpectedMove& move : moves) {
            Line next{line.position, only_one ? line.part : line.part * move.part,
                      std::min(line.trust, known.accuracy), line.replies + 1};
            next.position.play(Move::on(board_of(next.position), move.cell));
            open.push_back(next);
            if (only_one) break;
        }
    }
    float judge(const Position& position, Seat me, const search::Limits& limits,
                const search::Stop::Interrupted& interrupted) {
        if (position.is_over()) return ends_.node(position).seat_values()[me];
        tree_.begin(position, limits, 1, interrupted);
        while (tree_.step()) {
        }
        nodes_ += tree_.report().nodes;
        return tree_.ranked(tree_.tree().root()).front()->mean[me];
    }

    const MapGeometry<Layout>* geometry_ = nullptr;
    OpponentSearch<Layout> search_;
    search::BestFirstEngine<TreeEvaluator> tree_;
    TreeEvaluator ends_{{}};
    std::vector<Foreseen> foreseen_;
    std::uint64_t nodes_ = 0;
};

}  // namespace spielleiter::reversi
