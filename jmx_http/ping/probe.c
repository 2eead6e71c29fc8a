/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/ping/probe.h"

#include "core/base/clock.h"

struct text *probe_begin(struct probe *p, const char *name)
{
	struct probe_step *step = &p->steps[p->step_count];

	step->name = name;
	p->begun_ns = clock_monotonic_ns();
	return &step->detail;
}

void probe_end(struct probe *p)
{
	struct probe_step *step = &p->steps[p->step_count++];

	step->ok = true;
	step->ns = clock_monotonic_ns() - p->begun_ns;
}

void probe_fail(struct probe *p, const char *means, const struct error *err)
{
	struct probe_step *step = &p->steps[p->step_count];

	probe_end(p);
	step->ok = false;
	p->kind = err->kind;
	if (step->detail.len)
		text_puts(&step->detail, "; ");
	text_puts(&step->detail, err->text);
	if (!p->verdict.len)
		probe_judge(p, means, "");
}

void probe_judge(struct probe *p, const char *verdict, const char *remedy)
{
	text_clear(&p->verdict);
	text_puts(&p->verdict, verdict);
	text_clear(&p->remedy);
	text_puts(&p->remedy, remedy);
}

void probe_release(struct probe *p)
{
	for (size_t i = 0; i < PROBE_STEPS_MAX; i++) {
		text_release(&p->steps[i].detail);
		text_release(&p->steps[i].certificate);
	}
	text_release(&p->verdict);
	text_release(&p->remedy);
	*p = (struct probe){ 0 };
}
