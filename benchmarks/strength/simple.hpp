// Simple players for Reversi, the weakest that a course sees: they search a fixed number of plies
// and count one thing.
//
//     random      any legal move
//     greedy      takes as many stones as possible (stones1)
//     stonesN     alpha-beta of N plies that counts stones
//     mobilityN   alpha-beta of N plies that counts legal moves
//
// With three or four players all others are one enemy. A finished game counts more than any
// estimate. Of equally good moves the one that takes more stones is played.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/spielleiter/games/reversi/position.hpp"

namespace simple {

using spielleiter::Random;
using spielleiter::Seat;
using spielleiter::reversi::Board;
using spielleiter::reversi::Move;
using spielleiter::reversi::Position;

constexpr int infinite = 1'000'000;
constexpr int finished = 100'000;

struct Kind {
    enum class Counts : std::uint8_t { nothing, stones, moves };

    Counts counts = Counts::nothing;
    int depth = 0;

    static std::optional<Kind> named(const std::string& name) {
        if (name == "random") return Kind{};
        if (name == "greedy") return Kind{Counts::stones, 1};
        for (const auto& [prefix, counts] :
             {std::pair{"stones", Counts::stones}, {"mobility", Counts::moves}}) {
            const std::size_t length = std::string(prefix).size();
            if (name.rfind(prefix, 0) != 0 || name.size() != length + 1) continue;
            if (std::isdigit(name.back()) != 0 && name.back() != '0')
                return Kind{counts, name.back() - '0'};
        }
        return std::nullopt;
    }
};

class Player {
  public:
    explicit Player(Kind kind) : kind_(kind) {}

    Move choose(const Position& position, Random& random) const {
        if (kind_.counts == Kind::Counts::nothing) return *position.random_move(random);
        return std::visit([this](const auto& board) { return Move::on(board, best_cell(board)); },
                          position.board());
    }

  private:
    template <class Layout>
    struct Choice {
        Board<Layout> after;
        std::size_t cell;
        int stones;
    };

    template <class Layout>
    std::size_t best_cell(const Board<Layout>& board) const {
        int alpha = -infinite;
        std::size_t best = 0;
        for (const auto& choice : choices(board)) {
            const int score = search(choice.after, kind_.depth - 1, alpha, infinite, board.mover);
            if (score > alpha) alpha = score, best = choice.cell;
        }
        return best;
    }

    /// Scores are seen by `me`.
    template <class Layout>
    int search(const Board<Layout>& board, int depth, int alpha, int beta, Seat me) const {
        if (board.legal.none()) return end_of(board, me);
        if (depth <= 0) return estimate(board, me);
        const bool mine = board.mover == me;
        for (const auto& choice : choices(board)) {
            const int score = search(choice.after, depth - 1, alpha, beta, me);
            if (mine)
                alpha = std::max(alpha, score);
            else
                beta = std::min(beta, score);
            if (alpha >= beta) break;
        }
        return mine ? alpha : beta;
    }

    /// The moves that take most stones come first.
    template <class Layout>
    static std::vector<Choice<Layout>> choices(const Board<Layout>& board) {
        std::vector<Choice<Layout>> found;
        board.legal.each([&](std::size_t cell) {
            found.push_back({board, cell, 0});
            found.back().after.play(cell);
            found.back().stones = found.back().after.stones[board.mover].count();
        });
        std::stable_sort(found.begin(), found.end(),
                         [](const auto& a, const auto& b) { return a.stones > b.stones; });
        return found;
    }

    template <class Layout>
    int estimate(const Board<Layout>& board, Seat me) const {
        return kind_.counts == Kind::Counts::stones ? lead(board, me) : freedom(board, me);
    }
    /// Stones more than the best of the others.
    template <class Layout>
    static int lead(const Board<Layout>& board, Seat me) {
        int rival = 0;
        for (Seat seat = 0; seat < board.seats; ++seat) {
            if (seat != me && board.plays(seat))
                rival = std::max(rival, board.stones[seat].count());
        }
        return board.stones[me].count() - rival;
    }
    template <class Layout>
    static int freedom(const Board<Layout>& board, Seat me) {
        int sum = 0;
        for (Seat seat = 0; seat < board.seats; ++seat) {
            if (board.plays(seat))
                sum += (seat == me ? board.seats - 1 : -1) * board.targets(seat).count();
        }
        return sum;
    }
    template <class Layout>
    static int end_of(const Board<Layout>& board, Seat me) {
        const int stones = lead(board, me);
        return stones > 0 ? finished + stones : stones < 0 ? stones - finished : 0;
    }

    Kind kind_;
};

}  // namespace simple
