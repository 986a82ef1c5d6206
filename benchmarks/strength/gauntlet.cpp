// Our engine against many kinds of opponents on many maps: how often it wins, and how often it
// loses all its stones.
//
//     gauntlet MAPS OUT --nodes 20000 [--others stones2,good,…] [--theirs 5000] [--openings 0,4]
//              [--patterns FILE] [--network FILE] [--style S] [--weights 250,…]
//              [--rival 250,… [--rival-nodes 27000]]
//              [--seed 1] [--from 0] [--step 1] [--games 1000]
//              [--until 280]
//
// MAPS has a position to begin with in each line. Game k is played on map k; the opponents, our
// seat and the number of random plies to begin with rotate with other periods, so that any number
// of games is spread over all of them. The others of course.hpp search --theirs nodes a move.
// Everything drawn depends on the seed and k alone: several processes can share a run (--from,
// --step), and another build of the engine meets the same games. No game begins after --until
// seconds. The opponent `engine` is our engine with the weights of --rival, so that two sets of
// weights can be compared, with the same nodes unless --rival-nodes are given. Patterns are those
// of 8 × 8, the network is that of all other maps: the files of the package after zlib has
// unpacked them. Without them, and with weights that are given, terms judge alone.
//
// A line of OUT is a game: its number, the map, the seats, our seat, the random plies, the others,
// our rank, how many share it, our stones, those of all, and how many plies were played. The last
// line on the output is the sum in JSON.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "course.hpp"
#include "course_move.hpp"
#include "schedule.hpp"
#include "simple.hpp"
#include "src/spielleiter/games/reversi/evaluate.hpp"

using namespace spielleiter;
using reversi::Position;

namespace {

using Words = std::map<std::string, std::string>;

constexpr const char* all_others =
    "random,greedy,stones2,stones3,stones4,stones5,stones6,mobility1,mobility2,mobility3,plain,"
    "good,squares,reply,selfish";

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
    return parts;
}

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

std::vector<std::int16_t> numbers(const std::string& text) {
    std::vector<std::int16_t> found;
    for (const auto& number : split(text, ','))
        found.push_back(static_cast<std::int16_t>(std::stoi(number)));
    return found;
}

/// Words of 16 bits, the lower byte first.
std::vector<std::int16_t> words_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    std::vector<std::int16_t> words(bytes.size() / 2);
    for (std::size_t at = 0; at < words.size(); ++at)
        words[at] = static_cast<std::int16_t>(static_cast<std::uint8_t>(bytes[2 * at]) |
                                              static_cast<std::uint8_t>(bytes[2 * at + 1]) << 8);
    return words;
}

/// Anybody who plays.
class Player {
  public:
    virtual ~Player() = default;
    virtual void forget() {}
    virtual reversi::Move choose(const Position& position, Random& random) = 0;
};

/// The engine, with the weights that an option gives.
class Ours : public Player {
  public:
    Ours(const Words& words, const std::string& weights, const std::string& nodes) {
        search::EngineOptions options;
        options.megabytes = 16;
        if (words.contains("style")) options.style = words.at("style");
        if (words.contains(weights)) options.weights = numbers(words.at(weights));
        engine_ = std::make_unique<reversi::Engine>(options);
        limits_.nodes = std::stoull(words.at(words.contains(nodes) ? nodes : "nodes"));
    }
    void forget() override { engine_->forget(); }
    reversi::Move choose(const Position& position, Random&) override {
        engine_->begin(position, limits_, 1, {});
        while (engine_->step()) {
        }
        return engine_->report().best();
    }

  private:
    std::unique_ptr<reversi::Engine> engine_;
    search::Limits limits_;
};

class Simple : public Player {
  public:
    explicit Simple(simple::Kind kind) : player_(kind) {}
    reversi::Move choose(const Position& position, Random& random) override {
        return player_.choose(position, random);
    }

  private:
    simple::Player player_;
};

class Student : public Player {
  public:
    Student(course::Kind kind, long nodes) : player_(kind) { budget_.nodes = nodes; }
    reversi::Move choose(const Position& position, Random&) override {
        return course::move_of(player_, position, budget_);
    }

  private:
    course::Player player_;
    course::Budget budget_;
};

std::unique_ptr<Player> opponent(const std::string& name, const Words& words) {
    const long nodes = std::stol(words.at("theirs"));
    if (name == "engine") return std::make_unique<Ours>(words, "rival", "rival-nodes");
    if (const auto kind = simple::Kind::named(name)) return std::make_unique<Simple>(*kind);
    if (const auto kind = course::Kind::named(name)) return std::make_unique<Student>(*kind, nodes);
    throw UsageError("no opponent " + name);
}

struct Game {
    std::uint64_t number;
    std::size_t map;
    std::size_t seat;
    int opening;
    std::vector<std::size_t> others;  ///< by seat; ours counts for nothing
};

struct Sum {
    int games = 0;
    double points = 0;  ///< a shared first rank is divided
    int wiped_out = 0;

    void add(double point, bool wiped) { ++games, points += point, wiped_out += wiped; }
    std::string json() const {
        std::array<char, 120> text{};
        std::snprintf(text.data(), text.size(),
                      R"({"games": %d, "points": %.1f, "share": %.4f, "wiped_out": %d})", games,
                      points, points / std::max(1, games), wiped_out);
        return text.data();
    }
};

class Gauntlet {
  public:
    Gauntlet(const Words& words, std::vector<std::string> maps)
        : seed_(std::stoull(words.at("seed"))),
          maps_(std::move(maps)),
          names_(split(words.at("others"), ',')),
          ours_(words, "weights", "nodes") {
        for (const auto& plies : split(words.at("openings"), ','))
            openings_.push_back(std::stoi(plies));
        for (const auto& name : names_) others_.push_back(opponent(name, words));
    }

    void play(std::uint64_t number, std::FILE* out) {
        Random random(mix(mix(seed_) + number));
        Position position = Position::parse(maps_[number % maps_.size()], {});
        const Game game = drawn(number, position.seats(), random);
        for (int ply = 0; ply < game.opening; ++ply) {
            if (const auto move = position.random_move(random)) position.play(*move);
        }
        if (position.is_over() || lost_all(position, game.seat)) return;
        int plies = game.opening;
        ours_.forget();
        for (const auto& other : others_) other->forget();
        for (; !position.is_over(); ++plies) position.play(choose(position, game, random));
        note(game, position, plies, out);
    }

    void tell() const {
        std::printf("{\"all\": %s", all_.json().c_str());
        for (const auto& [name, sum] : by_other_)
            std::printf(", \"%s\": %s", name.c_str(), sum.json().c_str());
        std::printf("}\n");
    }

  private:
    /// Whoever has no stone left never comes back.
    static bool lost_all(const Position& position, std::size_t seat) {
        return std::visit([&](const auto& board) { return board.stones[seat].none(); },
                          position.board());
    }

    Game drawn(std::uint64_t number, std::size_t seats, Random& random) const {
        const std::uint64_t lap = number / maps_.size();
        Game game{number, number % maps_.size(), schedule::seat_in(number, maps_.size(), seats),
                  openings_[lap / seats % openings_.size()], std::vector<std::size_t>(seats)};
        for (auto& other : game.others)
            other = random.below(static_cast<std::uint32_t>(others_.size()));
        return game;
    }
    reversi::Move choose(const Position& position, const Game& game, Random& random) {
        const Seat mover = position.to_move();
        if (mover == game.seat) return ours_.choose(position, random);
        return others_[game.others[mover]]->choose(position, random);
    }

    void note(const Game& game, const Position& position, int plies, std::FILE* out) {
        const std::optional<Outcome> ended = position.outcome();
        if (!ended) throw std::logic_error("a game is noted before its end");
        const Outcome& outcome = *ended;
        const std::size_t seats = position.seats();
        const auto first = std::count(outcome.ranks.begin(), outcome.ranks.begin() + seats, 1);
        const bool won = outcome.ranks[game.seat] == 1;
        const bool wiped = lost_all(position, game.seat);
        std::string others;
        std::string stones;
        for (std::size_t seat = 0; seat < seats; ++seat) {
            others +=
                (seat == 0 ? "" : ",") + (seat == game.seat ? "-" : names_[game.others[seat]]);
            stones +=
                (seat == 0 ? "" : ",") + std::to_string(static_cast<int>(outcome.scores[seat]));
        }
        const double point = won ? 1.0 / static_cast<double>(first) : 0.0;
        all_.add(point, wiped);
        for (std::size_t seat = 0; seat < seats; ++seat) {
            if (seat != game.seat) by_other_[names_[game.others[seat]]].add(point, wiped);
        }
        std::fprintf(out, "%llu %zu %zu %zu %d %s %d %d %d %s %d\n",
                     static_cast<unsigned long long>(game.number), game.map, seats, game.seat,
                     game.opening, others.c_str(), static_cast<int>(outcome.ranks[game.seat]),
                     static_cast<int>(first), static_cast<int>(outcome.scores[game.seat]),
                     stones.c_str(), plies);
        std::fflush(out);
    }

    std::uint64_t seed_;
    std::vector<std::string> maps_;
    std::vector<std::string> names_;
    std::vector<int> openings_;
    std::vector<std::unique_ptr<Player>> others_;
    Ours ours_;
    Sum all_;
    std::map<std::string, Sum> by_other_;
};

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3 || argc % 2 == 0) return 2;
    Words words{{"nodes", "20000"},  {"theirs", "5000"}, {"others", all_others},
                {"openings", "0,4"}, {"seed", "1"},      {"from", "0"},
                {"step", "1"},       {"games", "1000"},  {"until", "1e9"}};
    for (int at = 3; at + 1 < argc; at += 2) words[std::string(argv[at]).substr(2)] = argv[at + 1];
    if (words.contains("patterns"))
        reversi::Patterns::load(reversi::Patterns::unpacked(words_of(words.at("patterns"))));
    if (words.contains("network")) reversi::MapNetworkWeights::load(words_of(words.at("network")));
    std::FILE* out = std::fopen(argv[2], "w");
    if (out == nullptr) return 2;
    Gauntlet gauntlet(words, lines_of(argv[1]));
    const search::Stop clock{search::Limits{}};
    const std::uint64_t step = std::stoull(words.at("step"));
    for (std::uint64_t number = std::stoull(words.at("from"));
         number < std::stoull(words.at("games")) && clock.seconds() < std::stod(words.at("until"));
         number += step)
        gauntlet.play(number, out);
    std::fclose(out);
    gauntlet.tell();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
