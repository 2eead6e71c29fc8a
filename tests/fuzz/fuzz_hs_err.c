/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes fatal error logs, their causes, and the reports. */
#include "cmd/why/crash.h"
#include "core/base/json.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const struct crash *c)
{
	struct text text = { 0 };
	size_t lines = 0;

	crash_write_text(&text, c);
	for (size_t i = 0; i < text.len; i++) {
		assert((unsigned char)text.bytes[i] >= ' ' ||
		       text.bytes[i] == '\n');
		lines += text.bytes[i] == '\n';
	}
	assert(lines <= 30);
	text_release(&text);
}

static void check_json(const struct crash *c)
{
	struct json_reader r;
	struct text text = { 0 };

	crash_write_json(&text, c);
	r = json_reader_over(text.bytes, text.len);
	json_skip(&r);
	assert(json_reader_at_end(&r));
	text_release(&text);
}

static void check_events(const struct hs_err *e)
{
	for (size_t i = 1; i < e->event_count; i++)
		assert(e->events[i - 1].seconds <= e->events[i].seconds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hs_err e;
	struct crash c;
	struct error err;

	if (hs_err_read(&e, data, size, &err) == 0) {
		crash_init(&c, &e, "fuzz");
		check_events(&e);
		check_text(&c);
		check_json(&c);
	}
	hs_err_release(&e);
	return 0;
}
