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
#include "core/hotspot/virtual_threads.h"
#include "core/process/raw.h"
#include "core/process/read_budget.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* CPU time of a reading, and of the search for virtual threads. */
#define READ_NS (60 * CLOCK_NS_PER_MS)

enum {
	CHUNK = 128, /* threads that are read at once: a longer reading would
			meet a pause more often */
	TRIES = 10,
	VIRTUAL_TRIES = 3,  /* of a chunk: many virtual threads start and end */
	THREAD_BYTES = 384, /* of a Thread, up to the fields that are read */
	QUEUE_MOST = 4096,  /* nodes of a queue */
	RANGES = 3,         /* maximum number of ranges of a thread in a step */
	THREADS_MOST = 20000, /* the others are unknown */
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
	/* The virtual thread that does, and its Java id. */
	uint64_t virtual_holder, virtual_holder_id;
	const struct lock_class *lock_class, *monitor_class;
	uint64_t is_virtual, owner_is_virtual, is_reacquired;
};

/* A path that was accepted. */
struct lock_found {
	struct lock_path path;
	struct lock_thread waiter;
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
	struct virtual_threads *virtual_threads;
	const struct vm_structs *v;
	bool has_searched; /* for virtual threads */
	bool has_handles;  /* _threadObj is a handle (JDK 16) */
	bool has_monitor_object;
	uint32_t monitor_object;   /* in ObjectMonitor */
	struct read_budget budget; /* of the reading */
	const struct java_thread *all;
	size_t count;
	struct map64 by_address; /* index of each JavaThread */
	/* The thread that each JavaThread runs; a carrier: the virtual one. */
	struct lock_thread *running;
	struct lock_found *found;
	size_t found_count, found_cap;
	struct map64 found_ids; /* Java ids of the waiters */
};

/* A thread while its path is read. */
struct lock_work {
	const struct java_thread *java_thread; /* NULL: */
	uint64_t object;  /* a virtual thread that may not be mounted */
	bool is_alive;    /* false once a step has failed */
	bool was_alive;   /* after the first reading */
	bool is_accepted; /* path is valid */
	bool has_thread;  /* false: a thread of the JVM without a Thread */
	struct java_reference reference, carried;
	uint64_t header[2];
	uint8_t bytes[THREAD_BYTES];
	uint64_t monitor_handle;
	uint32_t object_waiter; /* offset in the thread; 0 = none */
	uint64_t waiter;        /* ObjectWaiter* */
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
	/* The addresses of objects are valid at this number of collections. */
	bool has_epoch;
	uint32_t epoch;
};

/* ---- the layout ---- */

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
	o->has_monitor_object = metadata_offset(v, "ObjectMonitor", "_object",
						&o->monitor_object);
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
		fail(err, ERROR_UNAVAILABLE,
		     "this JVM's tables lack the fields of java.lang.Thread");
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
	o->v = v;
	if (owners_read_layout(o, v, err))
		goto fail;
	o->heap = java_heap_open(v, memory, &o->shape, err);
	if (!o->heap)
		goto fail;
	o->classes = lock_classes_open(v, memory, &o->reader, &o->shape, err);
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
	virtual_threads_close(o->virtual_threads);
	map64_release(&o->by_address);
	map64_release(&o->found_ids);
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
	b->ranges[b->range_count++] = memory_range_of(address, bytes, len);
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
	bool is_late = read_budget_is_spent(&b->o->budget);

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
	uint64_t at;

	if (w->object) {
		w->has_thread = true;
		w->path.thread = w->object;
		w->path.is_virtual = true;
		return;
	}
	at = b->o->has_handles ? j->fields[THREAD_OBJECT]
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
	if (w->object)
		return;
	w->has_thread = !w->reference.is_known || w->reference.address;
	w->is_alive = w->reference.is_known && w->carried.is_known &&
		      w->reference.address;
	w->path.thread = w->reference.address;
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
	const struct lock_class *c = work_thread_class(b, w);

	w->is_alive = c && raw_u64(w->bytes, f->address) ==
				   (w->object ? 0 : w->java_thread->address);
	if (w->is_alive && w->object) {
		w->is_alive = w->has_thread = c->is_virtual_thread;
		w->object_waiter = c->fields[LOCK_OBJECT_WAITER];
	}
	w->path.java_id = raw_u64(w->bytes, f->id);
	w->path.platform = w->path.java_id;
}

/* A carrier does not wait; the virtual thread that it runs may. */
static void step_request_carried(struct lock_batch *b, struct lock_work *w)
{
	if (w->object || !w->carried.address ||
	    w->carried.address == w->path.thread)
		return;
	w->path.thread = w->carried.address;
	w->path.is_virtual = true;
	batch_add(b, w, w->path.thread, w->bytes, b->o->fields.bytes);
}

static void step_check_carried(struct lock_batch *b, struct lock_work *w)
{
	const struct lock_class *c;

	if (!w->path.is_virtual || w->object)
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

/* ---- conditions ---- */

/* Reads one reference of an object; false if its object is unknown. */
static bool owners_follow(struct lock_owners *o, uint64_t object,
			  uint32_t offset, uint64_t *out)
{
	return !read_budget_is_spent(&o->budget) &&
	       java_heap_follow(o->heap, object + offset, false, out);
}

/*
 * Searches the queue of a lock from its tail; false if it is unreadable.
 * Threads are compared by their ids, because the collector may have moved one
 * since its address was read.
 */
static bool queue_has(struct lock_owners *o, uint64_t sync, uint32_t tail,
		      uint64_t java_id, bool *is_found)
{
	uint64_t node, waiter;

	*is_found = false;
	if (!owners_follow(o, sync, tail, &node))
		return false;
	for (int i = 0; node && i < QUEUE_MOST; i++) {
		const struct lock_class *c = lock_classes_of(o->classes, node);

		if (!c || !c->fields[LOCK_NODE_PREV] ||
		    !c->fields[LOCK_NODE_THREAD] ||
		    !owners_follow(o, node, c->fields[LOCK_NODE_THREAD],
				   &waiter))
			return false;
		*is_found = waiter &&
			    memory_u64(o->memory, waiter + o->fields.id) ==
				    java_id;
		if (*is_found)
			return true;
		if (!owners_follow(o, node, c->fields[LOCK_NODE_PREV], &node))
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

	if (!owners_follow(o, w->path.lock,
			   w->path.lock_class->fields[LOCK_SYNC], &sync) ||
	    !(c = lock_classes_of(o->classes, sync)) || !c->fields[LOCK_TAIL] ||
	    !queue_has(o, sync, c->fields[LOCK_TAIL], w->path.java_id,
		       &is_found)) {
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
	if (w->is_alive && w->path.lock_class->fields[LOCK_SYNC])
		work_check_condition(b->o, w);
}

/* ---- owners ---- */

static void step_request_owner(struct lock_batch *b, struct lock_work *w)
{
	w->reference = (struct java_reference){ .is_known = true };
	if (w->path.lock && w->path.lock_class->fields[LOCK_OWNER])
		batch_add_reference(
			b, w,
			w->path.lock + w->path.lock_class->fields[LOCK_OWNER],
			&w->reference, false);
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

/*
 * A virtual thread that is not mounted and waits for a monitor has an
 * ObjectWaiter (JDK-8338383).
 */
static void step_request_waiter(struct lock_batch *b, struct lock_work *w)
{
	w->waiter = 0;
	if (w->object && w->object_waiter)
		batch_add(b, w, w->path.thread + w->object_waiter, &w->waiter,
			  OBJECT_WORD);
}

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

static void step_check_monitor_class(struct lock_batch *b, struct lock_work *w)
{
	if (w->path.monitor_object)
		w->path.monitor_class = lock_classes_get(b->o->classes,
							 w->header);
}

#define PATH(member) offsetof(struct lock_work, path.member)
#define READS_HEADER(member)                                                   \
	.from = PATH(member), .to = offsetof(struct lock_work, header),        \
	.bytes = sizeof(((struct lock_work *)0)->header)
#define READS_THREAD(member)                                                   \
	.from = PATH(member), .to = offsetof(struct lock_work, bytes)

enum {
	/* No table has the offset of ObjectWaiter::_monitor (JDK 24 to 28). */
	WAITERS_MONITOR = 32,
};

static const struct {
	void (*request)(struct lock_batch *b, struct lock_work *w);
	/*
	 * Or: the places in the work of the address, unless that is 0, and of
	 * the bytes that are read; bytes 0: of a Thread.
	 */
	size_t from, to, bytes;
	uint64_t more;    /* is added to the address */
	size_t reference; /* place of the object of the reference; 0 = none */
	void (*check)(struct lock_batch *b, struct lock_work *w); /* or NULL */
} steps[] = {
	{ .request = step_request_handles, .check = step_check_handles },
	{ READS_THREAD(thread), .check = step_check_thread },
	{ .request = step_request_carried, .check = step_check_carried },
	{ .request = step_request_blocker, .reference = PATH(lock) },
	{ READS_HEADER(lock), .check = step_check_lock },
	{ .request = step_request_owner, .reference = PATH(owner) },
	{ READS_THREAD(owner), .check = step_check_owner_thread },
	{ .request = step_request_waiter },
	{ .from = offsetof(struct lock_work, waiter),
	  .more = WAITERS_MONITOR,
	  .to = PATH(monitor),
	  .bytes = OBJECT_WORD },
	{ .request = step_request_monitor },
	{ .request = step_request_monitor_object,
	  .reference = PATH(monitor_object) },
	{ READS_HEADER(monitor_object), .check = step_check_monitor_class },
};

static void step_begin(struct lock_batch *b, struct lock_work *w, size_t step)
{
	size_t bytes = steps[step].bytes;
	uint64_t address;

	if (steps[step].request) {
		steps[step].request(b, w);
		return;
	}
	memcpy(&address, (char *)w + steps[step].from, sizeof(address));
	if (address)
		batch_add(b, w, address + steps[step].more,
			  (char *)w + steps[step].to,
			  bytes ? bytes : b->o->fields.bytes);
}

static void step_end(struct lock_batch *b, struct lock_work *w, size_t step)
{
	const struct java_reference *r = &w->reference;

	if (steps[step].reference) {
		w->is_alive = r->is_known;
		memcpy((char *)w + steps[step].reference, &r->address,
		       sizeof(r->address));
	}
	if (steps[step].check)
		steps[step].check(b, w);
}

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
				step_begin(b, &b->all[k], i);
		}
		batch_read(b);
		for (size_t k = 0; k < b->count; k++)
			if (b->all[k].is_alive)
				step_end(b, &b->all[k], i);
	}
	batch_find_holders(b);
}

/* ---- readings ---- */

/* True if the thread waits for nothing, or if two readings are equal. */
static bool work_is_settled(const struct lock_work *w)
{
	if (!w->has_thread)
		return true;
	if (!w->is_alive || !w->was_alive)
		return false;
	return (!w->path.lock && !w->path.monitor) ||
	       memcmp(&w->path, &w->then, sizeof(w->path)) == 0;
}

/* Accepts paths, unless a pause may have moved objects meanwhile. */
static size_t batch_accept(struct lock_batch *b, bool is_still)
{
	size_t pending = 0;

	for (size_t k = 0; k < b->count; k++) {
		struct lock_work *w = &b->all[k];

		if (!w->is_accepted)
			w->is_accepted = is_still && work_is_settled(w);
		pending += !w->is_accepted;
	}
	return pending;
}

/* Reads the paths of the batch until all are accepted, a few times. */
static void batch_try(struct lock_batch *b, struct lock_waits *out)
{
	size_t pending = b->count;

	int tries = b->has_epoch ? VIRTUAL_TRIES : TRIES;

	for (int i = 1; i <= tries && pending; i++) {
		uint32_t before = 0, after = 0;
		bool is_still = java_heap_epoch(b->o->heap, &before);

		if (is_still && b->has_epoch && before != b->epoch)
			break;
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
		if (read_budget_is_spent(&b->o->budget))
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
	const struct java_thread *j = w->java_thread;
	struct lock_thread t = {
		.java_id = (int64_t)w->path.java_id,
		.ns_tid = j ? (pid_t)j->ns_tid : 0,
		.is_virtual = w->path.is_virtual,
		.object = w->path.thread,
	};

	if (!w->is_accepted || !w->has_thread)
		return;
	if (j)
		o->running[j - o->all] = t;
	/* A mounted virtual thread is found twice. */
	if ((!w->path.monitor && !w->path.lock) ||
	    !map64_add(&o->found_ids, w->path.java_id, 0))
		return;
	array_reserve(o->found, o->found_cap, o->found_count + 1);
	o->found[o->found_count++] = (struct lock_found){ w->path, t };
}

/* Returns what a JavaThread runs; zeroed if it is unknown. */
static struct lock_thread owners_running(const struct lock_owners *o,
					 uint64_t java_thread)
{
	uint32_t at = map64_get(&o->by_address, java_thread);

	return at == MAP64_NONE ? (struct lock_thread){ 0 } : o->running[at];
}

static struct lock_thread owners_of_monitor(struct lock_owners *o,
					    const struct lock_path *p)
{
	struct monitor_owner owner;

	if (p->holder)
		return owners_running(o, p->holder);
	if (p->virtual_holder)
		return (struct lock_thread){
			.java_id = (int64_t)p->virtual_holder_id,
			.is_virtual = true,
			.object = p->virtual_holder,
		};
	if (!java_threads_owner(o->threads, p->monitor_owner, &owner))
		return (struct lock_thread){ 0 };
	/* Before JDK 24, an owner is a thread of the operating system. */
	for (size_t i = 0; !owner.java_id && i < o->count; i++)
		if (o->running[i].ns_tid == owner.ns_tid)
			return o->running[i];
	if (!owner.java_id)
		return (struct lock_thread){ 0 };
	/* Only virtual threads can be in no list of the JVM. */
	return (struct lock_thread){
		.java_id = owner.java_id,
		.ns_tid = owner.ns_tid,
		.is_virtual = owner.is_virtual || !owner.ns_tid,
	};
}

static struct lock_thread owners_of_lock(const struct lock_owners *o,
					 const struct lock_path *p)
{
	struct lock_thread owner = {
		.java_id = (int64_t)p->owner_id,
		.is_virtual = p->owner_is_virtual,
		.object = p->owner,
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
		w->waiter = o->found[i].waiter;
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
		w->waiter.name = w->owner.name = "";
	}
}

/* Reads the list of threads. */
static void owners_begin(struct lock_owners *o)
{
	o->budget = read_budget_of(READ_NS);
	lock_classes_begin(o->classes);
	/* The list changes while threads start and end. */
	for (int i = 0; i < TRIES; i++) {
		java_threads_begin(o->threads);
		o->all = java_threads_all(o->threads, &o->count);
		if (o->count || read_budget_is_spent(&o->budget))
			break;
		clock_sleep_until(
			clock_after(clock_monotonic_ns(), CLOCK_NS_PER_MS));
	}
	if (o->count > THREADS_MOST)
		o->count = THREADS_MOST;
	o->found_count = 0;
	map64_clear(&o->found_ids);
	free(o->running);
	o->running = xcalloc(o->count + 1, sizeof(*o->running));
	map64_clear(&o->by_address);
	for (size_t i = 0; i < o->count; i++)
		map64_add(&o->by_address, o->all[i].address, (uint32_t)i);
}

/* Reads a chunk of threads: JavaThreads, or the objects at the addresses. */
static void owners_read_chunk(struct lock_owners *o, struct lock_batch *b,
			      const struct java_thread *threads,
			      const uint64_t *objects, size_t count,
			      struct lock_waits *out)
{
	b->count = count < CHUNK ? count : CHUNK;
	memset(b->all, 0, b->count * sizeof(*b->all));
	for (size_t k = 0; k < b->count; k++) {
		if (objects)
			b->all[k].object = objects[k];
		else
			b->all[k].java_thread = &threads[k];
	}
	batch_try(b, out);
	for (size_t k = 0; k < b->count; k++)
		owners_keep(o, &b->all[k]);
}

/*
 * Searches the sets of virtual threads, once.  Returns false if that takes too
 * long.
 */
static bool owners_search_virtual(struct lock_owners *o)
{
	struct read_budget search = read_budget_of(READ_NS);

	if (o->has_searched)
		return true;
	o->virtual_threads = virtual_threads_open(o->v, o->memory, &o->reader,
						  &o->shape, o->heap,
						  o->classes, &search);
	o->has_searched = o->virtual_threads || !read_budget_is_spent(&search);
	o->budget = read_budget_of(READ_NS);
	return o->has_searched;
}

/*
 * Finds the virtual threads that own monitors anonymously, while the addresses
 * of the objects are valid.
 */
static void owners_find_virtual_holders(struct lock_owners *o, uint32_t epoch,
					const uint64_t *threads, size_t count)
{
	uint64_t objects[CHUNK], holders[CHUNK], handle;
	struct lock_path *of[CHUNK];
	uint32_t after;
	size_t n = 0;

	for (size_t i = 0; i < o->found_count && n < CHUNK; i++) {
		struct lock_path *p = &o->found[i].path;

		if (!p->monitor || p->monitor_owner != ANONYMOUS_OWNER ||
		    p->holder || !o->has_monitor_object)
			continue;
		handle = memory_u64(o->memory, p->monitor + o->monitor_object);
		of[n] = p;
		n += handle &&
		     java_heap_follow(o->heap, handle, true, &objects[n]);
	}
	if (!n)
		return;
	virtual_threads_lock_holders(o->virtual_threads, &o->budget, threads,
				     count, objects, holders, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t owner = memory_u64(
			o->memory, of[i]->monitor + o->layout.places.owner);

		if (!holders[i] || owner != ANONYMOUS_OWNER)
			continue;
		of[i]->virtual_holder = holders[i];
		of[i]->virtual_holder_id = memory_u64(
			o->memory, holders[i] + o->fields.id);
	}
	if (java_heap_epoch(o->heap, &after) && after == epoch)
		return;
	for (size_t i = 0; i < n; i++)
		of[i]->virtual_holder = 0;
}

/* Reads the virtual threads as of one moment; false if objects have moved. */
static bool owners_read_virtual_once(struct lock_owners *o,
				     struct lock_batch *b, uint64_t *objects,
				     struct lock_waits *out)
{
	uint64_t before = out->unknown;
	size_t count;

	if (!java_heap_epoch(o->heap, &b->epoch)) {
		out->unknown++;
		clock_sleep_until(
			clock_after(clock_monotonic_ns(), CLOCK_NS_PER_MS));
		return false;
	}
	count = virtual_threads_read(o->virtual_threads, &o->budget, objects,
				     THREADS_MOST);
	for (size_t k = 0; k < count; k += b->count)
		owners_read_chunk(o, b, NULL, objects + k, count - k, out);
	owners_find_virtual_holders(o, b->epoch, objects, count);
	return out->unknown == before;
}

/* Reads the virtual threads, mounted or not. */
static void owners_read_virtual(struct lock_owners *o, struct lock_batch *b,
				struct lock_waits *out)
{
	uint64_t *objects, before = out->unknown;

	if (!owners_search_virtual(o)) {
		out->unknown++;
		return;
	}
	if (!o->virtual_threads)
		return;
	objects = xcalloc(THREADS_MOST, sizeof(*objects));
	b->has_epoch = true;
	for (int i = 0; i < TRIES; i++) {
		out->unknown = before;
		if (owners_read_virtual_once(o, b, objects, out) ||
		    read_budget_is_spent(&o->budget))
			break;
	}
	free(objects);
}

void lock_owners_read(struct lock_owners *o, struct lock_waits *out)
{
	struct lock_batch *b = xcalloc(1, sizeof(*b));

	out->count = 0;
	arena_release(&out->names);
	out->threads = out->retried = out->unknown = 0;
	owners_begin(o);
	out->unknown += !o->count;
	b->o = o;
	b->all = xcalloc(CHUNK, sizeof(*b->all));
	for (size_t i = 0; i < o->count; i += b->count)
		owners_read_chunk(o, b, o->all + i, NULL, o->count - i, out);
	if (o->layout.fields[THREAD_CARRIED])
		owners_read_virtual(o, b, out);
	out->threads = o->count;
	owners_report(o, out);
	out->at_ns = clock_monotonic_ns();
	free(b->all);
	free(b);
}
