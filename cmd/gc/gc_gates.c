/* SPDX-License-Identifier: Apache-2.0 */
/* Gates of sjkc gc: "p99>200ms" is exceeded if the p99 in the totals is. */
#include "cmd/gc/gc_command.h"

#include "core/base/clock.h"
#include "core/base/nearest.h"
#include "core/base/units.h"

#include <math.h>
#include <string.h>

enum figure_kind { FIGURE_TIME, FIGURE_SHARE, FIGURE_PAUSES, FIGURE_FULL };

/* A time without a unit would be seconds, and "200m" minutes. */
static const char *const examples[] = { ">200ms", ">5%", ">9", ">0" };

/* clang-format off */
static const struct figure {
	const char *name;
	enum figure_kind kind;
	double percent; /* of a time */
	const char *noun;
} figures[] = {
	{ "p50", FIGURE_TIME, 50, "the p50 of the pauses" },
	{ "p90", FIGURE_TIME, 90, "the p90 of the pauses" },
	{ "p95", FIGURE_TIME, 95, "the p95 of the pauses" },
	{ "p99", FIGURE_TIME, 99, "the p99 of the pauses" },
	{ "p99.9", FIGURE_TIME, 99.9, "the p99.9 of the pauses" },
	{ "longest", FIGURE_TIME, 100, "the longest pause" },
	{ "max", FIGURE_TIME, 100, "the longest pause" },
	{ "stopped", FIGURE_SHARE, 0, "the share of stopped time" },
	{ "pauses", FIGURE_PAUSES, 0, "the number of pauses" },
	{ "full", FIGURE_FULL, 0, "the number of full collections" },
};
/* clang-format on */

enum { FIGURES = sizeof(figures) / sizeof(*figures) };

/* A value that a figure may not exceed: a time in ns, percent, a number. */
struct limit {
	const struct figure *figure;
	bool is_inclusive; /* >= */
	double value;
};

static bool limit_parse_value(struct limit *l, const char *word)
{
	size_t len = strlen(word);
	uint64_t count = 0;
	int64_t ns = 0;
	bool is_valid;

	if (l->figure->kind == FIGURE_SHARE)
		return units_number(word, &l->value, error_unused()) == 0 &&
		       word[len - 1] == '%' && l->value < 100;
	if (l->figure->kind == FIGURE_TIME)
		is_valid = units_duration(word, &ns, error_unused()) == 0 &&
			   strchr("sS", word[len - 1]);
	else
		is_valid = units_count(word, &count, error_unused()) == 0;
	l->value = ns ? (double)ns : (double)count;
	return is_valid;
}

/* Parses "p99>200ms" or "p99 >= 200ms". */
static int limit_parse(struct limit *l, const char *gate, struct error *err)
{
	size_t len = strcspn(gate, " <>="), i = 0;
	const char *at = gate + len + strspn(gate + len, " ");
	bool has_operator = *at == '>';

	while (i < FIGURES && (strlen(figures[i].name) != len ||
			       memcmp(figures[i].name, gate, len) != 0))
		i++;
	if (i == FIGURES)
		return nearest_fail_choice("figure", gate, len,
					   "p50 p90 p95 p99 p99.9 longest max "
					   "stopped pauses full",
					   err);
	at += has_operator;
	*l = (struct limit){ &figures[i], has_operator && *at == '=', 0 };
	at += l->is_inclusive;
	if (has_operator && limit_parse_value(l, at + strspn(at, " ")))
		return 0;
	return misuse(err, "use > or >= and a limit, in quotes: '%s%s'",
		      l->figure->name, examples[l->figure->kind]);
}

int gc_gates_add(const struct option_list *list, struct gates *gates,
		 struct error *err)
{
	struct limit unused;

	for (size_t i = 0; i < list->count; i++) {
		if (limit_parse(&unused, list->values[i], err))
			return fail_in(err, "option --fail '%s'",
				       list->values[i]);
		gates_add(gates, list->values[i]);
	}
	return 0;
}

static bool limit_is_exceeded(const struct limit *l, double value)
{
	return l->is_inclusive ? value >= l->value : value > l->value;
}

/* A value in the totals, and the largest that it may have in truth. */
struct range {
	double least;    /* NaN: unknown */
	double most;     /* INFINITY: unknown */
	const char *why; /* the values differ or are unknown */
};

/* Pauses without a time of their own count as the longest if they may be. */
static struct range range_of_time(const struct limit *l,
				  const struct gc_measurement *m)
{
	struct gc_group *g = &m->summary.totals->collections;
	bool has_stopped = m->summary.columns & GC_HAS_STOPPED;
	struct gc_durations *d = has_stopped ? &g->stopped : &g->gc;
	double percent = l->figure->percent, count = (double)d->count, rank;
	double unknown = (double)d->unknown, least = (double)NAN;

	if (limit_is_exceeded(l, (double)m->pending_ns))
		unknown += (double)m->pending;
	rank = ceil(percent / 100 * (count + unknown));
	if (has_stopped && limit_is_exceeded(l, (double)g->together_ns))
		rank += (double)g->together;
	if (d->count)
		least = (double)gc_durations_percentile(d, percent);
	return (struct range){
		least,
		rank > 0 && rank <= count
			? (double)gc_durations_percentile(d, 100 * rank / count)
			: (double)INFINITY,
		g->stops ? "some pauses have no time of their own"
			 : "there are no pauses",
	};
}

static struct range range_of_share(const struct gc_measurement *m)
{
	const struct gc_durations *d = &m->summary.totals->collections.stopped;
	double pending_ns = (double)m->pending * (double)m->pending_ns;
	double percent = 100 / (double)m->summary.wall_ns;
	bool is_known = m->summary.wall_ns > 0 && (d->count || !d->unknown);

	return (struct range){
		is_known ? percent * (double)d->sum_ns : (double)NAN,
		is_known && !d->unknown
			? percent * ((double)d->sum_ns + pending_ns)
			: (double)INFINITY,
		m->summary.wall_ns > 0 ? "some pauses have no stopped time"
				       : "the observed time is unknown",
	};
}

static struct range range_of_stops(const struct figure *f,
				   const struct gc_measurement *m)
{
	const struct gc_totals *t = m->summary.totals;
	bool is_full = f->kind == FIGURE_FULL;
	double stops = (double)(is_full ? t->stops[GC_FULL]
					: t->collections.stops);
	double others = is_full ? (double)t->stops[GC_PAUSE] : 0;

	if (!m->summary.wall_ns && !t->count)
		return (struct range){ (double)NAN, (double)INFINITY,
				       "there are no records" };
	/* A shorter stop has just begun. */
	if (m->pending_ns >= CLOCK_NS_PER_S)
		others += (double)m->pending;
	return (struct range){ stops, stops + others,
			       "the kind of some stops is unknown" };
}

/* Explains a result. The texts of times are rounded, and may look equal. */
static void limit_explain(const struct limit *l, const struct range *r,
			  bool has_stopped, struct gate *gate)
{
	struct text *out = &gate->reason;

	if (isnan(r->least)) {
		text_puts(out, r->why);
		return;
	}
	text_printf(out, "%s is ", l->figure->noun);
	if (l->figure->kind == FIGURE_TIME) {
		units_add_time(out, r->least);
		text_puts(out, has_stopped ? "" : " of GC time");
		if (gate->result == GATE_EXCEEDED)
			text_printf(out, ", %s above the limit",
				    units_time(r->least - l->value).text);
	} else if (l->figure->kind == FIGURE_SHARE) {
		text_printf(out, "%.2f%%", r->least);
	} else {
		text_printf(out, "%.0f", r->least);
	}
	if (gate->result == GATE_UNKNOWN)
		text_printf(out, ", but %s", r->why);
}

void gc_gates_judge(struct gates *gates, const struct gc_measurement *m)
{
	for (size_t i = 0; i < gates->count; i++) {
		struct gate *gate = &gates->all[i];
		struct range r;
		struct limit l;

		if (limit_parse(&l, gate->name.bytes, error_unused()))
			continue;
		r = l.figure->kind == FIGURE_TIME ? range_of_time(&l, m)
		    : l.figure->kind == FIGURE_SHARE
			    ? range_of_share(m)
			    : range_of_stops(l.figure, m);
		gate->result = limit_is_exceeded(&l, r.least)  ? GATE_EXCEEDED
			       : limit_is_exceeded(&l, r.most) ? GATE_UNKNOWN
							       : GATE_PASSED;
		limit_explain(&l, &r, m->summary.columns & GC_HAS_STOPPED,
			      gate);
	}
}
