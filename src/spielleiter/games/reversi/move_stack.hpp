/// @file
/// Room for the moves of all positions on the way from the root: made once, since wiping room for
/// the longest list at every node takes longer than looking at the moves of most.
#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

namespace spielleiter::reversi {

/// A stack of items that is never reallocated.
template <class Item>
class MoveStack {
  public:
    /// Room for so many items in all.
    explicit MoveStack(std::size_t size) : items_(size) {}
    MoveStack(const MoveStack&) = delete;
    MoveStack& operator=(const MoveStack&) = delete;

    /// A piece of the room as long as it lives; pieces are given back in reverse order.
    class Frame {
      public:
        /// Takes the next items.
        Frame(MoveStack& stack, std::size_t size) : stack_(&stack), begin_(stack.used_) {
            stack.used_ += size;
            assert(stack.used_ <= stack.items_.size());
        }
        ~Frame() { stack_->used_ = begin_; }
        Frame(const Frame&) = delete;
        Frame& operator=(const Frame&) = delete;

        /// The first item.
        Item* data() { return stack_->items_.data() + begin_; }
        /// An item by its place.
        Item& operator[](std::size_t at) { return data()[at]; }

      private:
        MoveStack* stack_;
        std::size_t begin_;
    };

  private:
    std::vector<Item> items_;
    std::size_t used_ = 0;
};

}  // namespace spielleiter::reversi
