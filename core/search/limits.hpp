/// @file
/// How long to think, as data. Whatever is not given does not limit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace spielleiter::search {

/// Seconds for this move and all later ones together.
struct Account {
    double seconds = 0;
    std::optional<int> moves;  ///< own moves it must last for; otherwise the position is asked

    /// What to plan for the next move: an equal share and a little more, for what is left over at
    /// the end is worth nothing; never more than a third of everything. Where others use the
    /// processor for a `pause` at a time, room for some of them is left, unless that is nearly
    /// everything: even an answer without thought may have to wait for one.
    double share(double pause = 0) const {
        const int left = std::max(1, moves.value_or(many));
        const double free = seconds - std::min(pause * (4 + 0.25 * left), 0.95 * seconds);
        return std::max(0.0, std::min(generous * free / left, free / 3));
    }

    static constexpr int many = 30;  ///< a game of unknown length is taken to be long
    static constexpr double generous = 1.25;
};

struct Limits {
    std::optional<double> time;                ///< seconds; `Stop` keeps a reserve below it
    std::optional<Account> account;            ///< divided among the moves to come
    std::optional<std::uint64_t> nodes;        ///< positions visited, all threads together
    std::optional<int> depth;                  ///< plies of the last full iteration
    std::optional<std::uint64_t> simulations;  ///< games played out in the tree

    /// The same with the account's share of this move as time. A position that knows about how many
    /// moves its mover still has to make says so with `moves_left()`. `pause`: see `Account`.
    template <class Position>
    Limits divided(const Position& position, double pause = 0) const {
        Limits limits = *this;
        if constexpr (requires { position.moves_left(); }) {
            if (account && !account->moves) limits.account->moves = position.moves_left();
        }
        return limits.divided(pause);
    }
    Limits divided(double pause = 0) const {
        Limits limits = *this;
        if (account)
            limits.time = std::min(time.value_or(account->seconds), limits.account->share(pause));
        limits.account.reset();
        return limits;
    }

    /// What is left of them after so many seconds.
    Limits after(double seconds) const {
        Limits limits = *this;
        if (time) limits.time = std::max(0.0, *time - seconds);
        if (account) limits.account->seconds = std::max(0.0, account->seconds - seconds);
        return limits;
    }
};

}  // namespace spielleiter::search
