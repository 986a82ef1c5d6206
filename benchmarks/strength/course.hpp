// Players for Reversi as students of a course write them: the yardstick of course.py and
// multi_player.py.
//
// Depth-first search with iterative deepening and sorted moves on an array of cells. It stops by
// the clock or by nodes and keeps the last move found. Kinds differ in how they take the others and
// in what they count:
//
//     plain    alpha-beta, all others are one enemy; counts moves, corners, edges, cells beside
//              empty corners, and stones when the end is near
//     good     the same with a table, killer moves and a window of nothing for all moves but the
//              first
//     squares  searches as `good`; every cell has a fixed worth, stones count more and more
//     reply    as `good` without a table, but only one of the others answers each of its moves, the
//              one who harms it most
//     selfish  every player for itself (max^n), nothing is cut off; counts as `good`
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace course {

constexpr int stride = 17;
constexpr int area = stride * stride;
constexpr int infinite = 1'000'000;
constexpr std::array<int, 8> ways{1,          -1,          stride,     -stride,
                                  stride + 1, -stride - 1, stride - 1, 1 - stride};
using Clock = std::chrono::steady_clock;

constexpr std::uint8_t empty = 0;
constexpr std::uint8_t wall = 9;

struct TimeUp : std::exception {};

struct Board {
    std::array<std::uint8_t, area> at;
    int players = 2;
    int mover = 1;
    int empties = 0;

    bool takes(int cell, int way, int player) const {
        int end = cell + way;
        if (at[end] == player || at[end] == empty || at[end] == wall) return false;
        while (at[end] != player && at[end] != empty && at[end] != wall) end += way;
        return at[end] == player;
    }
    bool legal(int cell, int player) const {
        return at[cell] == empty && std::any_of(ways.begin(), ways.end(),
                                                [&](int way) { return takes(cell, way, player); });
    }
    void play(int cell) {
        for (const int way : ways) {
            if (!takes(cell, way, mover)) continue;
            for (int to = cell + way; at[to] != mover; to += way)
                at[to] = static_cast<std::uint8_t>(mover);
        }
        at[cell] = static_cast<std::uint8_t>(mover);
        --empties;
    }
    int next(int player) const { return player == players ? 1 : player + 1; }
};

/// What the map alone says of a cell: how many of its four axes are closed.
struct Geometry {
    std::vector<int> cells;
    std::array<int, area> closed{};

    explicit Geometry(const Board& board) {
        for (int cell = stride; cell < area - stride; ++cell) {
            if (board.at[cell] == wall) continue;
            cells.push_back(cell);
            for (int axis = 0; axis < 8; axis += 2)
                closed[cell] +=
                    board.at[cell + ways[axis]] == wall || board.at[cell + ways[axis + 1]] == wall;
        }
    }
};

/// How a player takes the others.
enum class Others { enemies, replying, selfish };

struct Kind {
    Others others = Others::enemies;
    bool good = false;     ///< table, killers, windows of nothing
    bool squares = false;  ///< counts what cells are worth instead of moves

    static std::optional<Kind> named(const std::string& name) {
        if (name == "plain") return Kind{};
        if (name == "good") return Kind{Others::enemies, true, false};
        if (name == "squares") return Kind{Others::enemies, true, true};
        if (name == "reply") return Kind{Others::replying, false, false};
        if (name == "selfish") return Kind{Others::selfish, false, false};
        return std::nullopt;
    }
};

/// What ends a search; what is not given does not.
struct Budget {
    double seconds = 1e9;
    long nodes = 1L << 60;
};

class Player {
  public:
    explicit Player(Kind kind) : kind_(kind) {
        std::mt19937_64 lot(1);  // NOLINT(bugprone-random-generator-seed): the same keys always
        for (auto& row : keys_) {
            for (auto& key : row) key = lot();
        }
    }

    int choose(const Board& board, Budget budget) {
        const Geometry geometry(board);
        geometry_ = &geometry;
        me_ = board.mover;
        until_ = Clock::now() + std::chrono::microseconds(static_cast<long>(1e6 * budget.seconds));
        most_ = budget.nodes;
        nodes_ = 0;
        depth_ = 0;
        table_.clear();
        for (auto& killer : killers_) killer = {0, 0};
        auto moves = sorted(board, 0, 0);
        int best = moves.front();
        try {
            for (int depth = 1; depth <= board.empties && moves.size() > 1; ++depth) {
                best = look(board, moves, depth);
                std::iter_swap(moves.begin(), std::find(moves.begin(), moves.end(), best));
                depth_ = depth;
            }
        } catch (const TimeUp&) {
            return best;
        }
        return best;
    }
    long nodes() const { return nodes_; }
    /// Plies of the last search that was finished.
    int depth() const { return depth_; }

  private:
    using Scores = std::array<int, 5>;

    void count_node() {
        if (++nodes_ >= most_ || ((nodes_ & 255) == 0 && Clock::now() > until_)) throw TimeUp{};
    }

    int look(const Board& board, const std::vector<int>& moves, int depth) {
        int best = moves.front();
        int alpha = -infinite;
        for (const int cell : moves) {
            Board child = board;
            child.play(cell);
            const int score = seen(child, depth - 1, alpha);
            if (score > alpha) alpha = score, best = cell;
        }
        return best;
    }
    /// What a move of `me_` is worth to it.
    int seen(Board& child, int depth, int alpha) {
        if (kind_.others == Others::selfish) return scores(child, depth)[me_];
        if (kind_.others == Others::replying) return answered(child, depth, alpha, infinite);
        return pass_on(child, depth, alpha, infinite, 1);
    }

    bool can_move(const Board& board, int player) const {
        return std::any_of(geometry_->cells.begin(), geometry_->cells.end(),
                           [&](int cell) { return board.legal(cell, player); });
    }
    /// Gives the turn to the next player who can move; false if there is none.
    bool turned(Board& board) const {
        for (int turn = 0; turn < board.players; ++turn) {
            board.mover = board.next(board.mover);
            if (can_move(board, board.mover)) return true;
        }
        return false;
    }

    // ------------------------------------------------------------------------ all others as one

    int pass_on(Board& board, int depth, int alpha, int beta, int ply) {
        return turned(board) ? search(board, depth, alpha, beta, ply) : end_of(board, me_);
    }

    /// Scores are seen by `me_`: one player for itself, all others against it.
    int search(const Board& board, int depth, int alpha, int beta, int ply) {
        count_node();
        if (depth <= 0) return evaluate(board, me_);
        const std::uint64_t key = kind_.good ? key_of(board) : 0;
        int first = 0;
        if (const auto score = known(key, depth, alpha, beta, first)) return *score;
        const bool mine = board.mover == me_;
        int low = alpha;
        int high = beta;
        int best = mine ? -infinite : infinite;
        int chosen = 0;
        for (const int cell : sorted(board, first, ply)) {
            const int score = value(board, cell, depth, low, high, ply, chosen != 0, mine);
            if (mine ? score > best : score < best) best = score, chosen = cell;
            if (mine)
                low = std::max(low, best);
            else
                high = std::min(high, best);
            if (low >= high) {
                if (killers_[ply][0] != cell) killers_[ply] = {cell, killers_[ply][0]};
                break;
            }
        }
        if (kind_.good && table_.size() < 4'000'000)
            table_[key] = {depth, best > alpha ? best : -infinite, best < beta ? best : infinite,
                           chosen};
        return best;
    }
    /// What the table says, if it is enough; otherwise which move to try first.
    std::optional<int> known(std::uint64_t key, int depth, int alpha, int beta, int& first) const {
        if (!kind_.good) return std::nullopt;
        const auto found = table_.find(key);
        if (found == table_.end()) return std::nullopt;
        const Entry& entry = found->second;
        first = entry.move;
        if (entry.depth < depth || entry.low > entry.high) return std::nullopt;
        if (entry.low >= beta) return entry.low;
        if (entry.high <= alpha) return entry.high;
        return std::nullopt;
    }
    int value(const Board& board, int cell, int depth, int low, int high, int ply, bool late,
              bool mine) {
        Board child = board;
        child.play(cell);
        if (!kind_.good || !late || high - low <= 1)
            return pass_on(child, depth - 1, low, high, ply + 1);
        Board again = child;
        const int score = mine ? pass_on(child, depth - 1, low, low + 1, ply + 1)
                               : pass_on(child, depth - 1, high - 1, high, ply + 1);
        if (score <= low || score >= high) return score;
        return pass_on(again, depth - 1, low, high, ply + 1);
    }

    // ------------------------------------------------------------------- one of the others answers

    int answered(const Board& board, int depth, int alpha, int beta) {
        count_node();
        if (depth <= 0) return evaluate(board, me_);
        bool moved = false;
        for (int player = 1; player <= board.players; ++player) {
            if (player == me_) continue;
            Board turn = board;
            turn.mover = player;
            for (const int cell : sorted(turn, 0, 0)) {
                Board child = turn;
                child.play(cell);
                moved = true;
                beta = std::min(beta, own_turn(child, depth - 1, alpha, beta));
                if (alpha >= beta) return beta;
            }
        }
        if (moved) return beta;
        return can_move(board, me_) ? own_turn(board, depth - 1, alpha, beta) : end_of(board, me_);
    }
    int own_turn(Board board, int depth, int alpha, int beta) {
        board.mover = me_;
        if (!can_move(board, me_)) return answered(board, depth, alpha, beta);
        count_node();
        if (depth <= 0) return evaluate(board, me_);
        for (const int cell : sorted(board, 0, 0)) {
            Board child = board;
            child.play(cell);
            alpha = std::max(alpha, answered(child, depth - 1, alpha, beta));
            if (alpha >= beta) break;
        }
        return alpha;
    }

    // ------------------------------------------------------------------------ everybody for itself

    Scores scores(Board& board, int depth) {
        const bool over = !turned(board);
        count_node();
        Scores best{};
        if (over || depth <= 0) {
            for (int player = 1; player <= board.players; ++player)
                best[player] = over ? end_of(board, player) : evaluate(board, player);
            return best;
        }
        best[board.mover] = -infinite;
        for (const int cell : sorted(board, 0, 0)) {
            Board child = board;
            child.play(cell);
            const Scores found = scores(child, depth - 1);
            if (found[board.mover] > best[board.mover]) best = found;
        }
        return best;
    }

    // -------------------------------------------------------------------------------- what counts

    std::vector<int> sorted(const Board& board, int first, int ply) const {
        std::vector<std::pair<int, int>> found;
        for (const int cell : geometry_->cells) {
            if (!board.legal(cell, board.mover)) continue;
            int value = 10 * geometry_->closed[cell] * geometry_->closed[cell] -
                        5 * beside_corner(board, cell);
            if (cell == first) value += 10'000;
            if (kind_.good && (cell == killers_[ply][0] || cell == killers_[ply][1])) value += 500;
            found.emplace_back(-value, cell);
        }
        std::sort(found.begin(), found.end());
        std::vector<int> moves;
        moves.reserve(found.size());
        for (const auto& [value, cell] : found) moves.push_back(cell);
        return moves;
    }

    int beside_corner(const Board& board, int cell) const {
        int corners = 0;
        for (const int way : ways)
            corners += board.at[cell + way] == empty && geometry_->closed[cell + way] == 4;
        return corners;
    }

    int evaluate(const Board& board, int player) const {
        return kind_.squares ? worth(board, player) : prospects(board, player);
    }
    int prospects(const Board& board, int me) const {
        int value = 0;
        int lead = 0;
        int mobility = 0;
        for (const int cell : geometry_->cells) {
            const int owner = board.at[cell];
            if (owner == empty) {
                for (int player = 1; player <= board.players; ++player)
                    mobility += (player == me ? board.players - 1 : -1) * board.legal(cell, player);
                continue;
            }
            const int sign = owner == me ? 1 : -1;
            const int closed = geometry_->closed[cell];
            lead += sign;
            if (closed == 4)
                value += 60 * sign;
            else if (closed == 3)
                value += 6 * sign;
            value -= 15 * sign * beside_corner(board, cell);
        }
        const int cells = static_cast<int>(geometry_->cells.size());
        const int late = std::max(0, 6 - 24 * board.empties / std::max(1, cells));
        return 10 * value + 60 * mobility / (board.players - 1) + 10 * late * lead;
    }
    /// What the cells of a player are worth against those of the best of the others.
    int worth(const Board& board, int me) const {
        static constexpr std::array<int, 5> by_closed{2, 2, 3, 10, 100};
        const int cells = static_cast<int>(geometry_->cells.size());
        const int stone = 10 * (cells - board.empties) / std::max(1, cells);
        Scores sums{};
        for (const int cell : geometry_->cells) {
            if (board.at[cell] == empty) continue;
            sums[board.at[cell]] +=
                stone + by_closed[geometry_->closed[cell]] - 25 * beside_corner(board, cell);
        }
        return lead_of(board, sums, me);
    }
    static int lead_of(const Board& board, const Scores& sums, int me) {
        int others = -infinite;
        for (int player = 1; player <= board.players; ++player) {
            if (player != me) others = std::max(others, sums[player]);
        }
        return sums[me] - others;
    }
    int end_of(const Board& board, int me) const {
        Scores stones{};
        for (const int cell : geometry_->cells) ++stones[board.at[cell]];
        const int lead = lead_of(board, stones, me);
        return (lead > 0 ? 100'000 : lead < 0 ? -100'000 : 0) + 100 * lead;
    }

    std::uint64_t key_of(const Board& board) const {
        std::uint64_t key = keys_[0][board.mover];
        for (const int cell : geometry_->cells) key ^= keys_[cell][board.at[cell]];
        return key;
    }

    struct Entry {
        int depth, low, high, move;
    };

    Kind kind_;
    const Geometry* geometry_ = nullptr;
    int me_ = 1;
    int depth_ = 0;
    Clock::time_point until_;
    long most_ = 0;
    long nodes_ = 0;
    std::array<std::array<std::uint64_t, 5>, area> keys_{};
    std::unordered_map<std::uint64_t, Entry> table_;
    std::array<std::array<int, 2>, 256> killers_{};
};

inline Board read(const std::string& rows, int players, int mover) {
    Board board;
    board.at.fill(wall);
    board.players = players;
    board.mover = mover;
    int x = 1;
    int y = 1;
    for (const char mark : rows) {
        if (mark == '/') {
            x = 1, ++y;
            continue;
        }
        board.at[stride * y + x] = mark == '-' ? wall : static_cast<std::uint8_t>(mark - '0');
        board.empties += mark == '0';
        ++x;
    }
    return board;
}

}  // namespace course
