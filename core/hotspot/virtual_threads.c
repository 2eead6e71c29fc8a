/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/virtual_threads.h"

#include "core/base/alloc.h"
#include "core/hotspot/metadata_layout.h"
#include "core/process/raw.h"

#include <stdlib.h>
#include <string.h>

enum {
	LOADERS_MOST = 1 << 14,
	CLASSES_MOST = 1 << 15, /* of the boot loader */
	CLASSES_AT_ONCE = 256,  /* whose names are read with one request */
	TABLE_MOST = 1 << 22,   /* elements of a hash table */
	ELEMENTS = 512,         /* of a table, at once */
	CHAIN_MOST = 64,        /* entries of an element */
	CONTAINERS_MOST = 1024,
	NAME_MOST = 80,
	LOCKS_MOST = 8, /* LockStack::CAPACITY */
};

/* The classes with the sets, and their static fields. */
enum { IN_CONTAINERS, IN_ROOT, HOLDERS };

static const char *const holder_names[HOLDERS] = {
	"jdk/internal/vm/ThreadContainers",
	"jdk/internal/vm/ThreadContainers$RootContainer$TrackingRootContainer",
};

struct virtual_threads {
	struct memory *memory;
	struct java_heap *heap;
	struct lock_classes *classes;
	const struct object_shape *shape;
	uint64_t mirrors[HOLDERS];  /* addresses of the handles; 0 = none */
	uint32_t threads, registry; /* offsets of the fields in the mirrors */
};

/* Addresses of objects; no more than most. */
struct object_list {
	uint64_t *all;
	size_t count, most;
};

/* ---- classes of the boot loader ---- */

/* The way from the graph of class loaders to the names of classes. */
struct graph_layout {
	uint64_t head;
	uint32_t next_loader, first_class;
	uint32_t next_class, name, mirror;
};

static bool graph_layout_read(struct graph_layout *l,
			      const struct vm_structs *v)
{
	const struct {
		const char *type, *field;
		uint32_t *out;
	} all[] = {
		{ "ClassLoaderData", "_next", &l->next_loader },
		{ "ClassLoaderData", "_klasses", &l->first_class },
		{ "Klass", "_next_link", &l->next_class },
		{ "Klass", "_name", &l->name },
		{ "Klass", "_java_mirror", &l->mirror },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (!metadata_offset(v, all[i].type, all[i].field, all[i].out))
			return false;
	}
	return vm_structs_static(v, "ClassLoaderDataGraph", "_head", &l->head);
}

/* The JVM adds loaders at the front, so the boot loader is the last. */
static uint64_t graph_boot_loader(const struct graph_layout *l,
				  struct memory *memory,
				  const struct read_budget *budget)
{
	uint64_t at = memory_u64(memory, l->head), next;

	for (int i = 0; i < LOADERS_MOST && at >= OBJECT_LOWEST; i++) {
		if (read_budget_is_spent(budget))
			return 0;
		next = memory_u64(memory, at + l->next_loader);
		if (!next)
			return at;
		at = next;
	}
	return 0;
}

/* Classes whose names are not known yet. */
struct class_batch {
	uint64_t classes[CLASSES_AT_ONCE], symbols[CLASSES_AT_ONCE];
	uint16_t lengths[CLASSES_AT_ONCE];
	size_t count;
};

static void batch_find(struct class_batch *b, const struct field_reader *f,
		       uint64_t found[HOLDERS])
{
	struct memory_range r[CLASSES_AT_ONCE];

	for (size_t i = 0; i < b->count; i++)
		r[i] = memory_range_of(b->symbols[i] + f->symbol_length,
				       &b->lengths[i], sizeof(b->lengths[i]));
	f->memory->read_all(f->memory, r, b->count);
	for (size_t i = 0; i < b->count; i++) {
		for (int k = 0; k < HOLDERS; k++) {
			size_t len = strlen(holder_names[k]);
			char name[NAME_MOST];

			if (r[i].is_read && b->lengths[i] == len &&
			    memory_read(f->memory,
					b->symbols[i] + f->symbol_body, name,
					len) &&
			    memcmp(name, holder_names[k], len) == 0)
				found[k] = b->classes[i];
		}
	}
	b->count = 0;
}

static void graph_find(const struct graph_layout *l,
		       const struct field_reader *f,
		       const struct read_budget *budget,
		       uint64_t found[HOLDERS])
{
	struct memory *memory = f->memory;
	struct class_batch *b = xcalloc(1, sizeof(*b));
	uint64_t loader = graph_boot_loader(l, memory, budget);
	uint64_t at = loader ? memory_u64(memory, loader + l->first_class) : 0;

	for (int i = 0; i < CLASSES_MOST && at >= OBJECT_LOWEST; i++) {
		uint64_t next = 0;
		struct memory_range r[] = {
			{ at + l->next_class, &next, OBJECT_WORD, false },
			{ at + l->name, &b->symbols[b->count], OBJECT_WORD,
			  false },
		};

		memory->read_all(memory, r, 2);
		b->classes[b->count++] = at;
		if (b->count == CLASSES_AT_ONCE)
			batch_find(b, f, found);
		if ((found[IN_CONTAINERS] && found[IN_ROOT]) ||
		    read_budget_is_spent(budget))
			break;
		at = next;
	}
	batch_find(b, f, found);
	free(b);
}

static void threads_find_fields(struct virtual_threads *t,
				const struct field_reader *fields,
				const struct graph_layout *l,
				const uint64_t found[HOLDERS])
{
	struct object_fields *f = xcalloc(1, sizeof(*f));

	/* The set had the name THREADS until JDK 20. */
	if (found[IN_ROOT] && object_fields_read(fields, found[IN_ROOT], f) &&
	    object_fields_find_static(f, "VTHREADS", &t->threads))
		t->mirrors[IN_ROOT] = memory_u64(t->memory,
						 found[IN_ROOT] + l->mirror);
	if (found[IN_CONTAINERS] &&
	    object_fields_read(fields, found[IN_CONTAINERS], f) &&
	    object_fields_find_static(f, "CONTAINER_REGISTRY", &t->registry))
		t->mirrors[IN_CONTAINERS] = memory_u64(
			t->memory, found[IN_CONTAINERS] + l->mirror);
	free(f);
}

struct virtual_threads *virtual_threads_open(const struct vm_structs *v,
					     struct memory *memory,
					     const struct field_reader *fields,
					     const struct object_shape *shape,
					     struct java_heap *heap,
					     struct lock_classes *classes,
					     const struct read_budget *budget)
{
	struct virtual_threads *t = xcalloc(1, sizeof(*t));
	uint64_t found[HOLDERS] = { 0 };
	struct graph_layout l;
	uint32_t ignored;

	t->memory = memory;
	t->heap = heap;
	t->classes = classes;
	t->shape = shape;
	if (vm_structs_offset(v, "JavaThread", "_vthread", &ignored) &&
	    graph_layout_read(&l, v)) {
		graph_find(&l, fields, budget, found);
		threads_find_fields(t, fields, &l, found);
	}
	if (t->mirrors[IN_ROOT] || t->mirrors[IN_CONTAINERS])
		return t;
	free(t);
	return NULL;
}

void virtual_threads_close(struct virtual_threads *t) { free(t); }

/* ---- the keys of a ConcurrentHashMap ---- */

/* Follows a field of an object; 0 if it has no such field. */
static uint64_t object_follow(struct virtual_threads *t, uint64_t object,
			      enum lock_field field)
{
	const struct lock_class *c = object ? lock_classes_of(t->classes,
							      object)
					    : NULL;
	uint64_t to = 0;

	if (c && c->fields[field])
		java_heap_follow(t->heap, object + c->fields[field], false,
				 &to);
	return to;
}

/* Entries of a part of a table, and what is read of them. */
struct entry_batch {
	uint64_t headers[ELEMENTS][2];
	struct java_reference entries[ELEMENTS], keys[ELEMENTS];
	struct java_reference *pointers[2 * ELEMENTS];
	struct memory_range ranges[2 * ELEMENTS];
	size_t count;
};

/* Reads `bytes` of references at an offset, and resolves them. */
static void entries_resolve(struct virtual_threads *t, struct entry_batch *b,
			    size_t range_count, size_t reference_count)
{
	t->memory->read_all(t->memory, b->ranges, range_count);
	java_heap_resolve(t->heap, b->pointers, reference_count);
}

/* Keeps the entries that exist. */
static void entries_compact(struct entry_batch *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->count; i++) {
		if (b->entries[i].is_known && b->entries[i].address)
			b->entries[kept++] = b->entries[i];
	}
	b->count = kept;
}

/* Requests the key and the next entry; a tree has no key, but a first entry. */
static bool entry_request(struct virtual_threads *t, struct entry_batch *b,
			  size_t i, size_t at)
{
	const struct lock_class *c = lock_classes_get(t->classes,
						      b->headers[i]);
	uint64_t entry = b->entries[i].address;
	size_t bytes = object_reference_bytes(t->shape);
	uint32_t key, next;

	if (!c || !c->fields[LOCK_ENTRY_KEY] || !c->fields[LOCK_ENTRY_NEXT])
		return false;
	key = c->fields[LOCK_ENTRY_KEY];
	next = c->fields[LOCK_TREE_FIRST] ? c->fields[LOCK_TREE_FIRST]
					  : c->fields[LOCK_ENTRY_NEXT];
	b->keys[at] = b->entries[at] = (struct java_reference){ 0 };
	b->ranges[2 * at] = memory_range_of(entry + key, &b->keys[at].value,
					    bytes);
	b->ranges[2 * at + 1] = memory_range_of(entry + next,
						&b->entries[at].value, bytes);
	b->pointers[2 * at] = &b->keys[at];
	b->pointers[2 * at + 1] = &b->entries[at];
	return true;
}

/* Replaces each entry by the next one of its chain, and adds their keys. */
static void entries_step(struct virtual_threads *t, struct entry_batch *b,
			 struct object_list *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->count; i++)
		b->ranges[i] = memory_range_of(b->entries[i].address,
					       b->headers[i], 16);
	t->memory->read_all(t->memory, b->ranges, b->count);
	for (size_t i = 0; i < b->count; i++) {
		if (b->entries[i].is_known && entry_request(t, b, i, kept))
			kept++;
	}
	entries_resolve(t, b, 2 * kept, 2 * kept);
	for (size_t i = 0; i < kept; i++) {
		if (b->keys[i].is_known && b->keys[i].address &&
		    out->count < out->most)
			out->all[out->count++] = b->keys[i].address;
	}
	b->count = kept;
	entries_compact(b);
}

/* Reads the entries of a part of a table. */
static void entries_read(struct virtual_threads *t, struct entry_batch *b,
			 uint64_t at, size_t count, struct object_list *out)
{
	size_t bytes = object_reference_bytes(t->shape);
	uint8_t *elements = xcalloc(count, bytes);

	b->count = 0;
	if (memory_read(t->memory, at, elements, count * bytes)) {
		for (size_t i = 0; i < count; i++) {
			uint64_t value = bytes == 4 ? raw_u32(elements, i * 4)
						    : raw_u64(elements, i * 8);

			if (!value)
				continue;
			b->entries[b->count].value = value;
			b->entries[b->count].is_in_vm = false;
			b->pointers[b->count] = &b->entries[b->count];
			b->count++;
		}
	}
	entries_resolve(t, b, 0, b->count);
	entries_compact(b);
	for (int i = 0; i < CHAIN_MOST && b->count; i++)
		entries_step(t, b, out);
	free(elements);
}

/* Adds the keys of a map, or of the key set of a map. */
static void keys_read(struct virtual_threads *t, uint64_t map,
		      const struct read_budget *budget, struct object_list *out)
{
	uint64_t viewed = object_follow(t, map, LOCK_VIEW_MAP);
	uint64_t table = object_follow(t, viewed ? viewed : map,
				       LOCK_MAP_TABLE);
	uint32_t data = t->shape->array_data;
	struct entry_batch *b;
	size_t length = table ? memory_u32(t->memory,
					   table + t->shape->array_length)
			      : 0;

	if (length > TABLE_MOST)
		return;
	/* References of 8 bytes are aligned to 8. */
	if (!t->shape->is_narrow)
		data = object_align(data);
	b = xcalloc(1, sizeof(*b));
	for (size_t i = 0; i < length && out->count < out->most &&
			   !read_budget_is_spent(budget);
	     i += ELEMENTS)
		entries_read(
			t, b,
			table + data + i * object_reference_bytes(t->shape),
			length - i < ELEMENTS ? length - i : ELEMENTS, out);
	free(b);
}

/* Returns the object of a static field; 0 = unknown. */
static uint64_t threads_static(struct virtual_threads *t, int holder,
			       uint32_t field)
{
	uint64_t mirror, object = 0;

	if (t->mirrors[holder] &&
	    java_heap_follow(t->heap, t->mirrors[holder], true, &mirror) &&
	    mirror)
		java_heap_follow(t->heap, mirror + field, false, &object);
	return object;
}

size_t virtual_threads_read(struct virtual_threads *t,
			    const struct read_budget *budget, uint64_t *out,
			    size_t most)
{
	struct object_list threads = { out, 0, most };
	struct object_list containers = { xcalloc(CONTAINERS_MOST, 8), 0,
					  CONTAINERS_MOST };

	keys_read(t, threads_static(t, IN_ROOT, t->threads), budget, &threads);
	keys_read(t, threads_static(t, IN_CONTAINERS, t->registry), budget,
		  &containers);
	for (size_t i = 0; i < containers.count; i++) {
		uint64_t container;

		if (read_budget_is_spent(budget))
			break;
		/* A WeakReference. */
		container = object_follow(t, containers.all[i], LOCK_REFERENT);
		keys_read(t,
			  object_follow(t, container, LOCK_CONTAINER_THREADS),
			  budget, &threads);
	}
	free(containers.all);
	return threads.count;
}

/* ---- lock stacks ---- */

/*
 * Reads the lock stack of a StackChunk, which begins the stack.  Returns the
 * number of objects.
 */
static size_t chunk_read_locks(struct virtual_threads *t, uint64_t chunk,
			       uint64_t objects[LOCKS_MOST])
{
	const struct lock_class *c = chunk ? lock_classes_of(t->classes, chunk)
					   : NULL;
	uint8_t count = 0;

	if (!c || !c->fields[LOCK_CHUNK_LOCKS] || !c->fields[LOCK_CHUNK_STACK])
		return 0;
	if (!memory_read(t->memory, chunk + c->fields[LOCK_CHUNK_LOCKS], &count,
			 1) ||
	    !count || count > LOCKS_MOST ||
	    !memory_read(t->memory, chunk + c->fields[LOCK_CHUNK_STACK],
			 objects, count * sizeof(*objects)))
		return 0;
	return count;
}

/* A word of a chunk is an address or, after a collection, a reference. */
static bool chunk_word_is(struct virtual_threads *t, uint64_t word,
			  uint64_t object)
{
	struct java_reference in_heap = { .value = word };
	struct java_reference in_vm = { .value = word, .is_in_vm = true };
	struct java_reference *both[] = { &in_heap, &in_vm };

	if (word == object)
		return true;
	java_heap_resolve(t->heap, both, 2);
	return (in_heap.is_known && in_heap.address == object) ||
	       (in_vm.is_known && in_vm.address == object);
}

void virtual_threads_lock_holders(struct virtual_threads *t,
				  const struct read_budget *budget,
				  const uint64_t *threads, size_t count,
				  const uint64_t *objects, uint64_t *holders,
				  size_t object_count)
{
	memset(holders, 0, object_count * sizeof(*holders));
	for (size_t i = 0; i < count && !read_budget_is_spent(budget); i++) {
		uint64_t words[LOCKS_MOST];
		uint64_t chunk = object_follow(
			t, object_follow(t, threads[i], LOCK_CONTINUATION),
			LOCK_CHUNK);
		size_t locks = chunk_read_locks(t, chunk, words);

		for (size_t k = 0; k < locks * object_count; k++) {
			size_t at = k % object_count;

			if (objects[at] &&
			    chunk_word_is(t, words[k / object_count],
					  objects[at]))
				holders[at] = threads[i];
		}
	}
}
