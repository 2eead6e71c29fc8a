/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/jvm_selector.h"

#include "cmd/shared/glob.h"
#include "cmd/shared/log.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/jvm/container.h"
#include "core/jvm/main_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A JVM that was not given for so long has ended. */
#define FORGET_NS (60 * CLOCK_NS_PER_S)

enum selector_key { KEY_MAIN, KEY_USER, KEY_CONTAINER, KEYS };

static const char *const selector_keys[KEYS] = { "main", "user", "container" };

struct selector_rule {
	const char *text; /* "user=jenkins" */
	enum selector_key key;
	struct pattern *glob;
	uint64_t count; /* JVMs that an exclude left out */
};

/* A JVM whose rules were applied. */
struct selected_jvm {
	pid_t pid;
	uint64_t start_ticks;
	ino_t exe_ino;
	bool is_wanted; /* by the rules */
	bool is_young;
	int64_t seen_ns;
};

struct jvm_selector {
	struct selector_rule *include, *exclude;
	size_t include_count, exclude_count;
	int64_t min_age_ns;
	struct selected_jvm *jvms;
	size_t count, cap;
	uint64_t not_included; /* JVMs that no include matches */
	uint64_t young;        /* JVMs that ended before --min-age */
};

bool jvm_selector_is_given(const struct jvm_selector_options *o)
{
	return o->include.count || o->exclude.count || o->min_age_ns >= 0;
}

/* ---- rules ---- */

static int selector_parse_rule(struct selector_rule *r, const char *option,
			       const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	size_t len = equals ? (size_t)(equals - text) : 0;

	*r = (struct selector_rule){ .text = text, .key = KEYS };
	for (int i = 0; i < KEYS; i++)
		if (strlen(selector_keys[i]) == len &&
		    memcmp(selector_keys[i], text, len) == 0)
			r->key = (enum selector_key)i;
	if (r->key == KEYS || !equals[1])
		return misuse(err,
			      "%s: invalid selector '%s'; use main=GLOB, "
			      "user=GLOB or container=GLOB",
			      option, text);
	r->glob = glob_new(equals + 1, '\0', err);
	return r->glob ? 0 : fail_in(err, "%s", option);
}

static int selector_parse_rules(struct selector_rule **rules, size_t *count,
				const char *option,
				const struct option_list *list,
				struct error *err)
{
	*rules = xcalloc(list->count + 1, sizeof(**rules));
	for (; *count < list->count; ++*count)
		if (selector_parse_rule(&(*rules)[*count], option,
					list->values[*count], err))
			return -1;
	return 0;
}

static bool selector_matches(const struct selector_rule *r,
			     const struct text *value)
{
	return value->len && pattern_matches(r->glob, value->bytes, value->len);
}

/* The texts that the rules are about; several of a container. */
struct selector_facts {
	struct text main, user, container;
	struct container_pod pod;
};

static bool selector_has_key(const struct jvm_selector *s,
			     enum selector_key key)
{
	bool has = false;

	for (size_t i = 0; i < s->include_count; i++)
		has |= s->include[i].key == key;
	for (size_t i = 0; i < s->exclude_count; i++)
		has |= s->exclude[i].key == key;
	return has;
}

/* The container takes long to find: it is read only for a rule about it. */
static void selector_read_facts(const struct jvm_selector *s,
				const struct jvm *jvm, struct selector_facts *f)
{
	struct container container;
	struct jvm_info info;

	if (jvm_info(jvm, &info, error_unused()))
		info = (struct jvm_info){ 0 };
	main_name_of(jvm, &info, &f->main);
	text_puts(&f->user, info.user ? info.user : "");
	jvm_info_release(&info);
	if (!selector_has_key(s, KEY_CONTAINER))
		return;
	container_read(&container, jvm);
	text_puts(&f->container, container.id);
	container_pod_find(&f->pod, &container);
}

static void selector_release_facts(struct selector_facts *f)
{
	text_release(&f->main);
	text_release(&f->user);
	text_release(&f->container);
	container_pod_release(&f->pod);
}

static bool selector_rule_fits(const struct selector_rule *r,
			       const struct selector_facts *f)
{
	switch (r->key) {
	case KEY_MAIN:
		return selector_matches(r, &f->main);
	case KEY_USER:
		return selector_matches(r, &f->user);
	default:
		return selector_matches(r, &f->container) ||
		       selector_matches(r, &f->pod.container);
	}
}

/* Applies the rules to a JVM, and counts it if it is left out. */
static bool selector_judge(struct jvm_selector *s, const struct jvm *jvm)
{
	struct selector_facts f = { 0 };
	struct selector_rule *out = NULL;
	bool is_included = !s->include_count;

	if (!s->include_count && !s->exclude_count)
		return true;
	selector_read_facts(s, jvm, &f);
	for (size_t i = 0; i < s->include_count && !is_included; i++)
		is_included = selector_rule_fits(&s->include[i], &f);
	for (size_t i = 0; i < s->exclude_count && is_included && !out; i++)
		if (selector_rule_fits(&s->exclude[i], &f))
			out = &s->exclude[i];
	if (out)
		out->count++;
	else if (!is_included)
		s->not_included++;
	if (out || !is_included)
		log_detail("excluding %s (%d): %s%s", f.main.bytes,
			   (int)jvm->pid,
			   out ? "--exclude-jvm " : "no --include-jvm matches",
			   out ? out->text : "");
	selector_release_facts(&f);
	return is_included && !out;
}

/* ---- JVMs ---- */

/* Removes the JVMs that were not given for long. */
static void selector_forget(struct jvm_selector *s, int64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct selected_jvm *j = &s->jvms[i];

		if (now_ns - j->seen_ns < FORGET_NS)
			s->jvms[kept++] = *j;
		else
			s->young += j->is_young && j->is_wanted;
	}
	s->count = kept;
}

static struct selected_jvm *selector_find(struct jvm_selector *s,
					  const struct jvm *jvm)
{
	struct selected_jvm *j;

	for (size_t i = 0; i < s->count; i++) {
		j = &s->jvms[i];
		/* Another program has another main class. */
		if (j->pid == jvm->pid && j->start_ticks == jvm->start_ticks &&
		    j->exe_ino == jvm->exe_ino)
			return j;
	}
	selector_forget(s, clock_monotonic_ns());
	array_reserve(s->jvms, s->cap, s->count + 1);
	j = &s->jvms[s->count++];
	*j = (struct selected_jvm){
		.pid = jvm->pid,
		.start_ticks = jvm->start_ticks,
		.exe_ino = jvm->exe_ino,
		.is_wanted = selector_judge(s, jvm),
	};
	return j;
}

bool jvm_selector_wants(struct jvm_selector *s, const struct jvm *jvm,
			bool *is_final)
{
	int64_t tick_ns = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);
	struct selected_jvm *j = selector_find(s, jvm);

	j->seen_ns = clock_monotonic_ns();
	j->is_young = clock_boot_ns() - (int64_t)jvm->start_ticks * tick_ns <
		      s->min_age_ns;
	*is_final = !j->is_wanted || !j->is_young;
	return j->is_wanted && !j->is_young;
}

void jvm_selector_log(const struct jvm_selector *s)
{
	uint64_t young = s ? s->young : 0;

	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++)
		young += s->jvms[i].is_young && s->jvms[i].is_wanted;
	for (size_t i = 0; i < s->exclude_count; i++)
		if (s->exclude[i].count)
			log_info("JVMs excluded by --exclude-jvm %s: %" PRIu64,
				 s->exclude[i].text, s->exclude[i].count);
	if (s->not_included)
		log_info("JVMs that match no --include-jvm: %" PRIu64,
			 s->not_included);
	if (young)
		log_info("JVMs excluded by --min-age: %" PRIu64, young);
}

struct jvm_selector *jvm_selector_new(const struct jvm_selector_options *o,
				      struct error *err)
{
	struct jvm_selector *s = xcalloc(1, sizeof(*s));

	s->min_age_ns = o->min_age_ns > 0 ? o->min_age_ns : 0;
	if (selector_parse_rules(&s->include, &s->include_count,
				 "--include-jvm", &o->include, err) == 0 &&
	    selector_parse_rules(&s->exclude, &s->exclude_count,
				 "--exclude-jvm", &o->exclude, err) == 0)
		return s;
	jvm_selector_free(s);
	return NULL;
}

void jvm_selector_free(struct jvm_selector *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->include_count; i++)
		pattern_free(s->include[i].glob);
	for (size_t i = 0; i < s->exclude_count; i++)
		pattern_free(s->exclude[i].glob);
	free(s->include);
	free(s->exclude);
	free(s->jvms);
	free(s);
}
