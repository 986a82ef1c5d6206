#include "core/fuzz.hpp"

#include "position.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static constexpr std::array<std::string_view, 2> editions{"blokus-2021", "blokus-2027"};
    return spielleiter::fuzzing::one_input<spielleiter::blokus::Position>(editions, data, size);
}
