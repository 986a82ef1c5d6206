/// @file
/// Which parts of the tree are searched less or not at all, and by how much. Margins are in units
/// of score; all numbers were guessed first and kept where games of self-play showed no better
/// ones.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/random.hpp"
#include "score.hpp"

namespace spielleiter::search {

/// Every technique that can miss something; without all of them search is plain alpha-beta.
/// `overlooked` is for weak players: that many of 1024 moves are not seen at all.
struct PruningOptions {
    bool null_move = true;   ///< nodes that are good enough even after passing
    bool futility = true;    ///< nodes and quiet moves far outside the window
    bool late_moves = true;  ///< reductions and, near the leaves, pruning of late quiet moves
    bool quiescence = true;  ///< captures at the horizon
    bool extensions = true;  ///< one ply more where the next move may decide
    bool probcut = true;     ///< nodes whose shallow score lies far outside the window
    bool endgame = true;     ///< an exact solver, where a game has one
    int overlooked = 0;      ///< of 1024 moves

    /// Whether alpha-beta sees every move of a node that it searches to the end of the game.
    bool is_exact() const { return !null_move && !futility && !late_moves && overlooked == 0; }

    /// An option and the name by which Python switches it off.
    struct Name {
        std::string_view name;          ///< as in `Engine(without=…)`
        bool PruningOptions::* option;  ///< the field it stands for
    };
    static const std::array<Name, 7> names;  ///< all of them

    /// The option of a name, or nothing.
    bool* named(std::string_view wanted) {
        for (const Name& known : names) {
            if (known.name == wanted) return &(this->*known.option);
        }
        return nullptr;
    }
};
inline constexpr std::array<PruningOptions::Name, 7> PruningOptions::names{
    {{"null_move", &PruningOptions::null_move},
     {"futility", &PruningOptions::futility},
     {"late_moves", &PruningOptions::late_moves},
     {"quiescence", &PruningOptions::quiescence},
     {"extensions", &PruningOptions::extensions},
     {"probcut", &PruningOptions::probcut},
     {"endgame", &PruningOptions::endgame}}};

/// Whether a weak player does not see a move. Always the same ones, whatever the order.
inline bool overlooked(const PruningOptions& pruning, std::uint64_t key, std::uint64_t seed,
                       std::uint32_t move) {
    if (pruning.overlooked == 0) return false;
    return static_cast<int>(mix(key ^ mix(seed + move)) & 1023U) < pruning.overlooked;
}

/// Plies by which a quiet move is searched less, by depth and number of the move.
inline const auto late_reductions = []() noexcept {
    constexpr double base = 0.3;
    constexpr double divisor = 1.8;
    std::array<std::array<std::uint8_t, 64>, 64> table{};
    for (std::size_t depth = 1; depth < 64; ++depth) {
        for (std::size_t number = 1; number < 64; ++number) {
            const double plies = base + std::log(static_cast<double>(depth)) *
                                            std::log(static_cast<double>(number)) / divisor;
            table[depth][number] = static_cast<std::uint8_t>(plies);
        }
    }
    return table;
}();

/// Late move reduction: plies less for move `number` of a node of this depth.
inline int late_reduction(int depth, int number) {
    return late_reductions[static_cast<std::size_t>(std::min(depth, 63))]
                          [static_cast<std::size_t>(std::min(number, 63))];
}

inline constexpr int late_reduction_depth = 3;    ///< shallower nodes are not reduced
inline constexpr int late_pruning_depth = 3;      ///< deeper nodes try all quiet moves
inline constexpr int reverse_futility_depth = 5;  ///< deeper nodes are not left at their estimate
inline constexpr int null_move_depth = 3;         ///< shallower nodes try no pass
/// A node without table entry loses a ply from here.
inline constexpr int internal_reduction_depth = 4;

/// Late move pruning: quiet moves tried at most, near the leaves.
constexpr int late_move_limit(int depth) { return 3 + 2 * depth * depth; }

/// How far above the window an estimate must be to end a node of this depth.
constexpr Score reverse_futility_margin(int depth) { return 50 * depth; }
/// How far below the window an estimate must be to prune the quiet moves of a node of this depth.
constexpr Score futility_margin(int depth) { return 40 + 60 * depth; }

/// Delta pruning: a capture at the horizon must gain what is missing, give or take this.
inline constexpr Score delta_margin = 80;

/// Plies less after a pass; `surplus` is how far the estimate lies above the window.
constexpr int null_move_reduction(int depth, Score surplus) {
    return 2 + depth / 4 + std::min(surplus / 150, 2);
}

}  // namespace spielleiter::search
