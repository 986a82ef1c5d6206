/// @file
/// Every vector type against its portable twin, bit by bit, on random numbers. Built once for each
/// instruction set; exits with the number of failures.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdio>

#include "core/random.hpp"
#include "core/simd.hpp"

using namespace spielleiter;

namespace {

int failures = 0;

void check(bool holds, const char* what) {
    if (holds) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

template <class T>
bool same_bits(const T& a, const T& b) {
    using Bytes = std::array<std::byte, sizeof(T)>;
    return std::bit_cast<Bytes>(a) == std::bit_cast<Bytes>(b);
}

Random& lots() {
    static Random random(1);
    return random;
}

/// Any short but the smallest, which no weight is.
std::int16_t any_short() { return static_cast<std::int16_t>(lots().below(65535) + 32769U); }

std::array<std::int16_t, 16> some_shorts() {
    std::array<std::int16_t, 16> made;
    for (auto& each : made) each = any_short();
    return made;
}

std::array<float, 8> some_floats() {
    std::array<float, 8> made;
    for (auto& each : made) each = static_cast<float>(any_short()) / 1024.0F;
    made[lots().below(8)] = -0.0F;
    return made;
}

template <class Floats>
std::array<float, 8> float_results(const std::array<std::array<float, 8>, 3>& given) {
    Floats sum = Floats::load(given[0].data());
    sum.add_product(Floats::load(given[1].data()), Floats::load(given[2].data()));
    sum.add(Floats::all(given[1][3]));
    sum.cut_below_zero();
    std::array<float, 8> out;
    sum.store(out.data());
    return out;
}

template <class Shorts>
std::array<std::int16_t, 16> short_results(const std::array<std::array<std::int16_t, 16>, 3>& in) {
    Shorts sum = Shorts::load(in[0].data());
    sum.add_part_of_product(Shorts::load(in[1].data()), Shorts::pairs(in[2].data()));
    sum.add(Shorts::all(in[2][5]));
    std::array<std::int16_t, 16> out;
    if (in[0][0] > 0) sum.cut_below_zero();
    sum.store(out.data());
    return out;
}

template <class Shorts, class Ints>
std::array<std::int32_t, 8> int_results(const std::array<std::array<std::int16_t, 16>, 3>& in) {
    std::array<std::int32_t, 8> out;
    for (std::size_t at = 0; at < out.size(); ++at) out[at] = in[0][at] * 3;
    Ints sum = Ints::load(out.data());
    sum.add_products(Shorts::load(in[1].data()), Shorts::load(in[2].data()));
    sum.store(out.data());
    return out;
}

template <class Shorts, class ShortSums>
std::array<std::int32_t, 16> sum_results(const std::array<std::array<std::int16_t, 16>, 3>& in) {
    ShortSums sums;
    for (const auto& row : in) {
        Shorts shorts = Shorts::load(row.data());
        shorts.cut_below_zero();
        sums.add(shorts);
    }
    std::array<std::int32_t, 16> out;
    sums.store(out.data());
    return out;
}

/// Small numbers, as a network has them: their sum fits.
template <class Shorts, class Ints>
std::int32_t byte_results(const std::array<std::int8_t, 16>& bytes, std::int16_t factor) {
    Ints sum{};
    sum.add_products(Shorts::load(bytes.data()), Shorts::all(factor));
    return sum.sum();
}

/// All bits that shifts by rows may leave or lose are masked off: the first and last two columns.
Bits<4> inner(const Bits<4>& set) {
    constexpr std::uint64_t mask = 0x3ffc'3ffc'3ffc'3ffcULL;
    return set & Bits<4>{{mask, mask, mask, mask}};
}

template <class Words>
std::array<Bits<4>, 14> word_results(const Bits<4>& first, const Bits<4>& second) {
    const Words a(first);
    const Words b(second);
    Words all = a;
    all |= b;
    Words both = a;
    both &= b;
    return {all.set(),
            both.set(),
            without(a, b).set(),
            a.lowest().set(),
            a.lowest().below().set(),
            (a & Words(0, ~0ULL, 0, ~0ULL)).where_empty().set(),
            a.template left<1, 7, 8, 9>().set(),
            a.template right<1, 7, 8, 9>().set(),
            (a.template up<17>() | a.template up<130>()).set(),
            (a.template down<17>() | a.template down<130>()).set(),
            inner(Words(inner(first)).template rows_up<2, -1>().set()),
            inner(Words(inner(first)).template rows_up<8, 1>().set()),
            inner(Words(inner(first)).template rows_down<3, 2>().set()),
            Bits<4>{{a.merged(), Words::each(7).merged(), 0, 0}}};
}

void floats_agree() {
    const std::array given{some_floats(), some_floats(), some_floats()};
    check(
        same_bits(float_results<simd::Floats>(given), float_results<simd::portable::Floats>(given)),
        "floats");
}

void shorts_agree() {
    using namespace simd;
    const std::array given{some_shorts(), some_shorts(), some_shorts()};
    check(same_bits(short_results<Shorts>(given), short_results<portable::Shorts>(given)),
          "shorts");
    check(same_bits(int_results<Shorts, Ints>(given),
                    int_results<portable::Shorts, portable::Ints>(given)),
          "sums of products");
    check(same_bits(sum_results<Shorts, ShortSums>(given),
                    sum_results<portable::Shorts, portable::ShortSums>(given)),
          "sums of shorts");
    std::array<std::int8_t, 16> bytes;
    for (auto& byte : bytes) byte = static_cast<std::int8_t>(lots().below(256));
    check(byte_results<Shorts, Ints>(bytes, given[0][0]) ==
              byte_results<portable::Shorts, portable::Ints>(bytes, given[0][0]),
          "sums of bytes");
}

void words_agree() {
    Bits<4> a{{lots().next(), lots().next(), lots().next(), lots().next()}};
    const Bits<4> b{{lots().next(), lots().next(), lots().next(), lots().next()}};
    a.words[lots().below(4)] = 0;
    check(same_bits(word_results<simd::Words>(a, b), word_results<simd::portable::Words>(a, b)),
          "words");
}

void masks_agree() {
    std::array<std::uint32_t, 64> words{};
    for (auto& word : words) word = lots().below(2) == 0 ? 0 : lots().below(~0U);
    check(simd::nonzero(words) == simd::portable::nonzero(words), "masks");
}

template <std::size_t Stride>
void bytes_agree() {
    std::array<std::uint8_t, simd::bytes_written<Stride> + 1> found;
    found.fill(7);  // none of it may stay but the last
    auto wanted = found;
    const simd::Word bits = lots().next();
    simd::write_as_bytes<Stride>(bits, found.data());
    simd::portable::write_as_bytes<Stride>(bits, wanted.data());
    check(found == wanted, "bytes of bits");
}

void shorts_of_bytes_agree() {
    std::array<std::uint16_t, 8> found{};
    std::array<std::uint16_t, 8> wanted{};
    const simd::Word bytes = lots().next();
    simd::write_as_shorts(bytes, found.data());
    simd::portable::write_as_shorts(bytes, wanted.data());
    check(found == wanted, "shorts of bytes");
}

}  // namespace

int main() {
    for (int time = 0; time < 20'000 && failures < 10; ++time) {
        floats_agree();
        shorts_agree();
        words_agree();
        masks_agree();
        bytes_agree<8>();
        bytes_agree<15>();
        shorts_of_bytes_agree();
    }
    std::printf("%d failures\n", failures);
    return failures;
}
