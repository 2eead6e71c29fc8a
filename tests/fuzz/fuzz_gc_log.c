/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes GC logs: one file, or two parts of a rotated log. */
#include "core/gc/gc_log.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_time(int64_t ns) { assert(ns >= 0 || ns == GC_ABSENT); }

static void check_record(const struct gc_pause *p)
{
	assert(p->kind < GC_KINDS);
	check_time(p->stopped_ns);
	check_time(p->sync_ns);
	check_time(p->before);
	check_time(p->after);
	if (p->cause)
		assert(*p->cause);
	for (size_t i = 0; i < p->phase_count; i++)
		check_time(p->phases[i].ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gc_log_file files[2] = { { data, size, "a", false } };
	const uint8_t *rest = size ? memchr(data, 0, size) : NULL;
	struct gc_source *s;
	struct gc_pause p;
	struct error err;
	uint64_t records = 0, unused;
	const char *where;

	if (rest) {
		files[0].len = (size_t)(rest - data);
		files[1] = (struct gc_log_file){ rest + 1,
						 size - files[0].len - 1, "b",
						 false };
	}
	s = gc_log_open(files, rest ? 2 : 1, &err);
	if (!s)
		return 0;
	while (gc_source_next(s, &p, &err) == GC_NEXT_RECORD) {
		check_record(&p);
		records++;
	}
	assert(records <= size);
	gc_log_foreign_lines(s, &where, &unused);
	gc_log_broken_lines(s, &where, &unused);
	gc_source_close(s);
	return 0;
}
