/// @file
/// The tree that counts games: which move to try next, what became of it, and what is certain.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/game.hpp"
#include "prefetch.hpp"
#include "report.hpp"

namespace spielleiter::search {

/// How a tree grows.
struct Tuning {
    float exploration = 0.6F;      ///< weight of what the policy expects
    float sharpness = 1.0F;        ///< power of its chances: below 1 it sees less of a difference
    float equivalence = 300.0F;    ///< games after which RAVE counts half
    float urgency = 0.05F;         ///< an untried move seems so much worse than its position
    float margin = 0.1F;           ///< share of the margin in the worth of a game
    float lead = 20.0F;            ///< the margin that is half of all there can be
    float width = 2.0F;            ///< how fast moves join in
    float patience = 1.0F;         ///< games that end at a position before it is entered
    float trust = 0.0F;            ///< share of what the policy forecasts in the worth of a game
    float late_trust = 1.0F;       ///< the same in the second half of a game, if less
    bool replies = false;          ///< games repeat replies that won before
    bool solver = true;            ///< ends of games are solved, where somebody can
    std::uint32_t overlooked = 0;  ///< of 1024 moves so many are not seen

    /// False if there is nothing of that name.
    bool set(std::string_view name, float value) {
        if (name == "replies") return replies = value != 0, true;
        if (name == "solver") return solver = value != 0, true;
        for (const auto& [known, member] : names) {
            if (known == name) return this->*member = value, true;
        }
        return false;
    }

  private:
    struct Name {
        std::string_view name;
        float Tuning::* member;
    };
    static const std::array<Name, 10> names;
};

inline constexpr std::array<Tuning::Name, 10> Tuning::names{{{"exploration", &Tuning::exploration},
                                                             {"sharpness", &Tuning::sharpness},
                                                             {"equivalence", &Tuning::equivalence},
                                                             {"urgency", &Tuning::urgency},
                                                             {"margin", &Tuning::margin},
                                                             {"lead", &Tuning::lead},
                                                             {"width", &Tuning::width},
                                                             {"patience", &Tuning::patience},
                                                             {"trust", &Tuning::trust},
                                                             {"late_trust", &Tuning::late_trust}}};

/// What a game was worth to each seat, 0 … 1.
using Worth = std::array<float, max_seats>;

/// A move in the tree and the position it leads to.
struct Branch {
    static constexpr std::uint8_t nobody = 0xff;
    static constexpr std::uint8_t drawn = 0xfe;  ///< certainly no sole winner

    std::uint32_t move = 0;         ///< its code
    std::uint32_t first = 0;        ///< of its branches, best opinion first
    std::uint32_t count = 0;        ///< of its branches
    std::uint32_t visits = 0;       ///< games through it, also those in progress
    std::uint32_t rave_visits = 0;  ///< games in which it was played later
    float wins = 0;                 ///< for the seat that makes the move
    float hopes = 0;                ///< for the seat that moves next
    float rave_wins = 0;
    float prior = 0;               ///< chance that it is the best move
    std::uint8_t mover = 0;        ///< the seat that makes the move
    std::uint8_t side = 0;         ///< and for which side, see `NoOpinion`
    std::uint8_t won_by = nobody;  ///< certain winner of the position behind it
    bool closed : 1 = false;       ///< the game is over there
    bool partial : 1 = false;      ///< some of its branches are left out
    bool growing : 1 = false;      ///< a thread is finding its branches
    bool pointless : 1 = false;    ///< never better than the others

    bool is_certain() const { return won_by != nobody; }
    bool is_won() const { return won_by == mover; }
    bool is_lost() const { return is_certain() && won_by != drawn && !is_won(); }
};

/// Branches in a row, the root first, the branches of a position side by side. Threads that share a
/// tree take turns.
template <GamePosition P>
class Tree {
  public:
    using Move = typename P::Move;
    using Index = std::uint32_t;

    /// `twins`: of so many positions it is known where they are, if other moves lead there as well;
    /// a power of two, or none.
    Tree(std::size_t megabytes, Tuning tuning, std::size_t twins = 0)
        : tuning_(tuning), room_((megabytes << 20U) / sizeof(Branch)), twins_(twins) {
        for (std::size_t visits = 0; visits < shares_.size(); ++visits)
            shares_[visits] = rave_share(static_cast<float>(visits));
    }

    bool empty() const { return branches_.empty(); }
    bool full() const { return branches_.size() >= room_; }
    double fill() const {
        if (full()) return 1;
        return static_cast<double>(branches_.size()) / static_cast<double>(room_);
    }
    void clear() { branches_.clear(); }
    /// So many moves at the root are to be compared: every second game goes to the one of the best
    /// that was tried least.
    void compare(std::size_t count) { compared_ = count; }
    Branch& operator[](Index at) { return branches_[at]; }
    const Branch& operator[](Index at) const { return branches_[at]; }
    const Branch& root() const { return branches_[0]; }
    std::span<const Branch> below(const Branch& node) const {
        return {branches_.data() + node.first, node.count};
    }

    void plant() {
        branches_.reserve(room_ + P::Moves::capacity);  // growing would copy it in mid-search
        branches_.assign(1, Branch{});
        branches_[0].mover = Branch::nobody;
        forget_twins();
    }

    /// A branch that leads to the position with that key and has `most` branches, or all there are.
    const Branch* twin(std::uint64_t key, std::size_t most) const {
        if (twins_.empty()) return nullptr;
        const Twin& twin = twins_[key % twins_.size()];
        const Branch& node = branches_[twin.at];
        if (twin.key != key || twin.at == 0) return nullptr;
        return node.count >= most || (node.count > 0 && !node.partial) ? &node : nullptr;
    }
    void remember(std::uint64_t key, Index at) {
        if (!twins_.empty()) twins_[key % twins_.size()] = {key, at};
    }

    /// Gives a branch its branches, in their order; what is known of the present ones is kept.
    void grow(Index at, std::span<const Branch> found, bool partial) {
        const auto before = below(branches_[at]);
        const std::vector<Branch> known(before.begin(), before.end());
        const auto first = static_cast<Index>(branches_.size());
        branches_.insert(branches_.end(), found.begin(), found.end());
        for (const Branch& old : known) {
            const auto same = [&](const Branch& branch) { return branch.move == old.move; };
            const auto place = std::find_if(branches_.begin() + first, branches_.end(), same);
            if (place == branches_.end()) continue;
            *place = old;
            place->growing = false;  // who finds its branches finds them for the old place
        }
        Branch& node = branches_[at];
        if (!found.empty() && known.empty()) node.hopes = hopes_before(node, found[0].mover);
        node.first = first;
        node.count = static_cast<std::uint32_t>(found.size());
        node.partial = partial;
    }

    /// Whether a position was given fewer branches than `widest`, and now needs more of them.
    bool is_too_narrow(Index at, std::size_t widest) const {
        const Branch& node = branches_[at];
        if (!node.partial || node.count >= widest || node.growing || full()) return false;
        const auto branches = below(node);
        return wide(node) > node.count ||
               std::all_of(branches.begin(), branches.end(),
                           [](const Branch& branch) { return branch.is_lost(); });
    }

    /// The branches of a branch are needed soon; all of a family is read from its front.
    void prefetch(Index at) const {
        constexpr std::size_t lines = 8;
        search::prefetch(branches_.data() + branches_[at].first, lines);
    }

    /// The branch to try next: PUCT on the mean of games and of RAVE.
    Index choose(Index at) const {
        const Branch& node = branches_[at];
        if (at == 0 && compared_ > 1 && node.visits % 2 == 0) return least_tried();
        const auto visits = static_cast<float>(node.visits);
        const float first = expectation(node);
        const float bonus = tuning_.exploration * std::sqrt(visits + 1.0F);
        const Index wide = node.first + width(node);
        Index best = node.first;
        float highest = 2 * lost;
        for (Index next = node.first; next < node.first + node.count; ++next) {
            if (next >= wide && highest > lost / 2) break;  // further, if all so far are lost
            if (branches_[next].pointless) continue;
            const float value = promise(branches_[next], first, bonus);
            if (value > highest) highest = value, best = next;
        }
        return best;
    }

    /// Adds a finished game. `played(node)` says for the branches of a node, by their action, which
    /// moves were played later; they count as if they had been played at once.
    template <class Played>
    void back_up(std::span<const Index> path, const Worth& worth, Played&& played) {
        for (const Index at : path) {
            Branch& branch = branches_[at];
            if (branch.mover != Branch::nobody) branch.wins += worth[branch.mover];
            if (branch.count > 0) branch.hopes += worth[branches_[branch.first].mover];
        }
        for (std::size_t depth = path.size(); depth-- > 0;) {
            const Branch& node = branches_[path[depth]];
            const auto is_played = played(depth);
            if (node.count == 0) continue;
            const float value = worth[branches_[node.first].mover];
            const Index end = node.first + width(node);
            for (Index next = node.first; next < end; ++next) {
                if (!is_played(branches_[next])) continue;
                ++branches_[next].rave_visits;
                branches_[next].rave_wins += value;
            }
        }
    }

    /// Certain results, from the leaf upwards as far as they reach.
    void solve(std::span<const Index> path, std::size_t seats) {
        for (std::size_t at = path.size(); at-- > 1;) {
            if (!branches_[path[at]].is_certain()) return;
            Branch& above = branches_[path[at - 1]];
            above.won_by = certain_winner(above, seats);
            if (!above.is_certain()) return;
        }
    }

    /// The best moves at the root: those that were played most often, by their score.
    std::vector<Variation<Move>> lines(std::size_t count) const {
        std::vector<Variation<Move>> best;
        for (const Index at : best_at_root(count)) best.push_back(variation(at));
        std::stable_sort(best.begin(), best.end(),
                         [](const auto& a, const auto& b) { return a.score > b.score; });
        return best;
    }

    /// The branch that leads from `here` to the position with that key, if it lies a few plies
    /// away.
    std::optional<Index> locate(const P& here, std::uint64_t key, int plies, Index at = 0) const {
        if (here.key() == key) return at;
        if (plies == 0 || is_over(here)) return std::nullopt;
        const Branch& node = branches_[at];
        for (Index next = node.first; next < node.first + node.count; ++next) {
            if (branches_[next].visits == 0) continue;
            P child = here;
            child.play(Move::coded(branches_[next].move));
            if (const auto found = locate(child, key, plies - 1, next)) return found;
        }
        return std::nullopt;
    }

    /// Makes a branch the root, with all below it and nothing else. Branches move towards the
    /// front, where there is room by then: memory that is new to the process takes long to get.
    void keep(Index top) {
        const std::vector<Family> families = families_below(top);
        Index next = 1;
        for (const Family& family : families) {
            branches_[family.parent].first = next;
            next += family.count;
        }
        branches_[0] = branches_[top];
        branches_[0].mover = Branch::nobody;
        next = 1;
        for (const Family& family : families) {
            std::copy_n(branches_.begin() + family.first, family.count, branches_.begin() + next);
            next += family.count;
        }
        branches_.resize(next);
        forget_twins();
    }

  private:
    static constexpr float lost = -1e6F;

    /// Branches that lie side by side, and whose they are.
    struct Family {
        Index parent;
        Index first;
        Index count;
    };

    /// Where a position is; the root stands for nowhere.
    struct Twin {
        std::uint64_t key = 0;
        Index at = 0;
    };
    void forget_twins() { std::fill(twins_.begin(), twins_.end(), Twin{}); }

    /// In the order in which they lie.
    std::vector<Family> families_below(Index top) const {
        std::vector<Family> found;
        const auto add = [&](Index at) {
            const Branch& node = branches_[at];
            if (node.count > 0) found.push_back({at, node.first, node.count});
        };
        add(top);
        for (std::size_t done = 0; done < found.size(); ++done) {
            const Family family = found[done];
            for (Index at = family.first; at < family.first + family.count; ++at) add(at);
        }
        std::sort(found.begin(), found.end(),
                  [](const Family& a, const Family& b) { return a.first < b.first; });
        return found;
    }

    /// What an untried move of a position seems to be worth.
    float expectation(const Branch& node) const {
        const auto visits = static_cast<float>(node.visits);
        return (node.visits > 0 ? node.hopes / visits : 0.5F) - tuning_.urgency;
    }

    Index least_tried() const {
        std::vector<Index> order = best_at_root(compared_);
        const auto known = [&](Index at) { return branches_[at].is_certain(); };
        if (!std::all_of(order.begin(), order.end(), known)) std::erase_if(order, known);
        return *std::min_element(order.begin(), order.end(), [&](Index a, Index b) {
            return branches_[a].visits < branches_[b].visits;
        });
    }

    /// The branches of the root, best first; only the first `count` of them are in order.
    std::vector<Index> best_at_root(std::size_t count) const {
        std::vector<Index> order(root().count);
        std::iota(order.begin(), order.end(), root().first);
        const auto better = [&](Index a, Index b) {
            const double first = preference(branches_[a]);
            const double second = preference(branches_[b]);
            return first != second ? first > second : a < b;
        };
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
        std::partial_sort(order.begin(), end, order.end(), better);
        order.erase(end, order.end());
        return order;
    }

    /// What the games before a position was entered promise the seat to move there; the last one is
    /// still in progress.
    static float hopes_before(const Branch& node, Seat mover) {
        if (node.visits == 0) return 0;
        if (node.mover == mover) return node.wins;
        return static_cast<float>(node.visits - 1) - node.wins;
    }

    /// How many branches are in play after so many games.
    std::uint32_t width(const Branch& node) const { return std::min(node.count, wide(node)); }
    std::uint32_t wide(const Branch& node) const {
        return static_cast<std::uint32_t>(5.0F + tuning_.width *
                                                     std::sqrt(static_cast<float>(node.visits)));
    }

    float promise(const Branch& branch, float first, float bonus) const {
        if (branch.is_won()) return -lost;
        if (branch.is_lost()) return lost + branch.prior;
        if (branch.won_by == Branch::drawn) return 0.5F;
        constexpr float caution = 4.0F;  // games that the first guess is worth to RAVE
        const auto visits = static_cast<float>(branch.visits);
        const auto rave_visits = static_cast<float>(branch.rave_visits);
        const float share =
            branch.visits < shares_.size() ? shares_[branch.visits] : rave_share(visits);
        const float mean = (branch.wins + first) / (visits + 1.0F);
        const float rave = (branch.rave_wins + caution * first) / (rave_visits + caution);
        return mean + share * (rave - mean) + bonus * branch.prior / (visits + 1.0F);
    }

    /// How much RAVE counts for a move after so many games.
    float rave_share(float visits) const {
        return std::sqrt(tuning_.equivalence / (3.0F * visits + tuning_.equivalence));
    }

    /// Who moves wins if one branch is won. If all branches are certain and none is won, two seats
    /// know the result; several do if it is the same everywhere.
    std::uint8_t certain_winner(const Branch& node, std::size_t seats) const {
        bool certain = !node.partial;
        bool same = true;
        bool draws = false;
        for (const Branch& branch : below(node)) {
            if (branch.pointless) continue;
            if (branch.is_won()) return branch.mover;
            certain = certain && branch.is_certain();
            same = same && branch.won_by == branches_[node.first].won_by;
            draws = draws || branch.won_by == Branch::drawn;
        }
        if (!certain) return Branch::nobody;
        if (same) return branches_[node.first].won_by;
        return draws && seats == 2 ? Branch::drawn : Branch::nobody;
    }

    static double preference(const Branch& branch) {
        // Of moves that lose for certain the one that was proved last was tried most; it says
        // nothing. What they were worth on average does: there the margin counts.
        if (branch.pointless) return -1e13;
        if (branch.is_lost())
            return 1e3 * (branch.wins + branch.prior) / (branch.visits + 1) - 1e12;
        return (branch.is_won() ? 1e12 : 0) + branch.visits + 1e-3 * branch.prior;
    }

    Variation<Move> variation(Index at) const {
        Variation<Move> line;
        line.score = score(branches_[at], expectation(root()));
        while (true) {
            line.moves.push_back(Move::coded(branches_[at].move));
            const Branch& node = branches_[at];
            if (node.count == 0) return line;
            Index best = node.first;
            for (Index next = node.first; next < node.first + node.count; ++next) {
                if (preference(branches_[next]) > preference(branches_[best])) best = next;
            }
            if (branches_[best].visits == 0) return line;
            at = best;
        }
    }

    /// What few games say is held back, or the luckiest move would always be the best.
    static Score score(const Branch& branch, float expected) {
        constexpr float caution = 10.0F;
        if (branch.won_by == Branch::drawn) return 0;
        if (branch.is_certain()) return branch.is_won() ? certain : -certain;
        const auto visits = static_cast<float>(branch.visits);
        const float chance = (branch.wins + caution * expected) / (visits + caution);
        const float bounded = std::clamp(chance, 0.001F, 0.999F);
        return static_cast<Score>(std::lround(400.0F * std::log10(bounded / (1.0F - bounded))));
    }

    Tuning tuning_;
    std::array<float, 512> shares_;  ///< what `rave_share` says of the first numbers
    std::size_t room_;
    std::size_t compared_ = 1;
    std::vector<Branch> branches_;
    std::vector<Twin> twins_;  ///< by the last bits of their keys
};

}  // namespace spielleiter::search
