/// @file
/// The engine that plays among three and four: best-first search, and a look at what the others
/// will reply.
///
/// Best-first search takes the others for players who want the first rank. Most programs want
/// something else, and whoever knows their next replies gains more than by any depth. So the engine
/// remembers the moves of the others, finds out what kind of player foresees them
/// (`opponent_model.hpp`), and judges its best moves once more by what comes after the replies that
/// it expects (`expected_replies.hpp`). How much that counts follows from how many moves were
/// foreseen.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "core/search/best_first_engine.hpp"
#include "expected_replies.hpp"
#include "moves_between.hpp"
#include "multi_player.hpp"
#include "opponent_model.hpp"
#include "position.hpp"

namespace spielleiter::reversi {

/// Searches one position of a game after another and learns in between how the others play.
template <class Layout, class TreeEvaluator>
class AdaptiveEngine {
  public:
    using Position = reversi::Position;  ///< of the game
    using Move = reversi::Move;          ///< of the game

    /// Takes the memory of the tree at once.
    explicit AdaptiveEngine(const search::EngineOptions& options)
        : threads_(std::max(1U, options.threads)),
          plays_weakly_(options.pruning.overlooked != 0),
          tree_(options) {
        search::EngineOptions small = options;
        small.threads = 1;
        small.megabytes = std::max<std::size_t>(1, options.megabytes / part_of_memory);
        for (std::size_t thread = 0; thread < threads_; ++thread)
            replies_.push_back(std::make_unique<Replies>(small));
    }

    /// In a new game the others are others.
    void forget() {
        models_ = {};
        last_.reset();
        tree_is_of_last_ = false;
        tree_.forget();
    }

    /// Learns from the moves since the last search and prepares a new one; `step` does it. Several
    /// lines, a depth or little time are searched by the tree alone.
    void begin(const Position& root, search::Limits limits, std::size_t lines,
               search::Stop::Interrupted interrupted) {
        progress_.begin(root, limits, lines, interrupted, check_interval);
        root_ = root;
        interrupted_ = std::move(interrupted);
        const bool adapts = lines == 1 && !limits.depth && !plays_weakly_ && is_worthwhile();
        if (adapts) learn();
        tree_is_of_last_ = adapts;
        if (!adapts) {
            stage_ = Stage::searching_alone;
            return tree_.begin(root, std::move(limits), lines, interrupted_);
        }
        stage_ = anybody_is_foreseen() ? Stage::searching : Stage::probing;
        const double share = stage_ == Stage::searching ? tree_share : probing_tree_share;
        tree_.begin(root, part(share), 1, interrupted_);
    }

    /// A part of the tree, or the look at replies; false when there is nothing left to do.
    bool step() {
        if (tree_.step()) {
            const auto& found = tree_.report();
            progress_.record(found.lines, found.depth, found.nodes + nodes_of_replies(),
                             found.fill);
            return true;
        }
        const Stage stage = std::exchange(stage_, Stage::searching_alone);
        if (stage == Stage::searching_alone || is_clear()) return false;
        progress_.delays().record(tree_.longest_delay());
        if (stage == Stage::probing) {
            probe();
        } else {
            look_at_replies();
        }
        return true;
    }

    /// What was found so far.
    const search::Report<Move>& report() const { return progress_.report(); }
    /// What each seat is taken for; nothing is learnt of the own one.
    std::vector<Opponent> opponents() const {
        std::vector<Opponent> found(root_.seats());
        Seat seat = 0;
        for (Opponent& each : found) each = models_.known(seat++);
        return found;
    }
    /// Ends the search soon.
    void stop() {
        tree_.stop();
        progress_.request_stop();
    }

  private:
    using Replies = ExpectedReplies<Layout, TreeEvaluator>;
    using TreeNode = typename search::BestFirstEngine<TreeEvaluator>::TreeNode;

    /// Probing is searching where nobody is foreseen: it finds out whether that is still so.
    enum class Stage : std::uint8_t { searching, probing, searching_alone };

    // Parts of the nodes or of the time, guessed: a tree that is four times as large hardly plays
    // better, while predictions must look about as far as the others do.
    static constexpr double learning_share = 0.06;
    static constexpr double tree_share = 0.15;
    static constexpr double probing_tree_share = 0.7;
    static constexpr double probing_share = 0.2;
    static constexpr double prediction_share = 0.56;
    static constexpr double judging_share = 0.2;

    static constexpr std::uint64_t least_nodes = 4'000;
    static constexpr double least_time = 0.004;        ///< seconds
    static constexpr std::size_t part_of_memory = 16;  ///< for trees behind replies
    static constexpr std::uint64_t check_interval = 1;
    static constexpr std::size_t fewest_candidates = 3;
    static constexpr float largest_gap = 0.25F;  ///< moves that are worse by it are no candidates

    struct Candidate {
        Candidate(const TreeNode& node, Seat me) : node(&node), estimate(node.mean[me]) {}
        const TreeNode* node;
        float estimate;              ///< of the tree
        std::optional<float> value;  ///< with what the others are expected to reply
        /// Less than anything where there was no time for it.
        float worth() const { return value.value_or(-1.0F); }
    };

    const Board<Layout>& board() const { return std::get<Board<Layout>>(root_.board()); }
    Seat me() const { return board().mover; }

    bool is_worthwhile() const {
        const auto& limits = progress_.limits();
        return (limits.nodes || limits.time) && limits.nodes.value_or(least_nodes) >= least_nodes &&
               limits.time.value_or(least_time) >= least_time;
    }
    search::Limits part(double share) const { return part_of(progress_.limits(), share); }
    std::uint64_t nodes_of_replies() const {
        std::uint64_t nodes = 0;
        for (const auto& replies : replies_) nodes += replies->nodes();
        return nodes;
    }

    // ------------------------------------------------------------------------------ learning

    /// What the others did since the last search.
    void learn() {
        const auto last = std::exchange(last_, board());
        std::vector<MoveMade<Layout>> moves;
        if (last && may_follow(*last, board())) {
            moves = moves_between(*last, board());
        } else {
            models_ = {};
        }
        confirm(moves);
        std::erase_if(moves, [this](const auto& move) { return !tells_something(move); });
        const auto cells = board().empty | board().occupied;
        if (!(geometry_.cells() == cells)) geometry_ = MapGeometry<Layout>(cells);
        for (const auto& replies : replies_) replies->begin(geometry_);
        compare(moves);
    }
    /// It was a choice, and not ours.
    bool tells_something(const MoveMade<Layout>& move) const {
        return move.before.mover != me() && move.before.legal.count() > 1;
    }
    /// What had been expected of some moves, which the tree of the last search follows.
    void confirm(const std::vector<MoveMade<Layout>>& moves) {
        const TreeNode* node = tree_is_of_last_ ? &tree_.tree().root() : nullptr;
        for (const auto& move : moves) {
            if (tells_something(move)) confirm(move, expected_by_tree(node));
            node = child_of(node, Move::on(move.before, move.cell));
        }
    }
    void confirm(const MoveMade<Layout>& move, std::optional<std::size_t> of_tree) {
        for (const auto& replies : replies_) {
            for (const auto& foreseen : replies->foreseen()) {
                if (foreseen.before == move.before)
                    return models_.confirm(move.before.mover, foreseen.prediction, of_tree,
                                           move.cell);
            }
        }
    }
    std::optional<std::size_t> expected_by_tree(const TreeNode* node) const {
        if (node == nullptr || node->children == 0) return std::nullopt;
        return Move::coded(tree_.ranked(*node).front()->move).cell(board());
    }
    const TreeNode* child_of(const TreeNode* node, Move move) const {
        if (node == nullptr || node->children == 0) return nullptr;
        const TreeNode* end = tree_.tree().end_of(*node);
        const TreeNode* found =
            std::find_if(tree_.tree().begin_of(*node), end,
                         [&](const TreeNode& child) { return child.move == move.code(); });
        return found == end ? nullptr : found;
    }
    /// Which profiles would have foreseen some moves; those given up are not asked again.
    void compare(const std::vector<MoveMade<Layout>>& moves) {
        std::size_t open = 0;
        for (const auto& move : moves) open += count(models_.open(move.before.mover));
        if (open == 0) return;
        const auto limits = part(learning_share / static_cast<double>(open));
        for (const auto& move : moves) {
            OpponentModels::Profiles foreseen = models_.open(move.before.mover);
            if (count(foreseen) == 0) continue;
            for (std::size_t profile = 0; profile < foreseen.size(); ++profile) {
                if (!foreseen[profile]) continue;
                const Prediction found =
                    replies_.front()->predict(move.before, profile, limits, interrupted_);
                foreseen[profile] = found.at(found.depth()) == move.cell;
            }
            models_.compare(move.before.mover, foreseen);
        }
    }
    /// How many profiles are to be compared: one alone is not.
    static std::size_t count(const OpponentModels::Profiles& open) {
        const auto all = std::count(open.begin(), open.end(), true);
        return all > 1 ? static_cast<std::size_t>(all) : 0;
    }
    bool anybody_is_foreseen() const {
        for (Seat seat = 0; seat < board().seats; ++seat) {
            if (seat != me() && board().plays(seat) && models_.known(seat).is_foreseen) return true;
        }
        return false;
    }

    // -------------------------------------------------------------------- expected replies

    /// Whether the move of the tree is to be played as it is.
    bool is_clear() const {
        return tree_.tree().solved() || tree_.tree().root().children < 2 ||
               progress_.stop().requested() || search::is_certain(tree_.report().score());
    }

    /// Foresees what will follow the move of the tree, only to see later whether that is right.
    void probe() {
        const auto late = [this](double seconds) { return is_late_or_interrupted(seconds); };
        const auto& line = tree_.report().lines.front();
        static_cast<void>(replies_.front()->value_of(root_, line.moves.front(), 0, models_,
                                                     {part(probing_share), {}, late, true}));
    }

    /// Judges the best moves of the tree by what the others are expected to reply.
    void look_at_replies() {
        std::vector<Candidate> candidates = best_moves();
        std::atomic<std::size_t> next = 0;
        const auto work = [&](Replies& replies, const typename Replies::Budget& budget) {
            for (std::size_t at = next++; at < candidates.size(); at = next++) {
                Candidate& candidate = candidates[at];
                candidate.value = replies.value_of(root_, Move::coded(candidate.node->move),
                                                   candidate.estimate, models_, budget);
            }
        };
        {
            std::vector<std::jthread> others;
            for (std::size_t thread = 1; thread < std::min(threads_, candidates.size()); ++thread)
                others.emplace_back([&, thread] {
                    work(*replies_[thread],
                         budget(candidates.size(), [this](double time) { return is_late(time); }));
                });
            work(*replies_.front(), budget(candidates.size(), [this](double time) {
                return is_late_or_interrupted(time);
            }));
        }
        if (!candidates.front().value) return;  // without it the others cannot be compared
        record(*std::max_element(
            candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.worth() < b.worth(); }));
    }
    std::vector<Candidate> best_moves() const {
        std::vector<Candidate> candidates;
        const auto order = tree_.ranked(tree_.tree().root());
        const std::size_t most = (fewest_candidates + threads_ - 1) / threads_ * threads_;
        const float least = order.front()->mean[me()] - largest_gap;
        for (const TreeNode* node : order) {
            if (candidates.size() < most && node->mean[me()] >= least)
                candidates.emplace_back(*node, me());
        }
        return candidates;
    }
    /// Of one of so many candidates: threads share the nodes, but each has the time for itself.
    typename Replies::Budget budget(std::size_t candidates, std::function<bool(double)> is_late) {
        const std::size_t shares =
            progress_.limits().nodes ? candidates : (candidates + threads_ - 1) / threads_;
        return {part(prediction_share / static_cast<double>(shares)),
                part(judging_share / static_cast<double>(shares)), std::move(is_late), false};
    }
    bool is_late(double seconds) const {
        return progress_.stop().requested() || !progress_.stop().has_time_for(seconds);
    }
    /// Only the first thread may ask who called us.
    bool is_late_or_interrupted(double seconds) {
        if (interrupted_ && interrupted_()) progress_.request_stop();
        return is_late(seconds);
    }

    void record(const Candidate& best) {
        auto line = tree_.line_from(*best.node);
        if (!search::is_certain(line.score)) line.score = search::score_of(best.worth());
        const auto& found = tree_.report();
        progress_.record({std::move(line)}, found.depth, found.nodes + nodes_of_replies(),
                         found.fill);
    }

    std::size_t threads_;
    bool plays_weakly_;
    search::BestFirstEngine<TreeEvaluator> tree_;
    std::vector<std::unique_ptr<Replies>> replies_;
    OpponentModels models_;
    std::optional<Board<Layout>> last_;  ///< that was searched and learnt from
    bool tree_is_of_last_ = false;
    MapGeometry<Layout> geometry_;
    Position root_;
    search::Stop::Interrupted interrupted_;
    search::SearchProgress<Move> progress_;
    Stage stage_ = Stage::searching_alone;
};

}  // namespace spielleiter::reversi
