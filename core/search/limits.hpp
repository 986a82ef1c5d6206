/// @file
/// How long to search, as data. A limit that is not given does not apply.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace spielleiter::search {

/// Seconds for this move and all later ones together.
struct TimeAccount {
    double seconds = 0;        ///< left for the rest of the game
    std::optional<int> moves;  ///< own moves it must last for; otherwise the position is asked

    /// Seconds to plan for the next move: an equal share and a little more, for what is left over
    /// at the end is worth nothing; never more than a third of everything. Where other programs use
    /// the processor for a `delay` at a time, room for some delays is left, unless that is nearly
    /// everything: even an answer without thought may have to wait for one.
    double share(double delay = 0) const {
        const int left = std::max(1, moves.value_or(default_moves));
        const double reserve = std::min(delay * (delays + delays_per_move * left), most * seconds);
        const double free = seconds - reserve;
        return std::max(0.0, std::min(generosity * free / left, free / 3));
    }

    // All of these are guesses that have stood the test of many games; none is fitted.
    static constexpr int default_moves = 30;    ///< a game of unknown length is taken to be long
    static constexpr double generosity = 1.25;  ///< times the equal share
    static constexpr double delays = 4;         ///< kept in reserve for the whole rest of the game
    static constexpr double delays_per_move = 0.25;  ///< kept in reserve for each move besides
    static constexpr double most = 0.95;             ///< share of the account kept in reserve
};

/// What ends a search, whichever comes first.
struct Limits {
    std::optional<double> time;                ///< seconds to think
    std::optional<double> deadline;            ///< seconds after which an answer is too late
    std::optional<TimeAccount> account;        ///< divided among the moves to come
    std::optional<std::uint64_t> nodes;        ///< positions visited, all threads together
    std::optional<int> depth;                  ///< plies of the last full iteration
    std::optional<std::uint64_t> simulations;  ///< games played out in the tree

    /// The same with the account's share of this move as time and all of it as the deadline. A
    /// position that knows about how many moves its mover still has to make says so with
    /// `moves_left()`. `delay`: see `TimeAccount`.
    template <class Position>
    Limits divided(const Position& position, double delay = 0) const {
        Limits limits = *this;
        if constexpr (requires { position.moves_left(); }) {
            if (account && !account->moves) limits.account->moves = position.moves_left();
        }
        return limits.divided(delay);
    }
    /// The same for a position that does not know how many moves are left.
    Limits divided(double delay = 0) const {
        Limits limits = *this;
        if (account) {
            limits.time = std::min(time.value_or(account->seconds), account->share(delay));
            limits.deadline = std::min(deadline.value_or(account->seconds), account->seconds);
        }
        if (limits.deadline)
            limits.time = std::min(limits.time.value_or(*limits.deadline), *limits.deadline);
        limits.account.reset();
        return limits;
    }

    /// What is left of them after so many seconds.
    Limits after(double seconds) const {
        Limits limits = *this;
        if (time) limits.time = std::max(0.0, *time - seconds);
        if (deadline) limits.deadline = std::max(0.0, *deadline - seconds);
        if (account) limits.account->seconds = std::max(0.0, account->seconds - seconds);
        return limits;
    }
};

}  // namespace spielleiter::search
