/// @file
/// Large tables that are read at random: on large pages where the system has them, because most
/// of a random read from small ones goes into finding the page.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace spielleiter::search {

/// A fixed number of values, all made alike. The memory is touched at once: a system that hands it
/// out late takes milliseconds for a large page, and in mid-search nobody looks at the clock then.
template <class Value>
class LargeArray {
    static_assert(std::is_trivially_destructible_v<Value>);

  public:
    explicit LargeArray(std::size_t size)
        : size_(size),
          values_(static_cast<Value*>(::operator new(size * sizeof(Value), alignment))) {
#if defined(__linux__)
        madvise(values_, size * sizeof(Value), MADV_HUGEPAGE);  // a wish; refused it costs nothing
#endif
        std::uninitialized_default_construct_n(values_, size);
    }
    ~LargeArray() { ::operator delete(values_, alignment); }
    LargeArray(const LargeArray&) = delete;
    LargeArray& operator=(const LargeArray&) = delete;

    std::size_t size() const { return size_; }
    Value& operator[](std::size_t at) { return values_[at]; }
    const Value& operator[](std::size_t at) const { return values_[at]; }
    Value* begin() { return values_; }
    Value* end() { return values_ + size_; }

  private:
    static constexpr std::align_val_t alignment{std::size_t{1} << 21U};

    std::size_t size_;
    Value* values_;
};

}  // namespace spielleiter::search
