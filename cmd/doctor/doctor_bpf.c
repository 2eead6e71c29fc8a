/* SPDX-License-Identifier: Apache-2.0 */
/* doctor's checks of the preconditions of prof: eBPF, stacks and names. */
#include "bpf/conditions.h"
#include "bpf/load.h"
#include "bpf/sampler.h"
#include "cmd/doctor/doctor_checks.h"
#include "core/hotspot/process_view.h"
#include "core/hotspot/vm_symbols.h"

#include <stdio.h>

/* Loads and attaches the sampling programs; samples no process. */
static bool check_programs_run(struct error *err)
{
	struct sampler_options o = {
		.kinds = (1U << SAMPLE_KINDS) - 1,
		.hz = 99,
		.stack_bytes = 64 << 10,
		.kernel = true,
		.user = true,
	};
	struct sampler *s = sampler_open(&o, err);
	bool run = s && sampler_start(s, err) == 0;

	sampler_close(s);
	return run;
}

/*
 * Adds the conditions of eBPF. A failed condition is a warning if the programs
 * run: another right may replace the missing one. Returns true when a failed
 * condition explains why the programs do not run.
 */
static bool check_conditions(struct doctor_checks *c,
			     const struct bpf_facts *facts, bool run)
{
	struct condition list[BPF_CONDITIONS_MAX];
	size_t count = bpf_conditions(facts, list);
	bool is_stopped = false;

	for (size_t i = 0; i < count; i++) {
		bool fails = list[i].state == CONDITION_FAILS;
		bool stops = fails && !run && list[i].kind != ERROR_NONE;
		struct finding *f = doctor_checks_add(c, NULL, CONDITION_HOLDS,
						      stops ? NEED_BPF : 0);

		f->is = list[i];
		f->is_warning = fails && !stops;
		is_stopped = is_stopped || stops;
	}
	return is_stopped;
}

void doctor_check_bpf(struct doctor_checks *c)
{
	struct bpf_facts facts;
	struct finding *f;
	struct error err;
	bool run = check_programs_run(&err);

	bpf_facts_gather(&facts);
	if (facts.unprivileged_bpf_disabled >= 0)
		finding_detail(
			doctor_checks_note(c, "unprivileged BPF"),
			"kernel.unprivileged_bpf_disabled is %d; sampling "
			"requires privileges in any case",
			facts.unprivileged_bpf_disabled);
	if (check_conditions(c, &facts, run))
		return;
	f = doctor_checks_add(c, "BPF programs",
			      run ? CONDITION_HOLDS : CONDITION_FAILS,
			      NEED_BPF);
	if (run)
		finding_detail(f, "the kernel accepts the sampling programs");
	else
		finding_error(c, f, &err);
	f = doctor_checks_add(c, "uprobe rights", CONDITION_HOLDS,
			      NEED_UPROBES);
	if (load_check_uprobes(c->jvm.uid, &err) == 0) {
		finding_detail(f, "gc and events with uprobes may place them");
	} else {
		f->is.state = CONDITION_FAILS;
		finding_error(c, f, &err);
	}
}

static void check_names(struct doctor_checks *c,
			const struct process_view *view)
{
	struct finding *f = doctor_checks_add(c, "Java names", CONDITION_HOLDS,
					      NEED_NAMES);
	struct vm_symbols *s;
	struct error err;

	s = vm_symbols_open_for(view, &err);
	if (!s || vm_symbols_limits(s))
		f->is.state = CONDITION_FAILS;
	if (!s)
		finding_error(c, f, &err);
	else if (vm_symbols_limits(s))
		finding_detail(f, "inlined methods are missing: %s",
			       vm_symbols_limits(s));
	else
		finding_detail(f, "prof can read them from the JVM's memory");
	vm_symbols_close(s);
}

void doctor_check_stacks(struct doctor_checks *c)
{
	struct process_view *view;
	struct finding *f;
	struct error err;

	/* If sampling is impossible anyway, skip the checks of its details. */
	if (doctor_checks_broken(c, NEED_PROC | NEED_BPF))
		return;
	view = process_view_open(&c->jvm, NULL, &err);
	f = doctor_checks_add(c, "Java stacks",
			      view && !view->limits ? CONDITION_HOLDS
						    : CONDITION_FAILS,
			      view ? NEED_STACKS : NEED_STACKS | NEED_NAMES);
	if (!view) {
		finding_error(c, f, &err);
	} else if (view->limits) {
		finding_detail(f, "%s", view->limits);
		finding_remedy(f, "use prof --sampler dump");
	} else {
		finding_detail(f, "prof can unwind them");
		check_names(c, view);
	}
	process_view_close(view);
}
