#include "test/smith/Generator.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/pipeline/Phases.h"
#include "dialects/interfaces/Interfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::smith;

/// Keeps the interpreter's part of a comparison below a second.
constexpr int64_t kMaxElements = 20'000;
constexpr size_t kMaxLayers = 9;

e2e::Model Sketch::getModel() const {
  e2e::Model whole = model;
  std::vector<std::string> all = layers;
  // The head: whatever came before, one number per class.
  all.push_back(R"({ "op": "flatten", "name": "head" })");
  all.push_back(R"({ "op": "dense", "units": )" +
                std::to_string(model.classes) + " }");
  whole.layers = llvm::join(all, ",\n");
  return whole;
}

/// Two groups, cut at any parameter, also inside of a layer.
static std::string cutGroups(ArrayRef<std::string> names, uint64_t choice) {
  auto group = [](ArrayRef<std::string> members) {
    return "[\"" + llvm::join(members, "\",\"") + "\"]";
  };
  size_t cut = 1 + choice % (names.size() - 1);
  return "groups=[" + group(names.take_front(cut)) + "," +
         group(names.drop_front(cut)) + "]";
}

CompileOptions Sketch::getOptions() const {
  CompileOptions options;
  options.phase.useLibrary = useLibrary;
  options.phase.threads = threads;
  options.phase.forCpu = !isForGpus;
  options.phase.forCuda = isForGpus;
  options.phase.cudaLibrary = callsCudaLibrary ? "always" : "never";
  options.phase.tilingPolicy =
      isStaged ? TilingPolicy::Always : TilingPolicy::Auto;
  if (usesWinograd)
    options.phase.winograd = "always";
  options.reproducible = reproducible;
  if (isTf32)
    options.sets = {"matmul_precision=tf32"};
  options.boosts = boosts;
  if (scaleCut) {
    std::vector<std::string> names = import(*this).parameters;
    if (names.size() > 1)
      llvm::append_values(options.boosts, "loss_scale_group=true",
                          "loss_scale_group.initial=[1024,24]",
                          cutGroups(names, *scaleCut));
  }
  if (microBatches > 1)
    options.boosts.push_back("grad_accumulation_step=" +
                             std::to_string(microBatches));
  return options;
}

Import smith::import(const Sketch &sketch) {
  Import result;
  e2e::Context context;
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module;
  result.isLegal = importModel(context.mlir, sources, "model.json",
                               sketch.getModel().getJson(), {},
                               module) == FrontendStatus::Ok;
  result.diagnostics = context.diagnostics;
  if (!result.isLegal)
    return result;
  module->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        result.isTooLarge |= tensor.getNumElements() > kMaxElements;
    if (auto parameter = dyn_cast<train::ParameterOp>(op))
      result.parameters.push_back(parameter.getSymName().str());
    if (op->getName().getStringRef() == "nn.flatten") {
      auto type = cast<RankedTensorType>(op->getOperand(0).getType());
      result.shape = type.getShape().drop_front().vec();
    }
  });
  return result;
}

namespace {

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {
    for (RegisteredOperationName op : context.mlir.getRegisteredOperations())
      if (auto *layer = op.getInterface<LayerOpInterface>())
        for (LayerSpec &spec : layer->getLayerSpecs()) {
          if (spec.kind == LayerSpec::Kind::Layer)
            specs.push_back(std::move(spec));
          else if (spec.kind == LayerSpec::Kind::Loss)
            losses.push_back(std::move(spec));
          else if (spec.kind == LayerSpec::Kind::Optimizer)
            optimizers.push_back(std::move(spec));
        }
    for (std::vector<LayerSpec> *list : {&specs, &losses, &optimizers})
      llvm::sort(*list, [](const LayerSpec &a, const LayerSpec &b) {
        return a.name < b.name;
      });
  }

  Sketch generate(int64_t &illegal, std::string &fault) {
    Sketch sketch;
    sketch.model = drawFrame();
    sketch.useLibrary = draw(0, 3) > 0;
    sketch.threads = draw(1, 2);
    if (sketch.model.vocabulary)
      sketch.layers.push_back(drawLayer(
          *llvm::find_if(specs, [](auto &spec) { return spec.readsIntegers; }),
          sketch, {}));
    std::vector<int64_t> shape = import(sketch).shape;
    size_t wanted = draw(1, kMaxLayers);
    for (int tries = 0; sketch.layers.size() < wanted && tries < 60; ++tries) {
      Sketch longer = sketch;
      longer.layers.push_back(
          drawLayer(specs[draw(0, specs.size() - 1)], sketch, shape));
      Import result = import(longer);
      if (!result.isLegal) {
        ++illegal;
        if (result.diagnostics.empty())
          fault = "refused without a word: " + longer.layers.back();
      }
      if (!result.isLegal || result.isTooLarge)
        continue;
      sketch = std::move(longer);
      shape = result.shape;
    }
    return sketch;
  }

private:
  int64_t draw(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  }
  template <typename T> T pick(std::initializer_list<T> choices) {
    return choices.begin()[draw(0, choices.size() - 1)];
  }

  e2e::Model drawFrame() {
    e2e::Model model;
    model.name = "smith";
    // One, primes, whole vectors and their neighbours.
    model.batch = pick<int64_t>({1, 2, 3, 4, 5, 8, 15, 16, 17, 32});
    model.classes = draw(2, 11);
    switch (draw(0, 7)) {
    case 0:
    case 1:
      model.sample = llvm::formatv("[{0}]", draw(1, 40));
      break;
    case 2: // enough for two threads
      model.sample = llvm::formatv("[{0}]", draw(64, 500));
      break;
    case 3: { // a product with itself is legal, transposed or not
      int64_t extent = draw(2, 9);
      model.sample = llvm::formatv("[{0}, {0}]", extent);
      break;
    }
    default:
      model.sample = llvm::formatv("[{0}, {1}, {2}]", draw(1, 5), draw(1, 12),
                                   draw(1, 12));
    }
    if (draw(0, 7) == 0)
      model.vocabulary = draw(2, 40);
    if (draw(0, 5) == 0)
      model.target = llvm::formatv("[{0}]", model.classes);
    const LayerSpec &optimizer = optimizers[draw(0, optimizers.size() - 1)];
    model.optimizer = drawOptimizer(optimizer);
    model.train =
        pick<const char *>({"{}", "{}", R"({ "clip_norm": 0.1 })",
                            R"({ "clip_value": 0.01, "gradient_norm": true })",
                            R"({ "clip_value": 0.02, "clip_norm": 0.05 })"});
    // What takes products of gradients for curvature has one loss, of samples
    // that count alike.
    if (optimizer.isSecondOrder) {
      model.target = "";
      return model;
    }
    model.loss = drawLoss(!model.target.empty());
    if (draw(0, 5) == 0)
      model.weights = "[]";
    return model;
  }

  /// An optimizer with what its keys may say; rates are small enough for most
  /// models to stay finite.
  std::string drawOptimizer(const LayerSpec &spec) {
    std::string text = "{ \"type\": \"" + spec.name.str() + "\"";
    for (const KeySpec &key : spec.keys) {
      // Without it a quotient by a norm that may be 0 has no bound, or the
      // inverse of a large block whose rank is low.
      bool isNeeded = key.isRequired() || key.name == "damping" ||
                      (key.name == "epsilon" && key.defaultValue == "0.0");
      if (!isNeeded && draw(0, 1))
        continue;
      // Averages and traces are of what no rank has where each inverts factors
      // of its own.
      bool needsAll = StringRef(text).contains("factor_decay") ||
                      StringRef(text).contains("refresh_above");
      if (key.name == "combine" && needsAll)
        continue;
      if (key.name == "stop_below" &&
          !StringRef(text).contains("refresh_above"))
        continue;
      std::string value = drawValue(key, {});
      if (key.name == "damping")
        value = pick<const char *>(
            {"0.5", "0.25", "0.125",
             R"({ "schedule": "cosine", "value": 0.5, "length": 20, "unit": "steps" })"});
      else if (key.type == KeyType::Rate)
        value = pick<const char *>(
            {"0.1", "0.0625", "0.01",
             R"({ "schedule": "cosine", "value": 0.05, "warmup": 2, "length": 8,
  "unit": "steps" })"});
      else if (key.name == "stop_below")
        value = pick<const char *>({"0.001", "0.0001"});
      else if (key.type == KeyType::Number)
        value = pick<const char *>({"0.5", "0.9", "0.001", "0.25"});
      text += ", \"" + key.name.str() + "\": " + value;
    }
    if (draw(0, 3) == 0)
      text += R"(, "groups": [{ "roles": ["weight"], "weight_decay": 0.01 }])";
    return text + " }";
  }

  /// A loss of the table with what its keys may say.
  std::string drawLoss(bool hasTarget) {
    if (!hasTarget && draw(0, 1))
      return e2e::Model().loss;
    const LayerSpec &spec = losses[draw(0, losses.size() - 1)];
    std::string text = "{ \"op\": \"" + spec.name.str() + "\"";
    // What smooths labels is refused where there are none.
    for (const KeySpec &key : spec.keys)
      if (key.isRequired() || (!hasTarget && draw(0, 1)))
        text += ", \"" + key.name.str() + "\": " + drawValue(key, {});
    if (hasTarget)
      text += R"(, "target": "target")";
    return text + " }";
  }

  std::string drawLayer(const LayerSpec &spec, const Sketch &sketch,
                        ArrayRef<int64_t> shape) {
    std::string text = "{ \"op\": \"" + spec.name.str() + "\", \"name\": \"l" +
                       std::to_string(sketch.layers.size()) + "\"";
    for (const KeySpec &key : spec.keys)
      if (key.isRequired() || draw(0, 1))
        text += ", \"" + key.name.str() + "\": " + drawValue(key, shape);
    // More operands than one, or one that others read too.
    if (!sketch.layers.empty() && (spec.inputs > 1 || draw(0, 9) == 0)) {
      std::vector<std::string> inputs;
      int64_t most = std::max(spec.inputs, std::min(spec.maxInputs, 4u));
      int64_t wanted = draw(spec.inputs, most);
      for (int64_t i = 0; i < wanted; ++i)
        inputs.push_back(
            llvm::formatv("\"l{0}\"", draw(0, sketch.layers.size() - 1)));
      text += ", \"inputs\": [" + llvm::join(inputs, ", ") + "]";
    }
    return text + " }";
  }

  std::string drawNumber(const KeySpec &key) {
    int64_t low = static_cast<int64_t>(key.minimum.value_or(-3));
    int64_t high = static_cast<int64_t>(
        std::min(key.maximum.value_or(1e9), double(low + 20)));
    // Small ones leave room for more of them.
    int64_t most = pick<int64_t>({1, 2, 4, high - low});
    return std::to_string(std::min(high, low + draw(0, most)));
  }

  std::string drawChoice(const KeySpec &key) {
    return llvm::formatv("\"{0}\"",
                         key.choices[draw(0, key.choices.size() - 1)]);
  }

  std::string drawValue(const KeySpec &key, ArrayRef<int64_t> shape) {
    auto list = [&](int64_t size) {
      std::vector<std::string> values;
      for (int64_t i = 0; i < size; ++i)
        values.push_back(drawNumber(key));
      return llvm::formatv("[{0}]", llvm::join(values, ", ")).str();
    };
    switch (key.type) {
    case KeyType::Integer:
      return drawNumber(key);
    case KeyType::Number: {
      double low = std::max(key.minimum.value_or(-2.0), -2.0);
      double high = std::min(key.maximum.value_or(2.0), 2.0);
      double eighths = static_cast<double>(draw(0, 8)) / 8.0;
      return std::to_string(low + (high - low) * eighths);
    }
    case KeyType::Boolean:
      return draw(0, 1) ? "true" : "false";
    case KeyType::Choice:
      return drawChoice(key);
    case KeyType::IntegerList: {
      if (draw(0, 7) == 0)
        return list(draw(1, 4));
      SmallVector<int64_t> integers(shape);
      if (draw(0, 1)) {
        // The axes of a sample, all of them or some.
        for (auto [i, axis] : llvm::enumerate(integers))
          axis = static_cast<int64_t>(i) + 1;
        if (draw(0, 1))
          llvm::erase_if(integers, [&](int64_t) { return draw(0, 1) == 0; });
        else
          std::shuffle(integers.begin(), integers.end(), random);
      } else {
        // The shape at hand in another order, or merged.
        std::shuffle(integers.begin(), integers.end(), random);
        if (integers.size() > 1 && draw(0, 1)) {
          integers[0] *= integers.back();
          integers.pop_back();
        }
      }
      std::vector<std::string> texts;
      for (int64_t integer : integers)
        texts.push_back(std::to_string(integer));
      return llvm::formatv("[{0}]", llvm::join(texts, ", "));
    }
    case KeyType::Extents:
      return draw(0, 3) ? list(2) : drawNumber(key);
    case KeyType::Padding:
      switch (draw(0, 3)) {
      case 0:
        return drawNumber(key);
      case 1:
        return list(draw(0, 1) ? 2 : 4);
      default:
        return drawChoice(key);
      }
    case KeyType::Rate:
      return "0.125";
    }
    llvm_unreachable("all types are listed");
  }

  std::mt19937_64 random;
  e2e::Context context;
  std::vector<LayerSpec> specs, losses, optimizers;
};

} // namespace

Sketch smith::generate(uint64_t seed, bool isForGpus, int64_t &illegal,
                       std::string &fault) {
  Sketch sketch = Generator(seed).generate(illegal, fault);
  // By the seed itself: what is drawn stays what it was.
  sketch.isForGpus = isForGpus;
  sketch.callsCudaLibrary = isForGpus && seed % 2 == 0;
  sketch.isStaged = seed % 4 < 2;
  sketch.usesWinograd = !isForGpus && seed / 2 % 2 == 0;
  sketch.isTf32 = sketch.callsCudaLibrary && seed / 4 % 2 == 0;
  // Not drawn either.
  sketch.reproducible = *rt::symbolizeReproducibility(seed % 3);
  if (sketch.reproducible == rt::Reproducibility::Off)
    sketch.microBatches = 1 + static_cast<int64_t>(seed / 3 % 3);
  // One model of four has none of these boosts, and one has both.
  if (seed / 9 % 4 < 2) {
    sketch.boosts = {"less_bn=true"};
    if (seed / 36 % 3 == 0)
      sketch.boosts.push_back("fn_flag=false");
  }
  if (seed / 9 % 4 % 2 == 1) {
    const char *shares[] = {"0", "0.5", "0.25", "0.7"};
    llvm::append_values(sketch.boosts, "grad_freeze=true",
                        "param_groups=" + std::to_string(2 + seed / 36 % 3),
                        "freeze_type=" + std::to_string(seed / 108 % 2),
                        std::string("freeze_p=") + shares[seed / 216 % 4]);
  }
  // less_bn changes the names of the head's parameters.
  if (seed / 9 % 4 >= 2 && seed / 36 % 2 == 0)
    sketch.scaleCut = seed;
  return sketch;
}
