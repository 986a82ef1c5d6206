#include "core/fuzz.hpp"

#include "position.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static constexpr std::array<std::string_view, 1> editions{"nim"};
    return spielleiter::fuzzing::one_input<spielleiter::nim::Position>(editions, data, size);
}
