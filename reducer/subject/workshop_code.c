/* Code on huge pages: see workshop_code.h. */
#include "workshop_code.h"

#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static const uintptr_t huge = (uintptr_t)2 << 20;

/* Fresh memory of this size that starts at a huge page; NULL: none. */
static void *map_aligned(size_t size) {
  size_t room = size + huge;
  char *at = mmap(NULL, room, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  size_t before;
  if (at == MAP_FAILED)
    return NULL;
  before = (size_t)(-(uintptr_t)at & (huge - 1));
  if (before)
    munmap(at, before);
  munmap(at + before + size, room - before - size);
  return at + before;
}

/* Replace [start, end), whole huge pages of code, by a copy. */
static void enlarge(uintptr_t start, uintptr_t end) {
  size_t size = end - start;
  void *copy = map_aligned(size);
  if (!copy)
    return;
  if (madvise(copy, size, MADV_HUGEPAGE) != 0 ||
      (memcpy(copy, (const void *)start, size),
       mprotect(copy, size, PROT_READ | PROT_EXEC)) != 0 ||
      mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, start) ==
          MAP_FAILED)
    munmap(copy, size);
}

static int visit(struct dl_phdr_info *info, size_t n, void *self) {
  const char *const *names = self;
  const char *slash = strrchr(info->dlpi_name, '/');
  const char *base = slash ? slash + 1 : info->dlpi_name;
  (void)n;
  while (*names && strncmp(base, *names, strlen(*names)) != 0)
    names++;
  for (int i = 0; *names && i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + part->p_vaddr;
    uintptr_t end = (start + part->p_memsz) & ~(huge - 1);
    start = (start + huge - 1) & ~(huge - 1);
    if (part->p_type == PT_LOAD && (part->p_flags & PF_X) && start < end)
      enlarge(start, end);
  }
  return 0;
}

void cul_code_enlarge(const char *const *libraries) {
  dl_iterate_phdr(visit, (void *)libraries);
}
