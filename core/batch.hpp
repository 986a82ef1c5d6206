/// @file
/// Many games at once for learning: positions in a row, what they look like in flat buffers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "force_inline.hpp"
#include "game.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace spielleiter {

/// The buffers a batch writes to, one entry (or row) per game. They belong to the caller, who
/// always gives the same ones and changes nothing there: what stays within a game is written once.
struct BatchBuffers {
    std::uint8_t* mask = nullptr;    ///< games × actions: 1 where legal; null: nobody wants it
    std::int8_t* to_move = nullptr;  ///< seat to move, −1 when over
    std::uint8_t* done = nullptr;    ///< 1 when over
    float* rewards = nullptr;        ///< games × seats: 0 until over, then in −1 … 1 by rank
    std::uint8_t* planes = nullptr;  ///< games × planes × rows × columns; null: nobody wants them
    PlaneRow* plane_bits = nullptr;  ///< the same, the cells of a row as bits; null: not wanted
    /// games × planes × rows × columns of the map, which all games share; null: not wanted
    std::uint8_t* board_planes = nullptr;
};

/// What a rank is worth: 1 for a sole winner, −1 for the sole last, equal steps between; equals
/// share what their ranks are worth together, so every game sums to zero.
inline float reward(const Outcome& outcome, Seat seat) {
    int better = 0;
    int equal = 0;
    for (std::size_t other = 0; other < outcome.seats; ++other) {
        better += outcome.ranks[other] < outcome.ranks[seat];
        equal += outcome.ranks[other] == outcome.ranks[seat];
    }
    const float middle = static_cast<float>(better) + static_cast<float>(equal - 1) / 2.0F;
    return 1.0F - 2.0F * middle / static_cast<float>(outcome.seats - 1);
}

/// Where the games of a batch begin: each on a start position of its own stream of lots, which
/// begins with its own seed if there are `seeds`, or on its own one of the `positions`.
template <GamePosition P>
struct BatchStarts {
    std::uint64_t seed = 0;            ///< of all streams together
    std::string set_up;                ///< as `P::start` takes it
    typename P::Rules rules;           ///< of all games
    std::vector<std::uint64_t> seeds;  ///< one for each game, or none
    std::vector<P> positions;          ///< one for each game, or none
    std::optional<P> common{};         ///< where all games begin, if nothing is drawn by lot

    /// Reads the set-up once where nothing is drawn by lot.
    void prepare() {
        if constexpr (requires { requires P::starts_alike; }) {
            if (positions.empty()) common = P::start(seed, set_up, rules);
        }
    }
    /// Where a game begins for the first time (round 0) or once more.
    P start(std::size_t game, std::uint64_t round) const {
        if (common) return *common;
        if (!positions.empty()) return positions[game];
        return P::start(lot(game, round), set_up, rules);
    }

  private:
    std::uint64_t lot(std::size_t game, std::uint64_t round) const {
        if (seeds.empty()) return mix(Random::stream(seed, game).next() ^ round);
        return round == 0 ? seeds[game] : mix(Random(seeds[game]).next() ^ round);
    }
};

/// Which games of a batch are meant: all of them, or those with a 1.
class BatchChoice {
  public:
    /// All games.
    BatchChoice() = default;
    /// One number for each game.
    explicit BatchChoice(std::vector<std::uint8_t> chosen)
        : all_(false), chosen_(std::move(chosen)) {}
    /// Whether all games are meant.
    bool all() const { return all_; }
    /// Whether a game is meant.
    bool has(std::size_t game) const { return all_ || chosen_[game] != 0; }

  private:
    bool all_ = true;
    std::vector<std::uint8_t> chosen_;
};

/// N games stepped together. With `auto_reset` a game that ended starts anew on its next step.
template <GamePosition P>
class Batch {
  public:
    /// All games begin at once.
    Batch(std::size_t games, BatchStarts<P> starts, bool auto_reset)
        : starts_(std::move(starts)),
          auto_reset_(auto_reset),
          rounds_(games, 0),
          is_written_(games, 0),
          has_planes_(games, 0),
          has_plane_bits_(games, 0),
          has_board_planes_(games, 0) {
        starts_.prepare();
        positions_.reserve(games);
        for (std::size_t game = 0; game < games; ++game)
            positions_.push_back(starts_.start(game, rounds_[game]++));
    }

    /// How many games there are.
    std::size_t size() const { return positions_.size(); }
    /// One of the positions.
    const P& operator[](std::size_t game) const { return positions_[game]; }

    /// The first game whose action is illegal; a game that is over takes any action.
    std::optional<std::size_t> first_illegal(std::span<const std::int32_t> actions,
                                             const BatchChoice& chosen) const {
        for (std::size_t game = 0; game < size(); ++game) {
            const P& position = positions_[game];
            if (!chosen.has(game) || is_over(position)) continue;
            const auto action = actions[game];
            if (action < 0 || static_cast<std::size_t>(action) >= P::actions) return game;
            if (position.why_illegal(position.move_at(static_cast<Action>(action)))) return game;
        }
        return std::nullopt;
    }

    /// Plays one action in each chosen game that is not over (legal, as `first_illegal` checks) and
    /// writes what came of it.
    void step(std::span<const std::int32_t> actions, const BatchChoice& chosen,
              const BatchBuffers& out, unsigned threads) {
        parallel(size(), threads, [&](std::size_t begin, std::size_t end) {
            for (; begin < end; begin += block)
                step_block(begin, std::min(end, begin + block), actions, chosen, out);
        });
    }

    /// Writes the present state of every game.
    void write_all(const BatchBuffers& out, unsigned threads) {
        parallel(size(), threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t game = begin; game < end; ++game) write(game, out);
        });
    }

    /// Writes what every game looks like: planes and their bits, whichever is wanted.
    void write_views(const BatchBuffers& out, unsigned threads) {
        parallel(size(), threads,
                 [&](std::size_t begin, std::size_t end) { write_views(begin, end, {}, out); });
    }

    /// The legal actions of every game, none where it is over.
    std::vector<std::vector<std::int32_t>> legal_actions(unsigned threads) const {
        std::vector<std::vector<std::int32_t>> actions(size());
        parallel(size(), threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t game = begin; game < end; ++game) {
                const P& position = positions_[game];
                if (is_over(position)) continue;
                for (const auto move : position.legal_moves())
                    actions[game].push_back(static_cast<std::int32_t>(position.action(move)));
            }
        });
        return actions;
    }

    /// Starts the chosen games anew.
    void reset(const BatchChoice& chosen) {
        for (std::size_t game = 0; game < size(); ++game)
            if (chosen.has(game)) restart(game);
    }

  private:
    /// So many games stay in the processor's first cache between their moves and their writing.
    static constexpr std::size_t block = 32;

    /// First all moves, then what came of them: no move waits for another one, so that the
    /// processor works on several at once.
    void step_block(std::size_t begin, std::size_t end, std::span<const std::int32_t> actions,
                    const BatchChoice& chosen, const BatchBuffers& out) {
        advance_block(begin, end, actions, chosen);
        for (std::size_t game = begin; game < end; ++game)
            if (chosen.has(game)) write(game, out);
        write_views(begin, end, chosen, out);
    }

    void advance_block(std::size_t begin, std::size_t end, std::span<const std::int32_t> actions,
                       const BatchChoice& chosen) {
        const auto move = [&](std::size_t game) {
            return positions_[game].move_at(static_cast<Action>(actions[game]));
        };
        if constexpr (PlaysInTwoSteps<P>) {
            std::array<typename P::Effect, block> effects;  // of games that are not over
            for (std::size_t game = begin; game < end; ++game) {
                if (chosen.has(game) && !is_over(positions_[game]))
                    positions_[game].find_effect(move(game), effects[game - begin]);
            }
            for (std::size_t game = begin; game < end; ++game) {
                if (chosen.has(game) && goes_on(game))
                    positions_[game].play(move(game), effects[game - begin]);
            }
        } else {
            for (std::size_t game = begin; game < end; ++game)
                if (chosen.has(game) && goes_on(game)) positions_[game].play(move(game));
        }
    }

    /// Whether a move can be made in that game; one that is over may begin anew instead.
    SPIELLEITER_FORCE_INLINE bool goes_on(std::size_t game) {
        if (!is_over(positions_[game])) return true;
        if (auto_reset_) restart(game);
        return false;
    }

    void restart(std::size_t game) {
        positions_[game] = starts_.start(game, rounds_[game]++);
        is_written_[game] = has_planes_[game] = has_plane_bits_[game] = has_board_planes_[game] = 0;
    }

    SPIELLEITER_FORCE_INLINE void write(std::size_t game, const BatchBuffers& out) {
        const P& position = positions_[game];
        const bool over = is_over(position);
        const bool first = std::exchange(is_written_[game], 1) == 0;
        out.done[game] = over;
        out.to_move[game] = over ? std::int8_t{-1} : static_cast<std::int8_t>(position.to_move());
        if (over || first) write_rewards(position, over, out.rewards + game * position.seats());
        if (out.mask != nullptr) write_mask(position, over, first, out.mask + game * P::actions);
    }

    void write_views(std::size_t begin, std::size_t end, const BatchChoice& chosen,
                     const BatchBuffers& out) {
        if (begin == end) return;
        constexpr std::size_t rows = P::planes[0] * P::planes[1];
        const auto each = [&](auto& written, auto* to, std::size_t size, auto first, auto again) {
            if (to != nullptr) write_each(begin, end, chosen, written, to, size, first, again);
        };
        each(
            has_planes_, out.planes, rows * P::planes[2],
            [](const P& p, std::uint8_t* to) { p.observe(to, p.to_move()); },
            [](const P& p, std::uint8_t* to) { rewrite_planes(p, to); });
        if constexpr (HasPlaneBits<P>) {
            each(
                has_plane_bits_, out.plane_bits, rows,
                [](const P& p, PlaneRow* to) { p.observe_bits(to, p.to_move()); },
                [](const P& p, PlaneRow* to) { p.rewrite_bits(to, p.to_move()); });
        }
        if constexpr (HasBoardPlanes<P>) {
            const P& any = positions_[begin];
            each(
                has_board_planes_, out.board_planes, P::planes[0] * any.rows() * any.columns(),
                [](const P& p, std::uint8_t* to) { p.observe_board(to, p.to_move()); },
                [](const P& p, std::uint8_t* to) { p.rewrite_board(to, p.to_move()); });
        }
    }

    /// Calls `first` for the games of which nothing is `written` yet, `again` for the others. All
    /// that the loop needs is a variable of its own: bytes that are written could be anything, for
    /// all the compiler knows, so whatever else it needed it would read again.
    template <class Number, class First, class Again>
    void write_each(std::size_t begin, std::size_t end, const BatchChoice& chosen,
                    std::vector<std::uint8_t>& written, Number* to, std::size_t size, First first,
                    Again again) {
        const P* const positions = positions_.data();
        std::uint8_t* const is_written = written.data();
        const bool all = chosen.all();
        for (std::size_t game = begin; game < end; ++game) {
            if (!all && !chosen.has(game)) continue;
            if (std::exchange(is_written[game], 1) == 0) {
                first(positions[game], to + game * size);
            } else {
                again(positions[game], to + game * size);
            }
        }
    }

    SPIELLEITER_FORCE_INLINE static void rewrite_planes(const P& position, std::uint8_t* planes) {
        if constexpr (requires { position.rewrite_planes(planes, position.to_move()); }) {
            position.rewrite_planes(planes, position.to_move());
        } else {
            position.observe(planes, position.to_move());
        }
    }

    static void write_rewards(const P& position, bool over, float* row) {
        const std::size_t seats = position.seats();
        const Outcome outcome = over ? *position.outcome() : Outcome{};
        for (std::size_t seat = 0; seat < seats; ++seat) {
            row[seat] = over ? reward(outcome, static_cast<Seat>(seat)) : 0.0F;
        }
    }

    static void write_mask(const P& position, bool over, bool first, std::uint8_t* row) {
        if constexpr (requires { position.rewrite_mask(row); }) {
            if (!first) return position.rewrite_mask(row);
        }
        if constexpr (requires { position.write_mask(row); }) {
            position.write_mask(row);
        } else {
            std::memset(row, 0, P::actions);
            if (over) return;
            for (const auto move : position.legal_moves()) row[position.action(move)] = 1;
        }
    }

    BatchStarts<P> starts_;
    bool auto_reset_;
    std::vector<P> positions_;
    std::vector<std::uint64_t> rounds_;
    /// Whether the buffers (the planes, the bits) show a position of this very game already; bytes,
    /// since threads write neighbours.
    std::vector<std::uint8_t> is_written_;
    std::vector<std::uint8_t> has_planes_;
    std::vector<std::uint8_t> has_plane_bits_;
    std::vector<std::uint8_t> has_board_planes_;
};

}  // namespace spielleiter
