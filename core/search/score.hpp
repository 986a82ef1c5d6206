/// @file
/// What a position is worth to the seat to move, and how far away a certain end is.
///
/// Every evaluation speaks the same unit, so that margins need not know the game: a score s means a
/// chance of winning of 1 / (1 + 10^(−s / 400)). Certain ends begin at `certain`: a win in n plies
/// is `win − n`, so that search prefers the quicker win and the slower loss. Where an end is solved
/// by points, a win by n (fewer than 500) is `certain + n`; `certain` alone is a win of which no
/// more is known.
#pragma once

namespace spielleiter::search {

using Score = int;

inline constexpr Score infinite = 32'000;
inline constexpr Score win = 31'000;
inline constexpr Score certain = 30'000;
inline constexpr int max_depth = 120;

constexpr bool is_certain(Score score) { return score >= certain || score <= -certain; }

/// The score of an end reached `ply` plies below the root: `value` is 1, 0 or −1.
constexpr Score end_score(int value, int ply) { return value * (win - ply); }

/// An estimate can never be taken for a certain end.
constexpr Score estimate(Score score) {
    return score >= certain ? certain - 1 : score <= -certain ? 1 - certain : score;
}

/// In the table a certain end counts from the position it is stored under, not from the root.
constexpr Score to_table(Score score, int ply) {
    return score >= certain ? score + ply : score <= -certain ? score - ply : score;
}
constexpr Score from_table(Score score, int ply) {
    return score >= certain ? score - ply : score <= -certain ? score + ply : score;
}

}  // namespace spielleiter::search
