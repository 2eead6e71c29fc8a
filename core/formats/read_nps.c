/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_nps: reads snapshots of VisualVM and the NetBeans profiler (.nps).
 *
 * A thread's call tree becomes two events, both in nanoseconds:
 *    nps.wall   time that a method was on the stack trace, running or not
 *    nps.cpu    part of it in which the thread ran; not in all snapshots
 * Classes of a memory snapshot, with their stack traces if it has any, become
 *    nps.alloc  objects and bytes that were allocated
 *    nps.live   objects and bytes that are in use
 * A snapshot does not have the number of its samples, so a sample of the
 * profile stands for up to a millisecond.
 *
 * Threads have no id: the stored number only counts them. All samples have the
 * time when the recording began.
 */
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/cursor.h"
#include "core/base/lines.h"
#include "core/base/map64.h"
#include "core/base/pages.h"
#include "core/base/zip.h"
#include "core/formats/read_nps.h"
#include "core/formats/reader.h"
#include "core/profile/java_name.h"
#include "core/profile/profile.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NPS_MAGIC        "nBpRoFiLeR"
#define NPS_MAJOR        1
#define NPS_COMMENT      2 /* first minor version with a comment */
#define NPS_TYPE_CPU     1
#define NPS_TYPE_ALLOC   4
#define NPS_TYPE_LIVE    8
#define NPS_TYPE_SAMPLED 16
#define NPS_PAYLOAD      1         /* version of the compressed data */
#define NPS_MAX          INT32_MAX /* bytes; the maximum of a Java array */
#define NPS_METHOD_MIN   6         /* bytes: three empty strings */
#define NPS_DISCARD      ((ptrdiff_t)(4 * ALLOC_HUGE_PAGE))
#define NPS_TREE_TRAILER 73 /* bytes of totals after a thread's node size */

/* Range of times since the epoch in ms (2001 to 2255); others are uptimes. */
#define EPOCH_MIN_MS INT64_C(1000000000000)
#define EPOCH_MAX_MS INT64_C(9000000000000)

struct header {
	int8_t major, minor;
	uint32_t type;
	uint32_t compressed_len, len;
};

struct snapshot {
	struct profile *profile;
	const char *damage; /* why the data ends early, or NULL */
	struct nps_methods methods;
	struct nps_cells cells;
	uint32_t events[2];
	int64_t time_ns;
};

struct utf {
	const char *text; /* modified UTF-8, borrowed */
	size_t len;
};

static struct utf nps_read_utf(struct cursor *c)
{
	struct utf utf;

	utf.len = cursor_u16(c);
	utf.text = (const char *)cursor_bytes(c, utf.len);
	if (!utf.text)
		utf = (struct utf){ "", 0 };
	return utf;
}

static bool nps_starts(const uint8_t *bytes, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(bytes, with, strlen(with)) == 0;
}

static bool nps_is_npss(const uint8_t *head, size_t len)
{
	return nps_starts(head, len, "NPSS\1") ||
	       nps_starts(head, len, "NPSS\2");
}

static bool nps_sniff(const uint8_t *head, size_t len)
{
	return nps_starts(head, len, NPS_MAGIC) || nps_is_npss(head, len);
}

/* Rejects known types of snapshots that sjkc does not support. */
static int nps_check_kind(const uint8_t *bytes, size_t len, struct error *err)
{
	if (nps_is_npss(bytes, len))
		return fail(err, ERROR_INPUT,
			    "is a file of raw samples (.npss); open it in "
			    "VisualVM and save it as .nps");
	if (!nps_starts(bytes, len, NPS_MAGIC))
		return fail(err, ERROR_INPUT,
			    "not a VisualVM snapshot: it does not begin "
			    "with " NPS_MAGIC);
	return 0;
}

static int nps_check_type(uint32_t type, struct error *err)
{
	static const struct {
		uint32_t type;
		const char *what;
	} types[] = {
		{ 2, "the times of a code fragment" },
		{ 32, "database queries" },
	};

	if (type == NPS_TYPE_CPU || type == NPS_TYPE_ALLOC ||
	    type == NPS_TYPE_LIVE || type == NPS_TYPE_SAMPLED)
		return 0;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (types[i].type == type)
			return fail(err, ERROR_INPUT,
				    "holds %s; only CPU and memory snapshots "
				    "can be drawn",
				    types[i].what);
	}
	return fail(err, ERROR_INPUT, "is a snapshot of unknown type %" PRIu32,
		    type);
}

static int nps_read_header(struct cursor *c, struct header *h,
			   struct error *err)
{
	cursor_skip(c, strlen(NPS_MAGIC));
	h->major = (int8_t)cursor_u8(c);
	h->minor = (int8_t)cursor_u8(c);
	h->type = cursor_u32(c);
	h->compressed_len = cursor_u32(c);
	h->len = cursor_u32(c);
	if (!cursor_ok(c))
		return fail(err, ERROR_INPUT, "ends within its header");
	if (h->major > NPS_MAJOR)
		return fail(err, ERROR_INPUT,
			    "snapshot version %d.%d is not supported; the "
			    "newest supported version is %d",
			    h->major, h->minor, NPS_MAJOR);
	return nps_check_type(h->type, err);
}

/*
 * Keeps the settings that state how samples were taken, from a text of
 * java.util.Properties: the type is 64 if threads were sampled, and the
 * frequency is then the number of milliseconds between thread dumps.
 */
static void nps_keep_settings(struct profile *p, const uint8_t *text,
			      size_t len)
{
	static const struct {
		const char *key, *name, *before, *behind;
	} kept[] = {
		{ "profiler.settings.profiling.type=", "type", "", "" },
		{ "profiler.settings.cpu.sampling.frequency=", "rate",
		  "of 1 ms, from a dump every ", " ms" },
	};
	struct lines lines = lines_over(text, len);
	struct line line;
	char value[64];

	while (lines_next(&lines, &line)) {
		for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
			size_t key = strlen(kept[i].key);

			if (!line_starts(line, kept[i].key) ||
			    line.len - key > 8)
				continue;
			snprintf(value, sizeof(value), "%s%.*s%s",
				 kept[i].before, (int)(line.len - key),
				 line.text + key, kept[i].behind);
			profile_set(p, "nps.wall", kept[i].name, value);
			profile_set(p, "nps.cpu", kept[i].name, value);
		}
	}
}

/*
 * Checks the fields after the compressed data. They are not used, but a file
 * without them is truncated.
 */
static void nps_check_trailer(struct profile *p, struct cursor *c,
			      const struct header *h)
{
	uint32_t len = cursor_u32(c);
	const uint8_t *settings = cursor_bytes(c, len);

	if (cursor_ok(c)) {
		nps_keep_settings(p, settings, len);
	} else {
		profile_lost(p, "truncated settings", 1, "%" PRId32 " bytes",
			     (int32_t)len);
		return;
	}
	if (h->minor >= NPS_COMMENT)
		nps_read_utf(c);
	if (!cursor_ok(c))
		profile_lost(p, "truncated comment", 1, "%s", "");
}

/*
 * Reports wrong lengths in the header. Reading does not depend on them, because
 * the compressed data has its own end; VisualVM rejects such a file.
 */
static void nps_check_lengths(struct profile *p, const struct header *h,
			      const struct inflated *data)
{
	if (data->damage)
		profile_lost(p, "truncated compressed data", 1,
			     "%s; %zu of %" PRId32 " bytes came out",
			     data->damage, data->len, (int32_t)h->len);
	else if (data->used != h->compressed_len)
		profile_lost(p, "wrong lengths in the header", 1,
			     "%" PRId32 " bytes compressed, they are %zu",
			     (int32_t)h->compressed_len, data->used);
	else if (data->len != h->len)
		profile_lost(p, "wrong lengths in the header", 1,
			     "%" PRId32 " bytes uncompressed, they are %zu",
			     (int32_t)h->len, data->len);
}

/*
 * Returns the frame of a Java method as the sampler names it: "wait[native]",
 * perhaps with a signature, "wait[native](long) : void", which is removed as in
 * all other formats.
 */
static uint32_t nps_method_frame(struct profile *p, struct utf class_name,
				 struct utf method)
{
	static const char native[] = "[native]";
	struct frame f = { .kind = FRAME_JAVA };
	const char *paren = memchr(method.text, '(', method.len);
	size_t len = method.len;

	if (paren && paren > method.text)
		len = (size_t)(paren - method.text);
	if (len > strlen(native) && memcmp(method.text + len - strlen(native),
					   native, strlen(native)) == 0) {
		f.kind = FRAME_NATIVE;
		len -= strlen(native);
	}
	f.class_name = java_class_name(p, class_name.text, class_name.len);
	f.method = profile_string(p, method.text, len);
	return profile_frame(p, &f);
}

/* Appends ": truncated …" to a message. */
static int nps_fail_cut(struct snapshot *s, struct error *err, const char *what)
{
	return fail(err, ERROR_INPUT, "the snapshot is truncated in %s%s%s",
		    what, s->damage ? ": " : "", s->damage ? s->damage : "");
}

static int nps_read_methods(struct snapshot *s, struct cursor *c,
			    struct error *err)
{
	uint32_t count = cursor_u32(c);

	if (!cursor_ok(c))
		return nps_fail_cut(s, err, "its first fields");
	if (count > cursor_left(c) / NPS_METHOD_MIN)
		return nps_fail_cut(s, err, "its table of methods");
	s->methods.frames = xcalloc(count, sizeof(*s->methods.frames));
	for (uint32_t i = 0; i < count; i++) {
		struct utf class_name = nps_read_utf(c);
		struct utf method = nps_read_utf(c);

		nps_read_utf(c); /* the signature */
		if (!cursor_ok(c))
			return nps_fail_cut(s, err, "its table of methods");
		if (i > 0)
			s->methods.frames[i] = nps_method_frame(
				s->profile, class_name, method);
	}
	s->methods.count = count;
	return 0;
}

static bool nps_is_epoch(int64_t ms)
{
	return ms >= EPOCH_MIN_MS && ms < EPOCH_MAX_MS;
}

/* Reads the fields that begin snapshots of all types. */
static int nps_read_start(struct snapshot *s, struct cursor *c,
			  struct error *err)
{
	uint32_t version = cursor_u32(c);
	int64_t began = (int64_t)cursor_u64(c);
	int64_t taken = (int64_t)cursor_u64(c);

	if (cursor_ok(c) && version != NPS_PAYLOAD)
		return fail(err, ERROR_INPUT,
			    "holds data of version %" PRIu32 ", not %d",
			    version, NPS_PAYLOAD);
	/* Snapshots made of raw samples have an uptime instead. */
	if (nps_is_epoch(began))
		s->time_ns = began * CLOCK_NS_PER_MS;
	else if (nps_is_epoch(taken))
		s->time_ns = taken * CLOCK_NS_PER_MS;
	return cursor_ok(c) ? 0 : nps_fail_cut(s, err, "its first fields");
}

/* Reads one thread; false if it is incomplete. */
static bool nps_read_thread(struct snapshot *s, struct cursor *c)
{
	struct profile *p = s->profile;
	struct nps_tree tree = { 0 };
	struct sample sample = { .time_ns = s->time_ns };
	struct thread thread = { 0 };
	size_t threads = p->thread_count;
	uint32_t node_size;
	struct utf name;

	cursor_skip(c, 4); /* a sequence number, not an id */
	name = nps_read_utf(c);
	tree.two_times = cursor_u8(c) != 0;
	tree.full_len = cursor_u32(c);
	if (!cursor_ok(c))
		return false;
	tree.len = tree.full_len < cursor_left(c) ? tree.full_len
						  : cursor_left(c);
	tree.bytes = cursor_bytes(c, tree.len);
	node_size = cursor_u32(c);
	cursor_skip(c, NPS_TREE_TRAILER);
	if (cursor_ok(c) &&
	    node_size != (tree.two_times ? NPS_NODE_TWO : NPS_NODE_ONE)) {
		profile_lost(p, "threads skipped", 1,
			     "%.*s: nodes of %" PRIu32 " bytes", (int)name.len,
			     name.text, node_size);
		return true;
	}
	if (tree.two_times)
		s->events[1] = profile_event(p, "nps.cpu", UNIT_NS);
	thread.name = profile_string(p, name.text, name.len);
	sample.thread = profile_thread(p, &thread);
	nps_tree_read(p, &tree, &s->methods, &sample, s->events,
		      p->thread_count > threads ? &s->cells : NULL);
	return cursor_ok(c);
}

/*
 * Discards the call trees as they are read: most large snapshots take less
 * memory as cells and stack traces than as bytes.
 */
static void nps_read_threads(struct snapshot *s, struct cursor *c)
{
	uint32_t count = cursor_u32(c);
	size_t total = cursor_offset(c) + cursor_left(c);
	const uint8_t *kept = c->at;

	for (uint32_t i = 0; i < count; i++) {
		if (!nps_read_thread(s, c)) {
			profile_lost(s->profile, "truncated threads", 1,
				     "thread %" PRIu32 " of %" PRIu32, i + 1,
				     count);
			return;
		}
		if (c->at - kept >= NPS_DISCARD) {
			pages_discard(kept, (size_t)(c->at - kept));
			kept = c->at;
		}
		profile_progress(s->profile, cursor_offset(c), total);
	}
	if (!cursor_ok(c))
		profile_lost(s->profile, "truncated threads", 1, "%s",
			     "their number is missing");
}

static int nps_read_cpu(struct snapshot *s, struct cursor *c, struct error *err)
{
	s->events[0] = profile_event(s->profile, "nps.wall", UNIT_NS);
	cursor_u8(c); /* two times; repeated for each thread */
	if (nps_read_methods(s, c, err))
		return -1;
	nps_read_threads(s, c);
	return 0;
}

/*
 * nps_memory: the classes of a memory snapshot.
 *
 * A class may have a tree whose nodes are methods: callees of the root allocate
 * the object, and their callees are their callers. A node with numbers ends a
 * stack trace, and may have callees nevertheless. The names of the methods
 * follow all trees, so the trees are visited twice.
 */

#define NPS_CLASS_MIN  10 /* bytes of a class: an empty name and a number */
#define NPS_NODE_MIN   12 /* bytes of a node: type, method, callees */
#define NPS_METHOD_ROW 10 /* bytes of a method: id, three empty strings */

enum { MEMORY_NODE = 1, MEMORY_ALLOC, MEMORY_LIVE };

enum { MEMORY_ALLOCATED, MEMORY_IN_USE, MEMORY_EVENTS };

struct objects {
	uint64_t count, bytes;
};

struct memory_class {
	uint32_t name; /* string */
	/* Those that no stack trace accounts for, index: event. */
	struct objects left[MEMORY_EVENTS];
};

struct memory_node {
	uint32_t type, method;
	uint32_t callees; /* still to be read */
};

struct memory {
	struct snapshot *snapshot;
	struct memory_class *classes;
	size_t class_count;
	bool has[MEMORY_EVENTS];
	uint32_t events[MEMORY_EVENTS];
	struct map64 methods; /* id to frame */
	/* The node being read and its callers, and their frames. */
	struct memory_node *path;
	size_t depth, path_cap;
	uint32_t *frames;
	size_t frame_cap;
	uint64_t room;           /* upper bound of frames of all stack traces */
	struct memory_class *of; /* NULL in the first visit */
};

static void memory_add(struct memory *m, int event, uint32_t stack,
		       const struct objects *o)
{
	struct sample s = {
		.event = m->events[event],
		.stack = stack,
		.time_ns = m->snapshot->time_ns,
		.count = o->count ? o->count : 1,
		.weight = o->bytes,
	};

	if (o->count || o->bytes)
		profile_add(m->snapshot->profile, &s);
}

static uint32_t memory_frame(struct memory *m, uint32_t method)
{
	uint32_t frame = map64_get(&m->methods, method);

	if (frame == MAP64_NONE)
		frame = nps_unknown_frame(m->snapshot->profile, method);
	return frame;
}

/* Returns the stack trace of the path, with the class at its leaf. */
static uint32_t memory_stack(struct memory *m)
{
	struct profile *p = m->snapshot->profile;
	size_t count = m->depth - 1; /* without the root */
	uint32_t stack;

	array_reserve(m->frames, m->frame_cap, count);
	for (size_t i = 0; i < count; i++)
		m->frames[i] = memory_frame(m, m->path[i + 1].method);
	stack = profile_stack(p, m->frames, count);
	return profile_push_class(p, stack, m->of->name);
}

static void objects_take(struct objects *from, const struct objects *o)
{
	from->count -= o->count < from->count ? o->count : from->count;
	from->bytes -= o->bytes < from->bytes ? o->bytes : from->bytes;
}

/* Adds the objects of the stack trace that ends at the current node. */
static void memory_add_node(struct memory *m, const struct objects *allocated,
			    uint64_t live)
{
	struct objects in_use = { .count = live };
	uint32_t stack;

	if (!m->of || m->depth < 2 || !allocated->count)
		return;
	if (m->depth > m->room) {
		profile_lost(m->snapshot->profile, "stack traces too deep", 1,
			     "%zu frames", m->depth);
		return;
	}
	m->room -= m->depth;
	stack = memory_stack(m);
	memory_add(m, MEMORY_ALLOCATED, stack, allocated);
	objects_take(&m->of->left[MEMORY_ALLOCATED], allocated);
	/* The snapshot has the sizes of live objects only per class. */
	in_use.bytes = (uint64_t)((unsigned __int128)allocated->bytes * live /
				  allocated->count);
	if (m->has[MEMORY_IN_USE] && live) {
		memory_add(m, MEMORY_IN_USE, stack, &in_use);
		objects_take(&m->of->left[MEMORY_IN_USE], &in_use);
	}
}

/* Reads the numbers of the current node, which follow its callees. */
static void memory_end_node(struct memory *m, struct cursor *c)
{
	uint32_t type = m->path[m->depth - 1].type;
	struct objects allocated;
	uint64_t live = 0;
	uint32_t epochs;

	if (type != MEMORY_NODE) {
		allocated.count = cursor_u64(c);
		allocated.bytes = cursor_u64(c);
		epochs = type == MEMORY_LIVE ? cursor_u32(c) : 0;
		if (epochs > cursor_left(c) / 8)
			cursor_fail(c);
		for (uint32_t i = 0; cursor_ok(c) && i < epochs; i++) {
			int32_t epoch = (int32_t)cursor_u32(c);
			uint32_t count = cursor_u32(c);

			live += epoch == -1 ? 0 : count;
		}
		if (cursor_ok(c))
			memory_add_node(m, &allocated, live);
	}
	m->depth--;
}

static void memory_begin_node(struct memory *m, struct cursor *c, uint32_t type)
{
	struct memory_node node = { .type = type };

	node.method = cursor_u32(c);
	node.callees = cursor_u32(c);
	if (type < MEMORY_NODE || type > MEMORY_LIVE ||
	    node.callees > cursor_left(c) / NPS_NODE_MIN)
		cursor_fail(c);
	array_add(m->path, m->depth, m->path_cap, node);
}

/* Reads the tree of one class; the cursor fails if it is damaged. */
static void memory_visit_tree(struct memory *m, struct cursor *c)
{
	uint32_t type = cursor_u32(c);

	if (!type)
		return;
	m->depth = 0;
	memory_begin_node(m, c, type);
	while (cursor_ok(c) && m->depth) {
		struct memory_node *top = &m->path[m->depth - 1];

		if (top->callees) {
			top->callees--;
			type = cursor_u32(c);
			memory_begin_node(m, c, type);
		} else {
			memory_end_node(m, c);
		}
	}
}

/* Visits the trees of all classes; the second visit adds their objects. */
static void memory_visit_trees(struct memory *m, struct cursor *c, bool adds)
{
	uint32_t count = cursor_u32(c);

	for (uint32_t i = 0; cursor_ok(c) && i < count; i++) {
		struct memory_class none = { 0 };

		m->of = !adds                ? NULL
			: i < m->class_count ? &m->classes[i]
					     : &none;
		memory_visit_tree(m, c);
	}
}

static void memory_read_table(struct memory *m, struct cursor *c)
{
	uint32_t count;

	cursor_skip(c, 12); /* sizes of a Java hash table */
	count = cursor_u32(c);
	if (count > cursor_left(c) / NPS_METHOD_ROW)
		cursor_fail(c);
	for (uint32_t i = 0; cursor_ok(c) && i < count; i++) {
		uint32_t id = cursor_u32(c);
		struct utf class_name = nps_read_utf(c);
		struct utf method = nps_read_utf(c);

		nps_read_utf(c); /* the signature */
		if (cursor_ok(c))
			map64_add(&m->methods, id,
				  nps_method_frame(m->snapshot->profile,
						   class_name, method));
	}
}

static int memory_read_classes(struct memory *m, struct cursor *c, int event,
			       struct error *err)
{
	uint32_t count = cursor_u32(c);

	if (!cursor_ok(c) || count > cursor_left(c) / NPS_CLASS_MIN)
		return nps_fail_cut(m->snapshot, err, "its table of classes");
	m->classes = xcalloc(count, sizeof(*m->classes));
	for (uint32_t i = 0; i < count; i++) {
		struct memory_class *of = &m->classes[i];
		struct utf name = nps_read_utf(c);

		of->left[event].bytes = cursor_u64(c);
		if (!cursor_ok(c))
			return nps_fail_cut(m->snapshot, err,
					    "its table of classes");
		of->name = java_class_name(m->snapshot->profile, name.text,
					   name.len);
	}
	m->class_count = count;
	return 0;
}

/* Reads a number of 4 or 8 bytes for each class. */
static void memory_read_column(struct memory *m, struct cursor *c,
			       unsigned size, int event, bool is_bytes)
{
	uint32_t count = cursor_u32(c);

	if (count > cursor_left(c) / size)
		cursor_fail(c);
	for (uint32_t i = 0; cursor_ok(c) && i < count; i++) {
		uint64_t value = size == 8 ? cursor_u64(c) : cursor_u32(c);

		if (i >= m->class_count)
			continue;
		if (is_bytes)
			m->classes[i].left[event].bytes = value;
		else
			m->classes[i].left[event].count = value;
	}
}

/* Reads the columns of numbers behind the trees. */
static void memory_read_columns(struct memory *m, struct cursor *c,
				uint32_t type)
{
	uint32_t count;

	if (type != NPS_TYPE_LIVE) {
		memory_read_column(m, c, 4,
				   type == NPS_TYPE_ALLOC ? MEMORY_ALLOCATED
							  : MEMORY_IN_USE,
				   false);
		return;
	}
	memory_read_column(m, c, 8, MEMORY_ALLOCATED, false);
	memory_read_column(m, c, 4, MEMORY_IN_USE, false);
	count = cursor_u32(c); /* the number of collections survived */
	cursor_skip(c, (uint64_t)count * 4);
	memory_read_column(m, c, 8, MEMORY_IN_USE, true);
}

/* The class is the only frame of objects without a stack trace. */
static void memory_add_rest(struct memory *m, int event)
{
	for (size_t i = 0; i < m->class_count; i++) {
		const struct memory_class *of = &m->classes[i];
		struct frame f = {
			.class_name = of->name,
			.kind = FRAME_CLASS,
		};
		uint32_t frame = profile_frame(m->snapshot->profile, &f);

		memory_add(m, event,
			   profile_push(m->snapshot->profile, 0, frame),
			   &of->left[event]);
	}
}

/* Returns the trees, which it skips; failed if there are none. */
static struct cursor memory_skip_trees(struct memory *m, struct cursor *c)
{
	struct cursor trees = { .failed = true };

	if (!cursor_u8(c))
		return trees;
	trees = *c;
	memory_visit_trees(m, c, false);
	if (cursor_u8(c))
		memory_read_table(m, c);
	return trees;
}

static int memory_read(struct memory *m, struct cursor *c, uint32_t type,
		       struct error *err)
{
	static const char *const names[] = { "nps.alloc", "nps.live" };
	int first = type == NPS_TYPE_SAMPLED ? MEMORY_IN_USE : MEMORY_ALLOCATED;
	struct profile *p = m->snapshot->profile;
	struct cursor trees;

	m->has[first] = true;
	m->has[MEMORY_IN_USE] |= type == NPS_TYPE_LIVE;
	m->room = cursor_left(c);
	for (int i = 0; i < MEMORY_EVENTS; i++) {
		if (m->has[i])
			m->events[i] = profile_event(p, names[i], UNIT_BYTES);
	}
	if (memory_read_classes(m, c, first, err))
		return -1;
	trees = memory_skip_trees(m, c);
	memory_read_columns(m, c, type);
	if (!cursor_ok(c))
		profile_lost(p, "truncated numbers of objects", 1, "%s", "");
	if (cursor_ok(&trees))
		memory_visit_trees(m, &trees, true);
	for (int i = 0; i < MEMORY_EVENTS; i++) {
		if (m->has[i])
			memory_add_rest(m, i);
	}
	return 0;
}

static int nps_read_memory(struct snapshot *s, struct cursor *c, uint32_t type,
			   struct error *err)
{
	struct memory m = { .snapshot = s };
	int ret = memory_read(&m, c, type, err);

	free(m.classes);
	free(m.path);
	free(m.frames);
	map64_release(&m.methods);
	return ret;
}

int nps_read_within(const uint8_t *bytes, size_t len, size_t *room,
		    struct profile *p, struct error *err)
{
	size_t max = *room < NPS_MAX ? *room + 1 : NPS_MAX;

	struct snapshot s = { .profile = p };
	struct cursor file = cursor_over(bytes, len);
	struct header header;
	struct inflated data;
	struct cursor c;
	int ret;

	if (nps_check_kind(bytes, len, err) ||
	    nps_read_header(&file, &header, err))
		return -1;
	data = inflate_bytes(INFLATE_ZLIB, file.at, cursor_left(&file), max);
	if (data.len > *room) {
		free(data.bytes);
		*room = 0;
		return fail(err, ERROR_INPUT,
			    "the compressed snapshot expands too much");
	}
	*room -= data.len;
	nps_check_lengths(p, &header, &data);
	if (!data.damage) {
		cursor_skip(&file, data.used);
		nps_check_trailer(p, &file, &header);
	}
	s.damage = data.damage;
	c = cursor_over(data.bytes, data.len);
	ret = nps_read_start(&s, &c, err);
	if (!ret)
		ret = header.type == NPS_TYPE_CPU
			      ? nps_read_cpu(&s, &c, err)
			      : nps_read_memory(&s, &c, header.type, err);
	free(s.methods.frames);
	free(s.cells.of);
	free(data.bytes);
	return ret;
}

static int nps_read(const uint8_t *bytes, size_t len, struct profile *p,
		    struct error *err)
{
	size_t room = NPS_MAX;

	return nps_read_within(bytes, len, &room, p, err);
}

const struct reader nps_reader = {
	.name = "nps",
	.summary = "VisualVM snapshot",
	.sniff = nps_sniff,
	.read = nps_read,
};
