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
template <Node N, class Search = AlphaBeta<N>>
class Deepening {
  public:
    using Move = typename N::Move;

    Deepening(const N& root, Search& search) : root_(root), search_(search) {
        typename N::Moves moves;
        root.list_moves(moves);
        for (const Move move : moves) {
            if (!search.overlooks(root, move)) roots_.emplace_back(move);
        }
        if (roots_.empty()) {
            for (const Move move : moves) roots_.emplace_back(move);
        }
    }

    std::size_t moves() const { return roots_.size(); }

    /// Searches `depth` plies deep for the best `lines` moves. Stopped early it keeps what the last
    /// full iteration knew, unless a better move was found already. Several moves can only be
    /// compared as deep as all of them were looked at.
    void iterate(int depth, std::size_t lines) {
        const bool compares = lines > 1 && depth > 1;
        const std::vector<Root> known = compares ? roots_ : std::vector<Root>{};
        search(depth, lines);
        if (compares && search_.stopped()) roots_ = known;
    }

    std::vector<Variation<Move>> lines(std::size_t count) const {
        std::vector<Variation<Move>> best;
        for (std::size_t at = 0; at < std::min(count, roots_.size()); ++at)
            best.push_back({roots_[at].score, roots_[at].moves});
        return best;
    }

  private:
    struct Root {
        explicit Root(Move move) : moves(1, move) {}
        Score score = -infinite;
        Score before = -infinite;
        std::vector<Move> moves;
    };

    void search(int depth, std::size_t lines) {
        for (Root& root : roots_) root.before = root.score, root.score = -infinite;
        for (std::size_t line = 0; line < std::min(lines, roots_.size()); ++line) {
            aspire(depth, line);
            if (search_.stopped()) break;
        }
        if (search_.stopped()) return recall();
        sort_from(0);
    }

    /// A window round the last score, widened on the side where it failed.
    void aspire(int depth, std::size_t line) {
        const Score expected = roots_[line].before;
        Score width = 24;
        const bool narrow = depth >= 4 && expected != -infinite && !is_certain(expected);
        Score alpha = narrow ? expected - width : -infinite;
        Score beta = narrow ? expected + width : infinite;
        while (true) {
            const Score best = look(depth, line, alpha, beta);
            if (search_.stopped()) return;
            width *= 3;
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
    Score look(int depth, std::size_t line, Score alpha, Score beta) {
        Score best = -infinite;
        for (std::size_t at = line; at < roots_.size(); ++at) roots_[at].score = -infinite;
        for (std::size_t at = line; at < roots_.size(); ++at) {
            const Score score = value(roots_[at].moves.front(), depth, at - line, alpha, beta);
            if (search_.stopped()) return best;
            if (at == line || score > alpha) {
                roots_[at].score = score;
                keep_line(roots_[at]);
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
        const Path path{1, root_.slot(move), false};
        if (number == 0) return search_.value(root_, child, depth - 1, alpha, beta, path);
        const bool late = search_.devices().late_moves && number >= 4 && depth >= 3 &&
                          root_.gain(move) == 0 && !is_tense(root_);
        const int less = late ? late_reduction(depth, static_cast<int>(number)) - 1 : 0;
        return search_.late_value(root_, child, depth - 1, std::max(less, 0), alpha, beta, path);
    }

    void keep_line(Root& root) {
        const auto follow = search_.variation(1);
        root.moves.resize(1);
        root.moves.insert(root.moves.end(), follow.begin(), follow.end());
    }

    /// What was finished in this iteration stands first, best first; the rest is worth what it was.
    void recall() {
        sort_from(0);
        for (Root& root : roots_) {
            if (root.score == -infinite) root.score = root.before;
        }
    }

    void sort_from(std::size_t line) {
        std::stable_sort(roots_.begin() + static_cast<std::ptrdiff_t>(line), roots_.end(),
                         [](const Root& a, const Root& b) { return a.score > b.score; });
    }

    const N& root_;
    Search& search_;
    std::vector<Root> roots_;
};

}  // namespace spielleiter::search
