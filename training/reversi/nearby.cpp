// Positions up to five random moves away from those of games: what search meets on its way.
//
//     nearby OUT COUNT THREADS SEED SCORED...
//
// SCORED are files of `selfplay scored`. A record is 16 bytes: own stones, the other's stones.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "core/random.hpp"
#include "src/spielleiter/games/reversi/two_player_board.hpp"

using namespace spielleiter;
using namespace spielleiter::reversi;

namespace {

using Stones = std::array<std::uint64_t, 2>;  // own, the other's
using Board8 = TwoPlayerBoard<Small>;

constexpr std::uint32_t most_moves = 5;

std::vector<Stones> read(int count, char** paths) {
    std::vector<Stones> found;
    for (int at = 0; at < count; ++at) {
        std::ifstream file(paths[at], std::ios::binary);
        std::array<char, 20> record{};
        while (file.read(record.data(), record.size())) {
            Stones stones{};
            std::memcpy(stones.data(), record.data(), sizeof stones);
            found.push_back(stones);
        }
    }
    return found;
}

/// After a random move; nothing if the game is over then.
std::optional<Board8> stepped(const Board8& board, Random& random) {
    auto moves = board.moves();
    for (auto skipped = random.below(static_cast<std::uint32_t>(moves.count())); skipped > 0;
         --skipped)
        moves.pop();
    const Board8 next = board.after(moves.pop());
    if (next.moves().any()) return next;
    return next.passed().moves().any() ? std::optional(next.passed()) : std::nullopt;
}

std::optional<Stones> walked(const Stones& from, Random& random) {
    std::optional<Board8> board = Board8{{{from[0]}}, {{from[1]}}, {{~(from[0] | from[1])}}};
    for (auto left = random.below(most_moves + 1); left > 0 && board; --left)
        board = stepped(*board, random);
    if (!board) return std::nullopt;
    return Stones{board->own.words[0], board->other.words[0]};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6) return std::puts("nearby OUT COUNT THREADS SEED SCORED..."), 2;
    const auto count = static_cast<std::size_t>(std::atoll(argv[2]));
    const auto threads = static_cast<std::size_t>(std::atoi(argv[3]));
    const auto seed = static_cast<std::uint64_t>(std::atoll(argv[4]));
    const std::vector<Stones> games = read(argc - 5, argv + 5);
    std::vector<Stones> found(count);
    {
        std::vector<std::jthread> workers;
        for (std::size_t thread = 0; thread < threads; ++thread) {
            workers.emplace_back([&, thread] {
                Random random = Random::stream(seed, thread);
                const std::size_t end = count * (thread + 1) / threads;
                for (std::size_t at = count * thread / threads; at < end;) {
                    const auto from = random.below(static_cast<std::uint32_t>(games.size()));
                    if (const auto made = walked(games[from], random)) found[at++] = *made;
                }
            });
        }
    }
    std::ofstream(argv[1], std::ios::binary)
        .write(reinterpret_cast<const char*>(found.data()),
               static_cast<std::streamsize>(sizeof(Stones) * found.size()));
}
