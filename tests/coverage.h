/* Put before everything in a coverage build (make coverage): a process that ends by _exit writes down
 * which lines it ran, too. Without that, nothing of a child process would count. */
#ifndef HO_TESTS_COVERAGE_H
#define HO_TESTS_COVERAGE_H

#include <unistd.h>

void __gcov_dump(void);

__attribute__((noreturn)) static inline void exit_after_dump(int status)
{
    __gcov_dump();
    _exit(status);
}
#define _exit exit_after_dump

#endif
