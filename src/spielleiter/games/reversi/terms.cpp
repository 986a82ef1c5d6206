#include "terms.hpp"

#include <string>

namespace spielleiter::reversi {

const std::array<std::string_view, terms> term_names{
    "stones",      "mobility",     "frontier", "corners", "edges",   "corner_stable",
    "near_corner", "corner_moves", "tempo",    "parity",  "regions", "exposed"};

/// `spielleiter tune` writes these tables; each says from which games it was fitted.
const Weights& fitted_weights(std::size_t players) {
    static constexpr Weights two{{
#include "weights/two.inc"
    }};
    static constexpr Weights three{{
#include "weights/three.inc"
    }};
    static constexpr Weights four{{
#include "weights/four.inc"
    }};
    return players <= 2 ? two : players == 3 ? three : four;
}

/// Weights fitted before the danger of a wipe-out was a term are still accepted.
constexpr std::size_t terms_before = 11;

/// Refuses a wrong number of them.
Weights weights_from(std::span<const std::int16_t> given, std::size_t players) {
    if (given.empty()) return fitted_weights(players);
    if (given.size() != terms * knots && given.size() != terms_before * knots)
        throw UsageError("the evaluation has " + std::to_string(terms * knots) + " weights, not " +
                         std::to_string(given.size()));
    Weights weights{};
    for (std::size_t at = 0; at < given.size(); ++at) weights[at / knots][at % knots] = given[at];
    return weights;
}

std::array<int, knots> PhaseWeights::interpolation(int empties, int cells) {
    const int place =
        cells == 0 ? 0 : whole * static_cast<int>(knots - 1) * (cells - empties) / cells;
    const auto knot = std::min<std::size_t>(knots - 2, static_cast<std::size_t>(place / whole));
    const int rest = place - static_cast<int>(knot) * whole;
    std::array<int, knots> parts{};
    parts[knot] = whole - rest;
    parts[knot + 1] = rest;
    return parts;
}

PhaseWeights::PhaseWeights(const Weights& weights, int cells) {
    for (int empties = 0; empties <= cells; ++empties) {
        const auto parts = interpolation(empties, cells);
        std::array<std::int32_t, terms> row{};
        for (std::size_t term = 0; term < terms; ++term) {
            for (std::size_t knot = 0; knot < knots; ++knot)
                row[term] += weights[term][knot] * parts[knot];
            row[term] /= whole;
        }
        rows_.push_back(row);
    }
}

}  // namespace spielleiter::reversi
