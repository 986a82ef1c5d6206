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
class Outside {
  public:
    /// A thread is about to release the GIL.
    static void leave() { ++threads_; }
    /// Waits for ever if Python is ending; asks for the GIL otherwise.
    static void come_home() {
        if (!is_closing()) return;
        --threads_;
        while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
    /// A thread has the GIL again.
    static void arrive() { --threads_; }

    /// Whether Python is ending, and not by the hand of this thread.
    static bool is_closing() { return closing_ && closer_ != std::this_thread::get_id(); }

    /// Sees to it that `close` is called in time.
    static void watch() {
        nb::module_::import_("atexit").attr("register")(nb::cpp_function(&close));
        const auto system = nb::module_::import_("os");
        if (nb::hasattr(system, "register_at_fork")) {
            // Only the thread that forks goes on in the child, and it is inside.
            system.attr("register_at_fork")(nb::arg("after_in_child") =
                                                nb::cpp_function([] { threads_ = 0; }));
        }
    }

  private:
    static void close() {
        closer_ = std::this_thread::get_id();
        closing_ = true;
        const nb::gil_scoped_release open;  // for threads that are about to take it
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(2);
        while (threads_ > 0 && std::chrono::steady_clock::now() < patience)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    inline static std::atomic<int> threads_ = 0;
    inline static std::atomic<bool> closing_ = false;
    inline static std::thread::id closer_;
};

/// Releases the GIL as long as it lives.
class Released {
  public:
    Released() {
        Outside::leave();
        state_ = PyEval_SaveThread();
    }
    ~Released() {
        Outside::come_home();
        PyEval_RestoreThread(state_);
        Outside::arrive();
    }
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;

  private:
    PyThreadState* state_ = nullptr;
};

/// Does `work` without the GIL. Ctrl-C, which it noticed, becomes KeyboardInterrupt.
template <class Work>
auto outside(Work&& work) {
    const auto look = [] {
        if (PyErr_Occurred() != nullptr) throw nb::python_error();
    };
    const auto released_work = [&] {
        const Released released;
        return std::forward<Work>(work)();
    };
    if constexpr (std::is_void_v<decltype(released_work())>) {
        released_work();
        look();
    } else {
        auto result = released_work();
        look();
        return result;
    }
}

/// Whether work outside is to end: the user pressed Ctrl-C, which is an error that is set from now
/// on, or Python is ending. Asked in the thread that called from Python.
inline bool user_interrupts() {
    if (Outside::is_closing()) return true;
    const nb::gil_scoped_acquire python;
    return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
}

/// The same for work of several threads: all of them ask, the one that called from Python looks
/// about every tenth of a second.
class Interruption {
  public:
    /// Whether to work on; `looks` in the thread that called from Python.
    bool go_on(bool looks) {
        if (looks && Clock::now() >= next_look_) look();
        return !interrupted_.load(std::memory_order_relaxed);
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds between_looks{100};

    void look() {
        next_look_ = Clock::now() + between_looks;
        if (user_interrupts()) interrupted_ = true;
    }

    Clock::time_point next_look_ = Clock::now() + between_looks;
    std::atomic<bool> interrupted_ = false;
};

/// Something that Python threads share and only one may use at a time.
class Shared {
  public:
    /// As long as it lives, every other request for a turn is refused.
    class Turn {
      public:
        /// Refuses with that text where another turn is alive.
        Turn(Shared& shared, const char* refusal) : shared_(shared) {
            if (!shared_.taken_.exchange(true)) return;
            const auto type = nb::module_::import_("spielleiter.errors").attr("UsageError");
            PyErr_SetString(type.ptr(), refusal);
            throw nb::python_error();
        }
        ~Turn() { shared_.taken_ = false; }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

      private:
        Shared& shared_;
    };

  private:
    std::atomic<bool> taken_ = false;
};

}  // namespace spielleiter::binding
