#include "sim/PtxParser.h"

#include "sim/PtxBody.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace boostrt::sim {

Result<Variable> parseVariable(PtxCursor &cursor, Space space) {
  Variable variable;
  variable.space = space;
  variable.line = cursor.line();
  Type type = Type::None;
  while (cursor.peek().kind == TokenKind::DotWord) {
    if (cursor.acceptDot("align")) {
      auto align = cursor.expectCount("an alignment", 1024);
      if (!align.ok())
        return align.status();
      if (!std::has_single_bit(*align))
        return cursor.error(variable.line,
                            "an alignment must be a power of two");
      variable.align = static_cast<uint32_t>(*align);
    } else if (cursor.isDot("ptr") || cursor.isDot("global") ||
               cursor.isDot("shared") || cursor.isDot("const") ||
               cursor.isDot("local")) {
      cursor.take(); // `.u64 .ptr .global .align 16`: where a pointer points
      if (cursor.acceptDot("align"))
        if (auto align = cursor.expectCount("an alignment", 1u << 20);
            !align.ok())
          return align.status();
    } else {
      type = typeNamed(cursor.peek().text);
      if (type == Type::None || type == Type::Pred)
        return cursor.expected("a type of a variable");
      cursor.take();
    }
  }
  if (type == Type::None)
    return cursor.expected("a type of a variable");
  auto name = cursor.expectWord("the name of a variable");
  if (!name.ok())
    return name.status();
  variable.name = *name;
  variable.align = std::max(variable.align, bytesOf(type));
  variable.bytes = variable.elementBytes = bytesOf(type);
  while (cursor.acceptPunct('[')) {
    if (cursor.isPunct(']')) {
      variable.unsized = true;
      variable.bytes = 0;
    } else {
      auto count =
          cursor.expectCount("the size of an array", kVariableBytesCap);
      if (!count.ok())
        return count.status();
      variable.bytes *= *count;
    }
    if (variable.bytes > kVariableBytesCap)
      return cursor.error(variable.line,
                          fmt::format("'{}' has {} bytes; at most {} are taken",
                                      variable.name, variable.bytes,
                                      kVariableBytesCap));
    BOOSTRT_RETURN_IF_ERROR(cursor.expectPunct(']'));
  }
  return variable;
}

namespace {
class ModuleParser {
public:
  explicit ModuleParser(const PtxText &text, const std::vector<Token> &tokens)
      : cursor_(text, tokens) {}

  Result<PtxModule> run() {
    BOOSTRT_RETURN_IF_ERROR(header());
    while (!cursor_.atEnd())
      BOOSTRT_RETURN_IF_ERROR(topLevel());
    return std::move(module_);
  }

private:
  Status header() {
    if (!cursor_.acceptDot("version"))
      return cursor_.expected(".version, with which PTX begins");
    if (auto version = cursor_.expectLiteral("a version"); !version.ok())
      return version.status();
    if (!cursor_.acceptDot("target"))
      return cursor_.expected(".target");
    auto target = cursor_.expectWord("a target such as sm_80");
    if (!target.ok())
      return target.status();
    while (cursor_.acceptPunct(','))
      if (auto option = cursor_.expectWord("a target option"); !option.ok())
        return option.status();
    if (cursor_.acceptDot("address_size")) {
      uint32_t line = cursor_.line();
      auto bits = cursor_.expectCount("the address size", 64);
      if (!bits.ok())
        return bits.status();
      if (*bits != 64)
        return cursor_.error(line, "the simulator has 64-bit addresses only");
    }
    return Status();
  }

  Status topLevel() {
    if (cursor_.acceptPunct(';'))
      return Status();
    if (cursor_.acceptDot("file"))
      return file();
    if (cursor_.acceptDot("section"))
      return section();
    bool external = false;
    while (cursor_.isDot("extern") || cursor_.isDot("visible") ||
           cursor_.isDot("weak") || cursor_.isDot("common"))
      external |= cursor_.take().text == "extern";
    if (cursor_.acceptDot("entry"))
      return function(true);
    if (cursor_.acceptDot("func"))
      return function(false);
    if (cursor_.acceptDot("global"))
      return variable(Space::Global, external);
    if (cursor_.acceptDot("const"))
      return variable(Space::Const, external);
    if (cursor_.acceptDot("shared"))
      return variable(Space::Shared, external);
    return cursor_.expected("a declaration (.entry, .func, .global, .const, "
                            ".shared, .file, .section)");
  }

  Status file() {
    auto number = cursor_.expectCount("a file number", UINT32_MAX);
    if (!number.ok())
      return number.status();
    if (cursor_.peek().kind != TokenKind::String)
      return cursor_.expected("a file name in quotes");
    module_.files.push_back(
        {static_cast<uint32_t>(*number), std::string(cursor_.take().text)});
    while (cursor_.acceptPunct(',')) // time and size
      if (auto extra = cursor_.expectLiteral("a number"); !extra.ok())
        return extra.status();
    return Status();
  }

  /// Debug information; nothing in it is executed.
  Status section() {
    while (!cursor_.atEnd() && !cursor_.isPunct('{'))
      cursor_.take();
    BOOSTRT_RETURN_IF_ERROR(cursor_.expectPunct('{'));
    while (!cursor_.atEnd() && !cursor_.isPunct('}'))
      cursor_.take();
    return cursor_.expectPunct('}');
  }

  Status variable(Space space, bool external) {
    auto declared = parseVariable(cursor_, space);
    if (!declared.ok())
      return declared.status();
    if (external && space != Space::Shared)
      return cursor_.error(
          declared->line, fmt::format("'{}' is external, but a kernel's module "
                                      "must be complete",
                                      declared->name));
    if (cursor_.acceptPunct('=')) {
      if (space == Space::Shared)
        return cursor_.error(
            declared->line,
            fmt::format("'{}' has an initialiser; shared memory takes none",
                        declared->name));
      BOOSTRT_RETURN_IF_ERROR(initialiser(*declared));
      if (declared->unsized)
        declared->bytes = declared->initial.size();
      declared->unsized = false;
      if (declared->initial.size() > declared->bytes)
        return cursor_.error(
            declared->line,
            fmt::format("'{}' has {} bytes, its initialiser {}", declared->name,
                        declared->bytes, declared->initial.size()));
      declared->initial.resize(declared->bytes);
    }
    if (declared->unsized && space != Space::Shared)
      return cursor_.error(declared->line,
                           fmt::format("'{}' has no size", declared->name));
    auto index = static_cast<uint32_t>(module_.variables.size());
    if (!variables_.emplace(declared->name, index).second)
      return cursor_.error(declared->line, fmt::format("'{}' is declared twice",
                                                       declared->name));
    module_.variables.push_back(std::move(*declared));
    return cursor_.expectPunct(';');
  }

  Status initialiser(Variable &variable) {
    if (!cursor_.acceptPunct('{'))
      return element(variable);
    if (cursor_.acceptPunct('}'))
      return Status();
    do
      BOOSTRT_RETURN_IF_ERROR(element(variable));
    while (cursor_.acceptPunct(','));
    return cursor_.expectPunct('}');
  }

  Status element(Variable &variable) {
    uint32_t line = cursor_.line();
    if (cursor_.peek().kind == TokenKind::Word)
      return cursor_.error(line,
                           "addresses in initialisers are not supported by "
                           "the simulator");
    auto literal = cursor_.expectLiteral("a number");
    if (!literal.ok())
      return literal.status();
    size_t width = variable.elementBytes;
    size_t at = variable.initial.size();
    if (at + width > kVariableBytesCap)
      return cursor_.error(line, "an initialiser this long is not taken");
    variable.initial.resize(at + width);
    std::memcpy(variable.initial.data() + at, &literal->bits, width);
    return Status();
  }

  Status parameters(Function &function, std::vector<uint32_t> &list) {
    if (cursor_.acceptPunct(')'))
      return Status();
    do {
      // A list may also declare `.reg .b32 x`: not written by compilers.
      if (!cursor_.acceptDot("param"))
        return cursor_.expected(".param");
      auto declared = parseVariable(cursor_, Space::Param);
      if (!declared.ok())
        return declared.status();
      for (const Variable &other : function.variables)
        if (other.name == declared->name)
          return cursor_.error(
              declared->line,
              fmt::format("parameter '{}' is declared twice", declared->name));
      list.push_back(static_cast<uint32_t>(function.variables.size()));
      function.variables.push_back(std::move(*declared));
      if (function.variables.size() > 4096)
        return cursor_.error(cursor_.line(), "more than 4096 parameters");
    } while (cursor_.acceptPunct(','));
    return cursor_.expectPunct(')');
  }

  Status function(bool entry) {
    Function parsed;
    parsed.entry = entry;
    parsed.line = cursor_.line();
    if (!entry && cursor_.acceptPunct('('))
      BOOSTRT_RETURN_IF_ERROR(parameters(parsed, parsed.results));
    auto name = cursor_.expectWord("the name of a function");
    if (!name.ok())
      return name.status();
    parsed.name = *name;
    if (cursor_.acceptPunct('('))
      BOOSTRT_RETURN_IF_ERROR(parameters(parsed, parsed.parameters));
    BOOSTRT_RETURN_IF_ERROR(attributes(parsed));
    if (!cursor_.acceptPunct(';')) {
      BOOSTRT_RETURN_IF_ERROR(cursor_.expectPunct('{'));
      parsed.defined = true;
      BOOSTRT_RETURN_IF_ERROR(
          BodyParser(cursor_, parsed, module_, variables_).run());
    }
    return add(std::move(parsed));
  }

  Status attributes(Function &function) {
    while (cursor_.peek().kind == TokenKind::DotWord) {
      std::string_view word = cursor_.peek().text;
      if (word == "noreturn") {
        cursor_.take();
        continue;
      }
      if (word != "maxntid" && word != "reqntid" && word != "minnctapersm" &&
          word != "maxnctapersm" && word != "maxnreg")
        return cursor_.expected("a function attribute the simulator knows "
                                "(.maxntid, .reqntid, .minnctapersm, "
                                ".maxnctapersm, .maxnreg, .noreturn)");
      cursor_.take();
      uint64_t counts[3] = {1, 1, 1};
      size_t given = 0;
      do {
        auto count = cursor_.expectCount("a number", 1u << 20);
        if (!count.ok())
          return count.status();
        if (given < 3)
          counts[given++] = *count;
      } while (cursor_.acceptPunct(','));
      if (word == "maxntid")
        function.maximalThreads =
            std::min<uint64_t>(counts[0] * counts[1] * counts[2], UINT32_MAX);
      if (word == "reqntid")
        for (size_t i = 0; i < 3; ++i)
          function.requiredThreads[i] = static_cast<uint32_t>(counts[i]);
    }
    return Status();
  }

  /// A declaration may come before its definition.
  Status add(Function parsed) {
    auto [known, fresh] = module_.functionNamed.emplace(
        parsed.name, static_cast<uint32_t>(module_.functions.size()));
    if (fresh) {
      module_.functions.push_back(std::move(parsed));
      return Status();
    }
    Function &first = module_.functions[known->second];
    if (first.defined && parsed.defined)
      return cursor_.error(parsed.line,
                           fmt::format("'{}' is defined at line {} already",
                                       parsed.name, first.line));
    if (parsed.defined)
      first = std::move(parsed);
    return Status();
  }

  PtxCursor cursor_;
  PtxModule module_;
  std::unordered_map<std::string, uint32_t> variables_;
};
} // namespace

Result<PtxModule> parsePtx(const PtxText &text) {
  auto tokens = lexPtx(text);
  if (!tokens.ok())
    return tokens.status();
  return ModuleParser(text, *tokens).run();
}

} // namespace boostrt::sim
