/// @file
/// The module `spielleiter.sandbox._supervisor`: supervised copies of a Python process.
/// See `_supervisor.pyi` for its functions.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <sys/uio.h>

#include <climits>
#include <initializer_list>

#include "src/spielleiter/sandbox/confinement.hpp"

namespace {

using namespace spielleiter::sandbox;

constexpr int cannot_start = 127;
constexpr int line_descriptor = 3;

/// The name that lists of processes show.
void be_named(const char* name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

using Handler = decltype(SIG_DFL);

void handle(std::initializer_list<int> signals, Handler handler) {
    for (const int number : signals) signal(number, handler);
}

/// As in Python: the log says why, and the player's line to the referee closes.
[[noreturn]] void give_up() {
    print(std::string("the sandbox cannot be set up: ") + std::strerror(errno) + "\n");
    _exit(cannot_start);
}

/// A process to supervise, and one that supervises it.
struct Split {
    Pid program;  ///< 0 in the program itself
    Descriptors descriptors;
};

/// Fork the program; both sides know where it prints. Deaths are announced to the supervisor only.
Split split(int control) {
    std::array<int, 2> pipe_ends{};
    if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) give_up();
    sigset_t deaths;
    sigset_t before;
    sigemptyset(&deaths);
    sigaddset(&deaths, SIGCHLD);
    sigprocmask(SIG_BLOCK, &deaths, &before);
    signal(SIGCHLD, SIG_DFL);
    const Pid program = fork();
    if (program < 0) give_up();
    if (program == 0) {
        sigprocmask(SIG_SETMASK, &before, nullptr);
        return {0, {control, pipe_ends[1], -1}};
    }
    close(pipe_ends[1]);
    be_named("supervisor");
    handle({SIGINT, SIGTERM, SIGHUP, SIGPIPE}, SIG_IGN);
    return {program, {control, pipe_ends[0], signalfd(-1, &deaths, SFD_NONBLOCK | SFD_CLOEXEC)}};
}

/// A process group of its own, still in the supervisor's session: so it can be found without the
/// supervisor. Signals end it, as the system has it; it prints to the supervisor.
void become_program(int output) {
    setpgid(0, 0);
    handle({SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE, SIGXFSZ}, SIG_DFL);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
}

/// Close all descriptors from one to another, also where the C library does not know that call.
void close_from_to(int first, int last) {
    constexpr long close_range_call = 436;
    constexpr int most = 1 << 10;
    if (last < first || syscall(close_range_call, first, last, 0) == 0) return;
    for (int each = first; each <= std::min(last, most); ++each) close(each);
}

/// The player's socket to the referee is descriptor 3; it has no other one.
void keep_line_only(int line) {
    dup2(line, line_descriptor);
    close_from_to(line_descriptor + 1, INT_MAX);
}

/// Only the descriptors of a supervisor stay open.
void keep_descriptors_only(const Descriptors& descriptors) {
    std::array<int, 3> kept{descriptors.control, descriptors.output, descriptors.deaths};
    std::sort(kept.begin(), kept.end());
    int from = STDERR_FILENO + 1;
    for (const int each : kept) {
        close_from_to(from, each - 1);
        from = each + 1;
    }
    close_from_to(from, INT_MAX);
}

bool read_bounds(PyObject* given, Bounds& bounds) {
    return PyArg_ParseTuple(given, "KKKKKK", &bounds.memory, &bounds.cpu, &bounds.processes,
                            &bounds.disk, &bounds.output, &bounds.keep) != 0;
}

/// The beginning of a request to fork a player at the level `limits`; two texts follow, and what
/// the player itself is to know.
struct Header {
    std::array<char, 8> magic;
    Bounds bounds;
    std::uint32_t name_size;
    std::uint32_t folder_size;
};
static_assert(sizeof(Header) == 64, "as forkserver.py packs it");
constexpr std::array<char, 8> magic{'l', 'i', 'm', 'i', 't', 's'};
constexpr std::size_t largest_request = 1 << 20;

/// A packet to the fork server.
struct Packet {
    std::string_view text;
    std::array<int, 3> descriptors{-1, -1, -1};
};

/// What a packet asks for.
struct Request {
    int control;
    int log;
    int line;
    std::string name;
    std::string folder;
    Bounds bounds;
    std::string_view rest;
};

/// The next packet; empty if the other side is gone.
Packet receive(int server) {
    static std::array<char, largest_request> text;  // its pages are there when they are needed
    Packet packet;
    iovec buffer{text.data(), text.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof packet.descriptors)> extra{};
    msghdr message{};
    message.msg_iov = &buffer;
    message.msg_iovlen = 1;
    message.msg_control = extra.data();
    message.msg_controllen = extra.size();
    ssize_t size = 0;
    do size = recvmsg(server, &message, 0);
    while (size < 0 && errno == EINTR);
    packet.text = {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
    const cmsghdr* const first = CMSG_FIRSTHDR(&message);
    if (first != nullptr && first->cmsg_len == CMSG_LEN(sizeof packet.descriptors))
        std::memcpy(packet.descriptors.data(), CMSG_DATA(first), sizeof packet.descriptors);
    return packet;
}

/// The request in a packet, if it is one for the level `limits`.
std::optional<Request> request_of(const Packet& packet) {
    Header header{};
    std::string_view text = packet.text;
    if (text.size() < sizeof header || !text.starts_with({magic.data(), magic.size()}))
        return std::nullopt;
    std::memcpy(&header, text.data(), sizeof header);
    text.remove_prefix(sizeof header);
    if (text.size() < std::size_t{header.name_size} + header.folder_size) return std::nullopt;
    const auto [control, log, line] = packet.descriptors;
    return Request{control,
                   log,
                   line,
                   std::string(text.substr(0, header.name_size)),
                   std::string(text.substr(header.name_size, header.folder_size)),
                   header.bounds,
                   text.substr(std::size_t{header.name_size} + header.folder_size)};
}

/// Become the supervisor in a new session; returns in the program only, confined.
void supervise(const Request& request, CallFilter& filter) {
    setsid();
    dup2(request.log, STDOUT_FILENO);
    dup2(request.log, STDERR_FILENO);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) give_up();
    const auto [program, descriptors] = split(request.control);
    if (program != 0) {
        keep_descriptors_only(descriptors);
        _exit(Supervisor(program, descriptors, request.bounds, false).run());
    }
    be_named("player");
    become_program(descriptors.output);
    keep_line_only(request.line);
    if (!confine(request.folder.c_str(), request.bounds, filter)) {
        print(request.name + " cannot be started: " + std::strerror(errno) + "\n");
        _exit(cannot_start);
    }
}

/// Fork a supervisor with its player and tell the other side its number; 0 in the player.
Pid start(const Request& request, CallFilter& filter, int server) {
    PyOS_BeforeFork();
    const Pid supervisor = fork();
    if (supervisor == 0) {
        supervise(request, filter);
        PyOS_AfterFork_Child();
        return 0;
    }
    const int problem = errno;
    PyOS_AfterFork_Parent();
    errno = problem;
    if (supervisor < 0) return supervisor;
    for (const int each : {request.control, request.log, request.line}) close(each);
    const std::string told = std::to_string(supervisor);
    send(server, told.data(), told.size(), MSG_NOSIGNAL);
    return supervisor;
}

PyObject* answered(std::string_view text, const Packet& packet, bool is_player) {
    const auto [control, log, line] = packet.descriptors;
    return Py_BuildValue("(y#(iii)O)", text.data(), static_cast<Py_ssize_t>(text.size()), control,
                         log, line, is_player ? Py_True : Py_False);
}

PyObject* serve(PyObject*, PyObject* arguments) {
    int server = 0;
    const char* calls = nullptr;
    Py_ssize_t calls_size = 0;
    if (PyArg_ParseTuple(arguments, "iy#", &server, &calls, &calls_size) == 0) return nullptr;
    CallFilter filter = call_filter({calls, static_cast<std::size_t>(calls_size)});
    handle({SIGINT, SIGPIPE, SIGCHLD}, SIG_IGN);  // the dead bury themselves; Python is not told
    while (true) {
        const Packet packet = receive(server);
        const std::optional<Request> request = request_of(packet);
        if (!request) return answered(packet.text, packet, false);
        const Pid made = start(*request, filter, server);
        if (made < 0) return PyErr_SetFromErrno(PyExc_OSError);
        if (made == 0) return answered(request->rest, packet, true);
    }
}

PyObject* watch(PyObject*, PyObject* arguments) {
    int control = 0;
    int has_namespace = 0;
    PyObject* given = nullptr;
    Bounds bounds{};
    if (PyArg_ParseTuple(arguments, "ipO!", &control, &has_namespace, &PyTuple_Type, &given) == 0 ||
        !read_bounds(given, bounds))
        return nullptr;
    PyOS_BeforeFork();
    const auto [program, descriptors] = split(control);
    if (program != 0) {
        keep_descriptors_only(descriptors);
        _exit(Supervisor(program, descriptors, bounds, has_namespace != 0).run());
    }
    PyOS_AfterFork_Child();
    become_program(descriptors.output);
    Py_RETURN_NONE;
}

/// As `fork`, which cannot do this: the child is the first process of new namespaces.
PyObject* fork_into(PyObject*, PyObject* arguments) {
    unsigned long namespaces = 0;
    if (PyArg_ParseTuple(arguments, "k", &namespaces) == 0) return nullptr;
    PyOS_BeforeFork();
    const long made = syscall(SYS_clone, namespaces | SIGCHLD, 0, 0, 0, 0);
    const int problem = errno;
    if (made == 0)
        PyOS_AfterFork_Child();
    else
        PyOS_AfterFork_Parent();
    errno = problem;
    return made < 0 ? PyErr_SetFromErrno(PyExc_OSError) : PyLong_FromLong(made);
}

PyMethodDef methods[] = {
    {"serve", serve, METH_VARARGS, "Fork players at the level `limits`, each with its supervisor."},
    {"fork_into", fork_into, METH_VARARGS, "Fork into new namespaces."},
    {"watch", watch, METH_VARARGS, "Fork a program and supervise it; returns in the program."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_supervisor", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__supervisor() { return PyModule_Create(&definition); }
