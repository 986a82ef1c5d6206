#include "core/search/bind.hpp"
#include "evaluate.hpp"

NB_MODULE(SPIELLEITER_MODULE, module) {
    using namespace spielleiter;
    bind_game<blokus::Position, blokus::Evaluate>(module);
    module.def(
        "policy",
        [](const blokus::Position& position) {
            if (is_over(position)) return std::vector<float>{};
            return blokus::Evaluate().chances(position);
        },
        "position"_a,
        "The chance that each of the legal moves is the best one, without search; in their order.");
    module.def(
        "policy_weights", [] { return blokus::Net::trained().weights(); },
        "The numbers of the network behind `policy`, in the order of `Net::Parameters`.");
    module.def(
        "forecast",
        [](const blokus::Position& position) {
            const auto [chance, lead] = blokus::Forecast::trained().end(blokus::Prospect(position));
            return std::vector<float>{chance, lead};
        },
        "position"_a,
        "How the game will end for the seat on turn, without search: its chance to win, and its "
        "lead in points.");
    module.def(
        "forecast_weights", [] { return blokus::Forecast::trained().weights(); },
        "The numbers of the network behind `forecast`, in the order of `Forecast::Parameters`.");
    module.def(
        "solve",
        [](const blokus::Position& position, std::uint64_t nodes) {
            return binding::outside([&, here = position] {
                search::Stop stop(search::Limits{}, binding::user_interrupts);
                return blokus::Endgame().lead(here, nodes, stop);
            });
        },
        "position"_a, "nodes"_a = 1'000'000,
        "By how many points the seat on turn will lead if both play their best; nothing if so many "
        "nodes do not tell.");
}
