/// @file
/// Which move first: the better the guess, the smaller the tree.
///
/// The order is: the move the table remembers; captures, the largest first; moves that refuted a
/// sister position (killers) or the same last move elsewhere (counter-moves); then by history, how
/// often a move was best in this search, in general and as an answer to the last move. Killers and
/// counter-moves are tried before the quiet moves are even listed, where a node can name the move
/// of a slot.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "node.hpp"

namespace spielleiter::search {

/// Statistics of one thread about moves, by the slot the node gives them.
template <Node N>
class Habits {
  public:
    Habits() : history_(2 * N::slots), answers_(answer_places), counters_(2 * N::slots, nowhere) {
        forget_killers();
    }

    void forget() { *this = Habits(); }

    /// A new search begins: old habits count less, killers nothing. Answers stay as they are.
    void fade() {
        for (auto& value : history_) value = static_cast<std::int16_t>(value / 4);
        forget_killers();
    }

    int history(std::size_t side, std::size_t slot) const {
        return history_[side * N::slots + slot];
    }
    /// How good a move was as answer to the last one.
    int answer(std::size_t last, std::size_t slot) const { return answers_[place(last, slot)]; }

    /// The two that refuted a sister position last.
    const std::array<std::size_t, 2>& killers(int ply) const {
        return killers_[static_cast<std::size_t>(ply)];
    }
    std::size_t counter(std::size_t side, std::size_t last) const {
        return counters_[side * N::slots + last];
    }

    void learn_killer(int ply, std::size_t slot) {
        auto& pair = killers_[static_cast<std::size_t>(ply)];
        if (pair[0] != slot) pair[1] = std::exchange(pair[0], slot);
    }
    void learn_counter(std::size_t side, std::size_t last, std::size_t slot) {
        counters_[side * N::slots + last] = slot;
    }
    void learn(std::size_t side, std::size_t slot, int bonus) {
        approach(history_[side * N::slots + slot], bonus);
    }
    void learn_answer(std::size_t last, std::size_t slot, int bonus) {
        approach(answers_[place(last, slot)], bonus);
    }

    static constexpr int limit = 8192;

  private:
    static constexpr std::size_t nowhere = N::slots;
    /// In games with very many moves several pairs share a place.
    static constexpr std::size_t answer_places =
        std::bit_ceil(std::min(N::slots * N::slots, std::size_t{1} << 20U));

    static std::size_t place(std::size_t last, std::size_t slot) {
        return (last * N::slots + slot) % answer_places;
    }
    /// Moves towards ±limit, ever more slowly, so that the values stay comparable.
    static void approach(std::int16_t& value, int bonus) {
        value = static_cast<std::int16_t>(value + bonus - value * std::abs(bonus) / limit);
    }
    void forget_killers() {
        for (auto& pair : killers_) pair.fill(nowhere);
    }

    std::vector<std::int16_t> history_;
    std::vector<std::int16_t> answers_;
    std::vector<std::size_t> counters_;
    std::array<std::array<std::size_t, 2>, max_depth + 8> killers_{};
};

/// A node that can name the move of a slot, legal or not.
template <class N>
concept Named = requires(const N c) {
    { c.move_of(std::size_t{}) } -> std::same_as<typename N::Move>;
};

/// The moves of a node, handed out best first and made as late as possible: the move of the table
/// is most often good enough, and if not a capture is.
template <Node N>
class Ordered {
  public:
    using Move = typename N::Move;

    struct Place {
        std::size_t side;  ///< parity of the ply: whose habits
        int ply;           ///< below the root
        std::size_t last;  ///< slot of the move before
    };

    Ordered(const N& node, const Habits<N>& habits, Place place, const Move* first)
        : node_(node), habits_(habits), place_(place) {
        if (first != nullptr && node.is_legal(*first)) first_ = *first, has_first_ = true;
    }

    /// The next move, or nothing.
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
    enum class Stage : std::uint8_t { first, tactical, refuting, quiet, done };

    bool advance() {
        switch (stage_) {
            case Stage::first:
                stage_ = Stage::tactical;
                if (has_first_) moves_.push_back(first_), ranks_[0] = 0, left_ = end_ = 1;
                quiet_ = has_first_ && node_.gain(first_) == 0;
                return true;
            case Stage::tactical:
                stage_ = Stage::refuting;
                if constexpr (Tactical<N>) {
                    quiet_ = false;
                    node_.list_tactical_moves(moves_);
                    rank([&](Move move) {
                        return node_.gain(move) * 64 +
                               habits_.history(place_.side, node_.slot(move)) / 256;
                    });
                }
                return true;
            case Stage::refuting:
                stage_ = Stage::quiet;
                quiet_ = true;
                if constexpr (Named<N>) list_refuting();
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
        const auto& killers = habits_.killers(place_.ply);
        refuting_ = {killers[0], killers[1], habits_.counter(place_.side, place_.last)};
        begin_ = moves_.size();
        for (const std::size_t slot : refuting_) {
            if (slot == N::slots) continue;
            const Move move = node_.move_of(slot);
            const bool seen =
                (has_first_ && move == first_) ||
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
        if (!has_first_ || begin_ == 0) return;
        const auto* found = std::find(moves_.begin() + begin_, moves_.end(), first_);
        if (found == moves_.end()) return;
        int& rank = ranks_[static_cast<std::size_t>(found - moves_.begin())];
        left_ -= rank != gone;
        rank = gone;
    }

    void rank_quiet() {
        if constexpr (!Named<N>) {
            const auto& killers = habits_.killers(place_.ply);
            refuting_ = {killers[0], killers[1], habits_.counter(place_.side, place_.last)};
        }
        rank([&](Move move) {
            const std::size_t slot = node_.slot(move);
            const int value =
                habits_.history(place_.side, slot) + habits_.answer(place_.last, slot);
            const bool counters = slot == refuting_[2];
            const bool kills = slot == refuting_[0] || slot == refuting_[1];
            if constexpr (Named<N>) return kills || counters ? had : value;
            return kills ? 500'000 : counters ? 400'000 : value;
        });
    }

    /// Place of the best move that is left. Few are asked for in most nodes, so nothing is sorted.
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
    static_assert(N::Moves::capacity <= places);

    const N& node_;
    const Habits<N>& habits_;
    Place place_;
    Move first_{};
    std::array<std::size_t, 3> refuting_{};  ///< slots of the killers and the counter-move
    bool has_first_ = false;
    bool quiet_ = false;
    Stage stage_ = Stage::first;
    std::size_t begin_ = 0;  ///< of the moves of this stage
    std::size_t end_ = 0;
    std::size_t left_ = 0;  ///< not handed out yet
    typename N::Moves moves_;
    std::array<int, N::Moves::capacity> ranks_;
};

/// Tactical moves, the largest gain first.
template <Tactical N>
class Prey {
  public:
    struct Catch {
        typename N::Move move;
        int gain;
    };

    explicit Prey(const N& node) {
        typename N::Moves moves;
        node.list_tactical_moves(moves);
        for (const auto move : moves) catches_.push_back({move, node.gain(move)});
    }

    const Catch* next() {
        if (at_ == catches_.size()) return nullptr;
        auto* best = catches_.begin() + at_;
        for (auto* other = best + 1; other != catches_.end(); ++other) {
            if (other->gain > best->gain) best = other;
        }
        std::swap(catches_.begin()[at_], *best);
        return &catches_[at_++];
    }

  private:
    MoveList<Catch, N::Moves::capacity> catches_;
    std::size_t at_ = 0;
};

}  // namespace spielleiter::search
