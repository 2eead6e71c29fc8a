/* SPDX-License-Identifier: Apache-2.0 */
/* prof -i: reports on recordings. */
#include "cmd/prof/prof_options.h"
#include "cmd/shared/recording.h"
#include "core/profile/event_table.h"

#include <stdlib.h>
#include <string.h>

static bool prof_has_several_events(const struct prof_options *o)
{
	return o->drawing.event && strchr(o->drawing.event, ',');
}

static struct profile *prof_recording_read(const struct prof_output *output,
					   const struct sample_filter *filter,
					   struct error *err)
{
	const struct prof_options *o = output->options;

	return recording_read(
		&(struct recording_options){
			.paths = o->inputs.values,
			.path_count = o->inputs.count,
			.format = o->format,
			.from = o->from,
			.to = o->to,
			.time_range = o->time_range,
			.time_zone = o->time_zone,
			.keep_lines = o->drawing.style.lines ||
				      sample_filter_wants_lines(filter),
			.keep_moments = !output->report &&
					output->drawing->is_page,
			.stacks = sample_filter_stacks(filter,
						       o->drawing.event),
			/* A table is reported alone. */
			.tables = prof_has_several_events(o) ? NULL
							     : o->drawing.event,
		},
		err);
}

/* Returns the table of the chosen event if it has no stack traces, or NULL. */
static const struct event_table *
prof_recording_table(const struct flame_output *d)
{
	const char *event = d->options->event;
	struct event_view unused;
	struct error missing;

	if (!event ||
	    event_view_choose(d->profile, event, &unused, &missing) == 0)
		return NULL;
	return event_table_find(d->profile, event);
}

static int prof_recording_write_samples(const struct prof_output *output,
					struct flame_output *d,
					const struct sample_filter *filter,
					struct error *err)
{
	if (flame_output_choose(d, filter, err))
		return fail_in(err, "%s", d->source);
	recording_log_notes(d->profile, d->source,
			    output->every_event ? d->views
						: &d->views[d->selected],
			    output->every_event ? d->view_count : 1,
			    prof_output_shows_notes(output));
	return prof_write(output, d, err);
}

static int prof_recording_run(const struct prof_output *output,
			      const struct sample_filter *filter,
			      struct error *err)
{
	const struct prof_options *o = output->options;
	const struct option_list *inputs = &o->inputs;
	char *source = flame_output_source_of(inputs->values, inputs->count);
	struct flame_output d = {
		.options = &o->drawing,
		.source = source,
		.output = o->output ? o->output : "-",
	};
	const struct event_table *table;
	int ret = flame_output_check_output(d.output, inputs->values,
					    inputs->count, err);

	if (ret)
		goto out;
	ret = -1;
	d.profile = prof_recording_read(output, filter, err);
	if (!d.profile)
		goto out;
	table = prof_recording_table(&d);
	ret = table ? prof_write_table(output, &d, table, err)
		    : prof_recording_write_samples(output, &d, filter, err);
out:
	profile_free(d.profile);
	flame_output_release(&d);
	free(source);
	return ret;
}

int prof_recording(const struct prof_options *o, struct error *err)
{
	struct sample_filter *filter = NULL;
	struct prof_output output = { 0 };
	int ret = prof_output_choose(&output, o, err);

	if (ret == 0) {
		output.every_event = prof_has_several_events(o);
		filter = sample_filter_new(&o->filter, err);
		ret = filter ? prof_recording_run(&output, filter, err) : -1;
	}
	sample_filter_free(filter);
	prof_output_release(&output);
	return ret;
}
