/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure ROUNDS COMMAND…: runs shell commands, interleaved, ROUNDS times, and
 * prints a line for each: the median of its CPU seconds (user and system) and
 * its maximum resident memory in KiB; or "failed".
 *
 * The runs are interleaved so that other processes affect all commands alike.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_ROUNDS 99

struct command {
	const char *text;
	double seconds[MOST_ROUNDS];
	long resident;
	bool failed;
};

static void run_shell(const char *text)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
	    dup2(null, 2) < 0)
		_exit(126);
	execl("/bin/sh", "sh", "-c", text, (char *)NULL);
	_exit(127);
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void measure(struct command *c, unsigned round)
{
	struct rusage used;
	int status;
	pid_t child = fork();

	if (child == 0)
		run_shell(c->text);
	if (child < 0 || wait4(child, &status, 0, &used) != child ||
	    !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		c->failed = true;
		return;
	}
	c->seconds[round] = seconds_of(used.ru_utime) +
			    seconds_of(used.ru_stime);
	if (used.ru_maxrss > c->resident)
		c->resident = used.ru_maxrss;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	int count = argc - 2;
	struct command *commands;

	if (rounds < 1 || rounds > MOST_ROUNDS) {
		fprintf(stderr, "usage: measure ROUNDS COMMAND...\n");
		return 2;
	}
	commands = calloc((size_t)count, sizeof(*commands));
	if (!commands)
		return 1;
	for (unsigned round = 0; round < rounds; round++) {
		for (int i = 0; i < count; i++) {
			commands[i].text = argv[i + 2];
			measure(&commands[i], round);
		}
	}
	for (int i = 0; i < count; i++) {
		struct command *c = &commands[i];

		qsort(c->seconds, rounds, sizeof(*c->seconds), by_size);
		if (c->failed)
			puts("failed");
		else
			printf("%.3f %ld\n", c->seconds[rounds / 2],
			       c->resident);
	}
	free(commands);
	return 0;
}
