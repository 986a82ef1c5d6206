/// @file
/// Positions, moves, what lies on cells and mistakes as Python sees them.
#pragma once

#include <nanobind/ndarray.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bind.values.hpp"
#include "parallel.hpp"
#include "perft.hpp"

namespace spielleiter::binding {

/// The legal moves of a position as Python sees them: a container that makes objects when looked
/// at.
template <class P>
struct LegalMoves {
    typename P::Moves moves;  ///< in the order of the game
};

/// Thrown out of work that is to end; what Python makes of that is set as its error.
struct Interrupted {};
/// For code that cannot return early.
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
    return without_gil([&]() -> std::uint64_t {
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

/// Binds the names of mistakes as an enumeration.
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

/// Binds `Move` as a value.
template <class P>
void bind_moves(nb::module_& module) {
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
}

/// Binds the container of legal moves.
template <class P>
void bind_legal_moves(nb::module_& module, const MoveObjects<P>& objects) {
    using Move = typename P::Move;
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
                if (nb::try_cast(move, wanted) && wanted != nullptr)
                    return std::find(self.moves.begin(), self.moves.end(), *wanted) !=
                           self.moves.end();
                std::string text;
                return nb::try_cast(move, text) &&
                       std::any_of(self.moves.begin(), self.moves.end(),
                                   [&](const Move& each) { return each.text() == text; });
            },
            nb::sig("def __contains__(self, move: object, /) -> bool"),
            "Whether a move, or the move of a text, is among them.")
        .def(
            "index",
            [](const Legal& self, const Move& move) {
                const auto* found = std::find(self.moves.begin(), self.moves.end(), move);
                if (found == self.moves.end())
                    throw nb::value_error("the move is not among the legal moves");
                return found - self.moves.begin();
            },
            nb::sig("def index(self, move: spielleiter.game.Move, /) -> int"))
        .def("__repr__", [](const Legal& self) {
            std::string text = "<" + std::to_string(self.moves.size()) + " legal moves:";
            for (std::size_t at = 0; at < self.moves.size() && at < 8; ++at)
                text += " " + self.moves[at].text();
            return text + (self.moves.size() > 8 ? " …>" : ">");
        });
}

/// Binds what may lie on a cell.
template <class P>
void bind_occupants(nb::module_& module) {
    using Occupant = typename P::Occupant;
    nb::class_<Occupant>(module, "Occupant", "What lies on a cell: a value.")
        .def_prop_ro(
            "seat",
            [](const Occupant& self) {
                const auto seat = self.seat();
                return seat ? std::optional<int>(*seat) : std::nullopt;
            },
            "Whose it is; None: nobody's.")
        .def(
            "text", [](const Occupant& self) { return std::string(1, self.text()); },
            "Its character in the text of a position.")
        .def("__repr__",
             [](const Occupant& self) { return std::string("<Occupant '") + self.text() + "'>"; })
        .def(
            "__eq__", [](const Occupant& self, const Occupant& other) { return self == other; },
            nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const Occupant& self) { return self.code(); })
        .def("__reduce__", &pickled, nb::sig("def __reduce__(self) -> tuple[object, ...]"))
        .def("__getstate__", [](const Occupant& self) { return self.code(); })
        .def("__setstate__", [](Occupant& self, std::uint32_t code) {
            if (code >= Occupant::codes) raise("UsageError", "nothing has that code");
            new (&self) Occupant(Occupant::coded(code));
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

/// A move given as a move or as its text.
template <class P>
typename P::Move move_of(const P& position, nb::handle given) {
    const typename P::Move* move = nullptr;
    if (nb::try_cast(given, move) && move != nullptr) return *move;
    if (!nb::isinstance<nb::str>(given)) throw nb::next_overload();
    return reading(nb::borrow<nb::str>(given),
                   [&](std::string_view view) { return position.parse_move(view); });
}

/// Binds `start` and `parse`.
template <class P>
void bind_making(nb::class_<P>& position) {
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
        .def_prop_ro(
            "authority", [](const P& self) { return std::string(self.rules().authority()); },
            nb::sig("def authority(self) -> spielleiter.game.Authority"))
        .def_prop_ro("seats", [](const P& self) { return static_cast<int>(self.seats()); })
        .def_prop_ro("ply", [](const P& self) { return static_cast<int>(self.ply()); });
}

/// Binds turns, moves and the end of a game.
template <class P>
void bind_playing(nb::class_<P>& position) {
    using Legal = LegalMoves<P>;
    position
        .def(
            "to_move", [](const P& self) { return static_cast<int>(self.to_move()); },
            "The seat whose turn it is.")
        .def(
            "legal_moves",
            [](const P& self) {
                return Legal{is_over(self) ? typename P::Moves() : self.legal_moves()};
            },
            "All legal moves; none when the game is over.")
        .def(
            "why_illegal",
            [](const P& self, nb::handle move) { return mistake_of(self, move_of(self, move)); },
            "move"_a,
            nb::sig("def why_illegal(self, move: spielleiter.game.Move | str) -> Mistake | None"),
            "The named mistake of a move, or None if it is legal.")
        .def(
            "play", [](P& self, nb::handle move) { play_checked(self, move_of(self, move)); },
            "move"_a, nb::sig("def play(self, move: spielleiter.game.Move | str) -> None"),
            "Make a move, given as a move or its text.")
        .def(
            "after",
            [](const P& self, nb::handle move) {
                P next(self);
                play_checked(next, move_of(self, move));
                return next;
            },
            "move"_a, nb::sig("def after(self, move: spielleiter.game.Move | str) -> Position"),
            "The position after a move; this one stays as it is.")
        .def(
            "outcome", [](const P& self) { return to_python(self.outcome()); },
            nb::sig("def outcome(self) -> spielleiter.game.Outcome | None"))
        .def(
            "scores", [](const P& self) { return tuple_of(self.scores(), self.seats()); },
            nb::sig("def scores(self) -> tuple[int, ...]"));
    if constexpr (Disqualifies<P>) {
        position.def(
            "disqualify", [](P& self, int seat) { self.disqualify(seat_of(self, seat)); }, "seat"_a,
            "The game goes on without that seat.");
    }
}

/// The number of the first row in names of cells; a position may say another one.
template <class P>
constexpr int first_row() {
    if constexpr (requires { P::first_row; }) return P::first_row;
    return 1;
}

/// Column and row of a cell's name such as `h1`, in letters of either case; nowhere if it is none.
template <class P>
std::pair<int, int> cell_named(std::string_view name) {
    int row = 0;
    for (const char digit : name.substr(name.empty() ? 0 : 1)) {
        if (digit < '0' || digit > '9' || row > 99) return {-1, -1};
        row = row * 10 + (digit - '0');
    }
    if (name.size() < 2) return {-1, -1};
    return {(name.front() | 0x20) - 'a', row - first_row<P>()};
}

/// A cell given as (column, row) or by its name.
template <class P>
std::pair<int, int> cell_of(nb::handle given) {
    std::pair<int, int> cell;
    if (nb::try_cast(given, cell)) return cell;
    std::string name;
    if (nb::try_cast(given, name)) return cell_named<P>(name);
    throw nb::type_error(("a cell is (column, row), counted from 0, or its name such as 'c" +
                          std::to_string(first_row<P>() + 2) + "', which is (2, 2)")
                             .c_str());
}

/// What a bot reads without planes and without the text.
template <class P>
void bind_reading(nb::class_<P>& position, const ValueObjects<typename P::Occupant>& occupants,
                  const CellObjects& keys) {
    position
        .def_prop_ro(
            "columns", [](const P& self) { return static_cast<int>(self.columns()); },
            "Width of the board.")
        .def_prop_ro(
            "rows", [](const P& self) { return static_cast<int>(self.rows()); },
            "Height of the board.")
        .def(
            "at",
            [occupants](const P& self, nb::handle cell) {
                const auto [x, y] = cell_of<P>(cell);
                const Cell wanted{static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)};
                if (x != wanted.x || y != wanted.y || !has_cell(self, wanted))
                    throw nb::index_error("the board has no such cell");
                const auto found = self.at(wanted);
                return found ? nb::steal(occupants.object(*found)) : nb::object(nb::none());
            },
            "cell"_a, nb::sig("def at(self, cell: tuple[int, int] | str) -> Occupant | None"),
            "What lies on a cell, (column, row) or its name; None: nothing.")
        .def(
            "cells",
            [occupants, keys](const P& self) {
                nb::dict cells;
                each_cell(self, [&](Cell cell) {
                    if (!has_cell(self, cell)) return;
                    const auto found = self.at(cell);
                    const nb::object what =
                        found ? nb::steal(occupants.object(*found)) : nb::none();
                    PyDict_SetItem(cells.ptr(), keys[cell], what.ptr());
                });
                return cells;
            },
            nb::sig("def cells(self) -> dict[tuple[int, int], Occupant | None]"),
            "All cells of the board (column, row), row by row, and what lies on each.");
}

/// Binds texts of positions and moves, copies and pickling.
template <class P>
void bind_notation(nb::class_<P>& position, const MoveObjects<P>& objects) {
    using Move = typename P::Move;
    const auto object_of = [objects](Move move) { return nb::steal(objects.object(move)); };
    position
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
            "text"_a, nb::sig("def move(self, text: str) -> Move"),
            "The move that a text means here; it may be illegal.")
        .def(
            "action", [](const P& self, const Move& move) { return self.action(move); }, "move"_a,
            nb::sig("def action(self, move: spielleiter.game.Move) -> int"),
            "Number of a move in the action space.")
        .def(
            "move_at",
            [object_of](const P& self, std::int64_t action) {
                if (action < 0 || static_cast<std::size_t>(action) >= P::actions) {
                    throw nb::index_error("no action has that number");
                }
                return object_of(self.move_at(static_cast<Action>(action)));
            },
            "action"_a, nb::sig("def move_at(self, action: int) -> Move"),
            "The move of that number.")
        .def(
            "random_move",
            [object_of](const P& self, std::uint64_t seed) {
                Random random(seed);
                const auto move = is_over(self) ? std::nullopt : random_move(self, random);
                return move ? object_of(*move) : nb::object(nb::none());
            },
            "seed"_a, nb::sig("def random_move(self, seed: int) -> Move | None"),
            "A legal move drawn by lot as in playouts, or None where there is none.");
}

/// Copies, comparison, pickles, pictures.
template <class P>
void bind_value(nb::class_<P>& position) {
    position.def("copy", [](const P& self) { return P(self); })
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
        .def(
            "_repr_svg_",
            [](nb::handle self) {
                return ours("spielleiter.draw.svg",
                            "render")(ours("spielleiter.games", "scene")(self));
            },
            nb::sig("def _repr_svg_(self) -> str"), "The position as a picture, for notebooks.")
        .def("__reduce__", &pickled, nb::sig("def __reduce__(self) -> tuple[object, ...]"))
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
            nb::sig("def __setstate__(self, state: tuple[str, str, str], /) -> None"));
}

/// Binds perft and playouts.
template <class P>
void bind_counting(nb::class_<P>& position) {
    position
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
                const auto go_on = [&](bool checks) { return interruption.go_on(checks); };
                const Playouts sums = without_gil(
                    [&, here = self] { return playouts(here, games, seed, threads, go_on); });
                return to_python(sums, self.seats());
            },
            "games"_a, "seed"_a, "threads"_a = 1,
            nb::sig("def playouts(self, games: int, seed: int, threads: int = 1) -> "
                    "spielleiter.game.Playouts"),
            "Random games from here to the end; the same sums for any number of threads.");
}

/// Binds actions and observations.
template <class P>
void bind_learning(nb::class_<P>& position) {
    position.def(
        "observe",
        [](const P& self, std::optional<Seat> seat) {
            if (seat && *seat >= self.seats()) raise("UsageError", "there is no such seat");
            auto planes =
                std::make_unique<std::uint8_t[]>(P::planes[0] * P::planes[1] * P::planes[2]);
            self.observe(planes.get(), seat.value_or(self.to_move()));
            nb::capsule owner(planes.get(),
                              [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
            return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<3>>(
                planes.release(), {P::planes[0], P::planes[1], P::planes[2]}, owner);
        },
        "seat"_a = nb::none(),
        "The observation planes as a seat sees them; None: the seat to move.");
    position.attr("actions") = P::actions;
    position.attr("planes") = nb::make_tuple(P::planes[0], P::planes[1], P::planes[2]);
}

/// Binds `Position` with all its parts.
template <class P>
void bind_position(nb::module_& module, const MoveObjects<P>& objects) {
    const ValueObjects<typename P::Occupant> occupants(module, "_occupants");
    nb::class_<P> position(module, "Position",
                           "A moment of the game; `play` changes it, `after` does not.");
    bind_making(position);
    bind_playing(position);
    bind_reading(position, occupants, CellObjects(module));
    bind_notation(position, objects);
    bind_value(position);
    bind_counting(position);
    bind_learning(position);
}

}  // namespace spielleiter::binding
