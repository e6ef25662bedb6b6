/* The languages of texts, and how they are recognized: see lang.h.  A wrong
 * guess costs candidates, never correctness. */
#include <string.h>

#include "lang.h"

enum { MLIR, LLVM, PTX, SPIRV, C, PYTHON, NVFUSER, PLAIN, N_LANGS };

static const char c_keywords[] =
    " auto bool break case catch char class const constexpr continue default "
    "delete do double else enum extern false float for goto if inline int long "
    "namespace new nullptr operator private public register return short "
    "signed sizeof static struct switch template this throw true try typedef "
    "typename union unsigned using virtual void volatile while ";
static const char python_keywords[] =
    " False None True and as assert async await break class continue def del "
    "elif else except finally for from global if import in is lambda nonlocal "
    "not or pass raise return try while with yield ";

static const struct cul_lang langs[N_LANGS] = {
    [MLIR] = {.name = "mlir",
              .comment = "//",
              .sigils = "%@^!#",
              .word_chars = ".$",
              .dimensions = true,
              .angles = true},
    [LLVM] = {.name = "llvm",
              .comment = ";",
              .sigils = "%@!#$",
              .word_chars = ".$",
              .angles = true,
              .numbers_blocks = true},
    [PTX] = {.name = "ptx",
             .comment = "//",
             .block_comments = true,
             .sigils = "%.$",
             .word_chars = ".$"},
    [SPIRV] = {.name = "spirv",
               .comment = ";",
               .sigils = "%",
               .word_chars = "",
               .fixed_operands = true},
    [C] = {.name = "c",
           .comment = "//",
           .block_comments = true,
           .sigils = "",
           .word_chars = "$",
           .char_literals = true,
           .raw_strings = true,
           .continued = true,
           .directives = true,
           .angles = true,
           .keywords = c_keywords},
    [PYTHON] = {.name = "python",
                .comment = "#",
                .sigils = "",
                .word_chars = "",
                .char_literals = true,
                .triple_quotes = true,
                .continued = true,
                .indents = true,
                .keywords = python_keywords},
    /* Python, in which nvFuser prints its definitions. */
    [NVFUSER] = {.name = "nvfuser",
                 .comment = "#",
                 .sigils = "",
                 .word_chars = "",
                 .char_literals = true,
                 .triple_quotes = true,
                 .continued = true,
                 .indents = true,
                 .keywords = python_keywords},
    [PLAIN] = {.name = "plain", .sigils = "", .word_chars = ""},
};

/* Starts of lines, after the indentation, that indicate a language. */
static const struct marker {
  int lang;
  const char *start;
  unsigned weight;
} markers[] = {
    {MLIR, "module {", 20},
    {MLIR, "module @", 20},
    {MLIR, "module attri", 20},
    {MLIR, "builtin.module", 20},
    {MLIR, "func.func", 20},
    {MLIR, "func @", 20},
    {MLIR, "tt.func", 20},
    {MLIR, "llvm.func", 20},
    {MLIR, "gpu.", 10},
    {MLIR, "^", 4},
    {MLIR, "\"builtin.", 20},
    {MLIR, "#map", 8},
    {MLIR, "// -----", 8},
    {MLIR, "%", 1},
    {MLIR, "#", 1},
    {MLIR, "memref.", 4},
    {LLVM, "define ", 20},
    {LLVM, "declare ", 20},
    {LLVM, "target triple", 20},
    {LLVM, "target datalayout", 20},
    {LLVM, "source_filename", 20},
    {LLVM, "; ModuleID", 20},
    {LLVM, "ret ", 3},
    {LLVM, "br ", 3},
    {LLVM, "attributes #", 8},
    {LLVM, "; ", 2},
    {LLVM, "%", 1},
    {LLVM, "store ", 2},
    {PTX, ".version", 30},
    {PTX, ".target", 30},
    {PTX, ".reg", 10},
    {PTX, ".visible", 20},
    {PTX, ".entry", 20},
    {PTX, ".param", 10},
    /* Each module has one such line; most others start like those of MLIR. */
    {SPIRV, "OpMemoryModel ", 100000},
    {C, "#include", 20},
    {C, "#define", 10},
    {C, "#pragma", 10},
    {C, "int ", 3},
    {C, "void ", 3},
    {C, "static ", 3},
    {C, "template", 5},
    {C, "__global__", 20},
    {C, "extern \"C\"", 10},
    {C, "namespace ", 10},
    {C, "for (", 3},
    {C, "if (", 3},
    {C, "return ", 1},
    {C, "/*", 3},
    {C, "struct ", 3},
    {C, "typedef ", 5},
    {PYTHON, "def ", 20},
    {PYTHON, "import ", 20},
    {PYTHON, "from ", 10},
    {PYTHON, "class ", 5},
    {PYTHON, "#!", 5},
    {PYTHON, "self.", 5},
    {PYTHON, "if __name__", 20},
    {PYTHON, "print(", 3},
    {PYTHON, "return ", 1},
    {PYTHON, "\"\"\"", 5},
    /* Each definition has one such line. */
    {NVFUSER, "def nvfuser_fusion", 100000},
};

#define LOOK_AT (64 * 1024)

static void score_line(const char *line, size_t len, unsigned *scores) {
  while (len && (*line == ' ' || *line == '\t'))
    line++, len--;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(markers); i++) {
    size_t n = strlen(markers[i].start);
    if (n <= len && memcmp(line, markers[i].start, n) == 0)
      scores[markers[i].lang] += markers[i].weight;
  }
}

const struct cul_lang *cul_lang_guess(const char *text, size_t len) {
  unsigned scores[N_LANGS] = {0};
  int best = PLAIN;
  if (len > LOOK_AT)
    len = LOOK_AT;
  while (len) {
    const char *feed = memchr(text, '\n', len);
    size_t line = feed ? (size_t)(feed - text) + 1 : len;
    score_line(text, line, scores);
    text += line;
    len -= line;
  }
  for (int i = N_LANGS - 1; i >= 0; i--)
    if (scores[i] && scores[i] >= scores[best])
      best = i;
  return &langs[best];
}

const struct cul_lang *cul_lang_named(const char *name) {
  for (int i = 0; i < N_LANGS; i++)
    if (strcmp(langs[i].name, name) == 0)
      return &langs[i];
  return NULL;
}

uint8_t cul_lang_number(const struct cul_lang *lang) {
  return (uint8_t)(lang - langs + 1);
}

const struct cul_lang *cul_lang_numbered(uint8_t number) {
  return number && number <= N_LANGS ? &langs[number - 1] : NULL;
}

bool cul_lang_is_keyword(const struct cul_lang *lang, struct cul_bytes word) {
  return !lang->keywords || cul_bytes_among(word, lang->keywords);
}
