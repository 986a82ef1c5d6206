/// @file
/// The restrictions of the level `limits`: what `supervisor.py` does with a player before it runs.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "src/spielleiter/sandbox/supervisor.hpp"

namespace spielleiter::sandbox {

using Resource = decltype(RLIMIT_CORE);

inline void set_limit(Resource resource, rlim_t most) {
    rlimit limit{};
    getrlimit(resource, &limit);
    if (limit.rlim_max != RLIM_INFINITY) most = std::min(most, limit.rlim_max);
    limit = {most, most};
    setrlimit(resource, &limit);  // as far as the system goes along
}

/// Set the system's resource limits.
inline void set_limits(const Bounds& bounds) {
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_MSGQUEUE, 0);
    set_limit(RLIMIT_DATA, bounds.memory);
    set_limit(RLIMIT_FSIZE, bounds.disk);
    set_limit(RLIMIT_CPU, bounds.cpu);
    if (getuid() != 0)  // root has no such limit
        set_limit(RLIMIT_NPROC, bounds.processes + threads_of_user());
}

/// Give up all capabilities, and make set-user-id programs ineffective.
inline bool give_up_privileges() {
    for (int number = 0; prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0; ++number) {
    }
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/// From here on signals and abstract sockets reach only what this process starts, if the kernel
/// can do that.
inline bool scope_signals() {
    constexpr long create = 444;
    constexpr long restrict_self = 446;
    constexpr unsigned asks_version = 1;
    constexpr long scopes_since = 6;
    constexpr std::uint64_t scopes = 0b11;
    if (syscall(create, nullptr, 0, asks_version) < scopes_since) return true;
    const std::array<std::uint64_t, 3> attributes{0, 0, scopes};
    const long rules = syscall(create, attributes.data(), sizeof attributes, 0);
    if (rules < 0 || syscall(restrict_self, rules, 0) < 0) return false;
    close(static_cast<int>(rules));
    return true;
}

/// A program for the kernel that decides which system calls are made; empty: all.
using CallFilter = std::vector<sock_filter>;

inline CallFilter call_filter(std::string_view program) {
    CallFilter filter(program.size() / sizeof(sock_filter));
    std::memcpy(filter.data(), program.data(), filter.size() * sizeof(sock_filter));
    return filter;
}

/// From here on only the system calls that a filter allows are made.
inline void filter_calls(CallFilter& filter) {
    if (filter.empty()) return;
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/// Restrict the calling process to the level `limits`; false: errno says what failed.
inline bool confine(const char* folder, const Bounds& bounds, CallFilter& filter) {
    if (chdir(folder) != 0) return false;
    set_limits(bounds);
    if (!give_up_privileges() || !scope_signals()) return false;
    filter_calls(filter);
    return true;
}

}  // namespace spielleiter::sandbox
