// Teaches the pattern tables of the board of 8 × 8 what search sees with them.
//
//     teach WEIGHTS OUT THREADS SECONDS SEED DEPTH
//
// Positions come from quick games with random moves in them. Near the end each is solved exactly;
// before, it is worth what a search of DEPTH plies finds with the tables that were given. Search
// takes the best of many guesses and so hopes too much or too little, alike in all positions with
// as many empty cells: on average a position is worth what the given tables say.
//
// The weights of a stage are those that come nearest to its positions (least squares, by conjugate
// gradients); patterns that are rarely seen keep the weight they had.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "training/reversi/games.hpp"

using namespace spielleiter;
using namespace spielleiter::reversi;

namespace {

constexpr int solved_from = 12;   // so few empty cells are solved exactly
constexpr std::size_t held = 40;  // one position in so many judges the fit
constexpr double ridge = 6;       // so many positions' worth the given weight has
constexpr float near = 24;        // stones; what is decided by more matters less

struct Sample {
    std::uint64_t own = 0;
    std::uint64_t other = 0;
    float worth = 0;   // in stones, to the player to move
    float before = 0;  // what the tables said that were given
};

using Samples = std::array<std::vector<Sample>, 61>;  // by empty cells

class Clock {
  public:
    explicit Clock(double seconds) : seconds_(seconds) {}
    double left() const { return seconds_ - stop_.seconds(); }
    double spent() const { return stop_.seconds(); }

  private:
    search::Stop stop_{search::Limits{}};
    double seconds_;
};

/// The same work in every thread, with its number.
void together(std::size_t threads, const std::function<void(std::size_t)>& work) {
    std::vector<std::jthread> workers;
    for (std::size_t at = 0; at < threads; ++at) workers.emplace_back(work, at);
}

// ------------------------------------------------------------------------------------ positions

/// A quick game with a random move now and then; all its positions are kept.
void play(reversi::Engine& engine, Random& random, Samples& to) {
    Position position = Position::parse(start, {});
    const std::uint32_t opening = 2 + random.below(14);
    const int depth = 1 + static_cast<int>(random.below(3));
    for (std::uint32_t ply = 0; !position.is_over(); ++ply) {
        const TwoPlayerBoard<Small> duel = duel_of(position);
        if (ply >= 2)
            to[static_cast<std::size_t>(duel.empty.count())].push_back(
                {duel.own.words[0], duel.other.words[0]});
        if (ply < opening || random.below(16) == 0)
            position.play(*position.random_move(random));
        else
            position.play(searched(engine, position, depth_of(depth)));
    }
}

Samples played(std::size_t threads, double seconds, std::uint64_t seed) {
    std::vector<Samples> parts(threads);
    together(threads, [&](std::size_t thread) {
        reversi::Engine engine(options_of(1));
        Random random(mix(seed + 1000 * thread));
        const Clock clock(seconds);
        while (clock.left() > 0) play(engine, random, parts[thread]);
    });
    Samples all;
    for (Samples& part : parts) {
        for (std::size_t empties = 0; empties < all.size(); ++empties) {
            all[empties].insert(all[empties].end(), part[empties].begin(), part[empties].end());
            part[empties] = {};
        }
    }
    return all;
}

// ----------------------------------------------------------------------------------------- worth

float stones_of(search::Score score) {
    if (search::is_certain(score))
        return static_cast<float>(score > 0 ? score - search::certain : score + search::certain);
    return static_cast<float>(score) / Patterns::per_stone;
}

/// What search says of the samples, as many as there is time for; the others are left out.
void judge(std::vector<Sample>& samples, std::size_t threads, double seconds, int empties,
           int depth) {
    std::atomic<std::size_t> next = 0;
    const Clock clock(seconds);
    together(threads, [&](std::size_t) {
        reversi::Engine engine(options_of(2));
        const Evaluate evaluate;
        const search::Limits limits = depth_of(empties <= solved_from ? 60 : depth);
        while (clock.left() > 0) {
            const std::size_t at = next++;
            if (at >= samples.size()) break;
            Sample& sample = samples[at];
            const Position position = position_of(sample.own, sample.other);
            sample.before = stones_of(evaluate.estimate(position));
            engine.begin(position, limits, 1, {});
            while (engine.step()) {
            }
            sample.worth = stones_of(engine.report().score());
        }
    });
    samples.resize(std::min(next.load(), samples.size()));
}

// ------------------------------------------------------------------------------------------- fit

constexpr std::size_t entries = Places::count + 1;
using Row = std::array<std::uint32_t, entries>;

/// The columns of a position: one for each place and one for the number of moves.
class Columns {
  public:
    Row of(const Sample& sample) const {
        const TwoPlayerBoard<Small> duel{
            {{sample.own}}, {{sample.other}}, {{~(sample.own | sample.other)}}};
        const auto accumulator = Patterns::accumulator(duel, 0);
        Row row;
        for (std::size_t at = 0; at < Places::count; ++at)
            row[at] = columns_[Places::all().offsets[Places::all().places[at].family] +
                               accumulator.at[at]];
        const auto moves = static_cast<std::size_t>(duel.moves().count());
        row[Places::count] = static_cast<std::uint32_t>(Patterns::columns +
                                                        std::min(moves, Patterns::most_moves - 1));
        return row;
    }

  private:
    std::vector<std::uint32_t> columns_ = Places::columns_of_indices();
};

constexpr std::size_t width = Patterns::columns + Patterns::most_moves;
using Vector = std::vector<float>;

float weight_of(float worth) { return 1 / (1 + (worth / near) * (worth / near)); }

/// The mean square of errors; close positions count more.
class Mean {
  public:
    void add(float guess, float worth) {
        sum_ += double{weight_of(worth)} * (guess - worth) * (guess - worth);
        count_ += weight_of(worth);
    }
    double root() const { return std::sqrt(sum_ / std::max(1e-9, count_)); }

  private:
    double sum_ = 0;
    double count_ = 0;
};

/// Rows of ones at a few columns: the regression of one stage.
class Regression {
  public:
    Regression(const std::vector<const Sample*>& samples, const Columns& columns) {
        for (const Sample* sample : samples) {
            const bool counts = !is_held(rows_.size());
            rows_.push_back(columns.of(*sample));
            worth_.push_back(sample->worth);
            weight_.push_back(counts ? weight_of(sample->worth) : 0);
        }
    }

    /// Conjugate gradients for the difference to `weights`, each column scaled by how often it is
    /// seen. The best of all steps on the held positions is kept.
    void improve(Vector& weights, int steps) {
        Vector missing = across(weights);
        for (std::size_t at = 0; at < rows_.size(); ++at) missing[at] = worth_[at] - missing[at];
        Vector scale = back(Vector(rows_.size(), 1.0F));
        for (float& value : scale) value = 1 / (value + static_cast<float>(ridge));
        Vector step(width, 0.0F);
        Vector found(width, 0.0F);
        Vector slope = back(missing);
        double before = 0;
        double best = error(weights, true);
        Vector kept = weights;
        for (int at = 0; at < steps; ++at) {
            double size = 0;
            for (std::size_t j = 0; j < width; ++j) size += double{slope[j]} * slope[j] * scale[j];
            const auto turn = static_cast<float>(at == 0 ? 0 : size / before);
            before = size;
            for (std::size_t j = 0; j < width; ++j) step[j] = scale[j] * slope[j] + turn * step[j];
            const Vector change = across(step);
            double bend = 0;
            for (std::size_t k = 0; k < rows_.size(); ++k)
                bend += double{weight_[k]} * change[k] * change[k];
            for (std::size_t j = 0; j < width; ++j) bend += ridge * step[j] * step[j];
            const auto far = static_cast<float>(size / std::max(bend, 1e-9));
            for (std::size_t j = 0; j < width; ++j) found[j] += far * step[j];
            for (std::size_t k = 0; k < rows_.size(); ++k) missing[k] -= far * change[k];
            slope = back(missing);
            for (std::size_t j = 0; j < width; ++j)
                slope[j] -= static_cast<float>(ridge) * found[j];
            if (at % 8 != 7) continue;
            Vector made = weights;
            for (std::size_t j = 0; j < width; ++j) made[j] += found[j];
            const double now = error(made, true);
            if (now < best) best = now, kept = made;
            if (now > best) break;
        }
        weights = kept;
    }

    /// Root of the mean square, in stones, of the held positions or of the others.
    double error(const Vector& weights, bool of_held) const {
        const Vector guess = across(weights);
        Mean mean;
        for (std::size_t at = 0; at < rows_.size(); ++at)
            if (is_held(at) == of_held) mean.add(guess[at], worth_[at]);
        return mean.root();
    }
    static bool is_held(std::size_t at) { return at % held == 0; }

  private:
    Vector across(const Vector& weights) const {
        Vector sums(rows_.size(), 0.0F);
        for (std::size_t at = 0; at < rows_.size(); ++at)
            for (const auto column : rows_[at]) sums[at] += weights[column];
        return sums;
    }
    Vector back(const Vector& values) const {
        Vector sums(width, 0.0F);
        for (std::size_t at = 0; at < rows_.size(); ++at) {
            const float value = weight_[at] * values[at];
            if (value == 0) continue;
            for (const auto column : rows_[at]) sums[column] += value;
        }
        return sums;
    }

    std::vector<Row> rows_;
    Vector worth_;
    Vector weight_;
};

// ---------------------------------------------------------------------------------------- stages

constexpr std::size_t most = 58;  // empty cells, two random plies after the beginning

/// How much of the time that is left the positions with so many empty cells get: those that are
/// dear to solve more than others.
double share(std::size_t empties) {
    const auto price = [](std::size_t at) { return at >= 9 && at <= solved_from ? 2.0 : 1.0; };
    double all = 0;
    for (std::size_t at = empties; at <= most; ++at) all += price(at);
    return price(empties) / all;
}

/// Moves what search says by as much as it is off on average.
void settle(std::vector<Sample>& samples) {
    double sum = 0;
    double count = 0;
    for (const Sample& sample : samples) {
        sum += double{weight_of(sample.before)} * (sample.worth - sample.before);
        count += weight_of(sample.before);
    }
    const auto off = static_cast<float>(sum / std::max(1e-9, count));
    for (Sample& sample : samples) sample.worth -= off;
}

void judge_all(Samples& samples, std::size_t threads, double seconds, int depth) {
    const Clock clock(seconds);
    for (std::size_t empties = 1; empties <= most; ++empties) {
        judge(samples[empties], threads, share(empties) * std::max(0.0, clock.left()),
              static_cast<int>(empties), depth);
        if (empties > solved_from) settle(samples[empties]);
    }
}

/// The positions of a stage and those one ply to either side.
std::vector<const Sample*> samples_of(const Samples& samples, std::size_t stage) {
    const std::size_t first = 60 - Patterns::plies * stage;  // empty cells
    const std::size_t last = stage == Patterns::stages - 1 ? 2 : first - Patterns::plies + 1;
    std::vector<const Sample*> chosen;
    for (std::size_t empties = last - 1; empties <= std::min(most, first + 1); ++empties) {
        for (const Sample& sample : samples[empties]) chosen.push_back(&sample);
    }
    return chosen;
}

void fit(const Samples& samples, std::size_t stage, const Columns& columns, std::int16_t* shipped) {
    const std::vector<const Sample*> chosen = samples_of(samples, stage);
    if (chosen.size() < 1000) return;
    Vector weights(width);
    for (std::size_t j = 0; j < width; ++j)
        weights[j] = static_cast<float>(shipped[j]) / Patterns::fine;
    Regression regression(chosen, columns);
    const double before = regression.error(weights, true);
    regression.improve(weights, 48);
    std::printf("stage %zu: %zu positions, error %.2f seen, %.2f unseen (%.2f before)\n", stage,
                chosen.size(), regression.error(weights, false), regression.error(weights, true),
                before);
    std::fflush(stdout);
    for (std::size_t j = 0; j < width; ++j)
        shipped[j] = static_cast<std::int16_t>(
            std::clamp(std::lround(weights[j] * Patterns::fine), -32'000L, 32'000L));
}

void fit_all(const Samples& samples, std::size_t threads, std::vector<std::int16_t>& weights) {
    const Columns columns;
    std::atomic<std::size_t> next = 0;
    together(threads, [&](std::size_t) {
        for (std::size_t stage = next++; stage < Patterns::stages; stage = next++)
            fit(samples, stage, columns, weights.data() + stage * width);
    });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 7) return 2;
    std::vector<std::int16_t> weights = read_weights(argv[1]);
    const auto threads = static_cast<std::size_t>(std::atoi(argv[3]));
    const double seconds = std::atof(argv[4]);
    Patterns::load(weights);
    const Clock clock(seconds);
    const auto seed = static_cast<std::uint64_t>(std::atoll(argv[5]));
    Samples samples = played(threads, 0.12 * seconds, seed);
    std::printf("%5.0f s played\n", clock.spent());
    judge_all(samples, threads, 0.72 * seconds, std::atoi(argv[6]));
    std::printf("%5.0f s judged\n", clock.spent());
    fit_all(samples, threads, weights);
    write_weights(argv[2], weights);
    std::printf("%5.0f s done\n", clock.spent());
}
