/// @file
/// Iterative deepening at the root: every iteration is one ply deeper and ordered by the last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "alphabeta.hpp"
#include "report.hpp"

namespace spielleiter::search {

/// The root of a search as one thread sees it.
template <Node N, RootSearch<N> Search = AlphaBeta<N>>
class IterativeDeepening {
  public:
    using Move = typename N::Move;  ///< of the game

    /// Lists the moves of the root, without those that a weak player overlooks.
    IterativeDeepening(const N& root, Search& search) : root_(root), search_(search) {
        typename N::Moves moves;
        root.list_moves(moves);
        for (const Move move : moves) {
            if (!search.overlooks(root, move)) roots_.emplace_back(move);
        }
        if (roots_.empty()) {
            for (const Move move : moves) roots_.emplace_back(move);
        }
    }

    /// How many moves there are to choose from.
    std::size_t moves() const { return roots_.size(); }

    /// Searches `depth` plies deep for the best `lines` moves. Stopped early it keeps what the last
    /// full iteration knew, unless a better move was found already. Several moves can only be
    /// compared as deep as all of them were searched.
    void iterate(int depth, std::size_t lines) {
        const bool compares = lines > 1 && depth > 1;
        const std::vector<RootMove> known = compares ? roots_ : std::vector<RootMove>{};
        search(depth, lines);
        if (compares && search_.stopped()) roots_ = known;
    }

    /// The best moves, the best one first.
    std::vector<Variation<Move>> lines(std::size_t count) const {
        std::vector<Variation<Move>> best;
        for (std::size_t at = 0; at < std::min(count, roots_.size()); ++at)
            best.push_back({reported(roots_[at].score), roots_[at].moves});
        return best;
    }

  private:
    static constexpr Score first_window = 24;      ///< to each side of the last score (guessed)
    static constexpr Score window_growth = 3;      ///< after a fail (guessed)
    static constexpr int aspiration_depth = 4;     ///< shallower iterations have an open window
    static constexpr int late_reduction_move = 4;  ///< moves before it are not reduced

    struct RootMove {
        explicit RootMove(Move move) : moves(1, move) {}
        Score score = -infinite;
        Score before = -infinite;  ///< in the last iteration
        std::vector<Move> moves;
    };

    /// A search may think of scores in its own way.
    Score reported(Score score) const {
        if constexpr (requires { search_.reported(score); }) return search_.reported(score);
        return score;
    }

    void search(int depth, std::size_t lines) {
        for (RootMove& root : roots_) root.before = root.score, root.score = -infinite;
        for (std::size_t line = 0; line < std::min(lines, roots_.size()); ++line) {
            search_line(depth, line);
            if (search_.stopped()) break;
        }
        if (search_.stopped()) return restore_unfinished();
        sort_from(0);
    }

    /// An aspiration window round the last score, widened on the side where it failed.
    void search_line(int depth, std::size_t line) {
        const Score expected = roots_[line].before;
        Score width = first_window;
        const bool aspires =
            depth >= aspiration_depth && expected != -infinite && !is_certain(expected);
        Score alpha = aspires ? expected - width : -infinite;
        Score beta = aspires ? expected + width : infinite;
        while (true) {
            const Score best = search_window(depth, line, alpha, beta);
            if (search_.stopped()) return;
            width *= window_growth;
            if (best <= alpha) {
                alpha = std::max(-infinite, best - width);
            } else if (best >= beta) {
                beta = std::min(infinite, best + width);
            } else {
                return;
            }
        }
    }

    /// All moves from number `line` on; afterwards the best of them stands there.
    Score search_window(int depth, std::size_t line, Score alpha, Score beta) {
        Score best = -infinite;
        for (std::size_t at = line; at < roots_.size(); ++at) roots_[at].score = -infinite;
        for (std::size_t at = line; at < roots_.size(); ++at) {
            const Score score = value(roots_[at].moves.front(), depth, at - line, alpha, beta);
            if (search_.stopped()) return best;
            if (at == line || score > alpha) {
                roots_[at].score = score;
                keep_variation(roots_[at]);
            }
            best = std::max(best, score);
            alpha = std::max(alpha, score);
            if (alpha >= beta) break;
        }
        sort_from(line);
        roots_[line].before = best;
        return best;
    }

    Score value(Move move, int depth, std::size_t number, Score alpha, Score beta) {
        const N child = child_of(root_, move);
        const PlyInfo info{1, root_.slot(move), false};
        if (number == 0) return search_.value(root_, child, depth - 1, alpha, beta, info);
        const bool late = search_.pruning().late_moves && number >= late_reduction_move &&
                          depth >= late_reduction_depth && root_.gain(move) == 0 &&
                          !is_tense(root_);
        const int reduction = late ? late_reduction(depth, static_cast<int>(number)) - 1 : 0;
        return search_.scout(root_, child, depth - 1, std::max(reduction, 0), alpha, beta, info);
    }

    void keep_variation(RootMove& root) {
        const auto follow = search_.variation(1);
        root.moves.resize(1);
        root.moves.insert(root.moves.end(), follow.begin(), follow.end());
    }

    /// What was finished in this iteration stands first, best first; the rest is worth what it was.
    void restore_unfinished() {
        sort_from(0);
        for (RootMove& root : roots_) {
            if (root.score == -infinite) root.score = root.before;
        }
    }

    void sort_from(std::size_t line) {
        std::stable_sort(roots_.begin() + static_cast<std::ptrdiff_t>(line), roots_.end(),
                         [](const RootMove& a, const RootMove& b) { return a.score > b.score; });
    }

    const N& root_;
    Search& search_;
    std::vector<RootMove> roots_;
};

}  // namespace spielleiter::search
