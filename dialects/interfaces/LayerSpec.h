// LayerSpec.h - what the model file may say of an op. The specs of all ops,
// collected through LayerOpInterface, are the one table of the parser, the
// JSON schema, docs/model-format.md and the model generator.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Value.h"
#include "runtime/abi/boost_abi.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace boostc {

/// The type of a JSON key.
enum class KeyType {
  Integer,     ///< a JSON integer
  Number,      ///< any finite JSON number
  Boolean,     ///< true or false
  Choice,      ///< a string out of KeySpec::choices
  IntegerList, ///< an array of integers
  Extents,     ///< an integer for both, or [height, width]
  Padding,     ///< one of the choices, an integer, [height, width] or
               ///< [top, left, bottom, right]
  Rate,        ///< a number or { "schedule": ... }
};

struct KeySpec {
  llvm::StringRef name;
  KeyType type;
  llvm::StringRef doc;
  /// JSON text of the default; empty = the key is required.
  llvm::StringRef defaultValue = {};
  std::optional<double> minimum = {}; ///< inclusive
  std::optional<double> maximum = {}; ///< inclusive
  std::vector<llvm::StringRef> choices = {};
  /// For an optimizer: the key of a group that is given instead of this one,
  /// where that is another one.
  llvm::StringRef keyOfGroup = {};

  bool isRequired() const { return defaultValue.empty(); }
};

/// A parameter that a layer owns; the model file sets its initialiser under
/// "init": { "<name>": ... }.
struct ParameterSpec {
  llvm::StringRef name; ///< "weight"; the parameter is called "<layer>.weight"
  BoostRole role;
  llvm::StringRef defaultInitializer; ///< "zeros", or an object in JSON
  llvm::StringRef doc;
};

/// A state that a layer owns: what training changes other than by gradients.
/// It is saved with the weights, and called "<layer>.<name>".
struct StatisticSpec {
  llvm::StringRef name; ///< "running_mean"
  double initial;       ///< value of each element before the first step
  llvm::StringRef doc;
};

/// One spelling in the model file.
struct LayerSpec {
  enum class Kind { Layer, Loss, Metric, Optimizer };
  llvm::StringRef name;
  Kind kind;
  llvm::StringRef summary; ///< one sentence with the formula
  std::vector<KeySpec> keys = {};
  std::vector<ParameterSpec> parameters = {};
  /// A layer with some is built for evaluation once more.
  std::vector<StatisticSpec> statistics = {};
  unsigned inputs = 1;    ///< values it reads at least: layers only
  unsigned maxInputs = 0; ///< at most; 0: as many as at least
  /// Draws random numbers in training and is not there in evaluation.
  bool isRandom = false;
  bool readsIntegers = false; ///< and nothing else
  /// Layers: the spelling of the same layer on vectors of length 1, which may
  /// lack some of its keys and parameters; empty without one.
  llvm::StringRef normalizedForm = {};
  /// Losses: whether the layer before gives a score of each class.
  bool comparesClasses = false;
  /// Losses: whether it is minus the logarithm of the probability that a
  /// softmax of the scores gives to the label, so that products of gradients
  /// are those of a Fisher matrix.
  bool isLikelihood = false;
  /// Optimizers: whether they take such products for curvature.
  bool isSecondOrder = false;
};

/// How a layer's running mean and variance follow the values of a step.
struct RunningMoments {
  llvm::StringRef mean, variance; ///< names of statistics of the spec
  /// Sums over the n values of a micro-batch for each element of the
  /// statistics: distances from the running mean, and their squares; and n
  /// itself, i64.
  mlir::Value shifts, squares, count;
  double momentum; ///< weight of a step's moments
  /// Whether sums of squares are divided by n - 1 and not by n.
  bool isUnbiased;
};

/// What an op sees while the frontend builds one use of it. Keys have been
/// checked against the spec and defaults filled in before.
class LayerBuilder {
public:
  LayerBuilder(mlir::OpBuilder &builder, mlir::Location loc,
               const LayerSpec &spec)
      : builder(builder), loc(loc), spec(spec) {}
  virtual ~LayerBuilder() = default;

  mlir::OpBuilder &builder;
  mlir::Location loc;    ///< of the layer in the model file
  const LayerSpec &spec; ///< the spelling that was used
  /// Layers: the values read. Losses: the last layer's output, labels or
  /// targets of numbers, valid. Metrics: output, labels, valid.
  /// Optimizers: parameter, mean gradient, learning rate.
  llvm::SmallVector<mlir::Value> inputs;

  virtual int64_t getInteger(llvm::StringRef key) = 0;
  virtual double getNumber(llvm::StringRef key) = 0;
  virtual bool getBoolean(llvm::StringRef key) = 0;
  /// Empty when a key that takes other forms too (KeyType::Padding) has one.
  virtual llvm::StringRef getChoice(llvm::StringRef key) = 0;
  /// A single integer is a list of one.
  virtual llvm::SmallVector<int64_t> getIntegers(llvm::StringRef key) = 0;

  /// Declares (on the first call for this layer) or finds the parameter `name`
  /// of the spec and returns its value. `fanIn` and `fanOut` are what
  /// initialisers scale by.
  virtual llvm::FailureOr<mlir::Value> parameter(llvm::StringRef name,
                                                 llvm::ArrayRef<int64_t> shape,
                                                 int64_t fanIn,
                                                 int64_t fanOut) = 0;
  /// Layers: the statistic `name` of the spec, as it was before the step.
  virtual mlir::Value statistic(llvm::StringRef name,
                                llvm::ArrayRef<int64_t> shape) = 0;
  /// Layers in training: each step moves statistics towards the moments of its
  /// values (`train.running_statistics`), whose sums are accumulators of the
  /// layer, "<layer>.shifts" and so on.
  virtual void trackMoments(const RunningMoments &moments) = 0;
  /// Layers: whether for training, or for evaluation.
  bool isTraining = true;
  /// Optimizers: the state tensor `slot` of the parameter at hand, initially
  /// zero.
  virtual llvm::FailureOr<mlir::Value> state(llvm::StringRef slot) = 0;
  /// Optimizers: the number of steps applied so far, this one counted: an i64
  /// scalar, the same for all parameters. Meaningless in a step that is not
  /// applied.
  virtual mlir::Value appliedSteps() = 0;
  /// Layers with statistics: the number of real samples, i32.
  mlir::Value valid;
  /// Layers that are random: a number for each sample, i32 [batch], and the
  /// layer's own stream (boost_random.h). The keys are null in evaluation.
  mlir::Value sampleKeys;
  uint64_t stream = 0;
  /// Layers: how many integers `inputs[index]` can hold, from 0; 0 when it is
  /// not an input of integers.
  virtual int64_t getClasses(unsigned index) = 0;
  /// Optimizers: whether the step is applied, the flag of `train.commit`.
  mlir::Value applied;
  /// Optimizers: what the parameter at hand is to its layer, and its name.
  BoostRole role = BOOSTC_ROLE_WEIGHT;
  /// Optimizers: whether that is the weight of a layer between others, a matrix
  /// or more: not of the first convolution, nor of the last dense layer.
  bool isHidden = false;
  llvm::StringRef parameterName;

  /// A diagnostic at the position of `key`'s value, or of the layer without
  /// one.
  virtual mlir::InFlightDiagnostic emitError(llvm::StringRef key = {}) = 0;
};

} // namespace boostc
