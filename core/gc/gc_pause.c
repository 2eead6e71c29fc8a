/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_pause.h"

void gc_pause_init(struct gc_pause *p)
{
	*p = (struct gc_pause){
		.end_ns = GC_ABSENT,
		.uptime_ns = GC_ABSENT,
		.number = GC_ABSENT,
		.stopped_ns = GC_ABSENT,
		.sync_ns = GC_ABSENT,
		.gc_ns = GC_ABSENT,
		.cpu_ns = GC_ABSENT,
		.before = GC_ABSENT,
		.after = GC_ABSENT,
		.committed = GC_ABSENT,
		.count = 1,
	};
}

bool gc_pause_is_collection(const struct gc_pause *p)
{
	return p->kind != GC_OTHER && gc_kind_stops(p->kind);
}

bool gc_kind_stops(enum gc_kind kind)
{
	return kind != GC_CYCLE && kind != GC_STALL;
}

const char *gc_kind_name(enum gc_kind kind)
{
	static const char *const names[GC_KINDS] = {
		[GC_OTHER] = "safepoint",
		[GC_YOUNG] = "young",
		[GC_MIXED] = "mixed",
		[GC_FULL] = "full",
		[GC_CYCLE_PAUSE] = "cycle pause",
		[GC_PAUSE] = "pause",
		[GC_CYCLE] = "cycle",
		[GC_STALL] = "stall",
	};

	return names[kind];
}

enum gc_next gc_source_next(struct gc_source *s, struct gc_pause *p,
			    struct error *err)
{
	gc_pause_init(p);
	return s->methods->next(s, p, err);
}

void gc_source_lost(const struct gc_source *s, struct gc_lost *lost)
{
	*lost = (struct gc_lost){ 0 };
	if (s->methods->lost)
		s->methods->lost(s, lost);
}

void gc_source_close(struct gc_source *s)
{
	if (!s)
		return;
	text_release(&s->description);
	text_release(&s->collector);
	text_release(&s->label);
	container_pod_release(&s->pod);
	s->methods->close(s);
}
