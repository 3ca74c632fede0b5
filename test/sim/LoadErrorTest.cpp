// LoadErrorTest.cpp - every message of the loader.
#include "SimFixture.h"

#include "sim/Opcodes.h"

using namespace boostrt;
using namespace boostrt::sim;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

const std::string kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// A kernel whose body begins at line 13.
std::string kernel(const std::string &body) {
  return kHeader + R"(.visible .entry k(.param .u64 a, .param .u32 n)
{
	.reg .pred %p<4>;
	.reg .b16 %rs<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	.reg .f32 %f<4>;
	.shared .align 4 .b8 s[64];
	ld.param.b64 %rd1, [a];
)" + body +
         "\n	ret;\n}\n";
}

TEST(SimLoad, OpcodesThatAreNotThere) {
  EXPECT_EQ(
      loadStatus(kernel("	add.s23 %r1, %r2, %r3;")).message(),
      "m.ptx:13: error: the simulator has no opcode 'add.s23'; did you mean "
      "'add.s32'?\n  add.s23 %r1, %r2, %r3;");
  EXPECT_EQ(loadStatus(kernel("	wgmma.fence.sync.aligned;")).message(),
            "m.ptx:13: error: the simulator has no opcode "
            "'wgmma.fence.sync.aligned'\n"
            "  wgmma.fence.sync.aligned;");
  EXPECT_EQ(loadStatus(kernel("	ld.global.v4.b64 {%rd1, %rd2, %rd3, %rd4}, "
                              "[%rd1];"))
                .code(),
            ExitCode::Input);
}

struct Case {
  const char *body;
  const char *message; ///< after "m.ptx:13: error: "
};

class Operands : public testing::TestWithParam<Case> {};
TEST_P(Operands, AreChecked) {
  EXPECT_THAT(
      loadStatus(kernel(GetParam().body)).message(),
      StartsWith(std::string("m.ptx:13: error: ") + GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(
    SimLoad, Operands,
    testing::Values(
        Case{"add.s32 %r1, %r2;", "'add.s32' has 3 operands, found 2\n"},
        Case{"add.s32 %r1, %r2, %rd1;",
             "register '%rd1' is .b64; 'add.s32' needs .s32 here\n"},
        Case{"add.s32 %f1, %r2, %r3;",
             "register '%f1' is .f32; 'add.s32' needs .s32 here\n"},
        Case{"add.rn.f32 %f1, %f2, 1;",
             "an integer immediate where 'add.rn.f32' needs .f32; write 0f... "
             "or "
             "0d...\n"},
        Case{"add.s32 %r1, %r2, 0f3F800000;",
             "a floating-point immediate of 4 bytes where 'add.s32' needs "
             ".s32\n"},
        Case{"add.s32 %r1, %r2, 4294967296;",
             "immediate 4294967296 does not fit in .s32\n"},
        Case{"add.s32 %r1, %r2, -4294967296;",
             "immediate -4294967296 does not fit in .s32\n"},
        Case{"add.s32 5, %r2, %r3;", "'add.s32' writes a register here\n"},
        Case{"add.s32 %r1, [%rd1], %r3;",
             "'add.s32' reads a register or an immediate here\n"},
        Case{"add.s32 %r1, {%r2, %r3}, %r3;",
             "operand 2 of 'add.s32' is a single one\n"},
        Case{"ld.global.v2.b32 {%r1, %r2, %r3}, [%rd1];",
             "operand 1 of 'ld.global.v2.b32' is a list of 2\n"},
        Case{"ld.global.v2.b16 {%rs1, %r2}, [%rd1];",
             "the registers of a list must be of one size\n"},
        Case{"ld.global.b32 %rs1, [%rd1];",
             "register '%rs1' is .b16; 'ld.global.b32' needs .b32 here\n"},
        Case{"ld.global.b32 %r1, %rd1;",
             "'ld.global.b32' needs an address in brackets here\n"},
        Case{"ld.global.b32 %r1, [%rs1];",
             "register '%rs1' is .b16; an address has 32 or 64 bits\n"},
        Case{"ld.global.b32 %r1, [s];",
             "'s' lies in .shared, 'ld.global.b32' accesses .global\n"},
        Case{"ld.global.b32 %r1, [%rd1+4294967296];",
             "an offset of an address has 32 bits\n"},
        Case{"ld.global.b32 %r1, [%rd1+1.5];", "an address has no fraction\n"},
        Case{"mov.u64 %rd1, s+1.5;", "an address has no fraction\n"},
        Case{"ld.global.b32 %r1, [nothing];",
             "'nothing' is neither a register nor a variable that is declared "
             "here\n"},
        Case{"st.param.b64 [a], %rd1;",
             "the parameters of a kernel are only read\n"},
        Case{"mov.b64 %rd1, nothing;", "'nothing' is not declared here\n"},
        Case{"add.s64 %rd1, %rd1, s;",
             "the address of a variable is taken by mov\n"},
        Case{"mov.b16 %rs1, s;", "an address has 32 or 64 bits\n"},
        Case{"mov.u64 %rd2, %tid.x;", "special registers have 32 bits\n"},
        Case{"mov.u32 %r1, %tid.w;",
             "register '%tid.w' is not declared here, and "
             "no special register the simulator has\n"},
        Case{"mov.u32 %r1, %r8;", "register '%r8' is not declared here, and no "
                                  "special register the simulator has\n"},
        Case{"mov.u32 %r1, %r07;",
             "register '%r07' is not declared here, and no "
             "special register the simulator has\n"},
        Case{"not.b32 %r1, !%p1;",
             "register '%p1' is .pred; 'not.b32' needs .b32 here\n"},
        Case{"and.b32 %r1, %r2, !%r3;", "'!' inverts a predicate only\n"},
        Case{"and.pred %p1, %p2, !5;", "expected a name, found '5'\n"},
        Case{"bra NOWHERE;", "there is no label 'NOWHERE' in 'k'\n"},
        Case{"bra %r1;", "a branch needs a label\n"},
        Case{"bar.sync %r1;", "'bar.sync' needs a number here\n"},
        Case{"@%r1 bra L; L:",
             "guard '%r1' is not a predicate register that is declared here\n"},
        Case{"cp.async.ca.shared.global [%rd1], [%rd2], 5;",
             "cp.async copies 4, 8 or 16 bytes, not 5\n"},
        Case{"call.uni nothing, ();", "function 'nothing' is not declared\n"},
        Case{"call.uni %rd1, ();", "a call names a function; calls through "
                                   "registers are not supported "
                                   "by the simulator\n"},
        Case{"call.uni k, ();",
             "'k' calls itself, which the simulator does not "
             "run\n"},
        Case{".reg .b8 %q;",
             "expected a register type (.pred, .b16, .b32, .b64, "
             ".f32, .f64, ...), found 'b8'\n"},
        Case{
            ".reg .b32 %q<4000000000>;",
            "the number of registers must be a whole number from 0 to 65536\n"},
        Case{".reg .b32 %q<65530>;", "more than 65536 registers in 'k'\n"},
        Case{".reg .b32 %q, %q;", "register '%q' is declared twice\n"},
        Case{".reg .b32 %r<2>;", "registers '%r' are declared twice\n"},
        Case{".local .b8 s[4];", "'s' is declared twice\n"},
        Case{".shared .b8 t[];", "'t' has no size\n"},
        Case{".local .b8 big[600000];",
             "a thread would need more than 524288 bytes of local memory\n"},
        Case{".shared .b8 big[49152];",
             "'big' does not fit: a block has 49152 bytes of static shared "
             "memory\n"},
        Case{".shared .b8 big[1000000000];",
             "the size of an array must be a whole number from 0 to "
             "268435456\n"},
        Case{".shared .align 3 .b8 big[4];",
             "an alignment must be a power of two\n"},
        Case{".local 4;", "expected a type of a variable, found '4'\n"},
        Case{".local .align 4 s;",
             "expected a type of a variable, found 's'\n"},
        Case{".loc 1 x 3;", "expected a number of .loc, found 'x'\n"},
        Case{"and.pred %p1, %p2, !s;",
             "expected a predicate register after '!', found ';'\n"},
        Case{".param .b64 p; mov.b64 %rd1, p;",
             "the address of a call's parameter is not supported by the "
             "simulator\n"},
        Case{".loop 4;",
             "expected a directive of a function (.reg, .local, "
             ".shared, .param, .loc, .pragma) or an instruction, found "
             "'loop'\n"},
        Case{"L: add.s32 %r1, %r2, %r3; L:",
             "label 'L' is at line 13 already\n"},
        Case{"mov.b32 %r1, 0f3F80;",
             "'0f3F80' is not a number that PTX knows, or does "
             "not fit in 64 bits\n"},
        Case{"mov.b32 %r1, 99999999999999999999;",
             "'99999999999999999999' is not a number that PTX knows, or does "
             "not "
             "fit "
             "in 64 bits\n"},
        Case{"mov.b32 %r1, #;", "byte 0x23 begins nothing in PTX\n"},
        Case{"mov.b32 %r1 %r2;", "expected ';', found '%r2'\n"},
        Case{"add.s32 {{{%r1}}};",
             "expected an operand; lists are not nested this "
             "deep, found '%r1'\n"},
        Case{".pragma nounroll;", "expected a string, found 'nounroll'\n"},
        Case{"mov.b32 %r1, \"\x1b[2J\";",
             "expected an operand, found '\\x1b[2J'\n"}));

TEST(SimLoad, Modules) {
  auto message = [](const std::string &text) {
    return loadStatus(text).message();
  };
  EXPECT_EQ(message(""),
            "m.ptx:1: error: expected .version, with which PTX begins, "
            "but the text ends here; it was cut off?");
  EXPECT_EQ(
      message(".version 8.0"),
      "m.ptx:1: error: expected .target, but the text ends here; it was cut "
      "off?\n  .version 8.0");
  EXPECT_THAT(
      message(".version 8.0\n.target sm_80\n.address_size 32\n"),
      HasSubstr("m.ptx:3: error: the simulator has 64-bit addresses only"));
  EXPECT_THAT(message(kHeader + "/* no end"),
              HasSubstr("the comment that begins here has no end"));
  EXPECT_THAT(message(kHeader + ".file 1 \"x"),
              HasSubstr("a string without its closing quote"));
  EXPECT_THAT(
      message(kHeader + ".extern .global .b32 x;"),
      HasSubstr("'x' is external, but a kernel's module must be complete"));
  EXPECT_THAT(message(kHeader + ".global .b32 x[];"),
              HasSubstr("'x' has no size"));
  EXPECT_THAT(message(kHeader + ".global .b8 x[2] = {1, 2, 3};"),
              HasSubstr("'x' has 2 bytes, its initialiser 3"));
  EXPECT_THAT(message(kHeader + ".shared .b32 x = 3;"),
              HasSubstr("'x' has an initialiser; shared memory takes none"));
  EXPECT_THAT(message(kHeader + ".global .b64 x = y;"),
              HasSubstr("addresses in initialisers are not supported"));
  EXPECT_THAT(message(kHeader + ".global .b8 x;\n.global .b8 x;"),
              HasSubstr("m.ptx:5: error: 'x' is declared twice"));
  EXPECT_THAT(message(kHeader + ".entry k() .maxspeed 3 { }"),
              HasSubstr("expected a function attribute the simulator knows"));
  EXPECT_THAT(message(kHeader + ".entry k() { }\n.entry k() { }"),
              HasSubstr("m.ptx:5: error: 'k' is defined at line 4 already"));
  EXPECT_THAT(message(kHeader + ".entry k(.param .b8 x[40000]) { }"),
              HasSubstr("the parameters of a kernel have 32 KiB at most"));
  EXPECT_THAT(message(kHeader + ".entry k(.param .b8 x, .param .b8 x) { }"),
              HasSubstr("parameter 'x' is declared twice"));
  EXPECT_THAT(message(kHeader + "hello"),
              HasSubstr("expected a declaration (.entry, .func, .global, "
                        ".const, .shared, .file, .section), found 'hello'"));
  EXPECT_THAT(message(".version 8.0\n.target sm_80\n.address_size all\n"),
              HasSubstr("m.ptx:3: error: expected the address size, found"));
  EXPECT_THAT(message(kHeader + ".file x \"x\""),
              HasSubstr("expected a file number, found 'x'"));
  EXPECT_THAT(message(kHeader + ".file 1 x"),
              HasSubstr("expected a file name in quotes, found 'x'"));
  std::string parameters = ".param .b8 p0";
  for (int i = 1; i <= 4096; ++i)
    parameters += ", .param .b8 p" + std::to_string(i);
  EXPECT_THAT(message(kHeader + ".entry k(" + parameters + ") { }"),
              HasSubstr("m.ptx:4: error: more than 4096 parameters"));
  EXPECT_THAT(message(kHeader + ".entry k() " + std::string(67, '{')),
              HasSubstr("expected a statement, not a 65th level of braces"));
}

TEST(SimLoad, Calls) {
  auto message = [](const std::string &text) {
    return loadStatus(text).message();
  };
  EXPECT_THAT(
      message(kHeader + ".extern .func f();\n.entry k() { call.uni f, (); }"),
      HasSubstr("m.ptx:5: error: function 'f' is called and has no body: an "
                "unresolved external"));
  EXPECT_TRUE(
      loadStatus(kHeader + ".extern .func f();\n.entry k() { ret; }").ok())
      << "declared, not called";
  EXPECT_THAT(message(kHeader + ".func f() { call.uni f, (); }\n"
                                ".entry k() { call.uni f, (); }"),
              HasSubstr("'f' calls itself, which the simulator does not run"));
  EXPECT_THAT(message(kHeader + ".func f(.param .b32 x) { }\n"
                                ".entry k() { call.uni f, (); }"),
              HasSubstr("'f' has 1 parameters, the call gives 0"));
  EXPECT_THAT(
      message(kHeader + ".func f(.param .b32 x) { }\n"
                        ".entry k() { .param .b64 p; call.uni f, (p); }"),
      HasSubstr("'f' wants a .param variable of 4 bytes for 'x', found one "
                "of 8"));
  EXPECT_THAT(message(kHeader + ".func f(.param .b32 x) { }\n"
                                ".entry k() { call.uni f, (3); }"),
              HasSubstr("an argument of a call is a .param variable"));
  EXPECT_THAT(message(kHeader + ".entry j() { }\n"
                                ".entry k() { call.uni j, (); }"),
              HasSubstr("m.ptx:5: error: a kernel cannot be called"));
  EXPECT_THAT(message(kHeader + ".func f() { }\n.func g() { }\n"
                                ".entry k() { call.uni f, g; }"),
              HasSubstr("expected (results), function, (arguments)"));
  // Each calls the next: the decoder must not follow them to the end.
  std::string chain = kHeader + ".func f0() { ret; }\n";
  for (int i = 1; i < 100000; ++i)
    chain += ".func f" + std::to_string(i) + "() { call.uni f" +
             std::to_string(i - 1) + ", (); }\n";
  EXPECT_THAT(message(chain + ".entry k() { call.uni f99999, (); }"),
              HasSubstr("'f99872' is more than 128 calls deep"));
  std::string numbers = kHeader + ".entry k() { .reg .b64 %rd<2>;\n";
  for (int i = 0; i < 270000; ++i)
    numbers += "mov.b64 %rd1, " + std::to_string(i + 1) + ";\n";
  EXPECT_THAT(message(numbers + "}"),
              HasSubstr("m.ptx:4: error: the registers and constants of this "
                        "kernel and of what it calls take more than 67108864 "
                        "bytes for a warp"));
  // Each function calls the one before it four times: 4^12 copies.
  std::string bomb = kHeader + ".func f0() { ret; }\n";
  for (int i = 1; i < 13; ++i) {
    std::string call = "call.uni f" + std::to_string(i - 1) + ", (); ";
    bomb += ".func f" + std::to_string(i) + "() { " + call + call + call +
            call + "}\n";
  }
  EXPECT_THAT(
      message(bomb + ".entry k() { call.uni f12, (); }"),
      HasSubstr("kernel 'k' has more than 1048576 instructions with all it "
                "calls"));
}

TEST(SimLoad, ALineIsQuotedWithoutWhatSteersATerminal) {
  EXPECT_EQ(
      loadStatus(kHeader + "hello\x1b[31m\tworld").message(),
      "m.ptx:4: error: byte 0x1b begins nothing in PTX\n  hello?[31m world");
}

TEST(SimLoad, TheTableIsWhole) {
  const OpcodeTable &table = OpcodeTable::get();
  for (const std::string &name : table.names()) {
    const Opcode *opcode = table.find(name);
    ASSERT_NE(opcode, nullptr) << name;
    EXPECT_NE(opcode->run, nullptr) << name;
    size_t slots = 0;
    for (const Rule &rule : opcode->rules)
      slots += rule.role == Role::DefOrPair ? 2 : rule.count;
    EXPECT_LE(slots, 8u) << name;
  }
}

} // namespace
