/// @file
/// The module `spielleiter._spelling`: writes a text letter by letter, each letter in the words of
/// its place, as boards stand in XML. spelling.py does the same where nothing is built.
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

constexpr const char* NAME = "spielleiter._spelling.Table";
constexpr std::size_t ASCII = 128;
constexpr Py_ssize_t LONGEST = 1 << 20;

struct Words {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    bool is_known = false;
};

/// What every letter is written as at every place; after the last place comes the first.
struct Table {
    std::array<std::int8_t, ASCII> numbers{};
    std::size_t letters = 0;
    std::size_t longest = 0;
    std::vector<Words> words;
    std::string text;

    Table() { numbers.fill(-1); }

    std::size_t places() const { return letters == 0 ? 0 : words.size() / letters; }
    const Words& at(std::size_t place, std::size_t number) const {
        return words[place * letters + number];
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

/// Calls `seen(letter, words)` for each entry of a place's dictionary.
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
            PyErr_SetString(PyExc_ValueError, "a letter of ASCII is written as words");
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

bool add_words(Table& table, PyObject* places, Py_ssize_t count) {
    table.words.resize(static_cast<std::size_t>(count) * table.letters);
    for (Py_ssize_t place = 0; place < count; ++place) {
        const std::size_t first = static_cast<std::size_t>(place) * table.letters;
        const auto add = [&](char letter, std::string_view words) {
            const auto number = table.numbers[static_cast<unsigned char>(letter)];
            table.words[first + static_cast<std::size_t>(number)] = {
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
    if (!number_letters(*table, places, count) || !add_words(*table, places, count)) {
        return nullptr;
    }
    PyObject* capsule = PyCapsule_New(table.get(), NAME, forget);
    if (capsule != nullptr) {
        table.release();
    }
    return capsule;
}

PyObject* unknown(char letter) {
    PyObject* key = PyUnicode_FromStringAndSize(&letter, 1);
    if (key != nullptr) {
        PyErr_SetObject(PyExc_KeyError, key);
        Py_DECREF(key);
    }
    return nullptr;
}

PyObject* spell(PyObject*, PyObject* const* given, Py_ssize_t count) {
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
        PyErr_SetString(PyExc_ValueError, "such a long text is not spelt");
        return nullptr;
    }
    thread_local std::string out;
    out.resize(text.size() * table->longest);
    char* end = out.data();
    std::size_t place = 0;
    for (const char letter : text) {
        const auto code = static_cast<unsigned char>(letter);
        const int number = code < ASCII ? table->numbers[code] : -1;
        if (number < 0) {
            return code < ASCII ? unknown(letter) : unknown('?');
        }
        const Words& words = table->at(place, static_cast<std::size_t>(number));
        if (!words.is_known) {
            return unknown(letter);
        }
        std::memcpy(end, table->text.data() + words.begin, words.size);
        end += words.size;
        place = place + 1 == table->places() ? 0 : place + 1;
    }
    return PyUnicode_FromStringAndSize(out.data(), end - out.data());
}

PyMethodDef methods[] = {
    {"prepare", prepare, METH_O,
     "A table for `spell` from a tuple of dictionaries, one for each place."},
    {"spell", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(spell)), METH_FASTCALL,
     "A text written with a table; KeyError: a letter that has no words at its place."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_spelling", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

/// What Python calls when the module is imported.
PyMODINIT_FUNC PyInit__spelling() { return PyModule_Create(&definition); }
