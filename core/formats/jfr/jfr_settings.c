/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/jfr/jfr_settings.h"

#include "core/formats/jfr/jfr_events.h"

#include <string.h>

#define VALUE_LONGEST 64 /* "beginChunk", "20 ms", "1000000" */

/* The fields of both types of events. */
enum { FIELD_ID, FIELD_NAME, FIELD_VALUE, FIELDS };

/* What says how much of what happened is in a recording. */
static const char *const kept[] = {
	"period",    /* between samples: "20 ms", "everyChunk" */
	"throttle",  /* at most so many: "300/s" */
	"threshold", /* what is shorter is left out: "10 ms" */
	"interval",  /* async-profiler's period, in ns or events */
	"wall",      /* that of the wall clock beside another */
	"nobatch",   /* both are in one event */
	"lock",      /* its waits, in ns (bias.c) */
	"alloc",     /* its bytes between samples */
};

/* What are settings of a recording of async-profiler's are of all its events.
 */
#define RECORDING "jdk.ActiveRecording"

static const char *const of_all[] = {
	"event",   /* what it was asked to sample */
	"version", /* "4.0" */
};

static uint64_t find_type(const struct jfr_metadata *m, const char *name,
			  struct jfr_layout *layout)
{
	static const char *const fields[FIELDS] = { "id", "name", "value" };

	for (size_t i = 0; i < m->type_count; i++) {
		const struct jfr_type *t = &m->types[i];

		if (strcmp(t->name, name) == 0 && jfr_type_is_event(t) &&
		    jfr_layout_compile(layout, m, t, fields, FIELDS, false))
			return t->id;
		jfr_layout_release(layout);
	}
	return 0;
}

void jfr_settings_begin(struct jfr_settings *js, struct profile *p,
			const struct jfr_pools *pools,
			const struct jfr_metadata *m)
{
	jfr_settings_release(js);
	js->profile = p;
	js->pools = pools;
	js->metadata = m;
	js->setting_type = find_type(m, "jdk.ActiveSetting", &js->setting);
	js->flag_type = find_type(m, "jdk.BooleanFlag", &js->flag);
}

/* As a string that ends with NUL; "" for one too long to mean anything. */
static void text_of(const struct jfr_settings *js, const struct jfr_string *s,
		    struct text *out)
{
	text_clear(out);
	if (s->len <= VALUE_LONGEST)
		jfr_pools_text(js->pools, s, out);
	if (out->len > VALUE_LONGEST)
		text_clear(out);
	text_puts(out, "");
}

static bool is_one_of(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static void keep_setting(struct jfr_settings *js, uint64_t type_id,
			 const char *name, const char *value)
{
	const struct jfr_type *t = jfr_type_by_id(js->metadata, type_id);

	if (!t || !*value)
		return;
	if (is_one_of(kept, sizeof(kept) / sizeof(*kept), name))
		profile_set(js->profile, jfr_event_name(t), name, value);
	if (is_one_of(of_all, sizeof(of_all) / sizeof(*of_all), name) &&
	    strcmp(jfr_event_name(t), RECORDING) == 0)
		profile_set(js->profile, "", name, value);
}

void jfr_settings_read(struct jfr_settings *js, uint64_t type_id,
		       struct cursor c)
{
	bool is_flag = type_id == js->flag_type && js->flag.ops;
	struct jfr_string strings[FIELDS] = { 0 };
	struct text name = { 0 }, value = { 0 };
	uint64_t numbers[FIELDS] = { 0 };

	jfr_layout_read(is_flag ? &js->flag : &js->setting, &c, numbers,
			strings);
	if (!cursor_ok(&c))
		return;
	text_of(js, &strings[FIELD_NAME], &name);
	text_of(js, &strings[FIELD_VALUE], &value);
	if (!is_flag) {
		keep_setting(js, numbers[FIELD_ID], name.bytes, value.bytes);
	} else {
		js->flags++;
		if (strcmp(name.bytes, "DebugNonSafepoints") == 0)
			js->debug_non_safepoints = numbers[FIELD_VALUE] != 0;
	}
	text_release(&name);
	text_release(&value);
}

void jfr_settings_end(struct jfr_settings *js)
{
	if (js->flags)
		profile_set(js->profile, "", "DebugNonSafepoints",
			    js->debug_non_safepoints ? "true" : "false");
}

void jfr_settings_release(struct jfr_settings *js)
{
	jfr_layout_release(&js->setting);
	jfr_layout_release(&js->flag);
	*js = (struct jfr_settings){ 0 };
}
