#include "test/runtime/cli/ParseCommandLine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <sstream>
#include <vector>

using namespace boostrt;
using testing::HasSubstr;

namespace {

TEST(CommandLine, Defaults) {
  auto line = parse({"train.so"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  const Options &o = line->options;
  EXPECT_EQ(o.command, Command::Train);
  EXPECT_EQ(o.program, "train.so");
  EXPECT_FALSE(o.epochs || o.steps || o.seed || o.shuffle || o.data ||
               o.resume || o.threads || o.checkpointDir);
  EXPECT_TRUE(o.evaluate);
  EXPECT_FALSE(o.evalEvery || o.saveBest);
  EXPECT_EQ(o.saveBestFrom, 1);
  EXPECT_EQ(o.keepMax, 5);
  EXPECT_EQ(o.logEvery.steps, 0);
  EXPECT_EQ(o.device, "auto");
}

TEST(CommandLine, EveryTrainingFlag) {
  auto line = parse({"train.so",
                     "--data=digits",
                     "--epochs",
                     "3",
                     "--steps=100",
                     "--seed",
                     "18446744073709551615",
                     "--shuffle=off",
                     "--threads=2",
                     "--init=i.safetensors",
                     "--save=s",
                     "--checkpoint-dir=d",
                     "--checkpoint-prefix=p",
                     "--checkpoint-every=10",
                     "--keep-max=7",
                     "--resume=never",
                     "--metrics=m",
                     "--log-every=5",
                     "--progress=none",
                     "--device=sim",
                     "--no-eval"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  const Options &o = line->options;
  EXPECT_EQ(*o.data, "digits");
  EXPECT_EQ(*o.epochs, 3);
  EXPECT_EQ(*o.steps, 100);
  EXPECT_EQ(*o.seed, UINT64_MAX);
  EXPECT_FALSE(*o.shuffle);
  EXPECT_EQ(*o.threads, 2u);
  EXPECT_EQ(*o.init, "i.safetensors");
  EXPECT_EQ(*o.save, "s");
  EXPECT_EQ(*o.checkpointDir, "d");
  EXPECT_EQ(*o.checkpointPrefix, "p");
  EXPECT_EQ(o.checkpointEvery.steps, 10);
  EXPECT_EQ(o.keepMax, 7);
  EXPECT_EQ(*o.resume, "never");
  EXPECT_EQ(*o.metrics, "m");
  EXPECT_EQ(o.logEvery.steps, 5);
  EXPECT_EQ(o.progress, ProgressKind::None);
  EXPECT_FALSE(o.evaluate);
}

TEST(CommandLine, EvaluationFlags) {
  auto line = parse(
      {"train.so", "--eval-every=0", "--save-best=b", "--save-best-from", "7"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_EQ(*line->options.evalEvery, 0);
  EXPECT_EQ(*line->options.saveBest, "b");
  EXPECT_EQ(line->options.saveBestFrom, 7);
  expectUsage({"train.so", "--eval-every=-1"}, "--eval-every");
  expectUsage({"train.so", "--save-best-from=0", "--save-best=b"},
              "--save-best-from");
  expectUsage({"train.so", "--save-best-from=2"},
              "--save-best-from needs --save-best FILE");
  expectUsage({"train.so", "--save-best=b", "--no-eval"},
              "--save-best and --no-eval exclude each other");
}

TEST(CommandLine, FlagsOfCheckpointsNeedAPlaceForThem) {
  for (const char *flag : {"--checkpoint-every=5", "--checkpoint-every=epoch",
                           "--checkpoint-prefix=p", "--keep-max=5"}) {
    std::string name(flag, std::string_view(flag).find('='));
    expectUsage({"train.so", flag}, name + " needs --checkpoint-dir DIR or "
                                           "--rank-checkpoints, without which "
                                           "no checkpoint is written");
    EXPECT_TRUE(parse({"train.so", flag, "--checkpoint-dir=d"}).ok());
    EXPECT_TRUE(
        parse({"train.so", flag, "--rank-checkpoints", "--workdir=d"}).ok());
  }
  expectUsage(
      {"train.so", "--private-state=mean"},
      "--private-state needs --checkpoint-dir DIR, --rank-checkpoints or "
      "--resume PATH");
  EXPECT_TRUE(parse({"train.so", "--private-state=mean", "--resume=c"}).ok());
  EXPECT_TRUE(
      parse({"train.so", "--private-state=mean", "--checkpoint-dir=d"}).ok());
}

TEST(CommandLine, OtherCommands) {
  auto eval = parse({"eval", "train.so", "--ckpt", "c", "--data", "digits"});
  ASSERT_TRUE(eval.ok()) << eval.status().message();
  EXPECT_EQ(eval->options.command, Command::Evaluate);
  EXPECT_EQ(*eval->options.checkpoint, "c");
  auto info = parse({"info", "train.so", "--json"});
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->options.command, Command::Info);
  EXPECT_TRUE(info->options.json);
  auto bench = parse({"bench", "train.so", "--steps=5", "--warmup=0"});
  ASSERT_TRUE(bench.ok());
  EXPECT_EQ(bench->options.command, Command::Bench);
  EXPECT_EQ(bench->options.benchSteps, 5);
  EXPECT_EQ(bench->options.benchWarmup, 0);
  auto doctor = parse({"doctor", "--json"});
  ASSERT_TRUE(doctor.ok()) << doctor.status().message();
  EXPECT_EQ(doctor->options.command, Command::Doctor);
  EXPECT_TRUE(doctor->options.json);
  expectUsage({"doctor", "train.so"}, "unexpected argument 'train.so'");
  expectUsage({"eval", "train.so"}, "--ckpt PATH is missing");
  expectUsage({"info", "train.so", "--epochs=3"}, "unknown flag '--epochs'");
}

TEST(CommandLine, ProfilesAreOfTrainingAndOfBench) {
  for (std::vector<const char *> command :
       {std::vector<const char *>{"bench"}, {}}) {
    auto parsed = [&](std::vector<const char *> flags) {
      std::vector<const char *> all = command;
      all.insert(all.end(), flags.begin(), flags.end());
      auto line = parse(all);
      EXPECT_TRUE(line.ok()) << line.status().message();
      EXPECT_EQ(line->options.program, "a.so");
      return line->options;
    };
    Options none = parsed({"a.so"});
    EXPECT_FALSE(none.profiles || none.profileTrace || none.profileSteps);
    // What follows the flag is not its value.
    Options table = parsed({"--profile", "a.so"});
    EXPECT_TRUE(table.profiles && !table.profileTrace);
    Options trace = parsed({"a.so", "--profile=t.json"});
    EXPECT_TRUE(trace.profiles);
    EXPECT_EQ(*trace.profileTrace, "t.json");
    // A file may have any name, and the last of a flag wins.
    Options named = parsed({"a.so", "--profile", "--profile=table"});
    EXPECT_EQ(*named.profileTrace, "table");
    EXPECT_FALSE(parsed({"a.so", "--profile=t", "--profile"}).profileTrace);
    Options steps = parsed({"a.so", "--profile-steps=7"});
    EXPECT_TRUE(steps.profiles && !steps.profileTrace);
    EXPECT_EQ(*steps.profileSteps, 7);
    std::vector<const char *> empty = command;
    empty.insert(empty.end(), {"a.so", "--profile="});
    expectUsage(empty, "--profile= names no file for the trace; give "
                       "--profile=FILE, or --profile for the table alone");
    for (const char *wrong : {"0", "-1", "100001", "all"}) {
      std::string flag = std::string("--profile-steps=") + wrong;
      std::vector<const char *> flags = command;
      flags.insert(flags.end(), {"a.so", flag.c_str()});
      expectUsage(flags, "expected a whole number from 1 to 100000");
    }
  }
  for (const char *flag : {"--profile", "--profile=", "--profile=t.json"})
    expectUsage({"eval", "a.so", "--ckpt=c", flag}, "unknown flag '--profile");
  Result<CommandLine> help = parse({"bench", "--help", "--profile="});
  ASSERT_TRUE(help.ok()) << help.status().message();
  EXPECT_THAT(help->text, HasSubstr("--profile-steps"));
}

TEST(CommandLine, HelpAndVersionAreText) {
  for (std::vector<const char *> arguments :
       {std::vector<const char *>{"--help"}, {"-h"}, {"eval", "--help"}}) {
    auto help = parse(arguments);
    ASSERT_TRUE(help.ok());
    EXPECT_THAT(help->text, HasSubstr("--data"));
  }
  std::string help = parse({"--help"})->text;
  EXPECT_THAT(help, HasSubstr("--checkpoint-every"));
  for (const char *command :
       {"info PROGRAM", "eval PROGRAM", "bench PROGRAM", "doctor\n", "ranks\n",
        "rank-table\n", "make-data\n", "export PROGRAM", "pca PROGRAM"})
    EXPECT_THAT(help, HasSubstr(std::string("\n  boost-run ") + command));
  EXPECT_THAT(help, HasSubstr("PROGRAM FILE "));
  EXPECT_THAT(help, HasSubstr("--shuffle WHEN:on|off "));
  EXPECT_THAT(help, HasSubstr("--eval,--no-eval "));
  EXPECT_THAT(help, testing::Not(HasSubstr("TEXT")));
  EXPECT_EQ(parse({"--version"})->text, "boost-run " BOOSTC_VERSION "\n");
}

TEST(CommandLine, TheLastOfAFlagWins) {
  auto line = parse({"train.so", "--log-every=1", "--seed=1", "--threads=1",
                     "--log-every", "10", "--no-eval", "--seed=2",
                     "--threads=2", "--device=cpu", "--device=sim", "--grace=1",
                     "--grace=2", "--eval"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_EQ(line->options.logEvery.steps, 10);
  EXPECT_EQ(*line->options.seed, 2u);
  EXPECT_EQ(*line->options.threads, 2u);
  EXPECT_EQ(line->options.device, "sim");
  EXPECT_EQ(line->options.launch.grace, 2);
  EXPECT_TRUE(line->options.evaluate);
  EXPECT_FALSE(parse({"train.so", "--eval", "--no-eval"})->options.evaluate);
  // Arguments are no flags.
  expectUsage({"a.so", "b.so"}, "unexpected argument 'b.so'");
}

TEST(CommandLine, FlagsWithoutEffectAreNotes) {
  auto notes = [](std::vector<const char *> arguments) {
    auto line = parse(arguments);
    EXPECT_TRUE(line.ok()) << line.status().message();
    return line.ok() ? line->notes : std::vector<std::string>();
  };
  using testing::ElementsAre;
  EXPECT_THAT(notes({"a.so", "--eval-every=2", "--no-eval"}),
              ElementsAre("--eval-every has no effect with --no-eval"));
  EXPECT_THAT(notes({"a.so", "--log-every=2", "--progress=none"}),
              ElementsAre("--log-every has no effect with --progress=none"));
  EXPECT_THAT(notes({"a.so", "--gpu-library=on", "--device=cpu"}),
              ElementsAre("--gpu-library has no effect with --device=cpu"));
  EXPECT_THAT(notes({"bench", "a.so", "--threads=2", "--device=cuda"}),
              ElementsAre("--threads has no effect with --device=cuda"));
  EXPECT_THAT(notes({"a.so", "--eval-every=2", "--log-every=2", "--threads=2",
                     "--gpu-library=on", "--device=sim"}),
              ElementsAre());
}

TEST(CommandLine, FlagsOfOthersAndOfTheRecipe) {
  expectUsage({"b.so", "--lr=0.1"}, "optimizer.learning_rate");
  expectUsage({"b.so", "--batch-size=8"}, "boostc --set batch_size=");
  expectUsage({"b.so", "--gpus=8"}, "did you mean '--ranks'");
  expectUsage({"b.so", "--nproc_per_node=8"}, "did you mean '--ranks'");
  expectUsage({"b.so", "--quiet"}, "'--progress'");
}

TEST(CommandLine, CommandsThatThereAreNot) {
  expectUsage({"train", "b.so"},
              "unexpected argument 'b.so'; did you mean 'boost-run PROGRAM' in "
              "place of 'train'?");
  expectUsage({"evaluate", "b.so"},
              "did you mean 'boost-run eval' in place of 'evaluate'?");
  expectUsage({"inof", "b.so"},
              "did you mean 'boost-run info' in place of 'inof'?");
  EXPECT_THAT(parse({"help"})->text, HasSubstr("--checkpoint-every"));
  EXPECT_THAT(parse({"help", "eval"})->text, HasSubstr("boost-run eval"));
}

TEST(CommandLine, SwitchesTakeTrueAndFalse) {
  expectUsage({"b.so", "--pin=maybe"},
              "--pin needs no value, or true or false; found 'maybe'");
  EXPECT_FALSE(parse({"b.so", "--eval=false"})->options.evaluate);
  EXPECT_FALSE(*parse({"b.so", "--pin=off"})->options.launch.pin);
}

TEST(CommandLine, NoWordOfTheLibraryIsSeen) {
  for (std::vector<const char *> arguments :
       {std::vector<const char *>{"b.so", "--epochs=many"},
        {"b.so", "--epochs="},
        {"b.so", "--epochs"},
        {"b.so", "--epochs", "--steps"},
        {"b.so", "--threads=99999999999"},
        {"b.so", "--device=tpu"},
        {"b.so", "--ranks=four"},
        {"b.so", "--grace=soon"},
        {"b.so", "--keep-max=-1"},
        {"b.so", "--no-eval=3"},
        {"b.so", "--pin=maybe"},
        {"b.so", "--checkpoint-every=0"},
        {"info", "b.so", "--ranks=0"},
        {"info", "b.so", "--servers=2"},
        {"info", "b.so", "--json=yes"},
        {"bench", "b.so", "--steps=0"},
        {"rank-table", "create", "--devices=x"}}) {
    auto line = parse(arguments);
    ASSERT_FALSE(line.ok()) << arguments.back();
    EXPECT_EQ(line.status().code(), ExitCode::Usage);
    for (const char *word : {"INT", "FLOAT", "TEXT", "At Most", "required but",
                             "not in range", "Could not convert", " in ["})
      EXPECT_THAT(line.status().message(), testing::Not(HasSubstr(word)));
  }
}

TEST(CommandLine, UnknownFlagsComeWithTheNearestKnownOne) {
  expectUsage({"train.so", "--epoch=3"},
              "unknown flag '--epoch'; did you mean '--epochs'?");
  expectUsage({"train.so", "--chekpoint-dir", "d"},
              "unknown flag '--chekpoint-dir'; did you mean "
              "'--checkpoint-dir'?");
  expectUsage({"train.so", "--no-evla"}, "did you mean '--no-eval'?");
  expectUsage({"train.so", "--zzzzzzzzzz"}, "unknown flag '--zzzzzzzzzz'");
  expectUsage({"--shufle=on"}, "unknown flag '--shufle'");
  expectUsage({"train.so", "--\x1b[31m"}, "unknown flag '--\\x1b[31m'");
  expectUsage({"train.so", "other.so"}, "unexpected argument 'other.so'");
}

TEST(CommandLine, ValuesAreChecked) {
  expectUsage({}, "PROGRAM is missing");
  expectUsage({"train.so", "--epochs=-1"}, "--epochs");
  expectUsage({"train.so", "--epochs=many"}, "--epochs");
  expectUsage({"train.so", "--steps=1.5"}, "--steps");
  expectUsage({"train.so", "--seed=-1"},
              "--seed: '-1' is not a number from 0 to 2^64-1");
  expectUsage({"train.so", "--threads=0"}, "--threads");
  expectUsage({"train.so", "--threads=99999999999"}, "--threads");
  expectUsage({"train.so", "--shuffle=maybe"}, "--shuffle");
  expectUsage({"train.so", "--device=tpu"}, "--device");
  expectUsage({"train.so", "--progress=loud"}, "--progress");
  expectUsage({"train.so", "--keep-max=0"}, "--keep-max");
  expectUsage({"train.so", "--log-every=0"},
              "'0' is neither 'epoch' nor a number of steps above 0, nor one "
              "of epochs as in '5epochs'");
  expectUsage({"train.so", "--checkpoint-every=sometimes"},
              "'sometimes' is neither 'epoch' nor");
  expectUsage({"train.so", "--checkpoint-prefix=a/b"},
              "--checkpoint-prefix must be a name without '/'");
  expectUsage({"train.so", "--data"}, "--data");
}

TEST(CommandLine, IntervalsAreInStepsOrInEpochs) {
  auto interval = [](const std::string &text) {
    auto line = parse({"a.so", ("--log-every=" + text).c_str()});
    EXPECT_TRUE(line.ok()) << text;
    return line.ok() ? line->options.logEvery : Interval{-1};
  };
  EXPECT_EQ(interval("7"), Interval{7});
  EXPECT_EQ(interval("epoch"), Interval());
  EXPECT_EQ(interval("1epoch"), Interval());
  EXPECT_EQ(interval("5epochs"), (Interval{0, 5}));
  EXPECT_EQ(interval("5epoch"), (Interval{0, 5}));
  for (const char *text : {"7", "epoch", "5epochs"})
    EXPECT_EQ(interval(text).text(), text);
  for (const char *text :
       {"epochs", "0epochs", "-1epochs", "5 epochs", "5epochsepochs",
        "1.5epochs", "5e", "99999999999999999999epochs"})
    expectUsage({"a.so", "--checkpoint-dir=d",
                 (std::string("--checkpoint-every=") + text).c_str()},
                "--checkpoint-every: '" + std::string(text) +
                    "' is neither 'epoch' nor a number");
}

TEST(CommandLine, RelativeOutputsAreBelowTheWorkdir) {
  auto line = parse({"a.so", "--workdir=w//", "--save=s", "--save-best=x/b",
                     "--metrics=/tmp/m", "--checkpoint-dir", "c", "--log-dir=l",
                     "--init=i", "--resume=r", "--rank-table=t"});
  ASSERT_TRUE(line.ok()) << line.status().message();
  const Options &o = line->options;
  EXPECT_EQ(*o.workdir, "w");
  EXPECT_EQ(*o.save, "w/s");
  EXPECT_EQ(*o.saveBest, "w/x/b");
  EXPECT_EQ(*o.metrics, "/tmp/m");
  EXPECT_EQ(*o.checkpointDir, "w/c");
  EXPECT_EQ(*o.launch.logDir, "w/l");
  EXPECT_EQ(*o.init + *o.resume + *o.launch.rankTable, "irt");
  EXPECT_FALSE(o.rankLayout);
  expectUsage({"a.so", "--workdir", ""},
              "--workdir needs the name of a directory");
}

/// A flag with the name of a file or directory is either here or written below
/// --workdir.
TEST(CommandLine, EveryFileThatTrainingWritesIsBelowTheWorkdir) {
  const std::set<std::string> read = {"--init",       "--names",
                                      "--rank-table", "--resume",
                                      "--token-file", "--workdir"};
  auto everyPath = [](const Options &o) {
    std::set<std::string> all;
    for (const std::optional<std::string> *path :
         {&o.save, &o.saveBest, &o.metrics, &o.checkpointDir, &o.launch.logDir})
      if (*path)
        all.insert(**path);
    return all;
  };
  std::istringstream help(parse({"--help"})->text);
  int written = 0;
  for (std::string line; std::getline(help, line);) {
    std::istringstream words(line);
    std::string flag, type;
    words >> flag >> type;
    bool isPath = type == "FILE" || type == "DIR" || type == "PATH";
    if (!flag.starts_with("--") || !isPath || read.count(flag))
      continue;
    auto parsed = parse({"a.so", "--workdir=w", (flag + "=f").c_str()});
    // Those of another flag's.
    if (!parsed.ok())
      parsed = parse({"a.so", "--workdir=w", (flag + "=f").c_str(),
                      "--checkpoint-dir=/c", "--init=i"});
    ASSERT_TRUE(parsed.ok()) << flag;
    EXPECT_TRUE(everyPath(parsed->options).count("w/f")) << flag;
    ++written;
  }
  EXPECT_GE(written, 5);
}

TEST(CommandLine, CheckpointsInTheFoldersOfRanks) {
  auto directory = [](const char *flag, const char *workdir = "--workdir=w") {
    auto line = parse({flag, "a.so", workdir});
    EXPECT_TRUE(line.ok()) << line.status().message();
    return line.ok() ? line->options.checkpointDir.value_or("") : "";
  };
  EXPECT_EQ(directory("--rank-checkpoints"), "w/train_parallel0/ckpt_0");
  EXPECT_EQ(directory("--rank-checkpoints=per-rank"),
            "w/train_parallel0/ckpt_0");
  EXPECT_EQ(directory("--rank-checkpoints=shared"), "w/train_parallel/ckpt_0");
  for (const char *here : {"--workdir=.", "--workdir=./"})
    EXPECT_EQ(directory("--rank-checkpoints", here), "train_parallel0/ckpt_0");
  EXPECT_EQ(parse({"a.so", "--workdir=w"})->options.checkpointDir,
            std::nullopt);
  expectUsage({"a.so", "--rank-checkpoints=mine", "--workdir=w"},
              "--rank-checkpoints: expected per-rank or shared, found 'mine'");
  expectUsage({"a.so", "--rank-checkpoints"},
              "--rank-checkpoints needs --workdir DIR, in which the folders of "
              "ranks are made; the current directory is --workdir .");
  expectUsage(
      {"a.so", "--rank-checkpoints", "--workdir=w", "--checkpoint-dir=c"},
      "--rank-checkpoints and --checkpoint-dir exclude each other: "
      "both say where checkpoints are kept");
  EXPECT_THAT(parse({"--help"})->text,
              HasSubstr("--rank-checkpoints LAYOUT:per-rank|shared"));
}

TEST(Interval, IsDueAtStepsOrAtTheEndOfEpochs) {
  EXPECT_TRUE(Interval{}.due(7, 3, true));
  EXPECT_FALSE(Interval{}.due(7, 3, false));
  EXPECT_TRUE(Interval{5}.due(10, 3, false));
  EXPECT_FALSE(Interval{5}.due(11, 3, true));
  Interval second{0, 2};
  EXPECT_TRUE(second.due(11, 4, true));
  EXPECT_FALSE(second.due(11, 3, true));
  EXPECT_FALSE(second.due(11, 4, false));
}

} // namespace
