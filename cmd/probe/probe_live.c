/* SPDX-License-Identifier: Apache-2.0 */
/* probe by the agent: lists, arms, reads counts, prints, and disarms. */
#include "cmd/probe/loaded_classes.h"
#include "cmd/probe/probe_options.h"
#include "cmd/probe/probe_report.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/nearest.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "jvmti/client/client_load.h"
#include "jvmti/client/client_probes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LIVE_TIMEOUT_NS  (20 * CLOCK_NS_PER_S)
#define LIVE_INTERVAL_NS CLOCK_NS_PER_S
#define LIVE_READ_NS     (CLOCK_NS_PER_S / 5) /* while calls are printed */

/* Patterns of the client for one pattern of the command line, at most. */
enum { LIVE_FORMS = 3 };

/* Single calls per second. */
enum { LIVE_RATE = 100, LIVE_TREE_RATE = 10000 };

struct live {
	struct probe_run *run;
	struct probes *probes;
	struct probe_wish *wishes; /* of the methods to arm */
	size_t wish_count, refused, skipped, class_count;
	size_t seen_methods;       /* of the list */
	uint64_t later, later_out; /* armed later; beyond --max */
	int64_t rest_until_ns;     /* no class is changed before that */
	struct probe_calls *calls;
	struct probe_row *rows; /* of the armed methods */
	uint32_t *row_methods;
	size_t row_count;
	struct probe_counts *last; /* at the end of the last interval */
	int64_t start_ns, last_ns;
	size_t drawn; /* lines of the last block on a terminal */
	bool is_terminal;
	struct error end; /* why the measurement ended by itself */
};

static void live_before_load(void *self, const char *warning)
{
	(void)self;
	if (warning)
		log_info("%s", warning);
}

static int live_open(struct live *l, struct error *err)
{
	const struct probes_options options = {
		.timeout_ns = LIVE_TIMEOUT_NS,
		.limit = (uint32_t)l->run->o->max,
		.before_load = live_before_load,
		.self = l,
		.follows = !l->run->o->list,
	};

	if (agent_load_allowed(&l->run->jvm, err)) {
		if (err->kind == ERROR_REFUSED)
			fail(err, ERROR_REFUSED,
			     "%d: the JVM loads no agents: it was started with "
			     "-XX:-EnableDynamicAgentLoading; use --jfr, which "
			     "needs JDK 25 or later",
			     (int)l->run->jvm.pid);
		return -1;
	}
	l->probes = probes_open(&l->run->jvm, &options, err);
	return l->probes ? 0 : -1;
}

/* A tree needs all calls, if possible. */
static uint64_t live_rate(const struct probe_options *o)
{
	if (o->rate != COUNT_NOT_GIVEN)
		return o->rate;
	return o->tree ? LIVE_TREE_RATE : LIVE_RATE;
}

/* ---- which methods ---- */

/*
 * Adds the forms of a pattern: a class without its package is a whole name, or
 * the end of one.
 */
static size_t live_add_forms(const struct method_pattern *m, bool all_methods,
			     struct probe_pattern *to)
{
	static const char *const before[LIVE_FORMS] = { "", "*.", "*$" };
	size_t forms = m->any_package ? LIVE_FORMS : 1;

	for (size_t i = 0; i < forms; i++) {
		struct text name = { 0 };

		text_printf(&name, "%s%s", before[i], m->class_name);
		to[i] = (struct probe_pattern){
			.class_name = name.bytes,
			.method = all_methods ? "*" : m->method,
			.with_subtypes = m->with_subtypes,
		};
	}
	return forms;
}

static int live_list(struct live *l, bool all_methods, struct error *err)
{
	const struct probe_run *run = l->run;
	struct probe_pattern *forms = xcalloc(run->pattern_count * LIVE_FORMS,
					      sizeof(*forms));
	size_t count = 0;
	int ret;

	for (size_t i = 0; i < run->pattern_count; i++) {
		if (!run->patterns[i].excludes)
			count += live_add_forms(&run->patterns[i], all_methods,
						&forms[count]);
	}
	ret = probes_list(l->probes, forms, count, err);
	for (size_t i = 0; i < count; i++)
		free((char *)forms[i].class_name);
	free(forms);
	return ret;
}

/* The JVM has already selected subtypes, whose names match no pattern. */
static bool live_selects(const struct method_pattern *p,
			 const struct probe_class *c)
{
	return !p->excludes &&
	       (p->with_subtypes || method_pattern_has_class(p, c->name));
}

static bool live_is_chosen(const struct live *l, const struct probe_class *c,
			   const struct probe_method *m)
{
	bool chosen = false;

	for (size_t i = 0; i < l->run->pattern_count; i++) {
		const struct method_pattern *p = &l->run->patterns[i];

		if (!method_pattern_has_method(p, m->name, m->descriptor))
			continue;
		if (p->excludes && method_pattern_has_class(p, c->name))
			return false;
		/*
		 * A synthetic method that JaCoCo adds to each class of the
		 * application counts only if the pattern names it.
		 */
		if (strncmp(m->name, "$jacoco", 7) == 0 &&
		    strncmp(p->method, "$jacoco", 7) != 0)
			continue;
		chosen |= live_selects(p, c);
	}
	return chosen;
}

/* A method that was named is missing in the table, so even --quiet prints it.
 */
static void live_log_unmatched(const struct live *l)
{
	for (size_t i = 0; i < l->run->pattern_count; i++) {
		const struct method_pattern *p = &l->run->patterns[i];
		size_t count = probes_methods(l->probes);
		bool is_found = p->excludes;

		for (size_t k = 0; !is_found && k < count; k++) {
			const struct probe_method *m = probes_method(l->probes,
								     k);

			is_found = method_pattern_has_method(p, m->name,
							     m->descriptor) &&
				   live_selects(p, probes_class(l->probes,
								m->class));
		}
		if (!is_found)
			log_always("no method of a loaded class matches '%s'",
				   p->word);
	}
}

static uint8_t live_mode(const struct probe_options *o)
{
	if (o->count)
		return PROBE_COUNT;
	return (uint8_t)(PROBE_TIME | (o->args ? PROBE_ARGS : 0) |
			 (o->publish ? PROBE_TRACE : 0));
}

/* Adds the wishes for the methods that were listed since the last call. */
static void live_choose(struct live *l)
{
	const struct probe_options *o = l->run->o;
	size_t count = probes_methods(l->probes);
	uint32_t last_class = UINT32_MAX;

	l->wishes = xrealloc(l->wishes, count + 1, sizeof(*l->wishes));
	l->refused = l->skipped = l->class_count = 0;
	for (size_t i = l->seen_methods; i < count; i++) {
		const struct probe_method *m = probes_method(l->probes, i);
		const struct probe_class *c = probes_class(l->probes, m->class);

		if (!live_is_chosen(l, c, m))
			continue;
		if (!o->system && probe_class_is_system(c)) {
			l->skipped++;
			continue;
		}
		if (m->refusal != PROBE_ARMED)
			l->refused++;
		else if (m->class != last_class)
			l->class_count++;
		if (m->refusal == PROBE_ARMED)
			last_class = m->class;
		l->wishes[l->wish_count++] = (struct probe_wish){
			.method = (uint32_t)i,
			.mode = live_mode(o),
			.threshold_ns = o->tree            ? 0
					: o->above_ns >= 0 ? o->above_ns
							   : PROBE_NEVER,
		};
	}
	l->seen_methods = count;
}

static void live_add_name(const struct live *l, uint32_t method,
			  struct text *out)
{
	const struct probe_method *m = probes_method(l->probes, method);
	const struct probe_class *c = probes_class(l->probes, m->class);

	probe_row_name(&(struct probe_row){ .class_name = c->name,
					    .method = m->name,
					    .descriptor = m->descriptor },
		       out);
}

/* ---- no method matches ---- */

/* Adds a similar method of the classes that match. */
static void live_suggest_method(struct live *l, struct text *hint)
{
	const char *wanted = l->run->patterns[0].method;
	struct nearest nearest = nearest_to(wanted, strlen(wanted));

	if (live_list(l, true, error_unused()))
		return;
	for (size_t i = 0; i < probes_methods(l->probes); i++)
		nearest_offer(&nearest, probes_method(l->probes, i)->name);
	nearest_suggest(&nearest, hint);
}

/* Adds the name of a similar class. */
static void live_suggest_class(struct live *l, struct text *hint)
{
	struct loaded_classes classes = { 0 };
	struct attach *attach = attach_open(&l->run->jvm, ATTACH_TIMEOUT_NS,
					    error_unused());

	if (attach &&
	    loaded_classes_read(&classes, attach, l->run->patterns,
				l->run->pattern_count, error_unused()) == 0 &&
	    !classes.chosen_count)
		loaded_classes_suggest(&classes, &l->run->patterns[0], hint);
	loaded_classes_release(&classes);
	attach_close(attach);
}

/* Clojure compiles the function b of a namespace a to a class a$b. */
static void live_suggest_clojure(const char *word, struct text *hint)
{
	const char *slash = strchr(word, '/');

	if (!slash || strpbrk(slash + 1, "/.(") || !strchr(word, '.'))
		return;
	text_printf(hint, "; for a Clojure function, use '");
	for (; *word; word++)
		text_putc(hint, *word == '/'   ? '$'
				: *word == '-' ? '_'
					       : *word);
	text_puts(hint, ".invoke*'");
}

static int live_fail_empty(struct live *l, struct error *err)
{
	struct text hint = { 0 };
	int pid = l->run->jvm.pid;

	if (l->skipped)
		return fail(err, ERROR_NO_TARGET,
			    "%d: only methods of the JDK match (%zu); use "
			    "--system to include them",
			    pid, l->skipped);
	live_suggest_clojure(l->run->patterns[0].word, &hint);
	if (!hint.len)
		live_suggest_class(l, &hint);
	if (!hint.len)
		live_suggest_method(l, &hint);
	fail(err, ERROR_NO_TARGET,
	     "%d: no method of a loaded class matches "
	     "'%s'%s",
	     pid, l->run->patterns[0].word, hint.len ? hint.bytes : "");
	text_release(&hint);
	return -1;
}

static int live_find(struct live *l, struct error *err)
{
	size_t methods;

	if (live_list(l, false, err))
		return -1;
	live_choose(l);
	if (!l->wish_count)
		return live_fail_empty(l, err);
	live_log_unmatched(l);
	if (l->skipped)
		log_always("skipped methods of the JDK: %zu; --system includes "
			   "them",
			   l->skipped);
	methods = l->wish_count - l->refused;
	if (methods > l->run->o->max && !l->run->o->list)
		return fail(err, ERROR_FAILED,
			    "%d: %zu methods match, more than %" PRIu64
			    "; use a narrower pattern or raise --max",
			    (int)l->run->jvm.pid, methods, l->run->o->max);
	return 0;
}

/*
 * Appends a note about Kotlin's suspend functions: the last parameter of such
 * a method is a Continuation, and each resumption calls the method again.
 */
static void live_add_suspend(const struct live *l, struct text *out)
{
	static const char last[] = "Lkotlin/coroutines/Continuation;)";
	size_t count = 0;

	for (size_t i = 0; i < l->wish_count; i++) {
		uint32_t method = l->wishes[i].method;
		const char *descriptor = probes_method(l->probes, method)
						 ->descriptor;

		if (!strstr(descriptor, last))
			continue;
		if (!count++)
			live_add_name(l, method, out);
	}
	if (count > 1)
		text_printf(out, " and %zu other method%s", count - 1,
			    units_plural(count - 1));
	if (count)
		text_printf(out,
			    " %s: each resumption counts as a call, and the "
			    "time between is not included",
			    count > 1 ? "are suspend functions"
				      : "is a suspend function");
}

static void live_announce(const struct live *l)
{
	size_t methods = l->wish_count - l->refused;
	struct text pause = { 0 }, suspend = { 0 };

	/* Their refusals are printed instead. */
	if (!methods)
		return;
	probe_add_pause(&l->run->jvm, l->class_count, &pause);
	log_info("%zu %s of %zu %s %s be instrumented; expect a pause of "
		 "%s, and slower calls while the JVM compiles them again",

		 methods, methods == 1 ? "method" : "methods", l->class_count,
		 l->class_count == 1 ? "class" : "classes",
		 l->run->o->list ? "would" : "will", pause.bytes);
	live_add_suspend(l, &suspend);
	if (suspend.len)
		log_info("%s", suspend.bytes);
	text_release(&pause);
	text_release(&suspend);
}

/* Prints the methods of --list, and why some cannot be armed. */
static int live_print_list(const struct live *l, struct error *err)
{
	struct text out = { 0 };
	int ret;

	for (size_t i = 0; i < l->wish_count; i++) {
		const struct probe_method *m = probes_method(
			l->probes, l->wishes[i].method);
		const struct probe_class *c = probes_class(l->probes, m->class);
		struct text why = { 0 };

		live_add_name(l, l->wishes[i].method, &out);
		if (*c->loader) {
			text_puts(&out, "  [");
			safe_text_puts(&out, c->loader);
			text_putc(&out, ']');
		}
		if (probe_refusal_add(m, &why))
			text_printf(&out, "  refused: %s", why.bytes);
		text_putc(&out, '\n');
		text_release(&why);
	}
	ret = output_file("-", out.bytes, out.len, err);
	text_release(&out);
	live_announce(l);
	if (l->wish_count > l->refused)
		probe_log_cost(&l->run->jvm, l->probes);
	return ret;
}

/* ---- arming ---- */

/* The table lacks these methods, so even --quiet prints them. */
static void live_log_refusals(const struct live *l, size_t first)
{
	uint64_t logged = 0,
		 most = l->run->o->top ? l->run->o->top : UINT64_MAX;

	for (size_t i = first; i < l->wish_count; i++) {
		struct text name = { 0 }, why = { 0 };

		if (!probe_refusal_add(
			    probes_method(l->probes, l->wishes[i].method),
			    &why))
			continue;
		live_add_name(l, l->wishes[i].method, &name);
		if (logged++ < most)
			log_always("%s is not instrumented: %s", name.bytes,
				   why.bytes);
		text_release(&name);
		text_release(&why);
	}
	if (logged > most)
		log_always("and %" PRIu64 " other method%s not "
			   "instrumented; --list prints more reasons",
			   logged - most, logged - most == 1 ? " is" : "s are");
}

/* Makes a row for each armed method of the wishes from `first` on. */
static void live_make_rows(struct live *l, size_t first)
{
	size_t rows = l->row_count;

	l->rows = xrealloc(l->rows, l->wish_count, sizeof(*l->rows));
	l->last = xrealloc(l->last, l->wish_count, sizeof(*l->last));
	l->row_methods = xrealloc(l->row_methods, l->wish_count,
				  sizeof(*l->row_methods));
	memset(l->last + rows, 0, (l->wish_count - rows) * sizeof(*l->last));
	for (size_t i = first; i < l->wish_count; i++) {
		uint32_t method = l->wishes[i].method;
		const struct probe_method *m = probes_method(l->probes, method);
		const struct probe_class *c = probes_class(l->probes, m->class);

		if (m->id < 0)
			continue;
		l->row_methods[l->row_count] = method;
		l->rows[l->row_count++] = (struct probe_row){
			.class_name = c->name,
			.method = m->name,
			.descriptor = m->descriptor,
			.loader = c->loader,
		};
	}
}

static int live_arm(struct live *l, struct error *err)
{
	const struct probe_options *o = l->run->o;
	const struct probes_limits limits = {
		.calls_per_s = (uint32_t)live_rate(o),
		.stack_every = !o->stack && !o->output ? 0
			       : o->stack_every == COUNT_NOT_GIVEN
				       ? 1
				       : (uint32_t)o->stack_every,
	};
	struct probes_armed armed;
	struct probe_pauses pauses;

	live_announce(l);
	if (l->wish_count > l->refused &&
	    probe_confirm_cost(l->run, l->probes, err))
		return -1;
	/* From now on, a signal ends sjkc in order. */
	signals_listen();
	probes_stop_by(l->probes, signals_fd());
	probes_set_limits(l->probes, &limits);
	probe_pauses_begin(&pauses, &l->run->jvm);
	if (probes_arm(l->probes, l->wishes, l->wish_count, &armed, err)) {
		live_log_refusals(l, 0);
		probe_pauses_end(&pauses, "the attempt to instrument");
		return -1;
	}
	probe_pauses_end(&pauses, "instrumenting");
	live_log_refusals(l, 0);
	live_make_rows(l, 0);
	log_info("instrumented %s in %s%s",
		 units_counted(armed.methods, "method").text,
		 units_time((double)armed.retransform_ns).text,
		 o->duration_ns < 0 ? "; press Ctrl-C to stop" : "");
	l->start_ns = l->last_ns = clock_monotonic_ns();
	if (!o->publish)
		return 0;
	return probe_publish(l->run, l->probes, l->row_methods, l->row_count,
			     err);
}

/* ---- classes that are loaded later ---- */

/* After a pause, no class is changed for this multiple of its duration. */
enum { LIVE_REST = 100 };

/*
 * Limits the wishes from `first` on to --max, in all.  The library of --publish
 * cannot grow.
 */
static void live_limit_later(struct live *l, size_t first)
{
	size_t kept = first, room = (size_t)l->run->o->max - l->row_count;

	for (size_t i = first; i < l->wish_count; i++) {
		const struct probe_method *m = probes_method(
			l->probes, l->wishes[i].method);

		if (m->refusal == PROBE_ARMED && !room) {
			l->later_out++;
			continue;
		}
		room -= m->refusal == PROBE_ARMED;
		l->wishes[kept] = l->wishes[i];
		l->wishes[kept++].mode &= (uint8_t)~PROBE_TRACE;
	}
	l->wish_count = kept;
}

static void live_log_later(const struct live *l, size_t rows)
{
	size_t most = rows + (l->run->o->top ? (size_t)l->run->o->top
					     : SIZE_MAX - rows);

	for (size_t i = rows; i < l->row_count && i < most; i++) {
		struct text name = { 0 };

		probe_row_name(&l->rows[i], &name);
		log_info("instrumented a method of a class that was loaded "
			 "since, without its first calls: %s%s",
			 name.bytes,
			 l->run->o->publish ? " (not published)" : "");
		text_release(&name);
	}
	if (l->row_count > most)
		log_info("and %zu other method%s", l->row_count - most,
			 units_plural(l->row_count - most));
}

/*
 * Arms the methods of classes that were loaded since.  Each change stops the
 * JVM's threads, so all that were listed are armed at once, and then a pause
 * follows.
 */
static void live_arm_later(struct live *l)
{
	size_t first = l->wish_count, rows = l->row_count;
	int64_t now = clock_monotonic_ns();
	struct probes_armed armed = { 0 };
	struct error problem;

	if (probes_methods(l->probes) == l->seen_methods ||
	    now < l->rest_until_ns)
		return;
	live_choose(l);
	live_limit_later(l, first);
	if (l->wish_count == first)
		return;
	if (probes_arm(l->probes, l->wishes + first, l->wish_count - first,
		       &armed, &problem) &&
	    !armed.refused)
		log_always("cannot instrument classes that were loaded since: "
			   "%s",
			   problem.text);
	live_log_refusals(l, first);
	live_make_rows(l, first);
	live_log_later(l, rows);
	l->later += l->row_count - rows;
	l->rest_until_ns = clock_after(clock_monotonic_ns(),
				       armed.retransform_ns * LIVE_REST);
}

/* ---- reports ---- */

static void live_begin_report(const struct live *l, bool is_final,
			      struct probe_report *r)
{
	const struct probe_options *o = l->run->o;
	int64_t now = clock_monotonic_ns();

	*r = (struct probe_report){
		.detail = o->count ? PROBE_COUNTED : PROBE_TIMED,
		.source = "agent",
		.pid = l->run->jvm.pid,
		.pod = &l->run->pod,
		.time_ns = clock_wall_ns(),
		.duration_ns = now - (is_final ? l->start_ns : l->last_ns),
		.is_final = is_final,
		.has_histogram = !o->count &&
				 (o->histogram || l->row_count == 1) &&
				 (is_final || l->is_terminal),
		.top = o->top,
		.rows = xcalloc(l->row_count + 1, sizeof(*r->rows)),
		.count = l->row_count,
	};
	memcpy(r->rows, l->rows, l->row_count * sizeof(*r->rows));
}

static void live_fill_report(struct live *l, struct probe_report *r)
{
	for (size_t i = 0; i < l->row_count; i++) {
		struct probe_counts now;

		probes_counts(l->probes, l->row_methods[i], &now);
		r->rows[i].counts = now;
		if (!r->is_final)
			probe_row_subtract(&r->rows[i], &l->last[i]);
		l->last[i] = now;
	}
	l->last_ns = clock_monotonic_ns();
	probe_report_sort(r);
}

static size_t live_terminal_rows(size_t *width)
{
	struct winsize size = { 0 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*width = size.ws_col;
	return size.ws_row > 2 ? size.ws_row - 2U : 20;
}

/* Replaces the last block on a terminal, unless calls were printed below it. */
static void live_add_block(struct live *l, const struct text *block,
			   struct text *out)
{
	size_t width, most = live_terminal_rows(&width), lines = 0, end = 0;

	if (!l->is_terminal) {
		text_add(out, block->bytes, block->len);
		text_putc(out, '\n');
		return;
	}
	if (l->drawn)
		text_printf(out, "\033[%zuA\033[J", l->drawn);
	while (end < block->len && lines < most)
		lines += block->bytes[end++] == '\n';
	text_add(out, block->bytes, end);
	l->drawn = lines;
}

static int live_print_interval(struct live *l, struct error *err)
{
	const struct probe_options *o = l->run->o;
	struct probe_report r;
	struct text block = { 0 }, out = { 0 };
	int ret;

	live_begin_report(l, false, &r);
	live_fill_report(l, &r);
	if (l->is_terminal)
		live_terminal_rows(&r.width);
	if (o->json) {
		struct json j = probe_report_json(&r, &out);

		json_close_object(&j);
		text_putc(&out, '\n');
	} else {
		probe_report_text(&r, &block);
		live_add_block(l, &block, &out);
	}
	ret = output_file("-", out.bytes, out.len, err);
	free(r.rows);
	text_release(&block);
	text_release(&out);
	return ret;
}

static void json_add_losses(struct json *j, const struct live *l,
			    const struct probes_losses *losses)
{
	json_add_uint(j, "lost_calls", losses->calls);
	json_add_uint(j, "skipped_calls", losses->skipped);
	json_add_uint(j, "redefinitions", losses->redefinitions);
	json_add_uint(j, "loaded_again", losses->loaded_again);
	json_add_uint(j, "loaded_unarmed", losses->loaded_unarmed);
	json_add_uint(j, "loaded_later", l->later);
	json_add_uint(j, "loaded_later_unarmed", l->later_out);
}

static void live_log_loss(const struct live *l, const char *what,
			  uint64_t calls, const char *noun)
{
	if (calls)
		log_always("%s: %s; more than --rate %" PRIu64 " per second",
			   what, units_counted(calls, noun).text,
			   live_rate(l->run->o));
}

static void live_log_losses(const struct live *l)
{
	struct probes_losses losses;

	probes_losses(l->probes, &losses);
	if (l->run->o->above_ns >= 0)
		live_log_loss(l, "counted but not printed", losses.skipped,
			      "slow call");
	if (l->run->o->tree)
		live_log_loss(l, "missing from the tree", losses.skipped,
			      "call");
	if (losses.calls)
		log_always("lost records of calls that were counted: "
			   "%" PRIu64 "; the buffer was full",
			   losses.calls);
	if (losses.redefinitions)
		log_always(
			"other agents changed instrumented classes %u time%s",
			losses.redefinitions,
			units_plural(losses.redefinitions));
	if (losses.loaded_again)
		log_info("classes loaded again by other class loaders: %u; "
			 "the first calls after loading are not counted",
			 losses.loaded_again);
	if (losses.loaded_unarmed)
		log_always("classes loaded again that could not be "
			   "instrumented completely: %u; some of their calls "
			   "are not "
			   "counted",
			   losses.loaded_unarmed);
	if (l->later_out)
		log_always("methods of classes loaded since that are not "
			   "instrumented: %" PRIu64
			   ", more than --max %" PRIu64,
			   l->later_out, l->run->o->max);
	if (losses.is_list_cut)
		log_always("some classes that were loaded since are missing: "
			   "the buffer was full");
	if (losses.stale)
		log_always(
			"classes not restored yet: %u; the sjkc agent retries "
			"for 10 s, then their methods remain slower",
			losses.stale);
}

static void live_add_totals(struct live *l, const struct probe_report *r,
			    struct text *out)
{
	const struct probe_options *o = l->run->o;
	struct text suspend = { 0 };

	live_add_suspend(l, &suspend);
	text_printf(out, "%s of %s, %s for %s\n\n",
		    units_counted(r->count, "method").text, l->run->name.bytes,
		    o->count ? "counted" : "timed",
		    units_time((double)r->duration_ns).text);
	probe_report_text(r, out);
	if (!o->count)
		text_puts(out,
			  "\n~ estimated from powers of two; the true time "
			  "is at most twice or at least half of it\n");
	text_puts(out, o->count ? "\nnote: calls that were running when probe "
				  "began are not counted\n"
				: "note: calls that were running when probe "
				  "began or ended are not counted\n");
	if (suspend.len)
		text_printf(out, "note: %s\n", suspend.bytes);
	if (o->above_ns >= 0 && (o->stack || o->output))
		probe_add_calls(l->run, probe_calls_profile(l->calls),
				PROBE_SLOW_EVENT, out);
	if (o->tree)
		probe_add_calls(l->run, probe_calls_profile(l->calls),
				PROBE_TREE_EVENT, out);
	text_release(&suspend);
}

static int live_print_totals(struct live *l, int64_t duration_ns,
			     struct error *err)
{
	const struct probe_options *o = l->run->o;
	struct probes_losses losses;
	struct probe_report r;
	struct text out = { 0 };
	int ret;

	live_begin_report(l, true, &r);
	r.duration_ns = duration_ns;
	live_fill_report(l, &r);
	probes_losses(l->probes, &losses);
	if (o->json) {
		struct json j = probe_report_json(&r, &out);

		json_add_losses(&j, l, &losses);
		json_close_object(&j);
		text_putc(&out, '\n');
	} else if (o->csv) {
		probe_report_csv(&r, &out);
	} else {
		live_add_totals(l, &r, &out);
	}
	ret = output_file("-", out.bytes, out.len, err);
	free(r.rows);
	text_release(&out);
	if (ret == 0 && o->output)
		ret = probe_write_page(l->run, probe_calls_profile(l->calls),
				       PROBE_SLOW_EVENT, err);
	return ret;
}

/* ---- the run ---- */

/* Reads new calls. Returns false at the end of the measurement: l->end. */
static bool live_read(struct live *l)
{
	if (probes_read(l->probes, probe_calls_add, l->calls, &l->end) == 0)
		return true;
	if (l->end.kind != ERROR_PARTIAL)
		return false;
	log_always("%s", l->end.text);
	return true;
}

/* By default, only text that has no lines of single calls. */
static bool live_prints_intervals(const struct probe_options *o)
{
	if (o->csv)
		return false;
	return o->interval_ns > 0 || (!o->json && o->above_ns < 0 && !o->tree);
}

/* Measures until a signal, the duration, or the end of the JVM. */
static int live_loop(struct live *l, struct error *err)
{
	const struct probe_options *o = l->run->o;
	int64_t interval = o->interval_ns > 0 ? o->interval_ns
					      : LIVE_INTERVAL_NS;
	int64_t until = o->duration_ns < 0
				? INT64_MAX
				: clock_after(l->start_ns, o->duration_ns);
	int64_t block = clock_after(l->start_ns, interval);
	int64_t step = o->above_ns >= 0 || o->tree ? LIVE_READ_NS
						   : CLOCK_NS_PER_S;

	for (;;) {
		int64_t now = clock_monotonic_ns();
		int64_t wake = clock_after(now, step);

		wake = wake < block ? wake : block;
		if (signals_wait(l->run->jvm.pidfd,
				 wake < until ? wake : until) == WAIT_SIGNAL)
			return 0;
		if (!live_read(l))
			return 0;
		live_arm_later(l);
		if (l->calls && probe_calls_print(l->calls, err))
			return -1;
		now = clock_monotonic_ns();
		if (now >= until)
			return 0;
		if (now < block)
			continue;
		block = clock_after(block, interval);
		if (live_prints_intervals(o) && live_print_interval(l, err))
			return -1;
	}
}

/* Erases the last block before messages follow on the same terminal. */
static void live_erase_block(struct live *l)
{
	struct text out = { 0 };

	if (!l->drawn)
		return;
	text_printf(&out, "\033[%zuA\033[J", l->drawn);
	output_file("-", out.bytes, out.len, error_unused());
	text_release(&out);
	l->drawn = 0;
}

static void live_disarm(struct live *l)
{
	struct error problem;
	int64_t retransform_ns;

	if (probes_disarm(l->probes, &retransform_ns, &problem) == 0) {
		log_info("removed the instrumentation in %s",
			 units_time((double)retransform_ns).text);
		live_read(l);
	} else {
		log_always("cannot remove the instrumentation now: %s; the "
			   "sjkc agent removes it by itself",
			   problem.text);
	}
}

static int live_measure(struct live *l, struct error *err)
{
	int64_t end_ns;

	if (live_arm(l, err) || live_loop(l, err))
		return -1;
	end_ns = clock_monotonic_ns();
	live_erase_block(l);
	if (!l->end.kind || l->end.kind == ERROR_PARTIAL) {
		live_disarm(l);
		/* Calls are counted until then. */
		end_ns = clock_monotonic_ns();
	}
	if (probe_calls_print(l->calls, err) ||
	    live_print_totals(l, end_ns - l->start_ns, err))
		return -1;
	live_log_losses(l);
	if (l->end.kind && l->end.kind != ERROR_PARTIAL) {
		*err = l->end;
		return -1;
	}
	return 0;
}

int probe_by_agent(struct probe_run *run, struct error *err)
{
	struct live l = {
		.run = run,
		.is_terminal = isatty(STDOUT_FILENO) && run->o->above_ns < 0,
	};
	int ret = -1;

	if (live_open(&l, err) == 0 && live_find(&l, err) == 0) {
		l.calls = probe_calls_new(run, l.probes);
		ret = run->o->list ? live_print_list(&l, err)
				   : live_measure(&l, err);
	}
	probe_calls_free(l.calls);
	probes_close(l.probes);
	/* Stopped before anything was measured. */
	if (ret && !l.start_ns && signals_arrived()) {
		log_always("%s; the sjkc agent removes the instrumentation by "
			   "itself",
			   err->text);
		signals_repeat();
	}
	free(l.wishes);
	free(l.rows);
	free(l.row_methods);
	free(l.last);
	return ret;
}
