/* A dladdr(3) that caches its results for all forks of a server.
 *
 * A tool that dies without a symbolizer names each frame of its stack by dladdr
 * (LLVM does so twice), which scans every symbol of the module.  For libMLIR
 * this takes longer than compiling most candidates, and forks die at the same
 * addresses again and again. */
#include "dladdr.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { ROOM = 8192, MOST_STEPS = 16 };

enum state { UNUSED, TAKEN, READY };

/* What glibc said of an address. */
struct known {
  _Atomic(enum state) state;
  uintptr_t address;
  int found;
  Dl_info
      info; /* its strings are the loader's, in memory that forks have too */
};

/* Shared by the forks; NULL: no server.  It is written to for states only:
 * forks die of writing to where they should not. */
static struct known *table;
static unsigned long long loads; /* modules loaded when it was made */
static int (*meant)(const void *, Dl_info *);

static int take_loads(struct dl_phdr_info *info, size_t size, void *out) {
  (void)size;
  *(unsigned long long *)out = info->dlpi_adds;
  return 1;
}

static unsigned long long count_loads(void) {
  unsigned long long n = 0;
  dl_iterate_phdr(take_loads, &n);
  return n;
}

void cul_dladdr_share(void) {
  void *room = mmap(NULL, ROOM * sizeof *table, PROT_READ,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *(void **)&meant = dlsym(RTLD_NEXT, "dladdr");
  loads = count_loads();
  table = room != MAP_FAILED && meant ? room : NULL;
}

/* The entry of an address, or one that is free for it; NULL: neither. */
static struct known *look_up(uintptr_t address) {
  size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 40);
  for (size_t i = 0; i < MOST_STEPS; i++) {
    struct known *known = &table[(at + i) % ROOM];
    enum state state = atomic_load(&known->state);
    if (state == UNUSED || (state == READY && known->address == address))
      return known;
  }
  return NULL;
}

static void remember(struct known *known, uintptr_t address, int found,
                     const Dl_info *info) {
  const size_t size = ROOM * sizeof *table;
  enum state unused = UNUSED;
  if (mprotect(table, size, PROT_READ | PROT_WRITE) != 0)
    return;
  if (atomic_compare_exchange_strong(&known->state, &unused, TAKEN)) {
    known->address = address;
    known->found = found;
    known->info = *info;
    atomic_store(&known->state, READY);
  }
  (void)mprotect(table, size, PROT_READ);
}

/* What a fork has loaded since is of that fork alone. */
int dladdr(const void *address, Dl_info *info) {
  struct known *known = NULL;
  int found;
  if (!meant)
    *(void **)&meant = dlsym(RTLD_NEXT, "dladdr");
  if (table && count_loads() == loads)
    known = look_up((uintptr_t)address);
  if (known && atomic_load(&known->state) == READY &&
      known->address == (uintptr_t)address) {
    *info = known->info;
    return known->found;
  }
  found = meant ? meant(address, info) : 0;
  if (known && found)
    remember(known, (uintptr_t)address, found, info);
  return found;
}
