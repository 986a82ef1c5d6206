/// @file
/// Search for Python: the engines and the evaluation of a game.
#pragma once

#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alphabeta_engine.hpp"
#include "core/bind.values.hpp"
#include "engine.hpp"
#include "mcts_engine.hpp"

namespace spielleiter::binding {

/// Limits as Python gives them, each by its name.
struct LimitArguments {
    std::optional<double> time;                ///< seconds to think
    std::optional<double> deadline;            ///< seconds after which an answer is too late
    std::optional<double> account;             ///< seconds for all moves to come
    std::optional<int> moves_left;             ///< that the account must last for
    std::optional<std::uint64_t> nodes;        ///< positions
    std::optional<int> depth;                  ///< plies
    std::optional<std::uint64_t> simulations;  ///< games played out

    /// The same as an engine takes them; refuses nonsense.
    template <class Engine>
    search::Limits limits() const {
        if ((time && *time < 0) || (deadline && *deadline < 0) || (account && *account < 0))
            raise("UsageError", "a time is not negative");
        if (moves_left && *moves_left < 1) raise("UsageError", "the moves left are at least 1");
        if (depth && *depth < 1) raise("UsageError", "a depth is at least 1");
        if (simulations && !requires { Engine::plays_out; })
            raise("UsageError", "this search plays no games out: limit its nodes");
        search::Limits limits{time, deadline, std::nullopt, nodes, depth, simulations};
        if (account) limits.account = search::TimeAccount{*account, moves_left};
        return limits;
    }
};

/// A report as `spielleiter.game.Report`.
template <class P>
nb::object to_python(const search::Report<typename P::Move>& report,
                     const MoveObjects<P>& objects) {
    const nb::object line = ours("spielleiter.game", "Variation");
    nb::list lines;
    for (const auto& variation : report.lines) {
        nb::list moves;
        for (const auto move : variation.moves) moves.append(nb::steal(objects.object(move)));
        lines.append(line(variation.score, nb::tuple(moves), variation.drawn));
    }
    return ours("spielleiter.game", "Report")(nb::tuple(lines), report.depth, report.nodes,
                                              report.seconds, report.fill);
}

/// An engine as Python sees it: one search at a time, from any thread. Its memory is large:
/// other threads run while it is allocated or cleared, too.
template <search::Engine Engine>
class EngineHandle {
  public:
    /// Makes the engine in place.
    template <class... Args>
        requires std::constructible_from<Engine, Args...>
    explicit EngineHandle(Args&&... args) : engine_(std::forward<Args>(args)...) {}

    /// Taken for as long as anything below is used.
    ExclusiveUse::Guard exclusive() {
        return {exclusive_use_, "this engine is searching: one search at a time"};
    }

    /// As if new; a search in progress is over.
    void forget() {
        ++searches_;
        without_gil([this] { engine_.forget(); });
    }
    /// Prepares a search; refuses a position without a legal move.
    template <class P>
    void begin(const P& position, const LimitArguments& arguments, std::size_t lines) {
        if (is_over(position) || position.legal_moves().empty())
            raise("UsageError", "there is no legal move to search");
        const search::Limits limits = arguments.limits<Engine>();
        ++searches_;
        without_gil([&, here = position] { engine_.begin(here, limits, lines, user_interrupts); });
    }
    /// One iteration; false at the end.
    bool step() {
        return without_gil([this] { return engine_.step(); });
    }
    /// What was found so far.
    const auto& report() const { return engine_.report(); }
    /// For what only this engine can tell.
    const Engine& engine() const { return engine_; }
    /// A number for the search that was begun last.
    std::uint64_t searches() const { return searches_; }

  private:
    Engine engine_;
    ExclusiveUse exclusive_use_;
    std::uint64_t searches_ = 0;
};

/// A search that goes on from report to report.
template <search::Engine Engine>
class Analysis {
  public:
    /// Of the search that was begun last.
    explicit Analysis(EngineHandle<Engine>& searcher)
        : searcher_(&searcher), search_(searcher.searches()) {}

    /// The next report; ends the iteration when the search is over.
    template <class P>
    nb::object next(const MoveObjects<P>& objects) {
        const auto guard = searcher_->exclusive();
        if (searcher_->searches() != search_)
            raise("UsageError", "the engine has begun something else: this search is over");
        if (!searcher_->step()) throw nb::stop_iteration();
        return to_python<P>(searcher_->report(), objects);
    }

  private:
    EngineHandle<Engine>* searcher_;
    std::uint64_t search_;
};

/// All pruning options but the named ones.
inline search::PruningOptions pruning_without(const std::vector<std::string>& names) {
    search::PruningOptions pruning;
    for (const auto& name : names) {
        bool* option = pruning.named(name);
        if (option == nullptr) raise("UsageError", "search has no pruning option " + name);
        *option = false;
    }
    return pruning;
}

/// Options from the arguments of Python.
inline search::EngineOptions options_of(std::size_t table, unsigned threads, std::uint64_t seed,
                                        int overlooked, const std::vector<std::string>& without,
                                        std::vector<std::int16_t> weights) {
    search::EngineOptions options;
    options.megabytes = table;
    options.threads = threads;
    options.seed = seed;
    options.pruning = pruning_without(without);
    options.pruning.overlooked = overlooked;
    options.weights = std::move(weights);
    return options;
}

/// Binds what every engine can do. `running` is the name of the class of its analyses.
template <class P, search::Engine Engine>
nb::class_<EngineHandle<Engine>> bind_search(nb::module_& module, const MoveObjects<P>& objects,
                                             const char* name, const char* running,
                                             const char* doc) {
    using Running = Analysis<Engine>;
    using Searching = EngineHandle<Engine>;
    nb::class_<Running>(module, running, "Reports of a search that goes on.")
        .def(
            "__iter__", [](nb::handle self) { return nb::borrow(self); },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[spielleiter.game.Report]"))
        .def(
            "__next__", [objects](Running& self) { return self.next(objects); },
            nb::sig("def __next__(self) -> spielleiter.game.Report"));
    nb::class_<Searching> engine(module, name, doc);
    engine
        .def(
            "forget",
            [](Searching& self) {
                const auto guard = self.exclusive();
                self.forget();
            },
            "As if new.")
        .def(
            "search",
            [objects](Searching& self, const P& position, std::optional<double> time,
                      std::optional<double> deadline, std::optional<double> account,
                      std::optional<int> moves_left, std::optional<std::uint64_t> nodes,
                      std::optional<int> depth, std::optional<std::uint64_t> simulations,
                      std::size_t lines) {
                const auto guard = self.exclusive();
                self.begin(position,
                           {time, deadline, account, moves_left, nodes, depth, simulations}, lines);
                while (self.step()) {
                }
                return to_python<P>(self.report(), objects);
            },
            "position"_a, nb::kw_only(), "time"_a = nb::none(), "deadline"_a = nb::none(),
            "account"_a = nb::none(), "moves_left"_a = nb::none(), "nodes"_a = nb::none(),
            "depth"_a = nb::none(), "simulations"_a = nb::none(), "lines"_a = 1,
            nb::sig(
                "def search(self, position: spielleiter.game.Position, *, time: float | None = "
                "None, "
                "deadline: float | None = None, account: float | None = None, moves_left: int | "
                "None = None, nodes: int | "
                "None = None, "
                "depth: int | None = None, simulations: int | None = None, lines: int = 1) -> "
                "spielleiter.game.Report"),
            "The best moves within the limits: seconds to think; seconds after which an answer is "
            "too late; seconds for all moves to come, and how many of them there are; positions; "
            "plies; games played out. As many lines as there "
            "are moves give the score of every move.")
        .def(
            "analyse",
            [](Searching& self, const P& position, std::optional<double> time,
               std::optional<double> deadline, std::optional<double> account,
               std::optional<int> moves_left, std::optional<std::uint64_t> nodes,
               std::optional<int> depth, std::optional<std::uint64_t> simulations,
               std::size_t lines) {
                const auto guard = self.exclusive();
                self.begin(position,
                           {time, deadline, account, moves_left, nodes, depth, simulations}, lines);
                return Running(self);
            },
            nb::keep_alive<0, 1>(), "position"_a, nb::kw_only(), "time"_a = nb::none(),
            "deadline"_a = nb::none(), "account"_a = nb::none(), "moves_left"_a = nb::none(),
            "nodes"_a = nb::none(), "depth"_a = nb::none(), "simulations"_a = nb::none(),
            "lines"_a = 1,
            nb::sig(
                "def analyse(self, position: spielleiter.game.Position, *, time: float | None "
                "= None, "
                "deadline: float | None = None, account: float | None = None, moves_left: int | "
                "None = None, nodes: int | "
                "None = None, "
                "depth: int | None = None, simulations: int | None = None, lines: int = 1) -> "
                "collections.abc.Iterator[spielleiter.game.Report]"),
            "The same, but with reports on the way.");
    return engine;
}

/// The engine of a game: the one it brings, or the one of its nodes.
template <class Evaluate>
struct EngineOf {
    /// Alpha-beta over the nodes of the game.
    using Type = search::AlphaBetaEngine<Evaluate>;
};
/// A game that brings its own engine.
template <class Evaluate>
    requires requires { typename Evaluate::Engine; }
struct EngineOf<Evaluate> {
    /// Chosen by the game.
    using Type = typename Evaluate::Engine;
};

/// `Engine` of a game that can judge positions, and the names of its pruning options.
template <class P, class Evaluate>
void bind_engine(nb::module_& module, const MoveObjects<P>& objects) {
    using Engine = typename EngineOf<Evaluate>::Type;
    bind_search<P, Engine>(module, objects, "Engine", "Analysis",
                           "Alpha-beta: remembers what it learnt; one search at a time.")
        .def(
            "__init__",
            [](EngineHandle<Engine>* self, std::size_t table, unsigned threads, std::uint64_t seed,
               int overlooked, const std::vector<std::string>& without,
               std::vector<std::int16_t> weights, const std::string& style, bool adaptive) {
                try {
                    auto options =
                        options_of(table, threads, seed, overlooked, without, std::move(weights));
                    options.style = style;
                    options.adaptive = adaptive;
                    without_gil([&] { new (self) EngineHandle<Engine>(std::move(options)); });
                } catch (const UsageError& error) {
                    raise("UsageError", error.what());
                }
            },
            nb::kw_only(), "table"_a = 64, "threads"_a = 1, "seed"_a = 0, "overlooked"_a = 0,
            "without"_a = std::vector<std::string>{}, "weights"_a = std::vector<std::int16_t>{},
            "style"_a = "", "adaptive"_a = false,
            "table: size in MB; overlooked: of 1024 moves so many are not seen; without: pruning "
            "options to switch off; weights: instead of the fitted ones; style: of search, where "
            "a game has several; adaptive: learns from search to search how others play, where "
            "there are several, until `forget`.");
    module.def(
        "pruning_options",
        [] {
            std::vector<std::string> names;
            for (const auto& known : search::PruningOptions::names) names.emplace_back(known.name);
            return names;
        },
        "Names of the pruning options, which `Engine` can switch off.");
}

/// `Mcts` of a game that can judge moves.
template <class P, class Policy>
void bind_mcts(nb::module_& module, const MoveObjects<P>& objects) {
    using Engine = search::MctsEngine<Policy>;
    bind_search<P, Engine>(module, objects, "Mcts", "Sampling",
                           "Tree search by games played out; keeps its tree from move to move.")
        .def(
            "__init__",
            [](EngineHandle<Engine>* self, std::size_t table, unsigned threads, std::uint64_t seed,
               std::uint32_t overlooked, const std::map<std::string, float>& tuning) {
                search::MctsTuning chosen = search::tuning_of<Policy>();
                chosen.overlooked = overlooked;
                for (const auto& [name, value] : tuning) {
                    if (!chosen.set(name, value)) raise("UsageError", "a tree has no " + name);
                }
                without_gil([&] { new (self) EngineHandle<Engine>(table, threads, seed, chosen); });
            },
            nb::kw_only(), "table"_a = 256, "threads"_a = 1, "seed"_a = 0, "overlooked"_a = 0,
            "tuning"_a = std::map<std::string, float>{},
            "table: size of the tree in MB; overlooked: of 1024 moves so many are not seen; "
            "tuning: numbers of `MctsTuning` that differ from those the game prefers.");
}

/// The evaluation without search, and what it is made of.
template <class P, class Evaluate>
void bind_evaluation(nb::module_& module) {
    module.def(
        "evaluate",
        [](const P& position, std::vector<std::int16_t> weights) {
            Evaluate judge(weights);
            if constexpr (requires { judge.estimate(position); }) {
                return judge.estimate(position);
            } else {
                return judge.node(position).evaluate();
            }
        },
        "position"_a, "weights"_a = std::vector<std::int16_t>{},
        "The estimate without search, for the seat to move.");
    module.def(
        "features", [](const P& position) { return Evaluate::features_of(position); }, "position"_a,
        "What the linear part of the estimate is made of: its product with the weights, in "
        "sixteenths.");
    module.def(
        "weights", [](const P& position) { return Evaluate::weights_for(position); }, "position"_a,
        "The fitted weights for the rules of a position.");
    module.def(
        "feature_names", [] { return Evaluate::names(); },
        "The names of the features; each has as many weights as there are knots.");
}

}  // namespace spielleiter::binding
