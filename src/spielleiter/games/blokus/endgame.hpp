/// @file
/// The end of a game, solved exactly: by how many points the seat on turn will lead.
///
/// Alpha-beta over the placements that are left, with a table. Three things make it quick. What a
/// colour can still gain is bounded by the cells it may ever reach and by the pieces that fit in
/// there. Colours that reach no common cell play games of their own, and their results add up. And
/// moves that refuted others elsewhere are tried early: in Blokus a good place stays a good place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/search/report.hpp"
#include "core/search/stop.hpp"
#include "core/search/transposition_table.hpp"
#include "position.hpp"

namespace spielleiter::blokus {

/// Solves positions in which little can still be placed.
class Endgame {
  public:
    static constexpr double speed = 5e5;  ///< nodes a second, on a slow day
    static constexpr double game = 16;    ///< nodes that take as long as a game played out
    static constexpr std::uint64_t check_interval = 64;  ///< nodes between two looks at the clock

    /// Takes the memory of its table at once.
    explicit Endgame(std::size_t megabytes = 16);

    /// Empties the table.
    void forget();

    /// About how many nodes `solve` will need; the logarithm to base 10.
    static float effort(const Position& position);
    /// To know whether the game is won takes fewer: so much less, as a logarithm.
    static constexpr float head_start = 1.2F;

    /// The best lines, as many as asked for, with their certain scores: a win by n points is worth
    /// `search::certain` + n. Nothing if it takes more than so many nodes, or `stop` says so; but
    /// if one line is asked for and a move is known to win by then, that move, and the points by
    /// which it wins at least.
    std::optional<std::vector<search::Variation<Move>>> solve(const Position& root,
                                                              std::uint64_t most, std::size_t lines,
                                                              search::Stop& stop);
    /// Of the last call of `solve` or `lead`.
    std::uint64_t nodes() const { return nodes_; }

    /// The lead at the end of the seat on turn, if both play their best.
    std::optional<int> lead(const Position& root, std::uint64_t most, search::Stop& stop);

  private:
    static constexpr int most_points = 2 * 109 + 1;

    /// What the colours in play can still do.
    struct Remainder;
    struct Choice {
        Move move;
        std::int32_t value;
    };

    void begin(const Position& root, std::uint64_t most, search::Stop& stop);
    bool visit();
    int value(const Position& position, int alpha, int beta);
    int value_after(const Position& position, Move move, int alpha, int beta);
    int value_of_parts(const Position& position, const Remainder& remainder, int alpha, int beta);
    int best_of(const Position& position, const Remainder& remainder, int alpha, int beta);
    std::size_t list(const Position& position, const Remainder& remainder,
                     std::uint32_t remembered);
    void update_history(const Position& position, Move move);
    Move best(const Position& position);
    search::Variation<Move> line(const Position& root, Move first, int lead);
    std::optional<int> windowed(const Position& root);
    std::optional<search::Variation<Move>> win(const Position& root);
    std::optional<search::Variation<Move>> loss_or_draw(const Position& root);
    std::optional<std::vector<search::Variation<Move>>> compared(const Position& root,
                                                                 std::size_t lines);
    std::vector<Move> in_order(const Position& position);

    search::TranspositionTable table_;
    std::vector<std::int32_t> history_;  ///< by colour and placement: how often it refuted others
    std::vector<Choice> choices_;        ///< a stack: of each node on the way down
    Rules rules_;                        ///< under which the table holds
    search::Stop* stop_ = nullptr;
    std::uint64_t nodes_ = 0;
    std::uint64_t most_ = 0;
    bool stopped_ = false;
};

}  // namespace spielleiter::blokus
