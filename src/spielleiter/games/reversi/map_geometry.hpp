/// @file
/// What the shape of a map alone says: which cells touch, where a stone can never be taken, and how
/// the map falls apart into regions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "board.hpp"

namespace spielleiter::reversi {

/// The four axes as distances between neighbours in a set.
template <class Layout>
inline constexpr std::array<std::size_t, 4> axis_steps{1, Layout::stride - 1, Layout::stride,
                                                       Layout::stride + 1};

/// All cells of `set` and those next to them, off the board too.
template <class Layout>
typename Layout::Set dilated(const typename Layout::Set& set);

/// A set as it is quickest worked on, moved by so many cells along an axis. What leaves the board
/// may turn up anywhere on it.
template <class Layout>
struct Shifter {
    using Set = typename Layout::Set;  ///< cells of the layout
    using Type = Set;                  ///< what is shifted
    /// Back to a set.
    static Set narrow(const Type& wide) { return wide; }
    /// Towards higher bits along an axis.
    template <std::size_t Axis, std::size_t Cells>
    static Type ahead(const Type& set) {
        return set.template up<Cells * axis_steps<Layout>[Axis]>();
    }
    /// Towards lower bits along an axis.
    template <std::size_t Axis, std::size_t Cells>
    static Type behind(const Type& set) {
        return set.template down<Cells * axis_steps<Layout>[Axis]>();
    }
};
/// The large layout in vectors.
template <>
struct Shifter<Large> {
    using Type = simd::Words;  ///< what is shifted
    /// Back to a set.
    static Large::Set narrow(const simd::Words& wide) { return wide.set(); }
    /// Towards higher bits along an axis.
    template <std::size_t Axis, int Cells>
    static simd::Words ahead(const simd::Words& set) {
        return set.rows_up<Axis == 0 ? 0 : Cells, Cells * along[Axis]>();
    }
    /// Towards lower bits along an axis.
    template <std::size_t Axis, int Cells>
    static simd::Words behind(const simd::Words& set) {
        return set.rows_down<Axis == 0 ? 0 : Cells, -Cells * along[Axis]>();
    }

  private:
    static constexpr std::array<int, 4> along{1, -1, 0, 1};
};

/// A map without its stones. A stone can be taken along an axis only if both neighbours on it
/// exist, so the axes that are open say how safe a cell is: none in a corner, one on an edge, four
/// inside; holes make corners and edges of their own.
template <class Layout>
class MapGeometry {
  public:
    using Set = typename Layout::Set;        ///< cells of the layout
    using Moved = Shifter<Layout>;           ///< how sets are shifted
    using Shiftable = typename Moved::Type;  ///< a set in the form that is shifted

    MapGeometry() = default;
    /// Surveys a map.
    explicit MapGeometry(const Set& cells) : cells_(cells), count_(cells.count()) {
        cells.each([this](std::size_t cell) { add(cell); });
        link<0>();
        link<1>();
        link<2>();
        link<3>();
    }

    /// The same cells.
    bool operator==(const MapGeometry& other) const { return cells_ == other.cells_; }
    /// All that exist.
    const Set& cells() const { return cells_; }
    /// How many cells exist.
    int count() const { return count_; }
    /// Cells with no open axis: a stone there is never taken.
    const Set& corners() const { return corners_; }
    /// Cells with one open axis.
    const Set& edges() const { return edges_; }
    /// Cells that exist and touch this one.
    const Set& neighbours(std::size_t cell) const { return neighbours_[cell]; }
    /// Cells where nothing can be taken along an axis.
    const Set& closed(std::size_t axis) const { return closed_[axis]; }

    /// Stones of `own` that can never be taken: along each axis the cell is closed, or its line is
    /// full, or it leans on such a stone. `occupied` are all stones.
    Set stable(const Set& own, const Set& occupied) const {
        return stable(std::span(&own, 1), own, occupied);
    }
    /// The same for several players at once: the stones of all of them that can never be taken.
    Set stable(std::span<const Set> colours, const Set& owned, const Set& occupied) const {
        const Shiftable gaps(without(cells_, occupied));
        const std::array<Shiftable, 4> firm{
            Shiftable(closed_[0]) | full<0>(gaps), Shiftable(closed_[1]) | full<1>(gaps),
            Shiftable(closed_[2]) | full<2>(gaps), Shiftable(closed_[3]) | full<3>(gaps)};
        const std::array<Shiftable, 4> alike{paired<0>(colours), paired<1>(colours),
                                             paired<2>(colours), paired<3>(colours)};
        const Shiftable all(owned);
        Set known = Shifter<Layout>::narrow(all & firm[0] & firm[1] & firm[2] & firm[3]);
        while (true) {
            const Shiftable found(known);
            const Set next = Shifter<Layout>::narrow(all & (firm[0] | leaning<0>(found, alike[0])) &
                                                     (firm[1] | leaning<1>(found, alike[1])) &
                                                     (firm[2] | leaning<2>(found, alike[2])) &
                                                     (firm[3] | leaning<3>(found, alike[3])));
            if (next == known) return known;
            known = next;
        }
    }
    /// The same without looking for full lines: less, but sooner found.
    Set corner_stable(const Set& own) const {
        const Set first = own & corners_;
        return first.none() ? first : leaning(own, first, closed_);
    }

    /// The part of `among` that hangs together with its first cell.
    static Set region(const Set& among) {
        Set found = Set::of(among.first());
        while (true) {
            const Set next = dilated<Layout>(found) & among;
            if (next == found) return found;
            found = next;
        }
    }

  private:
    static bool exists(const Set& cells, std::size_t cell) {
        return cell < Set::size && cells.test(cell);
    }

    void add(std::size_t cell) {
        int open = 0;
        for (std::size_t axis = 0; axis < 4; ++axis) {
            const bool ahead = next_exists(cell, axis, true);
            const bool behind = next_exists(cell, axis, false);
            const std::size_t step = axis_steps<Layout>[axis];
            if (ahead) neighbours_[cell].set(cell + step);
            if (behind) neighbours_[cell].set(cell - step);
            if (ahead && behind)
                ++open;
            else
                closed_[axis].set(cell);
        }
        if (open == 0) corners_.set(cell);
        if (open == 1) edges_.set(cell);
    }

    /// Whether the next cell on an axis exists; in a set without guards no line runs over an edge.
    bool next_exists(std::size_t cell, std::size_t axis, bool ahead) const {
        const auto x = static_cast<int>(cell % Layout::stride);
        const int along = std::array{1, -1, 0, 1}[axis] * (ahead ? 1 : -1);
        if (x + along < 0 || x + along >= static_cast<int>(Layout::stride)) return false;
        const std::size_t step = axis_steps<Layout>[axis];
        return exists(cells_, ahead ? cell + step : cell - step);
    }

    /// Which cells can be reached from 1, 2, 4 and 8 cells before them on an axis, and from behind.
    template <std::size_t Axis>
    void link() {
        constexpr std::size_t step = axis_steps<Layout>[Axis];
        auto& ahead = links_[Axis].ahead;
        auto& behind = links_[Axis].behind;
        cells_.each([&](std::size_t cell) {
            if (next_exists(cell, Axis, false)) ahead[0].set(cell);
            if (next_exists(cell, Axis, true)) behind[0].set(cell);
        });
        ahead[1] = ahead[0] & ahead[0].template up<step>();
        behind[1] = behind[0] & behind[0].template down<step>();
        ahead[2] = ahead[1] & ahead[1].template up<2 * step>();
        behind[2] = behind[1] & behind[1].template down<2 * step>();
        ahead[3] = ahead[2] & ahead[2].template up<4 * step>();
        behind[3] = behind[2] & behind[2].template down<4 * step>();
    }
    /// Cells whose line along an axis has no gap. Lines are as long as the map lets them be; a gap
    /// spreads over its line, doubling its reach with every step.
    template <std::size_t Axis>
    Shiftable full(const Shiftable& gaps) const {
        const auto& [ahead, behind] = links_[Axis];
        Shiftable up = gaps | (Shiftable(ahead[0]) & Moved::template ahead<Axis, 1>(gaps));
        Shiftable down = gaps | (Shiftable(behind[0]) & Moved::template behind<Axis, 1>(gaps));
        up |= Shiftable(ahead[1]) & Moved::template ahead<Axis, 2>(up);
        down |= Shiftable(behind[1]) & Moved::template behind<Axis, 2>(down);
        up |= Shiftable(ahead[2]) & Moved::template ahead<Axis, 4>(up);
        down |= Shiftable(behind[2]) & Moved::template behind<Axis, 4>(down);
        if constexpr (Layout::limit > 8) {
            up |= Shiftable(ahead[3]) & Moved::template ahead<Axis, 8>(up);
            down |= Shiftable(behind[3]) & Moved::template behind<Axis, 8>(down);
        }
        return without(Shiftable(cells_), up | down);
    }
    /// Stones whose neighbour before them on an axis has the same colour.
    template <std::size_t Axis>
    static Shiftable paired(std::span<const Set> colours) {
        Shiftable pairs{Set{}};
        for (const Set& colour : colours) {
            const Shiftable stones(colour);
            pairs |= stones & Moved::template ahead<Axis, 1>(stones);
        }
        return pairs;
    }
    /// Stones with such a neighbour in `found` on one side. Over an edge it finds some as well, but
    /// those are closed along that axis anyway.
    template <std::size_t Axis>
    static Shiftable leaning(const Shiftable& found, const Shiftable& pairs) {
        return (pairs & Moved::template ahead<Axis, 1>(found)) |
               Moved::template behind<Axis, 1>(pairs & found);
    }

    Set leaning(const Set& own, Set stable, const std::array<Set, 4>& safe) const {
        while (true) {
            Set next = own & (safe[0] | beside<0>(stable)) & (safe[1] | beside<1>(stable)) &
                       (safe[2] | beside<2>(stable)) & (safe[3] | beside<3>(stable));
            next |= stable;
            if (next == stable) return stable;
            stable = next;
        }
    }
    /// Cells before and behind those of a set on an axis. Over an edge it finds cells as well, but
    /// those are closed along that axis anyway.
    template <std::size_t Axis>
    static Set beside(const Set& set) {
        constexpr std::size_t step = axis_steps<Layout>[Axis];
        return set.template up<step>() | set.template down<step>();
    }

    Set cells_{};
    int count_ = 0;
    Set corners_{};
    Set edges_{};
    std::array<Set, 4> closed_{};
    std::array<Set, Set::size> neighbours_{};
    struct Links {
        std::array<Set, 4> ahead{};
        std::array<Set, 4> behind{};
    };
    std::array<Links, 4> links_{};
};

/// A row is a byte.
template <>
inline Small::Set dilated<Small>(const Small::Set& set) {
    const simd::Word word = set.words[0];
    const simd::Word wide =
        word | (word << 1U & 0xfefefefefefefefeULL) | (word >> 1U & 0x7f7f7f7f7f7f7f7fULL);
    return {{wide | wide << 8U | wide >> 8U}};
}
/// A row is two bytes.
template <>
inline Large::Set dilated<Large>(const Large::Set& set) {
    const auto wide = set | set.up<1>() | set.down<1>();
    return wide | wide.up<16>() | wide.down<16>();
}

}  // namespace spielleiter::reversi
