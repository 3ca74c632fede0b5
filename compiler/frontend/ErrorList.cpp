#include "compiler/frontend/ErrorList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc::frontend;
using llvm::ArrayRef;
using llvm::StringRef;

void ErrorList::count(Extent extent) {
  isTruncated |= ++errors > kMaxErrors;
  fileErrors += extent.source->kind == Source::Kind::File;
}

void ErrorList::error(Extent extent, std::string message,
                      std::optional<Note> note) {
  if (!seen.insert({extent.source, extent.begin, message}).second)
    return;
  count(extent);
  if (isFull())
    return;
  entries.push_back({mlir::DiagnosticSeverity::Error, extent,
                     std::move(message), std::move(note), entries.size()});
}

void ErrorList::warning(Extent extent, std::string message) {
  entries.push_back({mlir::DiagnosticSeverity::Warning,
                     extent,
                     std::move(message),
                     {},
                     entries.size()});
}

/// A caret under a line of megabytes helps nobody: such a position goes into
/// the text.
static std::string positionPrefix(const Extent &extent) {
  if (extent.source->hasReadableLine(extent.begin))
    return {};
  auto [line, column] = extent.source->lineAndColumn(extent.begin);
  return llvm::formatv("{0}:{1}:{2}: ", extent.source->name(), line, column)
      .str();
}

static mlir::Location shownLocation(mlir::MLIRContext *context,
                                    const Extent &extent) {
  if (extent.source->hasReadableLine(extent.begin))
    return extent.place();
  return mlir::UnknownLoc::get(context);
}

void ErrorList::attachUses(mlir::Diagnostic &diagnostic, const Extent &extent) {
  mlir::MLIRContext *context = diagnostic.getLocation().getContext();
  for (const Expansion *step = extent.expansion; step; step = step->next)
    diagnostic.attachNote(shownLocation(context, step->place))
        << positionPrefix(step->place) << step->message;
}

void ErrorList::emit(const Entry &entry) {
  mlir::InFlightDiagnostic diagnostic = context->getDiagEngine().emit(
      shownLocation(context, entry.extent), entry.severity);
  diagnostic << positionPrefix(entry.extent) << entry.message;
  if (entry.note)
    diagnostic.attachNote(shownLocation(context, entry.note->extent))
        << positionPrefix(entry.note->extent) << entry.note->message;
  attachUses(*diagnostic.getUnderlyingDiagnostic(), entry.extent);
}

void ErrorList::emit() {
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::make_tuple(a.extent.source->kind, a.extent.source->name(),
                           a.extent.begin, a.number) <
           std::make_tuple(b.extent.source->kind, b.extent.source->name(),
                           b.extent.begin, b.number);
  });
  if (isTruncated && !entries.empty())
    entries.back().note = {
        entries.back().extent,
        llvm::formatv("these are the first {0} errors", kMaxErrors)};
  for (const Entry &entry : entries)
    emit(entry);
  entries.clear();
  isTruncated = false;
}

std::string boostc::frontend::didYouMean(StringRef word,
                                         ArrayRef<StringRef> legal) {
  // A hostile word must not cost time: nothing legal is that long.
  if (word.size() > 256)
    return {};
  StringRef best;
  unsigned bestDistance = 0;
  for (StringRef candidate : legal) {
    size_t longer = std::max(word.size(), candidate.size());
    size_t shorter = std::min(word.size(), candidate.size());
    unsigned limit = (longer + 2) / 3;
    if (longer - shorter > limit)
      continue;
    // Distances beyond the limit come back as limit + 1, soon.
    unsigned distance =
        word.edit_distance(candidate, true, std::max(limit, 1u));
    if (distance <= limit && (best.empty() || distance < bestDistance)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  if (best.empty())
    return {};
  return llvm::formatv("; did you mean '{0}'?", best);
}

std::string boostc::frontend::suggest(StringRef word, ArrayRef<StringRef> legal,
                                      StringRef plural) {
  constexpr size_t kShortList = 12;
  std::string text = didYouMean(word, legal);
  if (legal.empty() || legal.size() > kShortList)
    return text;
  if (legal.size() == 1)
    return text.empty() ? llvm::formatv("; only '{0}' is legal", legal.front())
                        : text;
  return llvm::formatv("{0} {1} {2} are {3}", text.empty() ? ";" : text,
                       text.empty() ? "the" : "The", plural,
                       llvm::join(legal, ", "));
}
