/// @file
/// How long to think, as data. Whatever is not given does not limit.
#pragma once

#include <cstdint>
#include <optional>

namespace spielleiter::search {

struct Limits {
    std::optional<double> time;                ///< seconds; `Stop` keeps a reserve below it
    std::optional<std::uint64_t> nodes;        ///< positions visited, all threads together
    std::optional<int> depth;                  ///< plies of the last full iteration
    std::optional<std::uint64_t> simulations;  ///< games played out in the tree
};

}  // namespace spielleiter::search
