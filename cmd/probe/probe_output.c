/* SPDX-License-Identifier: Apache-2.0 */
/* Output and waiting, which all ways to measure share. */
#include "cmd/probe/probe_options.h"
#include "cmd/shared/flame_output.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "core/base/units.h"
#include "core/hotspot/process_view.h"
#include "core/hotspot/vm_counters.h"
#include "core/jvm/jdk_version.h"
#include "render/profile/report.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Loaded classes of a large application. */
enum { MANY_CLASSES = 10000 };

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
	int ret = -1;

	if (event_view_choose(p, event, d.views, error_unused())) {
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

	if (event_view_choose(p, event, &view, error_unused()))
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
	struct perfdata *counters = vm_counters_open(jvm, error_unused());

	for (size_t i = 0; counters && i < sizeof(names) / sizeof(*names); i++)
		if (perfdata_value(counters, names[i], &value))
			sum += i < 2 ? value : -value;
	perfdata_close(counters);
	return sum > 0 && sum < MANY_CLASSES * 100L ? (size_t)sum
						    : MANY_CLASSES;
}

/* Measured pauses were a tenth of the bound or longer. */
void probe_add_pause(const struct jvm *jvm, size_t classes, struct text *out)
{
	double most = (double)probes_estimate_pause(classes,
						    pauses_loaded_classes(jvm));

	units_add_time(out, most / 10);
	text_puts(out, " to ");
	units_add_time(out, most);
}

/* ---- the first change of classes ---- */

#define COST_UNKNOWN UINT64_MAX

enum {
	NMETHOD_IN_USE = 0,
	JDK_KEEPS_CODE = 23,
	COST_UNASKED = 1000,  /* discarded methods that need no question */
	COST_RENEW_MS = 5000, /* the agent's lease is 30 s */
};

static uint64_t cost_count_methods(const struct process_view *v)
{
	struct code_list list = { 0 };
	uint32_t state_at = 0;
	uint64_t count = 0;
	bool has_state = vm_structs_offset(v->structs, "nmethod", "_state",
					   &state_at);

	if (code_list_read(&list, v->structs, v->memory, error_unused()))
		return COST_UNKNOWN;
	for (size_t i = 0; i < list.count; i++) {
		const struct code_blob *b = &list.blobs[i];
		uint8_t state = NMETHOD_IN_USE;

		if (b->kind != BLOB_NMETHOD)
			continue;
		if (has_state)
			memory_read(v->memory, b->address + state_at, &state,
				    sizeof(state));
		count += state == NMETHOD_IN_USE;
	}
	code_list_release(&list);
	return count;
}

static bool cost_keeps_code(const struct jvm *jvm)
{
	struct jvm_info about;
	bool keeps;

	if (jvm_info(jvm, &about, error_unused()))
		return false;
	keeps = about.version &&
		jdk_version_of(about.version).feature >= JDK_KEEPS_CODE;
	jvm_info_release(&about);
	return keeps;
}

/*
 * For a JVM whose libjvm has no symbols: assumes that only sessions of sjkc
 * change classes.
 */
static uint64_t cost_assume(const struct jvm *jvm, const struct probes *probes,
			    const struct process_view *v)
{
	if (probes_changed_before(probes) || cost_keeps_code(jvm))
		return 0;
	return v && v->structs ? cost_count_methods(v) : COST_UNKNOWN;
}

/*
 * Before JDK 23 (JDK-8324241), the compilers record which code depends on a
 * method only while an agent may change classes. If this was not so from the
 * start, the first change discards all code, and sets this variable
 * (VM_RedefineClasses::flush_dependent_code). JDK 23 and later set it when an
 * agent requests the capability, which the agent has done at this point.
 */
static uint64_t cost_read(const struct jvm *jvm, const struct probes *probes,
			  bool *is_certain)
{
	static const char
		symbol[] = "_ZN11JvmtiExport30_all_dependencies_are_recordedE";
	struct process_view *v = process_view_open(jvm, NULL, error_unused());
	uint64_t at = v ? process_view_vm_symbol(v, symbol) : 0, cost;
	uint8_t is_recorded;

	*is_certain = at && v->structs &&
		      memory_read(v->memory, at, &is_recorded,
				  sizeof(is_recorded));
	if (!*is_certain)
		cost = cost_assume(jvm, probes, v);
	else
		cost = is_recorded ? 0 : cost_count_methods(v);
	process_view_close(v);
	return cost;
}

bool probe_log_cost(const struct jvm *jvm, const struct probes *probes)
{
	bool is_certain;
	uint64_t cost = cost_read(jvm, probes, &is_certain);
	bool asks = cost > COST_UNASKED && cost != COST_UNKNOWN;
	struct text code = { 0 };

	if (!cost)
		return false;
	text_puts(&code, "the first change of a class in this JVM ");
	if (cost == COST_UNKNOWN)
		text_puts(&code, "may discard its compiled code");
	else
		text_puts(&code, is_certain ? "discards the code of all "
					    : "may discard the code of all ");
	if (cost != COST_UNKNOWN)
		units_add_counted(&code, cost, "compiled method");
	text_puts(&code, "; until the JVM has compiled it again (about 10 s), "
			 "calls take several times the CPU time");
	if (asks)
		log_always("%s", code.bytes);
	else
		log_info("%s", code.bytes);
	text_release(&code);
	return asks;
}

int probe_confirm_cost(const struct probe_run *run, struct probes *probes,
		       struct error *err)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char answer[64] = "";
	int ready;

	if (!probe_log_cost(&run->jvm, probes) || run->o->yes)
		return 0;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return misuse(
			err,
			"%d: instrumenting discards more than %d compiled "
			"methods: use --yes to allow it",
			(int)run->jvm.pid, COST_UNASKED);
	fputs("Continue? [y/N] ", stderr);
	do {
		ready = poll(&in, 1, COST_RENEW_MS);
		if (ready == 0 && probes_read(probes, NULL, NULL, err))
			return -1;
	} while (ready == 0 || (ready < 0 && errno == EINTR));
	if (ready > 0 && read(STDIN_FILENO, answer, sizeof(answer)) > 0 &&
	    (answer[0] == 'y' || answer[0] == 'Y'))
		return 0;
	return fail(err, ERROR_FAILED, "%d: nothing was instrumented",
		    (int)run->jvm.pid);
}

/* ---- pauses ---- */

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
	*p = (struct probe_pauses){ 0 };
	p->counters = vm_counters_open(jvm, error_unused());
	if (p->counters && !pauses_read(p, &p->count, &p->ns)) {
		perfdata_close(p->counters);
		p->counters = NULL;
	}
}

void probe_pauses_end(struct probe_pauses *p, const char *action)
{
	int64_t count, ns;

	if (p->counters && perfdata_refresh(p->counters, error_unused()) == 0 &&
	    pauses_read(p, &count, &ns) && count > p->count)
		log_info("%s stopped the JVM's threads for %s in %s, including "
			 "other safepoints at that time",
			 action, units_time((double)(ns - p->ns)).text,
			 units_counted((uint64_t)(count - p->count), "pause")
				 .text);
	perfdata_close(p->counters);
	p->counters = NULL;
}
