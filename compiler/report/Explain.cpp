#include "compiler/report/MemoryUse.h"
#include "compiler/report/ProgramTables.h"
#include "compiler/report/RecipeText.h"
#include "compiler/report/Report.h"
#include "compiler/report/ScheduleCurve.h"
#include "compiler/report/TextTable.h"
#include "dialects/interfaces/Precision.h"
#include "runtime/data/WindowShard.h"
#include "runtime/program/ProgramCollectives.h"
#include "runtime/program/Recipe.h"
#include "runtime/program/VariantText.h"
#include "runtime/support/EvalInput.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <nlohmann/json.hpp>

using namespace boostc;
using namespace boostc::report;
using llvm::formatv;
using nlohmann::json;

/// "1 sample", "2 samples".
static std::string count(int64_t number, llvm::StringRef noun) {
  llvm::StringRef ending = number == 1 ? "" : noun.ends_with("h") ? "es" : "s";
  return formatv("{0} {1}{2}", number, noun, ending);
}

static std::string printType(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

namespace {

class Explainer {
public:
  Explainer(llvm::ArrayRef<TargetPlan> plans, const Explanation &explanation,
            llvm::raw_ostream &os)
      : plans(plans), program(plans.front().program), given(explanation),
        os(os), batch(program.getBatchSize()), micro(program.getMicroBatches()),
        window(batch * micro * given.job.ranks) {}

  void print() {
    os << program.getSymName() << "\n";
    printRecipe();
    printSteps();
    printVariants();
    printSchedules();
    printBoosts();
    printCollectives();
    printMessages();
    printLayers();
    printPreconditioned(given.preconditioned, os);
    printMemory();
  }

private:
  void title(llvm::StringRef text) { os << "\n" << text << "\n"; }

  /// IR written by hand may have any text there.
  json parseRecipe() {
    return json::parse(program.getRecipe().str(), nullptr,
                       /*allow_exceptions=*/false);
  }

  void printRecipe() {
    title("recipe");
    json recipe = parseRecipe();
    TextTable table("ll");
    table.addRow({"seed", std::to_string(program.getSeed())});
    for (const char *key : {"matmul_precision", "amp", "loss", "metrics",
                            "optimizer", "data", "train"})
      if (recipe.is_object() && recipe.contains(key))
        for (auto [i, line] : llvm::enumerate(describeValue(recipe[key])))
          table.addRow({i == 0 ? key : "", line});
    for (auto input : program.getBody().getOps<train::InputOp>()) {
      auto shape = mlir::cast<mlir::ShapedType>(input.getType()).getShape();
      if (!boostrt::evaluatedInput(input.getSymName()).empty())
        table.addRow(
            {"evaluation",
             formatv("reads {0} of {1:$[x]}", input.getSymName(),
                     llvm::make_range(shape.begin() + 1, shape.end()))});
    }
    table.print(os);
  }

  void printSteps() {
    title("steps");
    TextTable table("ll");
    table.addRow(
        {"effective batch",
         formatv("{0} = {1} x {2} x {3}", window, count(batch, "sample"),
                 count(micro, "micro-batch"), count(given.job.ranks, "rank"))});
    table.addRow({"epochs", std::to_string(program.getEpochs())});
    if (given.samples) {
      table.addRow({"samples", std::to_string(*given.samples)});
      table.addRow({"steps per epoch", describeEpoch()});
      int64_t steps = 0;
      bool isHuge = llvm::MulOverflow<int64_t>(stepsPerEpoch(),
                                               program.getEpochs(), steps);
      table.addRow(
          {"steps", isHuge ? "more than 2^63" : std::to_string(steps)});
    } else {
      table.addRow({"steps per epoch", "unknown without --samples N"});
    }
    table.print(os);
  }

  /// Kinds of step, where there are several.
  void printVariants() {
    auto variants =
        llvm::to_vector(program.getBody().getOps<train::VariantOp>());
    bool hasPhases = llvm::any_of(
        variants, [](train::VariantOp op) { return !op.getPhases().empty(); });
    if (variants.size() < 2 && !hasPhases)
      return;
    title("variants of a step (steps from 1, the first that lists one)");
    TextTable table("lll");
    for (train::VariantOp variant : variants) {
      auto ranges = llvm::map_to_vector(
          variant.getSteps().getAsRange<train::StepsAttr>(),
          [](train::StepsAttr steps) { return steps.getDescriptor(); });
      table.addRow(
          {variant.getSymName().str(),
           boostrt::describeSteps(ranges, variant == variants.back()),
           formatv("{0}{1}{2}", variant.getMicro().value_or(""),
                   variant.getMicro() ? ", " : "", variant.getUpdate())});
    }
    table.print(os);
    for (const train::StepVariant &variant : program.getVariants())
      printPhases(variant);
    train::SelectorOp selector = program.getSelector();
    if (!selector)
      return;
    std::vector<std::string> names;
    for (size_t i = 0; i < selector.getVariants().size(); ++i)
      names.push_back(selector.getVariantName(i).str());
    os << "  "
       << boostrt::describeSelector(selector.getFunction().str(),
                                    selector.getLag(), names)
       << "\n";
  }

  /// The phases of a variant with several.
  void printPhases(const train::StepVariant &variant) {
    if (variant.probes.empty())
      return;
    os << "  " << variant.name << ":\n";
    for (auto [i, phase] : llvm::enumerate(variant.getPhases())) {
      mlir::func::FuncOp micro = phase.micro, ending = phase.ending;
      os << "    "
         << boostrt::describePhase(i + 1, micro ? micro.getName().str() : "",
                                   ending.getName().str(), phase.repeats)
         << "\n";
    }
  }

  boostrt::EpochPlan epoch() {
    boostrt::EpochPlan epoch{*given.samples};
    // IR written by hand may have no recipe.
    if (auto recipe =
            boostrt::parseRecipe(program.getRecipe().str().c_str(), "");
        recipe.ok()) {
      epoch.passes = recipe->repeat;
      epoch.dropsRemainder = recipe->dropsRemainder;
    }
    return epoch;
  }

  int64_t stepsPerEpoch() { return epoch().steps(window); }

  std::string describeEpoch() {
    boostrt::EpochPlan plan = epoch();
    int64_t ofPass = plan.stepsOfPass(window);
    int64_t rest = plan.samples - ofPass * window;
    std::string text = std::to_string(plan.steps(window));
    if (plan.passes == 1)
      text += plan.dropsRemainder ? ", which leave out " : ", the last one of ";
    else
      text += formatv(" in {0} passes, {1}", plan.passes,
                      plan.dropsRemainder ? "each of which leaves out "
                                          : "the last one of each of ")
                  .str();
    return text +
           formatv("{0} samples", plan.dropsRemainder ? rest : rest + window)
               .str();
  }

  void printSchedules() {
    for (auto op : program.getBody().getOps<train::ScheduleOp>()) {
      title(("schedule of " + op.getSymName()).str());
      train::ScheduleAttr schedule = op.getSchedule();
      // Without a data set a step is as good as an epoch: constants show.
      int64_t perEpoch = given.samples ? stepsPerEpoch() : 1, steps = 0;
      if (llvm::MulOverflow<int64_t>(perEpoch, program.getEpochs(), steps)) {
        os << "    " << schedule << "\n";
        continue;
      }
      drawCurve(
          [&](int64_t step) {
            return evaluateSchedule(schedule, step, perEpoch, steps);
          },
          steps, program.getEpochs(), os);
    }
  }

  void printBoosts() {
    title("boosts");
    TextTable table("lll");
    for (const Decision &decision : given.decisions)
      table.addRow(
          {decision.name, decision.isOn ? "on" : "off", decision.reason});
    if (given.decisions.empty())
      table.addRow({"decided when this IR was compiled", "", ""});
    table.print(os);
  }

  /// Many names would be a line that is longer than any terminal.
  static std::string listNames(llvm::ArrayRef<llvm::StringRef> names) {
    constexpr size_t kMaxNames = 4;
    if (names.size() <= kMaxNames)
      return llvm::join(names, ", ");
    return formatv("{0} to {1}, {2} in all", names.front(), names.back(),
                   names.size())
        .str();
  }

  /// What ranks exchange once a step.
  void printCollectives() {
    llvm::SmallVector<rt::CollectiveOp> collectives;
    for (const train::StepPhase &phase :
         program.getVariants().back().getPhases())
      if (mlir::func::FuncOp ending = phase.ending)
        llvm::append_range(collectives, ending.getOps<rt::CollectiveOp>());
    if (collectives.empty())
      return;
    title("collectives of a step, where there are several ranks");
    TextTable table("rlllr");
    table.addRow({"index", "kind", "ranks", "parameters", "bytes"});
    table.addRule();
    for (rt::CollectiveOp op : collectives) {
      llvm::SmallVector<llvm::StringRef> names;
      for (auto name : op.getParameters().getAsRange<mlir::FlatSymbolRefAttr>())
        names.push_back(name.getValue());
      table.addRow({std::to_string(op.getIndex()),
                    rt::stringifyCollectiveKind(op.getKind()).str(),
                    rt::stringifyRankGroup(op.getRanks()).str(),
                    listNames(names),
                    withSeparators(countBytes(op.getOperands().getTypes()))});
    }
    table.print(os);
    if (auto adasum =
            program->getAttrOfType<train::AdasumAttr>(train::kAdasumAttrName))
      printRankGroups(adasum.getScope());
  }

  /// Which ranks average and which Adasum combines; the form that the job at
  /// hand gets where it is known.
  void printRankGroups(rt::AdasumScope scope) {
    os << "  intra_group: "
       << (scope == rt::AdasumScope::Ranks ? "each rank alone"
           : scope == rt::AdasumScope::Servers
               ? "the ranks of a server"
               : "the ranks of a server where "
                 "there are several servers, else "
                 "each rank alone")
       << "\n  inter_group: one rank of each intra_group\n";
    if (given.job.ranks == 1)
      return;
    bool averages = boostrt::averagesInServers(static_cast<uint32_t>(scope),
                                               given.job.servers > 1);
    int64_t inner = averages ? given.job.ranks / given.job.servers : 1;
    int64_t combined = given.job.ranks / inner;
    os << "  on " << count(given.job.servers, "server") << ": ";
    if (inner > 1)
      os << (combined > 1
                 ? formatv("each {0} ranks of a server average; ", inner)
                 : formatv("all {0} ranks average; ", inner));
    if (combined > 1)
      os << "Adasum of " << combined << "\n";
    else
      os << "nothing is combined by Adasum\n";
  }

  /// What a rank sends in a step of the job, as the model of steps counts it.
  void printMessages() {
    if (given.job.ranks < 2)
      return;
    ProgramTables tables(program);
    auto collectives = boostrt::countMessages(tables.program(), given.job);
    if (!collectives.ok()) {
      os << "\n" << collectives.status().message() << "\n";
      return;
    }
    title(formatv("sent by a rank in a step, {0} on {1}",
                  count(given.job.ranks, "rank"),
                  count(given.job.servers, "server"))
              .str());
    TextTable table("rlrlrr");
    table.addRow({"index", "kind", "ranks", "how", "messages", "bytes"});
    table.addRule();
    uint64_t bytes = 0;
    for (const boostrt::PredictedCollective &collective : *collectives) {
      bytes += collective.bytes;
      table.addRow(
          {std::to_string(collective.index), boostrt::kindName(collective.kind),
           std::to_string(collective.members), collective.how,
           withSeparators(static_cast<int64_t>(collective.seconds + 0.5)),
           withSeparators(static_cast<int64_t>(collective.bytes))});
    }
    table.addRule();
    table.addRow(
        {"", "total", "", "", "", withSeparators(static_cast<int64_t>(bytes))});
    table.print(os);
    os << "  boost-run info --ranks " << given.job.ranks
       << " measures and predicts how long this takes\n";
  }

  static std::string share(int64_t part, int64_t whole) {
    if (whole == 0)
      return "";
    return formatv("{0:F1} %", 100.0 * double(part) / double(whole));
  }

  void printLayers() {
    title(formatv("cost of a micro-batch of {0}, forward and backward", batch)
              .str());
    Work forward, backward, all = given.rest;
    for (const LayerCost &layer : given.layers) {
      forward += layer.forward;
      backward += layer.backward;
    }
    all += forward;
    all += backward;
    // What outputs are stored in, where that is not f32 everywhere.
    bool isMixed = llvm::any_of(given.layers, [](const LayerCost &layer) {
      return layer.stored && isLowPrecision(layer.stored);
    });
    TextTable table(isMixed ? "lllrrrrr" : "llrrrrr");
    auto addRow = [&](std::vector<std::string> cells, const std::string &type) {
      if (isMixed)
        cells.insert(cells.begin() + 2, type);
      table.addRow(cells);
    };
    addRow({"layer", "op", "flops", "backward", "share", "bytes", "backward"},
           "type");
    table.addRule();
    auto add = [&](const std::string &name, const std::string &op,
                   mlir::Type type, const Work &first, const Work &second) {
      addRow({name, op, withSeparators(first.flops),
              withSeparators(second.flops),
              share(first.flops + second.flops, all.flops),
              withSeparators(first.bytes), withSeparators(second.bytes)},
             type ? printType(type) : "");
    };
    for (const LayerCost &layer : given.layers)
      if (layer.forward.bytes + layer.backward.bytes > 0) // not evaluation only
        add(layer.name, layer.op, layer.stored, layer.forward, layer.backward);
    if (given.rest.bytes > 0)
      add("(other)", "", {}, given.rest, {});
    table.addRule();
    forward += given.rest;
    add("total", "", {}, forward, backward);
    table.print(os);
  }

  void printMemory() {
    ProgramTables tables(program);
    boostrt::MemoryPlan plan = tables.planTraining(given.job);
    title("memory of a rank, in bytes");
    TextTable table("llrrr");
    table.addRow({"term", "holds", "bytes", "copies", "in all"});
    table.addRule();
    for (const boostrt::MemoryTerm &term : plan.terms())
      table.addRow({term.name, term.holds,
                    withSeparators(static_cast<int64_t>(term.bytes)),
                    std::to_string(term.copies),
                    withSeparators(static_cast<int64_t>(term.total()))});
    table.addRule();
    table.addRow({"total", "", "", "",
                  withSeparators(static_cast<int64_t>(plan.total()))});
    table.print(os);
    printBudget();
    // Only the activations, what kernels need next to them and what ranks
    // exchange differ.
    for (const TargetPlan &other : plans.drop_front())
      os << "  on " << other.device << " "
         << withSeparators(
                static_cast<int64_t>(measureTotal(other.program, given.job)))
         << " in all\n";
    printTransient();
  }

  void printBudget() {
    if (!given.choice)
      return;
    std::string made = describeBudgetChoice(*given.choice);
    os << "  memory budget of " << describeBytes(given.choice->budget) << ": "
       << (made.empty() ? "keeps every value" : made) << "\n";
  }

  /// What each function needs while it runs, on each device.
  void printTransient() {
    title("transient memory of functions, in bytes");
    std::string alignment = "l";
    std::vector<std::string> names{"function"};
    for (const TargetPlan &plan : plans) {
      alignment += "r";
      names.push_back(plan.device.str());
    }
    TextTable table(alignment);
    table.addRow(names);
    table.addRule();
    for (auto function : program.getBody().getOps<mlir::func::FuncOp>()) {
      std::vector<std::string> row{function.getName().str()};
      bool needsAny = false;
      for (const TargetPlan &plan : plans) {
        train::ProgramOp other = plan.program;
        auto same =
            other.lookupSymbol<mlir::func::FuncOp>(function.getSymNameAttr());
        int64_t bytes = same ? measureTransient(same) : 0;
        needsAny |= bytes > 0;
        row.push_back(withSeparators(bytes));
      }
      if (needsAny)
        table.addRow(std::move(row));
    }
    table.print(os);
  }

  llvm::ArrayRef<TargetPlan> plans;
  train::ProgramOp program; ///< the first
  const Explanation &given;
  llvm::raw_ostream &os;
  int64_t batch, micro, window;
};

} // namespace

void report::printExplanation(llvm::ArrayRef<TargetPlan> plans,
                              const Explanation &explanation,
                              llvm::raw_ostream &os) {
  Explainer(plans, explanation, os).print();
}
