/// @file
/// Plays many games against a contest server and costs next to nothing: it knows no rules and sends
/// the moves of scripts that were written before, one script for every board a game can begin with.
///
///     load_client PORT PASSWORD GAME_TYPE SCRIPTS TABLES GAMES PACE
///
/// plays GAMES games on TABLES tables, both seats of each, a move every PACE seconds (0: at once),
/// and prints what came of it as JSON. GAMES 0 begins a game on every table, prints a line and
/// waits until its input ends. With GAMES -1 it prints a line when the first game begins, and
/// begins one after the other until its input ends. A script is a line with the board of a first
/// state, its newlines written as
/// \n, followed by a line for each move in the same form, with ROOM for the room, and an empty
/// line.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <limits>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Script = std::vector<std::string>;

constexpr double warm_up = 5.0;   ///< Seconds until all paced games have begun: not counted.
constexpr double silence = 60.0;  ///< Seconds after which the server counts as dead.
constexpr std::string_view request = "class=\"moveRequest\"/>";

[[noreturn]] void fail(const std::string& why) {
    std::fprintf(stderr, "load_client: %s\n", why.c_str());
    std::exit(1);
}

double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

/// The text between two marks, from a place on; empty if there is none. The place moves behind it.
std::string between(std::string_view text, std::string_view first, std::string_view last,
                    std::size_t& from) {
    const std::size_t begin = text.find(first, from);
    if (begin == std::string_view::npos) return {};
    const std::size_t end = text.find(last, begin + first.size());
    if (end == std::string_view::npos) return {};
    from = end + last.size();
    return std::string(text.substr(begin + first.size(), end - begin - first.size()));
}

std::string with_newlines(std::string line) {
    for (std::size_t at = 0; (at = line.find("\\n", at)) != std::string::npos; ++at)
        line.replace(at, 2, "\n");
    return line;
}

std::unordered_map<std::string, Script> scripts(const char* path) {
    std::unordered_map<std::string, Script> found;
    std::ifstream file(path);
    std::string line, board;
    while (std::getline(file, line)) {
        if (line.empty()) {
            board.clear();
        } else if (board.empty()) {
            board = with_newlines(line);
        } else {
            found[board].push_back(with_newlines(line));
        }
    }
    if (found.empty()) fail("no scripts");
    return found;
}

struct Game;

struct Seat {
    Game* game = nullptr;
    int socket = -1;
    std::string seen;  ///< What came since its last request.
};

struct Game {
    Seat seats[2];
    std::string room;
    const Script* script = nullptr;
    std::size_t played = 0;
    double sent_at = 0.0;
    int results = 0;
};

struct Due {
    double at;
    Seat* seat;
    bool operator<(const Due& other) const { return at > other.at; }
};

struct Report {
    long games = 0, moves = 0, irregular = 0;
    std::vector<double> delays, late;
};

class Load {
  public:
    Load(int port, const std::string& password, std::string game_type, const char* file,
         double pace)
        : port_(port), game_type_(std::move(game_type)), scripts_(scripts(file)), pace_(pace) {
        poll_ = epoll_create1(0);
        admin_ = connected(nullptr);
        write(admin_, "<protocol><authenticate password=\"" + password + "\"/>");
    }

    void open(int tables) {
        for (int number = 0; number < tables; ++number) {
            games_.push_back(std::make_unique<Game>());
            for (Seat& seat : games_.back()->seats) {
                seat.game = games_.back().get();
                seat.socket = connected(&seat);
                write(seat.socket, "<protocol>");
            }
        }
    }

    void play(long count) {
        left_ = count;
        if (count < 0) play_until_input_ends();
        began_ = now();
        for (auto& game : games_) begin(*game);
        while (running_ > 0) {
            step();
            if (pace_ > 0 && !warm_ && now() - began_ > warm_up) forget_beginnings();
        }
        tell(now() - began_);
    }

    /// Begin a game on every table, and answer nothing.
    void hold() {
        left_ = static_cast<long>(games_.size());
        pace_ = 1e9;
        for (auto& game : games_) begin(*game);
        while (due_.size() < games_.size()) step();
        say("ready");
        while (std::getchar() != EOF) {
        }
    }

  private:
    void play_until_input_ends() {
        left_ = std::numeric_limits<long>::max();
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.ptr = &input_;
        epoll_ctl(poll_, EPOLL_CTL_ADD, STDIN_FILENO, &event);
        is_endless_ = true;
    }

    void end_input() {
        left_ = 0;
        epoll_ctl(poll_, EPOLL_CTL_DEL, STDIN_FILENO, nullptr);
    }

    int connected(Seat* seat) {
        const int made = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port_));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (connect(made, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            fail("cannot connect");
        const int yes = 1;
        setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.ptr = seat;
        epoll_ctl(poll_, EPOLL_CTL_ADD, made, &event);
        return made;
    }

    static void say(const char* word) {
        std::printf("%s\n", word);
        std::fflush(stdout);
    }

    static void write(int socket, std::string_view text) {
        while (!text.empty()) {
            const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) fail("the server hung up");
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    void begin(Game& game) {
        if (left_ == 0) return;
        --left_;
        ++running_;
        std::string slots;
        for (const char* name : {"A", "B"})
            slots += std::string("<slot displayName=\"") + name +
                     "\" canTimeout=\"true\" reserved=\"true\"/>";
        write(admin_, "<prepare gameType=\"" + game_type_ + "\">" + slots + "</prepare>");
        preparing_.push_back(&game);
    }

    void step() {
        epoll_event events[256];
        double patience = silence;
        if (!due_.empty()) patience = std::min(patience, std::max(0.0, due_.top().at - now()));
        const int milliseconds = static_cast<int>(patience * 1000 + 0.999);
        const int count = epoll_wait(poll_, events, 256, milliseconds);
        if (count == 0 && due_.empty()) fail("the server is silent");
        for (int number = 0; number < count; ++number)
            read(static_cast<Seat*>(events[number].data.ptr));
        while (!due_.empty() && due_.top().at <= now()) {
            const Due due = due_.top();
            due_.pop();
            report_.late.push_back(now() - due.at);
            move(*due.seat);
        }
    }

    void read(Seat* seat) {
        if (seat == &input_) {
            end_input();
            return;
        }
        static char buffer[1 << 18];
        const ssize_t size = recv(seat ? seat->socket : admin_, buffer, sizeof buffer, 0);
        if (size <= 0) fail("the server hung up");
        const std::string_view data(buffer, static_cast<std::size_t>(size));
        if (seat == nullptr) {
            answers_ += data;
            read_answers();
        } else {
            seat->seen += data;
            look(*seat);
        }
    }

    void read_answers() {
        std::size_t at = 0, end = 0;
        while ((end = answers_.find("</prepared>", at)) != std::string::npos) {
            if (preparing_.empty()) fail("an answer that nobody asked for");
            Game& game = *preparing_.front();
            preparing_.pop_front();
            if (is_endless_ && !std::exchange(has_begun_, true)) say("begun");
            game.room = between(answers_, "<prepared roomId=\"", "\"", at);
            game.script = nullptr;
            game.played = 0;
            game.results = 0;
            game.sent_at = 0.0;
            for (Seat& seat : game.seats) {
                seat.seen.clear();
                const std::string code = between(answers_, "<reservation>", "</reservation>", at);
                write(seat.socket, "<joinPrepared reservationCode=\"" + code + "\"/>");
            }
            at = end + std::strlen("</prepared>");
        }
        answers_.erase(0, at);
    }

    void look(Seat& seat) {
        Game& game = *seat.game;
        const std::size_t tail = seat.seen.size() > 4096 ? seat.seen.size() - 4096 : 0;
        if (seat.seen.find(request, tail) != std::string::npos) {
            if (game.script == nullptr) game.script = script_of(seat.seen);
            if (game.sent_at > 0) report_.delays.push_back(now() - game.sent_at);
            seat.seen.clear();
            ask(seat);
        } else if (seat.seen.find("<left ", tail) != std::string::npos) {
            over(seat);
        } else if (seat.seen.size() > 16'384 && game.played > 0) {
            seat.seen.erase(0, seat.seen.size() - 8'192);
        }
    }

    const Script* script_of(std::string_view seen) {
        std::size_t from = 0;
        const auto found = scripts_.find(between(seen, "<board>", "</board>", from));
        if (found == scripts_.end()) fail("no script begins with this board");
        return &found->second;
    }

    void ask(Seat& seat) {
        if (pace_ <= 0) {
            move(seat);
            return;
        }
        const bool first = seat.game->played == 0;
        due_.push({now() + (first ? pace_ * unit_(random_) : pace_), &seat});
    }

    void move(Seat& seat) {
        Game& game = *seat.game;
        if (game.played == game.script->size()) fail("asked for more moves than the script has");
        std::string text = (*game.script)[game.played++];
        text.replace(text.find("ROOM"), 4, game.room);
        ++report_.moves;
        game.sent_at = now();
        write(seat.socket, text);
    }

    void over(Seat& seat) {
        Game& game = *seat.game;
        if (seat.seen.find("regular=\"true\"") == std::string::npos) ++report_.irregular;
        seat.seen.clear();
        if (++game.results < 2) return;
        --running_;
        ++report_.games;
        begin(game);
    }

    void forget_beginnings() {
        warm_ = true;
        report_.delays.clear();
        report_.late.clear();
    }

    static double share(std::vector<double>& values, double part) {
        if (values.empty()) return 0.0;
        std::sort(values.begin(), values.end());
        const auto last = static_cast<double>(values.size() - 1);
        return 1000 * values[static_cast<std::size_t>(last * part)];
    }

    void tell(double seconds) {
        std::printf("{\"games\": %ld, \"moves\": %ld, \"irregular\": %ld, \"seconds\": %.6f, ",
                    report_.games, report_.moves, report_.irregular, seconds);
        std::printf("\"delay_ms_p50\": %.6f, \"delay_ms_p99\": %.6f, \"delay_ms_max\": %.6f, ",
                    share(report_.delays, 0.5), share(report_.delays, 0.99),
                    share(report_.delays, 1.0));
        std::printf("\"late_ms_p99\": %.6f, \"late_ms_max\": %.6f, \"cpu_s\": %.6f}\n",
                    share(report_.late, 0.99), share(report_.late, 1.0),
                    static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
    }

    int port_, poll_ = -1, admin_ = -1;
    std::string game_type_, answers_;
    std::unordered_map<std::string, Script> scripts_;
    double pace_, began_ = 0.0;
    bool warm_ = false, is_endless_ = false, has_begun_ = false;
    Seat input_;  ///< Stands for our own input among those who are waited for.
    std::vector<std::unique_ptr<Game>> games_;
    std::deque<Game*> preparing_;
    std::priority_queue<Due> due_;
    long left_ = 0, running_ = 0;
    Report report_;
    std::mt19937 random_{1};
    std::uniform_real_distribution<double> unit_;
};

}  // namespace

int main(int count, char** words) {
    if (count != 8) fail("PORT PASSWORD GAME_TYPE SCRIPTS TABLES GAMES PACE");
    Load load(std::atoi(words[1]), words[2], words[3], words[4], std::atof(words[7]));
    load.open(std::atoi(words[5]));
    const long games = std::atol(words[6]);
    games != 0 ? load.play(games) : load.hold();
}
