/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_symbols.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/map64.h"
#include "core/hotspot/java_names.h"
#include "core/hotspot/line_table.h"
#include "core/hotspot/stub_names.h"
#include "jvmti/agent/agent_protocol.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CODE_MEMORY  ((size_t)256 << 20)
#define LINES_MEMORY ((size_t)64 << 20)
#define METHODS_MOST ((size_t)1 << 21)
#define RECORD_MOST  ((size_t)4 << 20)  /* bytes of a record */
#define NAME_MOST    8192               /* RECORD_NAME of the agent */
#define NAMES_MOST   ((size_t)64 << 20) /* bytes of all names */
#define PLACES_MOST  ((size_t)32 << 20) /* bytes checked in a batch */
#define GENERATED    "generated"        /* used in place of a class name */

/* ---- code by address and time ---- */

#define PAGE_BITS 12
#define LARGEST   ((uint64_t)64 << 20) /* bytes of one piece of code */
/* 4 GiB; a code cache has at most 2. */
#define PAGES_MOST ((size_t)1 << 20)
#define PAGE_MOST  4096 /* pieces of code remembered for one page */
#define WORK_MOST  ((size_t)16 << 20) /* steps in a batch */
#define LATE_NS    ((uint64_t)CLOCK_NS_PER_S)
#define NONE       0

struct entry {
	struct code code;
	uint32_t next; /* next free entry, or next entry that ended later; NONE
			  at the end */
};

/* A piece of code on a page, newest first. */
struct node {
	uint32_t entry, next;
};

struct page {
	uint32_t first, count;
};

struct code_map {
	struct entry *entries; /* entry 0 is unused */
	size_t count, cap;
	uint32_t free_entries;
	uint32_t first_gone, last_gone;
	struct node *nodes; /* node 0 is unused */
	size_t node_count, node_cap;
	uint32_t free_nodes;
	struct map64 numbers; /* index of pages by address >> PAGE_BITS */
	struct page *pages;
	size_t page_count, page_cap;
	size_t memory, used, alive;
	size_t work; /* remaining steps */
	uint64_t dropped;
};

struct code_map *code_map_new(size_t memory)
{
	struct code_map *m = xcalloc(1, sizeof(*m));

	m->memory = memory;
	m->work = WORK_MOST;
	m->count = 1;
	m->node_count = 1;
	array_reserve(m->entries, m->cap, 1);
	array_reserve(m->nodes, m->node_cap, 1);
	return m;
}

void code_map_free(struct code_map *m)
{
	if (!m)
		return;
	for (size_t i = 1; i < m->count; i++)
		free((void *)m->entries[i].code.places);
	map64_release(&m->numbers);
	free(m->entries);
	free(m->nodes);
	free(m->pages);
	free(m);
}

void code_map_begin(struct code_map *m) { m->work = WORK_MOST; }

static void code_spend(struct code_map *m, size_t steps)
{
	m->work -= steps < m->work ? steps : m->work;
}

static uint64_t code_first_page(const struct code *c)
{
	return c->start >> PAGE_BITS;
}

static uint64_t code_last_page(const struct code *c)
{
	return (c->end - 1) >> PAGE_BITS;
}

/* Returns the approximate memory of a piece of code. */
static size_t code_cost(const struct code *c)
{
	return sizeof(struct entry) + c->places_len +
	       (size_t)(code_last_page(c) - code_first_page(c) + 1) *
		       (sizeof(struct node) + sizeof(struct map64_entry));
}

static struct page *code_find_page(struct code_map *m, uint64_t number)
{
	uint32_t at = map64_get(&m->numbers, number);

	if (at == MAP64_NONE) {
		array_reserve(m->pages, m->page_cap, m->page_count + 1);
		at = (uint32_t)m->page_count++;
		m->pages[at] = (struct page){ 0 };
		map64_add(&m->numbers, number, at);
	}
	return &m->pages[at];
}

static uint32_t code_new_node(struct code_map *m)
{
	uint32_t node = m->free_nodes;

	if (node) {
		m->free_nodes = m->nodes[node].next;
		return node;
	}
	array_reserve(m->nodes, m->node_cap, m->node_count + 1);
	return (uint32_t)m->node_count++;
}

static uint32_t code_new_entry(struct code_map *m)
{
	uint32_t entry = m->free_entries;

	if (entry) {
		m->free_entries = m->entries[entry].next;
		return entry;
	}
	array_reserve(m->entries, m->cap, m->count + 1);
	return (uint32_t)m->count++;
}

static void code_unlink_node(struct code_map *m, struct page *page,
			     uint32_t *link)
{
	uint32_t node = *link;

	*link = m->nodes[node].next;
	m->nodes[node].next = m->free_nodes;
	m->free_nodes = node;
	page->count--;
}

static void code_unlink_from(struct code_map *m, uint64_t number,
			     uint32_t entry)
{
	struct page *page = code_find_page(m, number);
	uint32_t *link = &page->first;
	size_t steps = 1;

	for (; *link && m->nodes[*link].entry != entry; steps++)
		link = &m->nodes[*link].next;
	if (*link)
		code_unlink_node(m, page, link);
	code_spend(m, steps);
}

/*
 * Removes the code that ended first; returns false when all code still exists.
 */
static bool code_forget_one(struct code_map *m)
{
	uint32_t entry = m->first_gone;
	struct code *c = &m->entries[entry].code;

	if (!entry)
		return false;
	m->first_gone = m->entries[entry].next;
	if (!m->first_gone)
		m->last_gone = NONE;
	for (uint64_t p = code_first_page(c); p <= code_last_page(c); p++)
		code_unlink_from(m, p, entry);
	m->used -= code_cost(c);
	free((void *)c->places);
	c->places = NULL;
	m->entries[entry].next = m->free_entries;
	m->free_entries = entry;
	return true;
}

static void code_end(struct code_map *m, uint32_t entry, uint64_t time_ns)
{
	struct code *c = &m->entries[entry].code;

	c->until = time_ns;
	m->entries[entry].next = NONE;
	if (m->last_gone)
		m->entries[m->last_gone].next = entry;
	else
		m->first_gone = entry;
	m->last_gone = entry;
	m->alive--;
}

static bool code_exists(const struct code *c) { return c->until == UINT64_MAX; }

/*
 * Keeps the newest quarter of the pieces that a page may have, and of the
 * others only existing code.
 */
static void code_thin(struct code_map *m, struct page *page)
{
	uint32_t *link = &page->first, there = 0;

	code_spend(m, page->count);
	for (uint32_t i = 0; *link; i++) {
		struct node *node = &m->nodes[*link];
		bool is_old = i >= PAGE_MOST / 4;
		bool is_alive = code_exists(&m->entries[node->entry].code);

		there += is_old && is_alive;
		if (is_old && (!is_alive || there > PAGE_MOST / 4)) {
			m->dropped += is_alive;
			code_unlink_node(m, page, link);
		} else {
			link = &node->next;
		}
	}
}

static bool code_overlaps(const struct code *a, const struct code *b)
{
	return a->start < b->end && b->start < a->end;
}

/* Returns true if the presence of `new` proves that the old code has gone. */
static bool code_displaces(const struct code *new, const struct code *old)
{
	if (!code_exists(old) || !code_overlaps(new, old))
		return false;
	return new->is_method || old->is_method || new->start == old->start;
}

static bool code_is_same(const struct code *a, const struct code *b)
{
	return code_exists(a) && a->is_method == b->is_method &&
	       a->start == b->start && a->end == b->end && a->name == b->name;
}

/* Returns false when the code is known already and was reported again. */
static bool code_make_way(struct code_map *m, uint64_t number,
			  const struct code *c)
{
	struct page *page = code_find_page(m, number);
	uint32_t at = page->first;

	code_spend(m, 1 + page->count);
	while (at) {
		uint32_t entry = m->nodes[at].entry;
		struct code *old = &m->entries[entry].code;

		if (c->from == 0 && code_is_same(old, c))
			return false;
		if (code_displaces(c, old))
			code_end(m, entry,
				 c->from > old->from ? c->from : old->from);
		at = m->nodes[at].next;
	}
	return true;
}

static void code_insert(struct code_map *m, const struct code *c)
{
	uint32_t entry = code_new_entry(m);
	uint8_t *places = xmalloc(c->places_len);

	if (c->places_len)
		memcpy(places, c->places, c->places_len);
	m->entries[entry].code = *c;
	m->entries[entry].code.places = places;
	m->entries[entry].code.until = UINT64_MAX;
	for (uint64_t p = code_first_page(c); p <= code_last_page(c); p++) {
		struct page *page = code_find_page(m, p);
		uint32_t node;

		if (page->count == PAGE_MOST)
			code_thin(m, page);
		node = code_new_node(m);
		m->nodes[node] = (struct node){ entry, page->first };
		page->first = node;
		page->count++;
	}
	m->used += code_cost(c);
	m->alive++;
}

bool code_map_add(struct code_map *m, const struct code *c)
{
	if (c->end <= c->start || c->end - c->start > LARGEST ||
	    m->page_count + (code_last_page(c) - code_first_page(c) + 1) >
		    PAGES_MOST)
		return false;
	for (uint64_t p = code_first_page(c); p <= code_last_page(c) && m->work;
	     p++)
		if (!code_make_way(m, p, c))
			return true;
	while (m->used + code_cost(c) > m->memory && m->work)
		if (!code_forget_one(m))
			return false;
	if (!m->work) {
		m->dropped++;
		return false;
	}
	code_insert(m, c);
	return true;
}

void code_map_remove(struct code_map *m, uint64_t start, uint64_t time_ns)
{
	uint32_t page = map64_get(&m->numbers, start >> PAGE_BITS);
	uint32_t at = page == MAP64_NONE ? NONE : m->pages[page].first;

	if (!m->work) {
		m->dropped++;
		return;
	}
	for (; at; code_spend(m, 1)) {
		uint32_t entry = m->nodes[at].entry;
		struct code *c = &m->entries[entry].code;

		if (c->is_method && c->start == start && code_exists(c)) {
			code_end(m, entry,
				 time_ns > c->from ? time_ns : c->from);
			return;
		}
		at = m->nodes[at].next;
	}
}

/* Returns true if a describes an address better than b; both were there. */
static bool code_is_better(const struct code *a, const struct code *b)
{
	if (!b)
		return true;
	if (a->is_method != b->is_method)
		return a->is_method;
	if (a->end - a->start != b->end - b->start)
		return a->end - a->start < b->end - b->start;
	return a->from > b->from;
}

const struct code *code_map_find(const struct code_map *m, uint64_t address,
				 uint64_t time_ns)
{
	uint32_t page = map64_get(&m->numbers, address >> PAGE_BITS);
	const struct code *best = NULL, *late = NULL;
	uint32_t at = page == MAP64_NONE ? NONE : m->pages[page].first;

	for (; at; at = m->nodes[at].next) {
		const struct code *c = &m->entries[m->nodes[at].entry].code;

		if (address < c->start || address >= c->end ||
		    time_ns >= c->until)
			continue;
		if (c->from <= time_ns) {
			if (code_is_better(c, best))
				best = c;
		} else if (c->from - time_ns < LATE_NS &&
			   (!late || c->from < late->from)) {
			late = c;
		}
	}
	return best ? best : late;
}

size_t code_map_count(const struct code_map *m) { return m->alive; }

uint64_t code_map_dropped(const struct code_map *m) { return m->dropped; }

struct method {
	uint32_t name; /* in the java_names */
	struct line_table lines;
};

struct client_symbols {
	struct java_symbols symbols;
	struct java_names *names;
	struct method *methods;
	size_t method_count, method_cap;
	struct map64 numbers; /* index of methods by the agent's number */
	size_t line_bytes;
	struct code_map *code;
	uint64_t rejected, skipped;
	size_t places; /* remaining bytes for lookups */
	char class_name[NAME_MOST];
};

static size_t symbols_frames(struct java_symbols *self,
			     const struct unwound_frame *at, uint64_t time_ns,
			     struct java_frame *out, size_t cap);
static const char *symbols_generated_name(struct java_symbols *self,
					  const struct unwound_frame *at,
					  uint64_t time_ns);

struct client_symbols *client_symbols_new(void)
{
	struct client_symbols *s = xcalloc(1, sizeof(*s));

	s->symbols.frames = symbols_frames;
	s->symbols.generated = symbols_generated_name;
	s->names = java_names_new(NAMES_MOST);
	s->code = code_map_new(CODE_MEMORY);
	client_symbols_begin(s);
	return s;
}

void client_symbols_free(struct client_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->method_count; i++)
		line_table_release(&s->methods[i].lines);
	free(s->methods);
	map64_release(&s->numbers);
	java_names_free(s->names);
	code_map_free(s->code);
	free(s);
}

struct java_symbols *client_symbols_of(struct client_symbols *s)
{
	return &s->symbols;
}

void client_symbols_counts(const struct client_symbols *s,
			   struct client_symbols_counts *counts)
{
	*counts = (struct client_symbols_counts){
		.methods = s->method_count,
		.code = code_map_count(s->code),
		.rejected = s->rejected,
		.dropped = code_map_dropped(s->code) + s->skipped,
	};
}

void client_symbols_begin(struct client_symbols *s)
{
	s->places = PLACES_MOST;
	code_map_begin(s->code);
}

static int64_t record_read_signed(struct cursor *c)
{
	uint64_t value = cursor_varint(c);

	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static struct java_symbol record_read_text(struct cursor *c)
{
	uint64_t len = cursor_varint(c);
	const uint8_t *bytes = cursor_bytes(c, len);

	return (struct java_symbol){ (const char *)bytes,
				     bytes ? (size_t)len : 0 };
}

/*
 * Returns the length of a name without the suffix that JDK 8 to 14 append for a
 * VM anonymous class and that its symbol does not have: '/' and a hash or an
 * address (InstanceKlass::signature_name).  No Java class has such a name.
 */
static size_t name_without_hash(const char *name, size_t len)
{
	const char *slash = memrchr(name, '/', len);
	size_t at = slash ? (size_t)(slash - name) + 1 : len;
	bool is_hex = len - at > 2 && memcmp(name + at, "0x", 2) == 0;

	if (at == len)
		return len;
	for (size_t i = is_hex ? at + 2 : at; i < len; i++) {
		if (!is_digit(name[i]) &&
		    !(is_hex && name[i] >= 'a' && name[i] <= 'f'))
			return len;
	}
	return at - 1;
}

/* Marks the end of a name that the agent has cut, perhaps in a character. */
static size_t name_mark_cut(char *name, size_t len)
{
	static const char mark[] = "…";

	len -= sizeof(mark) - 1;
	while ((name[len] & 0xc0) == 0x80)
		len--;
	memcpy(name + len, mark, sizeof(mark) - 1);
	return len + sizeof(mark) - 1;
}

/*
 * Converts a signature "La/B;" to the JVM's symbol, "a/B".  The address of a
 * hidden class follows a dot in a signature, which has no other dot, and a plus
 * sign in the symbol (InstanceKlass::signature_name, JDK 15 and later).
 */
static struct java_symbol name_of_class(struct client_symbols *s,
					struct java_symbol signature)
{
	size_t len = signature.len;
	bool is_cut = len == NAME_MOST && signature.bytes[len - 1] != ';';
	char *dot;

	if (len < 3 || len > NAME_MOST || signature.bytes[0] != 'L' ||
	    (!is_cut && signature.bytes[len - 1] != ';'))
		return signature;
	len -= 2;
	if (!is_cut)
		len = name_without_hash(signature.bytes + 1, len);
	memcpy(s->class_name, signature.bytes + 1, len);
	dot = memrchr(s->class_name, '.', len);
	if (dot)
		*dot = '+';
	if (is_cut)
		len = name_mark_cut(s->class_name, len);
	return (struct java_symbol){ s->class_name, len };
}

/* Reads lines, which are stored as differences; omits impossible lines. */
static void record_read_lines(struct client_symbols *s, struct cursor *c,
			      struct line_table *lines)
{
	size_t count = cursor_count(c, 2), bytes;
	uint64_t bci = 0, line = 0;
	bool is_sorted = true;

	bytes = count * sizeof(*lines->entries);
	if (count == 0 || s->line_bytes + bytes > LINES_MEMORY)
		return;
	s->line_bytes += bytes;
	lines->entries = xmalloc(bytes);
	for (size_t i = 0; i < count; i++) {
		struct line_entry *e = &lines->entries[lines->count];

		/* A negative sum wraps and becomes too large. */
		bci += (uint64_t)record_read_signed(c);
		line += (uint64_t)record_read_signed(c);
		if (bci > UINT16_MAX || line > UINT16_MAX)
			continue;
		*e = (struct line_entry){ (uint16_t)bci, (uint16_t)line };
		if (lines->count++ && e->bci < e[-1].bci)
			is_sorted = false;
	}
	if (!is_sorted)
		line_table_sort(lines);
}

static bool symbols_take_method(struct client_symbols *s, struct cursor *c)
{
	uint64_t number = cursor_varint(c);
	struct java_symbol class = record_read_text(c);
	struct java_symbol name = record_read_text(c);
	struct java_symbol signature = record_read_text(c);
	struct method method = { 0 };

	record_read_lines(s, c, &method.lines);
	if (cursor_ok(c) && s->method_count < METHODS_MOST)
		method.name = java_names_add(s->names, name_of_class(s, class),
					     name, signature);
	if (!method.name ||
	    !map64_add(&s->numbers, number, (uint32_t)s->method_count)) {
		line_table_release(&method.lines);
		return false;
	}
	array_add(s->methods, s->method_count, s->method_cap, method);
	return true;
}

static bool symbols_take_load(struct client_symbols *s, struct cursor *c)
{
	struct code code = { .is_method = true };
	uint64_t bytes;

	code.from = cursor_varint(c);
	code.start = cursor_varint(c);
	bytes = cursor_varint(c);
	code.name = map64_get(&s->numbers, cursor_varint(c));
	code.places_len = (uint32_t)cursor_left(c);
	code.places = cursor_bytes(c, code.places_len);
	return cursor_ok(c) && code.name != MAP64_NONE &&
	       !__builtin_add_overflow(code.start, bytes, &code.end) &&
	       code_map_add(s->code, &code);
}

static bool symbols_take_unload(struct client_symbols *s, struct cursor *c)
{
	uint64_t time_ns = cursor_varint(c);
	uint64_t start = cursor_varint(c);

	if (!cursor_ok(c))
		return false;
	code_map_remove(s->code, start, time_ns);
	return true;
}

static bool symbols_take_generated(struct client_symbols *s, struct cursor *c)
{
	static const struct java_symbol none = { "()V", 3 };
	static const struct java_symbol class = { GENERATED,
						  sizeof(GENERATED) - 1 };
	struct code code = { 0 };
	struct java_symbol name;
	uint64_t bytes;

	code.from = cursor_varint(c);
	code.start = cursor_varint(c);
	bytes = cursor_varint(c);
	name = record_read_text(c);
	stub_name_trim(&name.bytes, &name.len);
	code.name = java_names_add(s->names, class, name, none);
	return cursor_ok(c) && code.name &&
	       !__builtin_add_overflow(code.start, bytes, &code.end) &&
	       code_map_add(s->code, &code);
}

typedef bool take_fn(struct client_symbols *s, struct cursor *c);

static take_fn *const takes[] = {
	[AGENT_METHOD] = symbols_take_method,
	[AGENT_LOAD] = symbols_take_load,
	[AGENT_UNLOAD] = symbols_take_unload,
	[AGENT_GENERATED] = symbols_take_generated,
};

static void symbols_take_record(struct client_symbols *s, struct cursor *c)
{
	uint8_t kind = cursor_u8(c);

	if (kind >= sizeof(takes) / sizeof(*takes) || !takes[kind] ||
	    !takes[kind](s, c))
		s->rejected++;
}

bool client_symbols_take(struct client_symbols *s, const void *bytes,
			 size_t len, size_t *taken)
{
	struct cursor all = cursor_over(bytes, len);

	*taken = 0;
	while (cursor_left(&all) >= 4) {
		uint32_t size = cursor_u32(&all);
		struct cursor record;

		if (size == 0 || size > RECORD_MOST)
			return false;
		if (size > cursor_left(&all))
			break;
		record = cursor_slice(&all, size);
		symbols_take_record(s, &record);
		*taken = cursor_offset(&all);
	}
	return true;
}

static enum java_frame_kind symbols_frame_kind(const struct code_blob *blob)
{
	if (blob && blob->kind == BLOB_NATIVE)
		return JAVA_NATIVE;
	return blob && blob->tier > 0 && blob->tier < 4 ? JAVA_C1 : JAVA_C2;
}

static struct java_frame symbols_frame(const struct client_symbols *s,
				       uint32_t method,
				       enum java_frame_kind kind, int64_t bci)
{
	const struct method *m = &s->methods[method];
	struct java_name name = java_names_get(s->names, m->name);

	return (struct java_frame){
		.kind = kind,
		.class_name = name.class_name,
		.method = name.method,
		.signature = name.signature,
		.line = bci < -1 || bci > UINT16_MAX
				? 0
				: line_table_line(&m->lines, (int32_t)bci),
	};
}

/*
 * Moves to the place that describes an address: the first place at or after it.
 * A return address has the place of its call; for other addresses HotSpot uses
 * the same approximation (CodeBlob's pc_desc_near).  Sets *c before the methods
 * of the place and returns their number; 0 after the last place.
 */
static size_t symbols_find_place(struct client_symbols *s, struct cursor *c,
				 const struct code *code, uint64_t pc)
{
	size_t places = cursor_count(c, 2);
	uint64_t at = code->start;

	for (size_t i = 0; i < places && cursor_ok(c); i++) {
		size_t methods;

		if (!s->places) {
			s->skipped++;
			return 0;
		}
		s->places--;

		at += (uint64_t)record_read_signed(c);
		methods = cursor_count(c, 2);
		if (at >= pc && methods)
			return cursor_ok(c) ? methods : 0;
		s->places -= methods < s->places ? methods : s->places;
		for (size_t k = 0; k < methods; k++) {
			cursor_skip_varint(c);
			cursor_skip_varint(c);
		}
	}
	return 0;
}

static size_t symbols_inlined(struct client_symbols *s, const struct code *code,
			      uint64_t pc, enum java_frame_kind kind,
			      struct java_frame *out, size_t cap)
{
	struct cursor c = cursor_over(code->places, code->places_len);
	size_t methods = symbols_find_place(s, &c, code, pc);
	size_t count = 0;

	for (size_t i = 0; i < methods && count < cap; i++) {
		uint32_t method = map64_get(&s->numbers, cursor_varint(&c));
		int64_t bci = record_read_signed(&c);

		if (!cursor_ok(&c) || method == MAP64_NONE)
			return 0;
		out[count++] = symbols_frame(
			s, method, i + 1 < methods ? JAVA_INLINED : kind, bci);
	}
	return count;
}

/* Returns the code at pc, which includes the stubs after its instructions. */
static const struct code *code_entry(const struct client_symbols *s,
				     const struct unwound_frame *at,
				     uint64_t time_ns)
{
	const struct code_blob *blob = at->blob;
	const struct code *code = code_map_find(s->code, at->pc, time_ns);

	if (blob && at->kind == UNWOUND_COMPILED && (!code || !code->is_method))
		code = code_map_find(s->code, blob->begin, time_ns);
	/* The known code is from another time. */
	if (code && blob && code->is_method &&
	    (code->start < blob->begin || code->start >= blob->end))
		return NULL;
	return code;
}

static size_t symbols_frames(struct java_symbols *self,
			     const struct unwound_frame *at, uint64_t time_ns,
			     struct java_frame *out, size_t cap)
{
	struct client_symbols *s = (struct client_symbols *)self;
	enum java_frame_kind kind = symbols_frame_kind(at->blob);
	const struct code *code;
	size_t count = 0;

	if (at->kind != UNWOUND_COMPILED || cap == 0)
		return 0;
	code = code_entry(s, at, time_ns);
	if (!code || !code->is_method)
		return 0;
	if (!at->is_cautious)
		count = symbols_inlined(s, code, at->pc, kind, out, cap);
	if (count == 0)
		out[count++] = symbols_frame(s, code->name, kind, -2);
	return count;
}

static const char *symbols_generated_name(struct java_symbols *self,
					  const struct unwound_frame *at,
					  uint64_t time_ns)
{
	struct client_symbols *s = (struct client_symbols *)self;
	const struct code *code = code_entry(s, at, time_ns);

	if (!code || code->is_method)
		return NULL;
	return java_names_get(s->names, code->name).method;
}

/* ---- the client's end of the stream file ---- */

#define PART         ((size_t)1 << 20)
#define PUNCH_FROM   ((uint64_t)1 << 20) /* bytes */
#define REPORT_READS 100 /* reads of a report that the agent is writing */

void client_stream_init(struct client_stream *s, unsigned wants,
			uint64_t interval)
{
	*s = (struct client_stream){
		.fd = -1,
		.orders = {
			.magic = AGENT_MAGIC,
			.version = AGENT_VERSION,
			.wants = wants,
			.alloc_interval = interval,
			.not_consumed = ~UINT64_C(0),
		},
	};
}

int client_stream_hold(struct client_stream *s, int fd, struct error *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	s->fd = fd;
	if (fcntl(fd, F_OFD_SETLK, &lock) < 0)
		return fail_sys(err, ERROR_REFUSED,
				"cannot lock the sjkc agent's file");
	return 0;
}

void client_stream_close(struct client_stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	text_release(&s->left);
}

static int stream_fail(struct client_stream *s, struct error *err)
{
	s->is_broken = true;
	return fail(
		err, ERROR_PARTIAL,
		"cannot read the sjkc agent's stream: a process of the JVM's "
		"user may have changed it");
}

int client_stream_read_report(struct client_stream *s, struct error *err)
{
	struct agent_report r;

	for (int i = 0; i < REPORT_READS; i++) {
		ssize_t got = pread(s->fd, &r, sizeof(r), AGENT_REPORT_AT);

		if (got != sizeof(r))
			break;
		if (r.produced == ~r.not_produced &&
		    r.produced >= s->orders.consumed &&
		    r.produced - s->orders.consumed <= AGENT_RING) {
			s->report = r;
			return 0;
		}
		/* The agent has written no report. */
		if (r.produced == 0 && r.not_produced == 0 &&
		    s->orders.consumed == 0)
			return 0;
	}
	return stream_fail(s, err);
}

/* Frees the memory of the bytes that were read. */
static void stream_punch(struct client_stream *s)
{
	uint64_t from = s->punched % AGENT_RING;
	uint64_t to = s->orders.consumed % AGENT_RING;

	/* The part beyond the ring's end is freed the next time. */
	if (s->orders.consumed - s->punched < PUNCH_FROM)
		return;
	if (to <= from)
		to = AGENT_RING;
	fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  (off_t)(AGENT_HEADER + from), (off_t)(to - from));
	s->punched += to - from;
}

/* Publishes the position up to which the agent may overwrite the ring. */
static void stream_publish(struct client_stream *s)
{
	ssize_t ignored = pwrite(s->fd, &s->orders, sizeof(s->orders), 0);

	/* If this fails, the agent counts lost records. */
	(void)ignored;
}

/* Reads the next len bytes, after the rest of the previous part. */
static int stream_take_part(struct client_stream *s,
			    const struct client_sink *sink, size_t len,
			    struct error *err)
{
	uint64_t at = s->orders.consumed % AGENT_RING;
	size_t have = s->left.len, taken;
	char *bytes = xmalloc(have + len);
	ssize_t got;
	int ret = 0;

	if (have)
		memcpy(bytes, s->left.bytes, have);
	got = pread(s->fd, bytes + have, len, (off_t)(AGENT_HEADER + at));
	if (got != (ssize_t)len ||
	    !sink->take(sink->self, bytes, have + len, &taken)) {
		ret = stream_fail(s, err);
	} else {
		text_clear(&s->left);
		text_add(&s->left, bytes + taken, have + len - taken);
		s->orders.consumed += len;
		s->orders.not_consumed = ~s->orders.consumed;
		stream_punch(s);
	}
	free(bytes);
	return ret;
}

int client_stream_read_into(struct client_stream *s,
			    const struct client_sink *sink, struct error *err)
{
	uint64_t end;
	int ret = 0;

	if (s->is_broken)
		return 0;
	if (client_stream_read_report(s, err))
		return -1;
	end = s->report.produced;
	if (end == s->orders.consumed)
		return 0;
	while (ret == 0 && s->orders.consumed < end) {
		uint64_t len = end - s->orders.consumed;
		uint64_t to_end = AGENT_RING - s->orders.consumed % AGENT_RING;

		len = len < to_end ? len : to_end;
		ret = stream_take_part(s, sink, len < PART ? (size_t)len : PART,
				       err);
	}
	stream_publish(s);
	return ret;
}

static bool stream_take_symbols(void *self, const void *bytes, size_t len,
				size_t *taken)
{
	return client_symbols_take(self, bytes, len, taken);
}

int client_stream_read(struct client_stream *s, struct client_symbols *symbols,
		       struct error *err)
{
	const struct client_sink sink = { stream_take_symbols, symbols };

	client_symbols_begin(symbols);
	return client_stream_read_into(s, &sink, err);
}
