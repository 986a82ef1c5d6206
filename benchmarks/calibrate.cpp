/// @file
/// The yardstick C of all speed tables: iterations per second of one dependent xorshift64* chain,
/// by process CPU time. Ratios to it are stable where absolute figures are not.
#include <cstdint>
#include <cstdio>
#include <ctime>

int main() {
    constexpr std::uint64_t iterations = 200'000'000;
    std::uint64_t x = 88172645463325252ULL;
    std::uint64_t sum = 0;
    const std::clock_t begin = std::clock();
    for (std::uint64_t i = 0; i < iterations; ++i) {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        x *= 2685821657736338717ULL;
        sum ^= x;
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("%.0f %llu\n", static_cast<double>(iterations) / seconds,
                static_cast<unsigned long long>(sum));
}
