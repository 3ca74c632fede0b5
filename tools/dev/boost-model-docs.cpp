// boost-model-docs DIR - writes model-format.md and model.schema.json into DIR.
#include "compiler/frontend/Frontend.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

static bool write(llvm::StringRef directory, llvm::StringRef name,
                  llvm::StringRef text) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os << text;
    os.close();
    error = os.error();
  }
  if (!error)
    return true;
  llvm::errs() << "boost-model-docs: cannot write '" << path
               << "': " << error.message() << "\n";
  os.clear_error();
  return false;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: boost-model-docs DIR\n";
    return 2;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  if (std::error_code error = llvm::sys::fs::create_directories(argv[1])) {
    llvm::errs() << "boost-model-docs: cannot make '" << argv[1]
                 << "': " << error.message() << "\n";
    return 1;
  }
  bool isWritten =
      write(argv[1], "model-format.md",
            boostc::generateModelFormatDoc(context)) &&
      write(argv[1], "model.schema.json", boostc::generateSchema(context));
  return isWritten ? 0 : 1;
}
