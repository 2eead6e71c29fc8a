/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/thread_rates.h"
#include "core/threads/top_record.h"
#include "render/top/top_report.h"
#include "render/top/top_rows.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every sample must yield rates and a report, whatever its contents. */
static void report(struct thread_rates *rates, const struct top_sample *sample,
		   struct text *out)
{
	const struct top_filter filter = { .glob = "*a?*" };
	struct top_rates *r = thread_rates_update(rates, sample);
	struct top_order order = { 0 };
	struct top_report report;
	struct error err;

	if (!r)
		return;
	top_order_parse("ALLOC,-CSW,NAME", &order, &err);
	report = (struct top_report){
		.pid = 1,
		.rates = r,
		.passing = top_rows_select(r, &filter, &order),
		.shown = 20,
		.contention = true,
	};
	text_clear(out);
	top_text_add(out, &report);
	top_csv_add(out, &report);
	top_json_add(out, &report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct thread_rates *rates = thread_rates_new();
	struct thread_source *s;
	struct top_sample sample;
	struct text out = { 0 };
	struct error err;

	s = replay_source_open((const char *)data, size, &err);
	while (s && s->ops->sample(s, &sample, &err) == 0) {
		report(rates, &sample, &out);
		if (sample.thread_count)
			s->ops->stack(s, &sample.threads[0], &out, &err);
		s->ops->deadlocks(s, &out, &err);
	}
	if (s)
		s->ops->close(s);
	thread_rates_free(rates);
	text_release(&out);
	return 0;
}
