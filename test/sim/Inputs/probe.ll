; probe.ll - many instructions of LLVM in one kernel, to see what its backend
; writes. Made into probe.ptx by make.sh; loaded by the tests, not run.
target triple = "nvptx64-nvidia-cuda"
declare float @llvm.fma.f32(float,float,float)
declare float @llvm.maximum.f32(float,float)
declare float @llvm.minimum.f32(float,float)
declare float @llvm.maxnum.f32(float,float)
declare float @llvm.copysign.f32(float,float)
declare float @llvm.floor.f32(float)
declare float @llvm.rint.f32(float)
declare float @llvm.round.f32(float)
declare float @llvm.roundeven.f32(float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.fabs.f32(float)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32,i32,i32,i32)
declare float @llvm.nvvm.shfl.sync.down.f32(i32,float,i32,i32)
declare void @llvm.nvvm.barrier0()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i64 @llvm.umul.with.overflow.i64(i64,i64)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @llvm.fshl.i32(i32,i32,i32)
declare i32 @llvm.ctlz.i32(i32,i1)
declare i32 @llvm.cttz.i32(i32,i1)
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.smax.i32(i32,i32)
declare i32 @llvm.abs.i32(i32,i1)
declare i64 @llvm.abs.i64(i64,i1)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
declare float @llvm.exp2.f32(float)
declare float @llvm.nvvm.add.rz.f(float,float)
@sh = internal addrspace(3) global [256 x float] undef, align 16
@cst = internal addrspace(4) constant [4 x float] [float 1.0, float 2.5, float -3.0, float 0.125], align 16
@tab = internal constant [3 x i8] c"abc", align 1
define ptx_kernel void @k1(ptr addrspace(1) align 16 %a, ptr addrspace(1) align 16 %b, i32 %n, {float,i8,i64} %s, [4 x float] %arr) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %cta = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t0 = mul i32 %cta, 128
  %i = add i32 %t0, %tid
  %i64 = sext i32 %i to i64
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %i64
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %q = getelementptr <4 x float>, ptr addrspace(1) %b, i64 %i64
  %e0 = extractelement <4 x float> %v, i32 0
  %e1 = extractelement <4 x float> %v, i32 1
  %e2 = extractelement <4 x float> %v, i32 2
  %e3 = extractelement <4 x float> %v, i32 3
  %m = call float @llvm.maximum.f32(float %e0, float %e1)
  %mn = call float @llvm.minimum.f32(float %e2, float %m)
  %mx = call float @llvm.maxnum.f32(float %e3, float %mn)
  %f = call float @llvm.fma.f32(float %m, float %mn, float %mx)
  %cs = call float @llvm.copysign.f32(float %f, float %e0)
  %fl = call float @llvm.floor.f32(float %cs)
  %ri = call float @llvm.rint.f32(float %cs)
  %ro = call float @llvm.round.f32(float %ri)
  %re = call float @llvm.roundeven.f32(float %fl)
  %sq = call float @llvm.sqrt.f32(float %re)
  %di = fdiv float %sq, %ro
  %rm = frem float %di, %e1
  %c = fcmp ult float %rm, 1.0
  %o = fcmp oge float %e2, 0.0
  %both = and i1 %c, %o
  %xr = xor i1 %both, true
  %sel = select i1 %xr, float %rm, float %e2
  %us = uitofp i32 %i to float
  %si = fptosi float %sel to i32
  %ui = fptoui float %sel to i8
  %u64 = fptosi float %us to i64
  %hf = fptrunc float %sel to half
  %h2 = fpext half %hf to float
  %bf = fptrunc float %sel to bfloat
  %b2 = fpext bfloat %bf to float
  %hh = fadd float %h2, %b2
  %fs = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %hh, i32 4, i32 31)
  %sp = getelementptr [256 x float], ptr addrspace(3) @sh, i32 0, i32 %tid
  store float %fs, ptr addrspace(3) %sp
  call void @llvm.nvvm.barrier0()
  %sp2 = getelementptr [256 x float], ptr addrspace(3) @sh, i32 0, i32 4
  %ld = load float, ptr addrspace(3) %sp2
  %cp = getelementptr [4 x float], ptr addrspace(4) @cst, i32 0, i32 %tid
  %cl = load float, ptr addrspace(4) %cp
  %tp = getelementptr [3 x i8], ptr @tab, i32 0, i32 %si
  %tl = load i8, ptr %tp
  %tz = zext i8 %tl to i32
  %add8 = add i8 %tl, %ui
  %sh8 = sext i8 %add8 to i64
  %d = sdiv i32 %i, %n
  %r = urem i32 %d, 7
  %d64 = sdiv i64 %u64, %sh8
  %pop = call i64 @llvm.ctpop.i64(i64 %d64)
  %fsh = call i32 @llvm.fshl.i32(i32 %r, i32 %tz, i32 5)
  %lz = call i32 @llvm.ctlz.i32(i32 %fsh, i1 false)
  %tzz = call i32 @llvm.cttz.i32(i32 %fsh, i1 false)
  %br = call i32 @llvm.bitreverse.i32(i32 %fsh)
  %bs = call i32 @llvm.bswap.i32(i32 %br)
  %sm = call i32 @llvm.smax.i32(i32 %bs, i32 %lz)
  %ab = call i32 @llvm.abs.i32(i32 %sm, i1 true)
  %ab2 = add i32 %ab, %tzz
  %abf = sitofp i32 %ab2 to float
  %pf = sitofp i64 %pop to float
  %g1 = fadd float %ld, %cl
  %g2 = fadd float %g1, %abf
  %g3 = fadd float %g2, %pf
  %ex = call float @llvm.nvvm.ex2.approx.ftz.f(float %g3)
  %ex2 = call float @llvm.exp2.f32(float %g3)
  %g4 = fsub float %ex, %ex2
  %s0 = extractvalue {float,i8,i64} %s, 0
  %a2 = extractvalue [4 x float] %arr, 2
  %g5 = fadd float %g4, %s0
  %g6 = fmul float %g5, %a2
  %w0 = insertelement <4 x float> %v, float %g6, i32 0
  %w1 = insertelement <4 x float> %w0, float %fs, i32 1
  store <4 x float> %w1, ptr addrspace(1) %q, align 16
  %at = atomicrmw add ptr addrspace(1) %b, i32 1 monotonic
  %atf = atomicrmw fadd ptr addrspace(1) %b, float 1.0 monotonic
  ret void
}
