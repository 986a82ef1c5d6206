#include "core/fuzz.hpp"

#include "position.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static constexpr std::array<std::string_view, 3> editions{"piranhas-2019-draft",
                                                              "piranhas-2019", "piranhas-2026"};
    return spielleiter::fuzzing::one_input<spielleiter::piranhas::Position>(editions, data, size);
}
