#include "tests/deep/threads.hpp"
#include "core/search/mcts_engine.hpp"
#include "src/spielleiter/games/blokus/evaluate.hpp"

using namespace spielleiter;

namespace {

int unfinished_games() {
    int failures = 0;
    for (const char* edition : {"blokus-2021", "blokus-2027"}) {
        search::MctsEngine<blokus::Evaluate> engine(1, sharing_threads, 1);
        const auto rules = blokus::Rules::named(edition, "document");
        if (!game_ends(engine, blokus::Position::start(7, "", rules), 300)) ++failures;
    }
    return failures;
}

}  // namespace

int main() { return status_of(unfinished_games); }
