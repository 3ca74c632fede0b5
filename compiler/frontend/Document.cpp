#include "compiler/frontend/Document.h"
#include "runtime/support/Suggest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <nlohmann/json.hpp>

using namespace boostc::frontend;
using llvm::StringRef;

Source::Source(mlir::MLIRContext *context, Kind kind, StringRef name,
               StringRef text)
    : kind(kind), text(text), file(mlir::StringAttr::get(context, name)) {
  lineStarts.push_back(0);
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n')
      lineStarts.push_back(i + 1);
}

std::pair<unsigned, unsigned> Source::lineAndColumn(size_t offset) const {
  auto next = llvm::upper_bound(lineStarts, offset);
  size_t line = next - lineStarts.begin();
  return {static_cast<unsigned>(line),
          static_cast<unsigned>(offset - lineStarts[line - 1] + 1)};
}

mlir::Location Source::location(size_t offset) const {
  auto [line, column] = lineAndColumn(offset);
  return mlir::FileLineColLoc::get(file, line, column);
}

mlir::Location Extent::location() const {
  llvm::SmallVector<mlir::Location> callers;
  for (const Expansion *step = expansion; step; step = step->next)
    callers.push_back(step->place.place());
  if (callers.empty())
    return place();
  mlir::Location caller = callers.pop_back_val();
  while (!callers.empty())
    caller = mlir::CallSiteLoc::get(callers.pop_back_val(), caller);
  return mlir::CallSiteLoc::get(place(), caller);
}

Node Node::makeText(StringRef text, Extent extent) {
  Node node;
  node.kind = Kind::Text;
  node.text = text.str();
  node.extent = extent;
  return node;
}

Node Node::makeNumber(double value, Extent extent) {
  Node node;
  node.kind = Kind::Number;
  node.number = value;
  node.extent = extent;
  return node;
}

Node Node::makeInteger(int64_t value, Extent extent) {
  Node node = makeNumber(static_cast<double>(value), extent);
  node.kind = Kind::Integer;
  node.integer = value;
  return node;
}

Node Node::makeObject(Extent extent) {
  Node node;
  node.kind = Kind::Object;
  node.extent = extent;
  return node;
}

Node Node::makeList(Extent extent) {
  Node node;
  node.kind = Kind::List;
  node.extent = extent;
  return node;
}

const Member *Node::findMember(StringRef key) const {
  for (const Member &member : members)
    if (member.key == key)
      return &member;
  return nullptr;
}

const Node *Node::find(StringRef key) const {
  const Member *member = findMember(key);
  return member ? &member->value : nullptr;
}

Node *Node::find(StringRef key) {
  return const_cast<Node *>(std::as_const(*this).find(key));
}

const Node &Node::at(StringRef key) const {
  const Node *node = find(key);
  assert(node && "the table gives every key that is read");
  return *node;
}

Node &Node::add(StringRef key, Extent keyExtent, Node value) {
  members.push_back({key.str(), keyExtent, std::move(value)});
  return members.back().value;
}

std::string Node::describe() const {
  switch (kind) {
  case Kind::Null:
    return "null";
  case Kind::Boolean:
    return boolean ? "true" : "false";
  case Kind::Integer:
    return std::to_string(integer);
  case Kind::Number:
    return nlohmann::json(number).dump();
  case Kind::Text:
    return llvm::formatv("text '{0}'", printable(text));
  case Kind::List:
    return llvm::formatv("a list of {0}", items.size());
  case Kind::Object:
    return "an object";
  }
  llvm_unreachable("all kinds are listed");
}

std::string boostc::frontend::printable(StringRef text) {
  return boostrt::printable(text, /*longest=*/100);
}
