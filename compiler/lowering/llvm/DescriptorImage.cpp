#include "compiler/lowering/llvm/DescriptorImage.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace boostc;
using namespace boostabi;

uint64_t DescriptorImage::appendBytes(uint64_t size, uint64_t alignment) {
  uint64_t at = llvm::alignTo(bytes.size(), alignment);
  bytes.resize(at + size, 0);
  return at;
}

uint64_t DescriptorImage::appendText(StringRef text) {
  auto [entry, isNew] = strings.try_emplace(text, 0);
  if (isNew) {
    entry->second = appendBytes(text.size() + 1, 1);
    llvm::copy(text, bytes.begin() + static_cast<int64_t>(entry->second));
  }
  return entry->second;
}

uint64_t DescriptorImage::append(const StructSchema &structure,
                                 const void *entries, uint64_t count) {
  uint64_t size = structure.bytes * count;
  uint64_t at = appendBytes(size, alignof(BoostProgram));
  const char *from = static_cast<const char *>(entries);
  std::copy(from, from + size, bytes.begin() + static_cast<int64_t>(at));
  for (uint64_t entry = 0; entry < size; entry += structure.bytes)
    setPointers(structure, from + entry, at + entry);
  return at;
}

uint64_t DescriptorImage::appendTable(const FieldSchema &field,
                                      const char *entry) {
  auto [first, count] = readTable(entry, field);
  if (field.structure)
    return append(*field.structure, first, count);
  uint64_t size = sizeof(int64_t) * count;
  uint64_t at = appendBytes(size, alignof(int64_t));
  std::copy(first, first + size, bytes.begin() + static_cast<int64_t>(at));
  return at;
}

void DescriptorImage::setPointers(const StructSchema &structure,
                                  const char *entry, uint64_t at) {
  for (const FieldSchema &field : structure.fields) {
    uint64_t position = at + field.offset;
    if (field.kind == FieldKind::Inline) {
      setPointers(*field.structure, entry + field.offset, position);
      continue;
    }
    bool isText =
        field.kind == FieldKind::Text || field.kind == FieldKind::Name;
    bool isTable = field.kind == FieldKind::Table;
    bool isLinked = field.kind == FieldKind::Linked ||
                    field.kind == FieldKind::Code ||
                    field.kind == FieldKind::Data;
    if (!isText && !isTable && !isLinked)
      continue;
    auto text = read<const char *>(entry, field);
    std::fill_n(bytes.begin() + static_cast<int64_t>(position), sizeof text, 0);
    if (!text)
      continue;
    if (isLinked)
      pointers[position] = {0, text};
    else
      pointers[position] = {
          isText ? appendText(text) : appendTable(field, entry), {}};
  }
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
