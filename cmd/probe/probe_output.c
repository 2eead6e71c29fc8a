/* SPDX-License-Identifier: Apache-2.0 */
/* Output and waiting, which all ways to measure share. */
#include "cmd/flame_output.h"
#include "cmd/log.h"
#include "cmd/probe/probe_options.h"
#include "cmd/signals.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "core/base/units.h"
#include "core/hotspot/vm_counters.h"
#include "render/profile/report.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Loaded classes of a large application. */
enum { MANY_CLASSES = 10000 };

bool probe_wait(const struct jvm *jvm, int64_t until_ns)
{
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = signals_fd(), .events = POLLIN },
			{ .fd = jvm->pidfd, .events = POLLIN },
		};
		int ready = poll(fds, 2, clock_left_ms(until_ns));

		if (ready > 0)
			return fds[0].revents != 0;
		if (clock_left_ms(until_ns) == 0)
			return false;
	}
}

int probe_print(const struct text *text, struct error *err)
{
	struct output out;
	int ret = output_open(&out, "-", err);

	if (ret == 0) {
		output_write(&out, text->bytes, text->len);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	return ret;
}

static const struct flame_output_format *
probe_format(const struct probe_options *o, struct flame_output_options *to,
	     struct error *err)
{
	*to = (struct flame_output_options){ .min_width = -1,
					     .total = true,
					     .by_extension = true };
	return flame_output_format(NULL, o->output, to, err);
}

int probe_check_output(const struct probe_options *o, struct error *err)
{
	struct flame_output_options unused;

	if (!o->output)
		return 0;
	if (!probe_format(o, &unused, err))
		return -1;
	return output_try(o->output, err);
}

int probe_write_page(const struct probe_run *run, struct profile *p,
		     const char *event, struct error *err)
{
	struct flame_output_options options;
	const struct flame_output_format *format = probe_format(run->o,
								&options, err);
	struct flame_output d = {
		.options = &options,
		.profile = p,
		.views = xcalloc(1, sizeof(*d.views)),
		.view_count = 1,
		.source = run->name.bytes,
		.name = run->name.bytes,
		.output = run->o->output,
	};
	struct error none;
	int ret = -1;

	if (event_view_choose(p, event, d.views, &none)) {
		log_info("no call was slow enough; %s is not written",
			 run->o->output);
		ret = 0;
	} else if (format) {
		ret = flame_output_write(&d, format, err);
	}
	flame_output_release(&d);
	return ret;
}

void probe_add_calls(const struct probe_run *run, struct profile *p,
		     const char *event, struct text *out)
{
	const struct report_options options = {
		.source = run->name.bytes,
		.parts = 1U << REPORT_THREADS | 1U << REPORT_CALLS,
		.threads = 10,
		.min_percent = REPORT_MIN_PERCENT,
		.fit = REPORT_FIT,
		.chain = REPORT_CHAIN,
		.style.weights = true,
	};
	struct event_view view;
	struct report report;
	struct error none;

	if (event_view_choose(p, event, &view, &none))
		return;
	text_putc(out, '\n');
	report_init(&report, p, &view, &options);
	report_text(out, &report, 1);
	report_release(&report);
}

/* Returns the number of loaded classes, or a large one if it is unknown. */
static size_t pauses_loaded_classes(const struct jvm *jvm)
{
	static const char *const names[] = { "java.cls.loadedClasses",
					     "java.cls.sharedLoadedClasses",
					     "java.cls.unloadedClasses",
					     "java.cls.sharedUnloadedClasses" };
	int64_t sum = 0, value;
	struct error unused;
	struct perfdata *counters = vm_counters_open(jvm, &unused);

	for (size_t i = 0; counters && i < sizeof(names) / sizeof(*names); i++)
		if (perfdata_value(counters, names[i], &value))
			sum += i < 2 ? value : -value;
	perfdata_close(counters);
	return sum > 0 && sum < MANY_CLASSES * 100L ? (size_t)sum
						    : MANY_CLASSES;
}

void probe_add_pause(const struct jvm *jvm, size_t classes, struct text *out)
{
	units_add_time(out, (double)probes_estimate_pause(
				    classes, pauses_loaded_classes(jvm)));
}

static bool pauses_read(struct probe_pauses *p, int64_t *count, int64_t *ns)
{
	int64_t ticks;

	if (!perfdata_value(p->counters, "sun.rt.safepoints", count) ||
	    !perfdata_value(p->counters, "sun.rt.safepointTime", &ticks))
		return false;
	*ns = perfdata_ns(p->counters, ticks);
	return true;
}

void probe_pauses_begin(struct probe_pauses *p, const struct jvm *jvm)
{
	struct error unused;

	*p = (struct probe_pauses){ 0 };
	p->counters = vm_counters_open(jvm, &unused);
	if (p->counters && !pauses_read(p, &p->count, &p->ns)) {
		perfdata_close(p->counters);
		p->counters = NULL;
	}
}

void probe_pauses_end(struct probe_pauses *p, const char *action)
{
	struct error unused;
	struct text time = { 0 }, pauses = { 0 };
	int64_t count, ns;

	if (p->counters && perfdata_refresh(p->counters, &unused) == 0 &&
	    pauses_read(p, &count, &ns) && count > p->count) {
		units_add_time(&time, (double)(ns - p->ns));
		units_add_counted(&pauses, (uint64_t)(count - p->count),
				  "pause");
		log_info("%s stopped the JVM's threads for %s in %s, including "
			 "other safepoints at that time",
			 action, time.bytes, pauses.bytes);
	}
	perfdata_close(p->counters);
	p->counters = NULL;
	text_release(&time);
	text_release(&pauses);
}
