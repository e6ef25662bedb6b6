/* Describes a failure in words. */
#include <stdio.h>
#include <string.h>

#include "../oracle.h"
#include "../rules/rules.h"

enum cul_kind cul_signature_message_kind(const struct cul_signature *sig) {
  return sig->cause ? sig->cause : sig->kind;
}

enum cul_kind cul_signature_label(const struct cul_signature *sig) {
  switch (sig->kind) {
  case CUL_KIND_ASSERTION:
  case CUL_KIND_FATAL:
  case CUL_KIND_UNREACHABLE:
  case CUL_KIND_ABORT:
    return cul_signature_message_kind(sig);
  default:
    return sig->kind;
  }
}

const char *cul_kind_name(enum cul_kind kind) {
  switch (kind) {
  case CUL_KIND_NONE:
    return "no failure";
  case CUL_KIND_SIGNAL:
    return "signal";
  case CUL_KIND_ASSERTION:
    return "assertion";
  case CUL_KIND_FATAL:
    return "LLVM ERROR";
  case CUL_KIND_UNREACHABLE:
    return "unreachable";
  case CUL_KIND_VERIFIER:
    return "verifier error";
  case CUL_KIND_DIAGNOSTIC:
    return "diagnostic";
  case CUL_KIND_SANITIZER:
    return "sanitizer report";
  case CUL_KIND_EXCEPTION:
    return "uncaught exception";
  case CUL_KIND_ABORT:
    return "fatal error";
  case CUL_KIND_DEVICE:
    return "device error";
  case CUL_KIND_TIMEOUT:
    return "timeout";
  case CUL_KIND_EXIT:
    return "exit status";
  case CUL_KIND_MEMORY:
    return "out of memory";
  case CUL_KIND_MISMATCH:
    return "mismatch";
  case CUL_KIND_NONDETERMINISM:
    return "nondeterminism";
  case CUL_KIND_SLOWER:
    return "slower";
  case CUL_KIND_LARGER:
    return "more memory";
  case CUL_KIND_INFRASTRUCTURE:
    return "infrastructure";
  }
  return "unknown";
}

static const char *signal_words(int signal) {
  static const struct {
    const char *name, *words;
  } table[] = {
      {"SIGSEGV", "an invalid memory access"},
      {"SIGBUS", "an invalid memory access"},
      {"SIGABRT", "the tool aborted itself"},
      {"SIGFPE", "an arithmetic fault, such as an integer division by zero"},
      {"SIGILL", "an instruction that is not allowed; often unreachable code"},
      {"SIGTRAP", "a trap; often unreachable code"},
      {"SIGKILL", "killed by another process, often because memory ran out"},
  };
  for (size_t i = 0; i < CUL_ARRAY_SIZE(table); i++)
    if (!strcmp(table[i].name, cul_signal_name(signal)))
      return table[i].words;
  return "ended by the system";
}

/* Describe a failure that no single run of the tool shows, but a log may. */
static void describe_comparison(const struct cul_signature *sig,
                                struct cul_buf *out) {
  cul_buf_adds(
      out,
      sig->kind == CUL_KIND_MISMATCH
          ? "The tool computes other numbers than the reference.\n"
      : sig->kind == CUL_KIND_NONDETERMINISM
          ? "The tool's output differs from run to run on the same input.\n"
      : sig->kind == CUL_KIND_SLOWER
          ? "The tool takes longer than it should.\n"
          : "The tool takes more memory than it should.\n");
  if (!sig->raw[0])
    cul_buf_addf(out, "%s\n", sig->title);
}

/* One sentence for each kind that needs no more than its name. */
static const char *const sentences[CUL_KIND_INFRASTRUCTURE + 1] = {
    [CUL_KIND_NONE] = "The tool ended without a failure.",
    [CUL_KIND_ASSERTION] = "An assertion of the tool failed.",
    [CUL_KIND_FATAL] = "The tool reported a fatal error and ended.",
    [CUL_KIND_UNREACHABLE] = "The tool reached code marked unreachable.",
    [CUL_KIND_VERIFIER] = "The verifier rejects the module.  If the input "
                          "itself verifies, a pass has broken it.",
    [CUL_KIND_DIAGNOSTIC] = "The tool ends with an error.",
    [CUL_KIND_SANITIZER] = "A sanitizer reports a defect of the tool.",
    [CUL_KIND_EXCEPTION] = "The tool ended with an uncaught exception.",
    [CUL_KIND_ABORT] =
        "The tool, or one of its libraries, aborted with a fatal error.",
    [CUL_KIND_DEVICE] = "A device or its driver reports an error.",
    [CUL_KIND_MEMORY] = "The tool ran out of memory.",
    [CUL_KIND_INFRASTRUCTURE] =
        "The machine, the network or the CI service failed."};

/* Is it an error that the emulation of GPU kernels names? */
static bool is_of_kernel(const struct cul_signature *sig) {
  return sig->kind == CUL_KIND_DIAGNOSTIC && strstr(sig->raw, ", in kernel @");
}

static void describe_kind(const struct cul_signature *sig,
                          struct cul_buf *out) {
  if (is_of_kernel(sig))
    cul_buf_adds(out, "A kernel of the input is wrong.\n");
  else if (sentences[sig->kind])
    cul_buf_addf(out, "%s\n", sentences[sig->kind]);
  else if (sig->kind == CUL_KIND_SIGNAL && !sig->status)
    cul_buf_adds(out,
                 "The tool crashed; its output does not contain the cause.\n");
  else if (sig->kind == CUL_KIND_SIGNAL)
    cul_buf_addf(out, "The tool died of %s: %s.\n",
                 cul_signal_name(sig->status), signal_words(sig->status));
  else if (sig->kind == CUL_KIND_TIMEOUT)
    cul_buf_addf(
        out, "The tool did not end before the deadline%s.\n",
        !strcmp(sig->text, "spinning")
            ? "; it was computing until the end (spinning)"
        : !strcmp(sig->text, "waiting")
            ? "; at the end it only waited, for an event that never came"
            : "");
  else if (sig->kind == CUL_KIND_EXIT)
    cul_buf_addf(
        out,
        "The tool ended with exit status %d and printed no known message.\n",
        sig->status);
  else
    describe_comparison(sig, out);
}

static void describe_frame(const struct cul_frame *frame, const char *role,
                           struct cul_buf *out) {
  cul_buf_adds(out, "  ");
  if (frame->name[0])
    cul_buf_adds(out, frame->name);
  else if (frame->relative)
    cul_buf_addf(out, "%s+0x%llx (no name)", frame->module,
                 (unsigned long long)frame->offset);
  else
    cul_buf_addf(out, "%s (no name; offset ends in %03x)", frame->module,
                 (unsigned)(frame->offset & 0xfff));
  cul_buf_addf(out, "%s\n", role);
}

/* Describe the helper that died, the relevant frames, and, if these are few,
 * the driver that called them. */
static void describe_stack(const struct cul_signature *sig,
                           struct cul_buf *out) {
  size_t shown = 0;
  bool innermost = true;
  for (size_t i = 0; i < sig->n_frames && shown < 3; i++) {
    const struct cul_frame *frame = &sig->frames[i];
    bool relevant = frame->role == CUL_FRAME_RELEVANT;
    if (frame->role == CUL_FRAME_OUTER && shown) {
      describe_frame(frame, " (driver)", out);
      return;
    }
    if (relevant || (frame->role == CUL_FRAME_HELPER && innermost))
      describe_frame(frame, relevant ? "" : " (helper)", out);
    shown += relevant;
    innermost = innermost && frame->role == CUL_FRAME_TRAP;
  }
}

/* Was it a jump to an address of no object? */
static bool is_wild(const struct cul_signature *sig) {
  for (size_t i = 0; i < sig->n_frames; i++)
    if (sig->frames[i].role == CUL_FRAME_TRAP && !sig->frames[i].name[0] &&
        !sig->frames[i].module[0])
      return true;
  return false;
}

/* Describe the error lines, as printed and in that order. */
static void describe_errors(const struct cul_signature *sig,
                            struct cul_buf *out) {
  for (size_t i = 0; i < sig->errors.n; i++)
    cul_buf_addf(out, "%s it: %s\n",
                 sig->errors.lines[i].place == CUL_ERROR_BEFORE ? "Before"
                                                                : "After",
                 sig->errors.lines[i].raw);
  if (sig->errors.cut)
    cul_buf_adds(out, "After it: more errors than are kept\n");
}

void cul_signature_describe(const struct cul_signature *sig,
                            struct cul_buf *out) {
  const struct cul_frame *frame;
  describe_kind(sig, out);
  if (sig->raw[0])
    cul_buf_addf(out, "Message: %s\n", sig->raw);
  if (sig->text[0] && sig->kind != CUL_KIND_TIMEOUT &&
      strcmp(sig->raw, sig->text) != 0)
    cul_buf_addf(out, "Compared as: %s\n", sig->text);
  describe_errors(sig, out);
  if (sig->pass[0])
    cul_buf_addf(out, "Pass: %s\n", sig->pass);
  if (cul_frames_relevant(sig, false, &frame, 1)) {
    cul_buf_adds(out, "Where, innermost first:\n");
    describe_stack(sig, out);
  } else if (is_wild(sig)) {
    cul_buf_adds(out, "Where: at an address outside all loaded objects; the "
                      "caller is unknown.\n");
  }
}
