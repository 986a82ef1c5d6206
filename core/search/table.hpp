/// @file
/// The transposition table: what search already knows of a position.
///
/// Four entries share a cache line. A new result takes the place of the same position, else of the
/// entry that is worth least: shallow, or left over from an earlier search. Threads read and write
/// without locks: the key is stored xored with the data, so a torn entry matches no position.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "large.hpp"
#include "prefetch.hpp"
#include "score.hpp"

namespace spielleiter::search {

enum class Bound : std::uint8_t { none, upper, lower, exact };

/// What is known of a position.
struct Known {
    std::uint32_t move = 0;  ///< code of the best move; without meaning for an upper bound
    Score score = 0;
    Score estimate = 0;
    int depth = 0;
    Bound bound = Bound::none;

    bool operator==(const Known&) const = default;
};

class Table {
  public:
    explicit Table(std::size_t megabytes)
        : clusters_(
              std::bit_floor((std::max<std::size_t>(1, megabytes) << 20U) / sizeof(Cluster))) {}

    void clear() {
        // As a block: no thread reads while a table is cleared, and one store at a time takes long.
        std::memset(static_cast<void*>(clusters_.begin()), 0, clusters_.size() * sizeof(Cluster));
        age_ = 0;
    }

    /// A new search begins: what is in the table stays useful, but gives way more easily.
    void grow_older() { age_ = (age_ + 1) % ages; }

    void prefetch(std::uint64_t key) const { search::prefetch(&cluster(key)); }

    std::optional<Known> find(std::uint64_t key) const {
        for (const Entry& entry : cluster(key).entries) {
            const std::uint64_t data = entry.data.load(std::memory_order_relaxed);
            if ((entry.check.load(std::memory_order_relaxed) ^ data) == key && data != 0) {
                return unpacked(data);
            }
        }
        return std::nullopt;
    }

    void put(std::uint64_t key, const Known& known) {
        Entry* place = nullptr;
        int least = 1 << 20;
        for (Entry& entry : cluster(key).entries) {
            const std::uint64_t data = entry.data.load(std::memory_order_relaxed);
            const bool same = (entry.check.load(std::memory_order_relaxed) ^ data) == key;
            const int value = same ? -(1 << 20) : worth(data);
            if (value < least) least = value, place = &entry;
        }
        place->put(key, packed(known));
    }

    /// Share of a sample of entries written by the present search, in thousandths.
    int fill() const {
        const std::size_t sample = std::min<std::size_t>(clusters_.size(), 250);
        int used = 0;
        for (std::size_t at = 0; at < sample; ++at) {
            for (const Entry& entry : clusters_[at].entries) {
                const auto data = entry.data.load(std::memory_order_relaxed);
                used += data != 0 && age_of(data) == age_;
            }
        }
        return static_cast<int>(static_cast<std::size_t>(used) * 1000 / (sample * width));
    }

    std::size_t entries() const { return clusters_.size() * width; }

  private:
    static constexpr std::size_t width = 4;
    static constexpr unsigned ages = 64;

    struct Entry {
        std::atomic<std::uint64_t> check = 0;
        std::atomic<std::uint64_t> data = 0;

        void put(std::uint64_t key, std::uint64_t value) {
            check.store(key ^ value, std::memory_order_relaxed);
            data.store(value, std::memory_order_relaxed);
        }
    };
    struct alignas(64) Cluster {
        std::array<Entry, width> entries;
    };

    // 16 bits move, 16 score, 16 estimate, 8 depth, 2 bound, 6 age; the depth is stored plus one,
    // so that no entry is zero.
    std::uint64_t packed(const Known& known) const {
        const auto word = [](Score score) {
            return std::uint64_t{static_cast<std::uint16_t>(score)};
        };
        return (known.move & 0xffffU) | word(known.score) << 16U | word(known.estimate) << 32U |
               static_cast<std::uint64_t>(known.depth + 1) << 48U |
               static_cast<std::uint64_t>(known.bound) << 56U | std::uint64_t{age_} << 58U;
    }
    static Known unpacked(std::uint64_t data) {
        const auto score = [](std::uint64_t word) { return static_cast<std::int16_t>(word); };
        return {static_cast<std::uint32_t>(data & 0xffffU), score(data >> 16U), score(data >> 32U),
                static_cast<int>(data >> 48U & 0xffU) - 1, static_cast<Bound>(data >> 56U & 3U)};
    }
    static unsigned age_of(std::uint64_t data) { return static_cast<unsigned>(data >> 58U); }

    int worth(std::uint64_t data) const {
        if (data == 0) return -1000;
        const int older = static_cast<int>((ages + age_ - age_of(data)) % ages);
        return static_cast<int>(data >> 48U & 0xffU) - 4 * older;
    }

    Cluster& cluster(std::uint64_t key) { return clusters_[key & (clusters_.size() - 1)]; }
    const Cluster& cluster(std::uint64_t key) const {
        return clusters_[key & (clusters_.size() - 1)];
    }

    LargeArray<Cluster> clusters_;
    unsigned age_ = 0;
};

}  // namespace spielleiter::search
