/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/vm_symbols.h"

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/map64.h"
#include "core/hotspot/unsigned5.h"
#include "core/process/raw.h"

#include <stdlib.h>
#include <string.h>

/*
 * ---- the methods that are inlined in compiled code ----
 *
 * A PcDesc marks a place in the code where the JVM can reconstruct its frames
 * and names a scope.  A scope is a method, a bytecode index in the method, and
 * the scope that the method is inlined into (HotSpot's code/pcDesc, scopeDesc,
 * debugInfoRec).  All scopes of an nmethod are read at once.
 */
#define SCOPE_NONE UINT32_MAX

struct scope {
	uint32_t method; /* index into methods */
	int32_t bci;     /* -1 = the method's entry */
	uint32_t sender; /* index of the scope that it is inlined into, which is
			    lower, or SCOPE_NONE */
	uint32_t depth;  /* number of scopes that it is inlined into */
};

/* Code up to and including the offset belongs to the scope. */
struct scope_place {
	uint32_t offset; /* from the beginning of the code */
	uint32_t scope;
};

struct nmethod_scopes {
	struct scope *scopes;
	size_t scope_count;
	struct scope_place *places; /* by offset */
	size_t place_count;
	uint64_t *methods; /* Method* */
	size_t method_count;
};

enum {
	WORD = 8,
	MOST_PCS = 1 << 18,
	MOST_DATA_BYTES = 1 << 24,
	FIRST_OFFSET = -1, /* PcDesc::lower_offset_limit */
	NO_SCOPE = 0,      /* DebugInformationRecorder::serialized_null */
};

/* The three tables of an nmethod, and their bytes. */
struct scopes_table {
	uint64_t address;
	size_t len;
	uint8_t *bytes;
};

struct scopes_tables {
	struct scopes_table pcs, data, methods;
};

/* Decodes the scopes of an nmethod, each once. */
struct scopes_decoder {
	struct nmethod_scopes *out;
	const struct metadata_layout *l;
	struct scopes_tables *info;
	struct map64 known; /* index of a scope by its offset in data */
	size_t scope_cap;
	uint64_t method; /* the compiled method itself */
};

/*
 * Sets a range [begin, end), which must be within `size` bytes and have at most
 * `most` bytes; returns false otherwise.
 */
static bool tables_set(struct scopes_table *t, uint64_t base, uint64_t size,
		       uint64_t begin, uint64_t end, uint64_t most)
{
	if (begin > end || end > size || end - begin > most)
		return false;
	t->address = base + begin;
	t->len = (size_t)(end - begin);
	return true;
}

/* In the blob the tables follow each other: metadata, data, pcs. */
static bool tables_find_in_blob(struct scopes_tables *d,
				const struct scopes_layout *l,
				const struct code_blob *blob,
				const uint8_t *header)
{
	uint64_t size = raw_u32(header, l->blob_size);
	uint64_t metadata = raw_u32(header, l->metadata);
	uint64_t data = l->scopes_data_is_address
				? raw_u64(header, l->scopes_data_begin) -
					  blob->address
				: raw_u32(header, l->scopes_data);
	uint64_t pcs = raw_u32(header, l->scopes_pcs);
	uint64_t end = raw_u32(header, l->dependencies);

	return tables_set(&d->methods, blob->address, size, metadata, data,
			  (uint64_t)VM_SYMBOLS_METHODS * WORD) &&
	       tables_set(&d->data, blob->address, size, data, pcs,
			  MOST_DATA_BYTES) &&
	       tables_set(&d->pcs, blob->address, size, pcs, end,
			  MOST_PCS * (uint64_t)l->pcdesc_size);
}

/*
 * JVMCI data may follow the metadata, and speculations the scopes.  They are
 * read as well, because the JVM does not export where they begin.
 */
static bool tables_find_in_datas(struct scopes_tables *d,
				 const struct scopes_layout *l,
				 const uint8_t *header)
{
	uint64_t fixed = raw_u64(header, l->immutable_data);
	uint64_t fixed_size = raw_u32(header, l->immutable_size);
	uint64_t changing = raw_u64(header, l->mutable_data);
	uint64_t pcs = raw_u32(header, l->scopes_pcs);
	uint64_t data = raw_u32(header, l->scopes_data);

	return tables_set(&d->methods, changing,
			  raw_u32(header, l->mutable_size),
			  raw_u32(header, l->relocation_size),
			  raw_u32(header, l->mutable_size),
			  (uint64_t)VM_SYMBOLS_METHODS * WORD) &&
	       tables_set(&d->data, fixed, fixed_size, data, fixed_size,
			  MOST_DATA_BYTES) &&
	       tables_set(&d->pcs, fixed, fixed_size, pcs, data,
			  MOST_PCS * (uint64_t)l->pcdesc_size);
}

/* The header must be the same before and after the tables are read. */
static bool header_is_of_blob(const struct scopes_layout *l,
			      const struct code_blob *blob,
			      const uint8_t *header)
{
	return raw_u64(header, l->nmethod_method) == blob->method &&
	       raw_u32(header, l->nmethod_compile_id) == blob->compile_id;
}

static struct memory_range tables_range(struct scopes_table *t)
{
	t->bytes = xmalloc(t->len);
	return (struct memory_range){ t->address, t->bytes, t->len, false };
}

static bool tables_read(struct scopes_tables *d, struct memory *memory,
			const struct scopes_layout *l,
			const struct code_blob *blob)
{
	uint8_t after[METADATA_STRUCT_MOST + WORD] = { 0 };
	struct memory_range ranges[] = {
		tables_range(&d->pcs),
		tables_range(&d->data),
		tables_range(&d->methods),
		{ blob->address, after, l->nmethod_size, false },
	};
	const size_t count = sizeof(ranges) / sizeof(*ranges);

	memory->read_all(memory, ranges, count);
	for (size_t i = 0; i < count; i++) {
		if (!ranges[i].is_read)
			return false;
	}
	return header_is_of_blob(l, blob, after);
}

static bool tables_find_and_read(struct scopes_tables *d, struct memory *memory,
				 const struct scopes_layout *l,
				 const struct code_blob *blob)
{
	uint8_t header[METADATA_STRUCT_MOST + WORD] = { 0 };
	bool is_found;

	if (!memory_read(memory, blob->address, header, l->nmethod_size) ||
	    !header_is_of_blob(l, blob, header))
		return false;
	is_found = l->place == SCOPES_IN_BLOB
			   ? tables_find_in_blob(d, l, blob, header)
			   : tables_find_in_datas(d, l, header);
	return is_found && tables_read(d, memory, l, blob);
}

/* Decodes a scope; sender is the offset of its sender. */
static bool scope_read(struct scopes_decoder *d, uint32_t offset,
		       struct scope *scope, uint32_t *sender)
{
	const struct scopes_table *data = &d->info->data;
	struct cursor whole = cursor_over(data->bytes, data->len);
	struct cursor c = cursor_from(&whole, offset);
	unsigned excluded = d->l->method.excluded;
	uint32_t bci;

	*sender = unsigned5_read(&c, excluded);
	scope->method = unsigned5_read(&c, excluded);
	bci = unsigned5_read(&c, excluded);
	if (!cursor_ok(&c) || *sender >= offset || scope->method == 0 ||
	    scope->method > d->info->methods.len / WORD ||
	    bci > (uint32_t)UINT16_MAX + 1)
		return false;
	scope->method--;
	scope->bci = (int32_t)bci - 1;
	return true;
}

/* The outermost scope must be the compiled method itself. */
static bool scope_is_root(struct scopes_decoder *d, const struct scope *scope)
{
	return raw_u64(d->info->methods.bytes, (size_t)scope->method * WORD) ==
	       d->method;
}

static uint32_t scope_add(struct scopes_decoder *d, const struct scope *scope,
			  uint32_t offset)
{
	struct nmethod_scopes *out = d->out;

	array_reserve(out->scopes, d->scope_cap, out->scope_count + 1);
	out->scopes[out->scope_count] = *scope;
	map64_add(&d->known, offset, (uint32_t)out->scope_count);
	return (uint32_t)out->scope_count++;
}

static uint32_t scope_depth(const struct scopes_decoder *d, uint32_t sender)
{
	return sender == SCOPE_NONE ? 0 : d->out->scopes[sender].depth + 1;
}

/*
 * Decodes the scope at an offset and the scopes that it is inlined into, which
 * precede it.  Sets *index.  Returns false if the data is inconsistent.
 */
static bool scope_decode(struct scopes_decoder *d, uint32_t offset,
			 uint32_t *index)
{
	struct scope chain[VM_SYMBOLS_INLINING];
	uint32_t offsets[VM_SYMBOLS_INLINING];
	size_t depth = 0;

	*index = SCOPE_NONE;
	while (offset != NO_SCOPE) {
		uint32_t sender;

		*index = map64_get(&d->known, offset);
		if (*index != MAP64_NONE)
			break;
		if (depth == VM_SYMBOLS_INLINING ||
		    !scope_read(d, offset, &chain[depth], &sender))
			return false;
		if (sender == NO_SCOPE && !scope_is_root(d, &chain[depth]))
			return false;
		offsets[depth++] = offset;
		offset = sender;
		*index = SCOPE_NONE;
	}
	while (depth--) {
		chain[depth].sender = *index;
		chain[depth].depth = scope_depth(d, *index);
		if (chain[depth].depth >= VM_SYMBOLS_INLINING)
			return false;
		*index = scope_add(d, &chain[depth], offsets[depth]);
	}
	return true;
}

static bool places_decode(struct scopes_decoder *d, uint64_t code_bytes)
{
	const struct scopes_layout *l = &d->l->scopes;
	const struct scopes_table *pcs = &d->info->pcs;
	size_t count = pcs->len / l->pcdesc_size;
	int64_t before = FIRST_OFFSET;

	if (count < 2 ||
	    (int32_t)raw_u32(pcs->bytes, l->pcdesc_pc) != FIRST_OFFSET)
		return false;
	d->out->places = xmalloc(count * sizeof(*d->out->places));
	for (size_t i = 1; i < count; i++) {
		const uint8_t *pc = pcs->bytes + i * l->pcdesc_size;
		int32_t offset = (int32_t)raw_u32(pc, l->pcdesc_pc);
		uint32_t scope;

		/*
		 * The last PcDesc has an offset beyond the code
		 * (nmethod::copy_scopes_pcs), as has the padding of the table.
		 */
		if (offset > 0 && (uint64_t)offset > code_bytes)
			return true;
		if (offset < before || offset < 0 ||
		    !scope_decode(d, raw_u32(pc, l->pcdesc_scope), &scope))
			return false;
		before = offset;
		if (scope == SCOPE_NONE)
			continue; /* no scope, as JVMTI reports */
		d->out->places[d->out->place_count++] = (struct scope_place){
			(uint32_t)offset, scope
		};
	}
	return false; /* the last PcDesc is missing */
}

/* Removes methods that no scope has; keeps the order. */
static void scopes_keep_methods(struct nmethod_scopes *s,
				const struct scopes_table *methods)
{
	size_t count = methods->len / WORD;
	uint32_t *index = xmalloc(count * sizeof(*index));

	memset(index, 0xff, count * sizeof(*index));
	s->methods = xmalloc(count * sizeof(*s->methods));
	for (size_t i = 0; i < s->scope_count; i++) {
		struct scope *scope = &s->scopes[i];
		uint32_t *at = &index[scope->method];

		if (*at == SCOPE_NONE) {
			*at = (uint32_t)s->method_count;
			s->methods[s->method_count++] = raw_u64(
				methods->bytes, (size_t)scope->method * WORD);
		}
		scope->method = *at;
	}
	free(index);
}

static void scopes_release(struct nmethod_scopes *s)
{
	free(s->scopes);
	free(s->places);
	free(s->methods);
	*s = (struct nmethod_scopes){ 0 };
}

static void scopes_shrink(struct nmethod_scopes *s)
{
	s->scopes = xrealloc(s->scopes, s->scope_count, sizeof(*s->scopes));
	s->places = xrealloc(s->places, s->place_count, sizeof(*s->places));
	s->methods = xrealloc(s->methods, s->method_count, sizeof(*s->methods));
}

/*
 * Reads the scopes of an nmethod.  Returns false, with *s empty, when they are
 * unreadable or inconsistent.  scopes_release() must follow.
 */
static bool scopes_read(struct nmethod_scopes *s,
			const struct metadata_layout *l, struct memory *memory,
			const struct code_blob *blob)
{
	struct scopes_tables info = { 0 };
	struct scopes_decoder d = { .out = s, .l = l, .info = &info };
	bool is_good = false;

	*s = (struct nmethod_scopes){ 0 };
	d.method = blob->method;
	if (l->scopes.place != SCOPES_UNKNOWN && blob->begin <= blob->end &&
	    tables_find_and_read(&info, memory, &l->scopes, blob) &&
	    places_decode(&d, blob->end - blob->begin)) {
		scopes_keep_methods(s, &info.methods);
		scopes_shrink(s);
		is_good = true;
	}
	if (!is_good)
		scopes_release(s);
	map64_release(&d.known);
	free(info.pcs.bytes);
	free(info.data.bytes);
	free(info.methods.bytes);
	return is_good;
}

/*
 * Returns the innermost scope at an offset of the code, or SCOPE_NONE.  A
 * return address has the scope of its call.  Other addresses get the scope of
 * the next recorded place, as HotSpot approximates it.
 */
static uint32_t scopes_at(const struct nmethod_scopes *s, uint64_t offset)
{
	size_t low = 0, high = s->place_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->places[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->place_count ? s->places[low].scope : SCOPE_NONE;
}

/* ---- names ---- */

/* Limits of cached scopes; beyond them, all are discarded. */
#define MOST_BYTES    ((size_t)32 << 20)
#define MOST_COMPILED ((size_t)1 << 17)

/* The limit of all names; vm_symbols_drop() discards them. */
#define NAMES_BYTES ((size_t)32 << 20)

enum { TIER_C2 = 4 }; /* CompLevel_full_optimization */

/* A scope with the names of its method. */
struct named_scope {
	uint32_t name; /* in the java_names; 0 = unknown */
	uint32_t line;
	uint32_t sender; /* as in struct scope */
};

struct compiled {
	uint32_t name;    /* name of its own method; 0 = unknown */
	bool is_complete; /* nothing is missing that may become known */
	uint32_t round;
	struct named_scope *scopes;
	struct nmethod_scopes tables; /* only the places are kept */
	size_t bytes;
};

struct vm_symbols {
	struct java_symbols symbols; /* first: vm_symbols_of() */
	struct metadata_layout layout;
	struct memory *memory;
	struct java_names *names;
	struct java_methods *methods;
	struct map64 index; /* index of compiled by a blob's identity */
	struct compiled *compiled;
	size_t count, cap;
	size_t bytes; /* bytes of all compiled */
	uint32_t round;
	struct intern generated;  /* names of blobs */
	struct stub_names *stubs; /* NULL = the list is not available */
	uint32_t stubs_round;     /* round of the last check of the list */
	/*
	 * The address of call_stub's return address, and its value; 0 =
	 * unknown.
	 */
	uint64_t call_stub_at, call_stub_return;
	struct vm_symbols_counts counts;
};

static size_t symbols_frames(struct java_symbols *self,
			     const struct unwound_frame *at, uint64_t time_ns,
			     struct java_frame *out, size_t cap);
static const char *symbols_generated(struct java_symbols *self,
				     const struct unwound_frame *at,
				     uint64_t time_ns);

struct vm_symbols *vm_symbols_open_with(const struct metadata_layout *layout,
					struct memory *memory)
{
	struct vm_symbols *s = xcalloc(1, sizeof(*s));

	s->symbols = (struct java_symbols){ symbols_frames, symbols_generated };
	s->memory = memory;
	s->layout = *layout;
	s->names = java_names_new(NAMES_BYTES);
	s->methods = java_methods_new(&s->layout.method, memory, s->names);
	return s;
}

struct vm_symbols *vm_symbols_open(const struct vm_structs *v,
				   struct memory *memory, struct error *err)
{
	struct metadata_layout layout;

	struct vm_symbols *s;

	if (metadata_layout_read(&layout, v, memory, err))
		return NULL;
	s = vm_symbols_open_with(&layout, memory);
	vm_structs_static(v, "StubRoutines", "_call_stub_return_address",
			  &s->call_stub_at);
	return s;
}

struct vm_symbols *vm_symbols_open_for(const struct process_view *view,
				       struct error *err)
{
	uint64_t list = process_view_vm_symbol(view, STUB_NAMES_SYMBOL);
	struct vm_symbols *s;

	if (!view->structs) {
		fail(err, ERROR_UNAVAILABLE, "%s", view->limits);
		return NULL;
	}
	s = vm_symbols_open(view->structs, view->memory, err);
	if (s && list)
		s->stubs = stub_names_new(view->memory, list);
	return s;
}

static void compiled_release(struct compiled *c)
{
	scopes_release(&c->tables);
	free(c->scopes);
	*c = (struct compiled){ 0 };
}

static void symbols_forget_compiled(struct vm_symbols *s)
{
	for (size_t i = 0; i < s->count; i++)
		compiled_release(&s->compiled[i]);
	s->count = 0;
	s->bytes = 0;
	map64_clear(&s->index);
}

void vm_symbols_close(struct vm_symbols *s)
{
	if (!s)
		return;
	symbols_forget_compiled(s);
	map64_release(&s->index);
	free(s->compiled);
	java_methods_free(s->methods);
	java_names_free(s->names);
	intern_release(&s->generated);
	stub_names_free(s->stubs);
	free(s);
}

struct java_symbols *vm_symbols_of(struct vm_symbols *s) { return &s->symbols; }

void vm_symbols_begin(struct vm_symbols *s)
{
	s->round++;
	java_methods_begin(s->methods);
}

size_t vm_symbols_bytes(const struct vm_symbols *s)
{
	return s->bytes + java_names_bytes(s->names);
}

void vm_symbols_drop(struct vm_symbols *s)
{
	symbols_forget_compiled(s);
	free(s->compiled);
	s->compiled = NULL;
	s->cap = 0;
	java_methods_free(s->methods);
	java_names_free(s->names);
	s->names = java_names_new(NAMES_BYTES);
	s->methods = java_methods_new(&s->layout.method, s->memory, s->names);
}

const char *vm_symbols_limits(const struct vm_symbols *s)
{
	return s->layout.scopes_why;
}

void vm_symbols_count(const struct vm_symbols *s,
		      struct vm_symbols_counts *counts)
{
	*counts = s->counts;
}

static struct java_frame symbols_frame(const struct vm_symbols *s,
				       uint32_t name, enum java_frame_kind kind,
				       uint32_t line)
{
	struct java_name n = java_names_get(s->names, name);

	return (struct java_frame){
		.kind = kind,
		.class_name = n.class_name,
		.method = n.method,
		.signature = n.signature,
		.line = line,
	};
}

/* A larger number of methods would be read again for each of their scopes. */
_Static_assert((int)VM_SYMBOLS_METHODS <= (int)JAVA_METHODS_AT_ONCE,
	       "methods of one nmethod are kept together");

/* Finds the names and lines of all scopes; reads each method once. */
static void compiled_name_scopes(struct vm_symbols *s, struct compiled *c)
{
	const struct nmethod_scopes *t = &c->tables;

	java_methods_prepare(s->methods, t->methods, t->method_count);
	c->scopes = xcalloc(t->scope_count, sizeof(*c->scopes));
	for (size_t i = 0; i < t->scope_count; i++) {
		const struct scope *scope = &t->scopes[i];
		const struct java_method *m = java_methods_get(
			s->methods, t->methods[scope->method]);

		c->scopes[i] = (struct named_scope){
			.name = m->name,
			.line = line_table_line(&m->lines, scope->bci),
			.sender = scope->sender,
		};
		if (!m->name)
			c->is_complete = false;
	}
	free(c->tables.scopes);
	free(c->tables.methods);
	c->tables.scopes = NULL;
	c->tables.methods = NULL;
	c->bytes = sizeof(*c) + t->scope_count * sizeof(*c->scopes) +
		   t->place_count * sizeof(*t->places);
}

static void compiled_read(struct vm_symbols *s, struct compiled *c,
			  const struct code_blob *blob)
{
	*c = (struct compiled){ .is_complete = true, .round = s->round };
	c->bytes = sizeof(*c);
	if (blob->kind == BLOB_NMETHOD) {
		if (scopes_read(&c->tables, &s->layout, s->memory, blob)) {
			compiled_name_scopes(s, c);
		} else {
			s->counts.without_scopes++;
			c->is_complete = s->layout.scopes.place ==
					 SCOPES_UNKNOWN;
		}
	}
	c->name = java_methods_get(s->methods, blob->method)->name;
	if (!c->name) {
		s->counts.unknown++;
		c->is_complete = false;
	}
	s->counts.compiled++;
}

/*
 * Retry incomplete entries in the next round; the JVM may have been updating
 * them.
 */
static const struct compiled *
symbols_find_compiled(struct vm_symbols *s, const struct code_blob *blob)
{
	uint32_t at = map64_get(&s->index, blob->identity);
	struct compiled *c;

	if (at != MAP64_NONE) {
		c = &s->compiled[at];
		if (c->is_complete || c->round == s->round)
			return c;
		s->bytes -= c->bytes;
		compiled_release(c);
	} else {
		if (s->count >= MOST_COMPILED || s->bytes >= MOST_BYTES)
			symbols_forget_compiled(s);
		array_reserve(s->compiled, s->cap, s->count + 1);
		c = &s->compiled[s->count];
		map64_add(&s->index, blob->identity, (uint32_t)s->count++);
	}
	compiled_read(s, c, blob);
	s->bytes += c->bytes;
	return c;
}

/* True when the scope and all scopes that it is inlined into have names. */
static bool compiled_is_named(const struct compiled *c, uint32_t scope)
{
	for (; scope != SCOPE_NONE; scope = c->scopes[scope].sender) {
		if (!c->scopes[scope].name)
			return false;
	}
	return true;
}

static enum java_frame_kind blob_frame_kind(const struct code_blob *blob)
{
	if (blob->kind == BLOB_NATIVE)
		return JAVA_NATIVE;
	return blob->tier == TIER_C2 ? JAVA_C2 : JAVA_C1;
}

static size_t symbols_compiled_frames(struct vm_symbols *s,
				      const struct unwound_frame *at,
				      struct java_frame *out, size_t cap)
{
	const struct compiled *c = symbols_find_compiled(s, at->blob);
	uint32_t scope = at->is_cautious ? SCOPE_NONE
					 : scopes_at(&c->tables,
						     at->pc - at->blob->begin);
	size_t count = 0;

	if (scope == SCOPE_NONE || !compiled_is_named(c, scope)) {
		if (!c->name || !cap)
			return 0;
		*out = symbols_frame(s, c->name, blob_frame_kind(at->blob), 0);
		return 1;
	}
	for (; scope != SCOPE_NONE && count < cap; count++) {
		const struct named_scope *n = &c->scopes[scope];

		out[count] = symbols_frame(s, n->name,
					   n->sender == SCOPE_NONE
						   ? blob_frame_kind(at->blob)
						   : JAVA_INLINED,
					   n->line);
		scope = n->sender;
	}
	return count;
}

static size_t symbols_interpreted_frame(struct vm_symbols *s,
					const struct unwound_frame *at,
					struct java_frame *out)
{
	const struct java_method *m = java_methods_get(s->methods, at->method);

	if (!m->name)
		return 0;
	*out = symbols_frame(s, m->name, JAVA_INTERPRETED,
			     at->bci < 0 ? 0
					 : line_table_line(&m->lines, at->bci));
	return 1;
}

static size_t symbols_frames(struct java_symbols *self,
			     const struct unwound_frame *at, uint64_t time_ns,
			     struct java_frame *out, size_t cap)
{
	struct vm_symbols *s = (struct vm_symbols *)self;

	(void)time_ns;
	if (at->kind == UNWOUND_COMPILED && at->blob)
		return symbols_compiled_frames(s, at, out, cap);
	if (at->kind == UNWOUND_INTERPRETED && at->method && cap)
		return symbols_interpreted_frame(s, at, out);
	return 0;
}

const struct stub_name *vm_symbols_stubs(struct vm_symbols *s, size_t *count)
{
	*count = 0;
	return s->stubs ? stub_names_all(s->stubs, count) : NULL;
}

/* Some stubs are generated late; the list is checked at most once a batch. */
static const char *symbols_find_stub(struct vm_symbols *s, uint64_t pc)
{
	const char *name = s->stubs ? stub_names_at(s->stubs, pc) : NULL;
	size_t count;

	if (name || !s->stubs || s->stubs_round == s->round + 1)
		return name;
	s->stubs_round = s->round + 1;
	stub_names_all(s->stubs, &count);
	return stub_names_at(s->stubs, pc);
}

/*
 * Every Java thread has a frame of call_stub, and the JVM exports its return
 * address, so call_stub has a name even if libjvm is stripped.
 */
static bool symbols_is_call_stub(struct vm_symbols *s, uint64_t pc)
{
	if (s->call_stub_at && !s->call_stub_return)
		s->call_stub_return = memory_u64(s->memory, s->call_stub_at);
	return pc && pc == s->call_stub_return;
}

static const char *symbols_generated(struct java_symbols *self,
				     const struct unwound_frame *at,
				     uint64_t time_ns)
{
	struct vm_symbols *s = (struct vm_symbols *)self;
	const char *name;
	uint32_t id;

	(void)time_ns;
	if (at->kind != UNWOUND_GENERATED || !at->blob || !*at->blob->name)
		return NULL;
	/* Only an agent knows which kind of stub it is. */
	if (strcmp(at->blob->name, "vtable chunks") == 0)
		return "vtable/itable stub";
	name = blob_has_routines(at->blob) ? symbols_find_stub(s, at->pc)
					   : NULL;
	if (name)
		return name;
	if (symbols_is_call_stub(s, at->pc))
		return "call_stub";
	id = intern_id(&s->generated, at->blob->name, strlen(at->blob->name));
	return intern_text(&s->generated, id);
}

size_t vm_symbols_method(struct vm_symbols *s, uint64_t method,
			 struct java_frame *out)
{
	const struct java_method *m = java_methods_get(s->methods, method);

	if (!m->name)
		return 0;
	*out = symbols_frame(s, m->name, JAVA_INTERPRETED, 0);
	return 1;
}

void vm_symbols_prepare(struct vm_symbols *s,
			const struct code_blob *const *blobs, size_t count)
{
	uint64_t *methods = xmalloc(count * sizeof(*methods));

	for (size_t i = 0; i < count; i++)
		methods[i] = blobs[i]->method;
	java_methods_prepare(s->methods, methods, count);
	free(methods);
}
