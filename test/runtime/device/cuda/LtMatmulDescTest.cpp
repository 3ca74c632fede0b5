// Products of the ABI as cuBLASLt is asked for them.
#include "runtime/device/cuda/LtMatmulDesc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

using namespace boostrt;
using namespace boostrt::cuda;

namespace {

float read(const LtMatrix &matrix, const std::vector<float> &data,
           bool transposes, uint64_t row, uint64_t column) {
  if (transposes)
    std::swap(row, column);
  EXPECT_LT(row, matrix.rows);
  EXPECT_LT(column, matrix.columns);
  return data.at(column * static_cast<uint64_t>(matrix.leading) + row);
}

Result<LtMatmulDesc> describe(const BoostMatmul &matmul,
                              uint32_t precision = BOOSTC_PRECISION_FLOAT32) {
  BoostLibraryCall call{};
  call.matmul = matmul;
  call.precision = precision;
  return describeMatmul(call);
}

/// What the description says, element by element, against what the call says.
void expectSame(const BoostMatmul &call) {
  SCOPED_TRACE(testing::Message()
               << call.m << "x" << call.n << "x" << call.k << " "
               << call.a_strides[0] << "," << call.a_strides[1] << " "
               << call.b_strides[0] << "," << call.b_strides[1]);
  Result<LtMatmulDesc> product = describe(call);
  ASSERT_TRUE(product.ok()) << product.status().message();
  ASSERT_EQ(product->terms(), static_cast<uint64_t>(call.k));
  std::vector<float> a(product->right.elements()), b(product->left.elements());
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<float>(i) + 1000;
  auto row = [](int64_t i) { return static_cast<uint64_t>(i); };
  for (int64_t k = 0; k < call.k; ++k) {
    for (int64_t i = 0; i < call.m; ++i)
      EXPECT_EQ(
          read(product->right, a, product->transposesRight, row(k), row(i)),
          static_cast<float>(i * call.a_strides[0] + k * call.a_strides[1]));
    for (int64_t j = 0; j < call.n; ++j)
      EXPECT_EQ(read(product->left, b, product->transposesLeft, row(j), row(k)),
                static_cast<float>(k * call.b_strides[0] +
                                   j * call.b_strides[1] + 1000));
  }
  EXPECT_EQ(product->result.rows, row(call.n));
  EXPECT_EQ(product->result.columns, row(call.m));
  EXPECT_EQ(product->result.leading, call.n);
  // NVIDIA's library refuses less.
  for (const LtMatrix &matrix :
       {product->left, product->right, product->result})
    EXPECT_GE(matrix.leading, static_cast<int64_t>(matrix.rows));
}

TEST(LtMatmulDesc, EveryOrderOfEveryShape) {
  for (int64_t m : {1, 2, 5})
    for (int64_t n : {1, 3})
      for (int64_t k : {1, 4})
        for (int64_t gap : {0, 2})
          for (bool isATransposed : {false, true})
            for (bool isBTransposed : {false, true}) {
              BoostMatmul call{m, n, k, {k + gap, 1}, {n + gap, 1}, 0, 0};
              if (isATransposed)
                call.a_strides[0] = 1, call.a_strides[1] = m + gap;
              if (isBTransposed)
                call.b_strides[0] = 1, call.b_strides[1] = k + gap;
              expectSame(call);
            }
}

TEST(LtMatmulDesc, Epilogues) {
  BoostMatmul call{2, 3, 4, {4, 1}, {3, 1}, 0, 0};
  EXPECT_EQ(describe(call)->epilogue, kEpilogueNone);
  call.has_bias = 1;
  EXPECT_EQ(describe(call)->epilogue, kEpilogueBias);
}

TEST(LtMatmulDesc, Precision) {
  BoostMatmul call{2, 3, 4, {4, 1}, {3, 1}, 0, 0};
  EXPECT_EQ(describe(call)->compute, kLtComputeF32);
  EXPECT_EQ(describe(call, BOOSTC_PRECISION_TF32)->compute, kLtComputeTf32);
}

TEST(LtMatmulDesc, WhatTheLibraryCannotRead) {
  BoostMatmul call{2, 3, 4, {8, 2}, {3, 1}, 0, 0};
  Status status = describe(call).status();
  EXPECT_EQ(status.code(), ExitCode::Input);
  EXPECT_EQ(status.message(),
            "A of 2 x 4 has strides 8 and 2; cuBLASLt reads matrices whose "
            "rows or columns are contiguous and apart");
  call = {2, 3, 4, {4, 1}, {2, 1}, 0, 0}; // rows overlap
  EXPECT_THAT(describe(call).status().message(),
              testing::StartsWith("B of 4 x 3 has strides 2 and 1; "));
}

} // namespace
