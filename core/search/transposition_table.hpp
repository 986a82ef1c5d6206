/// @file
/// The transposition table: what search already knows about a position.
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

#include "large_array.hpp"
#include "prefetch.hpp"
#include "score.hpp"

namespace spielleiter::search {

/// What a stored score says about the true one.
enum class Bound : std::uint8_t {
    none,   ///< nothing is stored
    upper,  ///< it is at most this
    lower,  ///< it is at least this
    exact   ///< it is this
};

/// The bound that a search of a window found.
constexpr Bound bound_of(Score best, Score alpha, Score beta) {
    return best >= beta ? Bound::lower : best > alpha ? Bound::exact : Bound::upper;
}

/// What the table knows about a position.
struct TableEntry {
    std::uint32_t move = 0;     ///< code of the best move; without meaning for an upper bound
    Score score = 0;            ///< counted from the position, see `to_table`
    Score estimate = 0;         ///< the evaluation without search
    int depth = 0;              ///< plies that were searched below the position
    Bound bound = Bound::none;  ///< how to read `score`

    /// The same in every field.
    bool operator==(const TableEntry&) const = default;

    /// Whether the entry makes a search of this depth and window unnecessary. `from_root` is its
    /// score, counted from the root.
    bool settles(int wanted_depth, Score from_root, Score alpha, Score beta) const {
        if (depth < wanted_depth) return false;
        return bound == Bound::exact || (bound == Bound::lower && from_root >= beta) ||
               (bound == Bound::upper && from_root <= alpha);
    }
};

/// A hash table of a fixed size, shared by all threads of a search.
class TranspositionTable {
  public:
    /// Takes the largest power of two of clusters that fits, at least one megabyte.
    explicit TranspositionTable(std::size_t megabytes)
        : clusters_(
              std::bit_floor((std::max<std::size_t>(1, megabytes) << 20U) / sizeof(Cluster))) {}

    /// Forgets everything.
    void clear() {
        // As a block: no thread reads while a table is cleared, and one store at a time takes long.
        std::memset(static_cast<void*>(clusters_.begin()), 0, clusters_.size() * sizeof(Cluster));
        age_ = 0;
    }

    /// A new search begins: older entries stay useful, but are replaced first.
    void new_search() { age_ = (age_ + 1) % ages; }

    /// Loads the memory that `probe` and `store` will need for this key.
    void prefetch(std::uint64_t key) const { search::prefetch(&cluster(key)); }

    /// The entry of a position, if the table still has it.
    std::optional<TableEntry> probe(std::uint64_t key) const {
        for (const Slot& slot : cluster(key).slots) {
            const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
            if ((slot.check.load(std::memory_order_relaxed) ^ data) == key && data != 0) {
                return unpacked(data);
            }
        }
        return std::nullopt;
    }

    /// Keeps a result in the place of the same position, else of the entry that is worth least.
    void store(std::uint64_t key, const TableEntry& entry) {
        Slot* place = nullptr;
        int least = most_worth;
        for (Slot& slot : cluster(key).slots) {
            const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
            const bool same = (slot.check.load(std::memory_order_relaxed) ^ data) == key;
            const int value = same ? -most_worth : worth(data);
            if (value < least) least = value, place = &slot;
        }
        place->write(key, packed(entry));
    }

    /// Share of a sample of entries written by the present search, in thousandths.
    int fill() const {
        const std::size_t sample = std::min<std::size_t>(clusters_.size(), 250);
        int used = 0;
        for (std::size_t at = 0; at < sample; ++at) {
            for (const Slot& slot : clusters_[at].slots) {
                const auto data = slot.data.load(std::memory_order_relaxed);
                used += data != 0 && age_of(data) == age_;
            }
        }
        return static_cast<int>(static_cast<std::size_t>(used) * 1000 / (sample * width));
    }

    /// How many entries there is room for.
    std::size_t entries() const { return clusters_.size() * width; }

  private:
    static constexpr std::size_t width = 4;
    static constexpr unsigned ages = 64;
    static constexpr int most_worth = 1 << 20;  ///< more than any entry is worth
    /// A search ago counts as so much depth less (guessed).
    static constexpr int plies_per_age = 4;

    struct Slot {
        std::atomic<std::uint64_t> check = 0;
        std::atomic<std::uint64_t> data = 0;

        void write(std::uint64_t key, std::uint64_t value) {
            check.store(key ^ value, std::memory_order_relaxed);
            data.store(value, std::memory_order_relaxed);
        }
    };
    struct alignas(64) Cluster {
        std::array<Slot, width> slots;
    };

    // 16 bits move, 16 score, 16 estimate, 8 depth, 2 bound, 6 age; the depth is stored plus one,
    // so that no entry is zero.
    std::uint64_t packed(const TableEntry& entry) const {
        const auto word = [](Score score) {
            return std::uint64_t{static_cast<std::uint16_t>(score)};
        };
        return (entry.move & 0xffffU) | word(entry.score) << 16U | word(entry.estimate) << 32U |
               static_cast<std::uint64_t>(entry.depth + 1) << 48U |
               static_cast<std::uint64_t>(entry.bound) << 56U | std::uint64_t{age_} << 58U;
    }
    static TableEntry unpacked(std::uint64_t data) {
        const auto score = [](std::uint64_t word) { return static_cast<std::int16_t>(word); };
        return {static_cast<std::uint32_t>(data & 0xffffU), score(data >> 16U), score(data >> 32U),
                static_cast<int>(data >> 48U & 0xffU) - 1, static_cast<Bound>(data >> 56U & 3U)};
    }
    static unsigned age_of(std::uint64_t data) { return static_cast<unsigned>(data >> 58U); }

    int worth(std::uint64_t data) const {
        if (data == 0) return -1000;  // empty slots first
        const int older = static_cast<int>((ages + age_ - age_of(data)) % ages);
        return static_cast<int>(data >> 48U & 0xffU) - plies_per_age * older;
    }

    Cluster& cluster(std::uint64_t key) { return clusters_[key & (clusters_.size() - 1)]; }
    const Cluster& cluster(std::uint64_t key) const {
        return clusters_[key & (clusters_.size() - 1)];
    }

    LargeArray<Cluster> clusters_;
    unsigned age_ = 0;
};

}  // namespace spielleiter::search
