/// @file
/// Best-first search for several seats: a tree that grows where play is likely to go. Every seat
/// follows what is best for itself (max^n), but moves nearly as good are followed, too.
///
/// A leaf is expanded by estimating all its children at once; its value is that of the child which
/// the seat to move likes best. Ends are exact, and so is a node whose children all are, or one
/// with a child that gives its seat everything. Opponents are not assumed to be perfect there: a
/// win that stands whatever they do is worth more than one that needs them to find their best
/// moves, and a seat that is lost against perfect play looks for a way where somebody may err.
///
/// Positions of nodes that are visited again are kept, so that hardly any move is made twice. When
/// the tree is full, the least visited parts can be pruned, and it grows on where play is likely.
///
/// Several threads may descend at the same time, without waiting for each other. A node counts as
/// visited as soon as one of them is on its way, so that they spread.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/game.hpp"
#include "core/random.hpp"
#include "exponential.hpp"
#include "pruning.hpp"
#include "score.hpp"
#include "shared.hpp"

namespace spielleiter::search {

/// A position of several seats that estimates their values; exact when the game is over.
template <class T>
concept BestFirstPosition =
    std::copyable<T> && requires(T t, const T c, typename T::Move move, typename T::Moves& moves) {
        { c.to_move() } -> std::same_as<Seat>;
        { c.is_over() } -> std::same_as<bool>;
        { c.list_moves(moves) } -> std::same_as<void>;
        { t.play(move) } -> std::same_as<void>;
        { c.key() } -> std::same_as<std::uint64_t>;
        { c.seat_values() } -> std::same_as<SeatValues>;
    };

/// The rank of a seat at the end of a game.
enum class Standing : std::uint8_t {
    behind,  ///< another seat is first
    shared,  ///< first together with another seat
    first    ///< alone on the first rank
};

/// What is proven about a node, and whether a thread has begun to expand it.
class NodeStatus {
  public:
    /// The values are proven.
    bool exact() const { return (bits_ & exact_bit) != 0; }
    /// One of its children is exact.
    bool settled_below() const { return (bits_ & settled_below_bit) != 0; }
    /// Of the root seat, whatever the others do.
    Standing worst() const { return static_cast<Standing>(bits_ / worst_unit % standings); }
    /// Of the root seat, if all others helped it.
    Standing best() const {
        return static_cast<Standing>(standings - 1 - bits_ / missed_unit % standings);
    }

    /// The result is proven, unless it has been before.
    void settle(Standing worst, Standing best) {
        const unsigned missed = standings - 1 - static_cast<unsigned>(best);
        std::uint8_t before = bits_;
        std::uint8_t settled = 0;
        do {
            if ((before & exact_bit) != 0) return;
            settled = static_cast<std::uint8_t>(before | exact_bit | missed * missed_unit |
                                                static_cast<unsigned>(worst) * worst_unit);
        } while (!bits_.replace(before, settled));
    }
    /// One of its children is exact from now on.
    void note_settled_below() {
        std::uint8_t before = bits_;
        while (!bits_.replace(before, static_cast<std::uint8_t>(before | settled_below_bit))) {
        }
    }
    /// Whether this thread may expand the node: the first one that asks.
    bool claim() {
        std::uint8_t before = bits_;
        do {
            if ((before & claimed_bit) != 0) return false;
        } while (!bits_.replace(before, static_cast<std::uint8_t>(before | claimed_bit)));
        return true;
    }
    /// A node that is proven or not, but has no children any more. For one thread alone.
    void become_leaf() {
        bits_ = static_cast<std::uint8_t>(bits_ & ~unsigned{claimed_bit | settled_below_bit});
    }

  private:
    static constexpr unsigned standings = 3;
    static constexpr std::uint8_t exact_bit = 1;
    static constexpr std::uint8_t settled_below_bit = 2;
    static constexpr std::uint8_t claimed_bit = 4;
    static constexpr std::uint8_t worst_unit = 8;
    static constexpr std::uint8_t missed_unit = worst_unit * standings;

    /// The bits, and beyond them two digits with the base three: nothing missed, nothing reached.
    Published<std::uint8_t> bits_ = 0;
};

/// How the tree grows. Guessed, then compared in games of three and four: values nearby play as
/// well.
struct BestFirstTuning {
    float exploration = 0.25F;  ///< exploration: how much rarely visited moves count
    float prior_temperature =
        0.06F;  ///< temperature of the priors: this difference makes a factor of e
    float win_threshold = 0.95F;  ///< a seat that is sure of this much looks for nothing better
    float opponent_temperature = 0.2F;  ///< temperature of opponents near the end, as above
    float blunder_rate = 0.05F;         ///< chance of a blunder: added to every move of an opponent
};

/// The tree of one search.
template <BestFirstPosition T>
class BestFirstTree {
  public:
    using Move = typename T::Move;  ///< of the game
    static_assert(Move::codes <= 1U << 16U, "a node has two bytes for its move");

    /// One move of the tree and what is known about the position behind it.
    struct TreeNode {
        std::array<Shared<float>, max_seats> mean;  ///< of all values seen below, see `values`
        Shared<float> weight = 0;            ///< how many they are, and how many are on their way
        Published<std::uint32_t> first = 0;  ///< the first of its children; 0: none yet
        Published<std::uint32_t> kept = 0;   ///< where its position is kept; 0: nowhere
        std::uint16_t move = 0;              ///< its code
        std::uint16_t prior = 0;             ///< of the moves beside it, all together 65,535
        std::uint16_t children = 0;          ///< how many, once `first` is known
        Seat mover = 0;                      ///< the seat that moves behind it
        NodeStatus status;                   ///< what is proven

        /// The mean of all values seen below, the first estimate included.
        SeatValues values() const {
            SeatValues all;
            std::copy(mean.begin(), mean.end(), all.begin());
            return all;
        }
        /// The result is proven.
        void settle(const SeatValues& values, Standing worst, Standing best) {
            std::copy(values.begin(), values.end(), mean.begin());
            status.settle(worst, best);
        }
    };

    /// A weak player does not see every move: `pruning` and `seed` decide which.
    explicit BestFirstTree(std::size_t megabytes, PruningOptions pruning = {},
                           std::uint64_t seed = 0, BestFirstTuning tuning = {})
        : tuning_(tuning),
          pruning_(pruning),
          seed_(seed),
          room_(part_of(megabytes, 3) / sizeof(TreeNode)),
          positions_room_(part_of(megabytes, 1) / sizeof(T)) {
        tree_.reserve(room_);
        positions_.reserve(positions_room_);
    }

    /// A new tree, at most `deepest` plies deep. The root must have a legal move.
    void begin(const T& root, int deepest) {
        deepest_ = std::min(deepest, max_depth);
        positions_.shrink(0);
        positions_.append({&root, 1});
        TreeNode node;
        node.mover = root.to_move();
        estimate(node, root);
        tree_.shrink(0);
        tree_.append({&node, 1});
        nodes_ = 1;
    }

    /// Positions estimated or visited so far.
    std::uint64_t nodes() const { return nodes_; }
    /// Whether the result of the root is proven.
    bool solved() const { return tree_[0].status.exact(); }
    /// The used share of the memory.
    double fill() const { return static_cast<double>(tree_.size()) / static_cast<double>(room_); }
    /// The position that is being searched.
    const TreeNode& root() const { return tree_[0]; }
    /// The first child of a node.
    const TreeNode* begin_of(const TreeNode& node) const { return tree_.data() + node.first; }
    /// One past the last child of a node.
    const TreeNode* end_of(const TreeNode& node) const { return begin_of(node) + node.children; }
    /// Whether the root seat is first, alone and whatever the others do.
    static bool is_sure(const TreeNode& node) { return node.status.worst() == Standing::first; }
    /// Whether the mover of a node prefers its child `a` to `b`: the one visited more often, or, if
    /// nothing is open any more, the better one.
    bool prefers(const TreeNode& node, const TreeNode& a, const TreeNode& b) const {
        const bool exact = node.status.exact();
        if (exact && a.status.exact() != b.status.exact()) return a.status.exact();
        if (is_sure(a) != is_sure(b)) return is_sure(a);
        if (exact) return a.mean[node.mover] > b.mean[node.mover];
        if (a.weight != b.weight) return a.weight > b.weight;
        return a.mean[node.mover] > b.mean[node.mover];
    }

    /// Whether there is no room left to expand a leaf.
    bool is_full() const { return tree_.size() + T::Moves::capacity >= room_; }

    /// Removes what lies below the least visited nodes, until half of the room is free. They stay
    /// as leaves that keep their values. A large tree takes tens of milliseconds.
    void prune() {
        std::vector<Expansion> all = expansions();
        float least = 3;  // a node that was expanded and never visited again has 2
        while (size_with(least, all) > room_ / 2 && least < tree_[0].weight)
            least = std::min(2 * least, tree_[0].weight.get());
        prune_below(least, all);
        forget_claims();
        drop_unused_positions();
    }

    /// Follows the tree to a leaf, expands it if there is room, and updates the nodes on the way.
    void descend() {
        Path path;
        while (tree_[path.back()].first != 0 && !tree_[path.back()].status.exact()) {
            TreeNode& node = tree_[path.back()];
            path.push_back(chosen(node));
            visit(node);
        }
        ++nodes_;
        TreeNode& leaf = tree_[path.back()];
        visit(leaf);
        SeatValues found = may_expand(leaf, path.size()) && leaf.status.claim()
                               ? expand(path.back(), reached(path))
                               : leaf.values();
        bool settled = false;
        for (std::size_t at = path.size(); at-- > 0;) {
            TreeNode& node = tree_[path[at]];
            if (settled && !node.status.settled_below()) node.status.note_settled_below();
            if (node.status.settled_below() && !node.status.exact()) found = conclude(node, found);
            settled = node.status.exact();
            if (settled) {
                found = node.values();
            } else {
                update(node, found);
            }
        }
    }

  private:
    static constexpr float whole_prior = 65'535.0F;
    static constexpr std::uint32_t gone = ~std::uint32_t{0};

    /// The nodes from the root to a leaf.
    class Path {
      public:
        void push_back(std::uint32_t node) { nodes_on_way_[size_++] = node; }
        std::uint32_t back() const { return nodes_on_way_[size_ - 1]; }
        std::uint32_t operator[](std::size_t at) const { return nodes_on_way_[at]; }
        std::size_t size() const { return size_; }

      private:
        std::array<std::uint32_t, max_depth + 1> nodes_on_way_{0};
        std::size_t size_ = 1;
    };

    /// So many quarters of the memory, but room enough to expand a leaf.
    static std::size_t part_of(std::size_t megabytes, std::size_t quarters) {
        return (std::max<std::size_t>(1, megabytes) << 18U) * quarters;
    }

    bool may_expand(const TreeNode& leaf, std::size_t length) const {
        return !leaf.status.exact() && static_cast<int>(length) <= deepest_ && !is_full();
    }

    /// The position at the end of a path. Those on the way are kept while there is room.
    T reached(const Path& path) {
        std::size_t at = path.size() - 1;
        while (at > 0 && tree_[path[at]].kept == 0) --at;
        T position = positions_[tree_[path[at]].kept];
        while (++at < path.size()) {
            TreeNode& node = tree_[path[at]];
            position.play(Move::coded(node.move));
            if (node.first == 0 || positions_.size() >= positions_room_) continue;
            if (const auto kept = positions_.append({&position, 1}))
                node.kept = static_cast<std::uint32_t>(*kept);
        }
        return position;
    }

    static void visit(TreeNode& node) { node.weight += 1.0F; }
    /// A running mean stays exact; a sum of many values would round each of them more and more. The
    /// values count as one of the visits.
    static void update(TreeNode& node, const SeatValues& values) {
        const float part = 1.0F / node.weight;
        for (std::size_t seat = 0; seat < max_seats; ++seat) {
            const float mean = node.mean[seat];
            node.mean[seat] = mean + (values[seat] - mean) * part;
        }
    }
    /// The first value of a node.
    void estimate(TreeNode& node, const T& position) const {
        const SeatValues values = position.seat_values();
        visit(node);
        update(node, values);
    }

    /// The child to visit next: a promising or a rarely visited one. Exact ones need no visit.
    std::uint32_t chosen(const TreeNode& node) const {
        const float pull = tuning_.exploration * std::sqrt(node.weight) / whole_prior;
        float most = -1;
        std::uint32_t best = node.first;
        const std::uint32_t end = best + node.children;
        for (std::uint32_t at = best; at < end; ++at) {
            const TreeNode& child = tree_[at];
            if (child.status.exact()) continue;
            const float value =
                child.mean[node.mover] + pull * static_cast<float>(child.prior) / child.weight;
            if (value > most) most = value, best = at;
        }
        return best;
    }

    /// Estimates all children; the value is that of the child the mover likes best. Others see them
    /// when all is known about them.
    SeatValues expand(std::uint32_t at, const T& position) {
        typename T::Moves moves;
        list_seen_moves(position, moves);
        const auto first = tree_.extend(moves.size());
        if (!first) return tree_[at].values();
        const std::span<TreeNode> found{tree_.data() + *first, moves.size()};
        bool over = false;
        for (std::size_t next = 0; next < found.size(); ++next) {
            become_child(found[next], position, moves[next]);
            over = over || found[next].status.exact();
        }
        nodes_ += found.size();
        TreeNode& node = tree_[at];
        const SeatValues values = set_priors(found, node.mover);
        node.children = static_cast<std::uint16_t>(found.size());
        node.first = static_cast<std::uint32_t>(*first);
        if (over) node.status.note_settled_below();  // so whoever is told so finds the children
        return values;
    }
    /// The legal moves, less those that a weak player overlooks; the first one nobody does.
    void list_seen_moves(const T& position, typename T::Moves& moves) const {
        position.list_moves(moves);
        if (pruning_.overlooked == 0) return;
        const std::uint64_t key = position.key();
        typename T::Moves seen;
        for (const Move move : moves) {
            if (seen.size() == 0 || !overlooked(pruning_, key, seed_, move.code()))
                seen.push_back(move);
        }
        moves = seen;
    }
    void become_child(TreeNode& node, const T& position, Move move) const {
        T child = position;
        child.play(move);
        node.move = static_cast<std::uint16_t>(move.code());
        node.mover = child.to_move();
        estimate(node, child);
        if (child.is_over()) {
            const Standing standing = standing_of(node.values());
            node.status.settle(standing, standing);
        }
    }
    Standing standing_of(const SeatValues& values) const {
        const float value = values[tree_[0].mover];
        if (value >= tuning_.win_threshold) return Standing::first;
        return value < 0.5F ? Standing::behind : Standing::shared;
    }
    /// Priors of children from their values for the mover; the values of the one it likes best.
    SeatValues set_priors(std::span<TreeNode> children, Seat mover) const {
        const TreeNode& best = *std::max_element(
            children.begin(), children.end(),
            [&](const TreeNode& a, const TreeNode& b) { return a.mean[mover] < b.mean[mover]; });
        const float most = best.mean[mover];
        const auto weight = [&](const TreeNode& child) {
            return exp_negative((most - child.mean[mover]) / tuning_.prior_temperature);
        };
        float all = 0;
        for (const TreeNode& child : children) all += weight(child);
        for (TreeNode& child : children)
            child.prior = static_cast<std::uint16_t>(whole_prior * weight(child) / all);
        return best.values();
    }

    /// The values of a node after a child was found to have the values `found`.
    SeatValues conclude(TreeNode& node, const SeatValues& found) {
        TreeNode* best = nullptr;   // of all children,
        TreeNode* known = nullptr;  // and of the exact ones
        bool all = true;
        for (TreeNode& child : children_of(node)) {
            const float value = child.mean[node.mover];
            const bool exact = child.status.exact();
            if (best == nullptr || value > best->mean[node.mover]) best = &child;
            all = all && exact;
            if (exact && (known == nullptr || value > known->mean[node.mover])) known = &child;
        }
        if (known == nullptr) return found;
        const SeatValues values = is_opponent(node) ? with_blunders(node, *best) : known->values();
        if (all || is_enough(node, *known)) {
            settle(node, values);
        } else if (best != known) {
            return found;
        }
        visit(*known);  // a mover who can have that for certain takes it
        return values;
    }
    std::span<TreeNode> children_of(const TreeNode& node) {
        return {tree_.data() + node.first, node.children};
    }
    std::span<const TreeNode> children_of(const TreeNode& node) const {
        return {begin_of(node), node.children};
    }
    bool is_opponent(const TreeNode& node) const { return node.mover != tree_[0].mover; }
    /// The root seat is content only if nobody can take it away.
    bool is_enough(const TreeNode& node, const TreeNode& child) const {
        return is_opponent(node) ? child.mean[node.mover] >= tuning_.win_threshold : is_sure(child);
    }
    void settle(TreeNode& node, const SeatValues& values) const {
        const bool other = is_opponent(node);
        Standing worst = other ? Standing::first : Standing::behind;
        Standing best = Standing::behind;
        for (const TreeNode& child : children_of(node)) {
            const Standing least = child.status.worst();
            worst = other ? std::min(worst, least) : std::max(worst, least);
            best = std::max(best, child.status.best());
        }
        node.settle(values, worst, best);
    }
    /// The expected values where an opponent moves, who does not always find the best move.
    SeatValues with_blunders(const TreeNode& node, const TreeNode& best) const {
        const float most = best.mean[node.mover];
        SeatValues sum{};
        float all = 0;
        for (const TreeNode& child : children_of(node)) {
            const SeatValues values = child.values();
            // Another thread may have found more than `most` meanwhile.
            const float less = std::max(0.0F, most - values[node.mover]);
            const float part =
                exp_negative(less / tuning_.opponent_temperature) + tuning_.blunder_rate;
            for (std::size_t seat = 0; seat < max_seats; ++seat) sum[seat] += part * values[seat];
            all += part;
        }
        for (float& each : sum) each /= all;
        return sum;
    }

    /// A node that has children.
    struct Expansion {
        std::uint32_t owner;
        std::uint32_t children;
    };
    /// All of them in the order in which their children stand, one behind the other. The owner
    /// stands before its children.
    std::vector<Expansion> expansions() const {
        std::vector<std::uint32_t> owners(tree_.size(), gone);
        for (std::uint32_t at = 0; at < tree_.size(); ++at)
            if (tree_[at].first != 0) owners[tree_[at].first] = at;
        std::vector<Expansion> found;
        for (std::uint32_t at = 1; at < tree_.size(); at += found.back().children)
            found.push_back({owners[at], tree_[owners[at]].children});
        return found;
    }

    /// Nodes visited less become leaves, the others move together.
    void prune_below(float least, std::vector<Expansion>& expansions) {
        std::vector<std::uint32_t> places(tree_.size(), 0);
        std::uint32_t from = 1;
        std::uint32_t end = 1;
        for (Expansion& expansion : expansions) {
            // The owner stands before its children, so it has its new place already.
            expansion.owner = places[expansion.owner];
            const bool stays = expansion.owner != gone && tree_[expansion.owner].weight >= least;
            if (expansion.owner != gone) settle_in(tree_[expansion.owner], stays ? end : 0);
            for (const std::uint32_t past = from + expansion.children; from < past; ++from) {
                places[from] = stays ? end : gone;
                if (stays) tree_[end++] = tree_[from];
            }
        }
        tree_.shrink(end);
    }
    /// A thread that found no room for children left a leaf that it had claimed.
    void forget_claims() {
        for (std::uint32_t at = 0; at < tree_.size(); ++at)
            if (tree_[at].first == 0) tree_[at].status.become_leaf();
    }
    std::size_t size_with(float least, const std::vector<Expansion>& expansions) const {
        std::size_t size = 1;
        for (const Expansion& expansion : expansions)
            size += tree_[expansion.owner].weight >= least ? expansion.children : 0U;
        return size;
    }
    /// The children of a node stand elsewhere now, or nowhere.
    static void settle_in(TreeNode& node, std::uint32_t first) {
        node.first = first;
        if (first != 0) return;
        node.kept = 0;
        node.children = 0;
    }
    /// Positions that no node needs make room.
    void drop_unused_positions() {
        std::vector<std::uint32_t> holders(positions_.size(), gone);
        for (std::uint32_t at = 0; at < tree_.size(); ++at) {
            if (at == 0 || tree_[at].kept != 0) holders[tree_[at].kept] = at;
        }
        std::uint32_t end = 0;
        for (std::uint32_t from = 0; from < positions_.size(); ++from) {
            if (holders[from] == gone) continue;
            tree_[holders[from]].kept = end;
            positions_[end++] = positions_[from];
        }
        positions_.shrink(end);
    }

    BestFirstTuning tuning_;
    PruningOptions pruning_;
    std::uint64_t seed_;
    std::size_t room_;            ///< nodes at most
    std::size_t positions_room_;  ///< positions at most
    int deepest_ = max_depth;
    AppendOnlyArray<TreeNode> tree_;
    AppendOnlyArray<T> positions_;
    std::atomic<std::uint64_t> nodes_ = 0;
};

}  // namespace spielleiter::search
