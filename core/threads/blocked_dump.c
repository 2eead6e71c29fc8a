/* SPDX-License-Identifier: Apache-2.0 */
/* blocked_dump: reads blocked threads and lock owners from a Thread.print. */
#include "core/threads/blocked.h"

#include "core/base/map64.h"
#include "core/threads/dump_blocks.h"

#include <string.h>

/*
 * HotSpot's wording of waits (javaVFrame::print_lock_info_on and, for
 * synchronizers, the park blocker).
 */
static const struct {
	const char *start;
	enum blocked_kind kind;
} waits[] = {
	{ "\t- waiting to lock ", BLOCKED_MONITOR },
	{ "\t- waiting to re-lock in wait() ", BLOCKED_MONITOR },
	{ "\t- parking to wait for ", BLOCKED_SYNCHRONIZER },
};

static struct line line_after(struct line line, size_t len)
{
	return (struct line){ line.text + len, line.len - len };
}

/* A lock reads " <0x00000000ffd1be00> (a c.D)". */
struct lock {
	uint64_t address;
	struct line id, class_name;
};

static bool lock_read(struct line line, struct lock *lock)
{
	const char *open = memmem(line.text, line.len, "<0x", 3);
	const char *close, *class_name;
	int64_t address;

	if (!open)
		return false;
	line = line_after(line, (size_t)(open + 1 - line.text));
	close = memchr(line.text, '>', line.len);
	if (!close ||
	    !dump_hex(line.text + 2, (size_t)(close - line.text - 2), &address))
		return false;
	lock->address = (uint64_t)address;
	lock->id = (struct line){ line.text, (size_t)(close - line.text) };
	line = line_trimmed(line_after(line, lock->id.len + 1));
	class_name = memmem(line.text, line.len, "(a ", 3);
	if (!class_name)
		return false;
	line = line_after(line, (size_t)(class_name + 3 - line.text));
	if (line.len && line.text[line.len - 1] == ')')
		line.len--;
	lock->class_name = line;
	return true;
}

static int64_t dump_thread_id(const struct dump_header *h)
{
	/* Threads without a Java id can hold Java locks only through JNI. */
	return h->java_id ? h->java_id : -h->os_id;
}

static const char *dump_copy(struct blocked *b, struct line line)
{
	return blocked_string(b, line.text, line.len);
}

/* A state reads "BLOCKED (on object monitor)". */
static enum thread_run_state line_state(struct line line)
{
	const char *end = memchr(line.text, ' ', line.len);

	if (end)
		line.len = (size_t)(end - line.text);
	for (int i = RUN_NEW; i <= RUN_TERMINATED; i++) {
		enum thread_run_state state = (enum thread_run_state)i;

		if (line_is(line, thread_run_state_name(state)))
			return state;
	}
	return RUN_UNKNOWN;
}

static enum thread_run_state body_state(struct lines body)
{
	static const char state[] = "   java.lang.Thread.State: ";
	struct line line;

	while (lines_next(&body, &line) && line_starts(line, "   ")) {
		if (line_starts(line, state))
			return line_state(line_after(line, sizeof(state) - 1));
	}
	return RUN_UNKNOWN;
}

/* Copies "a.B.run(java.base@25/B.java:7)" without its module. */
static const char *dump_copy_frame(struct blocked *b, struct line line)
{
	const char *open = memchr(line.text, '(', line.len);
	const char *end = line.text + line.len, *slash;
	struct text frame = { 0 };
	const char *copy;

	slash = open ? memchr(open, '/', (size_t)(end - open)) : NULL;
	if (!slash)
		return blocked_string(b, line.text, line.len);
	text_add(&frame, line.text, (size_t)(open + 1 - line.text));
	text_add(&frame, slash + 1, (size_t)(end - slash - 1));
	copy = blocked_string(b, frame.bytes, frame.len);
	text_release(&frame);
	return copy;
}

/*
 * Sets the leaf, and the first frame that does not belong to the waiting
 * itself.
 */
static void dump_read_frames(struct blocked *b, struct blocked_thread *t,
			     struct lines body)
{
	static const char at[] = "\tat ";
	struct line line;

	while (lines_next(&body, &line)) {
		if (!line_starts(line, at))
			continue;
		t->frame = dump_copy_frame(
			b, line_trimmed(line_after(line, sizeof(at) - 1)));
		if (!*t->leaf)
			t->leaf = t->frame;
		if (!blocked_is_plumbing(t->frame))
			return;
	}
	t->frame = t->leaf;
}

static struct blocked_thread *dump_add_thread(struct blocked *b,
					      const struct dump_block *block)
{
	struct blocked_thread *t = blocked_add(b);

	if (!t)
		return NULL;
	t->id = dump_thread_id(&block->header);
	t->name = blocked_string(b, block->header.name, block->header.name_len);
	t->state = body_state(block->body);
	if (block->header.cpu_ns > 0)
		t->cpu_ns = block->header.cpu_ns;
	dump_read_frames(b, t, block->body);
	return t;
}

/*
 * Of two lines, the first belongs to the topmost frame, where the thread waits.
 * JDK 11 prints "waiting to re-lock" for threads that wait to be notified.
 */
static bool dump_find_wait(const struct dump_block *block, struct lock *lock,
			   enum blocked_kind *kind)
{
	bool is_blocked = body_state(block->body) == RUN_BLOCKED;
	struct lines body = block->body;
	struct line line;

	while (lines_next(&body, &line)) {
		for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
			if (!line_starts(line, waits[i].start) ||
			    !lock_read(line_after(line, strlen(waits[i].start)),
				       lock))
				continue;
			*kind = waits[i].kind;
			return is_blocked || *kind == BLOCKED_SYNCHRONIZER;
		}
	}
	return false;
}

/* Adds the blocked threads, and their locks to *wanted. */
static void dump_add_waiting(struct blocked *b, struct dump_blocks blocks,
			     struct map64 *wanted)
{
	struct dump_block block;

	while (dump_blocks_next(&blocks, &block)) {
		enum blocked_kind kind;
		struct blocked_thread *t;
		struct lock lock;
		const char *class_name;

		if (!dump_find_wait(&block, &lock, &kind))
			continue;
		class_name = dump_copy(b, lock.class_name);
		if (kind == BLOCKED_SYNCHRONIZER &&
		    !blocked_is_lock(class_name))
			continue;
		t = dump_add_thread(b, &block);
		if (!t)
			continue;
		t->kind = kind;
		t->lock_class = class_name;
		t->lock_id = dump_copy(b, lock.id);
		map64_add(wanted, lock.address, 0);
	}
}

/*
 * Iterates over the locks of a thread. let_go has the monitors that the thread
 * released to wait for a notification. If such a line reads "waiting on <no
 * object reference available>", the first locked monitor is the released one.
 */
struct held {
	struct lines body;
	uint64_t let_go[2];
	bool first_is_let_go;
};

static struct held held_over(const struct dump_block *block)
{
	static const char on[] = "\t- waiting on ";
	struct held h = { .body = block->body };
	struct lines body = block->body;
	enum blocked_kind kind;
	struct lock lock;
	struct line line;

	if (dump_find_wait(block, &lock, &kind))
		h.let_go[0] = lock.address;
	while (lines_next(&body, &line)) {
		if (!line_starts(line, on))
			continue;
		if (lock_read(line_after(line, sizeof(on) - 1), &lock))
			h.let_go[1] = lock.address;
		else
			h.first_is_let_go = true;
		break;
	}
	return h;
}

/* Reads the next lock that the thread owns; false at the end. */
static bool held_next(struct held *h, struct lock *lock)
{
	static const char locked[] = "\t- locked ", owned[] = "\t- <0x";
	struct line line;

	while (lines_next(&h->body, &line)) {
		bool by_monitor = line_starts(line, locked);

		/* Only Thread.print -l lists synchronizers. */
		if ((!by_monitor && !line_starts(line, owned)) ||
		    !lock_read(line, lock))
			continue;
		if (by_monitor && h->first_is_let_go) {
			h->first_is_let_go = false;
			h->let_go[1] = lock->address;
		}
		if (lock->address != h->let_go[0] &&
		    lock->address != h->let_go[1])
			return true;
	}
	return false;
}

/* A thread that is in the list already is found by its id. */
static void dump_add_owners(struct blocked *b, struct dump_blocks blocks,
			    struct map64 *wanted, struct map64 *owners)
{
	struct map64 known = { 0 };
	struct dump_block block;

	for (size_t i = 0; i < b->count; i++)
		map64_add(&known, (uint64_t)b->threads[i].id, (uint32_t)i);
	while (dump_blocks_next(&blocks, &block)) {
		struct held held = held_over(&block);
		uint64_t id = (uint64_t)dump_thread_id(&block.header);
		struct lock lock;

		while (held_next(&held, &lock)) {
			uint32_t at = map64_get(&known, id);

			if (map64_get(wanted, lock.address) == MAP64_NONE)
				continue;
			if (at == MAP64_NONE && !dump_add_thread(b, &block))
				break;
			if (at == MAP64_NONE) {
				at = (uint32_t)b->count - 1;
				map64_add(&known, id, at);
			}
			map64_add(owners, lock.address, at);
		}
	}
	map64_release(&known);
}

void blocked_read_dump(struct blocked *b, const char *reply, size_t len)
{
	struct dump_blocks blocks = dump_blocks_over(reply, len);
	struct map64 wanted = { 0 }, owners = { 0 };

	dump_add_waiting(b, blocks, &wanted);
	dump_add_owners(b, blocks, &wanted, &owners);
	for (size_t i = 0; i < b->count; i++) {
		struct blocked_thread *t = &b->threads[i];
		int64_t address;
		uint32_t at;

		if (t->kind == BLOCKED_NOT ||
		    !dump_hex(t->lock_id + 2, strlen(t->lock_id + 2), &address))
			continue;
		at = map64_get(&owners, (uint64_t)address);
		if (at != MAP64_NONE)
			t->owner_id = b->threads[at].id;
	}
	map64_release(&wanted);
	map64_release(&owners);
}

/* ---- owners from the JVM's memory ---- */

static bool class_names_equal(const char *dump, const char *vm)
{
	size_t i = 0;

	for (; dump[i] && vm[i]; i++)
		if (dump[i] != (vm[i] == '/' ? '.' : vm[i]))
			return false;
	return dump[i] == vm[i];
}

/* Virtual threads that are not mounted are in no Thread.print. */
static void owners_add_missing(struct blocked *b, struct map64 *known,
			       const struct lock_thread *owner)
{
	struct blocked_thread *t;

	if (!map64_add(known, (uint64_t)owner->java_id, 0))
		return;
	t = blocked_add(b);
	if (!t)
		return;
	t->id = owner->java_id;
	t->name = blocked_string(b, owner->name, strlen(owner->name));
	t->state = RUN_UNKNOWN;
	t->kind = BLOCKED_NOT;
}

void blocked_add_owners(struct blocked *b, const struct lock_waits *of)
{
	struct map64 by_id = { 0 }, known = { 0 };
	size_t count = b->count;

	for (size_t i = 0; i < of->count; i++)
		map64_add(&by_id, (uint64_t)of->all[i].waiter.java_id,
			  (uint32_t)i);
	for (size_t i = 0; i < count; i++)
		map64_add(&known, (uint64_t)b->threads[i].id, 0);
	for (size_t i = 0; i < count; i++) {
		struct blocked_thread *t = &b->threads[i];
		uint32_t at = map64_get(&by_id, (uint64_t)t->id);
		const struct lock_wait *w = at == MAP64_NONE ? NULL
							     : &of->all[at];

		if (!w || t->kind != BLOCKED_SYNCHRONIZER || t->owner_id ||
		    w->kind != LOCK_SYNCHRONIZER || w->is_reacquired ||
		    !w->owner.java_id ||
		    !class_names_equal(t->lock_class, w->lock_class))
			continue;
		t->owner_id = w->owner.java_id;
		owners_add_missing(b, &known, &w->owner);
	}
	b->knows_synchronizers = true;
	map64_release(&by_id);
	map64_release(&known);
}
