// ParserGuard.h - MLIR's parser, whose crashes are listed and passed over: they
// are MLIR's to mend, and would end a run before it reaches code of ours.
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/Parser/Parser.h"
#include <optional>

namespace boostc::fuzz {

/// Parses and verifies. Nothing when the program crashed in MLIR and none of
/// our functions, such as a verifier, was being called; then `block` and the
/// context can no longer be used. The first input of each such place is written
/// to the directory $BOOST_FUZZ_LIST.
std::optional<mlir::LogicalResult>
parseGuarded(const llvm::SourceMgr &sources, mlir::Block *block,
             const mlir::ParserConfig &config);

/// Whether `text` has a list of iterator types with an item other than a text.
/// MLIR takes it for one, and where its length then asks for more memory than
/// there is, the sanitizer ends the program.
bool hasWrongIteratorType(llvm::StringRef text);

} // namespace boostc::fuzz
