/// @file
/// Reading texts at the edge: a cursor that knows where it stands and says what it expected.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "game.hpp"

namespace spielleiter {

/// Walks over a text; every refusal names the problem and the character.
class Cursor {
  public:
    /// Stands before the first character; the text must outlive it.
    explicit Cursor(std::string_view text) : text_(text) {}

    /// Whether everything was read.
    bool done() const { return at_ == text_.size(); }
    /// Index of the next character.
    std::size_t at() const { return at_; }
    /// The next character, or 0 at the end.
    char peek() const { return done() ? '\0' : text_[at_]; }
    /// Reads the next character, or 0 at the end.
    char take() { return done() ? '\0' : text_[at_++]; }
    /// What has not been read.
    std::string_view rest() const { return text_.substr(at_); }

    /// Reads a character if it is the next one.
    bool accept(char wanted) {
        if (done() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }

    /// The same, but refuses any other; `meaning` says what was expected.
    void expect(char wanted, std::string_view meaning) {
        if (!accept(wanted)) fail("expected " + std::string(meaning));
    }

    /// A decimal number of at most nine digits, written without leading zeros.
    int number(std::string_view meaning) {
        const std::size_t begin = at_;
        int value = 0;
        while (!done() && text_[at_] >= '0' && text_[at_] <= '9' && at_ - begin < 9) {
            value = value * 10 + (text_[at_++] - '0');
        }
        if (at_ == begin) fail("expected " + std::string(meaning));
        if (text_[begin] == '0' && at_ - begin > 1)
            fail("a number is written without leading zeros", begin);
        return value;
    }

    /// Everything up to the next blank or the end.
    std::string_view word() {
        const std::size_t begin = at_;
        while (!done() && text_[at_] != ' ') ++at_;
        return text_.substr(begin, at_ - begin);
    }

    /// Refuses a text that goes on.
    void end() const {
        if (!done()) fail("expected the end of the text");
    }

    /// Refuses the text at this place.
    [[noreturn]] void fail(const std::string& problem) const { throw TextError(problem, at_); }
    /// The same at another place.
    // NOLINTNEXTLINE(readability-convert-member-functions-to-static): called like its sibling
    [[noreturn]] void fail(const std::string& problem, std::size_t at) const {
        throw TextError(problem, at);
    }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace spielleiter
