/// @file
/// One thread's count of nodes, and whether it is to stop: shared by the parts of one search.
#pragma once

#include <cstdint>

#include "core/search/stop.hpp"

namespace spielleiter::reversi {

class Watch {
  public:
    /// One thread of a search watches the limits, the others only listen.
    void begin(search::Stop& stop, bool watches) {
        stop_ = &stop;
        watches_ = watches;
        nodes_ = 0;
    }
    void listen(search::Stop& stop) { stop_ = &stop; }

    /// Counts a node; true if the search is to stop.
    bool visit() {
        ++nodes_;
        return watches_ ? stop_->now(nodes_) : stop_->asked();
    }
    /// Counts a node that takes no time worth a look at the clock.
    void count() { ++nodes_; }
    bool stopped() const { return stop_->asked(); }
    std::uint64_t nodes() const { return nodes_; }
    const search::Stop& stop() const { return *stop_; }

  private:
    search::Stop* stop_ = nullptr;
    bool watches_ = false;
    std::uint64_t nodes_ = 0;
};

}  // namespace spielleiter::reversi
