#include "win_probability.hpp"

namespace spielleiter::reversi {

const std::array<std::string_view, features> feature_names{"bias",         "parity",
                                                           "stones",       "lead",
                                                           "few_stones",   "moves",
                                                           "no_moves",     "frontier",
                                                           "corners",      "edges",
                                                           "stable",       "near_corner",
                                                           "corner_moves", "first_corner_moves",
                                                           "edge_moves",   "exclusive_moves"};

/// Made by training/reversi/multi_player; each table says from which games it was fitted.
const WinProbabilityWeights& win_probability_weights(std::size_t players) {
    static constexpr WinProbabilityWeights three{{
#include "weights/win_probability_three.inc"
    }};
    static constexpr WinProbabilityWeights four{{
#include "weights/win_probability_four.inc"
    }};
    return players <= 3 ? three : four;
}

}  // namespace spielleiter::reversi
