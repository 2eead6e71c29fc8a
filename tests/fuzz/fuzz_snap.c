/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes tar archives, bundles of sjkc snap, and the JSON of sjkc gc. */
#include "core/base/tar.h"
#include "core/formats/reader.h"
#include "core/formats/snap_bundle.h"
#include "core/gc/gc_log.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_records(const uint8_t *data, size_t size)
{
	struct gc_source *s = gc_json_open(data, size);
	struct gc_pause p;
	struct error err;
	size_t records = 0;

	while (gc_source_next(s, &p, &err) == GC_NEXT_RECORD) {
		assert(p.kind < GC_KINDS && p.stopped_ns >= GC_ABSENT);
		records++;
	}
	assert(records <= size);
	gc_source_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .bytes = data, .len = size };
	struct profile *p = profile_new();
	struct tar_member m;
	struct tar tar;
	struct error err;
	size_t bytes = 0;

	tar_open(&tar, data, size);
	while (tar_next(&tar, &m))
		bytes += m.len + TAR_BLOCK;
	assert(bytes <= size);
	if (snap_reader.sniff(data, size))
		snap_reader.read(data, size, p, &err);
	if (snap_bundle_narrow(&in, SNAP_GC, &err) > 0)
		read_records(in.bytes, in.len);
	else
		read_records(data, size);
	profile_free(p);
	return 0;
}
