/// @file
/// The module `spielleiter._substitution`: replaces every character of a text by a string that
/// depends on its place. substitution.py does the same where nothing is built.
#include <Python.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr const char* NAME = "spielleiter._substitution.Table";
constexpr std::size_t ASCII = 128;
constexpr Py_ssize_t LONGEST = 1 << 20;

struct Replacement {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    bool is_known = false;
};

/// The replacement of every character at every place; after the last place comes the first.
struct Table {
    std::array<std::int8_t, ASCII> numbers{};
    std::size_t letters = 0;
    std::size_t longest = 0;
    std::vector<Replacement> replacements;
    std::string text;

    Table() { numbers.fill(-1); }

    std::size_t places() const { return letters == 0 ? 0 : replacements.size() / letters; }
    const Replacement& at(std::size_t place, std::size_t number) const {
        return replacements[place * letters + number];
    }
};

bool read(PyObject* text, std::string_view& found) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text, &size);
    if (data == nullptr) {
        return false;
    }
    found = {data, static_cast<std::size_t>(size)};
    return true;
}

/// Calls `seen(letter, replacement)` for each entry of a place's dictionary.
template <typename Seen>
bool each_entry(PyObject* place, Seen seen) {
    PyObject* letter = nullptr;
    PyObject* words = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(place, &at, &letter, &words) != 0) {
        std::string_view key;
        std::string_view written;
        if (!read(letter, key) || !read(words, written)) {
            return false;
        }
        if (key.size() != 1 || static_cast<unsigned char>(key[0]) >= ASCII) {
            PyErr_SetString(PyExc_ValueError, "single characters of ASCII are replaced");
            return false;
        }
        seen(key[0], written);
    }
    return true;
}

bool number_letters(Table& table, PyObject* places, Py_ssize_t count) {
    for (Py_ssize_t place = 0; place < count; ++place) {
        PyObject* dictionary = PyTuple_GetItem(places, place);
        if (dictionary == nullptr || PyDict_Check(dictionary) == 0) {
            PyErr_SetString(PyExc_TypeError, "every place has a dictionary");
            return false;
        }
        const bool is_read = each_entry(dictionary, [&](char letter, std::string_view) {
            auto& number = table.numbers[static_cast<unsigned char>(letter)];
            if (number < 0) {
                number = static_cast<std::int8_t>(table.letters++);
            }
        });
        if (!is_read) {
            return false;
        }
    }
    return true;
}

bool add_replacements(Table& table, PyObject* places, Py_ssize_t count) {
    table.replacements.resize(static_cast<std::size_t>(count) * table.letters);
    for (Py_ssize_t place = 0; place < count; ++place) {
        const std::size_t first = static_cast<std::size_t>(place) * table.letters;
        const auto add = [&](char letter, std::string_view words) {
            const auto number = table.numbers[static_cast<unsigned char>(letter)];
            table.replacements[first + static_cast<std::size_t>(number)] = {
                static_cast<std::uint32_t>(table.text.size()),
                static_cast<std::uint32_t>(words.size()), true};
            table.text += words;
            table.longest = std::max(table.longest, words.size());
        };
        if (!each_entry(PyTuple_GetItem(places, place), add)) {
            return false;
        }
    }
    return true;
}

void forget(PyObject* capsule) { delete static_cast<Table*>(PyCapsule_GetPointer(capsule, NAME)); }

PyObject* prepare(PyObject*, PyObject* places) {
    if (PyTuple_Check(places) == 0 || PyTuple_Size(places) < 1) {
        PyErr_SetString(PyExc_TypeError, "a tuple of places is prepared");
        return nullptr;
    }
    auto table = std::make_unique<Table>();
    const Py_ssize_t count = PyTuple_Size(places);
    if (!number_letters(*table, places, count) || !add_replacements(*table, places, count)) {
        return nullptr;
    }
    PyObject* capsule = PyCapsule_New(table.get(), NAME, forget);
    if (capsule != nullptr) {
        table.release();
    }
    return capsule;
}

/// A KeyError for the first character of a text, which is UTF-8.
PyObject* unknown(std::string_view text) {
    const auto code = static_cast<unsigned char>(text[0]);
    const Py_ssize_t size = code < ASCII ? 1 : code < 0xE0 ? 2 : code < 0xF0 ? 3 : 4;
    PyObject* key = PyUnicode_FromStringAndSize(text.data(), size);
    if (key != nullptr) {
        PyErr_SetObject(PyExc_KeyError, key);
        Py_DECREF(key);
    }
    return nullptr;
}

PyObject* substitute(PyObject*, PyObject* const* given, Py_ssize_t count) {
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "a table and a text are taken");
        return nullptr;
    }
    const auto* table = static_cast<const Table*>(PyCapsule_GetPointer(given[0], NAME));
    std::string_view text;
    if (table == nullptr || !read(given[1], text)) {
        return nullptr;
    }
    if (static_cast<Py_ssize_t>(text.size()) > LONGEST) {
        PyErr_SetString(PyExc_ValueError, "the text is too long");
        return nullptr;
    }
    thread_local std::string out;  // never made smaller: what it grows by is filled with zeros
    out.resize(std::max(out.size(), text.size() * table->longest));
    char* end = out.data();
    const std::size_t places = table->places();
    std::size_t place = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto code = static_cast<unsigned char>(text[at]);
        const int number = code < ASCII ? table->numbers[code] : -1;
        if (number < 0 || !table->at(place, static_cast<std::size_t>(number)).is_known) {
            return unknown(text.substr(at));
        }
        const Replacement& found = table->at(place, static_cast<std::size_t>(number));
        std::memcpy(end, table->text.data() + found.begin, found.size);
        end += found.size;
        place = place + 1 == places ? 0 : place + 1;
    }
    return PyUnicode_FromStringAndSize(out.data(), end - out.data());
}

PyMethodDef methods[] = {
    {"prepare", prepare, METH_O,
     "A table for `substitute` from a tuple of dictionaries, one for each place."},
    {"substitute", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(substitute)),
     METH_FASTCALL, "A text with its characters replaced; KeyError: one has no replacement."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_substitution",
                          nullptr,
                          0,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

/// What Python calls when the module is imported.
PyMODINIT_FUNC PyInit__substitution() { return PyModule_Create(&definition); }
