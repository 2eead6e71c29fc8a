/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_gc_json: reads the records that `sjkc gc --json` prints, an object in
 * each line: {"schema":"sjkc.gc/1","source":"4711 Main",…,"kind":"young",…}.
 */
#include "core/base/alloc.h"
#include "core/gc/gc_log.h"
#include "core/gc/gc_log_line.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define JSON_HEAD   "{\"schema\":\"sjkc.gc/1\""
#define JSON_PHASES 512  /* further phases are omitted */
#define JSON_MOST   9e15 /* a double holds smaller integers exactly */

struct gc_json {
	struct gc_source source;
	struct lines lines;
	cJSON *record; /* of the last line, whose strings are borrowed */
	struct gc_phase phases[JSON_PHASES];
	uint64_t broken; /* lines */
};

bool gc_json_sniff(const uint8_t *bytes, size_t len)
{
	return len >= strlen(JSON_HEAD) &&
	       memcmp(bytes, JSON_HEAD, strlen(JSON_HEAD)) == 0;
}

static int64_t record_number(const cJSON *record, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(record, key);

	return cJSON_IsNumber(v) && v->valuedouble >= 0 &&
			       v->valuedouble < JSON_MOST
		       ? (int64_t)v->valuedouble
		       : GC_ABSENT;
}

static const char *record_text(const cJSON *record, const char *key)
{
	const char *text = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(record, key));

	return text && *text ? text : NULL;
}

static unsigned record_count(const cJSON *record, const char *key,
			     unsigned absent)
{
	int64_t value = record_number(record, key);

	return value < 0 || value > UINT32_MAX ? absent : (unsigned)value;
}

static enum gc_kind record_kind(const char *name)
{
	int kind = GC_KINDS;

	while (kind-- > 0 &&
	       (!name || strcmp(name, gc_kind_name((enum gc_kind)kind)) != 0))
		;
	return kind < 0 ? GC_KINDS : (enum gc_kind)kind;
}

static void record_read_phases(struct gc_json *j, struct gc_pause *p)
{
	const cJSON *phase;

	p->phases = j->phases;
	cJSON_ArrayForEach(
		phase, cJSON_GetObjectItemCaseSensitive(j->record, "phases"))
	{
		const char *name = record_text(phase, "name");

		if (!name || p->phase_count == JSON_PHASES)
			continue;
		j->phases[p->phase_count++] = (struct gc_phase){
			.name = name,
			.level = record_count(phase, "level", 0),
			.is_concurrent = cJSON_IsTrue(
				cJSON_GetObjectItemCaseSensitive(phase,
								 "concurrent")),
			.start_ns = record_number(phase, "start_ns"),
			.ns = record_number(phase, "ns"),
		};
	}
}

static bool record_read(struct gc_json *j, struct gc_pause *p)
{
	const cJSON *r = j->record;
	const char *time = record_text(r, "time");
	struct line date = { time, time ? strlen(time) : 0 };

	p->kind = record_kind(record_text(r, "kind"));
	if (p->kind == GC_KINDS)
		return false;
	if (!gc_log_take_date(&date, &p->end_ns))
		p->end_ns = GC_ABSENT;
	p->uptime_ns = record_number(r, "uptime_ns");
	p->number = record_number(r, "number");
	p->operation = record_text(r, "operation");
	p->cause = record_text(r, "cause");
	p->collector = record_text(r, "collector");
	p->count = record_count(r, "count", 1);
	p->collections = record_count(r, "collections", 0);
	p->stopped_ns = record_number(r, "stopped_ns");
	p->sync_ns = record_number(r, "sync_ns");
	p->gc_ns = record_number(r, "gc_ns");
	p->cpu_ns = record_number(r, "cpu_ns");
	p->before = record_number(r, "heap_before_bytes");
	p->after = record_number(r, "heap_after_bytes");
	p->committed = record_number(r, "heap_committed_bytes");
	p->last_thread = record_text(r, "last_thread");
	record_read_phases(j, p);
	return true;
}

static enum gc_next gc_json_next(struct gc_source *s, struct gc_pause *p,
				 struct error *err)
{
	struct gc_json *j = (struct gc_json *)s;
	struct line line;

	(void)err;
	while (lines_next(&j->lines, &line)) {
		cJSON_Delete(j->record);
		j->record = cJSON_ParseWithLength(line.text, line.len);
		gc_pause_init(p);
		if (record_read(j, p))
			return GC_NEXT_RECORD;
		j->broken += line.len > 0;
	}
	return GC_NEXT_END;
}

static void gc_json_lost(const struct gc_source *s, struct gc_lost *lost)
{
	lost->lines = ((const struct gc_json *)s)->broken;
}

static void gc_json_close(struct gc_source *s)
{
	struct gc_json *j = (struct gc_json *)s;

	cJSON_Delete(j->record);
	free(j);
}

static const struct gc_source_methods json_methods = {
	.next = gc_json_next,
	.lost = gc_json_lost,
	.close = gc_json_close,
};

struct gc_source *gc_json_open(const uint8_t *bytes, size_t len)
{
	struct gc_json *j = xcalloc(1, sizeof(*j));

	j->source.methods = &json_methods;
	j->source.fd = -1;
	j->source.cpu_ns = GC_ABSENT;
	j->source.columns = GC_HAS_STOPPED | GC_HAS_SYNC | GC_HAS_GC |
			    GC_HAS_CAUSE | GC_HAS_BEFORE | GC_HAS_AFTER |
			    GC_HAS_OPERATION | GC_HAS_PHASES | GC_HAS_OTHER |
			    GC_HAS_CYCLES | GC_HAS_CPU;
	text_puts(&j->source.description, "records of sjkc gc --json");
	j->lines = lines_over(bytes, len);
	return &j->source;
}
