// Document.h - a JSON document in which every key and value knows its
// location.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace boostc::frontend {

/// A text that a document was read from: a file, or one --set option. Must
/// outlive every node that points into it.
class Source {
public:
  /// What the user may be blamed for: a file's content or the command line.
  enum class Kind { File, CommandLine };

  /// `text` must outlive the source.
  Source(mlir::MLIRContext *context, Kind kind, llvm::StringRef name,
         llvm::StringRef text);

  Kind kind;
  llvm::StringRef text;

  /// Line and column, both from 1, of a byte; columns count bytes.
  std::pair<unsigned, unsigned> lineAndColumn(size_t offset) const;
  mlir::Location location(size_t offset) const;
  llvm::StringRef name() const { return file.getValue(); }

private:
  mlir::StringAttr file;
  std::vector<size_t> lineStarts;
};

struct Expansion;

/// Bytes [begin, end) of a source; values that came from a default point at
/// what they belong to.
struct Extent {
  const Source *source = nullptr;
  size_t begin = 0, end = 0;
  /// The uses of blocks through which the value got where it is; null for one
  /// that is written there.
  const Expansion *expansion = nullptr;

  /// Where the text is.
  mlir::Location place() const { return source->location(begin); }
  /// The same for an operation: what a block says is called from its uses.
  mlir::Location location() const;
};

/// One step of the way from a text in a block to a layer of the model: the
/// innermost first.
struct Expansion {
  Extent place; ///< of the use, or of the reference to a parameter
  std::string message;
  const Expansion *next = nullptr;
};

struct Member;

/// One JSON value.
struct Node {
  enum class Kind { Null, Boolean, Integer, Number, Text, List, Object };

  Kind kind = Kind::Null;
  bool boolean = false;
  bool isDefault = false; ///< the file does not have it
  bool isBroken = false;  ///< an error about it was reported: no further ones
  int64_t integer = 0;
  double number = 0.0; ///< of a Number, and of an Integer too
  std::string text;
  std::vector<Node> items;
  std::vector<Member> members; ///< in the order of the file
  Extent extent;

  static Node makeText(llvm::StringRef text, Extent extent);
  static Node makeNumber(double value, Extent extent);
  static Node makeInteger(int64_t value, Extent extent);
  static Node makeObject(Extent extent);
  static Node makeList(Extent extent);

  bool is(Kind other) const { return kind == other; }
  /// The value of `key` in an object; null when it is absent or this is not an
  /// object.
  const Node *find(llvm::StringRef key) const;
  Node *find(llvm::StringRef key);
  const Member *findMember(llvm::StringRef key) const;
  /// The value of `key`, which the caller knows to be there.
  const Node &at(llvm::StringRef key) const;
  Node &add(llvm::StringRef key, Extent keyExtent, Node value);

  /// "number 3.5", "text 'x'", "a list": what a message says was found.
  std::string describe() const;
};

struct Member {
  std::string key;
  Extent keyExtent;
  Node value;
};

/// `text` as boostrt::printable() shows it, cut to 100 bytes.
std::string printable(llvm::StringRef text);

} // namespace boostc::frontend
