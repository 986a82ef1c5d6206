/// @file
/// What several threads read and write without waiting for each other.
///
/// An update of a `Shared` number is a read and a write, so one may get lost when two come at once.
/// Where millions are counted that makes no difference; waiting for each other would.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace spielleiter::search {

/// A value that is read and written as a whole. Other memory may be seen in another order.
template <class T, std::memory_order reading = std::memory_order_relaxed,
          std::memory_order writing = std::memory_order_relaxed>
class Shared {
    static_assert(std::atomic<T>::is_always_lock_free);

  public:
    Shared() = default;
    /// Begins with a value.
    Shared(T value) : value_(value) {}  // NOLINT(google-explicit-constructor): it stands for one
    /// Begins with the value of another one.
    Shared(const Shared& other) : value_(other.get()) {}
    /// Takes over the value of another one.
    Shared& operator=(const Shared& other) { return *this = other.get(); }
    /// Sets the value.
    Shared& operator=(T value) {
        value_.store(value, writing);
        return *this;
    }
    ~Shared() = default;

    /// The value of now.
    T get() const { return value_.load(reading); }
    /// The same.
    operator T() const { return get(); }  // NOLINT(google-explicit-constructor): as above
    /// Adds to it; of two threads that do so at once one may be in vain.
    Shared& operator+=(T more) { return *this = get() + more; }
    /// Adds one, likewise.
    Shared& operator++() { return *this += T{1}; }
    /// Sets the value if it is still `expected`; otherwise tells what it is instead.
    bool replace(T& expected, T value) {
        return value_.compare_exchange_weak(expected, value, std::memory_order_acq_rel);
    }
    /// Sets the value and tells the one before: of several threads only one is told so.
    T exchange(T value) { return value_.exchange(value, std::memory_order_acq_rel); }

  private:
    std::atomic<T> value_{};
};

/// A value that tells where other memory is: whoever reads it sees what was written before it.
template <class T>
using Published = Shared<T, std::memory_order_acquire, std::memory_order_release>;

/// An array that grows at its end while other threads read it. Its values never move, and its
/// memory is touched when it is used.
template <class T>
class AppendOnlyArray {
    static_assert(std::is_trivially_destructible_v<T>);

  public:
    /// No values, and no memory yet.
    AppendOnlyArray() = default;
    AppendOnlyArray(const AppendOnlyArray&) = delete;
    AppendOnlyArray& operator=(const AppendOnlyArray&) = delete;
    ~AppendOnlyArray() {
        if (values_ != nullptr) std::allocator<T>().deallocate(values_, capacity_);
    }

    /// Takes the memory for so many values, unless it is there already. They can be no more.
    void reserve(std::size_t capacity) {
        if (values_ != nullptr) return;
        values_ = std::allocator<T>().allocate(capacity);
        capacity_ = capacity;
    }
    /// How many values there are.
    std::size_t size() const { return size_.load(std::memory_order_relaxed); }
    /// Whether there are none.
    bool empty() const { return size() == 0; }
    /// Removes the values at the end, while no other thread uses the array.
    void shrink(std::size_t size) { size_.store(size, std::memory_order_relaxed); }
    /// New values at the end, in one piece: where they begin, or nothing if there is no room.
    std::optional<std::size_t> extend(std::size_t count) {
        const std::optional<std::size_t> begin = claim(count);
        if (begin) std::uninitialized_default_construct_n(values_ + *begin, count);
        return begin;
    }
    /// Copies of `more` at the end, likewise.
    std::optional<std::size_t> append(std::span<const T> more) {
        const std::optional<std::size_t> begin = claim(more.size());
        if (begin) std::uninitialized_copy(more.begin(), more.end(), values_ + *begin);
        return begin;
    }

    /// The value at an index below `size`.
    T& operator[](std::size_t at) { return values_[at]; }
    /// The same, to read.
    const T& operator[](std::size_t at) const { return values_[at]; }
    /// The first value.
    T* data() { return values_; }
    /// The same, to read.
    const T* data() const { return values_; }

  private:
    std::optional<std::size_t> claim(std::size_t count) {
        std::size_t begin = size();
        do {
            if (capacity_ - begin < count) return std::nullopt;
        } while (!size_.compare_exchange_weak(begin, begin + count, std::memory_order_relaxed));
        return begin;
    }

    T* values_ = nullptr;
    std::size_t capacity_ = 0;
    std::atomic<std::size_t> size_ = 0;
};

}  // namespace spielleiter::search
