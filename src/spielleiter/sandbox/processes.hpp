/// @file
/// What Linux tells about processes in /proc, read with few system calls.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spielleiter::sandbox {

using Pid = pid_t;

/// A file of the kernel; nothing if it is not there (any more).
inline std::optional<std::string> read_file(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    std::string text;
    char chunk[4096];
    ssize_t size = 0;
    while ((size = read(file, chunk, sizeof chunk)) > 0) text.append(chunk, size);
    close(file);
    return size < 0 ? std::nullopt : std::optional(text);
}

/// The whole numbers in a text, in order; what is none is passed over.
inline std::vector<std::uint64_t> numbers(std::string_view text) {
    std::vector<std::uint64_t> found;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        std::uint64_t value = 0;
        const auto [after, problem] = std::from_chars(at, end, value);
        if (problem == std::errc()) found.push_back(value);
        at = problem == std::errc::invalid_argument ? at + 1 : after;
    }
    return found;
}

/// The numbers that are names in a folder of the kernel.
inline std::vector<Pid> numbered(const std::string& folder) {
    std::vector<Pid> found;
    DIR* const open_folder = opendir(folder.c_str());
    if (open_folder == nullptr) return found;
    while (const dirent* entry = readdir(open_folder)) {
        const std::string_view name = entry->d_name;
        if (name.find_first_not_of("0123456789") != std::string_view::npos) continue;
        for (const auto number : numbers(name)) found.push_back(static_cast<Pid>(number));
    }
    closedir(open_folder);
    return found;
}

/// The place of something about a process.
inline std::string proc(Pid process, const char* what) {
    return "/proc/" + std::to_string(process) + "/" + what;
}

/// All descendants of a process, from the kernel's lists of children.
inline void add_descendants(Pid process, std::vector<Pid>& found) {
    const std::string tasks = proc(process, "task");
    for (const Pid task : numbered(tasks)) {
        const auto text = read_file(tasks + "/" + std::to_string(task) + "/children");
        for (const auto child : numbers(text.value_or(""))) {
            found.push_back(static_cast<Pid>(child));
            add_descendants(static_cast<Pid>(child), found);
        }
    }
}

/// All other processes: in a pid namespace whose first process we are, or our descendants.
inline std::vector<Pid> others(bool has_namespace) {
    std::vector<Pid> found;
    if (has_namespace) {
        found = numbered("/proc");
        std::erase(found, Pid{1});
    } else {
        add_descendants(getpid(), found);
    }
    return found;
}

/// What one process uses.
struct ProcessSample {
    Pid process;
    std::uint64_t born;  ///< in ticks since boot, since process numbers are reused
    std::uint64_t threads;
    std::uint64_t mapped;  ///< bytes of all its mappings, used or not
    std::uint64_t memory;  ///< private bytes; shared memory is counted separately
    std::uint64_t ticks;   ///< processor time
    std::uint64_t ran;     ///< the same in nanoseconds; 0 if unknown or with several threads
};

/// The usage of a process; nothing if it has just died.
inline std::optional<ProcessSample> sample(Pid process) {
    static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    constexpr std::size_t utime = 11;
    constexpr std::size_t stime = 12;
    constexpr std::size_t thread_count = 17;
    constexpr std::size_t start_time = 19;
    const auto stat = read_file(proc(process, "stat"));
    const auto statm = read_file(proc(process, "statm"));
    if (!stat || !statm || stat->empty() || statm->empty()) return std::nullopt;
    std::vector<std::uint64_t> words{0};  // the state is a letter
    for (const auto each : numbers(std::string_view(*stat).substr(stat->rfind(')') + 1)))
        words.push_back(each);
    const auto pages = numbers(*statm);
    if (words.size() <= start_time || pages.size() < 3) return std::nullopt;
    ProcessSample found{process, words[start_time], words[thread_count], pages[0] * page, 0, 0, 0};
    found.memory = pages[1] > pages[2] ? (pages[1] - pages[2]) * page : 0;
    found.ticks = words[utime] + words[stime];
    if (found.threads == 1) {
        const auto times = numbers(read_file(proc(process, "schedstat")).value_or(""));
        if (!times.empty()) found.ran = times[0];
    }
    return found;
}

/// One line of /proc/PID/maps, if it is a piece of anonymous shared memory: its inode and length.
inline std::optional<std::pair<std::string, std::uint64_t>> shared_piece(std::string_view line) {
    const std::size_t name = line.find('/');
    if (name == std::string_view::npos) return std::nullopt;
    const std::string_view path = line.substr(name);
    if (!path.starts_with("/dev/zero") && !path.starts_with("/memfd:") &&
        !path.starts_with("/SYSV"))
        return std::nullopt;
    const std::size_t dash = line.find('-');
    const std::size_t blank = line.find(' ');
    if (dash > blank || blank + 4 >= line.size() || line[blank + 4] != 's') return std::nullopt;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::from_chars(line.data(), line.data() + dash, begin, 16);
    std::from_chars(line.data() + dash + 1, line.data() + blank, end, 16);
    std::string_view before = line.substr(0, name);
    before = before.substr(0, before.find_last_not_of(' ') + 1);
    return std::pair(std::string(before.substr(before.rfind(' ') + 1)), end - begin);
}

/// Bytes of anonymous shared memory of processes, each mapping once. The whole mapping counts, not
/// only its touched pages: a dead process may have touched them.
inline std::uint64_t shared_memory(const std::vector<ProcessSample>& seen) {
    std::map<std::string, std::uint64_t> pieces;
    for (const ProcessSample& each : seen) {
        const std::string text = read_file(proc(each.process, "maps")).value_or("");
        std::string_view rest = text;
        while (!rest.empty()) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(rest.size(), line.size() + 1));
            if (const auto piece = shared_piece(line)) {
                std::uint64_t& length = pieces[piece->first];
                length = std::max(length, piece->second);
            }
        }
    }
    std::uint64_t whole = 0;
    for (const auto& [_, length] : pieces) whole += length;
    return whole;
}

/// Threads of this user so far, which count against the same limit.
inline std::uint64_t threads_of_user() {
    std::uint64_t found = 0;
    for (const Pid process : numbered("/proc")) {
        struct stat status{};
        if (stat(proc(process, "").c_str(), &status) != 0 || status.st_uid != getuid()) continue;
        if (const auto seen = sample(process)) found += seen->threads;
    }
    return found;
}

}  // namespace spielleiter::sandbox
