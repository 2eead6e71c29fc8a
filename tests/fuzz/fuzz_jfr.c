/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/reader.h"
#include "core/profile/event_table.h"
#include "render/profile/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints the events without stack traces as `prof -e` does. */
static void print_tables(const struct profile *p)
{
	static const struct event_table_options options = {
		.source = "fuzz",
		.rows = 20,
	};
	struct text out = { 0 };

	for (size_t i = 0; i < p->table_count; i++) {
		event_table_sort(p->tables[i]);
		event_table_text(&out, p, p->tables[i], &options);
		event_table_csv(&out, p, p->tables[i], &options);
		event_table_json(&out, p, p->tables[i], &options);
	}
	text_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p = profile_new();
	struct error err;

	/* Frames without lines are read by other code. */
	p->keep_lines = size % 2;
	p->wants_tables = size % 4 < 2 ? "" : NULL;
	jfr_reader.sniff(data, size < READER_HEAD ? size : READER_HEAD);
	jfr_reader.read(data, size, p, &err);
	print_tables(p);
	profile_free(p);
	return 0;
}
