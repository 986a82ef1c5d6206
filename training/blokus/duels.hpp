/// @file
/// Games between settings of the tree search, as `match.cpp` and `settings.cpp` play them.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/search/mcts_engine.hpp"
#include "src/spielleiter/games/blokus/evaluate.hpp"
#include "weights.hpp"

namespace spielleiter::blokus {

/// How a tree grows and what it knows, from a list such as `forecast_weight=0.5,net=weights.bin`.
struct Settings {
    search::MctsTuning tuning = Evaluate::tuning();
    std::shared_ptr<PolicyNetwork> net;
    std::shared_ptr<ForecastNetwork> forecast;

    explicit Settings(const std::string& text) {
        std::stringstream list(text);
        for (std::string word; std::getline(list, word, ',');) {
            const std::size_t equals = word.find('=');
            if (equals == std::string::npos) continue;
            set(word.substr(0, equals), word.substr(equals + 1));
        }
    }
    Evaluate policy() const {
        return Evaluate(net ? *net : PolicyNetwork::trained(),
                        forecast ? *forecast : ForecastNetwork::trained());
    }

  private:
    void set(const std::string& name, const std::string& value) {
        if (name == "net") {
            net = std::make_shared<PolicyNetwork>(read_weights(value));
        } else if (name == "forecast") {
            forecast = std::make_shared<ForecastNetwork>(read_weights(value));
        } else if (!tuning.set(name, std::stof(value))) {
            throw UsageError("a tree has no " + name);
        }
    }
};

/// `0.2s` or `2000` simulations a move.
inline search::Limits budget(const std::string& text) {
    search::Limits limits;
    if (text.back() == 's') {
        limits.time = std::stod(text);
    } else {
        limits.simulations = std::stoull(text);
    }
    return limits;
}

/// What a player has used.
struct Effort {
    std::atomic<std::uint64_t> simulations = 0;
    std::atomic<double> seconds = 0;
};

/// A player and what it uses.
struct Player {
    const Settings& settings;
    Effort& effort;
};

/// Plays a game to its end; by how many points the first seat leads then.
inline int play(Position position, const std::array<Player, 2>& players,
                const search::Limits& limits, std::uint64_t seed) {
    using Engine = search::MctsEngine<Evaluate>;
    std::vector<std::unique_ptr<Engine>> engines;
    for (const auto& [settings, effort] : players)
        engines.push_back(
            std::make_unique<Engine>(256, 1, ++seed, settings.tuning, settings.policy()));
    while (!position.is_over()) {
        Engine& engine = *engines[position.to_move()];
        Effort& effort = players[position.to_move()].effort;
        engine.begin(position, limits);
        while (engine.step()) {
        }
        effort.simulations += engine.report().nodes;
        effort.seconds += engine.report().seconds;
        position.play(engine.report().best());
    }
    const auto scores = position.scores();
    return scores[0] - scores[1];
}

/// Four random moves by the rules of either edition.
inline Position opening(Random& random) {
    Rules rules;
    rules.corners = random.below(2) == 0;
    Position position = Position::start(random.next(), "", rules);
    for (int ply = 0; ply < 4; ++ply)
        if (const auto move = position.random_move(random)) position.play(*move);
    return position;
}

}  // namespace spielleiter::blokus
