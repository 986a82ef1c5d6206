/// @file
/// Weights that are shipped with the package: handed in as they are, unfolded when somebody asks
/// for them first, which takes longer than handing in.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/game.hpp"

namespace spielleiter::reversi {

/// The one set of tables of a kind. `Tables` is made from a span of weights.
template <class Tables>
class LazyTables {
  public:
    /// What was handed in, or nothing as long as nobody has.
    std::shared_ptr<const Tables> get() {
        const std::scoped_lock held(lock_);
        if (tables_ == nullptr && !shipped_.empty())
            tables_ = std::make_shared<const Tables>(shipped_);
        return tables_;
    }
    /// Other weights from now on. Whoever is searching goes on with those it has.
    void set(std::vector<std::int16_t> shipped, std::size_t size) {
        if (shipped.size() != size)
            throw UsageError("the tables have " + std::to_string(size) + " weights, not " +
                             std::to_string(shipped.size()));
        const std::scoped_lock held(lock_);
        shipped_ = std::move(shipped);
        tables_.reset();
    }

    /// One for each kind of tables.
    static LazyTables& instance() {
        static LazyTables tables;
        return tables;
    }

  private:
    std::mutex lock_;
    std::vector<std::int16_t> shipped_;
    std::shared_ptr<const Tables> tables_;
};

}  // namespace spielleiter::reversi
