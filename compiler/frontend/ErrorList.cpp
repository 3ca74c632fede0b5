#include "compiler/frontend/ErrorList.h"
#include "runtime/support/Suggest.h"
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
                     std::move(message), std::move(note), common,
                     entries.size()});
}

static void attach(mlir::Diagnostic &diagnostic,
                   const std::optional<ErrorList::Note> &note) {
  if (note)
    diagnostic.attachNote(note->extent.place()) << note->message;
}

void ErrorList::attachCommonNote(mlir::Diagnostic &diagnostic) const {
  attach(diagnostic, common);
}

void ErrorList::warning(Extent extent, std::string message) {
  entries.push_back({mlir::DiagnosticSeverity::Warning,
                     extent,
                     std::move(message),
                     {},
                     {},
                     entries.size()});
}

void ErrorList::attachUses(mlir::Diagnostic &diagnostic, const Extent &extent) {
  for (const Expansion *step = extent.expansion; step; step = step->next)
    diagnostic.attachNote(step->place.place()) << step->message;
}

void ErrorList::emit(const Entry &entry) {
  mlir::InFlightDiagnostic diagnostic =
      context->getDiagEngine().emit(entry.extent.place(), entry.severity);
  diagnostic << entry.message;
  attach(*diagnostic.getUnderlyingDiagnostic(), entry.note);
  attach(*diagnostic.getUnderlyingDiagnostic(), entry.common);
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

static std::vector<std::string_view> views(ArrayRef<StringRef> words) {
  return {words.begin(), words.end()};
}

std::string boostc::frontend::didYouMean(StringRef word,
                                         ArrayRef<StringRef> legal) {
  return boostrt::didYouMean(word, views(legal));
}

std::string boostc::frontend::suggestName(boostrt::NameKind kind,
                                          StringRef word,
                                          ArrayRef<StringRef> legal) {
  return boostrt::suggestName(kind, word, views(legal));
}

static std::string withList(std::string text, ArrayRef<StringRef> legal,
                            StringRef plural) {
  if (legal.size() == 1)
    return text.empty() ? llvm::formatv("; only '{0}' is legal", legal.front())
                        : text;
  return boostrt::continueWith(
      std::move(text),
      llvm::formatv("the {0} are {1}", plural, llvm::join(legal, ", ")).str());
}

static bool isShortList(ArrayRef<StringRef> legal) {
  constexpr size_t kShortList = 12;
  return !legal.empty() && legal.size() <= kShortList;
}

std::string boostc::frontend::suggest(StringRef word, ArrayRef<StringRef> legal,
                                      StringRef plural) {
  std::string text = didYouMean(word, legal);
  return isShortList(legal) ? withList(std::move(text), legal, plural) : text;
}

std::string boostc::frontend::suggest(boostrt::NameKind kind, StringRef word,
                                      ArrayRef<StringRef> legal,
                                      StringRef plural) {
  std::string text = suggestName(kind, word, legal);
  if (isShortList(legal))
    return withList(std::move(text), legal, plural);
  if (kind == boostrt::NameKind::Layer)
    return boostrt::continueWith(
        std::move(text),
        llvm::formatv("see boostc --print-ops for the {0}", plural).str());
  return text;
}
