/// @file
/// The move picker: the better the first move, the smaller the tree.
///
/// The order is: the move of the transposition table; captures, the largest first; moves that
/// refuted a sibling position (killers) or the same previous move elsewhere (counter-moves); then
/// by history, how often a move was best in this search, in general and as an answer to the
/// previous move. Killers and counter-moves are tried before the quiet moves are even listed, where
/// a node can name the move of a slot.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "history.hpp"
#include "node.hpp"

namespace spielleiter::search {

/// A node that can name the move of a slot, legal or not: killers need no list of moves then.
template <class N>
concept NamesMoves = requires(const N c) {
    { c.move_of(std::size_t{}) } -> std::same_as<typename N::Move>;
};

/// The moves of a node, handed out best first and generated as late as possible: the move of the
/// table is most often good enough, and if not a capture is.
template <Node N>
class MovePicker {
  public:
    using Move = typename N::Move;  ///< of the game

    /// Where the node stands in the tree.
    struct Place {
        std::size_t side;      ///< parity of the ply: whose history
        int ply;               ///< below the root
        std::size_t previous;  ///< slot of the move before
    };

    /// `first`: the move of the table, or nothing; it need not be legal here.
    MovePicker(const N& node, const History<N>& history, Place place, const Move* first)
        : node_(node), history_(history), place_(place) {
        if (first != nullptr && node.is_legal(*first)) table_move_ = *first, has_table_move_ = true;
    }

    /// The next move, or nothing when all were handed out.
    const Move* next() {
        while (left_ == 0) {
            if (!advance()) return nullptr;
        }
        return &moves_[pick()];
    }

    /// Whether the move handed out last gains nothing at once.
    bool quiet() const { return quiet_; }

    /// Whether nothing but quiet moves is left, if anything, and they are not even listed yet.
    bool only_quiet() const {
        return left_ == 0 && (stage_ == Stage::refuting || stage_ == Stage::quiet);
    }

  private:
    enum class Stage : std::uint8_t { table_move, tactical, refuting, quiet, done };

    bool advance() {
        switch (stage_) {
            case Stage::table_move:
                stage_ = Stage::tactical;
                if (has_table_move_) moves_.push_back(table_move_), ranks_[0] = 0, left_ = end_ = 1;
                quiet_ = has_table_move_ && node_.gain(table_move_) == 0;
                return true;
            case Stage::tactical:
                stage_ = Stage::refuting;
                if constexpr (Tactical<N>) {
                    quiet_ = false;
                    node_.list_tactical_moves(moves_);
                    rank([&](Move move) {
                        return std::min(node_.gain(move), largest_gain) * gain_factor +
                               history_.quiet(place_.side, node_.slot(move)) / history_divisor;
                    });
                }
                return true;
            case Stage::refuting:
                stage_ = Stage::quiet;
                quiet_ = true;
                if constexpr (NamesMoves<N>) list_refuting();
                return true;
            case Stage::quiet:
                stage_ = Stage::done;
                quiet_ = true;
                if constexpr (Tactical<N>) {
                    node_.list_quiet_moves(moves_);
                } else {
                    node_.list_moves(moves_);
                }
                rank_quiet();
                return true;
            default:
                return false;
        }
    }

    /// Killers and the counter-move, as far as they are quiet moves here.
    void list_refuting() {
        const auto& killers = history_.killers(place_.ply);
        refuting_ = {killers[0], killers[1], history_.counter_move(place_.side, place_.previous)};
        begin_ = moves_.size();
        for (const std::size_t slot : refuting_) {
            if (slot == N::slots) continue;
            const Move move = node_.move_of(slot);
            const bool seen =
                (has_table_move_ && move == table_move_) ||
                std::find(moves_.begin() + begin_, moves_.end(), move) != moves_.end();
            if (!seen && node_.is_legal(move) && node_.gain(move) == 0) moves_.push_back(move);
        }
        end_ = moves_.size();
        left_ = end_ - begin_;
        for (std::size_t at = begin_; at < end_; ++at)
            ranks_[at] = static_cast<int>((end_ - at) * places + at);
    }

    /// Ranks the moves that came new: the value above, the place in the list below. What was handed
    /// out before is left out.
    template <class Value>
    void rank(Value&& value) {
        begin_ = end_;
        end_ = moves_.size();
        left_ = end_ - begin_;
        for (std::size_t at = begin_; at < end_; ++at) {
            const int rank = value(moves_[at]);
            ranks_[at] = rank == had ? gone : rank * places + static_cast<int>(at);
            left_ -= rank == had;
        }
        if (!has_table_move_ || begin_ == 0) return;
        const auto* found = std::find(moves_.begin() + begin_, moves_.end(), table_move_);
        if (found == moves_.end()) return;
        int& rank = ranks_[static_cast<std::size_t>(found - moves_.begin())];
        left_ -= rank != gone;
        rank = gone;
    }

    void rank_quiet() {
        if constexpr (!NamesMoves<N>) {
            const auto& killers = history_.killers(place_.ply);
            refuting_ = {killers[0], killers[1],
                         history_.counter_move(place_.side, place_.previous)};
        }
        rank([&](Move move) {
            const std::size_t slot = node_.slot(move);
            const int value =
                history_.quiet(place_.side, slot) + history_.continuation(place_.previous, slot);
            const bool counters = slot == refuting_[2];
            const bool kills = slot == refuting_[0] || slot == refuting_[1];
            if constexpr (NamesMoves<N>) return kills || counters ? had : value;
            return kills ? killer_rank : counters ? counter_move_rank : value;
        });
    }

    /// Place of the best move left. Most nodes ask for few moves, so nothing is sorted.
    std::size_t pick() {
        int best = gone;
        for (std::size_t at = begin_; at < end_; ++at) best = std::max(best, ranks_[at]);
        const auto place = static_cast<std::size_t>(best & (places - 1));
        ranks_[place] = gone;
        --left_;
        return place;
    }

    static constexpr int gone = std::numeric_limits<int>::min();
    static constexpr int had = -1'000'000;  ///< value of a move that was handed out before
    static constexpr int places = 1024;
    // Above every sum of histories, which is at most 16384.
    static constexpr int killer_rank = 500'000;
    static constexpr int counter_move_rank = 400'000;
    // Gains first: a single unit outweighs all of the history, which then is at most 32.
    static constexpr int gain_factor = 64;
    static constexpr int history_divisor = 256;
    static constexpr int largest_gain = infinite;  ///< ranks of larger ones would overflow
    static_assert(N::Moves::capacity <= places);

    const N& node_;
    const History<N>& history_;
    Place place_;
    Move table_move_{};
    std::array<std::size_t, 3> refuting_{};  ///< slots of the killers and the counter-move
    bool has_table_move_ = false;
    bool quiet_ = false;
    Stage stage_ = Stage::table_move;
    std::size_t begin_ = 0;  ///< of the moves of this stage
    std::size_t end_ = 0;
    std::size_t left_ = 0;  ///< not handed out yet
    typename N::Moves moves_;
    std::array<int, N::Moves::capacity> ranks_;
};

/// Tactical moves for quiescence, the largest gain first.
template <Tactical N>
class CapturePicker {
  public:
    /// A tactical move and what it takes.
    struct Capture {
        typename N::Move move;  ///< of the game
        int gain;               ///< in units of score
    };

    /// Lists the tactical moves of a node.
    explicit CapturePicker(const N& node) {
        typename N::Moves moves;
        node.list_tactical_moves(moves);
        for (const auto move : moves) captures_.push_back({move, node.gain(move)});
    }

    /// The next capture, or nothing.
    const Capture* next() {
        if (at_ == captures_.size()) return nullptr;
        auto* best = captures_.begin() + at_;
        for (auto* other = best + 1; other != captures_.end(); ++other) {
            if (other->gain > best->gain) best = other;
        }
        std::swap(captures_.begin()[at_], *best);
        return &captures_[at_++];
    }

  private:
    MoveList<Capture, N::Moves::capacity> captures_;
    std::size_t at_ = 0;
};

}  // namespace spielleiter::search
