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
class Scratch {
  public:
    /// Room for so many items in all.
    explicit Scratch(std::size_t size) : items_(size) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    /// A piece of the room as long as it lives; pieces are given back in reverse order.
    class Piece {
      public:
        /// Takes the next items.
        Piece(Scratch& scratch, std::size_t size) : scratch_(&scratch), begin_(scratch.used_) {
            scratch.used_ += size;
            assert(scratch.used_ <= scratch.items_.size());
        }
        ~Piece() { scratch_->used_ = begin_; }
        Piece(const Piece&) = delete;
        Piece& operator=(const Piece&) = delete;

        /// The first item.
        Item* data() { return scratch_->items_.data() + begin_; }
        /// An item by its place.
        Item& operator[](std::size_t at) { return data()[at]; }

      private:
        Scratch* scratch_;
        std::size_t begin_;
    };

  private:
    std::vector<Item> items_;
    std::size_t used_ = 0;
};

}  // namespace spielleiter::reversi
