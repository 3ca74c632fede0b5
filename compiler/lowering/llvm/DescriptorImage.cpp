#include "compiler/lowering/llvm/DescriptorImage.h"
#include "runtime/abi/boost_abi.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace boostc;

uint64_t DescriptorImage::appendBytes(uint64_t size, uint64_t alignment) {
  uint64_t at = llvm::alignTo(bytes.size(), alignment);
  bytes.resize(at + size, 0);
  return at;
}

uint64_t DescriptorImage::appendString(StringRef text) {
  auto [entry, isNew] = strings.try_emplace(text, 0);
  if (isNew) {
    entry->second = appendBytes(text.size() + 1, 1);
    llvm::copy(text, bytes.begin() + static_cast<int64_t>(entry->second));
  }
  return entry->second;
}

void DescriptorImage::emit(OpBuilder &builder, Location loc,
                           StringRef name) const {
  MLIRContext *context = builder.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  // A packed struct: runs of bytes and, between them, the pointers.
  SmallVector<Type> fields;
  uint64_t at = 0;
  auto addRun = [&](uint64_t end) {
    if (end > at)
      fields.push_back(LLVM::LLVMArrayType::get(builder.getI8Type(), end - at));
    at = end;
  };
  for (const auto &[position, target] : pointers) {
    addRun(position);
    fields.push_back(pointer);
    at += sizeof(void *);
  }
  addRun(bytes.size());
  auto type =
      LLVM::LLVMStructType::getLiteral(context, fields, /*isPacked=*/true);
  auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name,
                                       Attribute(), BOOSTC_ALIGNMENT);

  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&global.getInitializerRegion());
  Value image = LLVM::UndefOp::create(builder, loc, type);
  Value self = LLVM::AddressOfOp::create(builder, loc, pointer, name);
  int64_t field = 0;
  at = 0;
  auto insert = [&](Value value) {
    image = LLVM::InsertValueOp::create(builder, loc, image, value,
                                        ArrayRef<int64_t>{field++});
  };
  auto insertRun = [&](uint64_t end) {
    if (end > at) {
      StringRef run(bytes.data() + at, end - at);
      insert(LLVM::ConstantOp::create(builder, loc, fields[field],
                                      builder.getStringAttr(run)));
    }
    at = end;
  };
  for (const auto &[position, target] : pointers) {
    insertRun(position);
    if (target.symbol.empty())
      insert(LLVM::GEPOp::create(
          builder, loc, pointer, builder.getI8Type(), self,
          LLVM::GEPArg(static_cast<int32_t>(target.position))));
    else
      insert(LLVM::AddressOfOp::create(builder, loc, pointer, target.symbol));
    at += sizeof(void *);
  }
  insertRun(bytes.size());
  LLVM::ReturnOp::create(builder, loc, image);
}
