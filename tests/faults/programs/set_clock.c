/* A clock that can be set for one process: offsets of CLOCK_REALTIME and CLOCK_BOOTTIME [ns], two
   numbers of 64 bit in the file that CLOCK_OFFSETS names, are added for programs named python*. */

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern char *program_invocation_short_name;
static const int64_t *offsets;

__attribute__((constructor)) static void open_offsets(void)
{
    const char *path = getenv("CLOCK_OFFSETS");
    if (!path || strncmp(program_invocation_short_name, "python", 6))
        return;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *found = mmap(NULL, 16, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (found != MAP_FAILED)
        offsets = found;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int failed = syscall(SYS_clock_gettime, clock, time);
    if (failed || !offsets || (clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME))
        return failed;
    int64_t ns = time->tv_sec * 1000000000LL + time->tv_nsec + offsets[clock == CLOCK_BOOTTIME];
    time->tv_sec = ns / 1000000000LL;
    time->tv_nsec = ns % 1000000000LL;
    return 0;
}
