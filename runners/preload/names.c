/* Symbols read from an ELF file: see names.h. */
#include "names.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
  const char *data;
  size_t size;
  uint64_t bias; /* address in memory - address in the file */
};

static bool map_file(const char *path, struct image *out) {
  struct stat st;
  void *data = MAP_FAILED;
  /* The program itself is known by the name it was called by. */
  int fd = TEMP_FAILURE_RETRY(
      open(path[0] == '/' ? path : "/proc/self/exe", O_RDONLY | O_CLOEXEC));
  if (fd < 0)
    return false;
  if (fstat(fd, &st) == 0 && st.st_size > (off_t)sizeof(Elf64_Ehdr))
    data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (data == MAP_FAILED)
    return false;
  *out = (struct image){.data = data, .size = (size_t)st.st_size};
  return true;
}

static bool holds(const struct image *image, uint64_t at, uint64_t size) {
  return at <= image->size && size <= image->size - at;
}

/* The same of what is read in words: the file is mapped at a page. */
static bool holds_words(const struct image *image, uint64_t at, uint64_t size) {
  return at % _Alignof(uint64_t) == 0 && holds(image, at, size);
}

/* The section headers; NULL where the file is no ELF of 64 bits. */
static const Elf64_Shdr *sections(const struct image *image, size_t *n) {
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)image->data;
  if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
      head->e_ident[EI_CLASS] != ELFCLASS64 ||
      head->e_shentsize != sizeof(Elf64_Shdr) ||
      !holds_words(image, head->e_shoff,
                   (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
    return NULL;
  *n = head->e_shnum;
  return (const Elf64_Shdr *)(image->data + head->e_shoff);
}

/* The full table of symbols, else that of the exported ones. */
static const Elf64_Shdr *find_table(const Elf64_Shdr *section, size_t n) {
  const Elf64_Shdr *found = NULL;
  for (size_t i = 0; i < n; i++)
    if (section[i].sh_type == SHT_SYMTAB ||
        (section[i].sh_type == SHT_DYNSYM && !found))
      found = &section[i];
  return found;
}

static void take_symbol(const Elf64_Sym *symbol, struct image name,
                        struct cul_where *frames, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint64_t at = frames[i].address - name.bias;
    size_t len;
    if (frames[i].base != frames[0].base || frames[i].name[0] ||
        at - symbol->st_value >= symbol->st_size)
      continue;
    /* Few of so many names are looked at. */
    len = strnlen(name.data, name.size);
    if (len >= sizeof frames[i].name)
      len = sizeof frames[i].name - 1;
    memcpy(frames[i].name, name.data, len);
    frames[i].name[len] = '\0';
  }
}

/* A bit for the 64 KiB that an address lies in. */
static uint64_t bit_of(uint64_t at) { return UINT64_C(1) << (at >> 16 & 63); }

/* Which symbols may hold a frame: most can be told from their address alone. */
static uint64_t sieve_of(const struct image *image,
                         const struct cul_where *frames, size_t n) {
  uint64_t sieve = 0;
  for (size_t i = 0; i < n; i++)
    sieve |= bit_of(frames[i].address - image->bias);
  return sieve;
}

static bool may_hold(const Elf64_Sym *symbol, uint64_t sieve) {
  uint64_t last = symbol->st_value + symbol->st_size - 1;
  return symbol->st_size >> 16 ||
         sieve & (bit_of(symbol->st_value) | bit_of(last));
}

static void take_named(const struct image *image, const Elf64_Sym *symbol,
                       const Elf64_Shdr *strings, struct cul_where *frames,
                       size_t n) {
  const char *text = image->data + strings->sh_offset;
  if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size > 0 &&
      symbol->st_name < strings->sh_size)
    take_symbol(symbol,
                (struct image){text + symbol->st_name,
                               strings->sh_size - symbol->st_name, image->bias},
                frames, n);
}

static void read_table(const struct image *image, const Elf64_Shdr *table,
                       const Elf64_Shdr *strings, struct cul_where *frames,
                       size_t n) {
  const Elf64_Sym *symbol = (const Elf64_Sym *)(image->data + table->sh_offset);
  const Elf64_Sym *end = symbol + table->sh_size / sizeof *symbol;
  uint64_t sieve = sieve_of(image, frames, n);
  for (; symbol < end; symbol++)
    if (may_hold(symbol, sieve))
      take_named(image, symbol, strings, frames, n);
}

/* ---- tables that are sorted ---- */

enum { LARGE = 16 * 1024, MOST_SORTED = 8 }; /* symbols; modules */

/* Is the table worth sorting?  That of the program is: its frames are on every
 * stack.  The program is the module whose first page has the program headers
 * that the kernel names. */
static bool is_worth_it(const struct cul_where *frame,
                        const Elf64_Shdr *table) {
  return getauxval(AT_PHDR) - frame->base < 4096 ||
         table->sh_size / sizeof(Elf64_Sym) >= LARGE;
}

/* A function, and which symbol of the table it is; what is where a table has
 * them is far from each other. */
struct place {
  uint32_t at, size, symbol;
};

/* Of each 64 KiB of a module, the functions that lie there in part, as in the
 * table.  Memory that forks share costs them nothing. */
struct sorted {
  uintptr_t base;
  struct image image;
  const Elf64_Shdr *table, *strings;
  uint32_t *first; /* first[k]..first[k + 1]: those of the k-th */
  struct place *places;
  size_t n_parts;
};

static struct sorted all_sorted[MOST_SORTED];
static size_t n_sorted;

static uint64_t last_of(const Elf64_Sym *symbol) {
  return symbol->st_value + symbol->st_size - 1;
}

static bool is_function(const Elf64_Sym *symbol) {
  return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size > 0 &&
         last_of(symbol) >= symbol->st_value;
}

/* How many parts there are; 0: too many. */
static size_t count_parts(const Elf64_Sym *symbol, size_t n) {
  uint64_t last = 0;
  for (size_t i = 0; i < n; i++)
    if (is_function(&symbol[i]) && last_of(&symbol[i]) > last)
      last = last_of(&symbol[i]);
  return last >> 32 ? 0 : (size_t)(last >> 16) + 1;
}

/* Count the functions of each part; where there is room, note them from
 * first[k] on. */
static void distribute(struct sorted *s, const Elf64_Sym *symbol, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (!is_function(&symbol[i]))
      continue;
    for (uint64_t k = symbol[i].st_value >> 16; k <= last_of(&symbol[i]) >> 16;
         k++) {
      if (s->places)
        s->places[s->first[k]] =
            (struct place){(uint32_t)symbol[i].st_value,
                           (uint32_t)symbol[i].st_size, (uint32_t)i};
      s->first[k]++;
    }
  }
}

/* From where each ends, or from how many it has, to where each begins. */
static size_t begin_parts(struct sorted *s, bool ends) {
  uint32_t sum = 0, next;
  for (size_t k = 0; k <= s->n_parts; k++) {
    next = ends ? s->first[k] : sum + s->first[k];
    s->first[k] = sum;
    sum = next;
  }
  return sum;
}

static void *share(size_t bytes) {
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
              -1, 0);
}

/* False: it is read whole each time. */
static bool sort(struct sorted *s) {
  const Elf64_Sym *symbol =
      (const Elf64_Sym *)(s->image.data + s->table->sh_offset);
  size_t n = s->table->sh_size / sizeof *symbol, bytes, total;
  s->n_parts = count_parts(symbol, n);
  bytes = (s->n_parts + 1) * sizeof *s->first;
  s->first = s->n_parts ? share(bytes) : MAP_FAILED;
  if (s->first == MAP_FAILED)
    return false;
  distribute(s, symbol, n);
  total = begin_parts(s, false) * sizeof *s->places;
  s->places = total / sizeof *s->places <= 4 * n ? share(total) : MAP_FAILED;
  if (s->places == MAP_FAILED)
    return false;
  distribute(s, symbol, n);
  begin_parts(s, true);
  return mprotect(s->first, bytes, PROT_READ) == 0 &&
         mprotect(s->places, total, PROT_READ) == 0;
}

static const struct sorted *find_sorted(uintptr_t base) {
  for (size_t i = 0; i < n_sorted; i++)
    if (all_sorted[i].base == base)
      return &all_sorted[i];
  return NULL;
}

static void look_up(const struct sorted *s, struct cul_where *frame) {
  const Elf64_Sym *symbol =
      (const Elf64_Sym *)(s->image.data + s->table->sh_offset);
  uint64_t at = frame->address - s->image.bias, k = at >> 16;
  if (k >= s->n_parts)
    return;
  for (uint32_t i = s->first[k]; i < s->first[k + 1]; i++)
    if (at - s->places[i].at < s->places[i].size)
      take_named(&s->image, &symbol[s->places[i].symbol], s->strings, frame, 1);
}

static bool open_table(const struct cul_where *frame, struct sorted *out) {
  struct image *image = &out->image;
  const Elf64_Shdr *section;
  size_t n = 0;
  if (!map_file(frame->path, image))
    return false;
  section = sections(image, &n);
  if (section && ((const Elf64_Ehdr *)image->data)->e_type != ET_EXEC)
    image->bias = frame->base;
  out->base = frame->base;
  out->table = section ? find_table(section, n) : NULL;
  if (out->table && out->table->sh_link < n) {
    out->strings = &section[out->table->sh_link];
    if (holds_words(image, out->table->sh_offset, out->table->sh_size) &&
        holds(image, out->strings->sh_offset, out->strings->sh_size))
      return true;
  }
  munmap((void *)image->data, image->size);
  return false;
}

void cul_where_name(struct cul_where *frames, size_t n) {
  const struct sorted *known = find_sorted(frames[0].base);
  struct sorted s = {0};
  for (size_t i = 0; known && i < n; i++)
    if (frames[i].base == frames[0].base)
      look_up(known, &frames[i]);
  if (known || !open_table(&frames[0], &s))
    return;
  if (n == 0 && is_worth_it(&frames[0], s.table) && n_sorted < MOST_SORTED &&
      sort(&s)) {
    all_sorted[n_sorted++] = s;
    return;
  }
  read_table(&s.image, s.table, s.strings, frames, n);
  munmap((void *)s.image.data, s.image.size);
}

static size_t append(char *out, size_t at, size_t size, const char *text,
                     size_t len) {
  if (len >= size - at)
    len = size - at - 1;
  memcpy(out + at, text, len);
  out[at + len] = '\0';
  return at + len;
}

/* "_ZN3foo3barE...": lengths and names; what else comes ends it. */
bool cul_where_readable(const char *symbol, char *out, size_t size) {
  static const char unnamed[] = "_GLOBAL__N_";
  const char *s = symbol;
  bool nested = false;
  size_t at = 0;
  out[0] = '\0';
  if (strncmp(s, "_Z", 2) == 0)
    s += 2 + (s[2] == 'L');
  if (s != symbol && *s == 'N') {
    nested = true;
    s += 1 + strspn(s + 1, "KVrRO");
  }
  while (s != symbol && *s >= '1' && *s <= '9') {
    size_t len = 0;
    while (*s >= '0' && *s <= '9')
      len = len * 10 + (size_t)(*s++ - '0');
    if (len > strlen(s))
      break;
    if (at)
      at = append(out, at, size, "::", 2);
    if (strncmp(s, unnamed, sizeof unnamed - 1) == 0)
      at = append(out, at, size, "(anonymous namespace)", 21);
    else
      at = append(out, at, size, s, len);
    s += len;
  }
  if (!at)
    return append(out, 0, size, symbol, strlen(symbol)) == strlen(symbol);
  /* A nested name may go on: a constructor, an operator, or a member of a
   * template. */
  return at + 1 < size && (!nested || *s == 'E');
}
