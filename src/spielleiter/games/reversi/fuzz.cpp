#include "core/fuzz.hpp"

#include "position.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static constexpr std::array<std::string_view, 1> editions{"reversi"};
    // A player to move who cannot is also accepted: the text then means the next one who can.
    return spielleiter::fuzzing::one_input<spielleiter::reversi::Position>(
        editions, data, size, spielleiter::fuzzing::Texts::several);
}
