// ModelTable.h - what a model file may say: one table, which the parser checks
// against and the JSON schema and docs/model-format.md are printed from. The
// ops contribute their part through LayerOpInterface; the rest is in
// FixedTables.cpp.
#pragma once

#include "dialects/interfaces/LayerSpec.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/support/ForeignNames.h"
#include <memory>

namespace boostc {
class LayerOpInterface;
}

namespace boostc::frontend {

struct ObjectTable;
struct VariantTable;

/// The values that a key of the model file allows.
struct ValueTable {
  enum class Kind {
    Integer,
    Number,
    Boolean,
    Text,
    Name,    ///< a text of [A-Za-z0-9_./-], at most 200 long
    Word,    ///< a text of [A-Za-z0-9_], at most 200 long: a parameter's name
    List,    ///< of `element`
    Object,  ///< with the keys of `object`
    Map,     ///< from names to `element`
    Variant, ///< one of `variant`
    Either,  ///< one of `alternatives`, told apart by their JSON types
    Any,     ///< any value: what reads it judges it
  };
  Kind kind = Kind::Text;
  std::optional<double> minimum = {}; ///< inclusive
  std::optional<double> maximum = {}; ///< inclusive
  /// A number must lie above `minimum`.
  bool isMinimumExcluded = false;
  /// Texts: the legal ones, when not every text is.
  std::vector<std::string> choices = {};
  size_t minItems = 0, maxItems = 1 << 16; ///< lists
  /// Lists: a block's, whose texts may refer to parameters. They are judged
  /// where the block is used; here each item must be an object.
  bool isTemplate = false;
  bool isNullable = false;
  std::shared_ptr<const ValueTable> element = {};
  std::shared_ptr<const ObjectTable> object = {};
  std::shared_ptr<const VariantTable> variant = {};
  std::vector<ValueTable> alternatives = {};
};

struct KeyTable {
  std::string name;
  ValueTable value;
  std::string doc;
  /// JSON text of the default; empty without one.
  std::string defaultValue = {};
  bool isRequired = false; ///< else a key without a default may be absent
  bool isCommon = false;   ///< every layer has it: documented once
  /// The end of the message when a required key is missing.
  std::string whenMissing = {};
};

/// An object with known keys.
struct ObjectTable {
  std::string name;    ///< "dense"; of a variant, the value of its selector
  std::string summary; ///< one sentence
  std::vector<KeyTable> keys = {};

  const KeyTable *find(llvm::StringRef key) const;
};

/// One of several objects, chosen by the text at a key.
struct VariantTable {
  std::string selector;    ///< "op"
  std::string what;        ///< "layer op": names the choice in messages
  boostrt::NameKind names; ///< what the values of the selector are names of
  std::vector<ObjectTable> cases = {};
  /// Whether "x" means { "<selector>": "x" }.
  bool hasTextForm = false;
  /// Whether a number x means { "<selector>": numberCase, "value": x }.
  std::string numberCase = {};
  /// Whether the case is told by the presence of this key instead of a
  /// selector: the second case when it is present (or when the selector has the
  /// second case's name).
  std::string presenceKey = {};
  /// Cases without the selector, told by the presence of a key that is called
  /// as they are.
  std::vector<ObjectTable> keyedCases = {};

  const ObjectTable *find(llvm::StringRef name) const;
};

/// An op's entry, with the way to build it.
struct LayerEntry {
  LayerSpec spec;
  llvm::FailureOr<llvm::SmallVector<mlir::Value>> (*build)(LayerBuilder &);
};

class ModelTable {
public:
  /// Collects the entries of all ops of `context`'s loaded dialects.
  explicit ModelTable(mlir::MLIRContext &context);

  /// The whole file.
  const ObjectTable &file() const { return root; }
  /// The dictionary of boosts, with the key names of the system this one
  /// follows.
  const ObjectTable &boost() const;
  /// One item of "layers".
  const ValueTable &layer() const {
    return *root.find("layers")->value.element;
  }
  llvm::ArrayRef<LayerEntry> getEntries() const { return entries; }
  /// The entry of a spelling that the table contains.
  const LayerEntry &entry(LayerSpec::Kind kind, llvm::StringRef name) const;

private:
  std::vector<LayerEntry> entries;
  ObjectTable root;
};

/// Tables of what is not an op.
ValueTable initializerTable();
ValueTable scheduleTable(std::optional<double> minimum,
                         std::optional<double> maximum);
ValueTable transformsTable();
ValueTable inputTable();
ObjectTable ampTable();
ObjectTable trainTable();
ObjectTable useTable();
/// `layer` is the table of one item of "layers".
ValueTable blocksTable(ValueTable layer);
ObjectTable boostTable();

/// Shorthand for the tables.
ValueTable makeInteger(double minimum, double maximum);
ValueTable makeList(ValueTable element, size_t minItems, size_t maxItems);
ValueTable makeObject(ObjectTable object);
ValueTable makeVariant(VariantTable variant);

/// The metric that is not an op.
constexpr llvm::StringLiteral kLossMetric = "loss";

constexpr double kMaxBatch = 1 << 20;
/// Threads that make batches.
constexpr double kMaxWorkers = 256;

} // namespace boostc::frontend
