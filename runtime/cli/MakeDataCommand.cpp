// `boost-run make-data`.
#include "runtime/cli/Commands.h"
#include "runtime/data/Patterns.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Streams.h"

#include <fmt/format.h>

namespace boostrt {

Status makeDataCommand(const Options &options) {
  const PatternOptions &patterns = options.patterns;
  BOOSTRT_RETURN_IF_ERROR(
      writePatterns(realFileSystem(), options.madeDirectory, patterns));
  writeResult(fmt::format(
      "{}: {}, {} and {} of each for training and evaluation; train on it with "
      "--data imagefolder:{}\n",
      options.madeDirectory, countOf(patterns.classes, "class"),
      countOf(patterns.train, "image"), patterns.heldOut,
      options.madeDirectory));
  return Status();
}

} // namespace boostrt
