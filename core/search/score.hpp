/// @file
/// What a position is worth: scores for one seat, values for all seats, and certain results.
///
/// Every evaluation uses the same unit, so that margins need not know the game: a score s means a
/// chance of winning of 1 / (1 + 10^(−s / 400)). Certain results begin at `certain`: a win in n
/// plies is `win − n`, so that search prefers the quicker win and the slower loss. Where an endgame
/// is solved by points, a win by n (fewer than 500) is `certain + n`; `certain` alone is a win of
/// which no more is known.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "core/game.hpp"

/// Search for any game: alpha-beta, Monte Carlo tree search and best-first search.
namespace spielleiter::search {

/// The worth of a position to the seat to move, in the unit described above.
using Score = int;

inline constexpr Score infinite = 32'000;  ///< above every score: the open window
inline constexpr Score win = 31'000;       ///< a win at the root itself; in n plies it is n less
inline constexpr Score certain = 30'000;   ///< scores from here on are proven
inline constexpr int max_depth = 120;      ///< plies; leaves room between `certain` and `win`

/// What each seat can expect: 1 is the first rank for certain, 0 is the last.
using SeatValues = std::array<float, max_seats>;

/// Whether a score stands for a proven result.
constexpr bool is_certain(Score score) { return score >= certain || score <= -certain; }

/// The score of a game that ends `ply` plies below the root: `value` is 1, 0 or −1.
constexpr Score end_score(int value, int ply) { return value * (win - ply); }

/// Clamps an estimate so that it is never mistaken for a proven result.
constexpr Score estimate(Score score) {
    return score >= certain ? certain - 1 : score <= -certain ? 1 - certain : score;
}

/// In the transposition table a certain result counts from its own position, not from the root.
constexpr Score to_table(Score score, int ply) {
    return score >= certain ? score + ply : score <= -certain ? score - ply : score;
}
/// The inverse of `to_table`: counts from the root again.
constexpr Score from_table(Score score, int ply) {
    return score >= certain ? score - ply : score <= -certain ? score + ply : score;
}

/// The score that means this chance of winning; always far from certain results.
inline Score score_of(float chance) {
    const float bounded = std::clamp(chance, 0.001F, 0.999F);
    return static_cast<Score>(std::lround(400.0F * std::log10(bounded / (1.0F - bounded))));
}

}  // namespace spielleiter::search
