/* The wake-up: a FIFO in the state directory. A hint only; a lost byte costs one poll interval. */
#ifndef HO_STORE_WAKE_H
#define HO_STORE_WAKE_H

#include <stdint.h>

enum wake {
    WAKE_HEARD,  /* a processor has it open */
    WAKE_NOBODY, /* none has */
    WAKE_UNKNOWN /* there is no FIFO that could be used */
};

/* Receiver's side: one byte, never blocks, no reader is fine. Also leaves a mark (wake_mark), for who
 * looks later. */
enum wake wake_send(const char *state_dir);

/* The same without waking: who would have heard. */
enum wake wake_listener(const char *state_dir);

/* A number that is another one after each wake_send, heard or not; 0: no processor was here yet, or
 * there can't be a mark, or it is not yet told from the next one. */
uint64_t wake_mark(const char *state_dir);

/* Processor's side: makes the FIFO if needed (0600). returns a descriptor (close-on-exec), or -1:
 * then the processor just polls. */
int wake_open(const char *state_dir);

/* Waits until woken or ms have passed. Returns early on a signal. Takes half of the bytes that are
 * there: several workers wake for several events, and a burst is used up in a few turns. fd -1 just
 * sleeps. */
void wake_wait(int fd, int64_t ms);

#endif
