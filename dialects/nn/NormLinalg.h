// NormLinalg.h - the arithmetic of one element that lowerings of normalisations
// share: f32 values to f32 values.
#pragma once

#include "mlir/IR/Builders.h"

namespace boostc::nn {

/// 1 / sqrt(variance + epsilon).
mlir::Value buildNormScale(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value variance, double epsilon);

/// z = (x - mean) * scale.
mlir::Value buildNormalized(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value x, mlir::Value mean, mlir::Value scale);

/// z * gamma + beta.
mlir::Value buildAffine(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value z, mlir::Value gamma, mlir::Value beta);

/// dx = (g - mean(g) - z * mean(g * z)) * scale with g = gamma * dy.
mlir::Value buildNormGradient(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value g, mlir::Value z, mlir::Value meanOfG,
                              mlir::Value meanOfProducts, mlir::Value scale);

} // namespace boostc::nn
