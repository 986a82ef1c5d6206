/// @file
/// Paranoid search: one seat, the hero, against all the others, who are taken to play together
/// against it. Then there are two sides, and alpha-beta does the rest.
#pragma once

#include <cstddef>

#include "hero.hpp"

namespace spielleiter::search {

template <SeveralSeats T>
class ParanoidNode : public HeroView<T> {
    using HeroView<T>::table_;

  public:
    using Move = typename T::Move;
    using Moves = typename T::Moves;
    using Several = T;
    static constexpr std::size_t slots = T::slots;

    using HeroView<T>::HeroView;

    void list_moves(Moves& moves) const { table_.list_moves(moves); }
    bool is_legal(Move move) const { return table_.is_legal(move); }
    static int gain(Move) { return 0; }
    static std::size_t slot(Move move) { return T::slot(move); }
    void play(Move move) { table_.play(move); }
};

}  // namespace spielleiter::search
