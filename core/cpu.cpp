/// @file
/// The module `spielleiter._cpu`: which flavours of the native modules this processor can run.
/// The one place that asks the processor; elsewhere it is simply `portable`.
#include <Python.h>

#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#endif

namespace {

/// Whether the processor and the system have what -march=x86-64-v3 uses (AVX2, BMI, FMA).
bool runs_v3() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("popcnt");
#elif defined(_MSC_VER) && defined(_M_X64)
    int leaf1[4];
    int leaf7[4];
    __cpuidex(leaf1, 1, 0);
    __cpuidex(leaf7, 7, 0);
    const bool saved_by_system = (leaf1[2] & (1 << 27)) != 0 && (_xgetbv(0) & 6) == 6;
    return saved_by_system && (leaf1[2] & (1 << 12)) != 0 && (leaf7[1] & (1 << 5)) != 0 &&
           (leaf7[1] & (1 << 8)) != 0;
#else
    return false;
#endif
}

PyObject* flavours(PyObject*, PyObject*) {
    return runs_v3() ? Py_BuildValue("(ss)", "v3", "portable") : Py_BuildValue("(s)", "portable");
}

PyMethodDef methods[] = {
    {"flavours", flavours, METH_NOARGS, "The flavours this processor can run, best first."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_cpu", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__cpu() { return PyModule_Create(&definition); }
