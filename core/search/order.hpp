/// @file
/// Which move first: the better the guess, the smaller the tree.
///
/// The order is: the move the table remembers; captures, the largest first; moves that refuted a
/// sister position (killers) or the same last move elsewhere (counter-moves); then by history, how
/// often a move was best in this search.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "node.hpp"

namespace spielleiter::search {

/// Statistics of one thread about moves, by the slot the node gives them.
template <Node N>
class Habits {
  public:
    using Move = typename N::Move;

    Habits() : history_(2 * N::slots), counters_(2 * N::slots) {}

    void forget() { *this = Habits(); }

    /// A new search begins: old habits count less, killers nothing.
    void fade() {
        for (auto& value : history_) value = static_cast<std::int16_t>(value / 4);
        killers_ = {};
    }

    int history(std::size_t side, std::size_t slot) const {
        return history_[side * N::slots + slot];
    }
    bool kills(int ply, Move move) const {
        const auto& pair = killers_[static_cast<std::size_t>(ply)];
        return pair[0] == move || pair[1] == move;
    }
    bool counters(std::size_t side, std::size_t last, Move move) const {
        return counters_[side * N::slots + last] == move;
    }

    void learn_killer(int ply, Move move) {
        auto& pair = killers_[static_cast<std::size_t>(ply)];
        if (pair[0] != move) pair[1] = std::exchange(pair[0], move);
    }
    void learn_counter(std::size_t side, std::size_t last, Move move) {
        counters_[side * N::slots + last] = move;
    }
    /// Moves towards ±limit, ever more slowly, so that the values stay comparable.
    void learn(std::size_t side, std::size_t slot, int bonus) {
        auto& value = history_[side * N::slots + slot];
        value = static_cast<std::int16_t>(value + bonus - value * std::abs(bonus) / limit);
    }

    static constexpr int limit = 8192;

  private:
    std::vector<std::int16_t> history_;
    std::vector<Move> counters_;
    std::array<std::array<Move, 2>, max_depth + 8> killers_{};
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
        while (at_ == moves_.size()) {
            if (!advance()) return nullptr;
        }
        pick();
        return &moves_[at_++];
    }

    /// Whether the move handed out last gains nothing at once.
    bool quiet() const { return quiet_; }

  private:
    enum class Stage : std::uint8_t { first, tactical, quiet, done };

    bool advance() {
        switch (stage_) {
            case Stage::first:
                stage_ = Stage::tactical;
                if (has_first_) moves_.push_back(first_), values_[0] = 0;
                quiet_ = has_first_ && node_.gain(first_) == 0;
                return true;
            case Stage::tactical:
                stage_ = Stage::quiet;
                if constexpr (Tactical<N>) {
                    quiet_ = false;
                    node_.list_tactical_moves(moves_);
                    judge([&](Move move) { return node_.gain(move) * 1'000 + habit(move); });
                }
                return true;
            case Stage::quiet:
                stage_ = Stage::done;
                quiet_ = true;
                if constexpr (Tactical<N>) {
                    node_.list_quiet_moves(moves_);
                } else {
                    node_.list_moves(moves_);
                }
                judge([&](Move move) { return quiet_value(move); });
                return true;
            default:
                return false;
        }
    }

    /// Values the moves that came new; the one handed out first is taken out.
    template <class Value>
    void judge(Value&& value) {
        if (has_first_) {
            auto* found = std::find(moves_.begin() + at_, moves_.end(), first_);
            if (found != moves_.end()) std::swap(*found, moves_.begin()[at_++]);
        }
        for (std::size_t at = at_; at < moves_.size(); ++at) values_[at] = value(moves_[at]);
    }

    int quiet_value(Move move) const {
        if (habits_.kills(place_.ply, move)) return 500'000;
        if (habits_.counters(place_.side, place_.last, move)) return 400'000;
        return habit(move);
    }
    int habit(Move move) const { return habits_.history(place_.side, node_.slot(move)); }

    /// Selection sort, one step: few moves are asked for in most nodes.
    void pick() {
        std::size_t best = at_;
        for (std::size_t at = at_ + 1; at < moves_.size(); ++at) {
            if (values_[at] > values_[best]) best = at;
        }
        std::swap(moves_.begin()[at_], moves_.begin()[best]);
        std::swap(values_[at_], values_[best]);
    }

    const N& node_;
    const Habits<N>& habits_;
    Place place_;
    Move first_{};
    bool has_first_ = false;
    bool quiet_ = false;
    Stage stage_ = Stage::first;
    std::size_t at_ = 0;
    typename N::Moves moves_;
    std::array<int, N::Moves::capacity> values_;
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
