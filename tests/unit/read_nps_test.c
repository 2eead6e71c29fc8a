/* SPDX-License-Identifier: Apache-2.0 */
/* The files and what VisualVM's own reader says of them are in data/nps. */
#include "core/base/alloc.h"
#include "core/base/input.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/profile/frame_name.h"
#include "core/profile/readers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#define DATA      "tests/data/nps/"
#define MAX_DEPTH 256

static void slurp(struct input *in, const char *path)
{
	struct error err;

	if (input_open(in, path, &err) || input_complete(in, &err))
		fail_msg("%s: %s", path, err.text);
}

/* Reads bytes that hold a snapshot. */
static struct profile *read_bytes(const uint8_t *bytes, size_t len)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	if (nps_reader.read(bytes, len, p, &err))
		fail_msg("%s", err.text);
	return p;
}

/* The error that bytes which hold none are refused with. */
static struct error refusal(const void *bytes, size_t len)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	assert_int_equal(nps_reader.read(bytes, len, p, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	profile_free(p);
	return err;
}

static const struct remark *find_remark(const struct profile *p,
					const char *what)
{
	for (size_t i = 0; i < p->remark_count; i++) {
		if (strcmp(p->remarks[i].what, what) == 0)
			return &p->remarks[i];
	}
	fail_msg("no remark '%s'", what);
	return NULL;
}

/* --- A snapshot made by hand: main: A.main > B.run[native] ------------- */

struct made {
	struct text payload;
	const char *comment; /* NULL: none, as in version 1.1 */
	int32_t compressed_lie, len_lie;
	int32_t settings_len;
	int major;
	int32_t type;
};

static void put(struct text *t, uint64_t value, int bytes)
{
	while (bytes--)
		text_putc(t, bytes < 8 ? (char)(value >> 8 * bytes) : 0);
}

static void put_utf(struct text *t, const char *string)
{
	put(t, strlen(string), 2);
	text_puts(t, string);
}

static void put_node(struct text *t, unsigned method, uint64_t total,
		     unsigned callees)
{
	put(t, method, 2);
	put(t, 1, 4);
	put(t, total, 5);
	put(t, 0, 5); /* self time, which is not to be used */
	put(t, callees, 2);
}

static void put_start(struct text *t, int64_t began_ms, int64_t taken_ms)
{
	put(t, 1, 4);
	put(t, (uint64_t)began_ms, 8);
	put(t, (uint64_t)taken_ms, 8);
	put(t, 0, 1);
	put(t, 3, 4);
	put_utf(t, "Thread");
	put_utf(t, "");
	put_utf(t, "");
	put_utf(t, "A");
	put_utf(t, "main");
	put_utf(t, "()V");
	put_utf(t, "b/B$$Lambda$7/0x0000000800c0");
	put_utf(t, "run[native](long) : void");
	put_utf(t, "");
}

static void put_thread(struct text *t, const char *name,
		       const struct text *tree, unsigned node_size)
{
	put(t, 0, 4);
	put_utf(t, name);
	put(t, 0, 1);
	put(t, tree->len, 4);
	text_add(t, tree->bytes, tree->len);
	put(t, node_size, 4);
	for (int i = 0; i < 9; i++)
		put(t, 0, 8);
	put(t, 0, 1);
}

/* thread 2,501 us > A.main 2,501 us > B.run 2,000 us */
static void put_tree(struct text *tree)
{
	put_node(tree, 0, 2501, 1);
	put(tree, 21, 3);
	put_node(tree, 1, 2501, 1);
	put(tree, 42, 3);
	put_node(tree, 2, 2000, 0);
}

static struct made made_payload(int64_t began_ms, int64_t taken_ms)
{
	struct made m = { .comment = "", .major = 1, .type = 1 };
	struct text tree = { 0 };

	put_start(&m.payload, began_ms, taken_ms);
	put(&m.payload, 1, 4);
	put_tree(&tree);
	put_thread(&m.payload, "main", &tree, 18);
	text_release(&tree);
	return m;
}

/* The file; m's payload is released. */
static struct text made_file(struct made *m)
{
	struct text file = { 0 };
	uLongf len = compressBound(m->payload.len);
	uint8_t *zipped = xmalloc(len);

	assert_int_equal(compress(zipped, &len, (uint8_t *)m->payload.bytes,
				  m->payload.len),
			 Z_OK);
	text_puts(&file, "nBpRoFiLeR");
	put(&file, (uint64_t)m->major, 1);
	put(&file, m->comment ? 2 : 1, 1);
	put(&file, (uint64_t)m->type, 4);
	put(&file, len + (uint64_t)m->compressed_lie, 4);
	put(&file, m->payload.len + (uint64_t)m->len_lie, 4);
	text_add(&file, zipped, len);
	put(&file, (uint64_t)m->settings_len, 4);
	if (m->comment)
		put_utf(&file, m->comment);
	free(zipped);
	text_release(&m->payload);
	return file;
}

static struct profile *read_made(struct made *m)
{
	struct text file = made_file(m);
	struct profile *p = read_bytes((uint8_t *)file.bytes, file.len);

	text_release(&file);
	return p;
}

/* --- Against VisualVM's own reader -------------------------------------- */

/* The totals of every stack trace of a thread for an event. */
static uint64_t *totals_of(const struct profile *p, uint32_t thread,
			   const char *event)
{
	uint64_t *totals = xcalloc(p->stack_count, sizeof(*totals));

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (c->thread == thread &&
		    strcmp(profile_text(p, p->events[c->event].name), event) ==
			    0)
			totals[c->stack] += c->weight;
	}
	for (size_t i = p->stack_count; i-- > 1;)
		totals[p->stacks[i].caller] += totals[i];
	return totals;
}

static uint32_t thread_named(const struct profile *p, const char *name,
			     size_t len)
{
	for (uint32_t i = 1; i < p->thread_count; i++) {
		uint32_t own = p->threads[i].name;

		if (intern_len(&p->strings, own) == len &&
		    memcmp(profile_text(p, own), name, len) == 0)
			return i;
	}
	fail_msg("no thread %.*s", (int)len, name);
	return 0;
}

/* A method of the reference as we name it, class and method. */
static char *our_name(const char *name, size_t len)
{
	const char *native = memmem(name, len, "[native]", 8);
	const char *method, *end;
	struct text out = { 0 };

	if (native)
		len = (size_t)(native - name);
	method = end = memrchr(name, '.', len);
	if (memmem(name, len, "$$Lambda", 8))
		end = (char *)memmem(name, len, "$$Lambda", 8) + 8;
	/* GeneratedMethodAccessor1 */
	while (memmem(name, len, "Generated", 9) && end[-1] >= '0' &&
	       end[-1] <= '9')
		end--;
	text_add(&out, name, (size_t)(end - name));
	text_add(&out, method, (size_t)(name + len - method));
	return out.bytes;
}

/* Object.wait is both a native method and one that calls it. */
static uint32_t callee_named(const struct profile *p, uint32_t caller,
			     const char *name, bool is_native)
{
	static const struct frame_style style;
	uint32_t found = 0;

	for (uint32_t i = 1; i < p->stack_count && !found; i++) {
		const struct frame *f = &p->frames[p->stacks[i].frame];
		struct text own = { 0 };

		if (p->stacks[i].caller != caller ||
		    (f->kind == FRAME_NATIVE) != is_native)
			continue;
		frame_name(&own, p, f, &style);
		if (strcmp(own.bytes, name) == 0)
			found = i;
		text_release(&own);
	}
	if (!found)
		fail_msg("no callee %s", name);
	return found;
}

/* What a reference's thread says, added up per stack trace. */
struct expected {
	uint64_t *wall, *cpu;
	uint32_t path[MAX_DEPTH];
	size_t nodes;
};

static uint64_t number_after(struct line line, const char *key)
{
	const char *at = memmem(line.text, line.len, key, strlen(key));

	assert_non_null(at);
	return strtoull(at + strlen(key), NULL, 10);
}

/* "   N class.method t0=… s0=… t1=…", a blank for each level. */
static void expect_node(struct expected *e, const struct profile *p,
			struct line line)
{
	size_t depth = strspn(line.text, " ");
	const char *name = line.text + depth + 2;
	const char *end = memmem(line.text, line.len, " t0=", 4);
	uint32_t stack = 0;

	if (depth) {
		char *own = our_name(name, (size_t)(end - name));

		stack = callee_named(p, e->path[depth - 1], own,
				     end[-1] == ']');
		free(own);
	}
	e->path[depth] = stack;
	/* Callees of equal names are one here; the root is the thread. */
	e->wall[stack] += number_after(line, " t0=") * 1000;
	e->cpu[stack] += number_after(line, " t1=") * 1000;
	e->nodes++;
}

static void compare_thread(struct expected *e, const struct profile *p,
			   uint32_t thread)
{
	uint64_t *wall = totals_of(p, thread, "nps.wall");
	uint64_t *cpu = totals_of(p, thread, "nps.cpu");

	for (size_t i = 0; i < p->stack_count; i++) {
		assert_int_equal(wall[i], e->wall[i]);
		assert_int_equal(cpu[i], e->cpu[i]);
		e->wall[i] = e->cpu[i] = 0;
	}
	free(wall);
	free(cpu);
}

/* Gives the number of nodes that were compared. */
static size_t compare_with_reference(const char *nps, const char *reference)
{
	struct input in, ref;
	struct expected e = { 0 };
	struct profile *p;
	struct lines lines;
	struct line line;
	uint32_t thread = 0;

	slurp(&in, nps);
	slurp(&ref, reference);
	p = read_bytes(in.bytes, in.len);
	assert_int_equal(p->remark_count, 0);
	e.wall = xcalloc(p->stack_count, sizeof(*e.wall));
	e.cpu = xcalloc(p->stack_count, sizeof(*e.cpu));
	lines = lines_over(ref.bytes, ref.len);
	while (lines_next(&lines, &line)) {
		size_t depth = strspn(line.text, " ");

		if (line_starts(line, "T id=")) {
			const char *name = strstr(line.text, " name=") + 6;
			const char *end = strstr(name, " net0=");

			thread = thread_named(p, name, (size_t)(end - name));
		} else if (line.text[depth] == 'N') {
			expect_node(&e, p, line);
		} else if (line_starts(line, "# nodes=")) {
			compare_thread(&e, p, thread);
		}
	}
	free(e.wall);
	free(e.cpu);
	profile_free(p);
	input_close(&in);
	input_close(&ref);
	return e.nodes;
}

static void totals_of_every_node_are_those_of_visualvm(void **state)
{
	(void)state;
	assert_int_equal(compare_with_reference(DATA "hand-v1.1-one.nps",
						DATA "hand-v1.1-one.ref.txt"),
			 7);
	assert_int_equal(compare_with_reference(DATA "hand-v1.2-two.nps",
						DATA "hand-v1.2-two.ref.txt"),
			 7);
	assert_int_equal(
		compare_with_reference(DATA "small.nps", DATA "small.ref.txt"),
		226);
}

static void the_second_time_is_an_event_of_its_own(void **state)
{
	struct input in;
	struct profile *p;

	(void)state;
	slurp(&in, DATA "hand-v1.2-two.nps");
	p = read_bytes(in.bytes, in.len);
	assert_int_equal(p->event_count, 2);
	assert_int_equal(p->events[0].unit, UNIT_NS);
	assert_int_equal(p->events[0].weight, 9010000);
	assert_int_equal(p->events[1].weight, 910000);
	profile_free(p);
	input_close(&in);
	slurp(&in, DATA "hand-v1.1-one.nps");
	p = read_bytes(in.bytes, in.len);
	assert_int_equal(p->event_count, 1);
	profile_free(p);
	input_close(&in);
}

static void a_small_file_cut_anywhere_is_told_and_its_start_kept(void **state)
{
	struct input in;
	size_t kept = 0;

	(void)state;
	slurp(&in, DATA "small.nps");
	for (size_t len = 10; len < in.len; len++) {
		struct profile *p = profile_new();
		struct error err = { 0 };
		uint8_t *cut = memcpy(malloc(len), in.bytes, len);

		if (nps_reader.read(cut, len, p, &err)) {
			assert_int_equal(err.kind, ERROR_INPUT);
			assert_true(err.text[0]);
		} else {
			assert_true(profile_is_partial(p));
			kept += p->cell_count > 0;
		}
		profile_free(p);
		free(cut);
	}
	/* From the end of the table of methods on there is something. */
	assert_true(kept > in.len / 2);
	input_close(&in);
}

static void every_flipped_byte_is_survived(void **state)
{
	struct input in;
	uint8_t *copy;

	(void)state;
	slurp(&in, DATA "hand-v1.2-two.nps");
	copy = memcpy(malloc(in.len), in.bytes, in.len);
	for (size_t i = 0; i < in.len; i++) {
		struct profile *p = profile_new();
		struct error err = { 0 };

		copy[i] ^= 0xff;
		if (nps_reader.read(copy, in.len, p, &err))
			assert_int_equal(err.kind, ERROR_INPUT);
		copy[i] ^= 0xff;
		profile_free(p);
	}
	free(copy);
	input_close(&in);
}

static void frames_have_class_method_and_kind(void **state)
{
	struct made m = made_payload(1700000000000, 1700000001000);
	struct profile *p = read_made(&m);
	const struct frame *root, *leaf;

	(void)state;
	assert_int_equal(p->stack_count, 3);
	root = &p->frames[p->stacks[1].frame];
	leaf = &p->frames[p->stacks[2].frame];
	assert_string_equal(profile_text(p, root->class_name), "A");
	assert_string_equal(profile_text(p, root->method), "main");
	assert_int_equal(root->kind, FRAME_JAVA);
	/* Neither the suffix nor the signature is part of the name. */
	assert_string_equal(profile_text(p, leaf->class_name), "b.B$$Lambda");
	assert_string_equal(profile_text(p, leaf->method), "run");
	assert_int_equal(leaf->kind, FRAME_NATIVE);
	assert_string_equal(profile_text(p, p->threads[1].name), "main");
	assert_int_equal(p->threads[1].java_id, 0);
	assert_int_equal(p->threads[1].os_id, 0);
	profile_free(p);
}

static void self_time_is_what_the_callees_leave_and_samples_are_ms(void **state)
{
	struct made m = made_payload(1700000000000, 1700000001000);
	struct profile *p = read_made(&m);

	(void)state;
	assert_int_equal(p->cell_count, 2);
	assert_int_equal(p->cells[0].stack, 1);
	assert_int_equal(p->cells[0].weight, 501000);
	assert_int_equal(p->cells[0].count, 1); /* a part of one */
	assert_int_equal(p->cells[1].stack, 2);
	assert_int_equal(p->cells[1].weight, 2000000);
	assert_int_equal(p->cells[1].count, 2);
	profile_free(p);
}

static void the_time_is_that_of_the_beginning_if_it_is_one(void **state)
{
	static const struct {
		int64_t began_ms, taken_ms, expected_ms;
	} times[] = {
		{ 1700000000000, 1700000001000, 1700000000000 },
		/* Made of raw samples, which count uptime. */
		{ 2205768, 1700000001000, 1700000001000 },
		{ 2205768, -1, 0 },
		{ INT64_MAX, INT64_MIN, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct made m = made_payload(times[i].began_ms,
					     times[i].taken_ms);
		struct profile *p = read_made(&m);

		assert_true(p->earliest_ns == times[i].expected_ms * 1000000);
		profile_free(p);
	}
}

/* Row 10 of what recordings suffer. */
static void lengths_that_lie_are_told_and_nothing_is_lost(void **state)
{
	static const struct {
		int32_t compressed_lie, len_lie, settings_len;
		const char *what;
	} lies[] = {
		{ 5, 0, 0, "wrong lengths in the header" },
		{ -40, 0, 0, "wrong lengths in the header" },
		{ INT32_MAX - 1000, 0, 0, "wrong lengths in the header" },
		{ 0, -7, 0, "wrong lengths in the header" },
		{ 0, 1 << 30, 0, "wrong lengths in the header" },
		{ 0, 0, -1, "settings cut" },
		{ 0, 0, INT32_MAX, "settings cut" },
		{ 0, 0, 1, "comment cut" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct made m = made_payload(1700000000000, 1700000001000);
		struct profile *p;

		m.compressed_lie = lies[i].compressed_lie;
		m.len_lie = lies[i].len_lie;
		m.settings_len = lies[i].settings_len;
		p = read_made(&m);
		assert_true(find_remark(p, lies[i].what)->is_loss);
		assert_int_equal(p->events[0].weight, 2501000);
		profile_free(p);
	}
}

static void version_1_1_has_no_comment(void **state)
{
	struct made m = made_payload(1700000000000, 1700000001000);
	struct profile *p;

	(void)state;
	m.comment = NULL;
	p = read_made(&m);
	assert_int_equal(p->remark_count, 0);
	profile_free(p);
}

static void other_versions_and_types_are_refused_by_name(void **state)
{
	static const struct {
		int major;
		int32_t type;
		const char *said;
	} refused[] = {
		{ 2, 1, "snapshot version 2.2 is newer" },
		{ 1, 2, "code fragment" },
		{ 1, 4, "memory allocations" },
		{ 1, 8, "live objects" },
		{ 1, 16, "class histogram" },
		{ 1, 32, "database queries" },
		{ 1, 64, "unknown type 64" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct made m = made_payload(1700000000000, 1700000001000);
		struct text file;
		struct error err;

		m.major = refused[i].major;
		m.type = refused[i].type;
		file = made_file(&m);
		err = refusal(file.bytes, file.len);
		if (!strstr(err.text, refused[i].said))
			fail_msg("%s", err.text);
		text_release(&file);
	}
}

static void relatives_of_the_format_are_recognised_and_refused(void **state)
{
	static const char npss[] = "NPSS\2\x1f\x8b\x08";
	struct input in;

	(void)state;
	assert_true(nps_reader.sniff((const uint8_t *)npss, sizeof(npss)));
	assert_non_null(strstr(refusal(npss, sizeof(npss)).text, ".npss"));
	slurp(&in, DATA "application.apps");
	assert_true(nps_reader.sniff(in.bytes, in.len));
	assert_non_null(strstr(refusal(in.bytes, in.len).text, ".apps"));
	input_close(&in);
	slurp(&in, DATA "mem-sampled.nps");
	assert_true(nps_reader.sniff(in.bytes, in.len));
	assert_non_null(
		strstr(refusal(in.bytes, in.len).text, "memory samples"));
	input_close(&in);
	assert_false(nps_reader.sniff((const uint8_t *)"PK\3\4", 4));
	assert_false(nps_reader.sniff((const uint8_t *)"nBpRoFiLe", 9));
	assert_non_null(strstr(refusal("xBpRoFiLeR", 10).text, "nBpRoFiLeR"));
}

static void garbage_for_compressed_data_is_refused_with_the_reason(void **state)
{
	struct made m = made_payload(1700000000000, 1700000001000);
	struct text file = made_file(&m);
	struct error err;

	(void)state;
	memset(file.bytes + 24, 0xff, 16);
	err = refusal(file.bytes, file.len);
	assert_non_null(strstr(err.text, "damaged"));
	text_release(&file);
}

static void a_string_longer_than_the_data_is_refused(void **state)
{
	struct made m = made_payload(1700000000000, 1700000001000);
	struct text file;

	(void)state;
	m.payload.bytes[25] = (char)0xff; /* of "Thread", method 0 */
	file = made_file(&m);
	assert_non_null(
		strstr(refusal(file.bytes, file.len).text, "table of methods"));
	text_release(&file);
}

/* Reads a thread whose tree was made by hand. */
static struct profile *read_tree(const struct text *tree, unsigned node_size)
{
	struct made m = { .comment = "", .major = 1, .type = 1 };

	put_start(&m.payload, 1700000000000, 1700000001000);
	put(&m.payload, 2, 4);
	put_thread(&m.payload, "bad", tree, node_size);
	{
		struct text good = { 0 };

		put_tree(&good);
		put_thread(&m.payload, "good", &good, 18);
		text_release(&good);
	}
	return read_made(&m);
}

/* The tree is lost in part; the next thread is not. */
static void assert_lost(const struct text *tree, uint64_t weight)
{
	struct profile *p = read_tree(tree, 18);

	assert_true(find_remark(p, "call tree nodes lost")->is_loss);
	assert_int_equal(p->events[0].weight, weight + 2501000);
	profile_free(p);
}

static void callees_that_are_their_callers_are_refused(void **state)
{
	static const unsigned offsets[] = { 0, 21, 20, 22, 1000, 0xffffff };

	(void)state;
	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		struct text tree = { 0 };

		put_node(&tree, 0, 100, 1);
		put(&tree, 21, 3);
		put_node(&tree, 1, 70, 1);
		put(&tree, offsets[i], 3);
		/* Its time is its caller's. */
		assert_lost(&tree, 100000);
		text_release(&tree);
	}
}

static void nodes_that_share_callees_do_not_multiply(void **state)
{
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	/* Each node has the next one twice: 2^60 paths through 61 nodes. */
	for (unsigned i = 0; i < 60; i++) {
		put_node(&tree, 1, 1 << 20, 2);
		put(&tree, 24 * (i + 1), 3);
		put(&tree, 24 * (i + 1), 3);
	}
	put_node(&tree, 1, 1, 0);
	p = read_tree(&tree, 18);
	assert_true(find_remark(p, "call tree nodes lost")->is_loss);
	profile_free(p);
	text_release(&tree);
}

static void a_node_with_more_callees_than_bytes_is_lost(void **state)
{
	struct text tree = { 0 };

	(void)state;
	put_node(&tree, 0, 100, 65535);
	put(&tree, 21, 3);
	assert_lost(&tree, 0);
	text_release(&tree);
}

static void a_tree_with_nodes_of_another_size_is_skipped(void **state)
{
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	put_tree(&tree);
	p = read_tree(&tree, 28);
	assert_true(find_remark(p, "threads skipped")->is_loss);
	assert_int_equal(p->events[0].weight, 2501000);
	profile_free(p);
	text_release(&tree);
}

static void a_method_beyond_the_table_keeps_its_number(void **state)
{
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	put_node(&tree, 777, 100, 0);
	p = read_tree(&tree, 18);
	assert_string_equal(
		profile_text(p, p->frames[p->stacks[1].frame].method),
		"[method 777]");
	assert_false(profile_is_partial(p));
	profile_free(p);
	text_release(&tree);
}

static void callees_that_took_longer_than_their_caller_are_cut(void **state)
{
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	put_node(&tree, 0, 100, 1);
	put(&tree, 21, 3);
	put_node(&tree, 1, 300, 0);
	p = read_tree(&tree, 18);
	assert_false(
		find_remark(p, "callees longer than their caller")->is_loss);
	profile_free(p);
	text_release(&tree);
}

static void offsets_of_a_tree_of_16_mib_have_four_bytes(void **state)
{
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	put_node(&tree, 0, 100, 1);
	put(&tree, 0x1000000, 4);
	/* VisualVM leaves zeros where nodes were filtered out. */
	put(&tree, 0, 0x1000000 - (int)tree.len);
	put_node(&tree, 1, 100, 0);
	p = read_tree(&tree, 18);
	assert_int_equal(p->remark_count, 0);
	assert_int_equal(p->events[0].weight, 100000 + 2501000);
	profile_free(p);
	text_release(&tree);
}

static void a_tree_may_be_very_deep(void **state)
{
	enum { DEPTH = 100000 };
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	for (unsigned i = 0; i < DEPTH; i++) {
		put_node(&tree, 1, 5000, i + 1 < DEPTH);
		if (i + 1 < DEPTH)
			put(&tree, 21 * (i + 1), 3);
	}
	p = read_tree(&tree, 18);
	assert_int_equal(p->remark_count, 0);
	assert_true(p->stack_count > DEPTH);
	assert_int_equal(p->events[0].weight, 5000000 + 2501000);
	profile_free(p);
	text_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_of_every_node_are_those_of_visualvm),
		cmocka_unit_test(the_second_time_is_an_event_of_its_own),
		cmocka_unit_test(
			a_small_file_cut_anywhere_is_told_and_its_start_kept),
		cmocka_unit_test(every_flipped_byte_is_survived),
		cmocka_unit_test(frames_have_class_method_and_kind),
		cmocka_unit_test(
			self_time_is_what_the_callees_leave_and_samples_are_ms),
		cmocka_unit_test(
			the_time_is_that_of_the_beginning_if_it_is_one),
		cmocka_unit_test(lengths_that_lie_are_told_and_nothing_is_lost),
		cmocka_unit_test(version_1_1_has_no_comment),
		cmocka_unit_test(other_versions_and_types_are_refused_by_name),
		cmocka_unit_test(
			relatives_of_the_format_are_recognised_and_refused),
		cmocka_unit_test(
			garbage_for_compressed_data_is_refused_with_the_reason),
		cmocka_unit_test(a_string_longer_than_the_data_is_refused),
		cmocka_unit_test(callees_that_are_their_callers_are_refused),
		cmocka_unit_test(nodes_that_share_callees_do_not_multiply),
		cmocka_unit_test(a_node_with_more_callees_than_bytes_is_lost),
		cmocka_unit_test(a_tree_with_nodes_of_another_size_is_skipped),
		cmocka_unit_test(a_method_beyond_the_table_keeps_its_number),
		cmocka_unit_test(
			callees_that_took_longer_than_their_caller_are_cut),
		cmocka_unit_test(offsets_of_a_tree_of_16_mib_have_four_bytes),
		cmocka_unit_test(a_tree_may_be_very_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
