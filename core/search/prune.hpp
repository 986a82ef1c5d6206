/// @file
/// Which parts of the tree are looked at less, and by how much. Margins are in units of score.
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

/// Every device that can lose sight of something; without all of them search is plain alpha-beta.
/// `overlooked` is for weak players: that many of 1024 moves are not seen at all.
struct Devices {
    bool null_move = true;
    bool futility = true;    ///< nodes and quiet moves far outside the window
    bool late_moves = true;  ///< reductions and, near the leaves, leaving out
    bool quiescence = true;
    bool extensions = true;
    bool probcut = true;  ///< nodes whose shallow score lies far outside the window
    bool endgame = true;  ///< an exact solver, where a game has one
    int overlooked = 0;

    struct Name {
        std::string_view name;
        bool Devices::* device;
    };
    static const std::array<Name, 7> names;

    bool* named(std::string_view wanted) {
        for (const Name& known : names) {
            if (known.name == wanted) return &(this->*known.device);
        }
        return nullptr;
    }
};
inline constexpr std::array<Devices::Name, 7> Devices::names{{{"null_move", &Devices::null_move},
                                                              {"futility", &Devices::futility},
                                                              {"late_moves", &Devices::late_moves},
                                                              {"quiescence", &Devices::quiescence},
                                                              {"extensions", &Devices::extensions},
                                                              {"probcut", &Devices::probcut},
                                                              {"endgame", &Devices::endgame}}};

/// Whether a weak player does not see a move. The same one always, whatever the order.
inline bool overlooked(const Devices& devices, std::uint64_t key, std::uint64_t seed,
                       std::uint32_t move) {
    if (devices.overlooked == 0) return false;
    return static_cast<int>(mix(key ^ mix(seed + move)) & 1023U) < devices.overlooked;
}

/// Plies by which a quiet move is searched less, by depth and number of the move.
inline const auto late_reductions = []() noexcept {
    std::array<std::array<std::uint8_t, 64>, 64> table{};
    for (std::size_t depth = 1; depth < 64; ++depth) {
        for (std::size_t number = 1; number < 64; ++number) {
            const double plies = 0.3 + std::log(static_cast<double>(depth)) *
                                           std::log(static_cast<double>(number)) / 1.8;
            table[depth][number] = static_cast<std::uint8_t>(plies);
        }
    }
    return table;
}();

inline int late_reduction(int depth, int number) {
    return late_reductions[static_cast<std::size_t>(std::min(depth, 63))]
                          [static_cast<std::size_t>(std::min(number, 63))];
}

/// Quiet moves tried at most, near the leaves.
constexpr int late_move_limit(int depth) { return 3 + 2 * depth * depth; }

/// How far beyond the window an estimate must be to be believed, by depth.
constexpr Score cut_margin(int depth) { return 50 * depth; }
constexpr Score futility_margin(int depth) { return 40 + 60 * depth; }

/// A capture at the horizon that gains less than what is missing is not looked at.
inline constexpr Score prey_margin = 80;

/// Plies less after a pass.
constexpr int pass_reduction(int depth, Score surplus) {
    return 2 + depth / 4 + std::min(surplus / 150, 2);
}

}  // namespace spielleiter::search
