#include "compiler/frontend/DiagnosticPrinter.h"
#include "runtime/support/Suggest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace boostc;
using llvm::raw_ostream;
using llvm::WithColor;

DiagnosticPrinter::DiagnosticPrinter(llvm::SourceMgr &sources,
                                     MLIRContext *context, raw_ostream &os,
                                     std::string program, bool isColored)
    : ScopedDiagnosticHandler(context), sources(sources), os(os),
      program(std::move(program)), isColored(isColored) {
  setHandler([this](Diagnostic &diagnostic) { printAll(diagnostic); });
}

static llvm::ColorMode colorMode(bool isColored) {
  return isColored ? llvm::ColorMode::Enable : llvm::ColorMode::Disable;
}

static void printSeverity(raw_ostream &os, DiagnosticSeverity severity,
                          bool isColored) {
  using llvm::HighlightColor;
  auto print = [&](HighlightColor color, StringRef word) {
    WithColor(os, color, colorMode(isColored)) << word << ": ";
  };
  switch (severity) {
  case DiagnosticSeverity::Error:
    return print(HighlightColor::Error, "error");
  case DiagnosticSeverity::Warning:
    return print(HighlightColor::Warning, "warning");
  case DiagnosticSeverity::Note:
    return print(HighlightColor::Note, "note");
  case DiagnosticSeverity::Remark:
    return print(HighlightColor::Remark, "remark");
  }
}

void DiagnosticPrinter::print(raw_ostream &os, StringRef program,
                              DiagnosticSeverity severity, StringRef message,
                              bool isColored) {
  os << program << ": ";
  printSeverity(os, severity, isColored);
  os << message << "\n";
}

FileLineColLoc boostc::findPlace(Location location) {
  FileLineColLoc place;
  location->walk([&](Location inner) {
    place = dyn_cast<FileLineColLoc>(inner);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

void DiagnosticPrinter::print(Location location, DiagnosticSeverity severity,
                              StringRef message) {
  FileLineColLoc place = findPlace(location);
  if (!place) {
    print(os, program, severity, message, isColored);
    return;
  }
  {
    WithColor bold(os, raw_ostream::SAVEDCOLOR, /*Bold=*/true, /*BG=*/false,
                   colorMode(isColored));
    bold.get() << boostrt::printable(place.getFilename().getValue(), 4096)
               << ":" << place.getLine() << ":" << place.getColumn() << ": ";
  }
  printSeverity(os, severity, isColored);
  os << message << "\n";
  printLine(place);
}

/// The call site of `location`, inside the names of layers.
static std::optional<CallSiteLoc> findCall(Location location) {
  while (auto named = dyn_cast<NameLoc>(location))
    location = named.getChildLoc();
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return call;
  return std::nullopt;
}

/// What a diagnostic says, without what would steer a terminal: MLIR repeats
/// text of files as it is, and writes a zero byte for a plural's missing s.
static std::string getText(const Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  llvm::erase(text, '\0');
  SmallVector<std::string> lines;
  for (StringRef line : llvm::split(text, '\n'))
    lines.push_back(boostrt::printable(line, std::string::npos));
  return llvm::join(lines, "\n");
}

void DiagnosticPrinter::printAll(Diagnostic &diagnostic) {
  Location location = diagnostic.getLocation();
  print(location, diagnostic.getSeverity(), getText(diagnostic));
  constexpr unsigned kMaxCalls = 10;
  std::optional<CallSiteLoc> call = findCall(location);
  for (unsigned i = 0; call && i < kMaxCalls; ++i) {
    print(call->getCaller(), DiagnosticSeverity::Note, "called from");
    call = findCall(call->getCaller());
  }
  for (Diagnostic &note : diagnostic.getNotes())
    print(note.getLocation(), note.getSeverity(), getText(note));
}

std::optional<StringRef> DiagnosticPrinter::findLine(FileLineColLoc place) {
  StringRef name = place.getFilename();
  unsigned id = 1;
  while (id <= sources.getNumBuffers() &&
         sources.getMemoryBuffer(id)->getBufferIdentifier() != name)
    ++id;
  if (id > sources.getNumBuffers()) {
    // IR names the file that it was made of.
    std::string found;
    id = llvm::sys::fs::is_regular_file(name)
             ? sources.AddIncludeFile(name.str(), llvm::SMLoc(), found)
             : 0;
    if (id == 0)
      return std::nullopt;
  }
  StringRef text = sources.getMemoryBuffer(id)->getBuffer();
  for (unsigned line = 1; line < place.getLine(); ++line) {
    size_t end = text.find('\n');
    if (end == StringRef::npos)
      return std::nullopt;
    text = text.drop_front(end + 1);
  }
  return text.take_until([](char c) { return c == '\n'; }).rtrim('\r');
}

std::optional<size_t> boostc::layOutLine(StringRef line, size_t bytes,
                                         std::string &shown) {
  constexpr size_t kLongest = 4096, kTab = 8;
  if (line.size() > kLongest || line.contains('\0') ||
      !llvm::json::isUTF8(line))
    return std::nullopt;
  size_t columns = 0, before = 0;
  for (size_t at = 0; at < line.size();) {
    if (at <= bytes)
      before = columns;
    size_t length = llvm::getNumBytesForUTF8(line[at]);
    StringRef character = line.substr(at, length);
    std::string text = boostrt::printable(character);
    if (character == "\t")
      text.assign(kTab - columns % kTab, ' ');
    int width = llvm::sys::unicode::columnWidthUTF8(text);
    shown += text;
    columns += std::max(width, 0);
    at += length;
  }
  if (bytes < line.size())
    return before;
  return columns + (bytes - line.size());
}

void DiagnosticPrinter::printLine(FileLineColLoc place) {
  std::optional<StringRef> line = findLine(place);
  if (!line || place.getColumn() == 0 || place.getColumn() > line->size() + 1)
    return;
  std::string shown;
  std::optional<size_t> column =
      layOutLine(*line, place.getColumn() - 1, shown);
  if (!column)
    return;
  os << shown << "\n";
  WithColor caret(os.indent(*column), raw_ostream::GREEN, /*Bold=*/true,
                  /*BG=*/false, colorMode(isColored));
  caret.get() << "^\n";
}
