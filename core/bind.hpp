/// @file
/// The Python face of every game: `bind_game<Position>(module)` and nothing else.
///
/// No rules here, only translation. Three things of ours are Python values and not native types,
/// because all games share them: `spielleiter.game.Outcome`, `Playouts` and the errors.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "bind.outside.hpp"
#include "game.hpp"
#include "parallel.hpp"
#include "perft.hpp"
#include "playout.hpp"

namespace spielleiter {

namespace nb = nanobind;
using namespace nb::literals;

namespace binding {

/// A Python class of ours, looked up when it is needed.
inline nb::object ours(const char* module, const char* name) {
    return nb::module_::import_(module).attr(name);
}

/// Raises an error of the Python tree.
template <class... Args>
[[noreturn]] void raise(const char* name, Args&&... args) {
    const nb::object type = ours("spielleiter.errors", name);
    const nb::object error = type(std::forward<Args>(args)...);
    PyErr_SetObject(type.ptr(), error.ptr());
    throw nb::python_error();
}

/// Offset in characters of byte `at` of a UTF-8 text.
inline std::size_t characters(std::string_view text, std::size_t at) {
    const auto head = text.substr(0, std::min(at, text.size()));
    return static_cast<std::size_t>(std::count_if(head.begin(), head.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;
    }));
}

/// Calls `read(view)` on the text; what it refuses becomes a Python TextError that shows the place.
template <class Read>
auto reading(const nb::str& text, Read&& read) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes == nullptr) {
        PyErr_Clear();
        raise("TextError", "the text holds characters that no encoding has");
    }
    const std::string_view view(bytes, static_cast<std::size_t>(size));
    try {
        return read(view);
    } catch (const TextError& error) {
        raise("TextError", error.what(), text, characters(view, error.at()));
    } catch (const UsageError& error) {
        raise("UsageError", error.what());
    }
}

template <class P>
typename P::Rules rules_of(std::string_view edition, std::string_view authority) {
    try {
        return P::Rules::named(edition, authority);
    } catch (const UsageError& error) {
        raise("UsageError", error.what());
    }
}

inline nb::tuple tuple_of(const std::array<int, max_seats>& values, std::size_t seats) {
    nb::list list;
    for (std::size_t seat = 0; seat < seats; ++seat) list.append(values[seat]);
    return nb::tuple(list);
}

inline nb::object to_python(const std::optional<Outcome>& outcome) {
    if (!outcome) return nb::none();
    return ours("spielleiter.game", "Outcome")(tuple_of(outcome->ranks, outcome->seats),
                                               tuple_of(outcome->scores, outcome->seats),
                                               std::string(outcome->reason));
}

inline nb::object to_python(const Playouts& sums, std::size_t seats) {
    nb::list wins;
    nb::list scores;
    for (std::size_t seat = 0; seat < seats; ++seat) {
        wins.append(sums.wins[seat]);
        scores.append(sums.games == 0 ? 0.0
                                      : static_cast<double>(sums.scores[seat]) /
                                            static_cast<double>(sums.games));
    }
    return ours("spielleiter.game", "Playouts")(sums.games, sums.plies, nb::tuple(wins), sums.draws,
                                                nb::tuple(scores));
}

/// How a value is pickled: by the game's package, its class and its state, and not by the module it
/// came from, so that every flavour on every machine reads it.
inline nb::object pickled(nb::handle self) {
    const nb::handle type = self.type();
    const nb::object package = type.attr("__module__").attr("rpartition")(".")[0];
    return nb::make_tuple(
        ours("spielleiter.native", "thaw"),
        nb::make_tuple(package, type.attr("__name__"), self.attr("__getstate__")()));
}

/// One Python object per move value, made on first use: a list of legal moves is then a matter of
/// counting references. The module owns the list of objects; `slots` looks into it.
template <class P>
class MoveObjects {
  public:
    using Move = typename P::Move;

    explicit MoveObjects(nb::module_& module) {
        PyObject* list = PyList_New(static_cast<Py_ssize_t>(Move::codes));
        for (std::size_t code = 0; code < Move::codes; ++code) {
            PyList_SetItem(list, static_cast<Py_ssize_t>(code), nb::none().release().ptr());
        }
        module.attr("_moves") = nb::steal(list);
        list_ = list;
    }

    /// The objects that a module already has.
    static MoveObjects of(const nb::module_& module) {
        return MoveObjects(nb::object(module.attr("_moves")).ptr());
    }

    /// A new reference to the object of a move.
    PyObject* object(Move move) const {
        const auto code = static_cast<Py_ssize_t>(move.code());
        PyObject* known = PyList_GetItem(list_, code);
        if (known == Py_None) [[unlikely]] {
            known = nb::cast(move, nb::rv_policy::copy).release().ptr();
            PyList_SetItem(list_, code, known);
        }
        Py_INCREF(known);
        return known;
    }

  private:
    explicit MoveObjects(PyObject* list) : list_(list) {}

    PyObject* list_;
};

/// The legal moves of a position as Python sees them: a container that makes objects when looked
/// at.
template <class P>
struct LegalMoves {
    typename P::Moves moves;
};

/// Games in a row and the NumPy buffers they write to.
template <class P>
class BatchWithBuffers {
  public:
    BatchWithBuffers(std::size_t games, std::uint64_t seed, std::string set_up,
                     typename P::Rules rules, bool auto_reset, unsigned threads)
        : batch(games, seed, std::move(set_up), rules, auto_reset),
          seats(games == 0 ? 0 : batch[0].seats()),
          mask(games * P::actions),
          to_move(games),
          done(games),
          rewards(games * seats),
          threads_(threads),
          planes_(games * plane_size) {
        batch.write_all(buffers(), threads_);
    }

    static constexpr std::size_t plane_size = P::planes[0] * P::planes[1] * P::planes[2];

    BatchBuffers buffers() { return {mask.data(), to_move.data(), done.data(), rewards.data()}; }
    void step(std::span<const std::int32_t> actions) {
        batch.step(actions, buffers(), threads_);
        stale_ = true;
    }
    void refresh() {
        batch.write_all(buffers(), threads_);
        stale_ = true;
    }
    /// Planes are large, so they are written only when somebody looks at them.
    std::uint8_t* fresh_planes() {
        if (std::exchange(stale_, false)) batch.write_planes(planes_.data(), threads_);
        return planes_.data();
    }

    /// For whoever looks at the games or steps them.
    Shared::Turn turn() { return {shared_, "this batch is being stepped by another thread"}; }

    Batch<P> batch;

    std::size_t seats;
    std::vector<std::uint8_t> mask;
    std::vector<std::int8_t> to_move;
    std::vector<std::uint8_t> done;
    std::vector<float> rewards;

  private:
    Shared shared_;
    unsigned threads_;
    bool stale_ = true;
    std::vector<std::uint8_t> planes_;
};

/// Thrown out of work that is to end; what Python makes of that is set as its error.
struct Interrupted {};
inline void stop_if_interrupted() {
    if (user_interrupts()) throw Interrupted();
}

/// Perft with the first ply dealt out to threads; stops when the user presses Ctrl-C.
template <GamePosition P>
std::uint64_t interruptible_perft(const P& position, int depth, unsigned threads) {
    if (depth < 3 || is_over(position)) return perft(position, depth);
    const auto moves = position.legal_moves();
    std::atomic<std::size_t> next = 0;
    std::atomic<std::uint64_t> nodes = 0;
    Interruption interruption;
    parallel(std::max(1U, threads), threads, [&](std::size_t thread, std::size_t) {
        const auto go_on = [&] { return interruption.go_on(thread == 0); };
        for (std::size_t at = next++; at < moves.size(); at = next++) {
            P child = position;
            child.play(moves[at]);
            nodes += perft(child, depth - 1, go_on);
        }
    });
    return nodes;
}

/// Perft outside of Python, of a copy: another thread may play on meanwhile.
template <class P>
std::uint64_t counted(P position, int depth, unsigned threads, std::optional<bool> passes) {
    return outside([&]() -> std::uint64_t {
        if constexpr (CountsPasses<P>) {
            if (passes.value_or(position.seats() == 2)) {
                try {
                    return position.perft_with_passes(depth, &stop_if_interrupted);
                } catch (const Interrupted&) {
                    return 0;
                }
            }
        }
        return interruptible_perft(position, depth, threads);
    });
}

template <class P>
void bind_mistakes(nb::module_& module) {
    using Mistake = typename P::Mistake;
    auto mistake = nb::enum_<Mistake>(module, "Mistake", "Why a move is illegal.");
    for (const auto& entry : P::mistakes)
        mistake.value(entry.name.data(), entry.mistake, entry.explanation.data());
    mistake.def_prop_ro("explanation", [](Mistake self) {
        for (const auto& entry : P::mistakes) {
            if (entry.mistake == self) return std::string(entry.explanation);
        }
        return std::string();
    });
}

template <class P>
void bind_moves(nb::module_& module, const MoveObjects<P>& objects) {
    using Move = typename P::Move;
    nb::class_<Move>(module, "Move", "One move: a value.")
        .def("text", &Move::text, "The move as people write it.")
        .def("__str__", &Move::text)
        .def("__repr__", [](const Move& self) { return "<Move " + self.text() + ">"; })
        .def(
            "__eq__", [](const Move& self, const Move& other) { return self == other; },
            nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const Move& self) { return self.code(); })
        .def("__reduce__", &pickled, nb::sig("def __reduce__(self) -> tuple[object, ...]"))
        .def("__getstate__", [](const Move& self) { return self.code(); })
        .def("__setstate__", [](Move& self, std::uint32_t code) {
            if (code >= Move::codes) raise("UsageError", "no move has that code");
            new (&self) Move(Move::coded(code));
        });

    using Legal = LegalMoves<P>;
    const auto tuple = [objects](const Legal& self) {
        PyObject* made = PyTuple_New(static_cast<Py_ssize_t>(self.moves.size()));
        for (std::size_t at = 0; at < self.moves.size(); ++at) {
            PyTuple_SetItem(made, static_cast<Py_ssize_t>(at), objects.object(self.moves[at]));
        }
        return nb::steal<nb::tuple>(made);
    };
    nb::class_<Legal>(module, "LegalMoves", "All legal moves of a position, in a fixed order.")
        .def("__len__", [](const Legal& self) { return self.moves.size(); })
        .def(
            "__iter__", [tuple](const Legal& self) { return nb::iter(tuple(self)); },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[Move]"))
        .def(
            "__getitem__",
            [objects](const Legal& self, Py_ssize_t at) {
                const auto size = static_cast<Py_ssize_t>(self.moves.size());
                if (at < 0) at += size;
                if (at < 0 || at >= size) throw nb::index_error("there are fewer legal moves");
                return nb::steal(objects.object(self.moves[static_cast<std::size_t>(at)]));
            },
            nb::sig("def __getitem__(self, at: int, /) -> Move"))
        .def(
            "__getitem__",
            [tuple](const Legal& self, const nb::slice& at) {
                return nb::steal(PyObject_GetItem(tuple(self).ptr(), at.ptr()));
            },
            nb::sig("def __getitem__(self, at: slice, /) -> tuple[Move, ...]"))
        .def(
            "__contains__",
            [](const Legal& self, nb::handle move) {
                const Move* wanted = nullptr;
                if (!nb::try_cast(move, wanted) || wanted == nullptr) return false;
                return std::find(self.moves.begin(), self.moves.end(), *wanted) != self.moves.end();
            },
            nb::sig("def __contains__(self, move: object, /) -> bool"))
        .def("index",
             [](const Legal& self, const Move& move) {
                 const auto* found = std::find(self.moves.begin(), self.moves.end(), move);
                 if (found == self.moves.end())
                     throw nb::value_error("the move is not among the legal moves");
                 return found - self.moves.begin();
             })
        .def("__repr__", [](const Legal& self) {
            std::string text = "<" + std::to_string(self.moves.size()) + " legal moves:";
            for (std::size_t at = 0; at < self.moves.size() && at < 8; ++at)
                text += " " + self.moves[at].text();
            return text + (self.moves.size() > 8 ? " …>" : ">");
        });
}

/// What the rules say against a move; in a finished game that is always the same.
template <class P>
std::optional<typename P::Mistake> mistake_of(const P& position, const typename P::Move& move) {
    if (is_over(position)) return P::Mistake::game_over;
    return position.why_illegal(move);
}

/// Refuses an illegal move with its name, before anything is changed.
template <class P>
void play_checked(P& position, const typename P::Move& move) {
    if (const auto mistake = mistake_of(position, move)) {
        for (const auto& entry : P::mistakes) {
            if (entry.mistake == *mistake) {
                raise("IllegalMove", std::string(entry.name), std::string(entry.explanation),
                      move.text());
            }
        }
    }
    position.play(move);
}

template <class P>
void bind_position(nb::module_& module, const MoveObjects<P>& objects) {
    using Move = typename P::Move;
    using Legal = LegalMoves<P>;
    const auto object_of = [objects](Move move) { return nb::steal(objects.object(move)); };

    nb::class_<P> position(module, "Position",
                           "A moment of the game; `play` changes it, `copy` first to go back.");
    position
        .def_static(
            "start",
            [](std::uint64_t seed, const nb::str& set_up, std::string_view edition,
               std::string_view authority) {
                const auto rules = rules_of<P>(edition, authority);
                return reading(set_up,
                               [&](std::string_view text) { return P::start(seed, text, rules); });
            },
            "seed"_a, "set_up"_a, "edition"_a, "authority"_a = "document",
            "The first position of a game.")
        .def_static(
            "parse",
            [](const nb::str& text, std::string_view edition, std::string_view authority) {
                const auto rules = rules_of<P>(edition, authority);
                return reading(text, [&](std::string_view view) { return P::parse(view, rules); });
            },
            "text"_a, "edition"_a, "authority"_a = "document", "The position a text describes.")
        .def_prop_ro("edition", [](const P& self) { return std::string(self.rules().edition()); })
        .def_prop_ro("authority",
                     [](const P& self) { return std::string(self.rules().authority()); })
        .def_prop_ro("seats", [](const P& self) { return static_cast<int>(self.seats()); })
        .def_prop_ro("ply", [](const P& self) { return static_cast<int>(self.ply()); })
        .def(
            "to_move", [](const P& self) { return static_cast<int>(self.to_move()); },
            "The seat whose turn it is.")
        .def(
            "legal_moves",
            [](const P& self) {
                return Legal{is_over(self) ? typename P::Moves() : self.legal_moves()};
            },
            "All legal moves; none when the game is over.")
        .def("why_illegal", &mistake_of<P>, "move"_a,
             "The named mistake of a move, or None if it is legal.")
        .def(
            "play", [](P& self, const Move& move) { play_checked(self, move); }, "move"_a)
        .def(
            "play",
            [](P& self, const nb::str& text) {
                play_checked(self, reading(text, [&](std::string_view view) {
                                 return self.parse_move(view);
                             }));
            },
            "move"_a)
        .def(
            "outcome", [](const P& self) { return to_python(self.outcome()); },
            nb::sig("def outcome(self) -> spielleiter.game.Outcome | None"))
        .def(
            "scores", [](const P& self) { return tuple_of(self.scores(), self.seats()); },
            nb::sig("def scores(self) -> tuple[int, ...]"))
        .def(
            "key", [](const P& self) { return self.key(); },
            "64 bits that differ for different positions, as good as surely.")
        .def(
            "text", [](const P& self) { return self.text(); },
            "The position on one line; `parse` reads it back.")
        .def(
            "move",
            [object_of](const P& self, const nb::str& text) {
                return object_of(
                    reading(text, [&](std::string_view view) { return self.parse_move(view); }));
            },
            "text"_a, nb::sig("def move(self, text: str) -> Move"))
        .def(
            "action", [](const P& self, const Move& move) { return self.action(move); }, "move"_a,
            "Number of a move in the action space.")
        .def(
            "move_at",
            [object_of](const P& self, std::int64_t action) {
                if (action < 0 || static_cast<std::size_t>(action) >= P::actions) {
                    throw nb::index_error("no action has that number");
                }
                return object_of(self.move_at(static_cast<Action>(action)));
            },
            "action"_a, nb::sig("def move_at(self, action: int) -> Move"))
        .def(
            "observe",
            [](const P& self) {
                auto planes = std::make_unique<std::uint8_t[]>(BatchWithBuffers<P>::plane_size);
                self.observe(planes.get());
                nb::capsule owner(planes.get(),
                                  [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
                return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<3>>(
                    planes.release(), {P::planes[0], P::planes[1], P::planes[2]}, owner);
            },
            "The observation planes, as the seat to move sees them.")
        .def(
            "random_move",
            [object_of](const P& self, std::uint64_t seed) {
                Random random(seed);
                const auto move = is_over(self) ? std::nullopt : random_move(self, random);
                return move ? object_of(*move) : nb::object(nb::none());
            },
            "seed"_a, nb::sig("def random_move(self, seed: int) -> Move | None"),
            "A legal move drawn by lot as in playouts, or None where there is none.")
        .def("copy", [](const P& self) { return P(self); })
        .def("__copy__", [](const P& self) { return P(self); })
        .def(
            "__deepcopy__", [](const P& self, nb::handle) { return P(self); }, "memo"_a)
        .def(
            "__eq__", [](const P& self, const P& other) { return self == other; },
            nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const P& self) { return static_cast<Py_hash_t>(self.key() >> 1U); })
        .def("__repr__",
             [](const P& self) {
                 return "<" + std::string(self.rules().edition()) + " '" + self.text() + "'>";
             })
        .def("__str__", [](const P& self) { return self.text(); })
        .def("__reduce__", &pickled, nb::sig("def __reduce__(self) -> tuple[object, ...]"))
        .def(
            "_repr_svg_",
            [](nb::handle self) {
                return ours("spielleiter.draw.svg",
                            "render")(ours("spielleiter.games", "scene")(self));
            },
            nb::sig("def _repr_svg_(self) -> str"), "The position as a picture, for notebooks.")
        .def(
            "__getstate__",
            [](const P& self) {
                return nb::make_tuple(self.text(), std::string(self.rules().edition()),
                                      std::string(self.rules().authority()));
            },
            nb::sig("def __getstate__(self) -> tuple[str, str, str]"))
        .def(
            "__setstate__",
            [](P& self, const nb::tuple& state) {
                const auto edition = nb::cast<std::string>(state[1]);
                const auto rules = rules_of<P>(edition, nb::cast<std::string>(state[2]));
                const nb::str text = nb::cast<nb::str>(state[0]);
                new (&self)
                    P(reading(text, [&](std::string_view view) { return P::parse(view, rules); }));
            },
            nb::sig("def __setstate__(self, state: tuple[str, str, str], /) -> None"))
        .def(
            "perft",
            [](const P& self, int depth, unsigned threads, std::optional<bool> passes) {
                if (depth < 0) raise("UsageError", "a depth is not negative");
                return counted(self, depth, threads, passes);
            },
            "depth"_a, "threads"_a = 1, "passes"_a = nb::none(),
            "Number of move sequences of that length. Where players can be skipped, `passes` says "
            "whether a skip is a ply and a finished game counts once, as published tables of two "
            "players have it (the default for two players).")
        .def(
            "playouts",
            [](const P& self, std::size_t games, std::uint64_t seed, unsigned threads) {
                Interruption interruption;
                const auto go_on = [&](bool looks) { return interruption.go_on(looks); };
                const Playouts sums = outside(
                    [&, here = self] { return playouts(here, games, seed, threads, go_on); });
                return to_python(sums, self.seats());
            },
            "games"_a, "seed"_a, "threads"_a = 1,
            nb::sig("def playouts(self, games: int, seed: int, threads: int = 1) -> "
                    "spielleiter.game.Playouts"),
            "Random games from here to the end; the same sums for any number of threads.");
    position.attr("actions") = P::actions;
    position.attr("planes") = nb::make_tuple(P::planes[0], P::planes[1], P::planes[2]);
    if constexpr (Disqualifies<P>) {
        position.def(
            "disqualify",
            [](P& self, int seat) {
                if (seat < 0 || static_cast<std::size_t>(seat) >= self.seats())
                    raise("UsageError", "there is no such seat");
                self.disqualify(static_cast<Seat>(seat));
            },
            "seat"_a, "The game goes on without that seat.");
    }
}

template <class P>
void bind_batch(nb::module_& module) {
    using Many = BatchWithBuffers<P>;
    const auto planes_view = [](Many& self) {
        const auto turn = self.turn();
        return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<4>>(
            self.fresh_planes(), {self.batch.size(), P::planes[0], P::planes[1], P::planes[2]},
            nb::handle());
    };
    nb::class_<Many>(
        module, "Batch",
        "Many games stepped together over NumPy buffers; the buffers are rewritten in place.")
        .def(
            "__init__",
            [](Many* self, std::size_t games, std::uint64_t seed, const nb::str& set_up,
               std::string_view edition, std::string_view authority, bool auto_reset,
               unsigned threads) {
                const auto rules = rules_of<P>(edition, authority);
                reading(set_up, [&](std::string_view text) {
                    new (self) Many(games, seed, std::string(text), rules, auto_reset, threads);
                    return 0;
                });
            },
            "games"_a, "seed"_a, "set_up"_a, "edition"_a, "authority"_a = "document",
            "auto_reset"_a = false, "threads"_a = 1)
        .def("__len__", [](const Many& self) { return self.batch.size(); })
        .def(
            "__getitem__",
            [](Many& self, Py_ssize_t game) {
                const auto turn = self.turn();
                if (game < 0) game += static_cast<Py_ssize_t>(self.batch.size());
                if (game < 0 || static_cast<std::size_t>(game) >= self.batch.size())
                    throw nb::index_error("there are fewer games");
                return P(self.batch[static_cast<std::size_t>(game)]);
            },
            "game"_a, "A copy of one of the positions.")
        .def(
            "step",
            [](Many& self,
               nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>
                   actions) {
                if (actions.shape(0) != self.batch.size())
                    raise("UsageError", "one action for each game, please");
                const auto turn = self.turn();
                // A copy: what was found legal must be what is played.
                const std::vector<std::int32_t> given(actions.data(),
                                                      actions.data() + actions.shape(0));
                const auto wrong = outside([&] {
                    const auto illegal = self.batch.first_illegal(given);
                    if (!illegal) self.step(given);
                    return illegal;
                });
                if (wrong) {
                    raise("UsageError", "action " + std::to_string(given[*wrong]) +
                                            " is illegal in game " + std::to_string(*wrong));
                }
            },
            "actions"_a, "Play one action in each game; if one is illegal nothing is played.")
        .def(
            "reset",
            [](Many& self) {
                const auto turn = self.turn();
                const Released released;
                self.batch.reset();
                self.refresh();
            },
            "Start every game anew.")
        .def_prop_ro(
            "mask",
            [](Many& self) {
                return nb::ndarray<nb::numpy, bool, nb::ndim<2>>(
                    self.mask.data(), {self.batch.size(), P::actions}, nb::handle());
            },
            nb::rv_policy::reference_internal, "games × actions: which actions are legal.")
        .def_prop_ro("planes", planes_view, nb::rv_policy::reference_internal,
                     "games × planes × rows × columns.")
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

}  // namespace binding

/// Everything Python sees of a game.
template <GamePosition P>
void bind_game(nb::module_& module) {
    const binding::MoveObjects<P> objects(module);
    binding::Outside::watch();
    binding::bind_mistakes<P>(module);
    binding::bind_moves<P>(module, objects);
    binding::bind_position<P>(module, objects);
    binding::bind_batch<P>(module);
}

}  // namespace spielleiter
