/* Shortened messages: see brief.h. */
#include "brief.h"

#include <ctype.h>
#include <string.h>

enum {
  LITTLE = 40, /* a sentence with fewer bytes says little */
  LIST = 32,   /* shorter contents of brackets stay */
  FIRST = 24,  /* longest first item of a list that stays */
  WORD = 48    /* longest word that is not cut off alone */
};

struct group {
  size_t from, to; /* the content, without the brackets */
};

static char closes(char open) {
  static const char opens[] = "([{<", closed[] = ")]}>";
  const char *at = open ? strchr(opens, open) : NULL;
  return at ? closed[at - opens] : '\0';
}

/* "<" opens a group as in "f<4>" and "<object at 0x1>", not as in "a < b" or
 * "->". */
static bool is_open(struct cul_bytes text, size_t i) {
  return text.data[i] != '<' ||
         (i + 1 < text.len && !strchr(" =<", text.data[i + 1]));
}

static bool is_close(struct cul_bytes text, size_t i) {
  return text.data[i] != '>' || (i > 0 && !strchr(" -=>", text.data[i - 1]));
}

/* The offset of the bracket that closes the one at `open`; 0: none does. */
static size_t close_of(struct cul_bytes text, size_t open) {
  enum { DEEP = 32 };
  char awaited[DEEP];
  size_t n = 0;
  for (size_t i = open; i < text.len && n < DEEP; i++) {
    char c = closes(text.data[i]);
    if (c && is_open(text, i))
      awaited[n++] = c;
    else if (n && text.data[i] == awaited[n - 1] && is_close(text, i))
      n--;
    if (n == 0)
      return i;
  }
  return 0;
}

/* Is the content a message, and no list: words in quotes, or more words than
 * separators? */
static bool is_message(struct cul_bytes content) {
  size_t blanks = 0, commas = 0;
  if (memchr("\"'`", content.data[0], 3))
    for (size_t i = 1; i < content.len && content.data[i] != content.data[0];
         i++)
      blanks += content.data[i] == ' ';
  if (blanks > 1)
    return true;
  blanks = 0;
  for (size_t i = 0; i < content.len; i++) {
    commas += strchr(",=;:", content.data[i]) != NULL;
    blanks += content.data[i] == ' ';
  }
  return blanks > 2 * commas + 2;
}

/* The longest list in brackets; false: there is none. */
static bool longest_list(struct cul_bytes text, struct group *out) {
  size_t most = LIST;
  for (size_t i = 0; i < text.len; i++) {
    size_t close = closes(text.data[i]) ? close_of(text, i) : 0;
    struct cul_bytes content = {text.data + i + 1, close ? close - i - 1 : 0};
    if (!close || !is_open(text, i) || content.len <= most ||
        is_message(content))
      continue;
    *out = (struct group){i + 1, close};
    most = content.len;
  }
  return most > LIST;
}

/* The length of the first item of a list; 0: it is long, or the only one. */
static size_t first_item(struct cul_bytes content) {
  size_t n = 0;
  while (n < content.len && content.data[n] != ',')
    n++;
  return n < content.len && n > 0 && n <= FIRST &&
                 !memchr(content.data, '(', n) &&
                 !memchr(content.data, '[', n) && !memchr(content.data, '{', n)
             ? n
             : 0;
}

static void shorten_lists(struct cul_buf *text, size_t most) {
  struct group list = {0, 0};
  while (text->len > most && longest_list(cul_buf_bytes(text), &list)) {
    CUL_OWNED(cul_buf) shorter = {0};
    size_t first = first_item(
        (struct cul_bytes){text->data + list.from, list.to - list.from});
    cul_buf_add(&shorter, text->data, list.from + first);
    cul_buf_adds(&shorter, first ? ", ..." : "...");
    cul_buf_add(&shorter, text->data + list.to, text->len - list.to);
    cul_buf_clear(text);
    cul_buf_add(text, shorter.data, shorter.len);
  }
}

/* Does a sentence end before `at`?  Not behind the "1" of an item. */
static bool ends_sentence(struct cul_bytes text, size_t at) {
  size_t next = at;
  while (next < text.len && text.data[next] == ' ')
    next++;
  return text.data[at - 1] == '.' && next > at && next < text.len &&
         isupper((unsigned char)text.data[next]) &&
         (isalpha((unsigned char)text.data[at - 2]) ||
          strchr(")]'\"`", text.data[at - 2]) ||
          (isdigit((unsigned char)text.data[at - 2]) &&
           (next > at + 1 || isdigit((unsigned char)text.data[at - 3]))));
}

/* The end of the last whole sentence within the first `most` bytes; 0: there is
 * none, or it says little. */
static size_t sentence_end(struct cul_bytes text, size_t most) {
  for (size_t i = most; i > LITTLE; i--)
    if (ends_sentence(text, i))
      return i - 1;
  return 0;
}

static bool continues(const struct cul_bytes *text, size_t at) {
  return at < text->len && ((unsigned char)text->data[at] & 0xc0) == 0x80;
}

/* Where the head of at most `most` bytes ends: between words, unless that would
 * lose more than half, and behind the word after a colon, which is what the
 * text is about. */
static size_t head_of(struct cul_bytes text, size_t most) {
  size_t end = most, next;
  while (end > most / 2 && text.data[end] != ' ')
    end--;
  if (end <= most / 2) {
    for (end = most; end > 0 && continues(&text, end);)
      end--;
    return end;
  }
  for (next = end + 1; next < text.len && text.data[next] != ' ';)
    next++;
  return text.data[end - 1] == ':' && next <= end + WORD ? next : end;
}

/* Where the tail begins: behind the last colon, if that leaves less than the
 * larger half of the room, else between words in its last third; text.len: no
 * word is short enough. */
static size_t tail_of(struct cul_bytes text, size_t most) {
  size_t at = text.len - most / 3;
  for (size_t i = text.len - most * 3 / 5; i + WORD / 2 < text.len; i++)
    if (text.data[i - 1] == ' ' && text.data[i - 2] == ':')
      return i;
  while (at < text.len && text.data[at - 1] != ' ')
    at++;
  return at;
}

void cul_brief(struct cul_bytes message, size_t most, bool cut,
               struct cul_buf *out) {
  CUL_OWNED(cul_buf) text = {0};
  struct cul_bytes all;
  size_t head, tail;
  cul_buf_add(&text, message.data, message.len);
  shorten_lists(&text, most);
  all = cul_buf_bytes(&text);
  head = all.len > most ? sentence_end(all, most) : 0;
  if (all.len <= most || head) {
    cul_buf_add(out, all.data, head ? head : all.len);
    return;
  }
  all.len =
      sentence_end(all, all.len - 1) ? sentence_end(all, all.len - 1) : all.len;
  head = head_of(all, most);
  if (head == all.len ||
      (all.len - head <= WORD &&
       !memchr(all.data + head + 1, ' ', all.len - head - 1))) {
    cul_buf_add(out, all.data, all.len); /* only its last word would be cut */
    return;
  }
  tail = all.len;
  if (!cut) {
    tail = tail_of(all, most);
    head = tail < all.len ? head_of(all, most - (all.len - tail)) : head;
  }
  cul_buf_add(out, all.data, head);
  cul_buf_adds(out, tail < all.len ? " ... " : "...");
  cul_buf_add(out, all.data + tail, all.len - tail);
}
