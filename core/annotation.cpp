/// @file
/// The module `spielleiter._annotation`: packs what bots show in nearly every move, plain values
/// and a text. All else, and every refusal, is left to annotation.py, whose bounds and text these
/// are.
#include <Python.h>

#include <cmath>
#include <string>
#include <string_view>

namespace {

constexpr Py_ssize_t MOST_VALUES = 32;
constexpr Py_ssize_t LONGEST_NAME = 40;
constexpr Py_ssize_t LONGEST_TEXT = 1000;
constexpr long long EXACT = 1LL << 53;
constexpr std::size_t USUAL = 256;

/// The letters of a text of at most `longest`; without data if it is longer or no plain text.
std::string_view letters(PyObject* text, Py_ssize_t longest) {
    if (!PyUnicode_CheckExact(text) || PyUnicode_GetLength(text) > longest) {
        return {};
    }
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text, &size);
    if (data == nullptr) {
        PyErr_Clear();  // half a character
        return {};
    }
    return {data, static_cast<std::size_t>(size)};
}

void add_control(std::string& out, char letter) {
    constexpr std::string_view DIGITS = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(letter);
    out += "\\u00";
    out += DIGITS[code >> 4];
    out += DIGITS[code & 15];
}

/// A text as JSON, in quotes.
void add_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char letter : text) {
        switch (letter) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            case '\f':
                out += "\\f";
                break;
            case '\b':
                out += "\\b";
                break;
            default:
                if (static_cast<unsigned char>(letter) < ' ') {
                    add_control(out, letter);
                } else {
                    out += letter;
                }
        }
    }
    out += '"';
}

bool add_whole(std::string& out, PyObject* number) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow != 0 || value <= -EXACT || value >= EXACT) {
        return false;
    }
    out += std::to_string(value);
    return true;
}

bool add_real(std::string& out, double value) {
    if (!std::isfinite(value)) {
        return false;
    }
    if (std::abs(value) < static_cast<double>(EXACT) && value == std::trunc(value)) {
        out += std::to_string(static_cast<long long>(value));
        return true;
    }
    char* text = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, nullptr);
    if (text == nullptr) {
        PyErr_Clear();
        return false;
    }
    out += text;
    PyMem_Free(text);
    return true;
}

bool add_number(std::string& out, PyObject* value) {
    if (PyLong_CheckExact(value)) {
        return add_whole(out, value);
    }
    return PyFloat_CheckExact(value) && add_real(out, PyFloat_AsDouble(value));
}

/// `"values":{…}`; false if one of them is not plain.
bool add_values(std::string& out, PyObject* values) {
    if (!PyDict_CheckExact(values) || PyDict_Size(values) > MOST_VALUES) {
        return false;
    }
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t at = 0;
    std::string_view before = "\"values\":{";
    while (PyDict_Next(values, &at, &name, &value) != 0) {
        const std::string_view called = letters(name, LONGEST_NAME);
        if (called.empty()) {
            return false;
        }
        out += before;
        before = ",";
        add_quoted(out, called);
        out += ':';
        if (!add_number(out, value)) {
            return false;
        }
    }
    out += before == "," ? "}" : "";
    return true;
}

bool add_text(std::string& out, PyObject* text) {
    const std::string_view told = letters(text, LONGEST_TEXT);
    if (told.data() == nullptr) {
        return false;
    }
    if (!told.empty()) {
        out += out.size() > 1 ? ",\"text\":" : "\"text\":";
        add_quoted(out, told);
    }
    return true;
}

PyObject* pack_plain(PyObject*, PyObject* const* given, Py_ssize_t count) {
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "values and a text are packed");
        return nullptr;
    }
    std::string out = "{";
    out.reserve(USUAL);
    if ((given[0] != Py_None && !add_values(out, given[0])) || !add_text(out, given[1])) {
        Py_RETURN_NONE;
    }
    out += '}';
    return PyBytes_FromStringAndSize(out.data(), static_cast<Py_ssize_t>(out.size()));
}

PyMethodDef methods[] = {
    {"pack_plain", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(pack_plain)),
     METH_FASTCALL, "Plain values and a text as JSON; None if they are not plain."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_annotation", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__annotation() { return PyModule_Create(&definition); }
