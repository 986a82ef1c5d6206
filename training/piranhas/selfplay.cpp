/// @file
/// Games of the Piranhas engine against itself, as records for fit.py.
///
///     selfplay EDITION GAMES NODES SEED THREADS FILE [RANDOM]
///
/// Game n begins with up to eleven random plies and goes on with NODES for each move; RANDOM moves
/// of a hundred (1 if it is not given) are random. The same arguments give the same file, however
/// many threads there are.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "core/search/alphabeta_engine.hpp"
#include "src/spielleiter/games/piranhas/evaluate.hpp"

namespace {

using namespace spielleiter;
using namespace spielleiter::piranhas;

/// One position; 58 bytes without gaps on every system.
struct Record {
    std::array<std::uint8_t, 50> cells{};  ///< two fields in a byte: 0 empty, 1–3 and 4–6 fish, 7
    std::uint8_t ply = 0;
    std::uint8_t credit = 2;
    std::uint8_t seat = 0;   ///< to move
    std::uint8_t flags = 0;  ///< 1 the best move is a capture, 2 somebody is whole, 4 luck decides
    std::array<std::uint8_t, 2> score{};  ///< of the search, low byte first
    std::int8_t result = 0;               ///< 1, 0, −1 for the seat to move
    std::uint8_t game = 0;
};
static_assert(sizeof(Record) == 58);

enum Flag : std::uint8_t { captures = 1, whole = 2, lucky = 4 };
constexpr std::uint32_t usual_random_moves = 1;  ///< of a hundred

unsigned code_at(const Position& position, Square square) {
    for (Seat seat = 0; seat < 2; ++seat) {
        if (position.fish(seat).test(bit_of(square)))
            return 3U * seat + static_cast<unsigned>(position.weight(square));
    }
    return position.octopuses().test(bit_of(square)) ? 7 : 0;
}

Record record_of(const Position& position, search::Score score, Move best, unsigned game) {
    Record record;
    for (std::size_t at = 0; at < squares; ++at) {
        const unsigned code = code_at(position, numbered(at)) << at % 2 * 4;
        record.cells[at / 2] = static_cast<std::uint8_t>(record.cells[at / 2] | code);
    }
    record.ply = static_cast<std::uint8_t>(position.ply());
    record.credit = position.union_credit().value_or(2);
    record.seat = position.to_move();
    const auto to = best.target();
    const bool takes = to && position.fish(position.to_move() ^ 1U).test(bit_of(*to));
    const bool tense = position.is_whole(0) || position.is_whole(1);
    record.flags = static_cast<std::uint8_t>((takes ? captures : 0) | (tense ? whole : 0));
    record.score = {static_cast<std::uint8_t>(score), static_cast<std::uint8_t>(score >> 8)};
    record.game = static_cast<std::uint8_t>(game);
    return record;
}

Position opening(Random& random, Rules rules) {
    Position position = Position::start(random.next(), "", rules);
    for (std::uint32_t left = 1 + random.below(11); left > 0 && !position.is_over(); --left) {
        const auto moves = position.legal_moves();
        if (moves.empty()) break;
        position.play(moves[random.below(static_cast<std::uint32_t>(moves.size()))]);
    }
    return position;
}

/// 2 for a draw; a side that cannot move where no rule covers it has lost.
Seat winner_of(const Position& position) {
    const auto outcome = position.outcome();
    if (!outcome) return position.to_move() ^ 1U;
    return outcome->winner().value_or(2);
}

std::vector<Record> one_game(search::AlphaBetaEngine<Evaluate>& engine, Rules rules,
                             search::Limits limits, std::uint32_t random_moves, std::uint64_t seed,
                             unsigned number) {
    Random random(mix(seed * 7919 + number));
    Position position = opening(random, rules);
    std::vector<Record> seen;
    engine.forget();
    while (!position.is_over() && !position.legal_moves().empty()) {
        const auto report = search::run(engine, position, limits);
        Move move = report.best();
        if (!search::is_certain(report.score()))
            seen.push_back(record_of(position, report.score(), move, number));
        if (random.below(100) < random_moves) {
            const auto moves = position.legal_moves();
            move = moves[random.below(static_cast<std::uint32_t>(moves.size()))];
            for (Record& record : seen) record.flags |= lucky;
        }
        position.play(move);
    }
    const Seat winner = winner_of(position);
    for (Record& record : seen)
        record.result = static_cast<std::int8_t>(winner == 2 ? 0 : winner == record.seat ? 1 : -1);
    return seen;
}

}  // namespace

int main(int count, char** words) {
    if (count != 7 && count != 8) {
        std::fputs("selfplay EDITION GAMES NODES SEED THREADS FILE [RANDOM]\n", stderr);
        return 2;
    }
    const Rules rules = Rules::named(words[1], "document");
    const auto games = static_cast<unsigned>(std::strtoul(words[2], nullptr, 10));
    search::Limits limits;
    limits.nodes = std::strtoull(words[3], nullptr, 10);
    const std::uint64_t seed = std::strtoull(words[4], nullptr, 10);
    const auto random_moves = count == 8
                                  ? static_cast<std::uint32_t>(std::strtoul(words[7], nullptr, 10))
                                  : usual_random_moves;
    std::vector<std::vector<Record>> all(games);
    std::atomic<unsigned> next = 0;
    {
        std::vector<std::jthread> threads;
        for (long left = std::strtol(words[5], nullptr, 10); left > 0; --left) {
            threads.emplace_back([&] {
                search::EngineOptions options;
                options.megabytes = 4;
                search::AlphaBetaEngine<Evaluate> engine(options);
                for (unsigned number = next++; number < games; number = next++)
                    all[number] = one_game(engine, rules, limits, random_moves, seed, number);
            });
        }
    }
    std::FILE* file = std::fopen(words[6], "wb");
    if (file == nullptr) return 1;
    for (const auto& records : all)
        std::fwrite(records.data(), sizeof(Record), records.size(), file);
    return std::fclose(file) == 0 ? 0 : 1;
}
