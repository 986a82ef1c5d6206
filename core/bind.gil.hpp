/// @file
/// Native work without the GIL: other Python threads run meanwhile, Ctrl-C is let through, an
/// object in use is not used twice, and no thread takes the GIL again while Python is ending.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <type_traits>
#include <utility>

namespace spielleiter::binding {

namespace nb = nanobind;

/// The threads that work without the GIL.
///
/// A thread that asks for the GIL while Python is ending is ended in the midst of native code, and
/// the whole program dies of that (before Python 3.14). So all work is stopped before, and a thread
/// that is too late waits until the program is over.
class DetachedThreads {
  public:
    /// This thread is about to release the GIL.
    static void detach() { ++threads_; }
    /// Returns when this thread may ask for the GIL again: never if Python is ending.
    static void wait_if_finalizing() {
        if (!is_finalizing()) return;
        --threads_;
        while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
    /// This thread has the GIL again.
    static void attach() { --threads_; }

    /// Whether another thread is ending Python.
    static bool is_finalizing() { return finalizing_ && finalizer_ != std::this_thread::get_id(); }

    /// Registers what has to run before Python ends, and in the child of a fork.
    static void register_hooks() {
        nb::module_::import_("atexit").attr("register")(nb::cpp_function(&finalize));
        const auto system = nb::module_::import_("os");
        if (nb::hasattr(system, "register_at_fork")) {
            // Only the thread that forks goes on in the child, and it holds the GIL.
            system.attr("register_at_fork")(nb::arg("after_in_child") =
                                                nb::cpp_function([] { threads_ = 0; }));
        }
    }

  private:
    static void finalize() {
        finalizer_ = std::this_thread::get_id();
        finalizing_ = true;
        const nb::gil_scoped_release open;  // for threads that are about to take it
        const auto deadline = std::chrono::steady_clock::now() + longest_wait;
        while (threads_ > 0 && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    /// For the threads to notice; guessed: they look about every tenth of a second.
    static constexpr std::chrono::seconds longest_wait{2};

    inline static std::atomic<int> threads_ = 0;
    inline static std::atomic<bool> finalizing_ = false;
    inline static std::thread::id finalizer_;
};

/// Releases the GIL as long as it lives.
class GilRelease {
  public:
    GilRelease() {
        DetachedThreads::detach();
        state_ = PyEval_SaveThread();
    }
    ~GilRelease() {
        DetachedThreads::wait_if_finalizing();
        PyEval_RestoreThread(state_);
        DetachedThreads::attach();
    }
    GilRelease(const GilRelease&) = delete;
    GilRelease& operator=(const GilRelease&) = delete;

  private:
    PyThreadState* state_ = nullptr;
};

/// Does `work` without the GIL. A Ctrl-C that it noticed becomes KeyboardInterrupt.
template <class Work>
auto without_gil(Work&& work) {
    const auto raise_pending = [] {
        if (PyErr_Occurred() != nullptr) throw nb::python_error();
    };
    const auto released_work = [&] {
        const GilRelease released;
        return std::forward<Work>(work)();
    };
    if constexpr (std::is_void_v<decltype(released_work())>) {
        released_work();
        raise_pending();
    } else {
        auto result = released_work();
        raise_pending();
        return result;
    }
}

/// Whether work without the GIL is to end: the user pressed Ctrl-C, which is a pending error from
/// now on, or Python is ending. Asked in the thread that called from Python.
inline bool user_interrupts() {
    if (DetachedThreads::is_finalizing()) return true;
    const nb::gil_scoped_acquire python;
    return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
}

/// The same for work of several threads: all of them ask, the one that called from Python checks
/// about every tenth of a second.
class Interruption {
  public:
    /// Whether to work on; `checks` in the thread that called from Python.
    bool go_on(bool checks) {
        if (checks && Clock::now() >= next_check_) check();
        return !interrupted_.load(std::memory_order_relaxed);
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds check_interval{100};

    void check() {
        next_check_ = Clock::now() + check_interval;
        if (user_interrupts()) interrupted_ = true;
    }

    Clock::time_point next_check_ = Clock::now() + check_interval;
    std::atomic<bool> interrupted_ = false;
};

/// Keeps something that Python threads share from being used by two of them at a time.
class ExclusiveUse {
  public:
    /// As long as it lives, no other guard can be made.
    class Guard {
      public:
        /// Refuses with that text where another guard is alive.
        Guard(ExclusiveUse& use, const char* refusal) : use_(use) {
            if (!use_.in_use_.exchange(true)) return;
            const auto type = nb::module_::import_("spielleiter.errors").attr("UsageError");
            PyErr_SetString(type.ptr(), refusal);
            throw nb::python_error();
        }
        ~Guard() { use_.in_use_ = false; }
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;

      private:
        ExclusiveUse& use_;
    };

  private:
    std::atomic<bool> in_use_ = false;
};

}  // namespace spielleiter::binding
