// AdasumPtx.h - the kernels of GpuAdasumKernels.cpp, as PTX. They keep the
// order of every addition that ElementLoops.h promises.
//
// A chunk's record is a ChunkPlace: offset at 0, begin at 8, count at 16, held
// at 20, place at 24; 32 bytes. A row of a chunk lies at bucket + 4 offset if
// it is the row `own`, else at staging + 4 ((row - (row > own)) stride +
// begin).
#pragma once

namespace boostrt {

// The address of row `row` into `address`: `bucket` is that of the row `own`,
// which is in %r4; staging is in %rd2, begin in %rd8, stride in %rd5. `r` and
// `rd` are for what comes between.
#define BOOSTRT_ROW(row, address, bucket, r, rd)                               \
  "  setp.gt.u32 %p1, " row ", %r4;\n"                                         \
  "  selp.u32 " r ", 1, 0, %p1;\n"                                             \
  "  sub.u32 " r ", " row ", " r ";\n"                                         \
  "  cvt.u64.u32 " rd ", " r ";\n"                                             \
  "  mad.lo.s64 " rd ", " rd ", %rd5, %rd8;\n"                                 \
  "  shl.b64 " rd ", " rd ", 2;\n"                                             \
  "  add.s64 " rd ", %rd2, " rd ";\n"                                          \
  "  setp.eq.u32 %p1, " row ", %r4;\n"                                         \
  "  selp.b64 " address ", " bucket ", " rd ", %p1;\n"

// %d1 of a thread += that of the one whose lane differs by `lanes`.
#define BOOSTRT_ADD_LANES(lanes)                                               \
  "  mov.b64 {%r22, %r23}, %d1;\n"                                             \
  "  shfl.sync.bfly.b32 %r24, %r22, " lanes ", 31, -1;\n"                      \
  "  shfl.sync.bfly.b32 %r25, %r23, " lanes ", 31, -1;\n"                      \
  "  mov.b64 %d4, {%r24, %r25};\n"                                             \
  "  add.rn.f64 %d1, %d1, %d4;\n"

inline constexpr const char kAdasumPtx[] = R"(.version 7.0
.target sm_80
.address_size 64

// sums[place products + p] = <x_i, x_j>, where p is pairIndex(i, j), or, with a
// `row`, i is that and p is j. Eight threads have a product: thread l adds the
// elements l mod 8, and what they have becomes one, halves first. A product of
// two floats is exact in double, so that nothing is lost by fusing.
.visible .entry boost_adasum_products(.param .u64 bucket, .param .u64 staging,
    .param .u64 chunks, .param .u64 sums, .param .u64 items,
    .param .u64 products, .param .u64 row, .param .u64 own,
    .param .u64 stride)
{
  .reg .pred %p<4>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<32>;
  .reg .f32 %f<3>;
  .reg .f64 %d<8>;
  ld.param.u64 %rd1, [bucket];
  ld.param.u64 %rd2, [staging];
  ld.param.u64 %rd3, [chunks];
  ld.param.u64 %rd4, [sums];
  ld.param.u32 %r1, [items];
  ld.param.u32 %r2, [products];
  ld.param.u32 %r3, [row];
  ld.param.u32 %r4, [own];
  ld.param.u64 %rd5, [stride];
  mov.u32 %r5, %ctaid.x;
  mov.u32 %r6, %ntid.x;
  mov.u32 %r7, %tid.x;
  mov.u32 %r8, %nctaid.x;
  mad.lo.s32 %r9, %r5, %r6, %r7;
  and.b32 %r10, %r9, 7;
  shr.u32 %r9, %r9, 3;
  mul.lo.s32 %r8, %r8, %r6;
  shr.u32 %r8, %r8, 3;
  sub.u32 %r11, %r1, 1;
$next_item:
  // A warp has four products and goes on together; after the last one it
  // repeats that.
  and.b32 %r12, %r9, -4;
  setp.ge.u32 %p1, %r12, %r1;
  @%p1 bra $end;
  min.u32 %r13, %r9, %r11;
  div.u32 %r14, %r13, %r2;
  mul.lo.s32 %r15, %r14, %r2;
  sub.u32 %r15, %r13, %r15;
  mul.wide.u32 %rd6, %r14, 32;
  add.s64 %rd6, %rd3, %rd6;
  ld.global.u64 %rd7, [%rd6];
  ld.global.u64 %rd8, [%rd6+8];
  ld.global.u32 %r16, [%rd6+16];
  ld.global.u32 %r17, [%rd6+24];
  mov.u32 %r18, %r3;
  mov.u32 %r19, %r15;
  setp.ne.u32 %p1, %r3, -1;
  @%p1 bra $has_rows;
  mov.u32 %r18, 0;
$next_row:
  // j is what is left of p after the rows 1, 2, ... i of the triangle.
  setp.le.u32 %p1, %r19, %r18;
  @%p1 bra $has_rows;
  add.u32 %r18, %r18, 1;
  sub.u32 %r19, %r19, %r18;
  bra.uni $next_row;
$has_rows:
  shl.b64 %rd9, %rd7, 2;
  add.s64 %rd9, %rd1, %rd9;
)" BOOSTRT_ROW("%r18", "%rd11", "%rd9", "%r20", "%rd10")
    BOOSTRT_ROW("%r19", "%rd13", "%rd9", "%r20", "%rd12")
        R"(  mul.wide.u32 %rd14, %r10, 4;
  add.s64 %rd11, %rd11, %rd14;
  add.s64 %rd13, %rd13, %rd14;
  mov.f64 %d1, 0d0000000000000000;
  mov.u32 %r21, %r10;
$next_element:
  setp.ge.u32 %p1, %r21, %r16;
  @%p1 bra $summed;
  ld.global.f32 %f1, [%rd11];
  ld.global.f32 %f2, [%rd13];
  cvt.f64.f32 %d2, %f1;
  cvt.f64.f32 %d3, %f2;
  fma.rn.f64 %d1, %d2, %d3, %d1;
  add.s64 %rd11, %rd11, 32;
  add.s64 %rd13, %rd13, 32;
  add.u32 %r21, %r21, 8;
  bra.uni $next_element;
$summed:
)" BOOSTRT_ADD_LANES("4") BOOSTRT_ADD_LANES("2") BOOSTRT_ADD_LANES("1")
            R"(  setp.ne.u32 %p1, %r10, 0;
  setp.ge.u32 %p2, %r9, %r1;
  or.pred %p1, %p1, %p2;
  @%p1 bra $stored;
  cvt.u64.u32 %rd15, %r17;
  cvt.u64.u32 %rd16, %r2;
  cvt.u64.u32 %rd17, %r15;
  mad.lo.s64 %rd15, %rd15, %rd16, %rd17;
  shl.b64 %rd15, %rd15, 3;
  add.s64 %rd15, %rd4, %rd15;
  st.global.f64 [%rd15], %d1;
$stored:
  add.u32 %r9, %r9, %r8;
  bra.uni $next_item;
$end:
  ret;
}

// totals[v products + p] = the sums p of places begins[v] .. begins[v+1]-1, in
// this order. A thread has a total.
.visible .entry boost_adasum_add(.param .u64 sums, .param .u64 begins,
    .param .u64 totals, .param .u64 items, .param .u64 products)
{
  .reg .pred %p<2>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<12>;
  .reg .f64 %d<3>;
  ld.param.u64 %rd1, [sums];
  ld.param.u64 %rd2, [begins];
  ld.param.u64 %rd3, [totals];
  ld.param.u32 %r1, [items];
  ld.param.u32 %r2, [products];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mov.u32 %r6, %nctaid.x;
  mad.lo.s32 %r7, %r3, %r4, %r5;
  mul.lo.s32 %r8, %r6, %r4;
  mul.wide.u32 %rd4, %r2, 8;
$next_total:
  setp.ge.u32 %p1, %r7, %r1;
  @%p1 bra $end;
  div.u32 %r9, %r7, %r2;
  mul.lo.s32 %r10, %r9, %r2;
  sub.u32 %r10, %r7, %r10;
  mul.wide.u32 %rd5, %r9, 4;
  add.s64 %rd5, %rd2, %rd5;
  ld.global.u32 %r11, [%rd5];
  ld.global.u32 %r12, [%rd5+4];
  cvt.u64.u32 %rd6, %r11;
  cvt.u64.u32 %rd7, %r10;
  shl.b64 %rd7, %rd7, 3;
  mad.lo.s64 %rd6, %rd6, %rd4, %rd7;
  add.s64 %rd6, %rd1, %rd6;
  mov.f64 %d1, 0d0000000000000000;
$next_place:
  setp.ge.u32 %p1, %r11, %r12;
  @%p1 bra $added;
  ld.global.f64 %d2, [%rd6];
  add.rn.f64 %d1, %d1, %d2;
  add.s64 %rd6, %rd6, %rd4;
  add.u32 %r11, %r11, 1;
  bra.uni $next_place;
$added:
  mul.wide.u32 %rd8, %r7, 8;
  add.s64 %rd8, %rd3, %rd8;
  st.global.f64 [%rd8], %d1;
  add.u32 %r7, %r7, %r8;
  bra.uni $next_total;
$end:
  ret;
}

// Row `into` of each chunk = the sum of c x over its vector's terms, in their
// order, each product and sum rounded to double and the result once more. A
// vector's terms are `length` pairs of 16 bytes, the first one their number. A
// block has a chunk at a time. -0 + x is x for every x.
.visible .entry boost_adasum_combine(.param .u64 bucket, .param .u64 staging,
    .param .u64 chunks, .param .u64 terms, .param .u64 count,
    .param .u64 length, .param .u64 into, .param .u64 own, .param .u64 stride)
{
  .reg .pred %p<2>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<32>;
  .reg .f32 %f<3>;
  .reg .f64 %d<5>;
  ld.param.u64 %rd1, [bucket];
  ld.param.u64 %rd2, [staging];
  ld.param.u64 %rd3, [chunks];
  ld.param.u64 %rd4, [terms];
  ld.param.u32 %r1, [count];
  ld.param.u32 %r2, [length];
  ld.param.u32 %r3, [into];
  ld.param.u32 %r4, [own];
  ld.param.u64 %rd5, [stride];
  mov.u32 %r5, %ctaid.x;
  mov.u32 %r6, %ntid.x;
  mov.u32 %r7, %tid.x;
  mov.u32 %r8, %nctaid.x;
$next_chunk:
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra $end;
  mul.wide.u32 %rd6, %r5, 32;
  add.s64 %rd6, %rd3, %rd6;
  ld.global.u64 %rd7, [%rd6];
  ld.global.u64 %rd8, [%rd6+8];
  ld.global.u32 %r9, [%rd6+16];
  ld.global.u32 %r10, [%rd6+20];
  mul.lo.s32 %r11, %r10, %r2;
  mul.wide.u32 %rd9, %r11, 16;
  add.s64 %rd9, %rd4, %rd9;
  ld.global.u32 %r12, [%rd9];
  setp.eq.u32 %p1, %r12, 0;
  @%p1 bra $combined;
  shl.b64 %rd10, %rd7, 2;
  add.s64 %rd10, %rd1, %rd10;
)" BOOSTRT_ROW("%r3", "%rd12", "%rd10", "%r13", "%rd11")
                R"(  mov.u32 %r14, %r7;
$next_element:
  setp.ge.u32 %p1, %r14, %r9;
  @%p1 bra $combined;
  mul.wide.u32 %rd13, %r14, 4;
  mov.u32 %r15, 0;
  mov.u64 %rd14, %rd9;
  mov.f64 %d1, 0d8000000000000000;
$next_term:
  ld.global.u32 %r16, [%rd14+16];
  ld.global.f64 %d2, [%rd14+24];
)" BOOSTRT_ROW("%r16", "%rd16", "%rd10", "%r17", "%rd15")
                    R"(  add.s64 %rd16, %rd16, %rd13;
  ld.global.f32 %f1, [%rd16];
  cvt.f64.f32 %d3, %f1;
  mul.rn.f64 %d3, %d2, %d3;
  add.rn.f64 %d1, %d1, %d3;
  add.s64 %rd14, %rd14, 16;
  add.u32 %r15, %r15, 1;
  setp.lt.u32 %p1, %r15, %r12;
  @%p1 bra $next_term;
  cvt.rn.f32.f64 %f2, %d1;
  add.s64 %rd17, %rd12, %rd13;
  st.global.f32 [%rd17], %f2;
  add.u32 %r14, %r14, %r6;
  bra.uni $next_element;
$combined:
  add.u32 %r5, %r5, %r8;
  bra.uni $next_chunk;
$end:
  ret;
}
)";

#undef BOOSTRT_ROW
#undef BOOSTRT_ADD_LANES

} // namespace boostrt
