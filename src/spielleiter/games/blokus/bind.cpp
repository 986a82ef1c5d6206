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
}
