#include "runtime/support/Suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace boostrt {
namespace {

char lowered(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

/// Without what people vary between words: separators at the front.
std::string_view dropSeparators(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of("_- "), word.size()));
}

/// Without leading dashes, which say nothing about how near two flags are.
std::string_view dropDashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

/// Whether `longer` has the words of `shorter`, which '-' and '_' separate, at
/// its beginning or end.
bool hasWordsOf(std::string_view longer, std::string_view shorter) {
  constexpr size_t kShortest = 3;
  if (shorter.size() < kShortest || shorter.size() >= longer.size())
    return false;
  auto separates = [](char c) { return c == '-' || c == '_'; };
  return (longer.starts_with(shorter) && separates(longer[shorter.size()])) ||
         (longer.ends_with(shorter) &&
          separates(longer[longer.size() - shorter.size() - 1]));
}

std::string lowered(std::string_view word) {
  std::string result;
  for (char c : word)
    result += lowered(c);
  return result;
}

/// One character of a text, or a byte that begins none.
struct Character {
  char32_t code = 0;
  size_t bytes = 1;
  bool isValid = false;
};

Character decode(std::string_view text) {
  auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80)
    return {lead, 1, true};
  size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes > text.size())
    return {};
  char32_t code = lead & (0x7f >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80)
      return {};
    code = code << 6 | (next & 0x3f);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  bool isSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[bytes] || code > 0x10ffff || isSurrogate)
    return {};
  return {code, bytes, true};
}

/// What a terminal acts on or shows nothing for: controls, directions of
/// writing, spaces without width.
bool isInvisible(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad ||
         code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
         (code >= 0xfff0 && code <= 0xfffb) ||
         (code >= 0xe0000 && code <= 0xe0fff);
}

} // namespace

bool isSameSpelling(std::string_view a, std::string_view b) {
  while (true) {
    a = dropSeparators(a);
    b = dropSeparators(b);
    if (a.empty() || b.empty())
      return a.empty() && b.empty();
    if (lowered(a.front()) != lowered(b.front()))
      return false;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
}

size_t editDistance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: swaps look two rows back.
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1),
      row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t changed = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({changed, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearestSpelling(std::string_view word,
                                 std::span<const std::string_view> legal) {
  if (word.size() > kLongestWord)
    return {};
  for (std::string_view candidate : legal)
    if (!word.empty() && isSameSpelling(word, candidate))
      return candidate;
  std::string meant = lowered(dropDashes(word));
  std::string_view best;
  size_t bestDistance = 0;
  for (std::string_view candidate : legal) {
    std::string name = lowered(dropDashes(candidate));
    size_t distance = editDistance(meant, name);
    size_t longer = std::max(meant.size(), name.size());
    bool isNear =
        distance < longer && 3 * distance <= std::max<size_t>(3, longer);
    if (isNear && (best.empty() || distance < bestDistance)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  if (!best.empty())
    return best;
  // A word more or less: kernel_size for kernel, --ckpt for --ckpt-dir. Of
  // several the one that has most of it; two that have as much say nothing.
  bool isTied = false;
  for (std::string_view candidate : legal) {
    std::string name = lowered(dropDashes(candidate));
    if (!hasWordsOf(meant, name) && !hasWordsOf(name, meant))
      continue;
    size_t distance = editDistance(meant, name);
    if (best.empty() || distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
      isTied = false;
    } else {
      isTied |= distance == bestDistance;
    }
  }
  return isTied ? std::string_view() : best;
}

std::string didYouMean(std::string_view word,
                       std::span<const std::string_view> legal) {
  std::string_view best = nearestSpelling(word, legal);
  return best.empty() ? std::string()
                      : fmt::format("; did you mean '{}'?", best);
}

std::string continueWith(std::string suggestion, std::string_view advice) {
  if (!suggestion.ends_with('?'))
    return fmt::format("{}; {}", suggestion, advice);
  std::string sentence(advice);
  if (sentence[0] >= 'a' && sentence[0] <= 'z')
    sentence[0] += 'A' - 'a';
  return fmt::format("{} {}", suggestion, sentence);
}

size_t utf8Bytes(std::string_view text) {
  Character character = text.empty() ? Character() : decode(text);
  return character.isValid ? character.bytes : 0;
}

std::string printable(std::string_view text, size_t longest) {
  std::string shown;
  size_t at = 0;
  while (at < text.size()) {
    Character character = decode(text.substr(at));
    if (at + character.bytes > longest)
      return shown + "...";
    if (character.isValid && !isInvisible(character.code))
      shown += text.substr(at, character.bytes);
    else
      for (char byte : text.substr(at, character.bytes))
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    at += character.bytes;
  }
  return shown;
}

} // namespace boostrt
