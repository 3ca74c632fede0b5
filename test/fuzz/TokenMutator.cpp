// Changes to text that mostly leave it readable: words and whole brackets of
// JSON and IR change place, go or are repeated. Bytes alone rarely get beyond a
// parser. For libFuzzer, which calls these functions where a target links them.

#include "test/fuzz/Fuzz.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

struct Span {
  size_t begin, end;
};

bool isWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::strchr("_.$%@#!^-+", c) != nullptr;
}

/// End of the string, word or single character at `at`.
size_t findEnd(std::string_view text, size_t at) {
  size_t end = at + 1;
  if (text[at] == '"') {
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  if (text[at] != '\0' && isWordByte(text[at]))
    while (end < text.size() && text[end] != '\0' && isWordByte(text[end]))
      ++end;
  return end;
}

/// Words, and brackets with all that is in them.
std::vector<Span> findSpans(std::string_view text) {
  std::vector<Span> spans;
  std::vector<std::pair<char, size_t>> open; // the bracket that closes it
  for (size_t at = 0; at < text.size();) {
    size_t end = findEnd(text, at);
    char c = text[at];
    if (const char *closing = std::strchr("{}[]()<>", c); c && closing) {
      if ((closing - std::strchr("{}[]()<>", '{')) % 2 == 0)
        open.emplace_back(closing[1], spans.size());
    }
    if (!std::isspace(static_cast<unsigned char>(c)))
      spans.push_back({at, end});
    if (!open.empty() && open.back().first == c) {
      spans[open.back().second].end = end;
      open.pop_back();
    }
    at = end;
  }
  return spans;
}

class Mutator {
public:
  Mutator(std::string_view text, unsigned seed)
      : text(text), spans(findSpans(text)), random(seed) {}

  bool isEmpty() const { return spans.empty(); }

  /// The text with one change; `other` may give a piece to it.
  std::string change(const Mutator *other = nullptr) {
    Span span = pick();
    switch (other ? 3 + below(2) : below(7)) {
    case 0: // with a comma after it, if there is one
      return replace({span.begin, skipComma(span.end)}, "");
    case 1:
      return replace({span.end, span.end}, ", " + pieceOf(span));
    case 2:
      return replace(span, makeScalar(pieceOf(span)));
    case 3: {
      const Mutator &from = other ? *other : *this;
      return replace(span, from.pieceOf(from.spans[below(from.spans.size())]));
    }
    case 4: {
      const Mutator &from = other ? *other : *this;
      std::string piece = from.pieceOf(from.spans[below(from.spans.size())]);
      return replace({span.begin, span.begin}, piece + ", ");
    }
    case 5: {
      Span second = pick();
      if (second.begin < span.begin)
        std::swap(span, second);
      if (second.begin < span.end)
        return replace(span, pieceOf(second)); // one is in the other
      std::string moved = replace(second, pieceOf(span));
      return moved.replace(span.begin, span.end - span.begin, pieceOf(second));
    }
    default:
      return replace(span, mutateBytes(pieceOf(span)));
    }
  }

private:
  size_t below(size_t bound) { return random() % bound; }
  Span pick() { return spans[below(spans.size())]; }

  std::string pieceOf(Span span) const {
    return std::string(text.substr(span.begin, span.end - span.begin));
  }

  std::string replace(Span span, std::string_view piece) const {
    std::string changed(text);
    return changed.replace(span.begin, span.end - span.begin, piece);
  }

  size_t skipComma(size_t end) const {
    size_t comma = text.find_first_not_of(" \n", end);
    return comma < text.size() && text[comma] == ',' ? comma + 1 : end;
  }

  /// A word that is another one of its kind, or one that is seldom right.
  std::string makeScalar(const std::string &word) {
    static constexpr const char *kWords[] = {"0",
                                             "1",
                                             "-1",
                                             "2",
                                             "3",
                                             "7",
                                             "64",
                                             "65536",
                                             "0.5",
                                             "1e-30",
                                             "1e30",
                                             "\"\"",
                                             "[]",
                                             "{}",
                                             "null",
                                             "9223372036854775807",
                                             "true",
                                             "false",
                                             "\"*\"",
                                             "-0.0",
                                             "-9223372036854775808",
                                             "1e400"};
    char *end = nullptr;
    long long number = std::strtoll(word.c_str(), &end, 10);
    if (end != word.c_str() && *end == '\0' && below(2))
      return std::to_string(static_cast<unsigned long long>(number) *
                                (1 + below(2)) +
                            below(5) - 2);
    return kWords[below(std::size(kWords))];
  }

  /// What libFuzzer makes of it, with the words of its dictionary.
  static std::string mutateBytes(std::string piece) {
    size_t size = piece.size();
    piece.resize(size + 64);
    piece.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(piece.data()),
                                  size, piece.size()));
    return piece;
  }

  std::string_view text;
  std::vector<Span> spans;
  std::minstd_rand random;
};

size_t store(const std::string &text, uint8_t *data, size_t maxSize) {
  size_t size = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), size);
  return size;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Mutator mutator(boostrt::fuzz::textOf(data, size), seed);
  constexpr unsigned kBytesAlone = 10; // one time in so many
  if (mutator.isEmpty() || seed % kBytesAlone == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  return store(mutator.change(), data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
                                            const uint8_t *other,
                                            size_t otherSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  Mutator mutator(boostrt::fuzz::textOf(data, size), seed);
  Mutator donor(boostrt::fuzz::textOf(other, otherSize), seed);
  if (mutator.isEmpty() || donor.isEmpty())
    return store(std::string(boostrt::fuzz::textOf(data, size)), out, maxSize);
  return store(mutator.change(&donor), out, maxSize);
}
