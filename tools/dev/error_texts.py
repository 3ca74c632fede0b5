"""Finds the texts of errors in the sources, and those that no test quotes (tools/dev/lint).

A text is what one statement says: the literals of an error, in C++ that is formatted by
clang-format. Literals are words and holes ({0}, a '<<' between two literals). A test quotes a
text when it holds GRAM words in a row of it that no other text has, or all of its words with
something in the holes where it has no such words.
"""

import collections
import re

GRAM = 3  # words in a row that make a quotation

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"'
                   r"|'(?:[^'\\\n]|\\.)+'", re.DOTALL)
HOLE = "\0"  # between two words of a text: anything
STRING = r"(?:std::string(?:_view)?|(?:llvm::)?StringRef|(?:const )?(?:llvm::)?Twine|const char \*)"
# What returns an error and is told its words.
HELPER = re.compile(
    r"^[ ]*(?:static |inline |\[\[noreturn\]\] )*"
    r"(?:Status|IoError|Result<[^;{}()]*>|(?:llvm::)?LogicalResult|ParseResult|(?:mlir::)?InFlightDiagnostic|"
    r"FailureOr<[^;{}()]*>|std::nullopt_t|(?:llvm::)?Error|void|bool|int|std::string)\s[ ]*(?:\w+::)*(\w+)"
    r"\(([^;{}]*?)\)[^;{}()]*\{", re.MULTILINE)
# What makes the words of an error, by type or by name.
MAKER = re.compile(
    r"^[ ]*(?:static |inline )*(?:std::optional<std::string>\s[ ]*(?:\w+::)*\w+|"
    r"(?:std::string|std::string_view|const char \*|StringRef)\s*(?:\w+::)*"
    r"\w*(?:[wW]hy|[eE]rror|[mM]istake|[pP]roblem|[rR]eason|[fF]ault|[mM]isfit|[aA]dvice)\w*)"
    r"\([^;{}]*?\)[^;{}()]*\{", re.MULTILINE)
SAYS = re.compile(
    r"\bemit(?:Op|Optional)?Error\b|\bExitCode::|\bCompileResult::\w+,|\bioStatus\(|\bStatus\(|"
    r"(?:\.|->|\b)(?:error|warning|fail|refuse|usage)\(|\bemitWarning\(|\battachNote\(|"
    r"\b(?:diagnostic|error|message|reason|problem|mistake|why|what|advice)_?\s*(?:=|\+=|<<)[^=]|"
    r"\b(?:std::runtime_error|ValidationError)\(")
# What a helper that returns none of the types of errors does to be one.
FAILS = re.compile(r"\bemit(?:Op|Optional)?Error\b|\bExitCode::|\bioStatus\(|errors\.error\(|\bStatus\(")
NO_ERROR = re.compile(r"\b(?:static_assert|assert|llvm_unreachable|add_\w+|addNumber|addInterval|addSwitch|description|footer|allocate|finish)\(|"
                      r"\b(?:oneOf|numberBetween|wholeNumber\w*)\(")


def mask(text):
    """The text with comments and literals blanked, and the literals as (begin, end, content);
    literals with only blanks between them are one."""
    literals, out, at = [], [], 0
    for match in TOKEN.finditer(text):
        out.append(text[at:match.start()])
        at = match.end()
        content = match.group(3) if match.group(3) is not None else match.group(2)
        if content is None:
            out.append(re.sub(r"[^\n]", " ", match.group(0)))
            continue
        out.append(re.sub(r"[^\n]", "\1", match.group(0)))
        if literals and not text[literals[-1][1]:match.start()].strip():
            literals[-1][1] = match.end()
            literals[-1][2] += content
        else:
            literals.append([match.start(), match.end(), content])
    out.append(text[at:])
    return "".join(out), literals


def statements(code):
    """(begin, end) of each: up to a semicolon, or a brace outside parentheses."""
    begin, depth = 0, 0
    for match in re.finditer(r"[;{}()]", code):
        sign = match.group(0)
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth = max(depth - 1, 0)
        elif sign == ";" or depth == 0:
            yield begin, match.end()
            begin, depth = match.end(), 0


def body_end(code, brace):
    depth = 0
    for match in re.finditer(r"[{}]", code[brace:]):
        depth += 1 if match.group(0) == "{" else -1
        if depth == 0:
            return brace + match.end()
    return len(code)


def words(text):
    return re.findall(r"\0|[\w'.-]*\w(?:[\w'-]*\w)?'?", text)


def plain(literal):
    """The literal with holes for what is put into it, and without escapes."""
    literal = literal.replace("{{", "\2").replace("}}", "\3")
    literal = re.sub(r"\\[nt]", " ", literal)
    # A word that a value completes is none of ours: sm_{0}, {0}th.
    literal = re.sub(r"\w*(?:\{[^{}]*\}|%[-0-9.*]*l*[sdufzxgi]\b)\w*", f" {HOLE} ", literal)
    return literal.replace("\2", "{").replace("\3", "}").replace('\\"', '"')


class Text:
    def __init__(self, name, line, parts):
        self.name, self.line = name, line
        self.words = []
        for part in parts[:-1]:
            self.words += words(plain(re.sub(r"\w+$", "", part))) + [HOLE]
        self.words += words(plain(parts[-1]))

    def runs(self):
        run = []
        for word in self.words + [HOLE]:
            if word != HOLE:
                run.append(word.strip("'").lower())
            elif run:
                yield run
                run = []

    def grams(self):
        for run in self.runs():
            for i in range(len(run) - GRAM + 1):
                yield tuple(run[i:i + GRAM])

    def shown(self):
        return " ".join(self.words).replace(HOLE, "...")


def texts_of(sources):
    """The texts of the errors of sources (name -> content)."""
    masked = {name: mask(text) for name, text in sources.items()}
    helpers = set()
    for code, _ in masked.values():
        for match in HELPER.finditer(code):
            body = code[match.end():body_end(code, match.end() - 1)]
            is_plain = re.match(r"\s*(?:static |inline )*(?:void|bool|int|std::string)\s", match.group(0))
            if re.search(STRING, match.group(2)) and (FAILS if is_plain else SAYS).search(body):
                helpers.add(match.group(1))
    helper = re.compile(r"\b(?:" + "|".join(sorted(helpers)) + r")\(")
    texts = []
    for name, (code, literals) in masked.items():
        makers = [(match.end(), body_end(code, match.end() - 1))
                  for match in MAKER.finditer(code)]
        at = 0
        for begin, end in statements(code):
            parts, first = [], None
            while at < len(literals) and literals[at][0] < end:
                # A path is nothing to say.
                if literals[at][0] >= begin and not re.fullmatch(r"/[\w/.]+", literals[at][2]):
                    parts.append(literals[at][2])
                    first = first if first is not None else literals[at][0]
                at += 1
            statement = code[begin:end]
            if not parts or NO_ERROR.search(statement):
                continue
            if SAYS.search(statement) or helper.search(statement) or any(
                    b <= first < e for b, e in makers):
                text = Text(name, sources[name].count("\n", 0, first) + 1, parts)
                lengths = [len(run) for run in text.runs()]
                if max(lengths, default=0) >= GRAM or sum(lengths) > GRAM:
                    texts.append(text)
    return texts


def test_words(tests):
    """All words of the tests, as one text of words with blanks between; literals broken over
    lines are whole, comment signs and the braces of FileCheck's expressions gone."""
    out = []
    for text in tests.values():
        text = re.sub(r'\\?"\s*\n\s*[Rrf]?"\(?', "", text)
        text = re.sub(r"\\\n\s*", "", text)
        out.append(" ".join(word.strip("'").lower() for word in words(text)) + " .")
    return " " + " ".join(out) + " "


def unquoted(sources, tests):
    texts = texts_of(sources)
    corpus = test_words(tests)
    corpus_words = corpus.split()
    grams = set(zip(*(corpus_words[i:] for i in range(GRAM))))
    owners = collections.Counter(gram for text in texts for gram in set(text.grams()))
    for text in texts:
        own = [gram for gram in text.grams() if owners[gram] == 1]
        if own:
            if not any(gram in grams for gram in own):
                yield text
            continue
        # No words of its own: the longest run, which another text says too.
        longest = max(text.runs(), key=len)
        if f" {' '.join(longest)} " not in corpus:
            yield text

