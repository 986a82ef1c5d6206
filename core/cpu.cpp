/// @file
/// The module `spielleiter._cpu`: which flavours of the native modules this processor can run.
/// The one place that asks the processor; elsewhere it is simply `portable`.
#include <Python.h>

#if defined(_M_X64)
#include <intrin.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif

namespace {

#if defined(_M_X64) || defined(__x86_64__)

/// One register of what the processor says about itself.
enum Register { EAX, EBX, ECX, EDX };

bool has(unsigned leaf, Register where, int bit) {
#if defined(_M_X64)
    int said[4];
    __cpuidex(said, static_cast<int>(leaf), 0);
#else
    unsigned said[4];
    __cpuid_count(leaf, 0, said[EAX], said[EBX], said[ECX], said[EDX]);
#endif
    return (said[where] >> bit & 1) != 0;
}

/// Which registers the system saves when it switches between programs.
unsigned saved_by_system() {
#if defined(_M_X64)
    return static_cast<unsigned>(_xgetbv(0));
#else
    unsigned low = 0;
    unsigned high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
#endif
}

/// Whether the processor and the system have what -march=x86-64-v3 uses: AVX2, FMA, BMI and so on.
/// Asked by hand, since not every compiler brings the library that __builtin_cpu_supports needs.
bool runs_v3() {
    const bool saves = has(1, ECX, 27) && (saved_by_system() & 6) == 6;
    const bool fma = has(1, ECX, 12);
    const bool movbe = has(1, ECX, 22);
    const bool popcnt = has(1, ECX, 23);
    const bool f16c = has(1, ECX, 29);
    const bool bmi1 = has(7, EBX, 3);
    const bool avx2 = has(7, EBX, 5);
    const bool bmi2 = has(7, EBX, 8);
    const bool lzcnt = has(0x8000'0001, ECX, 5);
    return saves && fma && movbe && popcnt && f16c && bmi1 && avx2 && bmi2 && lzcnt;
}

#else

bool runs_v3() { return false; }

#endif

PyObject* flavours(PyObject*, PyObject*) {
    static const bool has_v3 = runs_v3();  // on a virtual machine each question takes microseconds
    return has_v3 ? Py_BuildValue("(ss)", "v3", "portable") : Py_BuildValue("(s)", "portable");
}

PyMethodDef methods[] = {
    {"flavours", flavours, METH_NOARGS, "The flavours this processor can run, best first."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_cpu", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__cpu() { return PyModule_Create(&definition); }
