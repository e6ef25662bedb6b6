/* Print a transformer in MLIR: linalg on tensors, one function per layer.
 *
 *   transformer [LAYERS [SICK]]      defaults: 12 layers, layer 7 is sick
 *
 * Every value flows into the result.  Layer SICK (counted from 0; -1: none)
 * moves the newest token's row to another place of a tile, as the update of a
 * key-value cache does, with a vector.insert at a position known only at run
 * time; `mlir-opt-22 --convert-vector-to-llvm` dies on that operation. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LAYERS = 1000 };

#define X "tensor<32x64xf32>" /* tokens x model width */
#define SPLIT "tensor<32x4x16xf32>"
#define HEADS "tensor<4x32x16xf32>"
#define KEYS "tensor<4x16x32xf32>"
#define SCORES "tensor<4x32x32xf32>"
#define TOPS "tensor<4x32xf32>"
#define WIDE "tensor<32x256xf32>"
#define ROW "tensor<32xf32>"
#define VEC "vector<64xf32>"
#define TILE "vector<8x64xf32>"

#define ID2 "affine_map<(i, j) -> (i, j)>"
#define ROW2 "affine_map<(i, j) -> (i)>"
#define ID3 "affine_map<(h, i, j) -> (h, i, j)>"
#define ROW3 "affine_map<(h, i, j) -> (h, i)>"

/* Two loops that differ in what the innermost does. */
#define MAP2 "[\"parallel\", \"parallel\"]"
#define REDUCE2 "[\"parallel\", \"reduction\"]"
#define MAP3 "[\"parallel\", \"parallel\", \"parallel\"]"
#define REDUCE3 "[\"parallel\", \"parallel\", \"reduction\"]"

/* One linalg.generic with a single result. */
struct generic {
  const char *maps, *loops;
  const char *in[2], *in_type[2]; /* value names; NULL ends */
  const char *out_type;
  const char *start; /* value the result starts from */
  const char *args;  /* block arguments beside the last, "%o: f32" */
  const char *body;  /* operations; the last names %y */
};

static void print_generic(const char *name, const struct generic *g) {
  printf("    %%%s = linalg.generic {indexing_maps = [%s], "
         "iterator_types = %s}",
         name, g->maps, g->loops);
  if (g->in[0]) {
    printf("\n        ins(%s", g->in[0]);
    if (g->in[1])
      printf(", %s", g->in[1]);
    printf(" : %s", g->in_type[0]);
    if (g->in[1])
      printf(", %s", g->in_type[1]);
    printf(")");
  }
  printf("\n        outs(%s : %s) {\n    ^bb0(%s%%o: f32):\n%s", g->start,
         g->out_type, g->args, g->body);
  printf("      linalg.yield %%y : f32\n    } -> %s\n", g->out_type);
}

/* %name_z: a tensor of the given type filled with `value`. */
static void print_filled(const char *name, const char *type,
                         const char *value) {
  printf("    %%%s_e = tensor.empty() : %s\n", name, type);
  printf("    %%%s_z = linalg.fill ins(%s : f32) outs(%%%s_e : %s) -> %s\n",
         name, value, name, type, type);
}

/* %name = %a x weights; the weights differ by layer and place. */
static void print_projection(const char *name, const char *a,
                             const char *a_type, const char *w_type,
                             const char *out_type) {
  unsigned long sum = 5381;
  for (const char *p = name; *p; p++)
    sum = sum * 33 + (unsigned char)*p;
  printf("    %%%s_w = arith.constant dense<%lu.%04lue-4> : %s\n", name,
         1 + sum % 9, sum / 9 % 10000, w_type);
  print_filled(name, out_type, "%zero");
  printf("    %%%s = linalg.matmul ins(%s, %%%s_w : %s, %s) "
         "outs(%%%s_z : %s) -> %s\n",
         name, a, name, a_type, w_type, name, out_type, out_type);
}

/* Cut the model width into heads: %name, 4 x 32 x 16, or for keys its
 * transpose, 4 x 16 x 32. */
static void print_heads(const char *name, const char *a, int keys) {
  const char *type = keys ? KEYS : HEADS;
  printf("    %%%s_s = tensor.expand_shape %s [[0], [1, 2]] output_shape "
         "[32, 4, 16] : " X " into " SPLIT "\n",
         name, a);
  printf("    %%%s_o = tensor.empty() : %s\n", name, type);
  printf("    %%%s = linalg.transpose ins(%%%s_s : " SPLIT ") "
         "outs(%%%s_o : %s) permutation = %s\n",
         name, name, name, type, keys ? "[1, 2, 0]" : "[1, 0, 2]");
}

/* %probs = softmax(mask(%scores / 4)) along the last dimension. */
static void print_softmax(void) {
  static const struct generic steps[] = {
      {ID3 ", " ID3,
       MAP3,
       {"%scores"},
       {SCORES},
       SCORES,
       "%scores_e",
       "%a: f32, ",
       "      %i = linalg.index 1 : index\n"
       "      %j = linalg.index 2 : index\n"
       "      %seen = arith.cmpi sge, %i, %j : index\n"
       "      %scaled = arith.mulf %a, %quarter : f32\n"
       "      %y = arith.select %seen, %scaled, %lowest : f32\n"},
      {ID3 ", " ROW3,
       REDUCE3,
       {"%masked"},
       {SCORES},
       TOPS,
       "%top_z",
       "%a: f32, ",
       "      %y = arith.maximumf %a, %o : f32\n"},
      {ID3 ", " ROW3 ", " ID3,
       MAP3,
       {"%masked", "%top"},
       {SCORES, TOPS},
       SCORES,
       "%scores_e",
       "%a: f32, %m: f32, ",
       "      %d = arith.subf %a, %m : f32\n"
       "      %y = math.exp %d : f32\n"},
      {ID3 ", " ROW3,
       REDUCE3,
       {"%exps"},
       {SCORES},
       TOPS,
       "%sum_z",
       "%a: f32, ",
       "      %y = arith.addf %a, %o : f32\n"},
      {ID3 ", " ROW3 ", " ID3,
       MAP3,
       {"%exps", "%sum"},
       {SCORES, TOPS},
       SCORES,
       "%scores_e",
       "%a: f32, %s: f32, ",
       "      %y = arith.divf %a, %s : f32\n"},
  };
  print_generic("masked", &steps[0]);
  print_filled("top", TOPS, "%lowest");
  print_generic("top", &steps[1]);
  print_generic("exps", &steps[2]);
  print_filled("sum", TOPS, "%zero");
  print_generic("sum", &steps[3]);
  print_generic("probs", &steps[4]);
}

static void print_attention(void) {
  print_projection("q", "%x", X, "tensor<64x64xf32>", X);
  print_projection("k", "%x", X, "tensor<64x64xf32>", X);
  print_projection("v", "%x", X, "tensor<64x64xf32>", X);
  print_heads("qh", "%q", 0);
  print_heads("kh", "%k", 1);
  print_heads("vh", "%v", 0);
  print_filled("scores", SCORES, "%zero");
  printf("    %%scores = linalg.batch_matmul ins(%%qh, %%kh : " HEADS ", " KEYS
         ") outs(%%scores_z : " SCORES ") -> " SCORES "\n");
  print_softmax();
  print_filled("mix", HEADS, "%zero");
  printf("    %%mix = linalg.batch_matmul ins(%%probs, %%vh : " SCORES
         ", " HEADS ") outs(%%mix_z : " HEADS ") -> " HEADS "\n");
  printf("    %%back_o = tensor.empty() : " SPLIT "\n"
         "    %%back = linalg.transpose ins(%%mix : " HEADS
         ") outs(%%back_o : " SPLIT ") permutation = [1, 0, 2]\n"
         "    %%flat = tensor.collapse_shape %%back [[0], [1, 2]] : " SPLIT
         " into " X "\n");
  print_projection("attn", "%flat", X, "tensor<64x64xf32>", X);
  printf("    %%mid = arith.addf %%x, %%attn : " X "\n");
}

/* %norm = (%mid - mean) / sqrt(variance + epsilon), row by row. */
static void print_layer_norm(void) {
  static const struct generic steps[] = {
      {ID2 ", " ROW2,
       REDUCE2,
       {"%mid"},
       {X},
       ROW,
       "%mean_z",
       "%a: f32, ",
       "      %part = arith.divf %a, %width : f32\n"
       "      %y = arith.addf %part, %o : f32\n"},
      {ID2 ", " ROW2 ", " ID2,
       MAP2,
       {"%mid", "%mean"},
       {X, ROW},
       X,
       "%q_e",
       "%a: f32, %m: f32, ",
       "      %y = arith.subf %a, %m : f32\n"},
      {ID2 ", " ROW2,
       REDUCE2,
       {"%centred"},
       {X},
       ROW,
       "%var_z",
       "%a: f32, ",
       "      %sq = arith.mulf %a, %a : f32\n"
       "      %part = arith.divf %sq, %width : f32\n"
       "      %y = arith.addf %part, %o : f32\n"},
      {ID2 ", " ROW2 ", " ID2,
       MAP2,
       {"%centred", "%var"},
       {X, ROW},
       X,
       "%q_e",
       "%a: f32, %spread: f32, ",
       "      %safe = arith.addf %spread, %epsilon : f32\n"
       "      %inv = math.rsqrt %safe : f32\n"
       "      %y = arith.mulf %a, %inv : f32\n"},
  };
  print_filled("mean", ROW, "%zero");
  print_generic("mean", &steps[0]);
  print_generic("centred", &steps[1]);
  print_filled("var", ROW, "%zero");
  print_generic("var", &steps[2]);
  print_generic("norm", &steps[3]);
}

/* The newest row of %norm, scaled, put at a computed place of a tile. */
static void print_cache_update(void) {
  printf("    %%first = arith.constant 0 : index\n"
         "    %%last = arith.constant 31 : index\n"
         "    %%slots = arith.constant 8 : index\n"
         "    %%row = vector.transfer_read %%norm[%%last, %%first], %%zero "
         "{in_bounds = [true]} : " X ", " VEC "\n"
         "    %%squares = arith.mulf %%row, %%row : " VEC "\n"
         "    %%power = vector.reduction <add>, %%squares : " VEC " into f32\n"
         "    %%meansq = arith.divf %%power, %%width : f32\n"
         "    %%safe = arith.addf %%meansq, %%epsilon : f32\n"
         "    %%inv = math.rsqrt %%safe : f32\n"
         "    %%invs = vector.broadcast %%inv : f32 to " VEC "\n"
         "    %%scaled = arith.mulf %%row, %%invs : " VEC "\n"
         "    %%place = arith.fptosi %%meansq : f32 to i32\n"
         "    %%place_i = arith.index_castui %%place : i32 to index\n"
         "    %%slot = arith.remui %%place_i, %%slots : index\n"
         "    %%tile = vector.transfer_read %%norm[%%first, %%first], %%zero "
         "{in_bounds = [true, true]} : " X ", " TILE "\n"
         "    %%newtile = vector.insert %%scaled, %%tile[%%slot] : " VEC
         " into " TILE "\n"
         "    %%ready = vector.transfer_write %%newtile, "
         "%%norm[%%first, %%first] {in_bounds = [true, true]} : " TILE ", " X
         "\n");
}

/* %out = %mid + gelu(input x W1 + bias) x W2. */
static void print_mlp(const char *input) {
  static const struct generic gelu = {
      ID2 ", " ID2,
      MAP2,
      {"%up"},
      {WIDE},
      WIDE,
      "%up_e",
      "%a: f32, ",
      "      %b = arith.addf %a, %bias : f32\n"
      "      %u = arith.mulf %b, %rsqrt2 : f32\n"
      "      %erf = math.erf %u : f32\n"
      "      %one = arith.addf %erf, %unit : f32\n"
      "      %h = arith.mulf %b, %half : f32\n"
      "      %y = arith.mulf %h, %one : f32\n"};
  print_projection("up", input, X, "tensor<64x256xf32>", WIDE);
  print_generic("gelu", &gelu);
  print_projection("down", "%gelu", WIDE, "tensor<256x64xf32>", X);
  printf("    %%out = arith.addf %%mid, %%down : " X "\n");
}

static void print_constants(int layer) {
  static const struct {
    const char *name, *value;
  } table[] = {
      {"zero", "0.0"},          {"quarter", "0.25"},   {"lowest", "-1.0e30"},
      {"width", "64.0"},        {"epsilon", "1.0e-5"}, {"half", "0.5"},
      {"rsqrt2", "0.70710677"}, {"unit", "1.0"},
  };
  for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
    printf("    %%%s = arith.constant %s : f32\n", table[i].name,
           table[i].value);
  printf("    %%bias = arith.constant %d.0e-3 : f32\n", layer + 1);
}

static void print_layer(int layer, int sick) {
  printf("  func.func private @layer_%d(%%x: " X ") -> " X " {\n", layer);
  print_constants(layer);
  print_attention();
  print_layer_norm();
  if (sick)
    print_cache_update();
  print_mlp(sick ? "%ready" : "%norm");
  printf("    return %%out : " X "\n  }\n");
}

static void print_forward(int layers) {
  printf("  func.func @forward(%%h0: " X ") -> " X " {\n");
  for (int i = 0; i < layers; i++)
    printf("    %%h%d = call @layer_%d(%%h%d) : (" X ") -> " X "\n", i + 1, i,
           i);
  printf("    return %%h%d : " X "\n  }\n", layers);
}

/* A number in low..high; anything else ends the program. */
static int number(const char *text, int low, int high) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno || end == text || *end || value < low || value > high) {
    fprintf(stderr, "transformer: %s: not a number from %d to %d\n", text, low,
            high);
    exit(2);
  }
  return (int)value;
}

int main(int argc, char **argv) {
  if (argc > 3) {
    fputs("usage: transformer [LAYERS [SICK]]\n", stderr);
    return 2;
  }
  int layers = argc > 1 ? number(argv[1], 1, MAX_LAYERS) : 12;
  int sick = argc > 2 ? number(argv[2], -1, layers - 1) : 7 % layers;
  printf("module {\n");
  for (int i = 0; i < layers; i++)
    print_layer(i, i == sick);
  print_forward(layers);
  printf("}\n");
  if (fflush(stdout) || ferror(stdout)) {
    fprintf(stderr, "transformer: standard output: %s\n", strerror(errno));
    return 1;
  }
  return 0;
}
