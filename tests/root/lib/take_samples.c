/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take_samples WORD...
 *
 * Controls a sampler by words, one after the other:
 *
 * Options, before open:
 *	kinds=cpu,offcpu,alloc,lock hz=N stack=BYTES min=NS tid=N
 *	ring=BYTES threads=N kernel=0 user=0
 *
 * Commands:
 *	open start stop close clock counts
 *	add=PID remove=PID
 *	end=TID:ADDRESS		set the end of a thread's stack
 *	probe=KIND:PID:OFFSET:PATH
 *	quiet			count samples without printing them
 *	read=MS			read for this time and print samples
 *	until=PID		the same until the process has ended
 *	read-on			the same until a line comes on stdin
 *	sleep=MS		read nothing for this time
 *	say=TEXT		print a line
 *	wait			wait for a line on stdin
 *
 * The exit status is the kind of the error.
 */
#include "bpf/sampler.h"
#include "core/base/clock.h"
#include "core/base/safe_text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sampler *sampler;
static struct sampler_options options = {
	.kinds = 1U << SAMPLE_CPU,
	.hz = 99,
	.stack_bytes = 65536,
	.kernel = true,
	.user = true,
};
static struct error err;
static bool is_quiet;
static size_t received, bytes;

static const char *const kinds[SAMPLE_KINDS] = {
	[SAMPLE_CPU] = "cpu",     [SAMPLE_OFFCPU] = "offcpu",
	[SAMPLE_ALLOC] = "alloc", [SAMPLE_LOCK] = "lock",
	[SAMPLE_PROBE] = "probe", [SAMPLE_EXIT] = "exit",
	[SAMPLE_BLOCK] = "block", [SAMPLE_MAP] = "map",
	[SAMPLE_FAULT] = "fault",
};

static bool show(void *self, const struct sample_event *e,
		 const uint64_t *kernel, const uint8_t *stack)
{
	struct text comm = { 0 };

	(void)self, (void)kernel, (void)stack;
	received++;
	bytes += sizeof(*e) + e->stack_bytes + 8 * (size_t)e->kernel_frames;
	if (is_quiet)
		return true;
	text_puts(&comm, "");
	safe_text(&comm, e->comm, strnlen(e->comm, sizeof(e->comm)));
	printf("sample %s %u %u weight=%llu flags=%u kernel=%u "
	       "stack=%u ip=%llx sp=%llx %s\n",
	       kinds[e->kind], e->tgid, e->tid, (unsigned long long)e->weight,
	       e->flags, e->kernel_frames, e->stack_bytes,
	       (unsigned long long)e->regs[SAMPLE_IP],
	       (unsigned long long)e->regs[SAMPLE_SP], comm.bytes);
	text_release(&comm);
	return true;
}

/* Of this program: a wait that has not ended. */
enum { SHOW_UNFINISHED = 32768 };

static bool show_part(void *self, struct sample_event *e,
		      const uint64_t *kernel, const uint8_t *stack)
{
	e->flags |= SHOW_UNFINISHED;
	return show(self, e, kernel, stack);
}

static bool has_ended(pid_t pid) { return kill(pid, 0) && errno == ESRCH; }

/* Reads for ms milliseconds or, unless pid is 0, until pid has ended. */
static void read_for(int64_t ms, pid_t pid)
{
	int64_t end = clock_monotonic_ns() + ms * CLOCK_NS_PER_MS;

	while (clock_monotonic_ns() < end && !(pid && has_ended(pid))) {
		struct pollfd p = { sampler_fd(sampler), POLLIN, 0 };

		poll(&p, 1, 20);
		sampler_read(sampler, show, NULL);
	}
	sampler_read(sampler, show, NULL);
}

static void read_on(void)
{
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };

	while (poll(&in, 1, 0) == 0)
		read_for(20, 0);
}

/* Parses words that are separated by commas. */
static unsigned kinds_of(const char *text)
{
	unsigned bits = 0;

	for (const char *at = text; *at; at += strspn(at, ",")) {
		size_t len = strcspn(at, ",");

		for (int i = 0; i < SAMPLE_KINDS; i++) {
			if (strlen(kinds[i]) == len &&
			    strncmp(at, kinds[i], len) == 0)
				bits |= 1U << i;
		}
		at += len;
	}
	return bits;
}

static int set_option(const char *name, const char *value)
{
	uint64_t n = strtoull(value, NULL, 10);

	if (strcmp(name, "kinds") == 0)
		options.kinds = kinds_of(value);
	else if (strcmp(name, "hz") == 0)
		options.hz = (unsigned)n;
	else if (strcmp(name, "stack") == 0)
		options.stack_bytes = n;
	else if (strcmp(name, "ring") == 0)
		options.ring_bytes = n;
	else if (strcmp(name, "threads") == 0)
		options.threads = (unsigned)n;
	else if (strcmp(name, "tid") == 0)
		options.tid = (pid_t)n;
	else if (strcmp(name, "kernel") == 0)
		options.kernel = n;
	else if (strcmp(name, "user") == 0)
		options.user = n;
	else
		return -1;
	return 0;
}

/* KIND:PID:OFFSET:PATH */
static int probe(const char *value)
{
	bool is_lock = strncmp(value, "lock:", 5) == 0;
	const char *p = strchr(value, ':');
	uint64_t numbers[2] = { 0 };

	for (int i = 0; i < 2 && p; i++) {
		numbers[i] = strtoull(p + 1, NULL, 10);
		p = strchr(p + 1, ':');
	}
	if (!p)
		return fail(&err, ERROR_MISUSE, "%s is no probe", value);
	return sampler_probe(sampler, is_lock ? SAMPLE_LOCK : SAMPLE_ALLOC,
			     (pid_t)numbers[0], p + 1, numbers[1], 0, &err);
}

static int with_value(const char *name, const char *value)
{
	long n = strtol(value, NULL, 10);
	int ret = 0;

	if (strcmp(name, "add") == 0)
		ret = sampler_add(sampler, (pid_t)n, &err);
	else if (strcmp(name, "remove") == 0)
		sampler_remove(sampler, (pid_t)n);
	else if (strcmp(name, "probe") == 0)
		ret = probe(value);
	else if (strcmp(name, "end") == 0)
		sampler_stack_end(sampler, (pid_t)n,
				  strtoull(strchr(value, ':') + 1, NULL, 0));
	else if (strcmp(name, "read") == 0)
		read_for(n, 0);
	else if (strcmp(name, "until") == 0)
		read_for(120000, (pid_t)n);
	else if (strcmp(name, "sleep") == 0)
		usleep((useconds_t)n * 1000);
	else if (strcmp(name, "say") == 0)
		printf("%s\n", value);
	else if (set_option(name, value))
		ret = fail(&err, ERROR_MISUSE, "%s: no such deed", name);
	fflush(stdout);
	return ret;
}

static void show_counts(void)
{
	struct sampler_counts c;

	sampler_counts(sampler, &c);
	printf("counts taken=%llu lost=%llu runs=%llu runs_ns=%llu "
	       "received=%zu bytes=%zu\n",
	       (unsigned long long)c.taken, (unsigned long long)c.lost,
	       (unsigned long long)c.runs, (unsigned long long)c.runs_ns,
	       received, bytes);
}

static int do_word(const char *word)
{
	int ret = 0;

	if (strcmp(word, "open") == 0) {
		sampler = sampler_open(&options, &err);
		ret = sampler ? 0 : -1;
	} else if (strcmp(word, "start") == 0) {
		ret = sampler_start(sampler, &err);
	} else if (strcmp(word, "stop") == 0) {
		sampler_stop(sampler);
		sampler_cut(sampler, show, show_part, NULL);
	} else if (strcmp(word, "close") == 0) {
		sampler_close(sampler);
		sampler = NULL;
	} else if (strcmp(word, "read-on") == 0) {
		read_on();
	} else if (strcmp(word, "quiet") == 0) {
		is_quiet = true;
	} else if (strcmp(word, "clock") == 0) {
		printf("clock %s\n", sampler_clock(sampler));
	} else if (strcmp(word, "counts") == 0) {
		show_counts();
	} else if (strcmp(word, "wait") == 0) {
		for (int c = 0; c != '\n' && c != EOF;)
			c = getchar();
	} else {
		ret = fail(&err, ERROR_MISUSE, "%s: no such deed", word);
	}
	fflush(stdout);
	return ret;
}

static int do_deed(char *deed)
{
	char *equals = strchr(deed, '=');

	if (!equals)
		return do_word(deed);
	*equals = '\0';
	return with_value(deed, equals + 1);
}

int main(int argc, char **argv)
{
	int ret = 0;

	/* Limits the time if the parent is gone. */
	alarm(120);
	for (int i = 1; i < argc && ret == 0; i++)
		ret = do_deed(argv[i]);
	if (ret)
		fprintf(stderr, "take_samples: %s\n", err.text);
	sampler_close(sampler);
	return ret ? (int)err.kind : 0;
}
