/* A tool that dies of SIGSEGV without a word: fake-mute FILE
 *   "right" in FILE: in fall_right; else "left": in fall_left
 *   "wild": by a call of what is no code, in hop_right, or in hop_left
 *   "deep": by a stack that overflows
 *   "told": with a handler of its own, which prints nothing */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int *volatile nowhere;

__attribute__((noinline)) static int fall_left(int n) {
  *nowhere = n;
  return n + 1;
}

__attribute__((noinline)) static int fall_right(int n) {
  return 2 * *nowhere - n;
}

static int (*volatile no_code)(int) = (int (*)(int))16;

__attribute__((noinline)) static int hop_left(int n) { return no_code(n) + 1; }

__attribute__((noinline)) static int hop_right(int n) {
  return 2 * no_code(n + 1) - n;
}

__attribute__((noinline)) static int fall_deep(int n) {
  volatile char room[512];
  room[n % 512] = (char)n;
  return n < 0 ? 0 : fall_deep(n + 1) + room[n % 512];
}

static void own_handler(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

int main(int argc, char **argv) {
  char text[65536];
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
  text[n] = '\0';
  if (strstr(text, "told"))
    signal(SIGSEGV, own_handler);
  if (strstr(text, "wild"))
    return (strstr(text, "right") ? hop_right : hop_left)(argc) & 1;
  if (strstr(text, "right"))
    return fall_right(argc) & 1;
  if (strstr(text, "left"))
    return fall_left(argc) & 1;
  return strstr(text, "deep") ? fall_deep(argc) & 1 : 0;
}
