/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	mutate_jfr COUNT FILE...
 *
 * Reads COUNT mutants of the recordings, each in its own process, and prints
 * for how many of them a part was kept and for how many an error was reported.
 * Exits with 1 if one crashed, did not report its loss, or took longer than 10
 * s.  The mutants are the same in every run.
 */
#include "core/base/input.h"
#include "core/formats/reader.h"

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

/*
 * Damages the copy of a file: flipped bits, changed bytes, zeroed blocks,
 * random blocks, removed blocks, truncation.  Truncation sets *cut, because it
 * may remove a whole chunk: JDK 17 writes the types at the end of each chunk
 * except the first.
 */
static size_t mutate(uint8_t *bytes, size_t len, uint64_t *random, bool *cut)
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
		*cut = true;
		return at + 1;
	}
}

/* Runs in a child process and returns how reading ended. */
static enum verdict read_mutant(const uint8_t *bytes, size_t len)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	alarm(10);
	if (jfr_reader.read(bytes, len, p, &err))
		return err.text[0] ? REFUSED : SILENT;
	return profile_is_partial(p) ? PARTIAL : WHOLE;
}

static enum verdict judge(const struct input *in, uint64_t *random, bool *cut)
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
		len = mutate(copy, len, random, cut);
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

/* The number of mutants of each verdict; row 1 has the truncated mutants. */
struct tally {
	size_t verdicts[2][VERDICTS];
};

static double kept(const struct tally *t, bool cut)
{
	size_t all = 0;

	for (size_t v = 0; v < VERDICTS; v++)
		all += t->verdicts[cut][v];
	return 100.0 *
	       (double)(t->verdicts[cut][WHOLE] + t->verdicts[cut][PARTIAL]) /
	       (double)(all ? all : 1);
}

static int mutate_file(const char *path, size_t count, struct tally *total)
{
	struct input in;
	struct error err;
	uint64_t random = 88172645463325252u;
	struct tally t = { 0 };

	if (input_open(&in, path, &err) || input_complete(&in, &err)) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t seed = random;
		bool cut = false;
		enum verdict v = judge(&in, &random, &cut);

		t.verdicts[cut][v]++;
		total->verdicts[cut][v]++;
		if (v >= SILENT)
			printf("%s: mutant %zu (%llu) %s\n", path, i,
			       (unsigned long long)seed, verdict_names[v]);
	}
	printf("something kept of %5.1f%%, of %5.1f%% of those cut: %s\n",
	       kept(&t, false), kept(&t, true), path);
	input_close(&in);
	return 0;
}

int main(int argc, char **argv)
{
	struct tally total = { 0 };
	size_t count, bad = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: mutate_jfr COUNT FILE...\n");
		return 2;
	}
	count = strtoul(argv[1], NULL, 10) / (size_t)(argc - 2) + 1;
	for (int i = 2; i < argc; i++) {
		if (mutate_file(argv[i], count, &total))
			return 2;
	}
	printf("something kept of %5.1f%%, of %5.1f%% of those cut: all\n",
	       kept(&total, false), kept(&total, true));
	for (size_t v = 0; v < VERDICTS; v++) {
		size_t n = total.verdicts[0][v] + total.verdicts[1][v];

		printf("%6zu %s\n", n, verdict_names[v]);
		if (v >= SILENT)
			bad += n;
	}
	return bad > 0;
}
