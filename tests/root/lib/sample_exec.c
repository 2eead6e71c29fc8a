/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_exec: samples a shell that becomes another program at the least
 * favorable moment: while the session does not search for new processes.
 * Prints the session's name and "burned TICKS", the number of CPU samples of
 * burn().
 *
 * sample_exec burn: uses 400 ms of CPU time.
 */
#include "bpf/sampling/sampling.h"
#include "core/base/clock.h"
#include "core/unwind/unwinder.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BURN_MS = 400 };

static struct error err;

static int64_t cpu_ms(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return used.ru_utime.tv_sec * 1000 + used.ru_utime.tv_usec / 1000;
}

__attribute__((noinline)) static void burn(void)
{
	while (cpu_ms() < BURN_MS)
		for (volatile int i = 0; i < 1000000; i++)
			;
}

static void on_notice(void *self, enum sampling_notice level, const char *text)
{
	(void)self, (void)level;
	fprintf(stderr, "%s\n", text);
}

static void add_name(const struct jvm *jvm, struct text *out)
{
	(void)jvm;
	text_puts(out, "one process");
}

/* True once the session has opened the shell. */
static bool session_has_target(const struct sampling *s)
{
	struct text name = { 0 };
	bool has;

	sampling_add_name(s, &name);
	has = strcmp(name.bytes, "one process") == 0;
	text_release(&name);
	return has;
}

static void await_exec(pid_t pid, const char *program)
{
	char path[32], exe[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	for (;;) {
		ssize_t len = readlink(path, exe, sizeof(exe) - 1);

		if (len < 0)
			return;
		exe[len] = '\0';
		if (strcmp(exe, program) == 0)
			return;
		usleep(1000);
	}
}

static uint64_t count_burned(const struct profile *p)
{
	uint64_t burned = 0;

	for (size_t i = 0; i < p->cell_count; i++)
		for (uint32_t at = p->cells[i].stack; at;
		     at = p->stacks[at].caller) {
			const struct frame *f = &p->frames[p->stacks[at].frame];

			if (strcmp(profile_text(p, f->method), "burn") != 0)
				continue;
			burned += p->cells[i].count;
			break;
		}
	return burned;
}

int main(int argc, char **argv)
{
	static const struct sampling_options o = {
		.events = SAMPLING_CPU,
		.hz = 999,
		.stack_bytes = 65536,
		.max_stack = UNWIND_FRAMES,
		.notice = on_notice,
		.add_name = add_name,
	};
	static char self[PATH_MAX];
	static char name_of_shell[] = "sh", option[] = "-c",
		    script[] = "read -r go; exec \"$0\" burn";
	char *const shell[] = { name_of_shell, option, script, self, NULL };
	struct text name = { 0 };
	struct sampling *s;
	int go[2];

	if (argc == 2 && strcmp(argv[1], "burn") == 0) {
		burn();
		return 0;
	}
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 ||
	    pipe(go) < 0 || dup2(go[0], STDIN_FILENO) < 0)
		return ERROR_FAILED;
	s = sampling_open(&o, &err);
	if (!s || sampling_launch(s, shell, &err) || sampling_find(s, &err) ||
	    sampling_start(s, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return (int)err.kind;
	}
	while (!session_has_target(s) && sampling_step(s, NULL, 0))
		;
	if (write(go[1], "\n", 1) != 1)
		return ERROR_FAILED;
	await_exec(sampling_result(s).launched, self);
	while (sampling_step(s, NULL, 0))
		;
	sampling_stop(s);
	sampling_add_name(s, &name);
	printf("%s\nburned %" PRIu64 "\n", name.bytes,
	       count_burned(sampling_profile(s)));
	text_release(&name);
	sampling_close(s);
	return 0;
}
