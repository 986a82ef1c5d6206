// Games of the engine against itself on the board of 8 × 8, and what search thinks of positions.
//
//     selfplay games  WEIGHTS OUT SECONDS SEED DEPTH   positions with the result of their game
//     selfplay scored WEIGHTS OUT SECONDS SEED DEPTH   positions with what search says of them, too
//     selfplay spread WEIGHTS OUT SECONDS SEED DEEPEST scores of every depth of the same positions
//
// WEIGHTS is a file of pattern tables or `-` for the terms of any map. A record of `games` is 18
// bytes: own stones, the other's stones (64 bits each, seen by the player to move), the lead of the
// player to move at the end of the game, and one byte of zero. Games begin with random moves, go on
// with a shallow search and now and then a random move, and are solved exactly at the end; a random
// move makes what came before unexplainable, so positions before the last one are left out. A
// record of `scored` is 20 bytes: the byte of zero is one if the result can be explained, and two
// bytes follow with the score of search, in units of score; no position is left out.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "training/reversi/games.hpp"

using namespace spielleiter;
using namespace spielleiter::reversi;

namespace {

constexpr int solved_from = 14;

struct Record {
    TwoPlayerBoard<Small> duel;
    Seat seat;
};

void write(std::FILE* out, const Record& record, int lead_of_first, std::int8_t mark = 0) {
    const int lead = record.seat == 0 ? lead_of_first : -lead_of_first;
    std::fwrite(record.duel.own.words.data(), 8, 1, out);
    std::fwrite(record.duel.other.words.data(), 8, 1, out);
    const std::int8_t tail[2] = {static_cast<std::int8_t>(lead), mark};
    std::fwrite(tail, 2, 1, out);
}

/// One game, all its positions that can be explained.
void play(reversi::Engine& engine, Random& random, int depth, std::FILE* out) {
    Position position = Position::parse(start, {});
    const std::uint32_t opening = 6 + random.below(16);
    for (std::uint32_t ply = 0; ply < opening && !position.is_over(); ++ply)
        position.play(*position.random_move(random));
    std::vector<Record> records;
    while (!position.is_over()) {
        const int empties = board_of(position).empty.count();
        records.push_back({duel_of(position), position.to_move()});
        if (empties > solved_from && random.below(40) == 0) {
            records.clear();
            position.play(*position.random_move(random));
            continue;
        }
        position.play(searched(engine, position, depth_of(empties <= solved_from ? 60 : depth)));
    }
    const auto scores = position.scores();
    for (const Record& record : records) write(out, record, scores[0] - scores[1]);
}

struct Scored {
    Record record;
    search::Score score;
};

/// The lead that a score of search means, in units of score.
std::int16_t in_units(search::Score score) {
    if (search::is_certain(score))
        score =
            Patterns::per_stone * (score > 0 ? score - search::certain : score + search::certain);
    return static_cast<std::int16_t>(score);
}

/// One game, all its positions with their scores; solved a little earlier than above.
void play_scored(reversi::Engine& engine, Random& random, int depth, std::FILE* out) {
    constexpr int exact_from = solved_from + 2;
    Position position = Position::parse(start, {});
    const std::uint32_t opening = 4 + random.below(18);
    for (std::uint32_t ply = 0; ply < opening && !position.is_over(); ++ply)
        position.play(*position.random_move(random));
    std::vector<Scored> seen;
    std::size_t explained = 0;  // the first one
    while (!position.is_over()) {
        const int empties = board_of(position).empty.count();
        const Record record{duel_of(position), position.to_move()};
        const Move best = searched(engine, position, depth_of(empties <= exact_from ? 60 : depth));
        seen.push_back({record, engine.report().score()});
        if (random.below(24) == 0) {
            explained = seen.size();
            position.play(*position.random_move(random));
        } else {
            position.play(best);
        }
    }
    const auto scores = position.scores();
    for (std::size_t at = 0; at < seen.size(); ++at) {
        write(out, seen[at].record, scores[0] - scores[1], at >= explained);
        const std::int16_t score = in_units(seen[at].score);
        std::fwrite(&score, 2, 1, out);
    }
}

/// A line for a position: empties, the estimate, then the score of every depth.
void measure(reversi::Engine& engine, Random& random, int deepest, std::FILE* out) {
    Position position = Position::parse(start, {});
    const std::uint32_t opening = 8 + random.below(34);
    for (std::uint32_t ply = 0; ply < opening && !position.is_over(); ++ply) {
        if (ply < 8)
            position.play(*position.random_move(random));
        else
            position.play(searched(engine, position, depth_of(2)));
    }
    const int empties = board_of(position).empty.count();
    if (position.is_over() || empties <= deepest) return;
    std::fprintf(out, "%d %d", empties, Evaluate().estimate(position));
    engine.begin(position, depth_of(deepest), 1, {});
    while (engine.step()) std::fprintf(out, " %d", engine.report().score());
    std::fprintf(out, "\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 7) return 2;
    const std::string work = argv[1];
    if (std::string(argv[2]) != "-") Patterns::load(read_weights(argv[2]));
    std::FILE* out = std::fopen(argv[3], "wb");
    const double seconds = std::atof(argv[4]);
    Random random(mix(static_cast<std::uint64_t>(std::atoll(argv[5]))));
    const int depth = std::atoi(argv[6]);
    search::EngineOptions options = options_of(16);
    if (work == "spread") options.pruning.probcut = false;
    reversi::Engine engine(options);
    search::Stop clock(search::Limits{});
    while (clock.seconds() < seconds) {
        if (work == "spread")
            measure(engine, random, depth, out);
        else if (work == "scored")
            play_scored(engine, random, depth, out);
        else
            play(engine, random, depth, out);
    }
    std::fclose(out);
}
