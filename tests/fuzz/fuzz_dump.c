/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/reader.h"
#include "core/threads/dump_series.h"
#include "render/threads/threads_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The report of sjkc threads. */
static void report(const uint8_t *data, size_t size)
{
	static const struct threads_options options = { .source = "fuzz" };
	struct profile *p = profile_new();
	struct dump_series s;
	struct text text = { 0 };
	struct error err;

	dump_series_init(&s, p);
	dump_reader.read(data, size, p, &err);
	dump_json_reader.read(data, size, p, &err);
	dump_series_end(&s);
	if (s.number) {
		threads_text(&text, &s, &options);
		threads_json(&text, &s, &options);
	}
	text_release(&text);
	dump_series_release(&s);
	profile_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p = profile_new();
	struct error err;

	dump_reader.sniff(data, size < READER_HEAD ? size : READER_HEAD);
	dump_reader.read(data, size, p, &err);
	profile_free(p);
	report(data, size);
	return 0;
}
