#include "tests/deep/threads.hpp"
#include "core/search/alphabeta_engine.hpp"
#include "src/spielleiter/games/piranhas/evaluate.hpp"

using namespace spielleiter;

namespace {

int unfinished_games() {
    int failures = 0;
    for (const char* edition : {"piranhas-2019", "piranhas-2026"}) {
        search::EngineOptions options;
        options.megabytes = 1;
        options.threads = sharing_threads;
        search::AlphaBetaEngine<piranhas::Evaluate> engine(options);
        const auto rules = piranhas::Rules::named(edition, "document");
        if (!game_ends(engine, piranhas::Position::start(7, "", rules), 5'000)) ++failures;
    }
    return failures;
}

}  // namespace

int main() { return status_of(unfinished_games); }
