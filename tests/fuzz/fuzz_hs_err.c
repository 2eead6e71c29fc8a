/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes fatal error logs, their causes, and the reports. */
#include "cmd/why/why.h"
#include "core/base/json.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const struct hs_err *e)
{
	struct text text = { 0 };
	size_t lines = 0;

	crash_explain(&text, e, "fuzz", false);
	for (size_t i = 0; i < text.len; i++) {
		assert((unsigned char)text.bytes[i] >= ' ' ||
		       text.bytes[i] == '\n');
		lines += text.bytes[i] == '\n';
	}
	assert(lines <= 30);
	text_release(&text);
}

static void check_json(const struct hs_err *e)
{
	struct json_reader r;
	struct text text = { 0 };

	crash_explain(&text, e, "fuzz", true);
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
	struct error err;

	if (hs_err_read(&e, data, size, &err) == 0) {
		check_events(&e);
		check_text(&e);
		check_json(&e);
	}
	hs_err_release(&e);
	return 0;
}
