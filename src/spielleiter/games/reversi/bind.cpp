#include <utility>
#include <vector>

#include "core/search/bind.hpp"
#include "evaluate.hpp"
#include "position.hpp"

namespace {

/// Pattern tables as they are shipped: words of 16 bits, the lower byte first, each stage as its
/// difference to the one before.
void load_patterns(const nanobind::bytes& data) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(data.c_str());
    std::vector<std::int16_t> weights;
    weights.reserve(data.size() / 2);
    for (std::size_t at = 0; at + 1 < data.size(); at += 2)
        weights.push_back(static_cast<std::int16_t>(bytes[at] | bytes[at + 1] << 8U));
    try {
        using spielleiter::reversi::Patterns;
        Patterns::load(Patterns::unpacked(std::move(weights)));
    } catch (const spielleiter::UsageError& error) {
        spielleiter::binding::raise("UsageError", error.what());
    }
}

}  // namespace

NB_MODULE(SPIELLEITER_MODULE, module) {
    using namespace spielleiter;
    bind_game<reversi::Position, reversi::Evaluate>(module);
    module.def("load_patterns", &load_patterns, nanobind::arg("data"),
               "The tables by which duels on the common board are judged from now on.");
    const auto shipped = nanobind::module_::import_("spielleiter.games.reversi.patterns");
    load_patterns(nanobind::cast<nanobind::bytes>(shipped.attr("data")("patterns")));
}
