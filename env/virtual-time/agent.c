/* Runs commands for the measuring process, one after the other, as root of this guest or of one of
 * its hosts: agent TERMINAL FOLDER. The clock stands while it waits for a question (virtual-time.c).
 *
 *   question   NUMBER HOST SECONDS         HOST: a name in /run/hosts, or -, the guest itself
 *   answer     NUMBER STATUS CLOCK         STATUS: exit status; CLOCK: CLOCK_MONOTONIC [s]
 *
 * The folder that both see holds, for question 7, 7.script, 7.input, 7.output and 7.errors. A
 * command that takes longer than SECONDS is ended, with status 124 as of timeout(1).
 *
 * It is small, because every command begins as a copy of it, which is what a command costs most.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define TIMED_OUT 124
#define OUTPUT "/run/agent.output"
#define ERRORS "/run/agent.errors"

static const char *folder;
static volatile sig_atomic_t late;

static void die(const char *what)
{
	fprintf(stderr, "agent: %s: %s\n", what, strerror(errno));
	_exit(127);
}

static int opened(const char *path, int flags)
{
	int file = open(path, flags, 0600);

	if (file < 0)
		die(path);
	return file;
}

/* Path of a part of a question: script, input, output or errors. */
static const char *path_of(const char *number, const char *part)
{
	static char path[4096];

	snprintf(path, sizeof path, "%s/%s.%s", folder, number, part);
	return path;
}

static char *content(const char *path)
{
	int file = opened(path, O_RDONLY);
	struct stat about;
	char *text;

	if (fstat(file, &about) || !(text = malloc(about.st_size + 1)))
		die(path);
	if (read(file, text, about.st_size) != about.st_size)
		die(path);
	text[about.st_size] = 0;
	close(file);
	return text;
}

/* Copied, because what a background process still writes would reach the other side at any time. */
static void hand_over(const char *from, const char *to)
{
	int source = opened(from, O_RDONLY);
	int target = opened(to, O_WRONLY | O_CREAT | O_TRUNC);
	static char part[1 << 16];
	ssize_t got;

	while ((got = read(source, part, sizeof part)) > 0)
		if (write(target, part, got) != got)
			die(to);
	close(source);
	if (got < 0 || close(target))
		die(to);
}

static int status_of(pid_t process)
{
	int status;

	while (waitpid(process, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid");
		else if (late)
			kill(-process, SIGTERM);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Enter the namespaces of a host, as nsenter(1) does: what is started from now on belongs there.
 * unshare(1), which made them, is in all but the one of process numbers, where its children are. */
static void enter(const char *host)
{
	static const char *const kinds[] = {"net", "uts", "pid_for_children", "mnt"};
	int spaces[4];
	char path[4096];
	size_t i;
	pid_t unshare;

	snprintf(path, sizeof path, "/run/hosts/%s", host);
	unshare = atoi(content(path));
	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof path, "/proc/%d/ns/%s", unshare, kinds[i]);
		spaces[i] = opened(path, O_RDONLY | O_CLOEXEC);
	}
	for (i = 0; i < 4; i++)
		if (setns(spaces[i], 0))
			die(kinds[i]);
}

static void start(const char *number, const char *host)
{
	char *script = content(path_of(number, "script"));
	pid_t command;

	setpgid(0, 0);
	dup2(opened(path_of(number, "input"), O_RDONLY), STDIN_FILENO);
	dup2(opened(OUTPUT, O_WRONLY | O_CREAT | O_TRUNC), STDOUT_FILENO);
	dup2(opened(ERRORS, O_WRONLY | O_CREAT | O_TRUNC), STDERR_FILENO);
	closefrom(3);
	if (*host != '-') {
		enter(host);
		/* Not this process, but its children are in the other space of process numbers. */
		command = fork();
		if (command < 0)
			die("fork");
		if (command)
			_exit(status_of(command));
	}
	execl("/bin/sh", "sh", "-c", script, NULL);
	die("sh");
}

static int run(const char *number, const char *host, double seconds)
{
	/* Once more each second, for a signal that comes before the wait for the process is lost. */
	struct itimerval limit = {{1, 0}, {seconds, (seconds - (long)seconds) * 1e6}}, none = {0};
	pid_t process;
	int status;

	late = 0;
	process = fork();
	if (process < 0)
		die("fork");
	if (!process)
		start(number, host);
	setitimer(ITIMER_REAL, &limit, NULL);
	status = status_of(process);
	setitimer(ITIMER_REAL, &none, NULL);
	hand_over(OUTPUT, path_of(number, "output"));
	hand_over(ERRORS, path_of(number, "errors"));
	return late ? TIMED_OUT : status;
}

static void answer(int channel, const char *number, int status)
{
	struct timespec now;
	char line[100];

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(line, sizeof line, "%s %d %lld.%09ld\n", number, status, (long long)now.tv_sec,
		 now.tv_nsec);
	if (write(channel, line, strlen(line)) < 0)
		die("channel");
}

static void on_alarm(int signal)
{
	(void)signal;
	late = 1;
}

int main(int count, char **arguments)
{
	struct sigaction alarm = {.sa_handler = on_alarm};
	char question[4096], number[20], host[100];
	struct termios raw;
	double seconds;
	size_t have = 0;
	int channel;
	ssize_t got;

	if (count != 3)
		die("expected TERMINAL FOLDER");
	folder = arguments[2];
	channel = opened(arguments[1], O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (tcgetattr(channel, &raw))
		die(arguments[1]);
	cfmakeraw(&raw);
	tcsetattr(channel, TCSANOW, &raw);
	sigaction(SIGALRM, &alarm, NULL);
	answer(channel, "0", 0);
	while ((got = read(channel, question + have, sizeof question - 1 - have)) > 0) {
		have += got;
		question[have] = 0;
		/* A terminal gives what has come, which may be a part of the line. */
		if (!strchr(question, '\n'))
			continue;
		have = 0;
		if (sscanf(question, "%19s %99s %lf", number, host, &seconds) != 3)
			die(question);
		answer(channel, number, run(number, host, seconds));
	}
	return 0;
}
