/* The mutation table of a worker that only the tests use: mutations that
 * die, hang or list slowly, beside one that works. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../reducer/mutations/mutation.h"

static void one_site(const void *how, struct cul_subject *subject,
                     struct cul_sites *out) {
  (void)how, (void)subject;
  cul_sites_add(out, NULL, 0, 1);
}

/* Overflows the stack, in a form that no compiler turns into a loop. */
static int recurse(volatile int *depth) {
  volatile int here[256];
  here[0] = ++*depth;
  return here[0] == 0 ? 0 : recurse(depth) + here[0];
}

static const char *const ways[] = {"hang",  "segv", "abort", "exit",
                                   "stack", "mute", "starve"};
#define N_WAYS (sizeof ways / sizeof *ways)

static void all_sites(const void *how, struct cul_subject *subject,
                      struct cul_sites *out) {
  (void)how, (void)subject;
  for (size_t i = 0; i < N_WAYS; i++)
    cul_sites_add(out, NULL, i, 1);
}

static size_t die(const void *how, struct cul_subject *subject,
                  const struct cul_sites *sites, const uint32_t *ids,
                  size_t n) {
  const char *way = ways[sites->detail[ids[0]]];
  volatile int depth = 0;
  (void)how, (void)subject;
  while (strcmp(way, "hang") == 0)
    ;
  if (strcmp(way, "segv") == 0)
    raise(SIGSEGV);
  if (strcmp(way, "abort") == 0) {
    fprintf(stderr, "\nsome words\nLLVM ERROR: out of cheese\nmore words\n");
    abort();
  }
  if (strcmp(way, "starve") == 0) {
    fprintf(stderr, "terminate called\n  what():  std::bad_alloc\n");
    abort();
  }
  if (strcmp(way, "exit") == 0) {
    fprintf(stderr, "giving up\n");
    exit(1);
  }
  if (strcmp(way, "stack") == 0)
    recurse(&depth);
  if (strcmp(way, "mute") == 0)
    kill(getpid(), SIGKILL);
  return n;
}

static void die_listing(const void *how, struct cul_subject *subject,
                        struct cul_sites *out) {
  (void)how, (void)subject, (void)out;
  abort();
}

static void hang_listing(const void *how, struct cul_subject *subject,
                         struct cul_sites *out) {
  (void)how, (void)subject, (void)out;
  for (;;)
    pause();
}

static const struct cul_mutation_frame dies = {all_sites, die},
                                       dies_listing = {die_listing, die},
                                       hangs_listing = {hang_listing, die},
                                       other = {one_site, die};
static const struct cul_mutation test_die = {.name = "test-die",
                                             .summary = "ends badly",
                                             .kinds = CUL_SUBJECT_TEXT,
                                             .phase = CUL_PHASE_DELTA,
                                             .frame = &dies};
static const struct cul_mutation test_die_listing = {.name = "test-die-listing",
                                                     .summary = "lists badly",
                                                     .kinds = CUL_SUBJECT_TEXT,
                                                     .phase = CUL_PHASE_DELTA,
                                                     .frame = &dies_listing};
static const struct cul_mutation test_hang_listing = {.name =
                                                          "test-hang-listing",
                                                      .summary = "lists slowly",
                                                      .kinds = CUL_SUBJECT_TEXT,
                                                      .phase = CUL_PHASE_DELTA,
                                                      .frame = &hangs_listing};
static const struct cul_mutation test_other = {.name = "test-other",
                                               .summary = "not for text",
                                               .kinds = CUL_SUBJECT_NATIVE,
                                               .phase = CUL_PHASE_DELTA,
                                               .frame = &other};

extern const struct cul_mutation_frame cul_text_frame;
extern const struct cul_text_each cul_mutation_text_erase_lines;

static const struct cul_mutation erase_lines = {
    .name = "text-erase-lines",
    .summary = "erase lines",
    .kinds = CUL_SUBJECT_TEXT,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_text_frame,
    .how = &cul_mutation_text_erase_lines};

const struct cul_mutation *const cul_mutations[] = {
    &test_other,       &erase_lines,       &test_die,
    &test_die_listing, &test_hang_listing, NULL};

const struct cul_mutation *cul_mutation_find(const char *name) {
  for (size_t i = 0; cul_mutations[i]; i++)
    if (strcmp(cul_mutations[i]->name, name) == 0)
      return cul_mutations[i];
  return NULL;
}
