/// @file
/// Best-first search for several seats: a tree that grows where play is likely to go. Every seat
/// follows what is best for itself (max^n), but not blindly: moves nearly as good are followed,
/// too.
///
/// A leaf is opened by estimating all its children at once; what the seat to move likes best among
/// them is what the leaf is worth. Ends are exact, and so is a node whose children all are, or one
/// with a child that gives its seat everything. Others are not taken to be perfect there: a win
/// that stands whatever they do is worth more than one that needs them to see what is best for
/// them, and who is lost if nobody errs looks for a way where somebody may.
///
/// Positions that were passed again are kept, so that hardly any move is made twice. When the tree
/// is full, what was looked at least can be given up, and the tree grows on where play is likely.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/game.hpp"
#include "core/random.hpp"
#include "fade.hpp"
#include "prune.hpp"
#include "score.hpp"

namespace spielleiter::search {

/// What each seat may hope for: 1 is the first rank for certain, 0 is none.
using Hopes = std::array<float, max_seats>;

/// A position of several seats that estimates what each may hope for; exact when the game is over.
template <class T>
concept Hopeful =
    std::copyable<T> && requires(T t, const T c, typename T::Move move, typename T::Moves& moves) {
        { c.to_move() } -> std::same_as<Seat>;
        { c.is_over() } -> std::same_as<bool>;
        { c.list_moves(moves) } -> std::same_as<void>;
        { t.play(move) } -> std::same_as<void>;
        { c.key() } -> std::same_as<std::uint64_t>;
        { c.hopes() } -> std::same_as<Hopes>;
    };

/// What a seat has in the end.
enum class Standing : std::uint8_t { behind, shared, first };

struct BestFirstTuning {
    float curiosity = 0.25F;   ///< how much moves that were seldom followed count
    float temper = 0.06F;      ///< of first opinions: differences of this size make up e
    float everything = 0.95F;  ///< whoever is sure of this much looks for nothing better
    float care = 0.2F;         ///< of others near the end: what costs them so much is e times rarer
    float slip = 0.05F;  ///< how likely, besides, each of their moves is, measured by the best
};

template <Hopeful T>
class BestFirst {
  public:
    using Move = typename T::Move;
    static_assert(Move::codes <= 1U << 16U, "a branch has two bytes for its move");

    /// One move of the tree and what is known of it.
    struct Branch {
        Hopes mean{};             ///< of all hopes seen below, the first estimate included
        float weight = 0;         ///< how many they are
        std::uint32_t first = 0;  ///< the first of its children; 0: none yet
        std::uint32_t kept = 0;   ///< where its position is kept; 0: nowhere
        std::uint16_t move = 0;   ///< its code
        std::uint16_t prior = 0;  ///< of the moves beside it, all together 65,535
        std::uint16_t children = 0;
        Seat mover = 0;  ///< who moves behind it
        bool exact : 1 = false;
        bool settled_below : 1 = false;         ///< one of its children is exact
        Standing worst : 2 = Standing::behind;  ///< of the seat that asks, whatever the others do,
        Standing best : 2 = Standing::first;    ///< and if all of them helped it

        void settle(const Hopes& hopes, Standing at_worst, Standing at_best) {
            mean = hopes;
            exact = true;
            worst = at_worst;
            best = at_best;
        }
    };

    /// A weak player does not see every move.
    explicit BestFirst(std::size_t megabytes, Devices devices = {}, std::uint64_t seed = 0,
                       BestFirstTuning tuning = {})
        : tuning_(tuning),
          devices_(devices),
          seed_(seed),
          room_(part_of(megabytes, 3) / sizeof(Branch)),
          shelf_(part_of(megabytes, 1) / sizeof(T)) {
        tree_.reserve(room_);
        kept_.reserve(shelf_);
    }

    /// A new tree, at most `deepest` plies deep. Somebody must be able to move.
    void begin(const T& root, int deepest) {
        deepest_ = std::min(deepest, max_depth);
        kept_.assign(1, root);
        tree_.assign(1, Branch{});
        openings_.clear();
        tree_[0].mover = root.to_move();
        learn(tree_[0], root.hopes());
        nodes_ = 1;
    }

    std::uint64_t nodes() const { return nodes_; }
    bool solved() const { return tree_[0].exact; }
    double fill() const { return static_cast<double>(tree_.size()) / static_cast<double>(room_); }
    const Branch& root() const { return tree_[0]; }
    const Branch* begin_of(const Branch& branch) const { return tree_.data() + branch.first; }
    const Branch* end_of(const Branch& branch) const { return begin_of(branch) + branch.children; }
    /// Whether the seat that asks is first, alone and whatever the others do.
    static bool is_sure(const Branch& branch) { return branch.worst == Standing::first; }
    /// Whether the seat behind a branch rather makes the move `a` than `b`: the one looked at more,
    /// or, if nothing is open any more, the better one.
    bool prefers(const Branch& branch, const Branch& a, const Branch& b) const {
        if (branch.exact && a.exact != b.exact) return a.exact;
        if (is_sure(a) != is_sure(b)) return is_sure(a);
        if (branch.exact) return a.mean[branch.mover] > b.mean[branch.mover];
        if (a.weight != b.weight) return a.weight > b.weight;
        return a.mean[branch.mover] > b.mean[branch.mover];
    }

    /// Whether there is no room left to open a leaf.
    bool is_full() const { return tree_.size() + T::Moves::capacity >= room_; }

    /// Gives up what lies behind the branches looked at least, until half of the room is free. They
    /// stay as leaves that remember what was found. A large tree takes tens of milliseconds.
    void thin_out() {
        float least = 3;  // a branch that was opened and never passed again has 2
        while (size_with(least) > room_ / 2 && least < tree_[0].weight)
            least = std::min(2 * least, tree_[0].weight);
        give_up_below(least);
        tidy_shelf();
    }

    /// Follows the tree to a leaf and opens it, if there is room.
    void descend() {
        Path path;
        while (tree_[path.back()].first != 0 && !tree_[path.back()].exact)
            path.push_back(chosen(tree_[path.back()]));
        ++nodes_;
        const Branch& leaf = tree_[path.back()];
        Hopes found = may_open(leaf, path.size()) ? open(path.back(), reached(path)) : leaf.mean;
        bool settled = false;
        for (std::size_t at = path.size(); at-- > 0;) {
            Branch& branch = tree_[path[at]];
            branch.settled_below = branch.settled_below || settled;
            if (branch.settled_below && !branch.exact) found = conclude(branch, found);
            learn(branch, found);
            settled = branch.exact;
        }
    }

  private:
    static constexpr float whole_prior = 65'535.0F;
    static constexpr std::uint32_t gone = ~std::uint32_t{0};

    /// A branch that has children. They stand one opening behind the other, the root's first.
    struct Opening {
        std::uint32_t owner;
        std::uint32_t children;
    };

    /// The branches from the root to a leaf.
    class Path {
      public:
        void push_back(std::uint32_t branch) { branches_[size_++] = branch; }
        std::uint32_t back() const { return branches_[size_ - 1]; }
        std::uint32_t operator[](std::size_t at) const { return branches_[at]; }
        std::size_t size() const { return size_; }

      private:
        std::array<std::uint32_t, max_depth + 1> branches_{0};
        std::size_t size_ = 1;
    };

    /// So many quarters of the memory, but room enough to open a leaf.
    static std::size_t part_of(std::size_t megabytes, std::size_t quarters) {
        return (std::max<std::size_t>(1, megabytes) << 18U) * quarters;
    }

    bool may_open(const Branch& leaf, std::size_t length) const {
        return !leaf.exact && static_cast<int>(length) <= deepest_ && !is_full();
    }

    /// The position at the end of a path. What is passed on the way is kept while there is room.
    T reached(const Path& path) {
        std::size_t at = path.size() - 1;
        while (at > 0 && tree_[path[at]].kept == 0) --at;
        T table = kept_[tree_[path[at]].kept];
        while (++at < path.size()) {
            Branch& branch = tree_[path[at]];
            table.play(Move::coded(branch.move));
            if (branch.first != 0 && kept_.size() < shelf_) {
                branch.kept = static_cast<std::uint32_t>(kept_.size());
                kept_.push_back(table);
            }
        }
        return table;
    }

    /// A mean stays as exact as it is; a sum of many hopes would round each of them more and more.
    static void learn(Branch& branch, const Hopes& hopes) {
        const float part = 1.0F / ++branch.weight;
        for (std::size_t seat = 0; seat < max_seats; ++seat)
            branch.mean[seat] += (hopes[seat] - branch.mean[seat]) * part;
    }

    /// The child to look at next: hopeful, or seldom looked at. What is exact needs no look.
    std::uint32_t chosen(const Branch& branch) const {
        const float pull = tuning_.curiosity * std::sqrt(branch.weight) / whole_prior;
        float most = -1;
        std::uint32_t best = branch.first;
        for (std::uint32_t at = branch.first; at < branch.first + branch.children; ++at) {
            const Branch& child = tree_[at];
            if (child.exact) continue;
            const float value =
                child.mean[branch.mover] + pull * static_cast<float>(child.prior) / child.weight;
            if (value > most) most = value, best = at;
        }
        return best;
    }

    /// Estimates all children; their mover's favourite is what the branch is worth.
    Hopes open(std::uint32_t at, const T& table) {
        typename T::Moves moves;
        table.list_moves(moves);
        const auto first = static_cast<std::uint32_t>(tree_.size());
        const std::uint64_t key = devices_.overlooked == 0 ? 0 : table.key();
        bool over = false;
        for (const Move move : moves) {
            if (tree_.size() > first && overlooked(devices_, key, seed_, move.code())) continue;
            add(table, move);
            over = over || tree_.back().exact;
        }
        Branch& branch = tree_[at];
        branch.settled_below = over;
        branch.first = first;
        branch.children = static_cast<std::uint16_t>(tree_.size() - first);
        openings_.push_back({at, branch.children});
        nodes_ += branch.children;
        const Branch& best = *std::max_element(
            begin_of(branch), end_of(branch), [&](const Branch& a, const Branch& b) {
                return a.mean[branch.mover] < b.mean[branch.mover];
            });
        expect(branch, best.mean[branch.mover]);
        return best.mean;
    }
    void add(const T& table, Move move) {
        T child = table;
        child.play(move);
        Branch branch;
        branch.move = static_cast<std::uint16_t>(move.code());
        branch.mover = child.to_move();
        const Hopes hopes = child.hopes();
        learn(branch, hopes);
        if (child.is_over()) branch.settle(hopes, standing_of(hopes), standing_of(hopes));
        tree_.push_back(branch);
    }
    Standing standing_of(const Hopes& hopes) const {
        const float hope = hopes[tree_[0].mover];
        if (hope >= tuning_.everything) return Standing::first;
        return hope < 0.5F ? Standing::behind : Standing::shared;
    }
    /// First opinions of the children, from what they promise their mover.
    void expect(const Branch& branch, float most) {
        const auto opinion = [&](const Branch& child) {
            return faded((most - child.mean[branch.mover]) / tuning_.temper);
        };
        float all = 0;
        for (const Branch* at = begin_of(branch); at != end_of(branch); ++at) all += opinion(*at);
        for (std::uint32_t at = branch.first; at < branch.first + branch.children; ++at)
            tree_[at].prior = static_cast<std::uint16_t>(whole_prior * opinion(tree_[at]) / all);
    }

    /// What a branch is worth after something below it was worth `found`.
    Hopes conclude(Branch& branch, const Hopes& found) {
        Branch* best = nullptr;   // of all children,
        Branch* known = nullptr;  // and of the exact ones
        bool all = true;
        for (std::uint32_t at = branch.first; at < branch.first + branch.children; ++at) {
            Branch& child = tree_[at];
            const float hope = child.mean[branch.mover];
            if (best == nullptr || hope > best->mean[branch.mover]) best = &child;
            all = all && child.exact;
            if (child.exact && (known == nullptr || hope > known->mean[branch.mover]))
                known = &child;
        }
        if (known == nullptr) return found;
        const Hopes hopes = is_other(branch) ? with_slips(branch, *best) : known->mean;
        if (all || gives_everything(branch, *known)) {
            settle(branch, hopes);
        } else if (best != known) {
            return found;
        }
        learn(*known, known->mean);  // who can have that for certain takes it
        return hopes;
    }
    bool is_other(const Branch& branch) const { return branch.mover != tree_[0].mover; }
    /// The seat that asks is content only if nobody can take it away.
    bool gives_everything(const Branch& branch, const Branch& child) const {
        return is_other(branch) ? child.mean[branch.mover] >= tuning_.everything : is_sure(child);
    }
    void settle(Branch& branch, const Hopes& hopes) const {
        const bool other = is_other(branch);
        Standing worst = other ? Standing::first : Standing::behind;
        Standing best = Standing::behind;
        for (const Branch* child = begin_of(branch); child != end_of(branch); ++child) {
            worst = other ? std::min<Standing>(worst, child->worst)
                          : std::max<Standing>(worst, child->worst);
            best = std::max<Standing>(best, child->best);
        }
        branch.settle(hopes, worst, best);
    }
    /// What is to be expected where somebody moves who does not always find the best.
    Hopes with_slips(const Branch& branch, const Branch& best) const {
        const float most = best.mean[branch.mover];
        Hopes sum{};
        float all = 0;
        for (const Branch* child = begin_of(branch); child != end_of(branch); ++child) {
            const Hopes hopes = child->mean;
            const float part = faded((most - hopes[branch.mover]) / tuning_.care) + tuning_.slip;
            for (std::size_t seat = 0; seat < max_seats; ++seat) sum[seat] += part * hopes[seat];
            all += part;
        }
        for (float& each : sum) each /= all;
        return sum;
    }

    /// The branches looked at less become leaves, the others move together.
    void give_up_below(float least) {
        std::vector<std::uint32_t> places(tree_.size(), 0);
        std::uint32_t from = 1;
        std::uint32_t end = 1;
        for (Opening& opening : openings_) {
            // Whoever opened them stands before them, so it has its new place already.
            opening.owner = places[opening.owner];
            const bool stays = opening.owner != gone && tree_[opening.owner].weight >= least;
            if (opening.owner != gone) settle_in(tree_[opening.owner], stays ? end : 0);
            if (!stays) opening.owner = gone;
            for (const std::uint32_t past = from + opening.children; from < past; ++from) {
                places[from] = stays ? end : gone;
                if (stays) tree_[end++] = tree_[from];
            }
        }
        tree_.resize(end);
        std::erase_if(openings_, [](const Opening& opening) { return opening.owner == gone; });
    }
    std::size_t size_with(float least) const {
        std::size_t size = 1;
        for (const Opening& opening : openings_)
            size += tree_[opening.owner].weight >= least ? opening.children : 0U;
        return size;
    }
    /// The children of a branch stand elsewhere now, or nowhere.
    static void settle_in(Branch& branch, std::uint32_t first) {
        branch.first = first;
        if (first != 0) return;
        branch.kept = branch.children = 0;
        branch.settled_below = false;
    }
    /// Positions that no branch asks for make room.
    void tidy_shelf() {
        std::vector<std::uint32_t> holders(kept_.size(), gone);
        for (std::uint32_t at = 0; at < tree_.size(); ++at) {
            if (at == 0 || tree_[at].kept != 0) holders[tree_[at].kept] = at;
        }
        std::uint32_t end = 0;
        for (std::uint32_t from = 0; from < kept_.size(); ++from) {
            if (holders[from] == gone) continue;
            tree_[holders[from]].kept = end;
            kept_[end++] = kept_[from];
        }
        kept_.erase(kept_.begin() + end, kept_.end());
    }

    BestFirstTuning tuning_;
    Devices devices_;
    std::uint64_t seed_;
    std::size_t room_;   ///< branches at most,
    std::size_t shelf_;  ///< and positions
    int deepest_ = max_depth;
    std::vector<Branch> tree_;
    std::vector<Opening> openings_;
    std::vector<T> kept_;
    std::uint64_t nodes_ = 0;
};

}  // namespace spielleiter::search
