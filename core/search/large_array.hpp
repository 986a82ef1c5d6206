/// @file
/// Large arrays that are read at random: on large pages where the system has them, because most
/// of the time of a random read from small pages goes into finding the page.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace spielleiter::search {

/// A fixed number of values, all default-constructed. The memory is touched at once: a system that
/// maps it late takes milliseconds per large page, and in mid-search nobody checks the clock then.
template <class Value>
class LargeArray {
    static_assert(std::is_trivially_destructible_v<Value>);

  public:
    /// Allocates and initialises `size` values.
    explicit LargeArray(std::size_t size)
        : size_(size),
          values_(static_cast<Value*>(::operator new(size * sizeof(Value), alignment))) {
#if defined(__linux__)
        madvise(values_, size * sizeof(Value), MADV_HUGEPAGE);  // a hint; refused it costs nothing
#endif
        std::uninitialized_default_construct_n(values_, size);
    }
    ~LargeArray() { ::operator delete(values_, alignment); }
    LargeArray(const LargeArray&) = delete;
    LargeArray& operator=(const LargeArray&) = delete;

    /// How many values there are.
    std::size_t size() const { return size_; }
    /// The value at an index below `size`.
    Value& operator[](std::size_t at) { return values_[at]; }
    /// The same, to read.
    const Value& operator[](std::size_t at) const { return values_[at]; }
    /// The first value.
    Value* begin() { return values_; }
    /// One past the last value.
    Value* end() { return values_ + size_; }

  private:
    static constexpr std::align_val_t alignment{std::size_t{1} << 21U};  ///< a large page

    std::size_t size_;
    Value* values_;
};

}  // namespace spielleiter::search
