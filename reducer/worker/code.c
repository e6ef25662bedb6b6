/* Gives children their code from the start: see code.h. */
#include "code.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../base/err.h"

static const uintptr_t huge = (uintptr_t)2 << 20;

/* Map memory of this size, aligned to a huge page; NULL: none. */
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

/* Is a part of the huge page mapped in this process?  pagemap: as in proc(5).
 * Where that cannot be told, it counts as mapped. */
static bool is_used(int pagemap, uintptr_t at) {
  static const uint64_t present = (uint64_t)1 << 63;
  uint64_t pages[512];
  size_t page = (size_t)sysconf(_SC_PAGESIZE), n = huge / page;
  if (n > CUL_ARRAY_SIZE(pages) ||
      pread(pagemap, pages, n * sizeof *pages,
            (off_t)(at / page * sizeof *pages)) != (ssize_t)(n * sizeof *pages))
    return true;
  for (size_t i = 0; i < n; i++)
    if (pages[i] & present)
      return true;
  return false;
}

/* Replace the whole huge pages [start, end) of a library by a copy in huge
 * pages.  mode: as for mprotect(2). */
static void enlarge(uintptr_t start, uintptr_t end, int mode) {
  size_t size = end - start;
  void *copy = map_aligned(size);
  if (!copy)
    return;
  if (madvise(copy, size, MADV_HUGEPAGE) != 0 ||
      (memcpy(copy, (const void *)start, size), mprotect(copy, size, mode)) !=
          0 ||
      mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, start) ==
          MAP_FAILED)
    munmap(copy, size);
}

/* The same for those of [start, end) that are used. */
static void enlarge_used(int pagemap, uintptr_t start, uintptr_t end,
                         int mode) {
  uintptr_t from = start;
  for (uintptr_t at = start; at < end; at += huge) {
    if (is_used(pagemap, at))
      continue;
    if (from < at)
      enlarge(from, at, mode);
    from = at + huge;
  }
  if (from < end)
    enlarge(from, end, mode);
}

static uintptr_t page_up(uintptr_t at, size_t page) {
  return (at + page - 1) & ~(uintptr_t)(page - 1);
}

/* The end of the huge pages that start in code ending at `end`. The last one
 * may contain data after the code if the loader has made that data
 * read-only. */
static uintptr_t find_end(const struct dl_phdr_info *info, uintptr_t end) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uintptr_t up = (end + huge - 1) & ~(huge - 1);
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_RELRO &&
        start - start % page == page_up(end, page) &&
        up <= start + part->p_memsz)
      return up;
  }
  return end & ~(huge - 1);
}

/* Write to one page: fork(2) copies the page table of a file mapping only if
 * the mapping has a page of its own. */
static void own_a_page(uintptr_t start, uintptr_t end) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *first = (void *)(start - start % page);
  size_t size = page_up(end, page) - (uintptr_t)first;
  volatile char *at = (volatile char *)start;
  char same;
  if (mprotect(first, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return;
  same = *at;
  *at = same;
  (void)mprotect(first, size, PROT_READ | PROT_EXEC);
}

/* Let the constants [start, end) of a small library be mapped as its code is:
 * the kernel then joins the mappings, which it copies and removes one by one
 * for each child. */
static void join_code(uintptr_t start, uintptr_t end) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = start - start % page;
  (void)mprotect((void *)first, page_up(end, page) - first,
                 PROT_READ | PROT_EXEC);
}

static bool begins(const char *text, const char *const *starts) {
  while (*starts && strncmp(text, *starts, strlen(*starts)) != 0)
    starts++;
  return *starts != NULL;
}

struct visit {
  const struct cul_code_sets *code;
  int pagemap;
};

static int visit(struct dl_phdr_info *info, size_t n, void *self) {
  const struct visit *visit = self;
  const struct cul_code_sets *code = visit->code;
  const char *slash = strrchr(info->dlpi_name, '/');
  const char *base = slash ? slash + 1 : info->dlpi_name;
  bool large = begins(base, code->large);
  bool used = !*base || begins(base, code->small);
  (void)n;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + part->p_vaddr;
    uintptr_t end = start + part->p_memsz;
    /* The first page remains: it tells who reads the mappings which file this
     * is (runners/stacks). */
    uintptr_t from = (start + huge) & ~(huge - 1);
    if (part->p_type != PT_LOAD || part->p_flags & PF_W)
      continue;
    if (!(part->p_flags & PF_X) && large)
      enlarge_used(visit->pagemap, from, end & ~(huge - 1), PROT_READ);
    else if (large)
      enlarge_used(visit->pagemap, from, find_end(info, end),
                   PROT_READ | PROT_EXEC);
    else if (!(part->p_flags & PF_X))
      join_code(start, end);
    else if (used)
      own_a_page(start, end);
  }
  return 0;
}

void cul_code_share(const struct cul_code_sets *code) {
  struct visit all = {code, TEMP_FAILURE_RETRY(open("/proc/self/pagemap",
                                                    O_RDONLY | O_CLOEXEC))};
  dl_iterate_phdr(visit, &all);
  if (all.pagemap >= 0)
    close(all.pagemap);
}
