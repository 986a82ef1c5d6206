/// @file
/// Values between C++ and Python: errors, texts, outcomes, and one Python object per move.
///
/// No rules here, only translation. Three things of ours are Python values and not native types,
/// because all games share them: `spielleiter.game.Outcome`, `Playouts` and the errors.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bind.gil.hpp"
#include "game.hpp"
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

/// Rules by their names; an unknown name becomes a Python error.
template <class P>
typename P::Rules rules_of(std::string_view edition, std::string_view authority) {
    try {
        return P::Rules::named(edition, authority);
    } catch (const UsageError& error) {
        raise("UsageError", error.what());
    }
}

/// The numbers of the seats that play.
inline nb::tuple tuple_of(const std::array<int, max_seats>& values, std::size_t seats) {
    nb::list list;
    for (std::size_t seat = 0; seat < seats; ++seat) list.append(values[seat]);
    return nb::tuple(list);
}

/// As the value of that name in `spielleiter.game`.
inline nb::object to_python(const std::optional<Outcome>& outcome) {
    if (!outcome) return nb::none();
    return ours("spielleiter.game", "Outcome")(tuple_of(outcome->ranks, outcome->seats),
                                               tuple_of(outcome->scores, outcome->seats),
                                               std::string(outcome->reason));
}

/// As the value of that name in `spielleiter.game`.
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

/// The Python class of a bound type, for a game that adds what is its own.
template <class Bound>
nb::class_<Bound> class_of() {
    return nb::borrow<nb::class_<Bound>>(nb::type<Bound>());
}

/// A cell as Python has it.
inline std::pair<int, int> to_python(Cell cell) { return {cell.x, cell.y}; }

/// A seat as Python gives it.
template <class P>
Seat seat_of(const P& position, int seat) {
    if (seat < 0 || static_cast<std::size_t>(seat) >= position.seats())
        raise("UsageError", "there is no such seat");
    return static_cast<Seat>(seat);
}

/// A tuple (column, row) for every cell that a board can have, so that nobody makes it again. The
/// module owns them.
class CellObjects {
  public:
    /// Makes the list, which the module owns.
    explicit CellObjects(nb::module_& module) {
        cells_ = PyTuple_New(static_cast<Py_ssize_t>(side * side));
        for (std::size_t at = 0; at < side * side; ++at) {
            const nb::object cell = nb::make_tuple(at % side, at / side);
            PyTuple_SetItem(cells_, static_cast<Py_ssize_t>(at), cell.inc_ref().ptr());
        }
        module.attr("_cells") = nb::steal(cells_);
    }

    /// A borrowed reference.
    PyObject* operator[](Cell cell) const {
        return PyTuple_GetItem(cells_, static_cast<Py_ssize_t>(side * cell.y + cell.x));
    }

  private:
    static constexpr std::size_t side = 32;

    PyObject* cells_;
};

/// Calls `visit` for every cell of a board, row by row.
template <class P, class Visit>
void each_cell(const P& position, Visit&& visit) {
    for (std::uint8_t y = 0; y < position.rows(); ++y) {
        for (std::uint8_t x = 0; x < position.columns(); ++x) visit(Cell{x, y});
    }
}

/// The cells of a rectangle for which `chosen` holds, row by row.
template <class P, class Chosen>
nb::tuple cells_where(const P& position, Chosen&& chosen) {
    nb::list cells;
    each_cell(position, [&](Cell cell) {
        if (chosen(cell)) cells.append(to_python(cell));
    });
    return nb::tuple(cells);
}

/// One Python object per value of a type with codes, made on first use: a list of them is then a
/// matter of counting references. The module owns the list of objects; `list_` looks into it.
template <class Value>
class ValueObjects {
  public:
    /// Makes the list, which the module owns, or takes one that exists.
    ValueObjects(nb::module_& module, const char* name) {
        PyObject* list = PyList_New(static_cast<Py_ssize_t>(Value::codes));
        for (std::size_t code = 0; code < Value::codes; ++code) {
            PyList_SetItem(list, static_cast<Py_ssize_t>(code), nb::none().release().ptr());
        }
        module.attr(name) = nb::steal(list);
        list_ = list;
    }

    /// A new reference to the object of a value.
    PyObject* object(Value value) const {
        const auto code = static_cast<Py_ssize_t>(value.code());
        PyObject* known = PyList_GetItem(list_, code);
        if (known == Py_None) [[unlikely]] {
            known = nb::cast(value, nb::rv_policy::copy).release().ptr();
            PyList_SetItem(list_, code, known);
        }
        Py_INCREF(known);
        return known;
    }

  private:
    PyObject* list_;
};

/// The moves of a game.
template <class P>
class MoveObjects : public ValueObjects<typename P::Move> {
  public:
    /// Makes the list, which the module owns.
    explicit MoveObjects(nb::module_& module) : ValueObjects<typename P::Move>(module, "_moves") {}
};

}  // namespace binding

}  // namespace spielleiter
