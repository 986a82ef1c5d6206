// Games of three or four players on many maps, to learn from who was first.
//
//     games MAPS OUT SECONDS SEED NODES
//
// MAPS has a position to begin with in each line. A line of OUT is a game: the number of its map,
// the number of random moves it began with, and all its moves. In every second game all players are
// the engine with NODES a move; in the others each seat is given by lot to that engine, to a weaker
// one or to one of three plain players, so that what they do wrong is seen, too. One move in forty
// is random.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "src/spielleiter/games/reversi/evaluate.hpp"
#include "training/reversi/mixed_games.hpp"

using namespace spielleiter;
using namespace spielleiter::reversi;

namespace {

/// Somebody who plays.
class Player {
  public:
    Player(search::EngineOptions options, std::uint64_t nodes) : engine_(std::move(options)) {
        limits_.nodes = nodes;
    }
    void forget() { engine_.forget(); }
    Move choose(const Position& position) {
        engine_.begin(position, limits_, 1, {});
        while (engine_.step()) {
        }
        return engine_.report().best();
    }

  private:
    reversi::Engine engine_;
    search::Limits limits_;
};

/// Guessed weights, as in `terms.hpp`: of stones, moves, frontier, corners, edges, safe stones,
/// stones beside empty corners, corners within reach; then turn, parity, regions.
const std::vector<std::vector<std::int16_t>> guesses{
    {0,    0,   0,   6000, 3000, 3000, 2000, 0, 0, 0,     0,     0,     3000, 3000, 3000,
     1000, 800, 800, 800,  400,  0,    0,    0, 0, -1500, -1500, -1000, 0,    0,    0,
     0,    0,   0,   0,    0,    0,    0,    0, 0, 0,     0,     0,     0,    0},
    {1000, 1000, 2000, 6000, 1500, 1500, 1000, 0, 0, 0,     0,     0,     4000, 4000, 4000,
     2000, 1200, 1200, 1200, 600,  0,    0,    0, 0, -2000, -2000, -1500, 0,    0,    0,
     0,    0,    0,    0,    0,    0,    0,    0, 0, 0,     0,     0,     0,    0},
    {0,    0,   0,   6000, 5000, 5000, 4000, 500,  -1000, -1000, -1000, 0,    2000, 2000, 2000,
     1000, 500, 500, 500,  300,  2000, 2000, 2000, 1500,  -1000, -1000, -800, 0,    0,    0,
     0,    0,   0,   0,    0,    0,    0,    0,    0,     0,     0,     0,    0,    0}};

std::vector<std::unique_ptr<Player>> players(std::uint64_t nodes) {
    std::vector<std::unique_ptr<Player>> found;
    search::EngineOptions options;
    options.megabytes = 4;
    found.push_back(std::make_unique<Player>(options, nodes));
    found.push_back(std::make_unique<Player>(options, nodes / 3));
    options.style = "paranoid";
    options.megabytes = 1;
    for (const auto& name : search::PruningOptions::names)
        *options.pruning.named(name.name) = false;
    for (const auto& weights : guesses) {
        options.weights = weights;
        found.push_back(std::make_unique<Player>(options, nodes));
    }
    return found;
}

void play(const std::vector<std::string>& maps, std::vector<std::unique_ptr<Player>>& pool,
          Random& random, std::FILE* out) {
    const auto map = random.below(static_cast<std::uint32_t>(maps.size()));
    Position position = Position::parse(maps[map], {});
    std::string moves;
    const auto opening = play_mixed(position, pool, random, [&](Player* player) {
        const Move move = player ? player->choose(position) : *position.random_move(random);
        moves += " " + move.text();
        position.play(move);
    });
    std::fprintf(out, "%u %u%s\n", map, opening, moves.c_str());
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
