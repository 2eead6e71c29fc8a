/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/threads/jmx_gc.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/gc/gc_entry.h"

#include <stdlib.h>
#include <string.h>

#define READ_NS    (50 * CLOCK_NS_PER_MS)
#define COLLECTORS 8
#define FETCH_NS   CLOCK_NS_PER_MS /* the JVM replies at once */
/* Times beyond are invalid; ns of twice as many ms fit into 64 bits. */
#define MOST_MS (INT64_MAX / CLOCK_NS_PER_MS / 2)

/* The attributes of a collector, and of the JVM, that are read. */
enum { ATTRIBUTE_COUNT, ATTRIBUTE_LAST, ATTRIBUTES };
static const char *const attributes[] = { "CollectionCount", "LastGcInfo" };
static const char *const runtime_attributes[] = { "StartTime" };

static const char collectors_pattern[] = "java.lang:type=GarbageCollector,*";
static const char runtime_name[] = "java.lang:type=Runtime";

/*
 * What the name of a collector's MBean means. The cycles of a collector have
 * an MBean beside that of its pauses.
 */
static const struct {
	const char *name, *collector;
	enum gc_kind kind;
} meanings[] = {
	{ "Copy", "Serial", GC_YOUNG },
	{ "MarkSweepCompact", "Serial", GC_FULL },
	{ "PS Scavenge", "Parallel", GC_YOUNG },
	{ "PS MarkSweep", "Parallel", GC_FULL },
	{ "G1 Young Generation", "G1", GC_YOUNG },
	{ "G1 Old Generation", "G1", GC_FULL },
	{ "G1 Concurrent GC", "G1", GC_CYCLE_PAUSE },
	{ "ParNew", "CMS", GC_YOUNG },
	{ "ConcurrentMarkSweep", "CMS", GC_CYCLE },
	{ "ZGC", "ZGC", GC_CYCLE },
	{ "ZGC Cycles", "ZGC", GC_CYCLE },
	{ "ZGC Pauses", "ZGC", GC_CYCLE_PAUSE },
	{ "ZGC Minor Cycles", "ZGC", GC_CYCLE },
	{ "ZGC Minor Pauses", "ZGC", GC_CYCLE_PAUSE },
	{ "ZGC Major Cycles", "ZGC", GC_CYCLE },
	{ "ZGC Major Pauses", "ZGC", GC_CYCLE_PAUSE },
	{ "Shenandoah Cycles", "Shenandoah", GC_CYCLE },
	{ "Shenandoah Pauses", "Shenandoah", GC_CYCLE_PAUSE },
};

struct jmx_collector {
	const char *object;    /* in the arena */
	const char *operation; /* the MBean's name: "G1 Young Generation" */
	const char *collector;
	enum gc_kind kind;
	int64_t count; /* at the last reading; -1 = none yet */
	int64_t last;  /* id of the last collection */
};

struct jmx_gc {
	struct gc_source source;
	struct jmx *jmx;
	struct arena names;
	struct jmx_collector collectors[COLLECTORS];
	size_t count;
	int64_t start_ms; /* of the JVM, since the epoch */
	int64_t read_ns;  /* when to read again */
	/* The JVM sends notifications, which also have the causes. */
	bool is_notified;
	struct gc_entry_queue queue;
	uint64_t lost;
};

static struct jmx_gc *gc_of(const struct gc_source *s)
{
	return (struct jmx_gc *)s;
}

/* ---- LastGcInfo ---- */

/* Pools outside of the heap, such as CodeHeap and Metaspace. */
static bool pool_is_heap(const char *name)
{
	return strncmp(name, "Code", 4) != 0 &&
	       strncmp(name, "Metaspace", 9) != 0 &&
	       strncmp(name, "Compressed Class", 16) != 0 &&
	       strncmp(name, "Perm", 4) != 0;
}

/*
 * Returns the name and the MemoryUsage of the pool at an index, or NULL at the
 * end: a table over RMI, an object over HTTP.
 */
static const char *pool_at(const struct value *pools, size_t index,
			   const struct value **usage)
{
	const struct value *row;

	switch (pools->kind) {
	case VALUE_TABULAR:
		if (index >= pools->table.row_count)
			return NULL;
		row = pools->table.rows[index];
		*usage = value_member(row, "value");
		return value_text_of(value_member(row, "key"));
	case VALUE_MAP:
		if (index >= pools->map.count)
			return NULL;
		*usage = pools->map.at[index].value;
		return value_text_of(pools->map.at[index].key);
	case VALUE_COMPOSITE:
	case VALUE_OBJECT:
		if (index >= pools->members.count)
			return NULL;
		*usage = pools->members.at[index].value;
		return pools->members.at[index].name;
	default:
		return NULL;
	}
}

/* Adds up a member of the heap's pools; GC_ABSENT if one is missing. */
static int64_t pools_sum(const struct value *pools, const char *member)
{
	const struct value *usage;
	const char *name;
	int64_t sum = 0;
	size_t i;

	for (i = 0; pools && (name = pool_at(pools, i, &usage)); i++) {
		int64_t size;

		if (!pool_is_heap(name))
			continue;
		size = value_integer_of(value_member(usage, member), GC_ABSENT);
		if (size < 0 || __builtin_add_overflow(sum, size, &sum))
			return GC_ABSENT;
	}
	return i ? sum : GC_ABSENT;
}

/* Adds a collection; its times are ms since the JVM started. */
static void gc_add_entry(struct jmx_gc *g, const struct jmx_collector *c,
			 const struct value *info, const char *cause)
{
	struct gc_entry *e = gc_entry_new();
	struct gc_pause *p = &e->pause;
	int64_t end_ms = value_integer_of(value_member(info, "endTime"),
					  GC_ABSENT);
	int64_t ms = value_integer_of(value_member(info, "duration"),
				      GC_ABSENT);
	const struct value *after = value_member(info, "memoryUsageAfterGc");

	p->kind = c->kind;
	p->count = c->kind != GC_CYCLE;
	p->collections = p->count;
	p->collector = c->collector;
	p->operation = c->operation;
	p->number = value_integer_of(value_member(info, "id"), GC_ABSENT);
	if (cause && *cause)
		p->cause = gc_entry_string(
			e, (struct line){ cause, strlen(cause) });
	if (ms >= 0 && ms < INT64_MAX / CLOCK_NS_PER_MS)
		p->gc_ns = ms * CLOCK_NS_PER_MS;
	if (end_ms >= 0 && end_ms < MOST_MS) {
		p->uptime_ns = end_ms * CLOCK_NS_PER_MS;
		if (g->start_ms > 0 && g->start_ms < MOST_MS)
			p->end_ns = (g->start_ms + end_ms) * CLOCK_NS_PER_MS;
	}
	p->before = pools_sum(value_member(info, "memoryUsageBeforeGc"),
			      "used");
	p->after = pools_sum(after, "used");
	p->committed = pools_sum(after, "committed");
	/* Pauses of a cycle have pools without sizes. */
	if (p->committed == 0) {
		p->before = GC_ABSENT;
		p->after = GC_ABSENT;
		p->committed = GC_ABSENT;
	}
	gc_entry_put(&g->queue, e);
}

/* Reads the reply of one collector. */
static void collector_read(struct jmx_gc *g, struct jmx_collector *c,
			   const struct value *v)
{
	const struct value *info = value_member(v, "LastGcInfo");
	int64_t count = value_integer_of(value_member(v, "CollectionCount"),
					 -1);
	int64_t id = value_integer_of(value_member(info, "id"), -1);
	int64_t before = c->count;

	if (count < 0)
		return;
	c->count = count;
	if (before < 0 || id < 0) {
		c->last = id;
		return;
	}
	/* A JVM that was restarted counts from 0. */
	if (id == c->last)
		return;
	if (id > c->last && id - c->last > 1 && c->last >= 0)
		g->lost += (uint64_t)(id - c->last - 1);
	else if (c->last < 0 && count > before + 1)
		g->lost += (uint64_t)(count - before - 1);
	c->last = id;
	gc_add_entry(g, c, info, NULL);
}

static int gc_take_reply(void *self, size_t index,
			 const struct jmx_reply *reply, struct error *err)
{
	struct jmx_gc *g = self;

	if (reply->failure)
		return fail(err, reply->kind, "%s", reply->failure);
	if (index == g->count)
		g->start_ms = value_integer_of(
			value_member(reply->value, "StartTime"), 0);
	else
		collector_read(g, &g->collectors[index], reply->value);
	return 0;
}

/* Reads all collectors; with_start, the start of the JVM, too. */
static int gc_read(struct jmx_gc *g, bool with_start, struct error *err)
{
	struct jmx_request requests[COLLECTORS + 1];

	for (size_t i = 0; i < g->count; i++)
		requests[i] = (struct jmx_request){
			.verb = JMX_GET,
			.object = g->collectors[i].object,
			.names = attributes,
			.name_count = ATTRIBUTES,
		};
	requests[g->count] = (struct jmx_request){
		.verb = JMX_GET,
		.object = runtime_name,
		.names = runtime_attributes,
		.name_count = 1,
	};
	return jmx_run(g->jmx, requests, g->count + with_start, gc_take_reply,
		       g, err);
}

/* ---- notifications ---- */

/*
 * {gcName, gcAction, gcCause, gcInfo} of com.sun.management
 * .GarbageCollectionNotificationInfo
 */
static int gc_see_notification(void *self, const struct jmx_notification *n,
			       struct error *err)
{
	struct jmx_gc *g = self;
	const char *cause = value_text_of(
		value_member(n->user_data, "gcCause"));
	const char *name = value_text_of(value_member(n->user_data, "gcName"));
	const struct value *info = value_member(n->user_data, "gcInfo");

	(void)err;
	if (strcmp(n->type, "sjkc.lost") == 0) {
		g->lost += n->sequence > 0 ? (uint64_t)n->sequence : 1;
		return 0;
	}
	if (strcmp(n->type, "com.sun.management.gc.notification") != 0 ||
	    !name || !info)
		return 0;
	if (cause && strcmp(cause, "No GC") == 0)
		cause = NULL;
	for (size_t i = 0; i < g->count; i++) {
		if (strcmp(name, g->collectors[i].operation) == 0)
			gc_add_entry(g, &g->collectors[i], info, cause);
	}
	return 0;
}

/* ---- the source ---- */

static enum gc_next gc_next(struct gc_source *s, struct gc_pause *p,
			    struct error *err)
{
	struct jmx_gc *g = gc_of(s);
	int ret;

	if (gc_entry_take(&g->queue, p))
		return GC_NEXT_RECORD;
	if (clock_monotonic_ns() < g->read_ns)
		return GC_NEXT_LATER;
	ret = g->is_notified
		      ? jmx_fetch(g->jmx, FETCH_NS, gc_see_notification, g, err)
		      : gc_read(g, false, err);
	if (ret)
		return err->kind == ERROR_NO_TARGET ? GC_NEXT_END
						    : GC_NEXT_FAILED;
	g->read_ns = clock_monotonic_ns() + READ_NS;
	return gc_entry_take(&g->queue, p) ? GC_NEXT_RECORD : GC_NEXT_LATER;
}

static void gc_lost(const struct gc_source *s, struct gc_lost *lost)
{
	lost->pauses = gc_of(s)->lost;
}

static void gc_close(struct gc_source *s)
{
	struct jmx_gc *g = gc_of(s);

	gc_entry_queue_release(&g->queue);
	arena_release(&g->names);
	free(g);
}

static const struct gc_source_methods gc_methods = {
	.next = gc_next,
	.lost = gc_lost,
	.close = gc_close,
};

/* Returns the value of "name=" in an ObjectName, in the arena. */
static const char *gc_bean_name(struct jmx_gc *g, const char *object)
{
	const char *at = strstr(object, "name=");
	size_t len;

	if (!at)
		return "";
	at += strlen("name=");
	len = strcspn(at, ",");
	return arena_copy(&g->names, at, len);
}

static void gc_add_collector(struct jmx_gc *g, const char *object)
{
	struct jmx_collector *c = &g->collectors[g->count++];

	*c = (struct jmx_collector){ .object = object,
				     .operation = gc_bean_name(g, object),
				     .kind = GC_PAUSE,
				     .count = -1,
				     .last = -1 };
	for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++) {
		if (strcmp(meanings[i].name, c->operation) == 0) {
			c->kind = meanings[i].kind;
			c->collector = meanings[i].collector;
		}
	}
	if (c->collector && !g->source.collector.len)
		text_puts(&g->source.collector, c->collector);
}

struct gc_source *jmx_gc_open(struct jmx *j, struct error *err)
{
	struct jmx_gc *g = xcalloc(1, sizeof(*g));
	const char *const *names;
	size_t count = 0;

	g->source.methods = &gc_methods;
	g->source.fd = -1;
	g->source.cpu_ns = GC_ABSENT;
	g->source.wait_ns = READ_NS;
	g->source.columns = GC_HAS_GC | GC_HAS_BEFORE | GC_HAS_AFTER |
			    GC_HAS_CYCLES | GC_HAS_OPERATION;
	g->jmx = j;
	if (jmx_query(j, collectors_pattern, &g->names, &names, &count, err))
		goto failed;
	if (!count) {
		fail(err, ERROR_UNAVAILABLE,
		     "the JVM has no MBeans of type GarbageCollector");
		goto failed;
	}
	for (size_t i = 0; i < count && g->count < COLLECTORS; i++)
		gc_add_collector(g, names[i]);
	g->is_notified = jmx_listen(j, collectors_pattern, error_unused()) == 0;
	if (g->is_notified)
		g->source.columns |= GC_HAS_CAUSE;
	text_puts(&g->source.description, g->is_notified
						  ? "JMX notifications"
						  : "JMX, read every 50 ms");
	text_puts(&g->source.description,
		  ": the collector's time in ms, not the stopped time");
	g->source.begin_ns = clock_monotonic_ns();
	if (gc_read(g, true, err) == 0)
		return &g->source;
failed:
	gc_source_close(&g->source);
	return NULL;
}
