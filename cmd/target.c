/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/target.h"

#include "cmd/main_name.h"
#include "cmd/nearest.h"
#include "cmd/process.h"
#include "cmd/talk.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/pattern.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAUNCH_NS (1 * CLOCK_NS_PER_S)

/* "4711", and what is near enough to one that no name is meant. */
static bool is_number(const char *name)
{
	size_t sign = name[0] == '-' || name[0] == '+';

	return is_digit(name[sign]) &&
	       !name[sign + strspn(name + sign, "0123456789")];
}

/* A launcher loads libjvm a few milliseconds after it has started. */
static bool is_launcher(pid_t pid)
{
	static const char name[] = "/java";
	char path[32], exe[PATH_MAX];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	len = readlink(path, exe, sizeof(exe));
	return len >= (ssize_t)strlen(name) &&
	       memcmp(exe + len - strlen(name), name, strlen(name)) == 0;
}

static int open_pid(struct jvm *jvm, const char *name, struct error *err)
{
	int64_t until_ns = clock_monotonic_ns() + LAUNCH_NS;
	long pid = strtol(name, NULL, 10);

	if (pid <= 0 || pid > INT32_MAX)
		return misuse(err, "%s: no process has that pid", name);
	while (jvm_open_java(jvm, (pid_t)pid, err)) {
		if (err->kind != ERROR_NO_TARGET || !is_launcher((pid_t)pid) ||
		    clock_left_ms(until_ns) == 0)
			return -1;
		clock_sleep_until(clock_monotonic_ns() + 10 * CLOCK_NS_PER_MS);
	}
	return 0;
}

/* A JVM that may be meant. */
struct candidate {
	const struct jvm *jvm;
	struct text main;
	bool matches;
};

struct candidates {
	struct jvm_list list;
	struct candidate *at;
	size_t count;
	size_t matching;
	size_t first; /* of those */
};

static int candidates_open(struct candidates *c, struct error *err)
{
	*c = (struct candidates){ 0 };
	if (jvm_list(&c->list, err))
		return -1;
	c->at = xcalloc(c->list.count, sizeof(*c->at));
	for (size_t i = 0; i < c->list.count; i++) {
		const struct jvm *jvm = &c->list.jvms[i];
		struct jvm_about about;
		struct error unused;

		if (jvm_about(jvm, &about, &unused))
			continue; /* has ended */
		c->at[c->count].jvm = jvm;
		main_name_of(jvm, &about, &c->at[c->count++].main);
		jvm_about_release(&about);
	}
	return 0;
}

static void candidates_close(struct candidates *c)
{
	for (size_t i = 0; i < c->count; i++)
		text_release(&c->at[i].main);
	free(c->at);
	jvm_list_release(&c->list);
}

static void mark(struct candidates *c, size_t i)
{
	if (c->matching++ == 0)
		c->first = i;
	c->at[i].matches = true;
}

/* "com.acme.Main", "Main", "/opt/app.jar", "app.jar", "app". */
static bool is_called(const char *main, const char *name)
{
	const char *simple = main_name_simple(main);
	size_t len = strlen(simple);

	if (strcmp(main, name) == 0 || strcmp(simple, name) == 0)
		return true;
	return len > 4 && strcmp(simple + len - 4, ".jar") == 0 &&
	       strlen(name) == len - 4 && memcmp(simple, name, len - 4) == 0;
}

/* Those that have the name or, when none has, that an expression finds. */
static int find(struct candidates *c, const char *name, struct error *err)
{
	struct pattern *pattern;

	for (size_t i = 0; i < c->count; i++) {
		if (is_called(c->at[i].main.bytes, name))
			mark(c, i);
	}
	if (c->matching)
		return 0;
	pattern = pattern_new(name, err);
	if (!pattern)
		return -1;
	for (size_t i = 0; i < c->count; i++) {
		const struct text *main = &c->at[i].main;

		if (pattern_matches(pattern, main->bytes, main->len))
			mark(c, i);
	}
	pattern_free(pattern);
	return 0;
}

static int none(const struct candidates *c, const char *name, struct error *err)
{
	struct nearest nearest = nearest_to(name, strlen(name));
	char hidden[96] = "";

	for (size_t i = 0; i < c->count; i++)
		nearest_offer(&nearest, main_name_simple(c->at[i].main.bytes));
	if (c->list.hidden)
		snprintf(hidden, sizeof(hidden),
			 "; no permission to inspect %zu %s", c->list.hidden,
			 c->list.hidden == 1 ? "process that may be a JVM"
					     : "processes that may be JVMs");
	if (nearest.best)
		return fail(err, ERROR_NO_TARGET,
			    "no JVM is called '%s'; is '%s' meant?%s", name,
			    nearest.best, hidden);
	return fail(err, ERROR_NO_TARGET,
		    "no JVM is called '%s'; `sjkc jps` lists those there "
		    "are%s",
		    name, hidden);
}

/* "4711 Main orders --token=***": names alone may all be the same. */
static void say_candidate(size_t number, const struct candidate *c)
{
	struct text args = { 0 };
	struct process p;
	struct error unused;

	text_puts(&args, "");
	if (process_init(&p, c->jvm, &unused) == 0) {
		process_args(&p, &args);
		process_release(&p);
	}
	talk_always("%3zu. pid %d: %s%s%s", number, (int)c->jvm->pid,
		    c->main.bytes, args.len ? " " : "", args.bytes);
	text_release(&args);
}

static int several(const struct candidates *c, const char *name,
		   struct error *err)
{
	size_t number = 0;

	talk_always("'%s' matches %zu JVMs:", name, c->matching);
	for (size_t i = 0; i < c->count; i++) {
		if (c->at[i].matches)
			say_candidate(++number, &c->at[i]);
	}
	return misuse(err, "which of them? say its pid");
}

/* Opens one of a list, unless another has taken its pid since. */
static int open_listed(struct jvm *jvm, const struct jvm *listed,
		       struct error *err)
{
	if (jvm_open_java(jvm, listed->pid, err))
		return -1;
	if (jvm->start_ticks == listed->start_ticks)
		return 0;
	jvm_close(jvm);
	return fail(err, ERROR_NO_TARGET, "%d has ended", (int)listed->pid);
}

int target_open_named(struct jvm *jvm, const char *name, struct error *err)
{
	struct candidates c;
	int ret = -1;

	if (is_number(name))
		return open_pid(jvm, name, err);
	if (!*name)
		return misuse(err, "the name of the JVM is empty");
	if (candidates_open(&c, err) || find(&c, name, err))
		goto out;
	if (c.matching == 1)
		ret = open_listed(jvm, c.at[c.first].jvm, err);
	else
		ret = c.matching ? several(&c, name, err) : none(&c, name, err);
out:
	candidates_close(&c);
	return ret;
}

int target_open(struct jvm *jvm, const char *pid_option, int *argc,
		char ***argv, struct error *err)
{
	if (!pid_option) {
		if (*argc < 1)
			return misuse(err, "which JVM? `sjkc jps` lists them");
		pid_option = **argv;
		--*argc;
		++*argv;
	}
	return target_open_named(jvm, pid_option, err);
}
