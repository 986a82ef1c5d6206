/// @file
/// The parts of core/search/ exercised with Nim, where theory knows every answer. Exits with the
/// number of failures.
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "core/search/alphabeta_engine.hpp"
#include "core/search/best_first_engine.hpp"
#include "core/search/best_reply.hpp"
#include "core/search/maxn.hpp"
#include "core/search/mcts_engine.hpp"
#include "core/search/paranoid.hpp"
#include "core/search/shared.hpp"
#include "core/search/transposition_table.hpp"
#include "examples/nim/position.hpp"

using namespace spielleiter;

namespace {

int failures = 0;

void check(bool holds, const char* what) {
    if (holds) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

/// Seconds of a processor that some work takes: what others do meanwhile does not count.
template <class Work>
double worked(Work work) {
    const std::clock_t begin = std::clock();
    work();
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// No estimate: whoever reaches the horizon knows nothing.
struct Nothing {
    search::Score operator()(const nim::Position&, Seat) const { return 0; }
};

struct Evaluate {
    using Position = nim::Position;
    using Node = search::PlainNode<nim::Position, Nothing>;
    explicit Evaluate(const std::vector<std::int16_t>&) {}
    static Node node(const Position& position) { return Node(position); }
};
static_assert(search::Node<Evaluate::Node>);

search::Limits depth_limit(int depth) {
    search::Limits limits;
    limits.depth = depth;
    return limits;
}

/// Nothing that could lose sight of anything: proofs.
search::EngineOptions plain() {
    search::EngineOptions options;
    options.megabytes = 1;
    for (const auto& name : search::PruningOptions::names) options.pruning.*name.option = false;
    return options;
}

/// The slow twin: plain minimax, no table, no order.
search::Score minimax(const Evaluate::Node& node, int depth, int ply) {
    if (const auto end = node.end()) return search::end_score(*end, ply);
    if (depth == 0) return node.evaluate();
    search::Score best = -search::infinite;
    for (const auto move : node.position().legal_moves()) {
        Evaluate::Node child = node;
        child.play(move);
        best = std::max(best, -minimax(child, depth - 1, ply + 1));
    }
    return best;
}

void search_equals_minimax() {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const auto start = nim::Position::start(seed, "", {});
        for (int depth = 1; depth <= 4; ++depth) {
            search::AlphaBetaEngine<Evaluate> engine(plain());
            const auto report = search::run(engine, start, depth_limit(depth));
            check(report.score() == minimax(Evaluate::Node(start), report.depth, 0),
                  "alpha-beta gives the score of minimax");
        }
    }
}

void the_winner_of_nim_is_found() {
    for (const char* text : {"1/2/3 0", "1/4/5 0", "2/4/6 0", "1/1/0 0", "3/3/0 0"}) {
        search::AlphaBetaEngine<Evaluate> engine(plain());
        const auto position = nim::Position::parse(text, {});
        check(search::run(engine, position, depth_limit(14)).score() < -search::certain,
              "heaps whose xor is nothing are lost");
    }
    for (const char* text : {"1/2/4 0", "5/4/3 0", "0/0/7 0"}) {
        search::AlphaBetaEngine<Evaluate> engine(plain());
        const auto position = nim::Position::parse(text, {});
        check(search::run(engine, position, depth_limit(14)).score() > search::certain,
              "other heaps are won");
    }
}

void the_table_returns_what_was_stored() {
    search::TranspositionTable table(1);
    Random random(7);
    std::vector<std::pair<std::uint64_t, search::TableEntry>> entries;
    for (int n = 0; n < 1000; ++n) {
        const search::TableEntry known{
            random.below(65536), static_cast<int>(random.below(60000)) - 30000,
            static_cast<int>(random.below(60000)) - 30000, static_cast<int>(random.below(120)),
            static_cast<search::Bound>(1 + random.below(3))};
        entries.emplace_back(random.next(), known);
        table.store(entries.back().first, known);
    }
    int found = 0;
    for (const auto& [key, known] : entries) {
        if (const auto read = table.probe(key)) {
            ++found;
            check(*read == known, "an entry is read as it was written");
        }
    }
    check(found > 990, "few entries push each other out");
    check(!table.probe(12345).has_value(), "what was not stored is not found");
    table.clear();
    check(!table.probe(entries[0].first).has_value(), "a cleared table is empty");
}

void old_entries_give_way() {
    search::TranspositionTable table(1);
    const auto crowd = [&](std::uint64_t first, int depth) {
        for (std::uint64_t n = 0; n < 4; ++n)
            table.store((first + n) << 40U, {1, 0, 0, depth, search::Bound::exact});
    };
    crowd(1, 30);
    table.store(std::uint64_t{9} << 40U, {1, 0, 0, 1, search::Bound::exact});
    int deep = 0;
    for (std::uint64_t n = 1; n <= 4; ++n) deep += table.probe(n << 40U).has_value();
    check(deep == 3, "the newest result always finds a place");
    for (int search = 0; search < 10; ++search) table.new_search();
    crowd(20, 1);
    for (std::uint64_t n = 20; n < 24; ++n)
        check(table.probe(n << 40U).has_value(), "shallow new results replace deep old ones");
}

void limits_are_kept() {
    const auto start = nim::Position::parse("9/8/7 0", {});
    for (const std::uint64_t nodes : {1U, 100U, 5000U}) {
        search::Limits limits;
        limits.nodes = nodes;
        search::AlphaBetaEngine<Evaluate> engine({});
        const auto report = search::run(engine, start, limits);
        check(report.nodes <= nodes + 100, "a limit on nodes is kept");
        check(!start.why_illegal(report.best()), "there is always a legal move");
    }
    search::Limits limits;
    limits.time = 0.02;
    search::AlphaBetaEngine<Evaluate> engine({});
    check(worked([&] { search::run(engine, start, limits); }) < 5, "a limit on time is kept");
}

void delays_are_kept_in_reserve() {
    search::SchedulingDelays delays;
    delays.record(0.04);
    check(delays.reserve(1) >= 0.04, "what was lost once may be lost again");
    check(delays.reserve(0.02) < 0.0195, "a part of the time is always used");
    check(delays.reserve_of_time(0.02) <= 0.002, "nearly all of the time to think is used");
    for (int search = 0; search < 500; ++search) delays.decay();
    check(delays.reserve(1) < 0.01, "a quiet machine is trusted again");
    search::Limits limits;
    limits.time = 0.05;
    search::AlphaBetaEngine<Evaluate> engine({});
    const auto start = nim::Position::parse("9/9/9 0", {});
    check(worked([&] { search::run(engine, start, limits); }) < 5,
          "a limit on time is kept with a reserve");
}

void an_account_is_divided_among_the_moves_to_come() {
    for (const int moves : {1, 10, 30, 60}) {
        search::TimeAccount account{60.0, moves};
        for (int left = moves; left > 0; --left) {
            account.moves = left;
            const double planned = account.share();
            check(planned > 0 && planned <= account.seconds / 3, "a third at most, never nothing");
            account.seconds -= planned;
        }
        check(account.seconds > 0 && account.seconds < 60 * 0.7, "it lasts and is used");
    }
    check(search::TimeAccount{0.0, 5}.share() == 0, "an empty account gives nothing");
}

/// Knows how long it lasts.
struct Long {
    static int moves_left() { return 60; }
};

void an_account_becomes_the_time_of_a_move() {
    search::Limits limits;
    limits.account = search::TimeAccount{60.0, {}};
    check(limits.divided().time == 2.5, "a game of unknown length is long");
    check(limits.divided(Long{}).time == 1.25, "a position may know better");
    limits.account->moves = 10;
    check(limits.divided(Long{}).time == 7.5, "whoever gives the account knows best");
    limits.time = 1.0;
    check(limits.divided().time == 1.0, "the smaller limit counts");
    check(!limits.divided().account, "it is divided once");
    check(limits.divided().deadline == 60.0, "nobody may use more than the whole account");
    limits.deadline = 0.5;
    check(limits.divided().time == 0.5, "nobody thinks beyond a deadline");
    limits.deadline.reset();
    check(limits.after(20).account.value_or(search::TimeAccount{}).seconds == 40 &&
              limits.after(20).time == 0.0,
          "what is spent is gone from all");
    check(search::Stop(limits).limits().time == 1.0, "whoever asks a stop is told the time");
}

void a_deadline_is_kept_with_more_care_than_a_time_to_think() {
    const auto think = [](search::Limits limits) {
        search::SchedulingDelays delays;  // nothing is known about the machine yet
        search::Stop stop(limits, {}, 1, &delays);
        std::uint64_t nodes = 0;
        while (!stop.check(++nodes)) {
        }
        return stop.seconds();
    };
    search::Limits limits;
    limits.time = 0.02;
    check(think(limits) >= 0.018, "a short time to think is used");
    limits.deadline = 0.03;
    check(worked([&] { think(limits); }) < 0.015, "a deadline has a reserve for what is unknown");
}

void what_passes_between_two_steps_is_no_delay() {
    search::SchedulingDelays delays;
    const double before = delays.longest();
    search::Limits limits;
    limits.time = 60;
    search::Stop stop(limits, {}, 1, &delays);
    while (stop.seconds() < 0.05) {
    }
    const double resumed = stop.seconds();
    stop.resume();
    check(!stop.check(1), "there is time");
    const double looked = stop.seconds();  // right after it, unless the system is busy
    check(delays.longest() <= std::max(before, looked - resumed),
          "somebody else's time is not learnt from");
    while (stop.seconds() < looked + 0.05) {
    }
    stop.end();
    check(delays.longest() > 0.02, "but what the end of a search takes is");
}

void the_first_nodes_are_checked_most() {
    search::Limits limits;
    limits.time = 0.01;
    search::Stop stop(limits, {}, 512);
    std::uint64_t nodes = 0;
    while (!stop.check(++nodes)) {
        for (const double begin = stop.seconds(); stop.seconds() < begin + 0.002;) {
        }
    }
    check(nodes < 10, "slow nodes are not taken for quick ones");
}

void an_account_outlives_its_delays() {
    const double delay = 0.05;
    for (const int moves : {1, 10, 40}) {
        search::Limits limits;
        limits.account = search::TimeAccount{3.0, moves};
        for (int left = moves; left > 0; --left) {
            limits.account->moves = left;
            const double planned = limits.divided(delay).time.value_or(0);
            check(planned > 0, "something can always be used");
            // Whoever thinks for long meets a delay; one answer in four does anyway.
            const bool meets = planned > 0.003 || left % 4 == 0;
            limits.account->seconds -= planned + (meets ? delay : 0);
        }
        check(limits.account->seconds > 2 * delay, "whatever happens, some are left");
    }
}

void somebody_may_interrupt() {
    search::AlphaBetaEngine<Evaluate> engine({});
    const auto start = nim::Position::parse("9/9/9 0", {});
    const auto report = search::run(engine, start, {}, 1, [] { return true; });
    check(!start.why_illegal(report.best()), "an interrupted search still has a move");
}

void threads_agree_on_certain_ends() {
    search::EngineOptions options = plain();
    options.threads = 3;
    search::AlphaBetaEngine<Evaluate> engine(options);
    const auto position = nim::Position::parse("3/4/5 0", {});
    check(search::run(engine, position, depth_limit(12)).score() > search::certain,
          "three threads win");
}

void trees_solve_small_games() {
    for (const char* text : {"1/2/3 0", "1/1/0 0", "2/2/0 0"}) {
        search::Mcts<nim::Position> tree(1);
        search::Stop stop{search::Limits{}};
        tree.begin(nim::Position::parse(text, {}));
        tree.run(stop, 20'000);
        check(tree.solved() && tree.lines(1)[0].score <= -search::certain, "a lost game is proven");
    }
    search::Mcts<nim::Position> tree(1);
    search::Stop stop{search::Limits{}};
    tree.begin(nim::Position::parse("1/2/2 0", {}));
    tree.run(stop, 20'000);
    check(tree.solved() && tree.lines(1)[0].score >= search::certain, "a won game is proven");
    check(tree.lines(1)[0].moves.front().text() == "A1", "by the only winning move");
}

void a_tree_is_kept_from_move_to_move() {
    search::Mcts<nim::Position> tree(1);
    search::Stop stop{search::Limits{}};
    auto position = nim::Position::parse("7/8/9 0", {});
    tree.begin(position);
    tree.run(stop, 2'000);
    const auto line = tree.lines(1)[0].moves;
    const auto known = tree.fill();
    position.play(line[0]);
    position.play(line[1]);
    tree.begin(position);
    check(tree.fill() > 0 && tree.fill() < known, "a part of the tree is left");
    check(tree.choices() == position.legal_moves().size(), "it is the right part");
    tree.begin(nim::Position::parse("1/1/1 0", {}));
    tree.run(stop, 100);
    check(tree.choices() == 3, "an unknown position gets a new tree");
}

void the_same_seed_grows_the_same_tree() {
    const auto grow = [] {
        search::MctsEngine<search::UniformPolicy<nim::Position>> engine(1, 1, 5);
        search::Limits limits;
        limits.simulations = 1'000;
        engine.begin(nim::Position::parse("7/8/9 0", {}), limits, 30);
        while (engine.step()) {
        }
        return engine.report();
    };
    const auto first = grow();
    const auto second = grow();
    check(first.nodes == 1'000 && second.nodes == 1'000, "as many games as asked for");
    for (std::size_t at = 0; at < first.lines.size(); ++at) {
        check(first.lines[at].moves == second.lines[at].moves, "the same lines");
        check(first.lines[at].score == second.lines[at].score, "the same scores");
    }
}

/// Nim as a table of several seats: two of them, so that every such search must find what
/// alpha-beta finds.
class NimTable {
  public:
    using Move = nim::Position::Move;
    using Moves = nim::Position::Moves;
    static constexpr std::size_t slots = nim::Position::actions;

    explicit NimTable(const nim::Position& position) : position_(position) {}
    static std::size_t seats() { return 2; }
    Seat to_move() const { return position_.to_move(); }
    void list_moves(Moves& moves) const {
        for (const auto move : position_.legal_moves()) moves.push_back(move);
    }
    void list_moves_of(Seat, Moves& moves) const { list_moves(moves); }
    bool is_legal(Move move) const { return !position_.why_illegal(move); }
    bool is_legal_for(Seat seat, Move move) const { return seat == to_move() && is_legal(move); }
    static std::size_t slot(Move move) { return nim::Position::action(move); }
    void play(Move move) { position_.play(move); }
    void play_as(Seat, Move move, Seat) { position_.play(move); }
    std::uint64_t key() const { return position_.key(); }
    static std::array<search::Score, max_seats> estimates() { return {}; }
    std::optional<std::array<int, max_seats>> end() const {
        const auto outcome = position_.outcome();
        if (!outcome) return std::nullopt;
        const int first = outcome->ranks[0] == 1 ? 1 : -1;
        return std::array<int, max_seats>{first, -first};
    }

  private:
    nim::Position position_;
};

template <class NodeType>
struct AsTable {
    using Position = nim::Position;
    using Node = NodeType;
    explicit AsTable(const std::vector<std::int16_t>&) {}
    static Node node(const Position& position) { return Node(NimTable(position)); }
};
using Paranoid = AsTable<search::ParanoidNode<NimTable>>;
using BestReply = AsTable<search::BestReplyNode<NimTable>>;
struct Selfish : Paranoid {
    using Paranoid::Paranoid;
    struct Search : search::MaxN<Paranoid::Node> {
        Search(search::TranspositionTable&, const search::EngineOptions& options, const Selfish&)
            : search::MaxN<Paranoid::Node>(options.pruning, options.seed) {}
    };
};

template <class Kind>
void a_table_of_two_is_a_duel() {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const auto start = nim::Position::start(seed, "", {});
        search::AlphaBetaEngine<Kind> engine(plain());
        const auto report = search::run(engine, start, depth_limit(4));
        check(report.score() == minimax(Evaluate::Node(start), report.depth, 0),
              "search for several gives the score of minimax");
    }
    for (const char* text : {"1/2/3 0", "1/1/0 0"}) {
        search::AlphaBetaEngine<Kind> engine(plain());
        check(search::run(engine, nim::Position::parse(text, {}), depth_limit(9)).score() <
                  -search::certain,
              "search for several sees a lost game");
    }
}

/// Nim as best-first search plays on it: nobody knows anything before the end.
class BestFirstNim : public NimTable {
  public:
    explicit BestFirstNim(const NimTable& table) : NimTable(table) {}
    bool is_over() const { return end().has_value(); }
    search::SeatValues seat_values() const {
        const auto values = end();
        if (!values) return {0.5F, 0.5F};
        return {(*values)[0] > 0 ? 1.0F : 0.0F, (*values)[1] > 0 ? 1.0F : 0.0F};
    }
};
static_assert(search::BestFirstPosition<BestFirstNim>);
using BestFirstTable = AsTable<BestFirstNim>;

void best_first_search_solves_small_games(unsigned threads) {
    search::EngineOptions options = plain();
    options.threads = threads;
    for (const auto& [text, won] :
         {std::pair{"1/2/3 0", false}, std::pair{"1/2/2 0", true}, std::pair{"2/3/3 0", true}}) {
        search::BestFirstEngine<BestFirstTable> engine(options);
        engine.begin(nim::Position::parse(text, {}), {});
        while (engine.step()) {
        }
        // A loss is never certain: somebody may err.
        check(won == (engine.report().lines[0].score > search::certain), "a small game is solved");
    }
}

void threads_share_a_best_first_tree_that_is_pruned() {
    search::EngineOptions options = plain();
    options.threads = 3;
    options.megabytes = 1;
    search::BestFirstEngine<BestFirstTable> engine(options);
    search::Limits limits;
    limits.nodes = 200'000;
    engine.begin(nim::Position::parse("9/9/9 0", {}), limits);
    while (engine.step()) {
    }
    check(engine.report().nodes >= 200'000 || engine.report().score() > search::certain,
          "a tree of three threads makes room and grows on");
}

/// Nim as somebody sees it who thinks the same of every position.
class SteadyNim : public NimTable {
  public:
    explicit SteadyNim(const NimTable& table) : NimTable(table) {}
    bool is_over() const { return end().has_value(); }
    static search::SeatValues seat_values() { return {0.3F, 0.7F}; }
};

void what_was_seen_a_million_times_is_not_rounded_away() {
    search::BestFirstTree<SteadyNim> tree(1);
    tree.begin(AsTable<SteadyNim>::node(nim::Position::parse("9/9/9 0", {})), 1);
    for (int look = 0; look < 2'000'000; ++look) tree.descend();
    check(std::abs(tree.root().mean[0] - 0.3F) < 1e-4F, "the mean of equal values is as they are");
}

void a_full_tree_is_pruned() {
    search::BestFirstTree<BestFirstNim> tree(1);
    tree.begin(BestFirstTable::node(nim::Position::parse("9/9/9 0", {})), 60);
    while (!tree.is_full()) tree.descend();
    const double full = tree.fill();
    tree.descend();
    check(tree.fill() == full, "without room no leaf is opened");
    for (int time = 0; time < 5; ++time) {
        const float weight = tree.root().weight;
        tree.prune();
        check(tree.fill() <= 0.5, "half of the room is free");
        check(tree.root().weight == weight && tree.root().children == 27, "the root stays");
        while (!tree.is_full() && !tree.solved()) tree.descend();
    }
}

void a_tree_is_not_pruned_when_time_is_nearly_up() {
    const auto grown = [](double pruning_time) {
        search::BestFirstEngine<BestFirstTable> engine(plain(), pruning_time);
        search::Limits limits;
        limits.time = 60;
        limits.nodes = 60'000;  // more than there is room for
        engine.begin(nim::Position::parse("9/9/9 0", {}), limits);
        while (engine.step()) {
        }
        return engine.report();
    };
    check(grown(0.001).nodes >= 60'000, "with time enough the tree grows on");
    const auto report = grown(100);
    check(report.nodes < 60'000 && report.fill > 990, "without it the search ends when it is full");
    check(report.seconds < 50 && !report.lines.empty(), "with what it has found");
}

void work_is_allowed_while_there_is_time_for_it() {
    search::Stop endless{search::Limits{}};
    check(endless.allows(1e9), "without a limit there is time for everything");
    search::Limits limits;
    limits.time = 60;
    search::Stop stop(limits);
    check(stop.allows(1) && !stop.requested(), "there is time for a little");
    check(!stop.allows(60) && stop.requested(), "but not for so much, and the search is over");
}

void styles_are_refused_where_there_are_none() {
    search::EngineOptions options = plain();
    options.style = "maxn";
    bool refused = false;
    try {
        search::AlphaBetaEngine<Evaluate> engine(options);
    } catch (const UsageError&) {
        refused = true;
    }
    check(refused, "an unknown style is refused");
}

void threads_share_a_tree() {
    search::MctsEngine<search::UniformPolicy<nim::Position>> engine(1, 3, 5);
    search::Limits limits;
    limits.simulations = 30'000;
    engine.begin(nim::Position::parse("1/4/5 0", {}), limits);
    while (engine.step()) {
    }
    check(engine.report().lines[0].score <= -search::certain, "three threads prove a loss");
}

void what_threads_append_lies_side_by_side() {
    constexpr std::size_t pieces = 2'000;
    constexpr std::array<std::size_t, 3> sizes{1, 2, 5};
    search::AppendOnlyArray<std::size_t> array;
    array.reserve(pieces * 8 + 1);
    std::array<std::vector<std::size_t>, 3> begins;
    {
        std::vector<std::jthread> threads;
        threads.reserve(sizes.size());
        for (std::size_t thread = 0; thread < sizes.size(); ++thread)
            threads.emplace_back([&, thread] {
                const std::vector<std::size_t> piece(sizes[thread], thread);
                for (std::size_t count = 0; count < pieces; ++count)
                    begins[thread].push_back(array.append(piece).value());
            });
    }
    bool whole = true;
    for (std::size_t thread = 0; thread < sizes.size(); ++thread) {
        for (const std::size_t begin : begins[thread])
            for (std::size_t at = begin; at < begin + sizes[thread]; ++at)
                whole = whole && array[at] == thread;
    }
    check(whole && array.size() == pieces * 8, "nobody writes over what another thread appended");
    const std::array<std::size_t, 2> two{};
    check(!array.append(two) && array.size() == pieces * 8, "what does not fit is not appended");
}

using NimTree = search::MctsTree<nim::Position>;

/// All of a tree below a node, as text.
std::string told(const NimTree& tree, NimTree::Index at) {
    std::string text = std::to_string(tree[at].move) + "/" + std::to_string(tree[at].visits) + "(";
    const search::Children children = tree[at].children;
    for (std::uint32_t next = 0; next < children.count; ++next)
        text += told(tree, children.first + next);
    return text + ")";
}

void what_is_kept_of_a_tree_stays_in_its_place() {
    NimTree tree(1, {});
    Random random(3);
    tree.reset();
    std::uint32_t size = 1;
    for (std::size_t grown = 0; grown < 400; ++grown) {
        // Some have children already: new ones take their place, but keep what is below them.
        const NimTree::Index at = grown % 50 == 0 ? 0 : random.below(size);
        const std::size_t present = tree[at].children.get().count;
        std::vector<search::MctsNode> found(std::max(present, 1 + grown % 4));
        for (std::uint32_t next = 0; next < found.size(); ++next)
            found[next].move = next, found[next].visits = size + next;
        tree.expand(at, found, false);
        size += static_cast<std::uint32_t>(found.size());
    }
    while (!tree.children(tree.root()).empty()) {
        const search::Children children = tree.root().children;
        const NimTree::Index top = children.first + children.count - 1;
        const std::string before = told(tree, top);
        const search::MctsNode* const memory = &tree[0];
        const double fill = tree.fill();
        tree.keep(top);
        check(told(tree, 0) == before, "a node with all below it");
        check(tree.fill() < fill, "and nothing else");
        check(&tree[0] == memory, "no new memory is taken");
    }
}

void a_full_tree_is_pruned_and_grows_on() {
    search::Mcts<nim::Position> tree(1, 1);
    search::Stop stop{search::Limits{}};
    const auto position = nim::Position::parse("9/9/9 0", {});
    tree.begin(position);
    while (!tree.full() && !tree.solved()) tree.run(stop, 100);
    check(tree.full(), "a megabyte is not enough");
    std::vector<std::uint32_t> before;
    for (const auto move : position.legal_moves()) before.push_back(tree.visits(move));
    const auto best = tree.lines(1).front().moves.front();
    tree.prune();
    check(tree.fill() <= 0.5, "half of the room is free");
    std::vector<std::uint32_t> after;
    for (const auto move : position.legal_moves()) after.push_back(tree.visits(move));
    check(before == after && tree.lines(1).front().moves.front() == best,
          "what was counted at the root stays");
    const double fill = tree.fill();
    const std::uint64_t games = tree.games();
    tree.run(stop, 300);
    check(tree.games() == games + 300 && tree.fill() > fill, "the tree grows again");
}

void moves_that_are_compared_are_all_tried() {
    const auto position = nim::Position::parse("7/8/9 0", {});
    const auto tried = [&](std::size_t lines) {
        search::Mcts<nim::Position> tree(1);
        search::Stop stop{search::Limits{}};
        tree.begin(position, lines);
        tree.run(stop, 400);
        std::uint32_t least = 400;
        for (const auto move : position.legal_moves()) least = std::min(least, tree.visits(move));
        return least;
    };
    check(tried(1) < 5, "one move is looked for: bad ones are left alone");
    check(tried(24) >= 8, "every second game goes round");
}

/// Scores of different depths are no order.
void lines_are_in_order_however_the_search_ends() {
    const auto start = nim::Position::parse("5/6/7 0", {});
    for (std::uint64_t nodes = 200; nodes < 20'000; nodes += 373) {
        search::Limits limits;
        limits.nodes = nodes;
        search::EngineOptions options;
        options.megabytes = 1;
        search::AlphaBetaEngine<Evaluate> engine(options);
        const auto report = search::run(engine, start, limits, 18);
        for (std::size_t at = 1; at < report.lines.size(); ++at)
            check(report.lines[at - 1].score >= report.lines[at].score, "the best line is first");
    }
}

void a_full_tree_goes_on_counting() {
    search::Mcts<nim::Position> tree(1, 0);
    search::Stop stop{search::Limits{}};
    const auto position = nim::Position::parse("9/9/8 0", {});
    tree.begin(position);
    tree.run(stop, 500);
    check(tree.games() == 500 && tree.choices() == 26, "a tree without room still plays games");
    std::uint32_t visits = 0;
    for (const auto move : position.legal_moves()) visits += tree.visits(move);
    check(visits == 500, "every game begins with a move at the root");
    tree.begin(position, 26);
    tree.begin(position, 26);
    tree.run(stop, 100);
    check(tree.choices() == 26 && tree.fill() == 1, "all moves are asked for in a full tree");
}

/// Likes moves by their number and keeps three.
struct Narrow : search::UniformPolicy<nim::Position> {
    static constexpr std::size_t widest = 3;
    static float prior(const nim::Position&, nim::Move move) {
        return static_cast<float>(move.code() % 7) / 7.0F;
    }
};

void moves_left_out_come_back_at_the_root() {
    search::Mcts<nim::Position, Narrow> tree(1);
    search::Stop stop{search::Limits{}};
    auto position = nim::Position::parse("7/8/9 0", {});
    tree.begin(position);
    check(tree.choices() == 24, "the root has all moves");
    tree.run(stop, 2'000);
    const auto line = tree.lines(1)[0].moves;
    position.play(line[0]);
    position.play(line[1]);
    tree.begin(position);
    check(tree.choices() == position.legal_moves().size(), "so has the root of what is kept");
    std::uint32_t visits = 0;
    for (const auto move : position.legal_moves()) visits += tree.visits(move);
    check(visits > 0, "what was known of some is kept");
}

void nothing_is_lost_while_moves_are_left_out() {
    search::Mcts<nim::Position, Narrow> tree(3);
    search::Stop stop{search::Limits{}};
    tree.begin(nim::Position::parse("1/4/5 0", {}));
    tree.run(stop, 20'000);
    check(!tree.solved() || tree.lines(1)[0].score <= -search::certain, "no false win is claimed");
}

/// Counts how many moves it was asked about.
struct Asked {
    using Position = nim::Position;
    static constexpr std::size_t widest = Narrow::widest;
    std::uint64_t* moves = nullptr;
    float prior(const nim::Position& position, nim::Move move) const {
        ++*moves;
        return Narrow::prior(position, move);
    }
    static std::optional<nim::Move> playout_move(const nim::Position& position, Random& random) {
        return random_move(position, random);
    }
};
struct AskedOnce : Asked {
    static constexpr std::size_t transpositions = 1024;
};

void transpositions_are_not_asked_about_again() {
    const auto grown = [](auto policy, std::uint64_t& asked) {
        policy.moves = &asked;
        search::Mcts<nim::Position, decltype(policy)> tree(7, 1, 1, {}, policy);
        search::Stop stop{search::Limits{}};
        auto position = nim::Position::parse("7/8/9 0", {});
        std::vector<std::uint32_t> visits;
        for (int ply = 0; ply < 3; ++ply) {
            tree.begin(position);
            tree.run(stop, 3'000);
            for (const auto move : position.legal_moves()) visits.push_back(tree.visits(move));
            position.play(tree.lines(1)[0].moves[0]);
        }
        return visits;
    };
    std::uint64_t asked = 0;
    std::uint64_t asked_once = 0;
    check(grown(Asked{}, asked) == grown(AskedOnce{}, asked_once),
          "transpositions change no result");
    check(10 * asked_once < 9 * asked, "what is known of a position is not asked again");
}

void overlooked_moves_are_not_seen() {
    const auto seen = [](std::uint32_t overlooked, std::uint64_t seed) {
        search::MctsTuning tuning;
        tuning.overlooked = overlooked;
        search::Mcts<nim::Position> tree(seed, 1, 1, tuning);
        tree.begin(nim::Position::parse("9/9/9 0", {}));
        return tree.choices();
    };
    check(seen(0, 1) == 27, "who overlooks nothing sees all moves");
    check(seen(1024, 1) == 1, "who overlooks everything still has a move");
    std::size_t sum = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) sum += seen(512, seed);
    check(sum > 440 && sum < 640, "half of the moves are overlooked");
}

/// Ends a search from outside: every engine stops at its next node.
template <search::Engine E>
void an_engine_that_is_stopped_reports(E engine) {
    engine.begin(nim::Position::parse("9/9/9 0", {}), {}, 1, {});
    check(engine.step(), "there is something to do");
    engine.stop();
    check(!engine.step() && !engine.report().lines.empty(), "a stopped engine keeps its report");
    engine.forget();
    search::Limits limits;
    limits.nodes = 100;
    check(!search::run(engine, nim::Position::parse("9/9/9 0", {}), limits).lines.empty(),
          "and searches again");
}

void check_all() {
    search_equals_minimax();
    the_winner_of_nim_is_found();
    the_table_returns_what_was_stored();
    old_entries_give_way();
    limits_are_kept();
    delays_are_kept_in_reserve();
    a_deadline_is_kept_with_more_care_than_a_time_to_think();
    an_account_is_divided_among_the_moves_to_come();
    an_account_becomes_the_time_of_a_move();
    what_passes_between_two_steps_is_no_delay();
    the_first_nodes_are_checked_most();
    an_account_outlives_its_delays();
    somebody_may_interrupt();
    threads_agree_on_certain_ends();
    trees_solve_small_games();
    a_tree_is_kept_from_move_to_move();
    the_same_seed_grows_the_same_tree();
    a_table_of_two_is_a_duel<Paranoid>();
    a_table_of_two_is_a_duel<BestReply>();
    a_table_of_two_is_a_duel<Selfish>();
    best_first_search_solves_small_games(1);
    best_first_search_solves_small_games(3);
    threads_share_a_best_first_tree_that_is_pruned();
    what_was_seen_a_million_times_is_not_rounded_away();
    a_full_tree_is_pruned();
    a_tree_is_not_pruned_when_time_is_nearly_up();
    work_is_allowed_while_there_is_time_for_it();
    styles_are_refused_where_there_are_none();
    threads_share_a_tree();
    what_threads_append_lies_side_by_side();
    a_full_tree_goes_on_counting();
    what_is_kept_of_a_tree_stays_in_its_place();
    a_full_tree_is_pruned_and_grows_on();
    moves_that_are_compared_are_all_tried();
    lines_are_in_order_however_the_search_ends();
    moves_left_out_come_back_at_the_root();
    nothing_is_lost_while_moves_are_left_out();
    transpositions_are_not_asked_about_again();
    overlooked_moves_are_not_seen();
    an_engine_that_is_stopped_reports(search::AlphaBetaEngine<Evaluate>(plain()));
    an_engine_that_is_stopped_reports(search::BestFirstEngine<BestFirstTable>(plain()));
    an_engine_that_is_stopped_reports(
        search::MctsEngine<search::UniformPolicy<nim::Position>>(1, 1, 5));
}

}  // namespace

int main() {
    try {
        check_all();
    } catch (const std::exception& problem) {
        check(false, problem.what());
    }
    std::printf("%d failures\n", failures);
    return failures;
}
