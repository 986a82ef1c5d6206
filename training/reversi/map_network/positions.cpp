// Positions of recorded games, as train.py learns from them.
//
//     positions MAPS OUT ONE-IN GAMES…
//
// One position in so many is kept, from the random opening of its game on. A record of OUT:
//
//     map: 2 bytes, empty cells: 1,
//     every cell of a map of 15 × 15: 1 (1 a stone of the player to move, 2 one of the other, 0
//     empty, 7 no cell; 16 more where the player to move may set, 32 more where the other may),
//     what the terms say: 2, the result (2 won, 1 drawn, 0 lost): 1,
//     how likely search thought to win, of 254 (255: nobody said): 1
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "records.hpp"
#include "src/spielleiter/games/reversi/evaluate.hpp"
#include "training/reversi/mixed_games.hpp"

using namespace spielleiter;
using namespace spielleiter::reversi;

namespace {

using Bytes = std::vector<std::uint8_t>;

void append(Bytes& bytes, int word) {
    bytes.push_back(static_cast<std::uint8_t>(word));
    bytes.push_back(static_cast<std::uint8_t>(word >> 8));
}

template <class Layout>
void append_cells(Bytes& bytes, const Board<Layout>& board) {
    const Seat other = board.mover ^ 1U;
    const auto others = board.targets(other);
    const auto cells = board.empty | board.occupied;
    for (std::size_t y = 0; y < map_network::side; ++y) {
        for (std::size_t x = 0; x < map_network::side; ++x) {
            const std::size_t cell = Board<Layout>::cell(x, y);
            unsigned mark = 7;
            if (x < Layout::limit && y < Layout::limit && cells.test(cell)) {
                mark = board.stones[board.mover].test(cell) ? 1
                       : board.stones[other].test(cell)     ? 2
                                                            : 0;
                if (board.legal.test(cell)) mark |= 16U;
                if (others.test(cell)) mark |= 32U;
            }
            bytes.push_back(static_cast<std::uint8_t>(mark));
        }
    }
}

/// What the terms alone say: the fitted weights, given as if they were others.
template <class Layout>
search::Score terms_of(const Position& position) {
    static TermEvaluator<Layout> evaluator(Evaluate::weights_for(position));
    return evaluator.node(position).evaluate();
}

Bytes record_of(std::uint32_t map, const Position& position) {
    Bytes bytes;
    append(bytes, static_cast<int>(map));
    std::visit(
        [&]<class Layout>(const Board<Layout>& board) {
            bytes.push_back(static_cast<std::uint8_t>(board.empty.count()));
            append_cells(bytes, board);
            append(bytes, std::clamp(terms_of<Layout>(position), -30'000, 30'000));
        },
        position.board());
    return bytes;
}

struct Kept {
    Bytes bytes;
    Seat mover;
    std::uint8_t chance;
};

void replay(const map_network::Game& game, const std::vector<std::string>& maps, Random& random,
            unsigned one_in, std::FILE* out) {
    Position position = Position::parse(maps.at(game.map), {});
    std::vector<Kept> all;
    for (std::size_t ply = 0; ply < game.turns.size(); ++ply) {
        const auto& turn = game.turns[ply];
        if (ply >= game.opening && random.below(one_in) == 0)
            all.push_back({record_of(game.map, position), position.to_move(), turn.chance});
        position.play(Move{static_cast<std::uint8_t>(turn.cell % map_network::side),
                           static_cast<std::uint8_t>(turn.cell / map_network::side)});
    }
    const Outcome outcome = *position.outcome();
    for (Kept& kept : all) {
        const int lead = outcome.ranks[kept.mover ^ 1U] - outcome.ranks[kept.mover];
        kept.bytes.push_back(static_cast<std::uint8_t>(1 + (lead > 0) - (lead < 0)));
        kept.bytes.push_back(kept.chance);
        std::fwrite(kept.bytes.data(), 1, kept.bytes.size(), out);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    const auto maps = lines_of(argv[1]);
    std::FILE* out = std::fopen(argv[2], "wb");
    Random random(7);
    for (int at = 4; at < argc; ++at) {
        std::FILE* in = std::fopen(argv[at], "rb");
        while (const auto game = map_network::read(in))
            replay(*game, maps, random, static_cast<unsigned>(std::atoi(argv[3])), out);
        std::fclose(in);
    }
    std::fclose(out);
}
