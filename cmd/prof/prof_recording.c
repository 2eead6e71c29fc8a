/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof.h"
#include "cmd/recording.h"

#include <stdlib.h>

static struct profile *read_inputs(const struct prof_options *o,
				   const struct sample_filter *filter,
				   struct error *err)
{
	return recording_read(
		&(struct recording_options){
			.paths = o->inputs.values,
			.path_count = o->inputs.count,
			.format = o->format,
			.from = o->from,
			.to = o->to,
			.time_range = o->time_range,
			.time_zone = o->time_zone,
			.keep_lines = o->drawing.lines ||
				      sample_filter_wants_lines(filter),
		},
		err);
}

static int read_and_write(const struct prof_output *output,
			  const struct sample_filter *filter, struct error *err)
{
	const struct prof_options *o = output->options;
	const struct option_list *inputs = &o->inputs;
	char *source = drawing_source_of(inputs->values, inputs->count);
	struct drawing d = {
		.options = &o->drawing,
		.source = source,
		.output = o->output ? o->output : "-",
	};
	int ret = drawing_check_output(d.output, inputs->values, inputs->count,
				       err);

	if (ret)
		goto out;
	d.profile = read_inputs(o, filter, err);
	ret = d.profile ? drawing_choose(&d, filter, err) : -1;
	if (d.profile && ret)
		fail_in(err, "%s", d.source);
	if (ret == 0)
		ret = prof_write(output, &d, err);
out:
	profile_free(d.profile);
	drawing_release(&d);
	free(source);
	return ret;
}

int prof_recording(const struct prof_options *o, struct error *err)
{
	struct sample_filter *filter = NULL;
	struct prof_output output;
	int ret = prof_output_choose(&output, o, err);

	if (ret == 0) {
		filter = sample_filter_new(&o->filter, err);
		ret = filter ? read_and_write(&output, filter, err) : -1;
	}
	sample_filter_free(filter);
	return ret;
}
