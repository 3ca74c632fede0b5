// ContractionBody.h - contractions as kernel bodies.
#pragma once

#include "compiler/lowering/cuda/GridNest.h"
#include "mlir/IR/IRMapping.h"

namespace boostc {

class ContractionBody : public KernelBody {
public:
  ContractionBody(mlir::Location loc, Contraction contraction,
                  const mlir::IRMapping &buffers);

  llvm::SmallVector<mlir::Value>
  emitStart(mlir::OpBuilder &builder,
            llvm::ArrayRef<mlir::Value> indices) override;
  llvm::SmallVector<mlir::Value> emitStep(mlir::OpBuilder &builder,
                                          llvm::ArrayRef<mlir::Value> indices,
                                          mlir::ValueRange values) override;
  void emitStores(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Value> indices,
                  mlir::ValueRange values) override;
  /// Parts are few, and are added up in their order.
  bool isSplittable() const override { return static_cast<bool>(c.b); }
  mlir::Value emitNeutral(mlir::OpBuilder &builder, unsigned output) override;
  mlir::Value emitCombined(mlir::OpBuilder &builder, unsigned output,
                           mlir::Value a, mlir::Value b) override;

  /// sum + a * b, rounded once.
  mlir::Value emitProduct(mlir::OpBuilder &builder, mlir::Value a,
                          mlir::Value b, mlir::Value sum);
  /// The side.width elements of a factor from `indices` on, a vector where they
  /// are several; zero where `isInside`, if given, or a condition of the factor
  /// does not hold. Indices of the other side's loops do not matter.
  mlir::Value emitFactor(mlir::OpBuilder &builder, const TiledSide &side,
                         llvm::ArrayRef<mlir::Value> indices,
                         mlir::Value isInside);
  /// Zeros for as many elements.
  mlir::Value emitZero(mlir::OpBuilder &builder, int64_t width);

private:
  mlir::Value getFlatBuffer(mlir::OpBuilder &builder,
                            const Contraction::Access &access);
  mlir::Value loadFrom(mlir::OpBuilder &builder,
                       const Contraction::Access &access,
                       llvm::ArrayRef<mlir::Value> indices);

  mlir::Location loc;
  Contraction c;
  const mlir::IRMapping &buffers;
};

} // namespace boostc
