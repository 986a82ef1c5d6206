// What every position of recorded games shows, and who was first in the end.
//
//     features MAPS OUT GAMES…
//
// A record of OUT is a row of 32-bit floats: how full the map is, every feature of
// `win_probability.hpp` for all players in the order of their turns, and for each of them its part
// of the first rank. The random moves that games begin with are left out.
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "src/spielleiter/games/reversi/position.hpp"
#include "src/spielleiter/games/reversi/win_probability.hpp"

using namespace spielleiter;
using namespace spielleiter::reversi;

namespace {

struct Record {
    std::vector<float> row;
    std::array<Seat, max_seats> order{};
    std::size_t players = 0;
};

template <class Layout>
Record seen(const Board<Layout>& board) {
    static MapGeometry<Layout> geometry;
    static std::unique_ptr<WinProbability<Layout>> probability;
    const auto cells = board.empty | board.occupied;
    if (probability == nullptr || !(cells == geometry.cells())) {
        geometry = MapGeometry<Layout>(cells);
        probability = std::make_unique<WinProbability<Layout>>(geometry, board.seats);
    }
    Record record;
    record.players = WinProbability<Layout>::order(board, record.order);
    const Features features =
        probability->features_of(board, {record.order.data(), record.players});
    const auto count = static_cast<float>(geometry.count());
    record.row.push_back(1.0F - static_cast<float>(board.empty.count()) / count);
    for (const Turns& feature : features)
        record.row.insert(record.row.end(), feature.begin(), feature.begin() + record.players);
    return record;
}

void write(Record& record, const Outcome& outcome, std::FILE* out) {
    int first = 0;
    for (std::size_t seat = 0; seat < outcome.seats; ++seat) first += outcome.ranks[seat] == 1;
    for (std::size_t turn = 0; turn < record.players; ++turn)
        record.row.push_back(
            outcome.ranks[record.order[turn]] == 1 ? 1.0F / static_cast<float>(first) : 0.0F);
    std::fwrite(record.row.data(), sizeof(float), record.row.size(), out);
}

/// A line that was cut off before its game was over is left out.
void replay(const std::string& line, const std::vector<std::string>& maps, std::FILE* out) {
    std::istringstream words(line);
    std::size_t map = 0;
    int opening = 0;
    words >> map >> opening;
    Position position = Position::parse(maps.at(map), {});
    std::vector<Record> records;
    for (std::string word; words >> word; --opening) {
        if (opening <= 0)
            records.push_back(
                std::visit([](const auto& board) { return seen(board); }, position.board()));
        const Move move = Position::parse_move(word);
        if (position.why_illegal(move)) return;
        position.play(move);
    }
    if (!position.is_over()) return;
    for (Record& record : records) write(record, *position.outcome(), out);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    std::vector<std::string> maps;
    std::ifstream list(argv[1]);
    for (std::string line; std::getline(list, line);) maps.push_back(line);
    std::FILE* out = std::fopen(argv[2], "wb");
    for (int at = 3; at < argc; ++at) {
        std::ifstream games(argv[at]);
        for (std::string line; std::getline(games, line);) replay(line, maps, out);
    }
    std::fclose(out);
}
