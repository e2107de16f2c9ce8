/* Virtual time for an unmodified User Mode Linux kernel: LD_PRELOAD=virtual-time.so linux ...
 *
 * The kernel's processor becomes infinitely fast: its clock stands while it computes, and leaps to
 * the next timer when it idles. Nothing that it can observe depends on this machine then: neither
 * time, nor the order in which things end, nor randomness, which comes from a seeded generator.
 *
 * A User Mode Linux kernel learns of this machine through few calls of the C library. They are
 * replaced here:
 *
 *   clock_gettime    virtual time; each reading takes READING_NS, so that a loop which waits for a
 *                    time comes to its end
 *   timer_settime    the moment is noted, and no timer of this machine is set
 *   poll             of the idle loop: leap to the noted moment, and send the signal that is due
 *   getrandom, open  numbers of the generator; no hardware generator
 *   syscall(futex)   how the kernel hands the processor to a process and gets it back; may take
 *                    time, so that a loop of system calls comes to its end as well
 *   write            of the channel's terminal: an answer, which goes to the measuring process
 *   sigaction        of SIGCHLD: a process of the guest that someone stops on this machine (SIGSTOP)
 *                    is still there, and nothing to tell the kernel
 *
 * The channel. The measuring process writes a line to ask for something, and the guest writes a line
 * when it has done so. While nothing is asked for, the clock stands: the idle loop waits, on this
 * machine, for the next line. So the guest cannot tell how long the measuring process took.
 *
 * Environment (all are needed, except the last):
 *   VIRTUAL_SEED       seed of the generator
 *   VIRTUAL_EPOCH_S    the time at which the clock begins [s since 1970]
 *   VIRTUAL_CLOCK      file of 8 bytes that always holds the virtual time [ns]; it exists
 *   VIRTUAL_CHANNEL    descriptor of the channel
 *   VIRTUAL_ENTRY_NS   time that an entry of a process into the kernel takes [ns]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define READING_NS 256
/* The clock is set to this when the guest first answers, however long its kernel took to boot. */
#define READY_NS (30 * SECOND)
/* The kernel is told of its terminal by this number (lab/virtual/guest.py). */
#define TERMINAL 60
/* Longest line of the channel [bytes]. */
#define LONGEST 4096

static int (*real_poll)(struct pollfd *, nfds_t, int);
static int (*real_signalfd)(int, const sigset_t *, int);
static int (*real_open64)(const char *, int, ...);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);

static volatile int64_t *now;
static int64_t epoch, expiry = -1, interval, entry_ns;
static uint64_t seed;
static int idle = -1, channel = -1, terminal_end = -1;
static pid_t process, kernel_thread;
/* Whether the guest has something to do that was asked for. Booting is such a thing. */
static int asked = 1, answered;
static char answer[LONGEST];
static size_t answer_length;

static void die(const char *why)
{
	dprintf(STDOUT_FILENO, "virtual-time: %s\n", why);
	_exit(3);
}

static long long number(const char *name, const char *otherwise)
{
	const char *text = getenv(name);
	char *end;
	long long value;

	if (!text)
		text = otherwise;
	if (!text)
		die(name);
	value = strtoll(text, &end, 10);
	if (end == text || *end)
		die(name);
	return value;
}

static void *real(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		die(name);
	return found;
}

__attribute__((constructor)) static void begin(void)
{
	int pair[2], file;

	real_poll = real("poll");
	real_signalfd = real("signalfd");
	real_open64 = real("open64");
	real_write = real("write");
	real_sigaction = real("sigaction");
	seed = number("VIRTUAL_SEED", NULL);
	epoch = number("VIRTUAL_EPOCH_S", NULL) * SECOND;
	entry_ns = number("VIRTUAL_ENTRY_NS", "0");
	channel = number("VIRTUAL_CHANNEL", NULL);
	process = getpid();
	kernel_thread = gettid();

	file = real_open64(getenv("VIRTUAL_CLOCK") ? getenv("VIRTUAL_CLOCK") : "", O_RDWR | O_CLOEXEC);
	now = mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (file < 0 || now == MAP_FAILED)
		die("VIRTUAL_CLOCK");
	close(file);
	*now = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || dup2(pair[0], TERMINAL) < 0)
		die("no terminal");
	/* Beyond the numbers that the kernel gives to files of its own. */
	terminal_end = fcntl(pair[1], F_DUPFD_CLOEXEC, 900);
	close(pair[0]);
	close(pair[1]);
}

/* ------------------------------------------------------------------------------------ time */

/* The timer is due: tell the kernel as a timer of this machine would. */
static void fire(void)
{
	expiry = interval ? expiry + interval : -1;
	syscall(SYS_tgkill, process, kernel_thread, SIGALRM);
}

static void pass(int64_t ns)
{
	*now += ns;
	if (expiry >= 0 && *now >= expiry)
		fire();
}

/* The kernel mixes bytes of its stack into its randomness that it has not written itself. They are
 * what signal handlers left there: process numbers and times of this machine. In one instruction,
 * since a call would leave bytes of its own, and a loop took a third of a guest's processor time. */
__attribute__((noinline)) static void clean_stack(void)
{
	char below[3000];
	char *at = below;
	size_t left = sizeof below;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(left) : "a"(0) : "memory");
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	int64_t t;

	clean_stack();
	pass(READING_NS);
	t = *now + (clock == CLOCK_REALTIME ? epoch : 0);
	time->tv_sec = t / SECOND;
	time->tv_nsec = t % SECOND;
	return 0;
}

static int64_t ns_of(struct timespec time)
{
	return time.tv_sec * SECOND + time.tv_nsec;
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *wanted, struct itimerspec *old)
{
	int64_t wait = ns_of(wanted->it_value);

	(void)timer, (void)flags, (void)old;
	interval = ns_of(wanted->it_interval);
	expiry = wait ? *now + wait : -1;
	return 0;
}

int signalfd(int fd, const sigset_t *mask, int flags)
{
	/* The idle loop makes one, to wait for the timer's signal. */
	return idle = real_signalfd(fd, mask, flags);
}

int sigaction(int signal, const struct sigaction *wanted, struct sigaction *old)
{
	struct sigaction own;

	if (signal != SIGCHLD || !wanted)
		return real_sigaction(signal, wanted, old);
	own = *wanted;
	own.sa_flags |= SA_NOCLDSTOP;
	return real_sigaction(signal, &own, old);
}

/* --------------------------------------------------------------------------------- channel */

static void write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t done = real_write(fd, text, length);

		if (done < 0 && errno != EINTR)
			_exit(0);
		if (done > 0)
			text += done, length -= done;
	}
}

/* Hand over the answer, and wait, on this machine, for the next question. The end of the channel is
 * the end of the guest. */
static void wait_for_question(void)
{
	static char line[LONGEST];
	size_t length = 0;

	write_all(channel, answer, answer_length);
	answer_length = 0;
	do {
		ssize_t got = read(channel, line + length, 1);

		if (!got || (got < 0 && errno != EINTR) || length == sizeof line - 1)
			_exit(0);
		length += got > 0;
	} while (!length || line[length - 1] != '\n');
	asked = 1;
	write_all(terminal_end, line, length);
}

/* The guest has yet to become idle; only then is the answer handed over, for until then its clock
 * goes on. */
static void keep_answer(const char *text, size_t length)
{
	if (answer_length + length > sizeof answer)
		die("an answer is too long");
	memcpy(answer + answer_length, text, length);
	answer_length += length;
	if (!memchr(text, '\n', length))
		return;
	asked = 0;
	if (!answered) {
		answered = 1;
		*now = READY_NS;
		if (expiry >= 0)
			expiry = READY_NS;
	}
}

ssize_t write(int fd, const void *buffer, size_t length)
{
	if (fd != TERMINAL)
		return real_write(fd, buffer, length);
	keep_answer(buffer, length);
	return length;
}

int poll(struct pollfd *files, nfds_t count, int limit)
{
	if (count != 1 || files->fd != idle || limit >= 0)
		return real_poll(files, count, limit);
	files->revents = 0;
	if (!asked) {
		wait_for_question();
		errno = EINTR;
		return -1;
	}
	if (expiry < 0)
		return real_poll(files, count, limit);
	if (*now < expiry)
		*now = expiry;
	fire();
	files->revents = POLLIN;
	return 1;
}

/* ------------------------------------------------------------------------------ randomness */

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t next_random(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

ssize_t getrandom(void *buffer, size_t length, unsigned flags)
{
	unsigned char *byte = buffer;
	size_t i;

	(void)flags;
	for (i = 0; i < length; i++)
		byte[i] = next_random();
	return length;
}

int open64(const char *path, int flags, ...)
{
	va_list more;
	int mode;

	/* The kernel takes it for a hardware generator, which would interrupt it at any time. */
	if (!strcmp(path, "/dev/random")) {
		errno = ENOENT;
		return -1;
	}
	va_start(more, flags);
	mode = va_arg(more, int);
	va_end(more);
	return real_open64(path, flags, mode);
}

/* --------------------------------------------------------------------- entry into the kernel */

long syscall(long number, ...)
{
	long a[6], result;
	va_list more;
	int i;

	va_start(more, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(more, long);
	va_end(more);
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	if (entry_ns && number == SYS_futex && gettid() == kernel_thread)
		pass(entry_ns);
	if (result < 0 && result > -4096) {
		errno = -result;
		return -1;
	}
	return result;
}
