/// @file
/// The Python face of every game: `bind_game<Position>(module)` and nothing else.
#pragma once

#include <type_traits>

#include "bind.rules.hpp"
#include "search/bind.hpp"

namespace spielleiter {

/// Everything Python sees of a game: its rules, and its engines.
///
/// Every game has an `Mcts`, which plays games out by lot unless `Evaluate` judges moves (`prior`).
/// If `Evaluate` judges positions (`Node`) or brings a search of its own (`Engine`), there is an
/// `Engine` too.
template <GamePosition P, class Evaluate = search::UniformPolicy<P>>
void bind_game(nb::module_& module) {
    const binding::MoveObjects<P> objects = binding::bind_rules<P>(module);
    if constexpr (requires { typename Evaluate::Node; } || requires { typename Evaluate::Engine; })
        binding::bind_engine<P, Evaluate>(module, objects);
    if constexpr (requires(const P& position) { Evaluate::features_of(position); })
        binding::bind_evaluation<P, Evaluate>(module);
    constexpr bool judges_moves =
        requires(Evaluate judge, const P& p, typename P::Move m) { judge.prior(p, m); };
    using Policy = std::conditional_t<judges_moves, Evaluate, search::UniformPolicy<P>>;
    binding::bind_mcts<P, Policy>(module, objects);
}

}  // namespace spielleiter
