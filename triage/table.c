/* Open addressing; digests need no further hashing. */
#include "table.h"

#include <stdlib.h>

#include "../base/buf.h"

struct slot {
  struct cul_digest key;
  size_t value;
  bool used;
};

struct cul_table {
  struct slot *slots;
  size_t n_slots, n; /* n_slots: a power of two */
};

struct cul_table *cul_table_new(void) {
  struct cul_table *table = cul_xcalloc(1, sizeof *table);
  table->n_slots = 64;
  table->slots = cul_xcalloc(table->n_slots, sizeof *table->slots);
  return table;
}

void cul_table_free(struct cul_table *table) {
  if (!table)
    return;
  free(table->slots);
  free(table);
}

static struct slot *find(const struct cul_table *table,
                         const struct cul_digest *key) {
  size_t i = key->w[0] & (table->n_slots - 1);
  while (table->slots[i].used && !cul_digest_equal(&table->slots[i].key, key))
    i = (i + 1) & (table->n_slots - 1);
  return &table->slots[i];
}

static void grow(struct cul_table *table) {
  struct slot *old = table->slots;
  size_t n = table->n_slots;
  table->n_slots = 2 * n;
  table->slots = cul_xcalloc(table->n_slots, sizeof *table->slots);
  for (size_t i = 0; i < n; i++)
    if (old[i].used)
      *find(table, &old[i].key) = old[i];
  free(old);
}

size_t *cul_table_at(struct cul_table *table, const struct cul_digest *key,
                     bool *made) {
  struct slot *slot = find(table, key);
  if (made)
    *made = !slot->used;
  if (slot->used)
    return &slot->value;
  if (2 * table->n >= table->n_slots) {
    grow(table);
    slot = find(table, key);
  }
  table->n++;
  *slot = (struct slot){.key = *key, .used = true};
  return &slot->value;
}
