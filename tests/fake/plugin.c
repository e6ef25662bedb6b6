/* A plugin for the fake tool; ANSWER tells two builds apart. */
#ifndef ANSWER
#define ANSWER 1
#endif

int answer(void);
int answer(void) { return ANSWER; }
