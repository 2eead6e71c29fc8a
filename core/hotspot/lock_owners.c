/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/lock_owners.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"
#include "core/hotspot/java_heap.h"
#include "core/hotspot/java_threads.h"
#include "core/hotspot/lock_classes.h"
#include "core/hotspot/metadata_layout.h"
#include "core/hotspot/object_fields.h"
#include "core/process/raw.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define READ_NS (700 * CLOCK_NS_PER_MS)

enum {
	CHUNK = 128, /* threads that are read at once: a longer reading would
			meet a pause more often */
	TRIES = 10,
	THREAD_BYTES = 384, /* of a Thread, up to the fields that are read */
	QUEUE_MOST = 4096,  /* nodes of a queue */
	RANGES = 3,         /* maximum number of ranges of a thread in a step */
	ANONYMOUS_OWNER = 1,
};

/* The offsets of fields of java.lang.Thread. */
struct thread_fields {
	uint32_t blocker, id, address;
	size_t bytes; /* up to the end of the last one */
};

/* What a reading of a path has found; two of them must be equal. */
struct lock_path {
	uint64_t thread;   /* the Thread */
	uint64_t java_id;  /* of the thread */
	uint64_t platform; /* Java id of the thread or of its carrier */
	uint64_t lock;     /* 0 = it is not parked */
	uint64_t owner;    /* a Thread */
	uint64_t owner_id, owner_address;
	uint64_t monitor;       /* ObjectMonitor*; 0 = it waits for none */
	uint64_t monitor_owner; /* ObjectMonitor::_owner */
	uint64_t monitor_object;
	uint64_t holder; /* the JavaThread that owns it anonymously */
	const struct lock_class *lock_class, *monitor_class;
	uint64_t is_virtual, owner_is_virtual, is_reacquired;
};

/* A path that was accepted. */
struct lock_found {
	struct lock_path path;
	size_t index; /* of the JavaThread */
};

struct lock_owners {
	struct memory *memory;
	struct field_reader reader;
	struct object_shape shape;
	struct thread_fields fields;
	struct thread_layout layout;
	struct java_heap *heap;
	struct lock_classes *classes;
	struct java_threads *threads;
	bool has_handles; /* _threadObj is a handle (JDK 16) */
	bool has_monitor_object;
	uint32_t monitor_object; /* in ObjectMonitor */
	int64_t until_ns;        /* the end of the reading */
	const struct java_thread *all;
	size_t count;
	struct map64 by_address; /* index of each JavaThread */
	/* The thread that each JavaThread runs; a carrier: the virtual one. */
	struct lock_thread *running;
	struct lock_found *found;
	size_t found_count, found_cap;
};

/* A thread while its path is read. */
struct lock_work {
	const struct java_thread *java_thread;
	bool is_alive;    /* false once a step has failed */
	bool was_alive;   /* after the first reading */
	bool is_accepted; /* path is valid */
	bool has_thread;  /* false: a thread of the JVM without a Thread */
	struct java_reference reference, carried;
	uint64_t header[2];
	uint8_t bytes[THREAD_BYTES];
	uint64_t monitor_handle;
	struct lock_path path, then;
};

/* The ranges of a step, and the work of each. */
struct lock_batch {
	struct lock_owners *o;
	struct lock_work *all;
	size_t count;
	struct memory_range ranges[CHUNK * RANGES];
	struct lock_work *of[CHUNK * RANGES];
	size_t range_count;
	struct java_reference *references[CHUNK * 2];
	size_t reference_count;
};

/* ---- the layout ---- */

static int owners_fail(struct error *err, const char *what)
{
	return fail(err, ERROR_UNAVAILABLE, "this JVM's tables lack %s", what);
}

static bool owners_find_thread(struct thread_fields *t,
			       const struct object_fields *f)
{
	if (!object_fields_find(f, "parkBlocker", "Ljava/lang/Object;",
				&t->blocker) ||
	    !object_fields_find(f, "tid", "J", &t->id) ||
	    !object_fields_find(f, "eetop", "J", &t->address))
		return false;
	t->bytes = t->blocker > t->id ? t->blocker : t->id;
	if (t->address > t->bytes)
		t->bytes = t->address;
	t->bytes += OBJECT_WORD;
	return t->bytes <= THREAD_BYTES;
}

static int owners_read_layout(struct lock_owners *o, const struct vm_structs *v,
			      struct error *err)
{
	struct object_fields *f = xcalloc(2, sizeof(*f));
	struct object_fields *thread = &f[0], *string = &f[1];
	uint32_t ignored;
	int ret = -1;

	o->has_handles = vm_structs_offset(v, "OopHandle", "_obj", &ignored);
	o->has_monitor_object = vm_structs_offset(v, "ObjectMonitor", "_object",
						  &o->monitor_object) &&
				o->monitor_object <= METADATA_STRUCT_MOST;
	if (thread_layout_read(&o->layout, v, err) ||
	    field_reader_init(&o->reader, v, o->memory, err))
		goto out;
	if (!o->layout.fields[THREAD_OBJECT] ||
	    !object_fields_read(&o->reader,
				field_reader_class(&o->reader, "Thread"),
				thread) ||
	    !object_fields_read(&o->reader,
				field_reader_class(&o->reader, "String"),
				string) ||
	    !owners_find_thread(&o->fields, thread) ||
	    !object_shape_find(&o->shape, &o->reader, thread, string))
		owners_fail(err, "the fields of java.lang.Thread");
	else
		ret = 0;
out:
	free(f);
	return ret;
}

struct lock_owners *lock_owners_open(const struct vm_structs *v,
				     struct memory *memory, struct error *err)
{
	struct lock_owners *o = xcalloc(1, sizeof(*o));

	o->memory = memory;
	if (owners_read_layout(o, v, err))
		goto fail;
	o->heap = java_heap_open(v, memory, &o->shape, err);
	if (!o->heap)
		goto fail;
	o->classes = lock_classes_open(v, memory, &o->reader, err);
	if (!o->classes)
		goto fail;
	o->threads = java_threads_new(&o->layout, memory);
	return o;
fail:
	lock_owners_close(o);
	return NULL;
}

void lock_owners_close(struct lock_owners *o)
{
	if (!o)
		return;
	java_heap_close(o->heap);
	lock_classes_close(o->classes);
	java_threads_free(o->threads);
	map64_release(&o->by_address);
	free(o->running);
	free(o->found);
	free(o);
}

/* ---- steps ---- */

static void batch_add(struct lock_batch *b, struct lock_work *w,
		      uint64_t address, void *bytes, size_t len)
{
	if (address < OBJECT_LOWEST || address >> 47 ||
	    b->range_count == CHUNK * RANGES) {
		w->is_alive = false;
		return;
	}
	b->of[b->range_count] = w;
	b->ranges[b->range_count++] = (struct memory_range){ address, bytes,
							     len, false };
}

static void batch_add_reference(struct lock_batch *b, struct lock_work *w,
				uint64_t address, struct java_reference *r,
				bool is_in_vm)
{
	*r = (struct java_reference){ .is_in_vm = is_in_vm };
	batch_add(b, w, address, &r->value,
		  is_in_vm ? OBJECT_WORD
			   : object_reference_bytes(&b->o->shape));
	b->references[b->reference_count++] = r;
}

/* Reads the ranges of a step, and resolves its references. */
static void batch_read(struct lock_batch *b)
{
	bool is_late = clock_monotonic_ns() > b->o->until_ns;

	if (b->range_count && !is_late)
		b->o->memory->read_all(b->o->memory, b->ranges, b->range_count);
	for (size_t i = 0; i < b->range_count; i++) {
		if (is_late || !b->ranges[i].is_read)
			b->of[i]->is_alive = false;
	}
	b->range_count = 0;
	if (b->reference_count && !is_late)
		java_heap_resolve(b->o->heap, b->references,
				  b->reference_count);
	b->reference_count = 0;
}

static void step_request_handles(struct lock_batch *b, struct lock_work *w)
{
	const struct java_thread *j = w->java_thread;
	const uint32_t *fields = b->o->layout.fields;
	uint64_t at = b->o->has_handles ? j->fields[THREAD_OBJECT]
					: j->address + fields[THREAD_OBJECT];

	w->has_thread = at != 0;
	w->is_alive = w->has_thread;
	if (!w->is_alive)
		return;
	batch_add_reference(b, w, at, &w->reference, true);
	w->carried = (struct java_reference){ .is_known = true };
	if (j->fields[THREAD_CARRIED])
		batch_add_reference(b, w, j->fields[THREAD_CARRIED],
				    &w->carried, true);
	batch_add(b, w, j->address + b->o->layout.places.pending,
		  &w->path.monitor, OBJECT_WORD);
}

/* A thread of the JVM, and a thread that starts or ends, have no Thread. */
static void step_check_handles(struct lock_batch *b, struct lock_work *w)
{
	(void)b;
	w->has_thread = !w->reference.is_known || w->reference.address;
	w->is_alive = w->reference.is_known && w->carried.is_known &&
		      w->reference.address;
	w->path.thread = w->reference.address;
}

static void step_request_thread(struct lock_batch *b, struct lock_work *w)
{
	batch_add(b, w, w->path.thread, w->bytes, b->o->fields.bytes);
}

/*
 * Takes the class and the Java id from the bytes of a Thread; NULL if they are
 * those of another object.
 */
static const struct lock_class *work_thread_class(struct lock_batch *b,
						  struct lock_work *w)
{
	const uint64_t header[] = { raw_u64(w->bytes, 0),
				    raw_u64(w->bytes, 8) };
	const struct lock_class *c = lock_classes_get(b->o->classes, header);

	return c && c->is_thread ? c : NULL;
}

static void step_check_thread(struct lock_batch *b, struct lock_work *w)
{
	const struct thread_fields *f = &b->o->fields;

	w->is_alive = work_thread_class(b, w) &&
		      raw_u64(w->bytes, f->address) == w->java_thread->address;
	w->path.java_id = raw_u64(w->bytes, f->id);
	w->path.platform = w->path.java_id;
}

/* A carrier does not wait; the virtual thread that it runs may. */
static void step_request_carried(struct lock_batch *b, struct lock_work *w)
{
	if (!w->carried.address || w->carried.address == w->path.thread)
		return;
	w->path.thread = w->carried.address;
	w->path.is_virtual = true;
	batch_add(b, w, w->path.thread, w->bytes, b->o->fields.bytes);
}

static void step_check_carried(struct lock_batch *b, struct lock_work *w)
{
	const struct lock_class *c;

	if (!w->path.is_virtual)
		return;
	c = work_thread_class(b, w);
	w->is_alive = c && c->is_virtual_thread;
	w->path.java_id = raw_u64(w->bytes, b->o->fields.id);
}

/* The blocker was read with the Thread. */
static void step_request_blocker(struct lock_batch *b, struct lock_work *w)
{
	uint32_t at = b->o->fields.blocker;

	w->reference = (struct java_reference){
		.value = b->o->shape.is_narrow ? raw_u32(w->bytes, at)
					       : raw_u64(w->bytes, at),
	};
	b->references[b->reference_count++] = &w->reference;
}

static void step_check_blocker(struct lock_batch *b, struct lock_work *w)
{
	(void)b;
	w->is_alive = w->reference.is_known;
	w->path.lock = w->reference.address;
}

static void step_request_lock(struct lock_batch *b, struct lock_work *w)
{
	if (w->path.lock)
		batch_add(b, w, w->path.lock, w->header, sizeof(w->header));
}

/* ---- conditions ---- */

/* Reads one reference of an object; false if its object is unknown. */
static bool owners_follow(struct lock_owners *o, uint64_t object,
			  uint32_t offset, uint64_t *out)
{
	struct java_reference r = { 0 }, *all = &r;

	if (clock_monotonic_ns() > o->until_ns ||
	    !memory_read(o->memory, object + offset, &r.value,
			 object_reference_bytes(&o->shape)))
		return false;
	java_heap_resolve(o->heap, &all, 1);
	*out = r.address;
	return r.is_known;
}

static const struct lock_class *owners_class_of(struct lock_owners *o,
						uint64_t object)
{
	uint64_t header[2];

	return memory_read(o->memory, object, header, sizeof(header))
		       ? lock_classes_get(o->classes, header)
		       : NULL;
}

/* Searches the queue of a lock from its tail; false if it is unreadable. */
static bool queue_has(struct lock_owners *o, uint64_t sync, uint32_t tail,
		      uint64_t thread, bool *is_found)
{
	uint64_t node, waiter;

	*is_found = false;
	if (!owners_follow(o, sync, tail, &node))
		return false;
	for (int i = 0; node && i < QUEUE_MOST; i++) {
		const struct lock_class *c = owners_class_of(o, node);

		if (!c || !c->node_prev || !c->node_thread ||
		    !owners_follow(o, node, c->node_thread, &waiter))
			return false;
		*is_found = waiter == thread;
		if (*is_found)
			return true;
		if (!owners_follow(o, node, c->node_prev, &node))
			return false;
	}
	return node == 0;
}

/*
 * A thread in the queue of the condition's lock was signalled and waits for the
 * lock; the others wait to be signalled.
 */
static void work_check_condition(struct lock_owners *o, struct lock_work *w)
{
	const struct lock_class *c;
	uint64_t sync;
	bool is_found;

	if (!owners_follow(o, w->path.lock, w->path.lock_class->sync, &sync) ||
	    !(c = owners_class_of(o, sync)) || !c->tail ||
	    !queue_has(o, sync, c->tail, w->path.thread, &is_found)) {
		w->is_alive = false;
		return;
	}
	if (!is_found)
		return;
	w->path.lock = sync;
	w->path.lock_class = c;
	w->path.is_reacquired = true;
}

static void step_check_lock(struct lock_batch *b, struct lock_work *w)
{
	if (!w->path.lock)
		return;
	w->path.lock_class = lock_classes_get(b->o->classes, w->header);
	w->is_alive = w->path.lock_class != NULL;
	if (w->is_alive && w->path.lock_class->sync)
		work_check_condition(b->o, w);
}

/* ---- owners ---- */

static void step_request_owner(struct lock_batch *b, struct lock_work *w)
{
	w->reference = (struct java_reference){ .is_known = true };
	if (w->path.lock && w->path.lock_class->owner)
		batch_add_reference(b, w,
				    w->path.lock + w->path.lock_class->owner,
				    &w->reference, false);
}

static void step_check_owner(struct lock_batch *b, struct lock_work *w)
{
	(void)b;
	w->is_alive = w->reference.is_known;
	w->path.owner = w->reference.address;
}

static void step_request_owner_thread(struct lock_batch *b, struct lock_work *w)
{
	if (w->path.owner)
		batch_add(b, w, w->path.owner, w->bytes, b->o->fields.bytes);
}

static void step_check_owner_thread(struct lock_batch *b, struct lock_work *w)
{
	const struct thread_fields *f = &b->o->fields;
	const struct lock_class *c;

	if (!w->path.owner)
		return;
	c = work_thread_class(b, w);
	w->path.owner_id = raw_u64(w->bytes, f->id);
	w->path.owner_address = raw_u64(w->bytes, f->address);
	w->path.owner_is_virtual = c && c->is_virtual_thread;
	w->is_alive = c && (c->is_virtual_thread ||
			    map64_get(&b->o->by_address,
				      w->path.owner_address) != MAP64_NONE);
}

/* ---- monitors ---- */

static void step_request_monitor(struct lock_batch *b, struct lock_work *w)
{
	uint32_t at = b->o->monitor_object;

	if (!w->path.monitor)
		return;
	batch_add(b, w, w->path.monitor + b->o->layout.places.owner,
		  &w->path.monitor_owner, OBJECT_WORD);
	if (b->o->has_monitor_object)
		batch_add(b, w, w->path.monitor + at, &w->monitor_handle,
			  OBJECT_WORD);
}

/* The object is in a handle since JDK 16, as that of a JavaThread. */
static void step_request_monitor_object(struct lock_batch *b,
					struct lock_work *w)
{
	w->reference = (struct java_reference){ .is_known = true };
	if (!w->path.monitor || !b->o->has_monitor_object)
		return;
	if (b->o->has_handles) {
		batch_add_reference(b, w, w->monitor_handle, &w->reference,
				    true);
		return;
	}
	w->reference = (struct java_reference){
		.value = w->monitor_handle,
		.is_in_vm = true,
	};
	b->references[b->reference_count++] = &w->reference;
}

static void step_check_monitor_object(struct lock_batch *b, struct lock_work *w)
{
	(void)b;
	w->is_alive = w->reference.is_known;
	w->path.monitor_object = w->reference.address;
}

static void step_request_monitor_class(struct lock_batch *b,
				       struct lock_work *w)
{
	if (w->path.monitor_object)
		batch_add(b, w, w->path.monitor_object, w->header,
			  sizeof(w->header));
}

static void step_check_monitor_class(struct lock_batch *b, struct lock_work *w)
{
	if (w->path.monitor_object)
		w->path.monitor_class = lock_classes_get(b->o->classes,
							 w->header);
}

static const struct {
	void (*request)(struct lock_batch *b, struct lock_work *w);
	void (*check)(struct lock_batch *b, struct lock_work *w); /* or NULL */
} steps[] = {
	{ step_request_handles, step_check_handles },
	{ step_request_thread, step_check_thread },
	{ step_request_carried, step_check_carried },
	{ step_request_blocker, step_check_blocker },
	{ step_request_lock, step_check_lock },
	{ step_request_owner, step_check_owner },
	{ step_request_owner_thread, step_check_owner_thread },
	{ step_request_monitor, NULL },
	{ step_request_monitor_object, step_check_monitor_object },
	{ step_request_monitor_class, step_check_monitor_class },
};

/* Finds the owners of monitors whose owner is anonymous. */
static void batch_find_holders(struct lock_batch *b)
{
	const struct java_thread *holders[CHUNK];
	struct lock_work *of[CHUNK];
	uint64_t objects[CHUNK] = { 0 };
	size_t n = 0;

	for (size_t k = 0; k < b->count; k++) {
		struct lock_work *w = &b->all[k];

		if (!w->is_alive || !w->path.monitor ||
		    w->path.monitor_owner != ANONYMOUS_OWNER)
			continue;
		of[n] = w;
		objects[n++] = w->path.monitor_object;
	}
	java_threads_lock_holders(b->o->threads, objects, n, holders);
	for (size_t i = 0; i < n; i++)
		of[i]->path.holder = holders[i] ? holders[i]->address : 0;
}

/* Reads the paths of all work that is not accepted yet, once. */
static void batch_run(struct lock_batch *b)
{
	for (size_t k = 0; k < b->count; k++) {
		b->all[k].is_alive = !b->all[k].is_accepted;
		if (b->all[k].is_alive)
			memset(&b->all[k].path, 0, sizeof(b->all[k].path));
	}
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		for (size_t k = 0; k < b->count; k++) {
			if (b->all[k].is_alive)
				steps[i].request(b, &b->all[k]);
		}
		batch_read(b);
		for (size_t k = 0; k < b->count && steps[i].check; k++) {
			if (b->all[k].is_alive)
				steps[i].check(b, &b->all[k]);
		}
	}
	batch_find_holders(b);
}

/* ---- readings ---- */

/* Accepts each path that two readings without a pause in between agree on. */
static size_t batch_accept(struct lock_batch *b, bool is_still)
{
	size_t pending = 0;

	for (size_t k = 0; k < b->count; k++) {
		struct lock_work *w = &b->all[k];

		if (w->is_accepted)
			continue;
		w->is_accepted = is_still && (!w->has_thread ||
					      (w->is_alive && w->was_alive &&
					       memcmp(&w->path, &w->then,
						      sizeof(w->path)) == 0));
		pending += !w->is_accepted;
	}
	return pending;
}

/* Reads the paths of the batch until all are accepted, a few times. */
static void batch_try(struct lock_batch *b, struct lock_waits *out)
{
	size_t pending = b->count;

	for (int i = 1; i <= TRIES && pending; i++) {
		uint32_t before = 0, after = 0;
		bool is_still = java_heap_epoch(b->o->heap, &before);

		if (is_still) {
			batch_run(b);
			for (size_t k = 0; k < b->count; k++) {
				b->all[k].then = b->all[k].path;
				b->all[k].was_alive = b->all[k].is_alive;
			}
			batch_run(b);
			is_still = java_heap_epoch(b->o->heap, &after) &&
				   before == after;
		}
		pending = batch_accept(b, is_still);
		out->retried += pending;
		if (clock_monotonic_ns() > b->o->until_ns)
			break;
		if (pending)
			clock_sleep_until(clock_after(clock_monotonic_ns(),
						      i * CLOCK_NS_PER_MS));
	}
	out->unknown += pending;
}

/* ---- results ---- */

static void owners_keep(struct lock_owners *o, const struct lock_work *w)
{
	size_t index = (size_t)(w->java_thread - o->all);

	if (!w->is_accepted || !w->has_thread)
		return;
	o->running[index] = (struct lock_thread){
		.java_id = (int64_t)w->path.java_id,
		.ns_tid = (pid_t)w->java_thread->ns_tid,
		.is_virtual = w->path.is_virtual,
	};
	if (!w->path.monitor && !w->path.lock)
		return;
	array_reserve(o->found, o->found_cap, o->found_count + 1);
	o->found[o->found_count++] = (struct lock_found){ w->path, index };
}

/* Returns what a JavaThread runs; zeroed if it is unknown. */
static struct lock_thread owners_running(const struct lock_owners *o,
					 uint64_t java_thread)
{
	uint32_t at = map64_get(&o->by_address, java_thread);

	return at == MAP64_NONE ? (struct lock_thread){ 0 } : o->running[at];
}

/* Before JDK 24, an owner is a thread of the operating system. */
static struct lock_thread owners_of_tid(const struct lock_owners *o, pid_t tid)
{
	for (size_t i = 0; i < o->count; i++) {
		if (o->running[i].ns_tid == tid)
			return o->running[i];
	}
	return (struct lock_thread){ 0 };
}

static struct lock_thread owners_of_monitor(struct lock_owners *o,
					    const struct lock_path *p)
{
	struct monitor_owner owner;

	if (p->holder)
		return owners_running(o, p->holder);
	if (!java_threads_owner(o->threads, p->monitor_owner, &owner))
		return (struct lock_thread){ 0 };
	if (!owner.java_id)
		return owners_of_tid(o, owner.ns_tid);
	return (struct lock_thread){ owner.java_id, owner.ns_tid,
				     owner.is_virtual };
}

static struct lock_thread owners_of_lock(const struct lock_owners *o,
					 const struct lock_path *p)
{
	struct lock_thread owner = {
		.java_id = (int64_t)p->owner_id,
		.is_virtual = p->owner_is_virtual,
	};

	if (p->owner && !owner.is_virtual)
		owner.ns_tid = owners_running(o, p->owner_address).ns_tid;
	return owner;
}

static void owners_report(struct lock_owners *o, struct lock_waits *out)
{
	for (size_t i = 0; i < o->found_count; i++) {
		const struct lock_path *p = &o->found[i].path;
		const struct lock_class *c = p->lock_class;
		struct lock_wait *w;

		array_reserve(out->all, out->cap, out->count + 1);
		w = &out->all[out->count++];
		*w = (struct lock_wait){ .lock = p->lock,
					 .is_reacquired = p->is_reacquired };
		w->waiter = o->running[o->found[i].index];
		if (p->monitor) {
			c = p->monitor_class;
			w->kind = LOCK_MONITOR;
			w->lock = p->monitor_object;
			w->is_reacquired = false;
			w->owner = owners_of_monitor(o, p);
		} else {
			w->owner = owners_of_lock(o, p);
		}
		w->lock_class = c ? c->name : "";
	}
}

/* Reads the list of threads. */
static void owners_begin(struct lock_owners *o)
{
	o->until_ns = clock_monotonic_ns() + READ_NS;
	lock_classes_begin(o->classes);
	java_threads_begin(o->threads);
	o->all = java_threads_all(o->threads, &o->count);
	o->found_count = 0;
	free(o->running);
	o->running = xcalloc(o->count + 1, sizeof(*o->running));
	map64_clear(&o->by_address);
	for (size_t i = 0; i < o->count; i++)
		map64_add(&o->by_address, o->all[i].address, (uint32_t)i);
}

void lock_owners_read(struct lock_owners *o, struct lock_waits *out)
{
	struct lock_batch *b = xcalloc(1, sizeof(*b));
	struct lock_work *all = xcalloc(CHUNK, sizeof(*all));

	out->count = 0;
	out->threads = out->retried = out->unknown = 0;
	owners_begin(o);
	b->o = o;
	b->all = all;
	for (size_t i = 0; i < o->count; i += b->count) {
		b->count = o->count - i < CHUNK ? o->count - i : CHUNK;
		memset(all, 0, b->count * sizeof(*all));
		for (size_t k = 0; k < b->count; k++)
			all[k].java_thread = &o->all[i + k];
		batch_try(b, out);
		for (size_t k = 0; k < b->count; k++)
			owners_keep(o, &all[k]);
	}
	out->threads = o->count;
	owners_report(o, out);
	out->at_ns = clock_monotonic_ns();
	free(all);
	free(b);
}

void lock_waits_release(struct lock_waits *w)
{
	free(w->all);
	*w = (struct lock_waits){ 0 };
}

/* ---- comparison ---- */

static void waits_index(const struct lock_waits *w, struct map64 *by_id)
{
	map64_reserve(by_id, w->count);
	for (size_t i = 0; i < w->count; i++)
		map64_add(by_id, (uint64_t)w->all[i].waiter.java_id,
			  (uint32_t)i);
}

static bool wait_continues(const struct lock_wait *a, const struct lock_wait *b)
{
	return a->kind == b->kind && a->owner.java_id == b->owner.java_id &&
	       a->is_reacquired == b->is_reacquired &&
	       strcmp(a->lock_class, b->lock_class) == 0;
}

void lock_waits_intersect(struct lock_waits *now, const struct lock_waits *then)
{
	struct map64 by_id = { 0 };
	size_t kept = 0;

	waits_index(then, &by_id);
	for (size_t i = 0; i < now->count; i++) {
		uint32_t at = map64_get(&by_id,
					(uint64_t)now->all[i].waiter.java_id);

		if (at != MAP64_NONE &&
		    wait_continues(&now->all[i], &then->all[at]))
			now->all[kept++] = now->all[i];
	}
	now->count = kept;
	map64_release(&by_id);
}

bool lock_waits_have_cycle(const struct lock_waits *w)
{
	uint32_t *seen = xcalloc(w->count + 1, sizeof(*seen));
	struct map64 by_id = { 0 };
	bool has_cycle = false;

	waits_index(w, &by_id);
	for (size_t i = 0; i < w->count && !has_cycle; i++) {
		uint32_t at = (uint32_t)i;

		/* seen has the walk, from 1, that visited a wait first. */
		while (at != MAP64_NONE && !seen[at]) {
			seen[at] = (uint32_t)i + 1;
			at = w->all[at].owner.java_id
				     ? map64_get(&by_id, (uint64_t)w->all[at]
								 .owner.java_id)
				     : MAP64_NONE;
		}
		has_cycle = at != MAP64_NONE && seen[at] == i + 1;
	}
	map64_release(&by_id);
	free(seen);
	return has_cycle;
}
