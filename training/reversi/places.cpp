// Writes as JSON how the patterns lie on the board, for fit.py: cells and powers of each place, the
// start of its table, and for every index the column of what is shipped.
#include <cstdio>

#include "src/spielleiter/games/reversi/patterns.hpp"

using namespace spielleiter::reversi;

namespace {

template <class Value>
void row(const char* name, const Value& value, std::size_t count, const char* end) {
    std::printf("\"%s\": [", name);
    for (std::size_t at = 0; at < count; ++at) std::printf("%s%ld", at ? ", " : "", value(at));
    std::printf("]%s", end);
}

template <class Value>
void rows(const char* name, const Value& value) {
    std::printf("\"%s\": [", name);
    for (std::size_t at = 0; at < Places::count; ++at) {
        std::printf("%s[", at ? ", " : "");
        for (std::size_t k = 0; k < 10; ++k) std::printf("%s%ld", k ? ", " : "", value(at, k));
        std::printf("]");
    }
    std::printf("],\n");
}

}  // namespace

int main() {
    const Places& all = Places::all();
    const std::vector<std::uint32_t> columns = Places::columns_of_indices();
    std::printf("{\n");
    rows("places", [&](std::size_t at, std::size_t k) -> long {
        return k < all.places[at].size ? all.places[at].cells[k] : 64;
    });
    rows("powers", [&](std::size_t at, std::size_t k) -> long {
        long power = 1;
        for (std::size_t n = 0; n < k; ++n) power *= 3;
        return k < all.places[at].size ? power : 0;
    });
    row(
        "starts",
        [&](std::size_t at) -> long {
            return static_cast<long>(all.offsets[all.places[at].family]);
        },
        Places::count, ",\n");
    row(
        "columns", [&](std::size_t at) -> long { return static_cast<long>(columns[at]); },
        all.indices, ",\n");
    std::printf("\"count\": %zu\n}\n", Patterns::columns);
}
