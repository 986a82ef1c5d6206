// A player of course.hpp as a program: the opponent in course.py and multi_player.py.
//
//     course plain|good|squares|reply|selfish
//
// Each line of the input is a time in seconds and a position; the answer is a line with the move
// and the number of nodes.
#include "course.hpp"

#include <cstdio>
#include <iostream>
#include <sstream>

using namespace course;

int main(int argc, char** argv) {
    const auto kind = Kind::named(argc > 1 ? argv[1] : "good");
    if (!kind) return 2;
    Player player(*kind);
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        double seconds = 0;
        std::string rows;
        int players = 2;
        int mover = 1;
        words >> seconds >> rows >> players >> mover;
        const int cell = player.choose(read(rows, players, mover), {.seconds = seconds});
        std::printf("%c%d %ld\n", 'a' + cell % stride - 1, cell / stride, player.nodes());
        std::fflush(stdout);
    }
}
