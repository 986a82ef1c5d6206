#include "tests/deep/threads.hpp"
#include "src/spielleiter/games/reversi/evaluate.hpp"

using namespace spielleiter;

namespace {

int unfinished_games(bool adaptive) {
    int failures = 0;
    for (const char* text : {"000000/012300/031200/023100/000000/000000 3 1 -",
                             "00000000/00000000/00123400/00412300/00341200/00234100/00000000/"
                             "00000000 4 1 -",
                             "00000000/00000000/00000000/00012000/00021000/00000000/00000000/"
                             "00000000 2 1 -"}) {
        search::EngineOptions options;
        options.megabytes = 1;
        options.threads = sharing_threads;
        options.adaptive = adaptive;
        reversi::Engine engine(options);
        const auto rules = reversi::Rules::named("reversi", "document");
        if (!game_ends(engine, reversi::Position::parse(text, rules), 20'000)) ++failures;
    }
    return failures;
}

}  // namespace

int main() {
    return status_of([] { return unfinished_games(false) + unfinished_games(true); });
}
