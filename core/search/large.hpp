/// @file
/// Large tables that are read at random: on large pages where the system has them, because most
/// of a random read from small ones goes into finding the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace spielleiter::search {

/// A fixed number of values, each of them all zero bytes at first. The memory is taken from the
/// system as it is touched: making a large array, or making it anew, takes no time worth
/// mentioning.
template <class Value>
class LargeArray {
    static_assert(std::is_trivially_destructible_v<Value>);

  public:
    explicit LargeArray(std::size_t size)
        : size_(size), block_(std::calloc(size * sizeof(Value) + alignment, 1)) {
        if (block_ == nullptr) throw std::bad_alloc();
        const auto begin = reinterpret_cast<std::uintptr_t>(block_);
        const std::size_t unaligned = begin % alignment;
        values_ = reinterpret_cast<Value*>(static_cast<std::byte*>(block_) +
                                           (unaligned == 0 ? 0 : alignment - unaligned));
#if defined(__linux__)
        madvise(values_, size * sizeof(Value), MADV_HUGEPAGE);  // a wish; refused it costs nothing
#endif
    }
    ~LargeArray() { std::free(block_); }
    LargeArray(const LargeArray&) = delete;
    LargeArray& operator=(const LargeArray&) = delete;

    /// All zero again.
    void clear() { LargeArray(size_).swap(*this); }
    void swap(LargeArray& other) noexcept {
        std::swap(size_, other.size_);
        std::swap(block_, other.block_);
        std::swap(values_, other.values_);
    }

    std::size_t size() const { return size_; }
    Value& operator[](std::size_t at) { return values_[at]; }
    const Value& operator[](std::size_t at) const { return values_[at]; }
    Value* begin() { return values_; }
    Value* end() { return values_ + size_; }

  private:
    static constexpr std::size_t alignment = std::size_t{1} << 21U;

    std::size_t size_;
    void* block_;
    Value* values_;
};

}  // namespace spielleiter::search
