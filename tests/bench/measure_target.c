/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure_target ROUNDS PID COMMAND…: runs shell commands, interleaved, ROUNDS
 * times, and prints a line for each: the medians of its own CPU time, of the
 * CPU time of process PID meanwhile, of their sum, and of the wall-clock time,
 * in milliseconds; or "failed".
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_ROUNDS 999

enum { OWN, TARGET, BOTH, WALL, FIGURES };

struct command {
	const char *text;
	double ms[FIGURES][MOST_ROUNDS];
	bool failed;
};

static double now_ms(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t))
		return 0;
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double ms_of(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static void run_shell(const char *text)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
	    dup2(null, 2) < 0)
		_exit(126);
	execl("/bin/sh", "sh", "-c", text, (char *)NULL);
	_exit(127);
}

static void run(struct command *c, int round, clockid_t target)
{
	double wall = now_ms(CLOCK_MONOTONIC), cpu = now_ms(target);
	struct rusage used;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		run_shell(c->text);
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid || status != 0) {
		c->failed = true;
		return;
	}
	c->ms[WALL][round] = now_ms(CLOCK_MONOTONIC) - wall;
	c->ms[TARGET][round] = now_ms(target) - cpu;
	c->ms[OWN][round] = ms_of(used.ru_utime) + ms_of(used.ru_stime);
	c->ms[BOTH][round] = c->ms[OWN][round] + c->ms[TARGET][round];
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void print(struct command *c, int rounds)
{
	if (c->failed) {
		printf("failed\n");
		return;
	}
	for (int i = 0; i < FIGURES; i++) {
		qsort(c->ms[i], (size_t)rounds, sizeof(double), ascending);
		printf("%.2f%c", c->ms[i][rounds / 2],
		       i == FIGURES - 1 ? '\n' : ' ');
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 3 ? (int)strtol(argv[1], NULL, 10) : 0;
	struct command *commands;
	clockid_t target;

	if (rounds < 1 || rounds > MOST_ROUNDS ||
	    clock_getcpuclockid((pid_t)strtol(argv[2], NULL, 10), &target)) {
		fprintf(stderr,
			"usage: measure_target ROUNDS PID COMMAND...\n");
		return 2;
	}
	commands = calloc((size_t)argc, sizeof(*commands));
	if (!commands)
		return 1;
	for (int round = 0; round < rounds; round++) {
		for (int i = 3; i < argc; i++) {
			commands[i].text = argv[i];
			run(&commands[i], round, target);
		}
	}
	for (int i = 3; i < argc; i++)
		print(&commands[i], rounds);
	free(commands);
	return 0;
}
