/* What a verifier that is a program prints for a file of questions.  Whatever
 * it prints, each question is answered, or none is, and only where it said yes
 * to what is right and not to what is wrong. */
#include "../../reducer/opmodel/batch.h"
#include "fuzz.h"

enum { QUESTIONS = 20, UNSET = 77 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cul_bytes printed = {(const char *)data, size};
  size_t which[QUESTIONS], set = 0;
  uint8_t answers[QUESTIONS];
  enum cul_batch_sense sense;
  for (size_t i = 0; i < QUESTIONS; i++) {
    which[i] = QUESTIONS - 1 - i;
    answers[i] = UNSET;
  }
  sense = cul_batch_read(printed, which, QUESTIONS, answers);
  for (size_t i = 0; i < QUESTIONS; i++)
    set += answers[i] == CUL_ACCEPTED || answers[i] == CUL_REFUSED;
  fuzz_demand(set == (sense == CUL_BATCH_GOOD ? QUESTIONS : 0),
              "some questions are answered");
  fuzz_demand(sense == CUL_BATCH_SILENT || cul_batch_has_one(printed),
              "silent, and yet one was printed");
  return 0;
}
