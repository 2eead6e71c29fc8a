/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe --jfr: measures with the method timing of JFR (JEP 520, JDK 25).
 *
 *	VM.class_hierarchy	finds the classes
 *	VM.classloaders		finds their loaders
 *	JFR.start		arms jdk.MethodTiming, and jdk.MethodTrace
 *				for --above
 *	JFR.stop		disarms (cmd/shared/jfr_recording.h)
 */
#include "cmd/probe/loaded_classes.h"
#include "cmd/probe/probe_options.h"
#include "cmd/probe/probe_report.h"
#include "cmd/shared/jfr_recording.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "core/base/units.h"
#include "core/jvm/jdk_version.h"
#include "core/profile/event_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define JFR_FIRST  25    /* the first JDK with jdk.MethodTiming */
#define JFR_FILTER 60000 /* bytes: the JVM accepts 256 KiB of arguments */
#define JFR_TIMING "jdk.MethodTiming"
#define JFR_TRACE  "jdk.MethodTrace"

struct jfr_session {
	struct probe_run *run;
	struct attach *attach;
	struct loaded_classes classes;
	struct text filter; /* "a.B::m;a.C::m" */
	size_t class_count, refused;
	struct jfr_recording recording;
	struct profile *profile;
};

/* ---- the methods ---- */

static int jfr_check_version(const struct jfr_session *s, struct error *err)
{
	struct jvm_info info;
	unsigned version;

	if (jvm_info(&s->run->jvm, &info, err))
		return -1;
	version = jdk_version_of(info.version).feature;
	jvm_info_release(&info);
	/* If the version is unknown, JFR.start reports a missing feature. */
	if (!version || version >= JFR_FIRST)
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "%d: --jfr requires JDK %d or later, and this is JDK %u; "
		    "omit --jfr to use the sjkc agent",
		    (int)s->run->jvm.pid, JFR_FIRST, version);
}

/* JFR selects all overloads of one name, or all methods of a class. */
static int jfr_check_patterns(const struct probe_run *run, struct error *err)
{
	for (size_t i = 0; i < run->pattern_count; i++) {
		const struct method_pattern *m = &run->patterns[i];

		if (m->has_parameters)
			return misuse(err,
				      "--jfr measures all overloads of a "
				      "name: omit the parameters of '%s'",
				      m->word);
		if (!m->excludes && strpbrk(m->method, "*?") &&
		    strcmp(m->method, "*") != 0)
			return misuse(err,
				      "--jfr requires the full name of a "
				      "method, or '*' for all methods: "
				      "'%s'",
				      m->word);
	}
	return 0;
}

/* A name with other characters would end the filter or the command. */
static bool jfr_is_plain(const char *name)
{
	for (const char *at = name; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return false;
	}
	return !name[strcspn(name, " ,;:\"'=")];
}

static void jfr_add_filter(struct jfr_session *s, const char *class_name,
			   const char *method)
{
	if (!jfr_is_plain(class_name) || !jfr_is_plain(method)) {
		log_always("%s is skipped: JFR does not accept this name",
			   class_name);
		return;
	}
	text_printf(&s->filter, "%s%s", s->filter.len ? ";" : "", class_name);
	if (strcmp(method, "*") != 0)
		text_printf(&s->filter, "::%s", method);
	s->class_count++;
}

/*
 * JFR's code in a class calls jdk.jfr.tracing.MethodTracer. If the class loader
 * does not find it, calls of the class throw NoClassDefFoundError. Asking a
 * loader would need an agent, so only known loaders are accepted. The filter
 * selects all classes of the name. Even --quiet prints the refusal.
 */
static bool jfr_refuses(struct jfr_session *s, const char *class_name)
{
	const char *loader = loaded_classes_barring(&s->classes, class_name);
	uint64_t top = s->run->o->top;

	if (!loader)
		return false;
	s->refused++;
	if (!top || s->refused <= top)
		log_always("%s is not instrumented: its class loader may not "
			   "find the classes of JFR (%s); omit --jfr to use "
			   "the sjkc agent, which asks the loader",
			   class_name, loader);
	return true;
}

static bool jfr_has_choice(const struct jfr_session *s, size_t pattern)
{
	for (size_t i = 0; i < s->classes.chosen_count; i++) {
		if (s->classes.chosen[i].pattern == pattern)
			return true;
	}
	return false;
}

/*
 * A class that is not loaded is armed once it is, unless its name is similar to
 * that of a loaded class or has no package.
 */
static int jfr_add_unloaded(struct jfr_session *s,
			    const struct method_pattern *m, struct error *err)
{
	struct text hint = { 0 };
	int ret = 0;

	loaded_classes_suggest(&s->classes, m, &hint);
	if (hint.len || m->any_package || m->with_subtypes ||
	    strpbrk(m->class_name, "*?")) {
		ret = fail(err, ERROR_NO_TARGET,
			   "%d: no loaded class matches '%s'%s",
			   (int)s->run->jvm.pid, m->class_name,
			   hint.len ? hint.bytes : "");
	} else if (s->classes.barring) {
		ret = fail(err, ERROR_NO_TARGET,
			   "%d: class %s is not loaded, and its class loader "
			   "may not find the classes of JFR (%s)",
			   (int)s->run->jvm.pid, m->class_name,
			   s->classes.barring_name);
	} else {
		log_info("class %s is not loaded; its calls are counted once "
			 "it is",
			 m->class_name);
		jfr_add_filter(s, m->class_name, m->method);
	}
	text_release(&hint);
	return ret;
}

/* Makes the filter of the chosen classes. */
static int jfr_make_filter(struct jfr_session *s, struct error *err)
{
	const struct probe_run *run = s->run;
	size_t skipped = 0;
	bool is_refused = false;

	for (size_t i = 0; i < run->pattern_count; i++) {
		const struct method_pattern *m = &run->patterns[i];

		if (!m->excludes && !jfr_has_choice(s, i) &&
		    jfr_add_unloaded(s, m, err))
			return -1;
	}
	for (size_t i = 0; i < s->classes.chosen_count; i++) {
		const struct chosen_class *c = &s->classes.chosen[i];

		if (!run->o->system &&
		    probe_class_is_system(
			    &(struct probe_class){ .name = c->name })) {
			skipped++;
			continue;
		}
		/* Several patterns may choose a class. */
		if (i == 0 || strcmp(c->name, c[-1].name) != 0)
			is_refused = jfr_refuses(s, c->name);
		if (!is_refused)
			jfr_add_filter(s, c->name,
				       run->patterns[c->pattern].method);
	}
	if (run->o->top && s->refused > run->o->top)
		log_always("and %zu other %s not instrumented",
			   s->refused - (size_t)run->o->top,
			   s->refused - run->o->top == 1 ? "class is"
							 : "classes are");
	if (skipped)
		log_always("skipped classes of the JDK: %zu; --system "
			   "includes them",
			   skipped);
	if (!s->class_count && s->refused)
		return fail(err, ERROR_REFUSED,
			    "no method can be instrumented");
	if (!s->class_count)
		return fail(err, ERROR_NO_TARGET,
			    "no method is left to measure");
	if (s->class_count > run->o->max || s->filter.len > JFR_FILTER)
		return fail(err, ERROR_FAILED,
			    "%zu classes match, more than %" PRIu64
			    "; use a narrower pattern or raise --max",
			    s->class_count, run->o->max);
	return 0;
}

/* ---- cleaning up ---- */

static void jfr_add_options(const struct jfr_session *s, struct text *options)
{
	struct text above = { 0 };

	text_printf(options,
		    "settings=none +jdk.ActiveSetting#enabled=true "
		    "+" JFR_TIMING "#enabled=true "
		    "+" JFR_TIMING "#period=endChunk "
		    "+" JFR_TIMING "#filter=%s",
		    s->filter.bytes);
	if (s->run->o->above_ns < 0)
		return;
	jfr_add_time(&above, s->run->o->above_ns);
	text_printf(options,
		    " +" JFR_TRACE "#enabled=true "
		    "+" JFR_TRACE "#stackTrace=true "
		    "+" JFR_TRACE "#threshold=%s "
		    "+" JFR_TRACE "#filter=%s",
		    above.bytes, s->filter.bytes);
	text_release(&above);
}

static int jfr_arm(struct jfr_session *s, struct error *err)
{
	struct text options = { 0 };
	struct probe_pauses pauses;
	int ret;

	jfr_add_options(s, &options);
	probe_pauses_begin(&pauses, &s->run->jvm);
	ret = jfr_recording_start(&s->recording, options.bytes, err);
	probe_pauses_end(&pauses, "instrumenting");
	text_release(&options);
	return ret;
}

/* ---- results ---- */

/* Returns the value of a column in its last event, or 0. */
static uint64_t jfr_value(const struct event_table *t,
			  const struct event_row *row, const char *column)
{
	for (size_t i = 0; i < t->value_count; i++) {
		if (strcmp(t->values[i], column) == 0)
			return row->values[i].count ? row->values[i].last : 0;
	}
	return 0;
}

/* Returns true if a pattern selects the method of a row, or excludes it. */
static bool jfr_selects(const struct method_pattern *m,
			const struct probe_row *row)
{
	return method_pattern_has_method(m, row->method, NULL) &&
	       ((m->with_subtypes && !m->excludes) ||
		method_pattern_has_class(m, row->class_name));
}

/* Other recordings may measure other methods. */
static bool jfr_is_wanted(const struct probe_run *run,
			  const struct probe_row *row)
{
	bool wanted = false;

	for (size_t i = 0; i < run->pattern_count; i++) {
		bool selects = jfr_selects(&run->patterns[i], row);

		if (selects && run->patterns[i].excludes)
			return false;
		wanted |= selects;
	}
	return wanted;
}

/* Splits "com.acme.Orders.submit(long)" in place. */
static bool jfr_split_name(char *name, struct probe_row *row)
{
	char *parameters = strchr(name, '(');
	char *dot = parameters ? memrchr(name, '.', (size_t)(parameters - name))
			       : strrchr(name, '.');

	if (!dot)
		return false;
	*dot = '\0';
	row->class_name = name;
	row->method = dot + 1;
	if (parameters) {
		row->parameters = xstrdup(parameters);
		*parameters = '\0';
	}
	return true;
}

static void jfr_add_row(const struct jfr_session *s, struct probe_report *r,
			const struct event_table *t,
			const struct event_row *from)
{
	struct probe_row row = { 0 };
	char *name = xstrdup(profile_text(s->profile, from->texts[0]));

	if (!jfr_split_name(name, &row) || !jfr_is_wanted(s->run, &row)) {
		free((char *)row.parameters);
		free(name);
		return;
	}
	row.counts.calls = jfr_value(t, from, "invocations");
	row.counts.max_ns = jfr_value(t, from, "maximum");
	row.min_ns = jfr_value(t, from, "minimum");
	row.average_ns = jfr_value(t, from, "average");
	row.counts.sum_ns = row.average_ns * row.counts.calls;
	r->rows[r->count++] = row;
}

static void jfr_make_report(const struct jfr_session *s, struct probe_report *r)
{
	const struct event_table *t = event_table_find(s->profile, JFR_TIMING);

	*r = (struct probe_report){
		.detail = PROBE_AVERAGED,
		.source = "jfr",
		.pid = s->run->jvm.pid,
		.pod = &s->run->pod,
		.time_ns = clock_wall_ns(),
		.duration_ns = s->recording.end_ns - s->recording.start_ns,
		.is_final = true,
		.top = s->run->o->top,
		.rows = xcalloc(t ? t->row_count : 1, sizeof(*r->rows)),
	};
	for (size_t i = 0; t && i < t->row_count; i++)
		jfr_add_row(s, r, t, &t->rows[i]);
	probe_report_sort(r);
}

static void jfr_release_report(struct probe_report *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free((char *)r->rows[i].class_name);
		free((char *)r->rows[i].parameters);
	}
	free(r->rows);
}

static void jfr_add_text(const struct jfr_session *s,
			 const struct probe_report *r, struct text *out)
{
	text_printf(out, "%s of %s, timed by JFR for %s\n\n",
		    units_counted(r->count, "method").text, s->run->name.bytes,
		    units_time((double)r->duration_ns).text);
	probe_report_text(r, out);
	text_puts(out, "\nnote: calls that were running when probe began or "
		       "ended are not counted\n");
	if (s->run->o->above_ns >= 0)
		probe_add_calls(s->run, s->profile, JFR_TRACE, out);
}

/* A method that was named is missing in the table, so even --quiet prints it.
 */
static void jfr_log_untimed(const struct jfr_session *s,
			    const struct probe_report *r)
{
	for (size_t i = 0; i < s->run->pattern_count; i++) {
		const struct method_pattern *m = &s->run->patterns[i];
		bool is_timed = m->excludes;

		for (size_t k = 0; !is_timed && k < r->count; k++)
			is_timed = jfr_selects(m, &r->rows[k]);
		if (!is_timed)
			log_always("JFR timed no method '%s': no class with it "
				   "was instrumented, or it is native or "
				   "abstract",
				   m->word);
	}
}

static int jfr_write(const struct jfr_session *s, struct error *err)
{
	const struct probe_options *o = s->run->o;
	struct probe_report r;
	struct text out = { 0 };
	int ret;

	jfr_make_report(s, &r);
	if (!r.count) {
		jfr_release_report(&r);
		return fail(err, ERROR_NO_TARGET,
			    "%d: JFR timed no method: the classes have no "
			    "method '%s', or it is native or abstract",
			    (int)s->run->jvm.pid, s->run->patterns[0].word);
	}
	jfr_log_untimed(s, &r);
	if (o->json) {
		struct json j = probe_report_json(&r, &out);

		json_close_object(&j);
		text_putc(&out, '\n');
	} else if (o->csv) {
		probe_report_csv(&r, &out);
	} else {
		jfr_add_text(s, &r, &out);
	}
	ret = output_file("-", out.bytes, out.len, err);
	jfr_release_report(&r);
	text_release(&out);
	if (ret == 0 && o->output)
		ret = probe_write_page(s->run, s->profile, JFR_TRACE, err);
	return ret;
}

/* ---- the run ---- */

static int jfr_list(const struct jfr_session *s, struct error *err)
{
	struct text out = { 0 };
	int ret;

	for (size_t i = 0; i < s->filter.len; i++) {
		if (s->filter.bytes[i] == ';')
			s->filter.bytes[i] = '\n';
	}
	text_add(&out, s->filter.bytes, s->filter.len);
	text_putc(&out, '\n');
	ret = output_file("-", out.bytes, out.len, err);
	text_release(&out);
	return ret;
}

static void jfr_announce(const struct jfr_session *s)
{
	struct text pause = { 0 };

	probe_add_pause(&s->run->jvm, s->class_count, &pause);
	log_info("JFR instruments methods of %zu %s; expect pauses of %s, "
		 "and "
		 "0.7 s of CPU time when JFR starts for the first time",
		 s->class_count, s->class_count == 1 ? "class" : "classes",
		 pause.bytes);
	if (s->classes.barring)
		log_info("%zu class loader%s may not find the classes of JFR "
			 "(%s%s); do not let %s load a class of the same name "
			 "now: its calls would fail",
			 s->classes.barring, units_plural(s->classes.barring),
			 s->classes.barring_name,
			 s->classes.barring == 1 ? "" : ", …",
			 s->classes.barring == 1 ? "it" : "them");
	log_info("a call is about 70 ns slower while instrumented, and about "
		 "20 ns "
		 "slower afterwards until the JVM ends (JDK 25)");
	text_release(&pause);
}

static int jfr_measure(struct jfr_session *s, struct error *err)
{
	const struct probe_options *o = s->run->o;
	int64_t until_ns;

	jfr_announce(s);
	/* From now on, a signal ends sjkc in order. */
	signals_listen();
	if (jfr_arm(s, err))
		return -1;
	until_ns = o->duration_ns >= 0
			   ? clock_after(s->recording.start_ns, o->duration_ns)
			   : INT64_MAX;
	if (o->duration_ns < 0)
		log_info("instrumented; press Ctrl-C to stop");
	else
		log_info("instrumented");
	signals_wait(s->run->jvm.pidfd, until_ns);
	s->profile = profile_new();
	s->profile->wants_tables = JFR_TIMING;
	if (jfr_recording_stop(&s->recording, s->profile, err))
		return -1;
	return jfr_write(s, err);
}

int probe_by_jfr(struct probe_run *run, struct error *err)
{
	struct jfr_session s = {
		.run = run,
	};
	int ret = -1;

	if (jfr_check_patterns(run, err) == 0 &&
	    jfr_check_version(&s, err) == 0)
		s.attach = attach_open(&run->jvm, JFR_TIMEOUT_NS, err);
	jfr_recording_init(&s.recording, &run->jvm, s.attach, "probe");
	if (s.attach &&
	    loaded_classes_read(&s.classes, s.attach, run->patterns,
				run->pattern_count, err) == 0 &&
	    loaded_classes_read_loaders(&s.classes, s.attach, err) == 0 &&
	    jfr_make_filter(&s, err) == 0)
		ret = run->o->list ? jfr_list(&s, err) : jfr_measure(&s, err);
	jfr_recording_release(&s.recording);
	attach_close(s.attach);
	loaded_classes_release(&s.classes);
	profile_free(s.profile);
	text_release(&s.filter);
	return ret;
}
