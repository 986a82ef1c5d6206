#include "network.hpp"

namespace spielleiter::piranhas {

Network::Network(const NetworkWeights& file) : file_(&file) {
    for (std::size_t ply = 0; ply < out_.size(); ++ply) {
        const auto& knots_of = file.out[ply & 1U];
        const Phase phase = phases[ply];
        for (std::size_t at = 0; at < 2 * hidden; ++at) {
            const int before = knots_of[phase.knot][at];
            const int after = knots_of[phase.knot + 1][at];
            out_[ply][at] = static_cast<std::int16_t>(
                (before * (full_share - phase.share) + after * phase.share) / full_share);
        }
    }
}

/// The programs in training/piranhas/ write these files; each says from which games it was fitted.
const Network& fitted_network(Rules rules) {
    static constexpr NetworkWeights weighing_file{
#include "weights/network-2026.inc"
    };
    static constexpr NetworkWeights counting_file{
#include "weights/network-2019.inc"
    };
    static const Network weighing(weighing_file);
    static const Network counting(counting_file);
    return rules.weighs() ? weighing : counting;
}

}  // namespace spielleiter::piranhas
