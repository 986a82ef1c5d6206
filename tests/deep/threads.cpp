/// @file
/// Three threads search whole games together, under the sanitizers (sanitize.sh): what the games of
/// the project bring with them is shared as well, not only the trees. Exits with the number of
/// games that did not end.
#include <cstdint>
#include <cstdio>
#include <exception>

#include "core/search/engine.hpp"
#include "core/search/mcts_engine.hpp"
#include "src/spielleiter/games/blokus/evaluate.hpp"
#include "src/spielleiter/games/reversi/evaluate.hpp"

using namespace spielleiter;

namespace {

constexpr unsigned threads = 3;
constexpr int most_plies = 200;

/// Plays a game with itself; `every` plies apart it thinks with all threads. Whether it ended.
template <class Engine, class Position>
bool ends(Engine& engine, Position position, std::uint64_t nodes) {
    for (int ply = 0; ply < most_plies; ++ply) {
        if (is_over(position)) return true;
        search::Limits limits;
        limits.nodes = nodes;
        position.play(search::run(engine, position, limits, 1).best());
    }
    return false;
}

int blokus_games() {
    int failures = 0;
    for (const char* edition : {"blokus-2021", "blokus-2027"}) {
        search::MctsEngine<blokus::Evaluate> engine(1, threads, 1);
        const auto rules = blokus::Rules::named(edition, "document");
        if (!ends(engine, blokus::Position::start(7, "", rules), 300)) ++failures;
    }
    return failures;
}

int reversi_games() {
    int failures = 0;
    for (const char* text : {"000000/012300/031200/023100/000000/000000 3 1 -",
                             "00000000/00000000/00123400/00412300/00341200/00234100/00000000/"
                             "00000000 4 1 -",
                             "00000000/00000000/00000000/00012000/00021000/00000000/00000000/"
                             "00000000 2 1 -"}) {
        search::EngineOptions options;
        options.megabytes = 1;
        options.threads = threads;
        reversi::Engine engine(options);
        const auto rules = reversi::Rules::named("reversi", "document");
        if (!ends(engine, reversi::Position::parse(text, rules), 20'000)) ++failures;
    }
    return failures;
}

}  // namespace

int main() {
    try {
        const int failures = blokus_games() + reversi_games();
        std::printf("%d games did not end\n", failures);
        return failures;
    } catch (const std::exception& error) {
        std::puts(error.what());
        return 1;
    }
}
