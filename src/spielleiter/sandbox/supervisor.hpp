/// @file
/// The supervisor of `supervisor.py` without an interpreter: a copy of a Python process that runs
/// Python copies hundreds of pages, and one that runs this copies a few.
#pragma once

#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <utility>

#include "src/spielleiter/sandbox/processes.hpp"

namespace spielleiter::sandbox {

/// Resource limits of a program and its descendants, as `Bounds` has them.
struct Bounds {
    unsigned long long memory;
    unsigned long long cpu;
    unsigned long long processes;
    unsigned long long disk;
    unsigned long long output;
    unsigned long long keep;  ///< bytes of its output that are kept
};

/// The descriptors that a supervisor has to do with.
struct Descriptors {
    int control;
    int output;  ///< where the program prints
    int deaths;  ///< of SIGCHLD
};

inline void print(std::string_view text) {
    while (!text.empty()) {
        const ssize_t size = write(STDOUT_FILENO, text.data(), text.size());
        if (size <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
}

/// Supervises one program from its start to its end.
class Supervisor {
  public:
    Supervisor(Pid program, Descriptors descriptors, const Bounds& bounds, bool has_namespace)
        : program_(program),
          descriptors_(descriptors),
          bounds_(bounds),
          has_namespace_(has_namespace) {}

    /// Run until all processes have ended; returns the program's exit status.
    int run() {
        while (reap() && step()) {
        }
        end_all();
        pass_on_rest();
        if (!reap()) say('G');
        return status_;
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds watch_interval{50};
    static constexpr std::chrono::milliseconds slow_interval{5000};

    /// Wait for something to do and do it; whether to go on.
    bool step() {
        std::array<pollfd, 3> watched{{
            {descriptors_.control, POLLIN, 0},
            {descriptors_.deaths, POLLIN, 0},
            {prints_ ? descriptors_.output : -1, POLLIN, 0},
        }};
        const auto interval = frozen_ ? slow_interval : watch_interval;
        if (poll(watched.data(), watched.size(), static_cast<int>(interval.count())) < 0)
            return errno == EINTR;
        if (watched[1].revents != 0) forget_deaths();
        if (watched[2].revents != 0) prints_ = pass_on();
        if (watched[0].revents != 0 && !obey()) return false;
        const std::string why = overstepped();
        if (!why.empty()) print("ended by the sandbox: " + why + "\n");
        return why.empty();
    }

    /// Reap dead children; whether any process is left.
    bool reap() {
        int status = 0;
        Pid process = 0;
        while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
            if (process != program_) continue;
            status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        return process == 0;
    }

    void forget_deaths() const {
        signalfd_siginfo died{};
        while (read(descriptors_.deaths, &died, sizeof died) > 0) {
        }
    }

    /// Pass on output up to a length; whether there may be more.
    bool pass_on() {
        static std::array<char, 1 << 16> chunk;
        const ssize_t size = read(descriptors_.output, chunk.data(), chunk.size());
        if (size < 0) return errno == EINTR;
        const unsigned long long before = printed_;
        printed_ += static_cast<unsigned long long>(size);
        const auto kept = bounds_.keep > before ? bounds_.keep - before : 0;
        print({chunk.data(), static_cast<std::size_t>(std::min<unsigned long long>(kept, size))});
        if (before <= bounds_.keep && bounds_.keep < printed_) print("\n…");
        return size > 0;
    }

    void pass_on_rest() {
        fcntl(descriptors_.output, F_SETFL, O_NONBLOCK);
        while (pass_on()) {
        }
    }

    // ------------------------------------------------------------------------------- the orders

    /// Handle commands on the control socket; whether to go on.
    bool obey() {
        std::array<char, 64> orders{};
        const ssize_t size = recv(descriptors_.control, orders.data(), orders.size(), 0);
        bool goes_on = size > 0 || (size < 0 && errno == EINTR);
        for (ssize_t at = 0; at < size; ++at) {
            if (orders[at] == 'E') goes_on = false;
            if (orders[at] == 'F') freeze(true);
            if (orders[at] == 'T') freeze(false);
        }
        return goes_on;
    }

    void freeze(bool frozen) {
        frozen_ = frozen;
        signal_all(frozen ? SIGSTOP : SIGCONT);
        if (!frozen) say('D');
    }

    void say(char word) const { send(descriptors_.control, &word, 1, MSG_NOSIGNAL); }

    void signal_all(int number) const {
        for (const Pid process : others(has_namespace_)) kill(process, number);
    }

    /// Kill repeatedly until no process is left, to catch new ones.
    void end_all() {
        const auto until = Clock::now() + slow_interval;
        signal_all(SIGKILL);
        while (reap() && Clock::now() < until) {
            pollfd death{descriptors_.deaths, POLLIN, 0};
            poll(&death, 1, 1);
            forget_deaths();
            signal_all(SIGKILL);
        }
    }

    // ------------------------------------------------------------------------------- the limits

    /// The limit that the processes exceed together, if any; cheap, since it runs often.
    std::string overstepped() {
        if (printed_ > bounds_.output) return "it printed more than " + amount(bounds_.output);
        if (frozen_ || Clock::now() < next_look_) return "";
        next_look_ = Clock::now() + watch_interval;
        std::vector<ProcessSample> seen;
        for (const Pid process : others(has_namespace_))
            if (const auto each = sample(process)) seen.push_back(*each);
        return too_much(seen);
    }

    std::string too_much(const std::vector<ProcessSample>& seen) {
        std::uint64_t threads = 0;
        std::uint64_t mapped = 0;
        std::uint64_t memory = 0;
        for (const ProcessSample& each : seen) {
            threads += each.threads;
            mapped += each.mapped;
            memory += each.memory;
            spent_[{each.process, each.born}] = each.ticks;
        }
        if (threads > bounds_.processes)
            return "more than " + std::to_string(bounds_.processes) + " processes and threads";
        if (mapped > bounds_.memory && memory + shared(seen) > bounds_.memory)
            return "more than " + amount(bounds_.memory) + " of memory";
        if (seconds_spent() > static_cast<double>(bounds_.cpu))
            return "more than " + std::to_string(bounds_.cpu) + " seconds of processor time";
        return "";
    }

    /// Processor time of all processes that were seen, or of those that were reaped.
    [[nodiscard]] double seconds_spent() const {
        std::uint64_t ticks = 0;
        for (const auto& [_, each] : spent_) ticks += each;
        rusage dead{};
        getrusage(RUSAGE_CHILDREN, &dead);
        const auto of_dead =
            static_cast<double>(dead.ru_utime.tv_sec + dead.ru_stime.tv_sec) +
            static_cast<double>(dead.ru_utime.tv_usec + dead.ru_stime.tv_usec) / 1e6;
        return std::max(static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK)),
                        of_dead);
    }

    /// Bytes of shared memory; cached while no process has run.
    std::uint64_t shared(const std::vector<ProcessSample>& seen) {
        std::vector<std::array<std::uint64_t, 3>> as_seen;
        bool known = true;
        for (const ProcessSample& each : seen) {
            as_seen.push_back({static_cast<std::uint64_t>(each.process), each.born, each.ran});
            known = known && each.ran != 0;
        }
        if (!known || as_seen != as_seen_) {
            as_seen_ = std::move(as_seen);
            shared_memory_ = shared_memory(seen);
        }
        return shared_memory_;
    }

    /// A number of bytes for people.
    static std::string amount(unsigned long long count) {
        std::array<char, 32> text{};
        const bool is_large = count >= 100'000'000;
        std::snprintf(text.data(), text.size(), is_large ? "%.3g GB" : "%.3g MB",
                      static_cast<double>(count) / (is_large ? 1e9 : 1e6));
        return text.data();
    }

    Pid program_;
    Descriptors descriptors_;
    Bounds bounds_;
    bool has_namespace_;
    bool prints_ = true;
    bool frozen_ = false;
    int status_ = 0;
    unsigned long long printed_ = 0;
    Clock::time_point next_look_ = Clock::now() + watch_interval;
    /// Process number and time of birth → the processor time it was last seen to have used.
    std::map<std::pair<Pid, std::uint64_t>, std::uint64_t> spent_;
    std::vector<std::array<std::uint64_t, 3>> as_seen_;
    std::uint64_t shared_memory_ = 0;
};

}  // namespace spielleiter::sandbox
