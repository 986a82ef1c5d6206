/// @file
/// Many games at once as Python sees them: `Batch` over NumPy buffers.
#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "bind.values.hpp"

namespace spielleiter::binding {

/// Memory that begins where a cache line does: JAX shares such buffers and copies others.
template <class Number>
struct AlignedAllocator {
    using value_type = Number;                        ///< what is allocated
    static constexpr std::align_val_t alignment{64};  ///< as JAX wants it

    AlignedAllocator() = default;
    /// The same for another type.
    template <class Other>
    AlignedAllocator(const AlignedAllocator<Other>& /*other*/) {}  // NOLINT(*-explicit-*)

    /// Room for so many numbers.
    Number* allocate(std::size_t count) {
        return static_cast<Number*>(::operator new(count * sizeof(Number), alignment));
    }
    /// Gives the room back.
    void deallocate(Number* numbers, std::size_t /*count*/) {
        ::operator delete(numbers, alignment);
    }
    /// Each can give back what another has allocated.
    bool operator==(const AlignedAllocator& /*other*/) const = default;
};

/// Numbers that other libraries share.
template <class Number>
using SharedBuffer = std::vector<Number, AlignedAllocator<Number>>;

/// Games in a row and the NumPy buffers they write to.
template <class P>
class BatchWithBuffers {
  public:
    /// Starts all games and fills the buffers.
    BatchWithBuffers(std::size_t games, BatchStarts<P> starts, bool auto_reset, unsigned threads,
                     bool masks)
        : batch(games, std::move(starts), auto_reset),
          seats(games == 0 ? 0 : batch[0].seats()),
          mask(masks ? games * P::actions : 0),
          to_move(games),
          done(games),
          rewards(games * seats),
          masks_(masks),
          threads_(threads) {
        batch.write_all(buffers(), threads_);
    }

    /// Bytes of the observation of one game.
    static constexpr std::size_t plane_size = P::planes[0] * P::planes[1] * P::planes[2];

    /// Where `Batch` writes to; planes and bits not, for they are large.
    BatchBuffers buffers() {
        return {masks_ ? mask.data() : nullptr, to_move.data(), done.data(), rewards.data()};
    }
    /// The masks, if the batch was made with them.
    std::uint8_t* wanted_mask() {
        if (!masks_) raise("UsageError", "this batch was made without masks");
        return mask.data();
    }
    /// Plays one legal action in each game. Planes (or bits) that somebody has looked at since the
    /// last step are written while their position is at hand: they will be looked at again.
    void step(std::span<const std::int32_t> actions, const BatchChoice& chosen) {
        BatchBuffers out = buffers();
        if (planes_state_ == View::looked_at) out.planes = planes_.data();
        if (bits_state_ == View::looked_at) out.plane_bits = plane_bits_.data();
        if (board_state_ == View::looked_at) out.board_planes = board_planes_.data();
        batch.step(actions, chosen, out, threads_);
        for (View* state : {&planes_state_, &bits_state_, &board_state_})
            *state = *state == View::looked_at ? View::written : View::stale;
    }
    /// Writes the buffers anew after a reset.
    void refresh() {
        batch.write_all(buffers(), threads_);
        planes_state_ = bits_state_ = board_state_ = View::stale;
    }
    /// Planes are large, so they are made and written only when somebody looks at them.
    std::uint8_t* fresh_planes() {
        planes_.resize(batch.size() * plane_size);
        if (std::exchange(planes_state_, View::looked_at) == View::stale)
            batch.write_views({.planes = planes_.data()}, threads_);
        return planes_.data();
    }
    /// So are their bits.
    PlaneRow* fresh_plane_bits() {
        if constexpr (HasPlaneBits<P>) {
            plane_bits_.resize(batch.size() * P::planes[0] * P::planes[1]);
            if (std::exchange(bits_state_, View::looked_at) == View::stale)
                batch.write_views({.plane_bits = plane_bits_.data()}, threads_);
        } else {
            raise("UsageError", "the planes of this game hold more than bits");
        }
        return plane_bits_.data();
    }

    /// Rows and columns of the map that all games share, or of the planes where all maps are alike.
    std::array<std::size_t, 2> board_size() {
        if constexpr (HasBoardPlanes<P>) {
            if (!board_size_) board_size_ = common_size();
            return *board_size_;
        } else {
            return {P::planes[1], P::planes[2]};
        }
    }
    /// And the planes without what lies beyond the map.
    std::uint8_t* fresh_board_planes() {
        if constexpr (HasBoardPlanes<P>) {
            const auto [rows, columns] = board_size();
            board_planes_.resize(batch.size() * P::planes[0] * rows * columns);
            if (std::exchange(board_state_, View::looked_at) == View::stale)
                batch.write_views({.board_planes = board_planes_.data()}, threads_);
            return board_planes_.data();
        } else {
            return fresh_planes();
        }
    }

    /// The legal actions of every game.
    std::vector<std::vector<std::int32_t>> legal_actions() const {
        return batch.legal_actions(threads_);
    }

    /// For whoever looks at the games or steps them.
    ExclusiveUse::Guard exclusive() {
        return {exclusive_use_, "this batch is being stepped by another thread"};
    }

    Batch<P> batch;  ///< the games

    std::size_t seats;                  ///< of every game
    SharedBuffer<std::uint8_t> mask;    ///< games × actions: 1 where legal; empty if not wanted
    SharedBuffer<std::int8_t> to_move;  ///< a seat, or −1 when over
    SharedBuffer<std::uint8_t> done;    ///< 1 when over
    SharedBuffer<float> rewards;        ///< games × seats

  private:
    /// Planes or bits: behind the positions, up to date, or up to date and looked at.
    enum class View : std::uint8_t { stale, written, looked_at };

    std::array<std::size_t, 2> common_size() const
        requires HasBoardPlanes<P>
    {
        if (batch.size() == 0) return {P::planes[1], P::planes[2]};
        const auto size = [this](std::size_t game) {
            return std::array{batch[game].rows(), batch[game].columns()};
        };
        for (std::size_t game = 1; game < batch.size(); ++game) {
            if (size(game) != size(0))
                raise("UsageError", "the maps of this batch have different sizes");
        }
        return size(0);
    }

    ExclusiveUse exclusive_use_;
    bool masks_;
    unsigned threads_;
    View planes_state_ = View::stale;
    View bits_state_ = View::stale;
    View board_state_ = View::stale;
    std::optional<std::array<std::size_t, 2>> board_size_;  ///< once somebody has asked for it
    SharedBuffer<std::uint8_t> planes_;
    SharedBuffer<PlaneRow> plane_bits_;
    SharedBuffer<std::uint8_t> board_planes_;
};

/// Refuses starts that do not fit the number of games, or positions of games for different numbers
/// of players: all rows of a buffer are equally long.
template <class P>
void check_starts(std::size_t games, const BatchStarts<P>& starts) {
    if (!starts.seeds.empty() && starts.seeds.size() != games)
        raise("UsageError", "one seed for each game, please");
    if (starts.positions.empty()) return;
    if (starts.positions.size() != games) raise("UsageError", "one position for each game, please");
    for (const P& position : starts.positions) {
        if (position.seats() != starts.positions[0].seats())
            raise("UsageError", "all positions of a batch have the same number of seats");
    }
}

/// A row of truth values from Python, one for each game.
using Chosen = std::optional<nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;

/// The games that a row of truth values means; none is given: all.
inline BatchChoice choice(std::size_t games, const Chosen& where) {
    if (!where) return {};
    if (where->shape(0) != games) raise("UsageError", "one truth value for each game, please");
    return BatchChoice(std::vector<std::uint8_t>(where->data(), where->data() + games));
}

/// An array that owns what it shows.
template <class Number>
auto owned(std::unique_ptr<std::vector<Number>> numbers) {
    nb::capsule owner(numbers.get(),
                      [](void* p) noexcept { delete static_cast<std::vector<Number>*>(p); });
    const std::vector<Number>& shown = *numbers.release();
    return nb::ndarray<nb::numpy, const Number, nb::ndim<1>>(shown.data(), {shown.size()}, owner);
}

/// Lists in one row, and where in it each of them begins; the last number is where the row ends.
inline nb::tuple in_a_row(const std::vector<std::vector<std::int32_t>>& lists) {
    auto row = std::make_unique<std::vector<std::int32_t>>();
    auto begins = std::make_unique<std::vector<std::int64_t>>(1, 0);
    for (const auto& list : lists) {
        row->insert(row->end(), list.begin(), list.end());
        begins->push_back(static_cast<std::int64_t>(row->size()));
    }
    return nb::make_tuple(owned(std::move(row)), owned(std::move(begins)));
}

/// Binds `Batch` over NumPy buffers.
template <class P>
void bind_batch(nb::module_& module) {
    using Many = BatchWithBuffers<P>;
    const auto planes_view = [](Many& self) {
        const auto guard = self.exclusive();
        return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<4>>(
            self.fresh_planes(), {self.batch.size(), P::planes[0], P::planes[1], P::planes[2]},
            nb::handle());
    };
    const auto plane_bits_view = [](Many& self) {
        const auto guard = self.exclusive();
        return nb::ndarray<nb::numpy, PlaneRow, nb::ndim<3>>(
            self.fresh_plane_bits(), {self.batch.size(), P::planes[0], P::planes[1]}, nb::handle());
    };
    const auto board_planes_view = [](Many& self) {
        const auto guard = self.exclusive();
        const auto [rows, columns] = self.board_size();
        return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<4>>(
            self.fresh_board_planes(), {self.batch.size(), P::planes[0], rows, columns},
            nb::handle());
    };
    nb::class_<Many>(
        module, "Batch",
        "Many games stepped together over NumPy buffers; the buffers are rewritten in place, and "
        "what cannot change within a game is written once: change nothing there.")
        .def(
            "__init__",
            [](Many* self, std::size_t games, std::uint64_t seed, const nb::str& set_up,
               std::string_view edition, std::string_view authority, bool auto_reset,
               unsigned threads, std::vector<std::uint64_t> seeds, std::vector<P> positions,
               bool masks) {
                const auto rules = rules_of<P>(edition, authority);
                reading(set_up, [&](std::string_view text) {
                    BatchStarts<P> starts{seed, std::string(text), rules, std::move(seeds),
                                          std::move(positions)};
                    check_starts(games, starts);
                    new (self) Many(games, std::move(starts), auto_reset, threads, masks);
                    return 0;
                });
            },
            "games"_a, "seed"_a, "set_up"_a, "edition"_a, "authority"_a = "document",
            "auto_reset"_a = false, "threads"_a = 1, "seeds"_a = std::vector<std::uint64_t>{},
            "positions"_a = std::vector<P>{}, "masks"_a = true,
            "seeds: one for each game, instead of streams of `seed`; positions: where each game "
            "begins, and begins again; masks: whether `mask` is written, for `legal_actions` may "
            "do.")
        .def("__len__", [](const Many& self) { return self.batch.size(); })
        .def(
            "__getitem__",
            [](Many& self, Py_ssize_t game) {
                const auto guard = self.exclusive();
                if (game < 0) game += static_cast<Py_ssize_t>(self.batch.size());
                if (game < 0 || static_cast<std::size_t>(game) >= self.batch.size())
                    throw nb::index_error("there are fewer games");
                return P(self.batch[static_cast<std::size_t>(game)]);
            },
            "game"_a, "A copy of one of the positions.")
        .def(
            "step",
            [](Many& self,
               nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> actions,
               const Chosen& where) {
                if (actions.shape(0) != self.batch.size())
                    raise("UsageError", "one action for each game, please");
                const auto guard = self.exclusive();
                // A copy: what was found legal must be what is played.
                const std::vector<std::int32_t> given(actions.data(),
                                                      actions.data() + actions.shape(0));
                const BatchChoice chosen = choice(self.batch.size(), where);
                const auto wrong = without_gil([&] {
                    const auto illegal = self.batch.first_illegal(given, chosen);
                    if (!illegal) self.step(given, chosen);
                    return illegal;
                });
                if (wrong) {
                    raise("UsageError", "action " + std::to_string(given[*wrong]) +
                                            " is illegal in game " + std::to_string(*wrong));
                }
            },
            "actions"_a, "where"_a = nb::none(),
            "Play one action in each game, or in those where `where` is true; if one is illegal "
            "nothing is played.")
        .def(
            "reset",
            [](Many& self, const Chosen& where) {
                const auto guard = self.exclusive();
                const BatchChoice chosen = choice(self.batch.size(), where);
                const GilRelease released;
                self.batch.reset(chosen);
                self.refresh();
            },
            "where"_a = nb::none(), "Start every game anew, or those where `where` is true.")
        .def(
            "legal_actions",
            [](Many& self) {
                const auto guard = self.exclusive();
                return in_a_row(without_gil([&self] { return self.legal_actions(); }));
            },
            nb::sig("def legal_actions(self) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64]]"),
            "The legal actions of all games in a row, and where those of each game begin: game i "
            "has actions[begins[i]:begins[i + 1]].")
        .def_prop_ro(
            "mask",
            [](Many& self) {
                return nb::ndarray<nb::numpy, bool, nb::ndim<2>>(
                    self.wanted_mask(), {self.batch.size(), P::actions}, nb::handle());
            },
            nb::rv_policy::reference_internal, "games × actions: which actions are legal.")
        .def_prop_ro("planes", planes_view, nb::rv_policy::reference_internal,
                     "games × planes × rows × columns.")
        .def_prop_ro("board_planes", board_planes_view, nb::rv_policy::reference_internal,
                     "games × planes × rows × columns of the map alone: the planes without the "
                     "cells beyond it, where maps have several sizes; all games on maps of one "
                     "size.")
        .def_prop_ro("plane_bits", plane_bits_view, nb::rv_policy::reference_internal,
                     "games × planes × rows: the planes with the cells of a row as bits, column x "
                     "as bit x; for games whose planes hold nothing but 0 and 1.")
        .def_prop_ro(
            "to_move",
            [](Many& self) {
                return nb::ndarray<nb::numpy, std::int8_t, nb::ndim<1>>(
                    self.to_move.data(), {self.batch.size()}, nb::handle());
            },
            nb::rv_policy::reference_internal, "Seat to move, −1 when over.")
        .def_prop_ro(
            "done",
            [](Many& self) {
                return nb::ndarray<nb::numpy, bool, nb::ndim<1>>(self.done.data(),
                                                                 {self.batch.size()}, nb::handle());
            },
            nb::rv_policy::reference_internal, "Which games are over.")
        .def_prop_ro(
            "rewards",
            [](Many& self) {
                return nb::ndarray<nb::numpy, float, nb::ndim<2>>(
                    self.rewards.data(), {self.batch.size(), self.seats}, nb::handle());
            },
            nb::rv_policy::reference_internal, "games × seats: 0 until over, then −1 … 1 by rank.");
}

}  // namespace spielleiter::binding
