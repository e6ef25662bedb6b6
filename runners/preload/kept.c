/* Loaded into a tool (LD_PRELOAD) that may use memory after it was freed: what
 * is freed is kept, and not handed out again, so that what such a use finds
 * does not depend on what else the tool does.
 *
 * CULPRIT_KEPT=fill: and holds a byte that makes no address, so that the first
 * use is where it dies.  Else it stays as it was left, as if never freed. */
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FILL = 0xaa };

/* Kept at most; what is freed then is freed. */
#define MOST ((size_t)1 << 30)

/* glibc's own. */
extern void __libc_free(void *);
extern void *__libc_realloc(void *, size_t);

static atomic_size_t kept;
static bool fill;

__attribute__((constructor)) static void read_word(void) {
  const char *word = getenv("CULPRIT_KEPT");
  fill = word && strcmp(word, "fill") == 0;
}

void free(void *block) {
  size_t size;
  if (!block)
    return;
  size = malloc_usable_size(block);
  if (atomic_fetch_add(&kept, size) > MOST)
    __libc_free(block);
  else if (fill)
    memset(block, FILL, size);
}

/* A block that grows in its place or is moved. */
void *realloc(void *block, size_t size) {
  size_t had = block ? malloc_usable_size(block) : 0;
  void *out;
  if (!block || atomic_load(&kept) > MOST)
    return __libc_realloc(block, size);
  if (size > 0 && size <= had)
    return block;
  out = size > 0 ? malloc(size) : NULL;
  if (out)
    memcpy(out, block, had);
  if (out || size == 0)
    free(block);
  return out;
}
