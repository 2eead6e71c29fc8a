/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	show_agent PID [alloc[=BYTES]] [lock] [no-lines] COMMAND...
 *
 * Loads the agent into a JVM and executes commands:
 *
 *	costs		the cost of loading: "load_us replay_us bytes"
 *	warning		the announced warning of the JVM, or "none"
 *	probes		files and offsets for uprobes
 *	symbols		for each address of standard input (hexadecimal), a
 *			line: the address and the methods, innermost first, with
 *			their lines
 *	generated	the same for names of code that is not a method
 *	read		reads the records written since
 *	sleep=MS
 *	hold		waits until it is killed
 *
 * The exit status is the kind of the error.
 */
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/hotspot/process_view.h"
#include "core/hotspot/vm_symbols.h"
#include "core/jvm/jvm.h"
#include "jvmti/client/client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct jvm jvm;
static struct agent_client *client;
static struct error err;

static void put_safe(const char *foreign)
{
	struct text t = { 0 };

	text_puts(&t, "");
	safe_text(&t, foreign, strlen(foreign));
	fputs(t.bytes, stdout);
	text_release(&t);
}

static bool read_address(struct unwound_frame *at)
{
	char line[64];

	if (!fgets(line, sizeof(line), stdin))
		return false;
	*at = (struct unwound_frame){
		.pc = strtoull(line, NULL, 16),
	};
	return true;
}

static int show_costs(void)
{
	struct agent_costs costs;

	agent_client_costs(client, &costs);
	printf("%" PRId64 " %" PRId64 " %" PRIu64 "\n", costs.load_ns / 1000,
	       costs.replay_ns / 1000, costs.bytes);
	return 0;
}

static const char *warning_before;

static void keep_warning(void *self, const char *warning)
{
	(void)self;
	warning_before = warning;
}

/* Prints the announced warning of this load and of the next one. */
static int show_warning(void)
{
	const char *next = agent_client_warning(&jvm);

	puts(warning_before ? warning_before : "none");
	puts(next ? next : "none");
	return 0;
}

static int show_probes(void)
{
	struct agent_probe alloc, lock;

	if (agent_client_probe_alloc(client, &alloc, &err) ||
	    agent_client_probe_lock(client, &lock, &err))
		return -1;
	printf("%s %" PRIu64 "\n%s %" PRIu64 "\n", alloc.path, alloc.offset,
	       lock.path, lock.offset);
	return 0;
}

static int show_symbols(void)
{
	struct java_symbols *symbols = agent_client_symbols(client);
	struct java_frame frames[64];
	struct unwound_frame at;

	while (read_address(&at)) {
		size_t count;

		at.kind = UNWOUND_COMPILED;
		count = symbols->frames(symbols, &at,
					(uint64_t)clock_monotonic_ns(), frames,
					64);
		printf("%" PRIx64, at.pc);
		for (size_t i = 0; i < count; i++) {
			putchar(' ');
			put_safe(frames[i].class_name);
			putchar('.');
			put_safe(frames[i].method);
			put_safe(frames[i].signature);
			printf(":%" PRIu32, frames[i].line);
		}
		putchar('\n');
	}
	return 0;
}

static int show_generated(void)
{
	struct java_symbols *symbols = agent_client_symbols(client);
	struct unwound_frame at;

	while (read_address(&at)) {
		const char *name;

		at.kind = UNWOUND_GENERATED;
		name = symbols->generated(symbols, &at,
					  (uint64_t)clock_monotonic_ns());
		printf("%" PRIx64 " ", at.pc);
		put_safe(name ? name : "-");
		putchar('\n');
	}
	return 0;
}

#define FRAMES 64
#define SHOWN  10

struct comparison {
	struct code_cache *cache;
	struct java_symbols *agent, *metadata;
	unsigned all, both, agent_only, metadata_only, different, inlined;
};

/*
 * All linkers of method handles (MethodHandle.linkToStatic and others) share
 * one jmethodID, so the JVM may report any of them to the agent.
 */
static bool is_linker(const struct java_frame *f)
{
	return strcmp(f->class_name, "java.lang.invoke.MethodHandle") == 0 &&
	       (strncmp(f->method, "linkTo", 6) == 0 ||
		strncmp(f->method, "invoke", 6) == 0);
}

static bool is_same(const struct java_frame *a, const struct java_frame *b)
{
	if (a->kind != b->kind || a->line != b->line)
		return false;
	if (is_linker(a) && is_linker(b))
		return true;
	return strcmp(a->class_name, b->class_name) == 0 &&
	       strcmp(a->method, b->method) == 0 &&
	       strcmp(a->signature, b->signature) == 0;
}

static void put_frames(const char *who, const struct java_frame *frames,
		       size_t count)
{
	printf(" %s:", who);
	for (size_t i = 0; i < count; i++) {
		putchar(' ');
		put_safe(frames[i].class_name);
		putchar('.');
		put_safe(frames[i].method);
		put_safe(frames[i].signature);
		printf(":%" PRIu32 "/%d", frames[i].line, (int)frames[i].kind);
	}
}

static void compare_at(struct comparison *c, uint64_t pc)
{
	struct java_frame agent[FRAMES], metadata[FRAMES];
	struct unwound_frame at = { .kind = UNWOUND_COMPILED, .pc = pc };
	uint64_t now = (uint64_t)clock_monotonic_ns();
	size_t count, other, i;

	at.blob = code_cache_find(c->cache, pc);
	if (!at.blob ||
	    (at.blob->kind != BLOB_NMETHOD && at.blob->kind != BLOB_NATIVE))
		return;
	count = c->agent->frames(c->agent, &at, now, agent, FRAMES);
	other = c->metadata->frames(c->metadata, &at, now, metadata, FRAMES);
	c->all++;
	c->agent_only += count && !other;
	c->metadata_only += other && !count;
	if (!count || !other)
		return;
	c->both++;
	c->inlined += count > 1;
	for (i = 0; i < count && i < other; i++)
		if (!is_same(&agent[i], &metadata[i]))
			break;
	if (i == count && i == other)
		return;
	if (c->different++ < SHOWN) {
		printf("%" PRIx64, pc);
		put_frames("agent", agent, count);
		put_frames("metadata", metadata, other);
		putchar('\n');
	}
}

static int compare_all(struct comparison *c, const struct process_view *v)
{
	struct vm_symbols *symbols = NULL;
	char line[64], *end;

	if (v->structs)
		symbols = vm_symbols_open(v->structs, v->memory, &err);
	if (!symbols)
		return -1;
	c->cache = v->code;
	c->agent = agent_client_symbols(client);
	c->metadata = vm_symbols_of(symbols);
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t pc = strtoull(line, &end, 16);
		uint64_t last = strtoull(end, NULL, 16);

		/* The number of lookups per batch is limited. */
		for (; pc < last; pc++) {
			if (pc % 256 == 0 && agent_client_read(client, &err))
				break;
			compare_at(c, pc);
		}
	}
	printf("%u all, %u both, %u inlined, %u agent, %u metadata, "
	       "%u different\n",
	       c->all, c->both, c->inlined, c->agent_only, c->metadata_only,
	       c->different);
	vm_symbols_close(symbols);
	return 0;
}

static int compare(void)
{
	struct process_view *view = process_view_open(&jvm, NULL, &err);
	struct comparison c = { 0 };
	int ret = -1;

	if (view)
		ret = compare_all(&c, view);
	process_view_close(view);
	return ret;
}

static int wait_line(void)
{
	char line[16];

	fflush(stdout);
	return fgets(line, sizeof(line), stdin) ? 0 : -1;
}

static int read_on(void) { return agent_client_read(client, &err); }

static int hold(void)
{
	for (;;) {
		if (read_on())
			return -1;
		usleep(100000);
	}
}

static const struct {
	const char *name;
	int (*run)(void);
} deeds[] = {
	{ "costs", show_costs },
	{ "warning", show_warning },
	{ "probes", show_probes },
	{ "symbols", show_symbols },
	{ "generated", show_generated },
	{ "compare", compare },
	{ "line", wait_line },
	{ "read", read_on },
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

static int run_all(int argc, char **argv)
{
	struct agent_options options = {
		.lines = true,
		.timeout_ns = 10 * CLOCK_NS_PER_S,
		.before_load = keep_warning,
	};
	int ret = 0;

	for (int i = 2; i < argc; i++) {
		if (strncmp(argv[i], "alloc", 5) == 0)
			options.alloc = true;
		if (strncmp(argv[i], "alloc=", 6) == 0)
			options.alloc_interval = strtoull(argv[i] + 6, NULL,
							  10);
		if (strcmp(argv[i], "lock") == 0)
			options.lock = true;
		if (strcmp(argv[i], "no-lines") == 0)
			options.lines = false;
	}
	client = agent_client_open(&jvm, &options, &err);
	if (!client)
		return -1;
	for (int i = 2; i < argc && !ret; i++)
		ret = run(argv[i]);
	agent_client_close(client);
	return ret;
}

int main(int argc, char **argv)
{
	int ret = -1;

	if (argc < 2)
		return 2;
	if (jvm_open_java(&jvm, (pid_t)strtol(argv[1], NULL, 10), &err) == 0) {
		ret = run_all(argc, argv);
		jvm_close(&jvm);
	}
	if (ret)
		fprintf(stderr, "%s\n", err.text);
	return ret ? (int)err.kind : 0;
}
