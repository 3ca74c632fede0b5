#ifndef BOOSTC_LOWERING_CPU_PASSES
#define BOOSTC_LOWERING_CPU_PASSES

include "compiler/lowering/target/TilingPolicy.td"

def SetCpuTargetPass : Pass<"boostc-set-cpu-target", "::boostc::train::ProgramOp"> {
  let summary = "records the CPU and the threads a program is compiled for";
  let description = [{
    Puts the attribute `rt.cpu_target` on the program: everything that code generation and
    the descriptor say about the CPU comes from it, so that a later phase can be compiled
    from text alone. Unless `winograd` is `off`, it puts `rt.winograd` on the program.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"native\"",
           "native, x86-64-v3 (AVX2) or x86-64-v4 (AVX-512)">,
    Option<"threads", "threads", "unsigned", "0", "Threads to plan for; 0 = all cores">,
    Option<"winograd", "winograd", "std::string", "\"off\"",
           "Which convolutions Winograd's algorithm computes: off, auto or always">
  ];
  let dependentDialects = ["::boostc::rt::RtDialect"];
}

def AssignChannelsLastPass
    : Pass<"boostc-assign-channels-last", "::boostc::train::ProgramOp"> {
  let summary = "puts the channels of images innermost where convolutions gain by it";
  let description = [{
    On CPUs a vector can hold one pixel of many samples or many channels of one pixel. Channels
    fill vectors whatever the batch is, and a block of weights is contiguous; but where images
    have few channels and batches are large, samples fill them better. For each
    function the pass estimates what its convolutions cost either way. Where channels are better,
    temporary images get the layout [N, H, W, C]: what convolutions read and write, and what has
    the same channels and pixels, element by element or in a window. An argument that nothing
    writes is copied once, another image from outside before each convolution that reads it. The
    weights that a convolution reads are copied into the order [KH, KW, C, O] or [KH, KW, O, C], whichever has
    the channels that are written innermost. Gradients of weights are computed in the one of
    these orders that fills vectors, and copied; with one tap that may be the order in the file,
    which needs no copy. The other functions are left to boostc-assign-layouts.

    Where few channels meet many taps of a row, what is read is copied between columns of zeros, and
    no pixel sees beyond a row: the convolution has no padding there, or, where a gradient of the
    input reads a wider output, more. Taps are terms then: those of a pixel are neighbours in memory,
    which other pixels share, and tiles of registers are full of them. So are images whose borders are
    so wide that each tile of them would be code of its own.

    Before and after:
    ```mlir
    %y = memref.alloc() : memref<8x64x14x14xf32>
    rt.convolution forward ins(%x, %w : ..., memref<64x32x3x3xf32>) outs(%y : ...)
    ```
    ```mlir
    %y = memref.alloc() : memref<8x64x14x14xf32, strided<[12544, 1, 896, 64]>>
    %v = memref.alloc() : memref<64x32x3x3xf32, strided<[1, 64, 6144, 2048]>>
    memref.copy %w, %v
    rt.convolution forward ins(%x, %v : ...) outs(%y : ...)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

def TransposeFactorsPass
    : Pass<"boostc-transpose-factors", "::boostc::train::ProgramOp"> {
  let summary = "turns factors of contractions over, so that vectors run along what is written";
  let description = [{
    A contraction of two factors whose neighbours are terms of the same sum, `A B^t`, has vectors
    along the terms on CPUs, and adds up their lanes in the end, which takes longer than short
    sums. The factor that moves along the neighbours of the result is copied into an order in
    which they are its neighbours, too, where each of its elements is used several times. Attention
    multiplies queries and keys so. Programs for GPUs stay as they are.

    Before and after:
    ```mlir
    linalg.generic ... ins(%q, %k : memref<4x128x64xf32>, memref<4x128x64xf32>)
        outs(%s : memref<4x128x128xf32>) // s[h, i, j] += q[h, i, d] * k[h, j, d]
    ```
    ```mlir
    %t = memref.alloc() : memref<4x128x64xf32, strided<[8192, 1, 128]>>
    memref.copy %k, %t
    linalg.generic ... ins(%q, %t : memref<4x128x64xf32>, memref<4x128x64xf32, strided<[8192, 1, 128]>>)
        outs(%s : memref<4x128x128xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ChooseContractionsPass : Pass<"boostc-choose-contractions", "::boostc::train::ProgramOp"> {
  let summary = "picks how each contraction is computed";
  let description = [{
    A matmul can be a library call or a generated kernel, and a kernel can tile it in
    several ways. The pass puts the number of the chosen candidate on each op as
    `rt.candidate`; an op without it uses the first one: the library where it has the op,
    else the tiles of the lowest estimated cost. `boostc --tune` and `--tuned` run it with
    measured times; in a textual pipeline it chooses the same number everywhere (the last
    candidate where there are fewer).

    Before and after, with `candidate=1`:
    ```mlir
    rt.matmul ins(%x, %w : ...) outs(%y : memref<32x512xf32>)
    ```
    ```mlir
    rt.matmul ins(%x, %w : ...) outs(%y : memref<32x512xf32>) {rt.candidate = 1 : i64}
    ```
  }];
  let options = [
    Option<"candidate", "candidate", "unsigned", "0", "Number of the candidate to use">
  ];
}

def ExtendFactorsPass : Pass<"boostc-extend-factors", "::boostc::train::ProgramOp"> {
  let summary = "gives contractions on CPUs factors in f32";
  let description = [{
    A factor in bf16 or f16 is read many times by a contraction, and the CPUs that programs
    are compiled for multiply neither. So it is extended once, into a copy that lives as long
    as the contraction, or until the next if that reads it too, as both gradients of a layer do:
    a kernel converts nothing in its loops then. The result of a matmul is rounded by an op of
    its own, so that the library can compute it. No number changes. Runs on tensors, after the
    last CSE, which would keep one copy for contractions that are far apart, and before a
    second elementwise fusion, by which a weight is rounded and extended in one go. Programs for
    GPUs stay as they are.

    A matmul in bf16 stays as it is where the target has AVX512-BF16: oneDNN multiplies bf16
    there, with AMX where there is that, too. So does a convolution whose kernel multiplies pairs
    or tiles of bf16 there, which those do whose images will have their channels innermost.

    Before and after:
    ```mlir
    %y = rt.matmul ins(%x, %w : tensor<32x512xbf16>, tensor<512x64xbf16>) outs(%o : tensor<32x64xf32>)
    ```
    ```mlir
    %a = linalg.generic ins(%x : tensor<32x512xbf16>) outs(%e : tensor<32x512xf32>) { arith.extf }
    %b = linalg.generic ins(%w : tensor<512x64xbf16>) outs(%f : tensor<512x64xf32>) { arith.extf }
    %y = rt.matmul ins(%a, %b : tensor<32x512xf32>, tensor<512x64xf32>) outs(%o : tensor<32x64xf32>)
    ```
  }];
  let options = [
    Option<"keepsBFloat16", "keep-bf16", "bool", "false",
           "leave matmuls in bf16 to oneDNN wherever it has them, in software too: for tests">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def NarrowFactorsPass : Pass<"boostc-narrow-factors", "::boostc::train::ProgramOp"> {
  let summary = "stores factors of matmuls in bf16 where CPUs multiply it";
  let description = [{
    A matmul in linalg, such as those of an attention, has factors in f32, which ops before it round
    to bf16 and extend. Where the kernel of the matmul multiplies pairs or tiles of bf16
    (AVX512-BF16, AMX), these ops store what they have rounded, and whatever else reads it extends
    it. No number that is read changes. Runs on tensors, after the last fusion. Programs for GPUs
    stay as they are.

    Before and after:
    ```mlir
    %a = linalg.generic ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) { arith.truncf, arith.extf }
    %y = linalg.generic ins(%a, %b : tensor<64x64xf32>, ...) outs(%z : tensor<64x64xf32>) { arith.mulf, arith.addf }
    ```
    ```mlir
    %a = linalg.generic ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xbf16>) { arith.truncf }
    %y = linalg.generic ins(%a, %b : tensor<64x64xbf16>, ...) outs(%z : tensor<64x64xf32>) { arith.extf, arith.extf, arith.mulf, arith.addf }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ShareReductionsPass : Pass<"boostc-share-reductions", "::boostc::train::ProgramOp"> {
  let summary = "cuts sums with few results so that threads of a CPU share their terms";
  let description = [{
    In a program for several threads, a sum over the pixels of a batch that has few results, a
    mean of each channel or the gradient of a small weight, occupies few threads, and each reads
    pixels that another thread has computed. The pass gives it memory for partial sums: every
    thread adds up its own part of the batch, and an elementwise op adds up the partial sums in
    a fixed order. Convolutions get `partials`, where that is estimated to take less time, but
    not in a program that is strictly reproducible; their kernels are cut when they are outlined.

    Before and after, for two threads (maps are left out):
    ```mlir
    linalg.generic {iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : memref<8192x16x8xf32>) outs(%sum : memref<16xf32>) { ... }
    ```
    ```mlir
    %halves = memref.reinterpret_cast %x to offset: [0], sizes: [2, 4096, 16, 8], strides: ...
    %parts = memref.alloc() : memref<2x16xf32>
    linalg.fill ins(%zero : f32) outs(%parts : memref<2x16xf32>)
    linalg.generic {iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%halves : memref<2x4096x16x8xf32>) outs(%parts : memref<2x16xf32>) { ... }
    linalg.generic {iterator_types = ["parallel"]}
      ins(%parts, %parts : memref<2x16xf32>, memref<2x16xf32>) outs(%sum : memref<16xf32>) { ... }
    ```
  }];
  let options = [
    TilingOption<"Which sums are cut">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect"];
}

def ReserveScratchPass : Pass<"boostc-reserve-scratch", "::boostc::train::ProgramOp"> {
  let summary = "gives every library call the scratch memory it asks for";
  let description = [{
    Asks libraries for the scratch size of each call, at the planned thread count and CPU, and
    allocates it around the call, so that the memory plan covers it. Calls are matmuls that no
    candidate makes a kernel and, where `use-library` says so, inverses of large matrices, which
    are kernels else; oneDNN computes both. A call that has scratch, or needs none, stays as it is.

    Before and after:
    ```mlir
    rt.matmul ins(%x, %w : ...) outs(%y : memref<32x512xf32>)
    ```
    ```mlir
    %s = memref.alloc() : memref<263424xi8>
    rt.matmul ins(%x, %w : ...) outs(%y : memref<32x512xf32>) scratch(%s : memref<263424xi8>)
    ```
  }];
  let options = [
    Option<"useLibrary", "use-library", "bool", "true",
           "call a library also for what kernels compute, too">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def OutlineKernelsPass : Pass<"boostc-outline-kernels", "::boostc::train::ProgramOp"> {
  let summary = "turns linalg on buffers into kernels and launches";
  let description = [{
    Every linalg op becomes loops in a kernel function `(begin, end, buffers...)`, where
    [begin, end) is a piece of its outermost parallel loop. The loop over contiguous memory
    is innermost, in vectors: our own where its extent is a number of vectors
    (compiler/lowering/cpu/VectorNest.h), else those of LLVM's vectoriser. Neighbours share
    a kernel when each piece needs only what the same piece of the ones before wrote, and a
    nest when each iteration does; small ops run on one thread, or as pieces of a large
    neighbour, and share one kernel with their small neighbours. The buffers of a kernel do
    not overlap. Kernels of equal ops are one (compiler/lowering/kernels/KernelSet.h). Where a
    whole step is short, all of it runs on one thread: what another one has written lies in the
    caches of another core.

    A convolution becomes a kernel of its own, whose sums stay in vector registers, a tile
    at a time (compiler/lowering/cpu/TapSumPlan.h where channels are innermost in memory, and
    TilePlan.h where they are bf16 and the target has AMX, else ContractionPlan.h); so does a
    matmul whose `rt.candidate` says so. Matmuls and batched matmuls in linalg have the kernels of
    convolutions of one tap if their results begin with zeros, which nothing writes then
    (compiler/lowering/cpu/Matmuls.h). So do copies that change the order of a convolution's
    weights (compiler/lowering/cpu/WeightPacking.h), `rt.gather`, shared among threads by
    positions, `rt.scatter_add`, shared by columns, `rt.gram`, by blocks and their rows, and
    `rt.damped_inverse`, by matrices (compiler/lowering/cpu/OpKernels.h).

    Before:
    ```mlir
    linalg.generic {...} ins(%z : memref<64x512xf32>) outs(%y : memref<64x512xf32>) {...}
    ```
    After:
    ```mlir
    rt.launch @micro_kernel_0(%z, %y) extent(64) grain(32)
        : memref<64x512xf32>, memref<64x512xf32>

    func.func private @micro_kernel_0(%begin: index, %end: index,
        %z: memref<64x512xf32> {llvm.noalias}, %y: memref<64x512xf32> {llvm.noalias})
        attributes {rt.kernel} {
      scf.for %i = %begin to %end step %c1 {
        scf.for %j = %c0 to %c512 step %c1 { ... }
    ```
  }];
  let options = [
    Option<"serialWork", "serial-work", "int64_t", "16384",
           "Loop iterations, or eighths of multiply-adds, below which an op runs on one thread">,
    Option<"shortStep", "short-step", "int64_t", "550000",
           "Cycles of a step on one thread, by estimate, below which everything runs on one">
  ];
  let dependentDialects = ["::boostc::rt::RtDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::x86vector::X86VectorDialect",
    "::mlir::amx::AMXDialect"];
}

#endif // BOOSTC_LOWERING_CPU_PASSES
