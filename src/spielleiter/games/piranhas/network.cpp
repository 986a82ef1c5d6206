#include "network.hpp"

namespace spielleiter::piranhas {

Network::Network(const NetworkFile& file) : file_(&file) {
    for (std::size_t ply = 0; ply < out_.size(); ++ply) {
        const auto& knots_of = file.out[ply & 1U];
        const Moment moment = moments[ply];
        for (std::size_t at = 0; at < 2 * hidden; ++at) {
            const int before = knots_of[moment.knot][at];
            const int after = knots_of[moment.knot + 1][at];
            out_[ply][at] = static_cast<std::int16_t>(
                (before * (whole_share - moment.share) + after * moment.share) / whole_share);
        }
    }
}

/// The programs in training/piranhas/ write these files; each says from which games it was fitted.
const Network& fitted_network(Rules rules) {
    static constexpr NetworkFile weighing_file{
#include "weights/network-2026.inc"
    };
    static constexpr NetworkFile counting_file{
#include "weights/network-2019.inc"
    };
    static const Network weighing(weighing_file);
    static const Network counting(counting_file);
    return rules.weighs() ? weighing : counting;
}

}  // namespace spielleiter::piranhas
