/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	show_probes PID [OPTION...] PATTERN... COMMAND...
 *
 * Arms methods of a JVM and executes commands.  A pattern is CLASS::METHOD, a
 * '+' before it also selects subtypes.
 *
 *	count, args	count only; record arguments
 *	above=NS	threshold of single calls (default: never)
 *	rate=N, stack=N	limits of single calls
 *	limit=N, lease=MS
 *	cycles=N	does everything N times, each time in a new session
 *	desc=D		only methods with this descriptor
 *
 *	list		prints the methods, without arming
 *	arm		prints "armed METHODS CLASSES REFUSED US"
 *	counts		prints for each armed method its calls, entries,
 *			exceptions, ns, longest ns, skipped calls
 *	kinds		prints the classes of exceptions of each method
 *	buckets		prints the buckets of each method
 *	calls		reads and prints single calls
 *	losses
 *	line		waits for a line of standard input
 *	sleep=MS
 *	disarm		prints "disarmed US"
 *	relist		tries to disarm, prints "not disarmed" if it fails, and
 *			lists the methods again
 *	hold		reads until it is killed
 */
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/jvm/jvm.h"
#include "jvmti/client/client_probes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct jvm jvm;
static struct probes *probes;
static struct error err;
static uint8_t mode = PROBE_TIME;
static int64_t above = PROBE_NEVER;
static const char *descriptor;
static struct probe_pattern patterns[64];
static size_t pattern_count;

static void put_method(size_t i)
{
	const struct probe_method *m = probes_method(probes, i);
	const struct probe_class *c = probes_class(probes, m->class);

	printf("%s.%s%s/%u", c->name, m->name, m->descriptor,
	       (unsigned)c->loader_id);
}

static int show_list(void)
{
	for (size_t i = 0; i < probes_classes(probes); i++)
		if (probes_class(probes, i)->flags)
			printf("class %s flags %d\n",
			       probes_class(probes, i)->name,
			       probes_class(probes, i)->flags);
	for (size_t i = 0; i < probes_methods(probes); i++) {
		const struct probe_method *m = probes_method(probes, i);
		struct text why = { 0 };

		put_method(i);
		printf(" %s\n", probe_refusal_add(m, &why) ? why.bytes : "ok");
		text_release(&why);
	}
	return 0;
}

static int arm(void)
{
	size_t count = probes_methods(probes), kept = 0;
	struct probe_wish *wishes = xcalloc(count + 1, sizeof(*wishes));
	struct probes_armed armed;
	int ret;

	for (size_t i = 0; i < count; i++)
		if (!descriptor || strcmp(probes_method(probes, i)->descriptor,
					  descriptor) == 0)
			wishes[kept++] = (struct probe_wish){ (uint32_t)i, mode,
							      above };
	ret = probes_arm(probes, wishes, kept, &armed, &err);
	free(wishes);
	if (ret == 0)
		printf("armed %u %u %u %" PRId64 "\n", armed.methods,
		       armed.classes, armed.refused,
		       armed.retransform_ns / 1000);
	return ret;
}

static int disarm(void)
{
	int64_t ns;

	if (probes_disarm(probes, &ns, &err))
		return -1;
	printf("disarmed %" PRId64 "\n", ns / 1000);
	return 0;
}

static int relist(void)
{
	int64_t ns;

	if (probes_disarm(probes, &ns, &err))
		puts("not disarmed");
	return probes_list(probes, patterns, pattern_count, &err);
}

static int show_counts(void)
{
	struct probe_counts c;

	for (uint32_t i = 0; i < probes_methods(probes); i++) {
		if (probes_method(probes, i)->id < 0)
			continue;
		probes_counts(probes, i, &c);
		put_method(i);
		printf(" calls %" PRIu64 " entered %" PRIu64 " thrown %" PRIu64
		       " ns %" PRIu64 " max %" PRIu64 " skipped %" PRIu64 "\n",
		       c.calls, c.entered, c.thrown, c.sum_ns, c.max_ns,
		       c.skipped);
	}
	return 0;
}

static int show_kinds(void)
{
	struct probe_counts c;

	for (uint32_t i = 0; i < probes_methods(probes); i++) {
		probes_counts(probes, i, &c);
		for (size_t k = 0; k < c.exception_count; k++) {
			put_method(i);
			printf(" %s %" PRIu64 "\n",
			       c.exceptions[k].class_name
				       ? c.exceptions[k].class_name
				       : "others",
			       c.exceptions[k].count);
		}
	}
	return 0;
}

static int show_buckets(void)
{
	struct probe_counts c;

	for (uint32_t i = 0; i < probes_methods(probes); i++) {
		probes_counts(probes, i, &c);
		if (!c.calls)
			continue;
		put_method(i);
		for (int b = 0; b < PROBE_BUCKETS; b++)
			if (c.buckets[b])
				printf(" %d:%" PRIu64, b, c.buckets[b]);
		printf(" p50 %" PRIu64 " p99 %" PRIu64 "\n",
		       probe_counts_quantile(&c, 0.5),
		       probe_counts_quantile(&c, 0.99));
	}
	return 0;
}

static void put_value(const struct probe_value *v)
{
	switch (v->kind) {
	case PROBE_NULL:
		printf(" null");
		break;
	case PROBE_DOUBLE:
		printf(" %g", v->real);
		break;
	case PROBE_STRING:
		printf(" \"%s\"/%" PRId64, v->text, v->number);
		break;
	case PROBE_OBJECT:
		printf(" <%s>", v->text);
		break;
	default:
		printf(" %d:%" PRId64, (int)v->kind, v->number);
	}
}

static void put_call(void *self, const struct probe_call *call)
{
	(void)self;
	printf("call ");
	put_method(call->method);
	printf(" ns %" PRId64 " thread %s/%" PRIu64 " thrown %s args", call->ns,
	       call->thread, call->thread_id,
	       call->exception ? call->exception : "-");
	for (size_t i = 0; i < call->argument_count; i++)
		put_value(&call->arguments[i]);
	printf(" stack");
	for (size_t i = 0; i < call->frame_count; i++)
		printf(" %s.%s:%" PRId32, call->frames[i].class_name,
		       call->frames[i].method, call->frames[i].line);
	putchar('\n');
}

static int show_calls(void)
{
	return probes_read(probes, put_call, NULL, &err);
}

static int show_losses(void)
{
	struct probes_losses l;

	probes_losses(probes, &l);
	printf("lost %" PRIu64 " skipped %" PRIu64 " kinds %" PRIu64
	       " redefined %u stale %u\n",
	       l.calls, l.skipped, l.kinds, l.redefinitions, l.stale);
	return 0;
}

static int wait_line(void)
{
	char line[16];

	fflush(stdout);
	return fgets(line, sizeof(line), stdin) ? 0 : -1;
}

static int hold(void)
{
	fflush(stdout);
	for (;;) {
		if (show_calls())
			return -1;
		fflush(stdout);
		usleep(100000);
	}
}

static const struct {
	const char *name;
	int (*run)(void);
} deeds[] = {
	{ "list", show_list },
	{ "arm", arm },
	{ "counts", show_counts },
	{ "kinds", show_kinds },
	{ "buckets", show_buckets },
	{ "calls", show_calls },
	{ "losses", show_losses },
	{ "line", wait_line },
	{ "disarm", disarm },
	{ "relist", relist },
	{ "hold", hold },
};

static int run(const char *deed)
{
	int ret = 0;

	if (strncmp(deed, "sleep=", 6) == 0)
		usleep((useconds_t)strtoul(deed + 6, NULL, 10) * 1000);
	for (size_t i = 0; i < sizeof(deeds) / sizeof(*deeds) && !ret; i++)
		if (strcmp(deed, deeds[i].name) == 0)
			ret = deeds[i].run();
	fflush(stdout);
	return ret;
}

static uint64_t value_of(const char *argument, const char *name)
{
	size_t len = strlen(name);

	return strncmp(argument, name, len) == 0 && argument[len] == '='
		       ? strtoull(argument + len + 1, NULL, 10)
		       : 0;
}

static int run_all(int argc, char **argv)
{
	struct probes_options options = {
		.timeout_ns = 30 * CLOCK_NS_PER_S,
		.limit = 1000,
	};
	struct probes_limits limits = { .calls_per_s = 100 };
	size_t count = 0;
	int ret = 0;

	for (int i = 2; i < argc; i++) {
		char *method = strstr(argv[i], "::");

		if (method && count < 64) {
			*method = '\0';
			patterns[count].with_subtypes = *argv[i] == '+';
			patterns[count].class_name = argv[i] +
						     (*argv[i] == '+');
			patterns[count++].method = method + 2;
		}
		if (strcmp(argv[i], "count") == 0)
			mode = PROBE_COUNT;
		if (strcmp(argv[i], "args") == 0)
			mode |= PROBE_ARGS;
		if (strncmp(argv[i], "above=", 6) == 0)
			above = (int64_t)value_of(argv[i], "above");
		if (strncmp(argv[i], "desc=", 5) == 0)
			descriptor = argv[i] + 5;
		if (value_of(argv[i], "rate"))
			limits.calls_per_s = (uint32_t)value_of(argv[i],
								"rate");
		if (value_of(argv[i], "stack"))
			limits.stack_every = (uint32_t)value_of(argv[i],
								"stack");
		if (value_of(argv[i], "limit"))
			options.limit = (uint32_t)value_of(argv[i], "limit");
		if (value_of(argv[i], "lease"))
			options.lease_ns = (int64_t)value_of(argv[i], "lease") *
					   CLOCK_NS_PER_MS;
	}
	probes = probes_open(&jvm, &options, &err);
	if (!probes)
		return -1;
	probes_set_limits(probes, &limits);
	pattern_count = count;
	ret = probes_list(probes, patterns, count, &err);
	for (int i = 2; i < argc && !ret; i++)
		ret = run(argv[i]);
	probes_close(probes);
	return ret;
}

static int run_cycles(int argc, char **argv)
{
	uint64_t cycles = 1;
	int ret = 0;

	for (int i = 2; i < argc; i++)
		if (value_of(argv[i], "cycles"))
			cycles = value_of(argv[i], "cycles");
	for (uint64_t i = 0; i < cycles && !ret; i++) {
		/* The patterns are divided in place. */
		char **copy = xcalloc((size_t)argc, sizeof(*copy));

		for (int k = 0; k < argc; k++)
			copy[k] = xstrdup(argv[k]);
		ret = run_all(argc, copy);
		for (int k = 0; k < argc; k++)
			free(copy[k]);
		free(copy);
	}
	return ret;
}

int main(int argc, char **argv)
{
	int ret = -1;

	if (argc < 2)
		return 2;
	if (jvm_open_java(&jvm, (pid_t)strtol(argv[1], NULL, 10), &err) == 0) {
		ret = run_cycles(argc, argv);
		jvm_close(&jvm);
	}
	if (ret)
		fprintf(stderr, "%s\n", err.text);
	return ret ? (int)err.kind : 0;
}
