/// @file
/// The tree of Monte Carlo tree search: which move to try next, what became of it, and what is
/// proven.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/game.hpp"
#include "engine.hpp"
#include "prefetch.hpp"
#include "shared.hpp"

namespace spielleiter::search {

/// How a tree grows. The defaults are guesses; a game brings its own where they were fitted.
struct MctsTuning {
    float exploration = 0.6F;          ///< weight of the priors (c in PUCT)
    float prior_exponent = 1.0F;       ///< power of the priors: below 1 they differ less
    float rave_equivalence = 300.0F;   ///< games after which RAVE counts half
    float fpu_reduction = 0.05F;       ///< first-play urgency: an untried move counts so much less
    float margin_weight = 0.1F;        ///< share of the margin in the value of a game
    float margin_scale = 20.0F;        ///< the margin that is half of all there can be
    float widening = 2.0F;             ///< of progressive widening: how fast moves join in
    float expansion_threshold = 1.0F;  ///< games that end at a node before it is expanded
    float forecast_weight = 0.0F;  ///< share of the forecast of the policy in the value of a game
    float late_forecast_weight = 1.0F;  ///< the same in the second half of a game, if less
    bool last_good_reply = false;  ///< playouts repeat replies that won before (last good reply)
    bool solver = true;            ///< endgames are solved, where the policy has a solver
    std::uint32_t overlooked = 0;  ///< of 1024 moves so many are not seen (weak players)

    /// Sets the field of a name; false if there is none.
    bool set(std::string_view name, float value) {
        if (name == "last_good_reply") return last_good_reply = value != 0, true;
        if (name == "solver") return solver = value != 0, true;
        for (const auto& [known, member] : names) {
            if (known == name) return this->*member = value, true;
        }
        return false;
    }

  private:
    struct Name {
        std::string_view name;
        float MctsTuning::* member;
    };
    static const std::array<Name, 10> names;
};

inline constexpr std::array<MctsTuning::Name, 10> MctsTuning::names{
    {{"exploration", &MctsTuning::exploration},
     {"prior_exponent", &MctsTuning::prior_exponent},
     {"rave_equivalence", &MctsTuning::rave_equivalence},
     {"fpu_reduction", &MctsTuning::fpu_reduction},
     {"margin_weight", &MctsTuning::margin_weight},
     {"margin_scale", &MctsTuning::margin_scale},
     {"widening", &MctsTuning::widening},
     {"expansion_threshold", &MctsTuning::expansion_threshold},
     {"forecast_weight", &MctsTuning::forecast_weight},
     {"late_forecast_weight", &MctsTuning::late_forecast_weight}}};

/// The children of a node. They lie side by side.
struct Children {
    std::uint32_t first = 0;           ///< index of the first one, the likeliest move
    std::uint32_t count : 31 = 0;      ///< how many there are
    std::uint32_t is_partial : 1 = 0;  ///< some are left out
};

/// A move in the tree and what is known about the position it leads to. Threads that share a tree
/// count without waiting for each other.
struct MctsNode {
    static constexpr std::uint8_t nobody = 0xff;  ///< no winner is proven
    static constexpr std::uint8_t drawn = 0xfe;   ///< proven: no sole winner

    Published<Children> children;           ///< none while nobody has looked further
    std::uint32_t move = 0;                 ///< its code
    Shared<std::uint32_t> visits = 0;       ///< games through it, also those in progress
    Shared<std::uint32_t> rave_visits = 0;  ///< games in which it was played later
    Shared<float> wins = 0;                 ///< sum of values for the seat that makes the move
    Shared<float> reply_wins = 0;           ///< the same for the seat that moves next
    Shared<float> rave_wins = 0;            ///< the same as `wins` over the games of `rave_visits`
    float prior = 0;                        ///< chance that it is the best move
    std::uint8_t mover = 0;                 ///< the seat that makes the move
    std::uint8_t side : 7 = 0;              ///< and for which side, see `UniformPolicy`: 0 … 3
    bool pointless : 1 = false;             ///< never better than its siblings
    Shared<std::uint8_t> won_by = nobody;   ///< proven winner of the position behind it
    Shared<bool> expanding = false;         ///< a thread is generating its children

    /// Whether the result is proven.
    bool is_certain() const { return won_by != nobody; }
    /// Whether the seat that makes the move wins for certain.
    bool is_won() const { return won_by == mover; }
    /// Whether another seat wins for certain.
    bool is_lost() const {
        const std::uint8_t winner = won_by;
        return winner != nobody && winner != drawn && winner != mover;
    }
};

/// Nodes in one array, the root first, the children of a node side by side. Several threads may
/// choose moves, expand nodes, back up and solve at the same time; all else is for one alone.
template <GamePosition P>
class MctsTree {
  public:
    using Move = typename P::Move;  ///< of the game
    using Index = std::uint32_t;    ///< of a node in the array; the root is 0

    /// `transpositions`: so many positions are found again when other moves lead to them; a power
    /// of two, or 0.
    MctsTree(std::size_t megabytes, MctsTuning tuning, std::size_t transpositions = 0)
        : tuning_(tuning),
          room_((megabytes << 20U) / sizeof(MctsNode)),
          transpositions_(transpositions) {
        for (std::size_t visits = 0; visits < shares_.size(); ++visits)
            shares_[visits] = rave_share(static_cast<float>(visits));
    }

    /// Whether there is not even a root.
    bool empty() const { return nodes_.empty(); }
    /// Whether no node can be expanded any more.
    bool full() const { return nodes_.size() >= room_; }
    /// The used share of the memory.
    double fill() const {
        if (full()) return 1;
        return static_cast<double>(nodes_.size()) / static_cast<double>(room_);
    }
    /// Removes all nodes.
    void clear() { nodes_.shrink(0); }
    /// The best `count` moves at the root are to be compared: every second game goes to the one of
    /// them that was tried least.
    void compare(std::size_t count) { compared_ = count; }
    /// A node by its index; expanding the tree moves none.
    MctsNode& operator[](Index at) { return nodes_[at]; }
    /// The same, to read.
    const MctsNode& operator[](Index at) const { return nodes_[at]; }
    /// The position that is being searched.
    const MctsNode& root() const { return nodes_[0]; }
    /// The children of a node, in their order.
    std::span<const MctsNode> children(const MctsNode& node) const {
        return children(node.children.get());
    }
    /// The same, of a node that others may expand meanwhile.
    std::span<const MctsNode> children(Children range) const {
        return {nodes_.data() + range.first, range.count};
    }

    /// Only a root, without children.
    void reset() {
        nodes_.reserve(room_ + P::Moves::capacity);
        nodes_.shrink(0);
        MctsNode root;
        root.mover = MctsNode::nobody;
        nodes_.append({&root, 1});
        forget_transpositions();
    }

    /// The children of a node of the position with that key, if it has `most` of them or all there
    /// are; otherwise none.
    Children find(std::uint64_t key, std::size_t most) const {
        if (transpositions_.empty()) return {};
        const Transposition& known = transpositions_[key % transpositions_.size()];
        const Index at = known.at;
        if (at == 0 || known.check != check_of(key, at)) return {};
        const Children found = nodes_[at].children;
        return found.count >= most || !found.is_partial ? found : Children{};
    }
    /// The node at an index leads to the position with that key.
    void remember(std::uint64_t key, Index at) {
        if (transpositions_.empty()) return;
        Transposition& known = transpositions_[key % transpositions_.size()];
        known.check = check_of(key, at);
        known.at = at;
    }

    /// Gives a node its children, in their order; the statistics of present ones are kept. Without
    /// room for them nothing happens.
    void expand(Index at, std::span<const MctsNode> found, bool partial) {
        const std::span<const MctsNode> before = children(nodes_[at]);
        const std::optional<std::size_t> first = nodes_.append(found);
        if (!first) return;
        const std::span<MctsNode> added{nodes_.data() + *first, found.size()};
        for (const MctsNode& old : before) {
            const auto same = [&](const MctsNode& child) { return child.move == old.move; };
            const auto place = std::find_if(added.begin(), added.end(), same);
            if (place == added.end()) continue;
            *place = old;
            place->expanding = false;  // the thread that expands it does so at the old place
        }
        MctsNode& node = nodes_[at];
        if (!found.empty() && before.empty())
            node.reply_wins = reply_wins_before(node, found[0].mover);
        node.children = {static_cast<Index>(*first),
                         static_cast<std::uint32_t>(found.size()) & most_children, partial};
    }

    /// Progressive widening: whether a node has fewer children than `widest` and now needs more.
    bool is_too_narrow(Index at, std::size_t widest) const {
        const MctsNode& node = nodes_[at];
        const Children present = node.children;
        if (!present.is_partial || present.count >= widest || node.expanding || full())
            return false;
        const auto moves = children(present);
        return wide(node) > present.count ||
               std::all_of(moves.begin(), moves.end(),
                           [](const MctsNode& child) { return child.is_lost(); });
    }

    /// Loads the children of a node, which are read from the front.
    void prefetch(Index at) const {
        constexpr std::size_t lines = 8;
        search::prefetch(nodes_.data() + nodes_[at].children.get().first, lines);
    }

    /// The child to try next: PUCT on the mean of games and of RAVE.
    Index choose(Index at) const {
        const MctsNode& node = nodes_[at];
        if (at == 0 && compared_ > 1 && node.visits % 2 == 0) return least_tried();
        const auto visits = static_cast<float>(node.visits);
        const float first = expectation(node);
        const float bonus = tuning_.exploration * std::sqrt(visits + 1.0F);
        const Children moves = node.children;
        const Index wide = moves.first + width(node, moves);
        Index best = moves.first;
        float highest = 2 * lost;
        for (Index next = moves.first; next < moves.first + moves.count; ++next) {
            if (next >= wide && highest > lost / 2) break;  // further, if all so far are lost
            if (nodes_[next].pointless) continue;
            const float value = selection_value(nodes_[next], first, bonus);
            if (value > highest) highest = value, best = next;
        }
        return best;
    }

    /// Adds a finished game. `played(node)` says for the children of a node, by their action, which
    /// moves were played later; they count as if they had been played at once.
    template <class Played>
    void back_up(std::span<const Index> path, const SeatValues& values, Played&& played) {
        for (const Index at : path) {
            MctsNode& node = nodes_[at];
            if (node.mover != MctsNode::nobody) node.wins += values[node.mover];
            if (const Children replies = node.children; replies.count > 0)
                node.reply_wins += values[nodes_[replies.first].mover];
        }
        for (std::size_t depth = path.size(); depth-- > 0;) {
            const MctsNode& node = nodes_[path[depth]];
            const auto is_played = played(depth);
            const Children moves = node.children;
            if (moves.count == 0) continue;
            const float value = values[nodes_[moves.first].mover];
            const Index end = moves.first + width(node, moves);
            for (Index next = moves.first; next < end; ++next) {
                if (!is_played(nodes_[next])) continue;
                ++nodes_[next].rave_visits;
                nodes_[next].rave_wins += value;
            }
        }
    }

    /// Proves results from the leaf upwards, as far as they reach.
    void solve(std::span<const Index> path, std::size_t seats) {
        for (std::size_t at = path.size(); at-- > 1;) {
            if (!nodes_[path[at]].is_certain()) return;
            MctsNode& above = nodes_[path[at - 1]];
            const std::uint8_t winner = certain_winner(above, seats);
            if (winner == MctsNode::nobody) return;
            above.won_by = winner;
        }
    }

    /// The best moves at the root: those that were played most often, by their score.
    std::vector<Variation<Move>> lines(std::size_t count) const {
        std::vector<Variation<Move>> best;
        for (const Index at : best_at_root(count)) best.push_back(variation(at));
        sort_by_score(best);
        return best;
    }

    /// The node of the position with that key, if it lies at most `plies` below `here`.
    std::optional<Index> locate(const P& here, std::uint64_t key, int plies, Index at = 0) const {
        if (here.key() == key) return at;
        if (plies == 0 || is_over(here)) return std::nullopt;
        const Children moves = nodes_[at].children;
        for (Index next = moves.first; next < moves.first + moves.count; ++next) {
            if (nodes_[next].visits == 0) continue;
            P child = here;
            child.play(Move::coded(nodes_[next].move));
            if (const auto found = locate(child, key, plies - 1, next)) return found;
        }
        return std::nullopt;
    }

    /// Removes what lies below the least visited nodes, until half of the room is free. They stay
    /// as leaves that keep their values, and are expanded again when they are visited again.
    void prune() {
        const std::vector<Siblings> groups = siblings_below(0);
        std::uint32_t least = 2;
        while (size_with(groups, least) > room_ / 2 && least < root().visits)
            least = std::min(2 * least, root().visits.get());
        for (const Siblings& group : groups) {
            if (nodes_[group.parent].visits < least) make_leaf(nodes_[group.parent]);
        }
        keep(0);
    }

    /// Makes a node the root, with all below it and nothing else. Nodes move towards the front,
    /// where there is room by then: memory that is new to the process takes long to get.
    void keep(Index top) {
        const std::vector<Siblings> groups = siblings_below(top);
        Index next = 1;
        for (const Siblings& group : groups) {
            Children moved = nodes_[group.parent].children;
            moved.first = next;
            nodes_[group.parent].children = moved;
            next += group.count;
        }
        nodes_[0] = nodes_[top];
        nodes_[0].mover = MctsNode::nobody;
        next = 1;
        for (const Siblings& group : groups) {
            std::copy_n(nodes_.data() + group.first, group.count, nodes_.data() + next);
            next += group.count;
        }
        nodes_.shrink(next);
        forget_transpositions();
    }

  private:
    static constexpr float lost = -1e6F;  ///< below every value
    static constexpr std::uint32_t most_children = (1U << 31U) - 1;
    // Guessed: how many games of the expected value are mixed in while there are few real ones.
    static constexpr float rave_caution = 4.0F;
    static constexpr float score_caution = 10.0F;
    static constexpr float narrowest = 5.0F;  ///< children in play from the first game on (guessed)
    // Preferences of proven moves, far beyond any number of visits.
    static constexpr double won_preference = 1e12;
    static constexpr double pointless_preference = -1e13;

    /// The children of one node, side by side.
    struct Siblings {
        Index parent;
        Index first;
        Index count;
    };

    /// Where a position is; the root stands for nowhere. Key and place are written one after the
    /// other, so the key is kept in a form that fits this place only.
    struct Transposition {
        Shared<std::uint64_t> check = 0;
        Published<Index> at = 0;
    };
    static std::uint64_t check_of(std::uint64_t key, Index at) {
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
        return key ^ (golden * at);
    }
    void forget_transpositions() {
        std::fill(transpositions_.begin(), transpositions_.end(), Transposition{});
    }

    static void make_leaf(MctsNode& node) { node.children = Children{}; }
    /// How many nodes there would be without the children of nodes with fewer visits than `least`.
    std::size_t size_with(const std::vector<Siblings>& groups, std::uint32_t least) const {
        std::size_t size = 1;
        for (const Siblings& group : groups)
            size += nodes_[group.parent].visits >= least ? group.count : 0U;
        return size;
    }

    /// All groups of siblings below a node, in the order in which they lie.
    std::vector<Siblings> siblings_below(Index top) const {
        std::vector<Siblings> found;
        const auto add = [&](Index at) {
            const Children moves = nodes_[at].children;
            if (moves.count > 0) found.push_back({at, moves.first, moves.count});
        };
        add(top);
        for (std::size_t done = 0; done < found.size(); ++done) {
            const Siblings group = found[done];
            for (Index at = group.first; at < group.first + group.count; ++at) add(at);
        }
        std::sort(found.begin(), found.end(),
                  [](const Siblings& a, const Siblings& b) { return a.first < b.first; });
        return found;
    }

    /// First-play urgency: what an untried move of a node counts.
    float expectation(const MctsNode& node) const {
        const auto visits = static_cast<float>(node.visits);
        return (node.visits > 0 ? node.reply_wins / visits : 0.5F) - tuning_.fpu_reduction;
    }

    Index least_tried() const {
        std::vector<Index> order = best_at_root(compared_);
        const auto known = [&](Index at) { return nodes_[at].is_certain(); };
        if (!std::all_of(order.begin(), order.end(), known)) std::erase_if(order, known);
        return *std::min_element(order.begin(), order.end(), [&](Index a, Index b) {
            return nodes_[a].visits < nodes_[b].visits;
        });
    }

    /// The children of the root, best first; only the first `count` of them are in order. Other
    /// threads may count meanwhile, so they are sorted by what was read once.
    std::vector<Index> best_at_root(std::size_t count) const {
        const Children moves = root().children;
        std::vector<std::pair<double, Index>> ranked;
        for (Index at = moves.first; at < moves.first + moves.count; ++at)
            ranked.emplace_back(-preference(nodes_[at]), at);
        count = std::min(count, ranked.size());
        const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(count);
        std::partial_sort(ranked.begin(), end, ranked.end());
        std::vector<Index> order;
        std::transform(ranked.begin(), end, std::back_inserter(order),
                       [](const auto& each) { return each.second; });
        return order;
    }

    /// The sum of values for the seat to move at a node from the games before it was expanded; the
    /// last one is still in progress.
    static float reply_wins_before(const MctsNode& node, Seat mover) {
        if (node.visits == 0) return 0;
        if (node.mover == mover) return node.wins;
        return static_cast<float>(node.visits - 1) - node.wins;
    }

    /// How many children are in play after the visits so far.
    std::uint32_t width(const MctsNode& node, Children moves) const {
        return std::min<std::uint32_t>(moves.count, wide(node));
    }
    std::uint32_t wide(const MctsNode& node) const {
        return static_cast<std::uint32_t>(
            narrowest + tuning_.widening * std::sqrt(static_cast<float>(node.visits)));
    }

    float selection_value(const MctsNode& child, float untried, float bonus) const {
        if (const std::uint8_t winner = child.won_by; winner != MctsNode::nobody) {
            if (winner == child.mover) return -lost;
            return winner == MctsNode::drawn ? 0.5F : lost + child.prior;
        }
        const std::uint32_t games = child.visits;
        const auto visits = static_cast<float>(games);
        const auto rave_visits = static_cast<float>(child.rave_visits);
        const float share = games < shares_.size() ? shares_[games] : rave_share(visits);
        const float mean = (child.wins + untried) / (visits + 1.0F);
        const float rave =
            (child.rave_wins + rave_caution * untried) / (rave_visits + rave_caution);
        return mean + share * (rave - mean) + bonus * child.prior / (visits + 1.0F);
    }

    /// How much RAVE counts for a move after so many visits.
    float rave_share(float visits) const {
        return std::sqrt(tuning_.rave_equivalence / (3.0F * visits + tuning_.rave_equivalence));
    }

    /// The mover wins if one child is won. If all children are certain and none is won, the result
    /// is proven for two seats; for more it is if it is the same everywhere.
    std::uint8_t certain_winner(const MctsNode& node, std::size_t seats) const {
        const Children moves = node.children;
        const std::uint8_t first = nodes_[moves.first].won_by;
        bool certain = !moves.is_partial;
        bool same = true;
        bool draws = false;
        for (const MctsNode& child : children(moves)) {
            if (child.pointless) continue;
            const std::uint8_t winner = child.won_by;
            if (winner == child.mover) return winner;
            certain = certain && winner != MctsNode::nobody;
            same = same && winner == first;
            draws = draws || winner == MctsNode::drawn;
        }
        if (!certain) return MctsNode::nobody;
        if (same) return first;
        return draws && seats == 2 ? MctsNode::drawn : MctsNode::nobody;
    }

    static double preference(const MctsNode& child) {
        // Of moves that lose for certain the one that was proved last was tried most; it says
        // nothing. What they were worth on average does: there the margin counts.
        if (child.pointless) return pointless_preference;
        if (child.is_lost())
            return 1e3 * (child.wins + child.prior) / (child.visits + 1) - won_preference;
        return (child.is_won() ? won_preference : 0) + child.visits + 1e-3 * child.prior;
    }

    Variation<Move> variation(Index at) const {
        Variation<Move> line;
        line.score = score(nodes_[at], expectation(root()));
        line.drawn = nodes_[at].won_by == MctsNode::drawn;
        while (true) {
            line.moves.push_back(Move::coded(nodes_[at].move));
            const Children moves = nodes_[at].children;
            if (moves.count == 0) return line;
            Index best = moves.first;
            for (Index next = moves.first; next < moves.first + moves.count; ++next) {
                if (preference(nodes_[next]) > preference(nodes_[best])) best = next;
            }
            if (nodes_[best].visits == 0) return line;
            at = best;
        }
    }

    /// Few games are mixed with the expectation, or the luckiest move would always be the best.
    static Score score(const MctsNode& child, float expected) {
        if (child.won_by == MctsNode::drawn) return 0;
        if (child.is_certain()) return child.is_won() ? certain : -certain;
        const auto visits = static_cast<float>(child.visits);
        const float chance = (child.wins + score_caution * expected) / (visits + score_caution);
        return score_of(chance);
    }

    MctsTuning tuning_;
    std::array<float, 512> shares_;  ///< `rave_share` of small numbers of visits
    std::size_t room_;
    std::size_t compared_ = 1;
    AppendOnlyArray<MctsNode> nodes_;
    std::vector<Transposition> transpositions_;  ///< by the last bits of their keys
};

}  // namespace spielleiter::search
