// Games of three or four players on many maps, to learn from who was first.
//
//     games MAPS OUT SECONDS SEED NODES
//
// MAPS has a position to begin with in each line. A line of OUT is a game: the number of its map,
// the number of random moves it began with, who sat on each seat, and all its moves. In every third
// game all players are the engine with NODES a move; in the others each seat is given by lot to
// that engine, to a weaker one or to one of four students' clients
// (benchmarks/strength/course.hpp), so that what they do is seen, too. One move in forty is random.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/strength/course.hpp"
#include "src/spielleiter/games/reversi/evaluate.hpp"

using namespace spielleiter;
using namespace spielleiter::reversi;

namespace {

/// Somebody who plays.
class Player {
  public:
    Player() = default;
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;
    virtual ~Player() = default;
    virtual Move choose(const Position& position) = 0;
};

class Ours : public Player {
  public:
    explicit Ours(std::uint64_t nodes) : engine_(small()) { limits_.nodes = nodes; }
    Move choose(const Position& position) override {
        engine_.begin(position, limits_, 1, {});
        while (engine_.step()) {
        }
        return engine_.report().best();
    }

  private:
    static search::Options small() {
        search::Options options;
        options.megabytes = 4;
        return options;
    }

    reversi::Engine engine_;
    search::Limits limits_;
};

class Student : public Player {
  public:
    Student(const std::string& kind, long nodes)
        : player_(course::Kind::named(kind)), budget_{.nodes = nodes} {}
    Move choose(const Position& position) override {
        std::istringstream words(position.text());
        std::string rows;
        int players = 0;
        int mover = 0;
        words >> rows >> players >> mover;
        const int cell = player_.choose(course::read(rows, players, mover), budget_);
        return {static_cast<std::uint8_t>(cell % course::stride - 1),
                static_cast<std::uint8_t>(cell / course::stride - 1)};
    }

  private:
    course::Player player_;
    course::Budget budget_;
};

std::vector<std::unique_ptr<Player>> players(std::uint64_t nodes) {
    std::vector<std::unique_ptr<Player>> found;
    found.push_back(std::make_unique<Ours>(nodes));
    found.push_back(std::make_unique<Ours>(nodes / 3));
    for (const char* kind : {"good", "squares", "reply", "selfish"})
        found.push_back(std::make_unique<Student>(kind, static_cast<long>(nodes / 3)));
    return found;
}

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

void play(const std::vector<std::string>& maps, std::vector<std::unique_ptr<Player>>& pool,
          Random& random, std::FILE* out) {
    const auto map = random.below(static_cast<std::uint32_t>(maps.size()));
    Position position = Position::parse(maps[map], {});
    std::string moves;
    const auto make = [&](Move move) {
        moves += ' ';
        moves += move.text();
        position.play(move);
    };
    const std::uint32_t opening = 2 + random.below(14);
    for (std::uint32_t ply = 0; ply < opening && !position.is_over(); ++ply)
        make(*position.random_move(random));
    std::vector<Player*> seats;
    std::string kinds;
    const auto choices = random.below(3) == 0 ? 1U : static_cast<std::uint32_t>(pool.size());
    for (std::size_t seat = 0; seat < position.seats(); ++seat) {
        const auto kind = random.below(choices);
        seats.push_back(pool[kind].get());
        kinds += static_cast<char>('0' + kind);
    }
    while (!position.is_over()) {
        const bool by_lot = random.below(40) == 0;
        make(by_lot ? *position.random_move(random) : seats[position.to_move()]->choose(position));
    }
    std::fprintf(out, "%u %u %s%s\n", map, opening, kinds.c_str(), moves.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) return 2;
    const auto maps = lines_of(argv[1]);
    std::FILE* out = std::fopen(argv[2], "w");
    const double seconds = std::atof(argv[3]);
    Random random(mix(static_cast<std::uint64_t>(std::atoll(argv[4]))));
    auto pool = players(static_cast<std::uint64_t>(std::atoll(argv[5])));
    const search::Stop clock{search::Limits{}};
    while (clock.seconds() < seconds) play(maps, pool, random, out);
    std::fclose(out);
}
