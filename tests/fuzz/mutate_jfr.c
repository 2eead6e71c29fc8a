/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	mutate_jfr COUNT FILE...
 *
 * Reads COUNT mutants of the recordings, each in a process of its own, and
 * tells how often something was kept of a mutant and how often why not was
 * said.  Exits with 1 when one crashed, was silent about its loss, or took
 * longer than 10 s.  The mutants are the same in every run.
 */
#include "core/base/input.h"
#include "core/profile/readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum verdict { WHOLE, PARTIAL, REFUSED, SILENT, CRASHED, VERDICTS };

static const char *const verdict_names[VERDICTS] = {
	"read whole",
	"read in part",
	"refused, with the reason",
	"refused without a reason",
	"crashed or hung",
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* What goes wrong with files: bits, bytes, zeroed blocks, cuts, shifts. */
static size_t mutate(uint8_t *bytes, size_t len, uint64_t *random)
{
	static const uint8_t odd[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t at = next_random(random) % len;
	size_t run = 1 + next_random(random) % 512;

	if (run > len - at)
		run = len - at;
	switch (next_random(random) % 6) {
	case 0:
		bytes[at] ^= (uint8_t)(1u << next_random(random) % 8);
		return len;
	case 1:
		bytes[at] = odd[next_random(random) % sizeof(odd)];
		return len;
	case 2:
		memset(bytes + at, 0, run);
		return len;
	case 3:
		for (size_t i = 0; i < run; i++)
			bytes[at + i] = (uint8_t)next_random(random);
		return len;
	case 4:
		memmove(bytes + at, bytes + at + run, len - at - run);
		return len - run;
	default:
		return at + 1;
	}
}

/* In a child: how reading ended. */
static enum verdict read_mutant(const uint8_t *bytes, size_t len)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	alarm(10);
	if (jfr_reader.read(bytes, len, p, &err))
		return err.text[0] ? REFUSED : SILENT;
	return profile_is_partial(p) ? PARTIAL : WHOLE;
}

static enum verdict judge(const struct input *in, uint64_t *random)
{
	uint8_t *copy = malloc(in->len);
	size_t len = in->len;
	size_t times = 1 + next_random(random) % 4;
	int status;
	pid_t pid;

	if (!copy)
		abort();
	memcpy(copy, in->bytes, len);
	for (size_t i = 0; i < times; i++)
		len = mutate(copy, len, random);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit((int)read_mutant(copy, len));
	free(copy);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) >= CRASHED)
		return CRASHED;
	return (enum verdict)WEXITSTATUS(status);
}

static int mutate_file(const char *path, size_t count, size_t *totals)
{
	struct input in;
	struct error err;
	uint64_t random = 88172645463325252u;
	size_t verdicts[VERDICTS] = { 0 };

	if (input_open(&in, path, &err) || input_complete(&in, &err)) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t seed = random;
		enum verdict v = judge(&in, &random);

		verdicts[v]++;
		totals[v]++;
		if (v >= SILENT)
			printf("%s: mutant %zu (%llu) %s\n", path, i,
			       (unsigned long long)seed, verdict_names[v]);
	}
	printf("%5.1f%% kept of %s\n",
	       100.0 * (double)(verdicts[WHOLE] + verdicts[PARTIAL]) /
		       (double)count,
	       path);
	input_close(&in);
	return 0;
}

int main(int argc, char **argv)
{
	size_t totals[VERDICTS] = { 0 };
	size_t count;

	if (argc < 3) {
		fprintf(stderr, "usage: mutate_jfr COUNT FILE...\n");
		return 2;
	}
	count = strtoul(argv[1], NULL, 10) / (size_t)(argc - 2) + 1;
	for (int i = 2; i < argc; i++) {
		if (mutate_file(argv[i], count, totals))
			return 2;
	}
	for (size_t v = 0; v < VERDICTS; v++)
		printf("%6zu %s\n", totals[v], verdict_names[v]);
	return totals[SILENT] || totals[CRASHED];
}
