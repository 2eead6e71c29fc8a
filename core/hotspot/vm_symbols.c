/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/vm_symbols.h"

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/map64.h"
#include "core/hotspot/java_method.h"
#include "core/hotspot/nmethod_scopes.h"

#include <stdlib.h>
#include <string.h>

/* Limits of cached scopes; beyond, all are forgotten. */
#define MOST_BYTES    ((size_t)64 << 20)
#define MOST_COMPILED ((size_t)1 << 17)

enum { TIER_C2 = 4 }; /* CompLevel_full_optimization */

/* A scope with the names of its method. */
struct named_scope {
	uint32_t name; /* in the java_names; 0 = unknown */
	uint32_t line;
	uint32_t sender; /* as in struct scope */
};

struct compiled {
	uint32_t name; /* name of its own method; 0 = unknown */
	bool is_whole; /* nothing is missing that may become known */
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
	uint32_t stubs_round;     /* round of the last look at the list */
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
	s->names = java_names_new();
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
	nmethod_scopes_release(&c->tables);
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

/* Otherwise a method would be read again for each of its scopes. */
_Static_assert((int)SCOPES_METHODS <= (int)JAVA_METHODS_AT_ONCE,
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
			c->is_whole = false;
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
	*c = (struct compiled){ .is_whole = true, .round = s->round };
	c->bytes = sizeof(*c);
	if (blob->kind == BLOB_NMETHOD) {
		if (nmethod_scopes_read(&c->tables, &s->layout, s->memory,
					blob)) {
			compiled_name_scopes(s, c);
		} else {
			s->counts.without_scopes++;
			c->is_whole = s->layout.scopes.place == SCOPES_UNKNOWN;
		}
	}
	c->name = java_methods_get(s->methods, blob->method)->name;
	if (!c->name) {
		s->counts.unknown++;
		c->is_whole = false;
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
		if (c->is_whole || c->round == s->round)
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
	uint32_t scope = nmethod_scopes_at(&c->tables,
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
	/* Only an agent learns which of the two it is. */
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
