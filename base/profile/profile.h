/* Profiles that other tools write, as one neutral tree: call paths (or kernels,
 * zones, benchmarks, stacks of allocations) and what each took.
 *
 * The values of a node are its own, without those of the nodes below it.  Every
 * reader accepts foreign bytes: a defect in them is an error with what, where
 * and what to do, and the memory for a profile is bounded by the limits below
 * and by the size of its text. */
#ifndef CUL_BASE_PROFILE_PROFILE_H
#define CUL_BASE_PROFILE_PROFILE_H

#include "../buf.h"

/* Text of one profile, unpacked. */
#define CUL_PROFILE_MAX_BYTES ((size_t)512 << 20)
#define CUL_PROFILE_MAX_NODES ((size_t)1 << 20)
#define CUL_PROFILE_MAX_METRICS 4096
/* Frames of a path; those further in count for the last one. */
#define CUL_PROFILE_MAX_DEPTH 1024

enum cul_profile_class {
  CUL_PROFILE_TIME,  /* nanoseconds */
  CUL_PROFILE_BYTES, /* bytes */
  CUL_PROFILE_COUNT, /* how often */
  CUL_PROFILE_OTHER, /* a number in the unit of the file */
};

struct cul_profile_metric {
  char *name; /* heap; as the file calls it, without its unit */
  enum cul_profile_class class;
  bool mean; /* the value of a node is the mean of its samples; else their sum,
                which may be added to that of other nodes */
  bool more_is_better; /* a rate, a throughput */
};

struct cul_profile_node {
  char *name; /* heap */
  uint32_t parent, depth;
  /* A return address without a name: that, and 1 + the index of the module that
   * it lies in; 0: none. */
  uint64_t address;
  uint32_t module;
};

/* A program or library of a process that allocated. */
struct cul_profile_module {
  char *path;    /* heap; as the profile says: foreign */
  uint64_t base; /* where it was loaded */
};

/* The samples of one metric at one node. */
struct cul_profile_figure {
  uint32_t node, metric;
  double n;       /* of samples */
  double mean;    /* finite */
  double squares; /* of the deviations from mean, their sum; NaN: unknown */
};

struct cul_profile_format;

struct cul_profile {
  const struct cul_profile_format *format;
  struct cul_profile_node *nodes; /* heap; nodes[0] is the root, without a name;
                                     parents precede their children */
  struct cul_profile_metric *metrics; /* heap */
  struct cul_profile_figure *figures; /* heap; one for each node and metric */
  struct cul_profile_module *modules; /* heap */
  size_t n_nodes, n_metrics, n_figures, n_modules;
  size_t usual;     /* the metric that is meant where none is named */
  uint64_t skipped; /* lines or events that were no data; values without a
                       number */
  size_t cap_nodes, cap_metrics, cap_figures, cap_modules, last_metric;
  uint32_t *node_slots, *figure_slots; /* hash tables: index + 1, or 0 */
  size_t n_node_slots, n_figure_slots;
  bool full; /* more nodes or metrics than the limit */
};

/* One format: a file NAME.c, a line in list.h. */
struct cul_profile_format {
  const char *name; /* "hatchet" */
  const char *noun; /* "Proton profile", for messages */
  const char *part; /* "call path", "kernel": what a node is */
  bool apart;       /* nodes are measured one by one: a small one counts, too */
  bool json; /* NaN and Infinity, which JSON does not have, are null in text */
  /* Is this the head (at most 64 KiB) of such a file? */
  bool (*sniff)(struct cul_bytes head);
  /* Add the profile of `text` to out.  Errors: EUSAGE. */
  int (*read)(struct cul_bytes text, struct cul_profile *out,
              struct cul_err *err);
};

/* Read a profile, packed by gzip or not, by the first format that recognizes
 * it.  name: of the file, for messages.  *found: false where none does; out is
 * then empty.  Errors: EUSAGE: malformed, cut off, above a limit. */
CUL_MUST_CHECK int cul_profile_read(struct cul_bytes bytes, const char *name,
                                    struct cul_profile *out, bool *found,
                                    struct cul_err *err);
void cul_profile_release(struct cul_profile *profile);

/* The metric that `name` says: its name, or "time", "bytes" or "count" for the
 * first of that class; NULL: the usual one.  Errors: EUSAGE, with the metrics
 * that there are. */
CUL_MUST_CHECK int cul_profile_choose(const struct cul_profile *profile,
                                      const char *name, size_t *out,
                                      struct cul_err *err);

/* The value of a figure: the sum or the mean of its samples. */
double cul_profile_value(const struct cul_profile *profile,
                         const struct cul_profile_figure *figure);

/* inside[node], of n_nodes: does the node's path, or one above it, end with the
 * frames of `path` ("outer;inner")?  "": all do.  Returns how many paths
 * end so and lie in no other such one. */
size_t cul_profile_under(const struct cul_profile *profile, const char *path,
                         bool *inside);

#endif
