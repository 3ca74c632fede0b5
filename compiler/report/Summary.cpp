#include "compiler/report/Report.h"
#include "compiler/report/TextTable.h"

using namespace boostc;
using namespace boostc::report;

void report::printSummary(train::ProgramOp program, llvm::raw_ostream &os) {
  os << program.getSymName() << ": forward of a batch of "
     << program.getBatchSize() << "\n\n";
  TextTable table("lllrrr");
  table.addRow({"layer", "op", "output", "parameters", "flops", "bytes"});
  table.addRule();
  int64_t parameters = 0;
  Work total;
  for (const LayerCost &layer : collectLayers(program)) {
    table.addRow({layer.name, layer.op, describeSampleShape(layer.output),
                  withSeparators(layer.parameters),
                  withSeparators(layer.evaluated.flops),
                  withSeparators(layer.evaluated.bytes)});
    parameters += layer.parameters;
    total += layer.evaluated;
  }
  table.addRule();
  table.addRow({"total", "", "", withSeparators(parameters),
                withSeparators(total.flops), withSeparators(total.bytes)});
  table.print(os);
  int64_t bytes = 0;
  for (auto parameter : program.getBody().getOps<train::ParameterOp>())
    bytes += countBytes(parameter.getType());
  os << "\nParameters take " << withSeparators(bytes)
     << " bytes. Outputs are those of a sample; bytes are what the ops read "
        "and write.\n";
}
