#include "outlook.hpp"

namespace spielleiter::reversi {

const std::array<std::string_view, signs> sign_names{
    "here",    "last",  "stones", "lead",  "few",    "moves",  "stuck",    "frontier",
    "corners", "edges", "safe",   "risky", "access", "claims", "landings", "quiet"};

/// Made by training/reversi/several; each table says from which games it was fitted.
const OutlookWeights& outlook_weights(std::size_t players) {
    static constexpr OutlookWeights three{{
#include "weights/outlook_three.inc"
    }};
    static constexpr OutlookWeights four{{
#include "weights/outlook_four.inc"
    }};
    return players <= 3 ? three : four;
}

}  // namespace spielleiter::reversi
