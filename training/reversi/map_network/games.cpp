// Games of two players on many maps to learn from: what was played, and how search judged.
//
//     games MAPS OUT SECONDS SEED NODES [NETWORK]
//
// MAPS has a position of two players to begin with in each line, OUT is a file of games
// (`records.hpp`). In every second game both players are the engine with NODES a move; in the
// others each seat is given by lot to that engine, to a weaker one, to a student's client
// (benchmarks/strength/course.hpp) or to a simple player (simple.hpp). One move in forty is random.
// NETWORK is a file of an earlier round, as zlib has unpacked it; without one the engine judges by
// the terms alone.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/strength/course.hpp"
#include "benchmarks/strength/course_move.hpp"
#include "benchmarks/strength/simple.hpp"
#include "records.hpp"
#include "src/spielleiter/games/reversi/evaluate.hpp"
#include "training/reversi/games.hpp"
#include "training/reversi/mixed_games.hpp"

using namespace spielleiter;
using namespace spielleiter::reversi;

namespace {

/// A move, and how likely its player thinks to win if it can tell.
struct Choice {
    Move move;
    std::optional<double> chance;
};

class Player {
  public:
    Player() = default;
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;
    virtual ~Player() = default;
    virtual void forget() {}
    virtual Choice choose(const Position& position) = 0;
};

class Searcher : public Player {
  public:
    explicit Searcher(std::uint64_t nodes) : engine_(options()) { limits_.nodes = nodes; }
    void forget() override { engine_.forget(); }
    Choice choose(const Position& position) override {
        engine_.begin(position, limits_, 1, {});
        while (engine_.step()) {
        }
        const int score = engine_.report().score();
        return {engine_.report().best(), 1.0 / (1.0 + std::pow(10.0, -score / 400.0))};
    }

  private:
    static search::EngineOptions options() {
        search::EngineOptions made;
        made.megabytes = 2;
        return made;
    }

    reversi::Engine engine_;
    search::Limits limits_;
};

class Client : public Player {
  public:
    Client(const char* kind, long nodes) : player_(*course::Kind::named(kind)) {
        budget_.nodes = nodes;
    }
    Choice choose(const Position& position) override {
        return {course::move_of(player_, position, budget_), std::nullopt};
    }

  private:
    course::Player player_;
    course::Budget budget_;
};

/// Counts one thing a few plies ahead: who is careless with its stones, or with the others'.
class Simple : public Player {
  public:
    Simple(const char* kind, Random& random)
        : player_(*simple::Kind::named(kind)), random_(&random) {}
    Choice choose(const Position& position) override {
        return {player_.choose(position, *random_), std::nullopt};
    }

  private:
    simple::Player player_;
    Random* random_;
};

/// The first one is the engine as it plays against itself.
std::vector<std::unique_ptr<Player>> players(std::uint64_t nodes, Random& random) {
    std::vector<std::unique_ptr<Player>> found;
    for (const std::uint64_t parts : {1, 1, 1, 4, 16})
        found.push_back(std::make_unique<Searcher>(nodes / parts));
    const auto limit = static_cast<long>(nodes);
    found.push_back(std::make_unique<Client>("good", limit / 3));
    found.push_back(std::make_unique<Client>("good", limit / 12));
    found.push_back(std::make_unique<Client>("squares", limit / 6));
    found.push_back(std::make_unique<Client>("reply", limit / 6));
    for (const char* kind : {"random", "greedy", "stones2", "stones3", "mobility2"})
        found.push_back(std::make_unique<Simple>(kind, random));
    return found;
}

void play(const std::vector<std::string>& maps, std::vector<std::unique_ptr<Player>>& pool,
          Random& random, std::FILE* out) {
    map_network::Game game;
    game.map = random.below(static_cast<std::uint32_t>(maps.size()));
    Position position = Position::parse(maps[game.map], {});
    const auto opening = play_mixed(position, pool, random, [&](Player* player) {
        const Choice choice =
            player ? player->choose(position) : Choice{*position.random_move(random), std::nullopt};
        game.turns.push_back(map_network::turn_of(choice.move.x, choice.move.y, choice.chance));
        position.play(choice.move);
    });
    game.opening = static_cast<std::uint8_t>(opening);
    map_network::write(game, out);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6 && argc != 7) return 2;
    if (argc == 7) MapNetworkWeights::load(read_weights(argv[6]));
    const auto maps = lines_of(argv[1]);
    std::FILE* out = std::fopen(argv[2], "wb");
    const double seconds = std::atof(argv[3]);
    Random random(mix(static_cast<std::uint64_t>(std::atoll(argv[4]))));
    auto pool = players(static_cast<std::uint64_t>(std::atoll(argv[5])), random);
    const search::Stop clock{search::Limits{}};
    while (clock.seconds() < seconds) play(maps, pool, random, out);
    std::fclose(out);
}
