// Our engine at tables full of students' clients (course.hpp), many games without a server.
//
//     tables MAPS OUT --seconds 0.1 --others good,squares [--nodes 20000 --theirs 8000]
//            [--seed 1] [--from 0] [--step 1] [--games 1000] [--until 280] [--plies 6]
//            [--style adaptive] [--threads 2]
//
// MAPS has a position to begin with in each line. Game k begins on map k after random plies that
// leave everybody a stone; our seat rotates, and each of the others is drawn from the kinds named;
// `self` is our own engine that searches best-first.
// All that is drawn depends on the seed and k alone, so that several processes share a match
// (--from, --step) and another build of the engine meets the same openings. Limits are seconds for
// each move, or nodes for us and for them. No game begins after so many seconds (--until). The
// style is `adaptive`, as players have it, unless another one is named.
//
// A line of OUT is a game: its number, the number of players, our seat, our rank, how many share
// it, what the others are, the stones at the end; then for each of our moves the empty cells, the
// score, the plies and the nodes searched, and how full the tree is, in thousandths.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "course.hpp"
#include "course_move.hpp"
#include "schedule.hpp"
#include "src/spielleiter/games/reversi/evaluate.hpp"

using namespace spielleiter;
using reversi::Position;

namespace {

using Words = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
    return parts;
}

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

int empties_of(const Position& position) {
    return std::visit([](const auto& board) { return board.empty.count(); }, position.board());
}

std::unique_ptr<reversi::Engine> engine_of(const std::string& style, std::size_t threads = 1) {
    search::EngineOptions options;
    options.style = style;
    options.threads = threads;
    return std::make_unique<reversi::Engine>(options);
}

void search_whole(reversi::Engine& engine, const Position& position, const search::Limits& limits) {
    engine.begin(position, limits, 1, {});
    while (engine.step()) {
    }
}

class Ours {
  public:
    explicit Ours(const Words& words)
        : engine_(engine_of(words.at("style"), std::stoul(words.at("threads")))) {
        if (words.contains("nodes"))
            limits_.nodes = std::stoull(words.at("nodes"));
        else
            limits_.time = std::stod(words.at("seconds"));
    }

    void fresh() { notes_.clear(), engine_->forget(); }
    reversi::Move choose(const Position& position) {
        search_whole(*engine_, position, limits_);
        const auto& report = engine_->report();
        std::ostringstream note;
        note << ' ' << empties_of(position) << ':' << report.score() << ':' << report.depth << ':'
             << report.nodes << ':' << report.fill;
        notes_ += note.str();
        return report.best();
    }
    const std::string& notes() const { return notes_; }

  private:
    std::unique_ptr<reversi::Engine> engine_;
    search::Limits limits_;
    std::string notes_;
};

class Theirs {
  public:
    explicit Theirs(const Words& words) : kinds_(split(words.at("others"), ',')) {
        for (const auto& name : kinds_) {
            const auto kind = course::Kind::named(name);
            if (kind)
                players_.emplace_back(std::make_unique<course::Player>(*kind));
            else if (name == "self")
                players_.emplace_back(engine_of("best-first"));
            else
                throw UsageError("no kind " + name);
        }
        if (words.contains("theirs")) {
            budget_.nodes = std::stol(words.at("theirs"));
            limits_.nodes = budget_.nodes;
        } else {
            budget_.seconds = std::stod(words.at("seconds"));
            limits_.time = budget_.seconds;
        }
    }

    std::size_t count() const { return kinds_.size(); }
    const std::string& kind(std::size_t which) const { return kinds_[which]; }
    reversi::Move choose(std::size_t which, const Position& position) {
        if (const auto* student = std::get_if<Student>(&players_[which]))
            return course::move_of(**student, position, budget_);
        auto& engine = *std::get<std::unique_ptr<reversi::Engine>>(players_[which]);
        search_whole(engine, position, limits_);
        return engine.report().best();
    }

  private:
    using Student = std::unique_ptr<course::Player>;

    std::vector<std::string> kinds_;
    std::vector<std::variant<Student, std::unique_ptr<reversi::Engine>>> players_;
    course::Budget budget_;  ///< of students' clients
    search::Limits limits_;  ///< of our own engine
};

/// Whoever has no stone left never comes back.
bool all_alive(const Position& position) {
    return std::visit(
        [](const auto& board) {
            return std::all_of(board.stones.begin(), board.stones.begin() + board.seats,
                               [](const auto& stones) { return stones.any(); });
        },
        position.board());
}

/// After random plies that leave everybody a stone; fewer of them where hardly any do.
Position opening(const std::string& map, Random& random, int plies) {
    constexpr int attempts = 1000;
    for (; plies >= 0; --plies) {
        for (int attempt = 0; attempt < attempts; ++attempt) {
            Position position = Position::parse(map, {});
            for (int ply = 0; ply < plies; ++ply) {
                if (const auto move = position.random_move(random)) position.play(*move);
            }
            if (!position.is_over() && all_alive(position)) return position;
        }
    }
    throw UsageError("nobody can begin on the map " + map);
}

void play(std::uint64_t number, const std::vector<std::string>& maps, const Words& words,
          Ours& ours, Theirs& theirs, std::FILE* out) {
    Random random(mix(mix(std::stoull(words.at("seed"))) + number));
    Position position = opening(maps[number % maps.size()], random, std::stoi(words.at("plies")));
    const std::size_t seats = position.seats();
    const std::size_t seat = schedule::seat_in(number, maps.size(), seats);
    std::vector<std::size_t> kinds(seats);
    for (auto& kind : kinds) kind = random.below(static_cast<std::uint32_t>(theirs.count()));
    ours.fresh();
    while (!position.is_over()) {
        const Seat mover = position.to_move();
        position.play(mover == seat ? ours.choose(position)
                                    : theirs.choose(kinds[mover], position));
    }
    const Outcome outcome = position.outcome().value_or(Outcome{});
    int first = 0;
    std::string others;
    std::string stones;
    for (std::size_t each = 0; each < seats; ++each) {
        first += outcome.ranks[each] == 1;
        others += (each == 0 ? "" : ",") + (each == seat ? "-" : theirs.kind(kinds[each]));
        stones += (each == 0 ? "" : ",") + std::to_string(static_cast<int>(outcome.scores[each]));
    }
    std::fprintf(out, "%llu %zu %zu %d %d %s %s%s\n", static_cast<unsigned long long>(number),
                 seats, seat, static_cast<int>(outcome.ranks[seat]), first, others.c_str(),
                 stones.c_str(), ours.notes().c_str());
    std::fflush(out);
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3 || argc % 2 == 0) return 2;
    Words words{{"others", "good"}, {"seed", "1"},         {"from", "0"},
                {"step", "1"},      {"games", "1000"},     {"until", "1e9"},
                {"plies", "6"},     {"style", "adaptive"}, {"threads", "1"}};
    for (int at = 3; at + 1 < argc; at += 2) words[std::string(argv[at]).substr(2)] = argv[at + 1];
    const auto maps = lines_of(argv[1]);
    std::FILE* out = std::fopen(argv[2], "w");
    if (out == nullptr) return 2;
    Ours ours(words);
    Theirs theirs(words);
    const search::Stop clock{search::Limits{}};
    const std::uint64_t step = std::stoull(words.at("step"));
    for (std::uint64_t number = std::stoull(words.at("from"));
         number < std::stoull(words.at("games")) && clock.seconds() < std::stod(words.at("until"));
         number += step)
        play(number, maps, words, ours, theirs, out);
    std::fclose(out);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
