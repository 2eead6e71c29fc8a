/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/sample_filter.h"

#include "cmd/shared/log.h"
#include "core/base/alloc.h"
#include "core/base/pattern.h"
#include "core/profile/filter.h"

#include <stdlib.h>
#include <string.h>

struct sample_filter {
	struct sample_filter_options given;
	struct pattern *thread_name, *full_thread_name, *include, *exclude;
	struct trace_filter *trace_filter, *trace_trim;
	uint32_t states;
};

typedef struct pattern *pattern_maker(const char *regex, struct error *err);

static int filter_compile(const char *option, const char *regex,
			  pattern_maker *make, struct pattern **pattern,
			  struct error *err)
{
	if (!regex)
		return 0;
	*pattern = make(regex, err);
	return *pattern ? 0 : fail_in(err, "option %s", option);
}

static int filter_compile_trace(const char *option, const char *expression,
				unsigned flags, struct trace_filter **filter,
				struct error *err)
{
	if (!expression)
		return 0;
	*filter = trace_filter_new(expression, flags, err);
	return *filter ? 0 : fail_in(err, "option %s", option);
}

struct sample_filter *sample_filter_new(const struct sample_filter_options *o,
					struct error *err)
{
	struct sample_filter *f = xcalloc(1, sizeof(*f));
	unsigned flags = o->sjk_compat ? 0 : TRACE_EXCLUSIVE;

	f->given = *o;
	if (filter_compile("--thread-name", o->thread_name, pattern_new,
			   &f->thread_name, err) ||
	    filter_compile("--full-thread-name", o->full_thread_name,
			   pattern_new_whole, &f->full_thread_name, err) ||
	    filter_compile("--include", o->include, pattern_new, &f->include,
			   err) ||
	    filter_compile("--exclude", o->exclude, pattern_new, &f->exclude,
			   err) ||
	    filter_compile_trace("--trace-filter", o->trace_filter, flags,
				 &f->trace_filter, err) ||
	    filter_compile_trace("--trace-trim", o->trace_trim,
				 flags | TRACE_TRIM, &f->trace_trim, err))
		goto failed;
	if (o->state && filter_states(o->state, &f->states, err)) {
		fail_in(err, "option --state");
		goto failed;
	}
	return f;
failed:
	sample_filter_free(f);
	return NULL;
}

void sample_filter_free(struct sample_filter *f)
{
	if (!f)
		return;
	pattern_free(f->thread_name);
	pattern_free(f->full_thread_name);
	pattern_free(f->include);
	pattern_free(f->exclude);
	trace_filter_free(f->trace_filter);
	trace_filter_free(f->trace_trim);
	free(f);
}

const char *sample_filter_stacks(const struct sample_filter *f,
				 const char *events)
{
	const struct sample_filter_options *o = &f->given;

	return o->state || o->include || o->exclude || o->trace_filter ||
			       o->trace_trim || o->no_class
		       ? NULL
		       : events;
}

bool sample_filter_wants_lines(const struct sample_filter *f)
{
	return (f->trace_filter && trace_filter_wants_lines(f->trace_filter)) ||
	       (f->trace_trim && trace_filter_wants_lines(f->trace_trim));
}

static void filter_warn_undecided(const char *option, size_t count)
{
	if (count)
		log_always("option %s: the expression is too costly for %zu "
			   "names; sjkc treats them as not matching",
			   option, count);
}

static void filter_warn_pattern(const char *option,
				const struct pattern *pattern)
{
	filter_warn_undecided(option, pattern ? pattern_undecided(pattern) : 0);
}

static void filter_apply_trace(const char *option, struct trace_filter *filter,
			       struct profile *p)
{
	if (!filter)
		return;
	trace_filter_apply(p, filter);
	filter_warn_undecided(option, trace_filter_undecided(filter));
}

void sample_filter_apply(const struct sample_filter *f, struct profile *p)
{
	const struct filter filter = {
		.thread_name = f->thread_name,
		.states = f->states,
		.include = f->include,
		.exclude = f->exclude,
	};
	const struct filter full = { .thread_name = f->full_thread_name };

	filter_apply(p, &filter);
	filter_apply(p, &full);
	filter_warn_pattern("--thread-name", f->thread_name);
	filter_warn_pattern("--full-thread-name", f->full_thread_name);
	filter_warn_pattern("--include", f->include);
	filter_warn_pattern("--exclude", f->exclude);
	filter_apply_trace("--trace-filter", f->trace_filter, p);
	filter_apply_trace("--trace-trim", f->trace_trim, p);
	if (f->given.no_class)
		filter_drop_classes(p);
}

void sample_filter_name(const struct sample_filter *f, struct text *out)
{
	const struct sample_filter_options *o = &f->given;
	const struct {
		const char *name, *value;
	} filters[] = {
		{ "--thread-name", o->thread_name },
		{ "--full-thread-name", o->full_thread_name },
		{ "--state", o->state },
		{ "--include", o->include },
		{ "--exclude", o->exclude },
		{ "--trace-filter", o->trace_filter },
		{ "--trace-trim", o->trace_trim },
	};
	bool first = true;

	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		if (!filters[i].value)
			continue;
		text_printf(out, "%s%s '%s'", first ? "" : ", ",
			    filters[i].name, filters[i].value);
		first = false;
	}
}
