/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/thread_names.h"

#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/ascii.h"
#include "core/base/map64.h"
#include "core/jvm/procfs.h"
#include "core/threads/dump_blocks.h"

#include <stdlib.h>
#include <string.h>

struct thread_names {
	struct thread_name *names;
	size_t count, cap;
	struct map64 by_tid; /* maps a tid to an index of names */
	struct arena arena;
};

/*
 * Names of the JVM's own threads, JDK 8 to 28: those without a Java id, and
 * those with a Java id that JMX does not list. All other threads without an id
 * belong to the VM, all others with an id to Java.
 */
static const struct {
	const char *beginning;
	enum thread_kind kind;
	bool has_id;
} own_names[] = {
	{ "GC Thread#", THREAD_GC, false },
	{ "GC task thread#", THREAD_GC, false }, /* JDK 8 */
	{ "ParGC Thread#", THREAD_GC, false },
	{ "Gang worker#", THREAD_GC, false },
	{ "G1 ", THREAD_GC, false },
	{ "CMS ", THREAD_GC, false },
	{ "Concurrent Mark-Sweep GC Thread", THREAD_GC, false },
	{ "Shenandoah", THREAD_GC, false },
	{ "ShenWorker", THREAD_GC, false }, /* these from JDK 28 on */
	{ "ShenControl", THREAD_GC, false },
	{ "ShenUncommit", THREAD_GC, false },
	{ "ShenRegulator", THREAD_GC, false },
	{ "ZDirector", THREAD_GC, false },
	{ "ZDriver", THREAD_GC, false },
	{ "ZStat", THREAD_GC, false },
	{ "ZUncommitter", THREAD_GC, false },
	{ "ZUnmapper", THREAD_GC, false },
	{ "ZWorker", THREAD_GC, false },
	{ "XDirector", THREAD_GC, false }, /* JDK 21 to 23 */
	{ "XDriver", THREAD_GC, false },
	{ "XStat", THREAD_GC, false },
	{ "XUncommitter", THREAD_GC, false },
	{ "XUnmapper", THREAD_GC, false },
	{ "XWorker", THREAD_GC, false },
	{ "RuntimeWorker#", THREAD_GC, false },         /* ZGC's */
	{ "StringDedup", THREAD_GC, false },            /* JDK 17 */
	{ "StringDedup", THREAD_GC, true },             /* JDK 18 */
	{ "Surrogate Locker Thread", THREAD_GC, true }, /* CMS's, JDK 8 */
	{ "VM Thread", THREAD_VM, false },
	{ "VM Periodic Task Thread", THREAD_VM, false },
	{ "Service Thread", THREAD_VM, true },
	{ "Monitor Deflation Thread", THREAD_VM, true },
	{ "C1 CompilerThread", THREAD_JIT, true },
	{ "C2 CompilerThread", THREAD_JIT, true },
	{ "JVMCI CompilerThread", THREAD_JIT, true },
	{ "JVMCI-native CompilerThread", THREAD_JIT, true },
	{ "Sweeper thread", THREAD_JIT, true }, /* JDK 19 and older */
};

enum { OWN_NAMES = sizeof(own_names) / sizeof(*own_names) };

/* True if a name starts with the first `most` bytes of a prefix. */
static bool name_begins_with(const char *name, size_t len,
			     const char *beginning, size_t most)
{
	size_t wanted = strlen(beginning);

	if (wanted > most)
		wanted = most;
	return len >= wanted && memcmp(name, beginning, wanted) == 0;
}

/* A thread of the program may have such a name, too, but has Java frames. */
static enum thread_kind block_kind(const struct dump_block *b)
{
	const struct dump_header *h = &b->header;
	bool has_id = h->java_id != 0;

	if (has_id && b->has_frames)
		return THREAD_JAVA;
	for (size_t i = 0; i < OWN_NAMES; i++) {
		if (own_names[i].has_id == has_id &&
		    name_begins_with(h->name, h->name_len,
				     own_names[i].beginning, SIZE_MAX))
			return own_names[i].kind;
	}
	return has_id ? THREAD_JAVA : THREAD_VM;
}

enum { CUT_HEAD = 7, CUT_DOTS = 2, CUT_TAIL = 6 };

/*
 * JDK 26 and later shorten a long name in its middle for the kernel: "C2
 * Comp..hread0". True if a name is a shortened prefix, perhaps with a number.
 * For short prefixes, the tail is unknown.
 */
static bool name_is_shortened(const char *comm, size_t len,
			      const char *beginning)
{
	size_t wanted = strlen(beginning), tail = CUT_TAIL;

	if (len != CUT_HEAD + CUT_DOTS + CUT_TAIL ||
	    memcmp(comm + CUT_HEAD, "..", CUT_DOTS) != 0 ||
	    !name_begins_with(comm, len, beginning, CUT_HEAD))
		return false;
	if (wanted <= CUT_HEAD + CUT_DOTS + 1)
		return true;
	while (tail && is_digit(comm[len - CUT_TAIL + tail - 1]))
		tail--;
	return tail <= wanted && memcmp(comm + len - CUT_TAIL,
					beginning + wanted - tail, tail) == 0;
}

enum thread_kind thread_names_kind_of(const char *comm)
{
	size_t len = strlen(comm);

	for (size_t i = 0; i < OWN_NAMES; i++) {
		const char *beginning = own_names[i].beginning;

		if (name_begins_with(comm, len, beginning, PROCFS_NAMES - 1) ||
		    name_is_shortened(comm, len, beginning))
			return own_names[i].kind;
	}
	return THREAD_UNKNOWN;
}

/* A state reads "TIMED_WAITING (sleeping)". */
static enum thread_run_state name_parse_state(const char *text, size_t len)
{
	const char *blank = memchr(text, ' ', len);
	struct line word = { text, blank ? (size_t)(blank - text) : len };

	for (int s = RUN_NEW; s <= RUN_TERMINATED; s++) {
		enum thread_run_state state = (enum thread_run_state)s;

		if (line_is(word, thread_run_state_name(state)))
			return state;
	}
	return RUN_UNKNOWN;
}

/* Reads the lines before the first frame. */
static void name_read_body(struct lines body, struct thread_name *name)
{
	static const char state[] = "   java.lang.Thread.State: ";
	static const char carries[] = "   Carrying virtual thread #";
	struct line line;

	while (lines_next(&body, &line) && line_starts(line, "   ")) {
		if (line_starts(line, state))
			name->state = name_parse_state(
				line.text + sizeof(state) - 1,
				line.len - sizeof(state) + 1);
		else if (line_starts(line, carries))
			dump_decimal(line.text + sizeof(carries) - 1,
				     line.len - sizeof(carries) + 1,
				     &name->virtual_id);
	}
}

static void names_add(struct thread_names *n, const struct dump_block *b)
{
	const struct dump_header *h = &b->header;
	struct thread_name name = {
		.ns_tid = (pid_t)h->os_id,
		.java_id = h->java_id,
		.kind = block_kind(b),
		.allocated = h->allocated,
		.allocated_step = h->allocated_step,
	};

	/* A thread that is starting or has ended has no tid. */
	if (h->os_id <= 0 || h->os_id > INT32_MAX)
		return;
	if (!map64_add(&n->by_tid, (uint64_t)h->os_id, (uint32_t)n->count)) {
		uint32_t other = map64_get(&n->by_tid, (uint64_t)h->os_id);

		n->names[other].ns_tid = 0;
		return;
	}
	name_read_body(b->body, &name);
	name.name = arena_copy(&n->arena, h->name, h->name_len);
	array_add(n->names, n->count, n->cap, name);
}

void thread_names_read(struct thread_names *n, const char *reply, size_t len)
{
	struct dump_blocks blocks = dump_blocks_over(reply, len);
	struct dump_block block;

	arena_release(&n->arena);
	map64_clear(&n->by_tid);
	n->count = 0;
	while (n->count < UINT32_MAX - 1 && dump_blocks_next(&blocks, &block))
		names_add(n, &block);
}

struct thread_names *thread_names_new(void)
{
	return xcalloc(1, sizeof(struct thread_names));
}

void thread_names_free(struct thread_names *n)
{
	if (!n)
		return;
	arena_release(&n->arena);
	map64_release(&n->by_tid);
	free(n->names);
	free(n);
}

const struct thread_name *thread_names_find(const struct thread_names *n,
					    pid_t ns_tid)
{
	uint32_t i = map64_get(&n->by_tid, (uint64_t)ns_tid);

	if (ns_tid <= 0 || i == MAP64_NONE || !n->names[i].ns_tid)
		return NULL;
	return &n->names[i];
}
