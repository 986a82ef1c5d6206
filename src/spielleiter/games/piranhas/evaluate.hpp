/// @file
/// What search thinks of a position of Piranhas, and the position in the form that search plays on.
///
/// Nearly all that matters in Piranhas is the shape of one side's fish, whatever the other side
/// does: how many swarms, how heavy, how far apart. In a search the same shape returns again and
/// again, so it is judged once and remembered (`Shapes`), and may be judged with care.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/search/large.hpp"
#include "core/search/node.hpp"
#include "position.hpp"

namespace spielleiter::piranhas {

/// What is counted of one side's fish. The names are those of the fitted weights.
enum class Trait : std::uint8_t {
    fish,      ///< number of fish
    weight,    ///< sum of their weights
    heaviest,  ///< weight of the heaviest swarm
    swarms,    ///< number of swarms less the holes in them (the Euler number)
    whole,     ///< 1 if there is just one swarm
    links,     ///< pairs of neighbours
    spread,    ///< distances from the centre of gravity, less the least possible
    edge,      ///< fish on the border
    inner,     ///< fish in the inner 6 × 6
};
inline constexpr std::size_t traits = 9;
/// What is counted besides, for the seat to move: the credit for the first union, and whose turn in
/// the round it is. Mobility and threatened captures were tried: they told nothing more.
enum class Circumstance : std::uint8_t { credit, opens_round, ends_round };
inline constexpr std::size_t circumstances = 3;
inline constexpr std::size_t features = traits + circumstances;
extern const std::array<std::string_view, features> feature_names;

/// Every weight depends on the ply: it is given for these plies and runs straight between them.
inline constexpr std::array<int, 4> knot_plies{0, 24, 48, last_ply};
inline constexpr std::size_t knots = knot_plies.size();

/// In sixteenths of a unit of score.
using Weights = std::array<std::array<std::int16_t, knots>, features>;

/// The fitted weights for a season.
const Weights& fitted_weights(Rules rules);

/// One side's fish as search remembers them.
struct Shape {
    std::array<std::int16_t, knots> value{};
    std::uint8_t heaviest = 0;
    std::uint8_t fish : 7 = 0;
    bool whole : 1 = false;  ///< exactly one swarm; without fish false
};

/// Shapes by key, one place each: a newcomer takes it. Small, so that it stays near the processor.
class Shapes {
  public:
    Shapes() : places_(size) {}

    void clear() { std::fill(places_.begin(), places_.end(), Place{}); }
    const Shape* find(std::uint64_t key) const {
        const Place& place = places_[key % size];
        return place.low == static_cast<std::uint16_t>(key >> 16U) && place.high == key >> 32U
                   ? &place.shape
                   : nullptr;
    }
    const Shape& put(std::uint64_t key, const Shape& shape) {
        Place& place = places_[key % size];
        place = {shape, static_cast<std::uint16_t>(key >> 16U),
                 static_cast<std::uint32_t>(key >> 32U)};
        return place.shape;
    }

  private:
    static constexpr std::size_t size = std::size_t{1} << 14U;
    /// The key's upper 48 bits; the place itself says the lower ones but two.
    struct alignas(16) Place {
        Shape shape;
        std::uint16_t low = 0;
        std::uint32_t high = 0;
    };
    search::LargeArray<Place> places_;
};
static_assert(sizeof(Shape) == 10);

class Node;

/// The judgement of one thread.
class Evaluate {
  public:
    using Position = piranhas::Position;
    using Node = piranhas::Node;
    static constexpr std::size_t weight_count = features * knots;

    /// With other weights than the fitted ones if any are given: `weight_count` of them, feature by
    /// feature, knot by knot.
    explicit Evaluate(std::span<const std::int16_t> weights = {});

    /// The position made for search. All nodes in use must come from one game.
    Node node(const Position& position);

    /// What the position shows, for the seat to move: one number for each weight, so that the score
    /// is their product with the weights. For fitting.
    static std::vector<float> features_of(const Position& position);
    static std::vector<std::string_view> names();
    static std::vector<std::int16_t> weights_for(const Position& position);

  private:
    friend class piranhas::Node;
    void follow(Rules rules);
    /// What it is worth, in the middle of the game, to eat a fish.
    int prey(int weight) const {
        const auto at = [&](Trait trait) {
            return int{weights_[static_cast<std::size_t>(trait)][1]};
        };
        return std::max(16, at(Trait::fish) + at(Trait::weight) * weight) / 16;
    }
    Shape judge(const Board& fish, const Board& medium_or_large, const Board& large) const;
    Shape shape(std::uint64_t key, const Board& fish, const Board& medium, const Board& large);

    std::vector<std::int16_t> given_;
    Weights weights_{};
    std::array<std::uint64_t, line_count> land_{};  ///< see `Ways` in evaluate.cpp
    bool judges_ = false;  ///< whether there are shapes, judged by `rules_`
    Rules rules_;
    Shapes shapes_;
};

/// A position that search plays on: lean, and judged as far as it is played.
class Node {
  public:
    using Move = piranhas::Move;
    using Moves = Position::Moves;
    static constexpr std::size_t slots = squares * directions;

    Node(Evaluate& evaluate, const Position& position);

    void list_moves(Moves& moves) const;
    void list_quiet_moves(Moves& moves) const;
    void list_tactical_moves(Moves& moves) const;  ///< captures
    bool is_legal(Move move) const;
    int gain(Move move) const;
    static std::size_t slot(Move move) { return Position::action(move); }
    void play(Move move);
    void pass();
    bool may_pass() const;
    /// Somebody is whole in mid-round: the next move decides whether it counts.
    bool is_tense() const { return is_whole(0) || is_whole(1); }
    std::uint64_t key() const;
    std::uint64_t key_after(Move move) const;
    std::optional<int> end() const;
    int stuck() const;
    search::Score evaluate() const;
    int ply() const { return ply_; }

  private:
    template <class Wanted>
    void list(Moves& moves, Wanted&& wanted) const;
    Seat to_move() const { return ply_ & 1U; }
    int weight(std::size_t bit) const { return 1 + medium_or_large_.test(bit) + large_.test(bit); }
    void put(Square square, Seat seat, int weight);
    const Shape& shape(Seat seat) const;
    bool is_whole(Seat seat) const;
    void give_credit(Seat mover);
    bool unions_end() const;
    int judged_by_swarms() const;
    bool can_move() const;

    std::array<std::uint16_t, line_count> lines_{};  ///< base 3: 0 empty, 1 and 2 the seats' fish
    std::array<Board, 2> fish_{};
    Board medium_or_large_{};
    Board large_{};
    std::array<std::uint64_t, 2> keys_{};    ///< of each side's fish
    mutable std::array<Shape, 2> shapes_{};  ///< of the sides that are judged already
    mutable std::array<bool, 2> judged_{};
    std::array<std::uint8_t, 2> count_{};  ///< of each side's fish
    Evaluate* judge_;
    std::uint8_t ply_ = 0;
    std::uint8_t credit_ = 2;  ///< seat, or 2 for nobody
};

static_assert(search::Node<Node> && search::Passes<Node> && search::Tactical<Node>);

}  // namespace spielleiter::piranhas
