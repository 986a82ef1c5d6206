/// @file
/// Random games: from a position to the end, every legal move equally likely.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "game.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace spielleiter {

/// Sums over random games.
struct Playouts {
    std::uint64_t games = 0;                       ///< how many were played
    std::uint64_t plies = 0;                       ///< moves of all games together
    std::uint64_t draws = 0;                       ///< games without a sole winner
    std::array<std::uint64_t, max_seats> wins{};   ///< games that a seat won alone
    std::array<std::int64_t, max_seats> scores{};  ///< sum of the final points of a seat

    /// The same sums.
    bool operator==(const Playouts&) const = default;

    /// Adds the sums of other games.
    void add(const Playouts& other) {
        games += other.games;
        plies += other.plies;
        draws += other.draws;
        for (std::size_t seat = 0; seat < max_seats; ++seat) {
            wins[seat] += other.wins[seat];
            scores[seat] += other.scores[seat];
        }
    }
};

/// A uniformly drawn legal move, or nothing where there is none.
template <GamePosition P>
std::optional<typename P::Move> random_move(const P& position, Random& random) {
    if constexpr (requires { position.random_move(random); }) {
        return position.random_move(random);
    } else {
        const auto moves = position.legal_moves();
        if (moves.empty()) return std::nullopt;
        return moves[random.below(static_cast<std::uint32_t>(moves.size()))];
    }
}

/// A seat that is asked for a move it does not have can only forfeit (some authorities have no rule
/// for that): it alone comes last.
template <GamePosition P>
Outcome forfeit(const P& position) {
    Outcome outcome{
        .seats = position.seats(), .scores = position.scores(), .reason = "no legal move"};
    for (std::size_t seat = 0; seat < outcome.seats; ++seat) outcome.ranks[seat] = 1;
    outcome.ranks[position.to_move()] = static_cast<int>(outcome.seats);
    return outcome;
}

/// Whether a rule other than "no legal move" has ended the game. Where a position tells this apart,
/// `decided()`, a playout need not ask for a move twice.
template <GamePosition P>
bool is_decided(const P& position) {
    if constexpr (requires { position.decided(); }) {
        return position.decided();
    } else {
        return is_over(position);
    }
}

/// Plays one random game to its end and adds what happened to `sums`.
template <GamePosition P>
void playout(P position, Random& random, Playouts& sums) {
    while (!is_decided(position)) {
        const auto move = random_move(position, random);
        if (!move) break;
        position.play(*move);
        ++sums.plies;
    }
    const Outcome outcome = position.outcome().value_or(forfeit(position));
    ++sums.games;
    if (const auto winner = outcome.winner()) {
        ++sums.wins[*winner];
    } else {
        ++sums.draws;
    }
    for (std::size_t seat = 0; seat < outcome.seats; ++seat)
        sums.scores[seat] += outcome.scores[seat];
}

/// `games` random games. Game i draws from its own stream, so threads do not change the sums.
/// Before each of them `go_on` is asked, and told whether it is the calling thread that asks.
template <GamePosition P, class GoOn>
Playouts playouts(const P& position, std::size_t games, std::uint64_t seed, unsigned threads,
                  GoOn&& go_on) {
    Playouts total;
    std::mutex adding;
    parallel(games, threads, [&](std::size_t begin, std::size_t end) {
        Playouts sums;
        for (std::size_t game = begin; game < end && go_on(begin == 0); ++game) {
            Random random = Random::stream(seed, game);
            playout(position, random, sums);
        }
        const std::scoped_lock lock(adding);
        total.add(sums);
    });
    return total;
}
/// The same without a question: all games are played.
template <GamePosition P>
Playouts playouts(const P& position, std::size_t games, std::uint64_t seed, unsigned threads = 1) {
    return playouts(position, games, seed, threads, [](bool) { return true; });
}

}  // namespace spielleiter
