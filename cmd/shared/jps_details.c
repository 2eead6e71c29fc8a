/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/jps_details.h"

#include "cmd/shared/glob.h"
#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/nearest.h"
#include "core/base/safe_text.h"
#include "core/jvm/main_name.h"
#include "render/text/table.h"

#include <stdlib.h>
#include <string.h>

int jps_filter_init(struct jps_filter *f, const char *description,
		    const struct option_list *properties, struct error *err)
{
	*f = (struct jps_filter){ 0 };
	if (description) {
		f->description = glob_new(description, '\0', err);
		if (!f->description)
			return -1;
	}
	/* An array of pointers. NOLINTNEXTLINE(bugprone-sizeof-expression) */
	f->properties = xcalloc(properties->count, sizeof(*f->properties));
	while (f->property_count < properties->count) {
		size_t i = f->property_count;

		f->properties[i] = glob_new(properties->values[i], '.', err);
		if (!f->properties[i])
			return -1;
		f->property_count++;
	}
	return 0;
}

void jps_filter_release(struct jps_filter *f)
{
	if (f->description)
		pattern_free(f->description);
	for (size_t i = 0; i < f->property_count; i++)
		pattern_free(f->properties[i]);
	free(f->properties);
}

/* True for a property that matches; self is the pattern. */
static bool details_matches(void *self, const char *name, size_t name_len,
			    const char *value)
{
	struct text both = { 0 };
	bool is;

	text_add(&both, name, name_len);
	text_printf(&both, "=%s", value);
	is = pattern_matches(self, both.bytes, both.len);
	text_release(&both);
	return is;
}

bool jps_filter_passes(const struct jps_filter *f, struct process *p)
{
	struct text description = { 0 };
	bool passes = true;

	if (f->description) {
		process_description(p, &description);
		passes = pattern_matches(f->description, description.bytes,
					 description.len);
		text_release(&description);
	}
	for (size_t i = 0; passes && i < f->property_count; i++)
		passes = process_has_property(p, details_matches,
					      f->properties[i]);
	return passes;
}

/* Appends a detail; returns false when the process does not have it. */
typedef bool tag_fn(struct process *p, const char *name, struct text *out);

static bool tag_put_pid(struct process *p, const char *name, struct text *out)
{
	(void)name;
	text_printf(out, "%d", (int)p->jvm->pid);
	return true;
}

/* Like SJK, prints the path of a jar. */
static bool tag_put_main(struct process *p, const char *name, struct text *out)
{
	const char *simple = main_name_simple(p->main.bytes);
	size_t len = strlen(simple);

	(void)name;
	if (len > 4 && strcmp(simple + len - 4, ".jar") == 0)
		simple = p->main.bytes;
	text_puts(out, simple);
	return true;
}

static bool tag_put_whole_main(struct process *p, const char *name,
			       struct text *out)
{
	(void)name;
	text_add(out, p->main.bytes, p->main.len);
	return true;
}

static bool tag_put_args(struct process *p, const char *name, struct text *out)
{
	(void)name;
	process_args(p, out);
	return true;
}

static const struct tag {
	const char *name;
	bool is_prefix; /* the name of a property or flag follows */
	tag_fn *put;
} tags_known[] = {
	{ "PID", false, tag_put_pid },
	{ "MAIN", false, tag_put_main },
	{ "FDQN_MAIN", false, tag_put_whole_main },
	{ "ARGS", false, tag_put_args },
	{ "d", true, process_property },
	{ "D", true, process_property },
	{ "X", true, process_flag },
};

static const struct tag *tag_find(const char *text)
{
	for (size_t i = 0; i < sizeof(tags_known) / sizeof(*tags_known); i++) {
		const struct tag *t = &tags_known[i];

		if (t->is_prefix ? text[0] == t->name[0] && text[1]
				 : strcmp(text, t->name) == 0)
			return t;
	}
	return NULL;
}

/* Returns the head of the tag's column. */
static const char *tag_head(const char *text)
{
	return text + tag_find(text)->is_prefix;
}

int jps_details_check(const struct option_list *tags, struct error *err)
{
	for (size_t i = 0; i < tags->count; i++) {
		const char *tag = tags->values[i];

		if (tag_find(tag))
			continue;
		nearest_fail_choice("tag", tag, strlen(tag),
				    "PID MAIN FDQN_MAIN ARGS d<property> "
				    "D<property> X<flag>",
				    err);
		return fail_in(err, "option --process-details");
	}
	return 0;
}

static bool tag_put(struct process *p, const char *text, struct text *out)
{
	const struct tag *t = tag_find(text);

	return t->put(p, text + t->is_prefix, out);
}

void jps_details_text(const struct option_list *tags, struct process *processes,
		      size_t count, struct text *out)
{
	struct text value = { 0 };

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < tags->count; k++) {
			const char *tag = tags->values[k];

			if (k)
				text_putc(out, '\t');
			if (tag[0] == 'D')
				text_printf(out, "%s=", tag + 1);
			text_clear(&value);
			if (!tag_put(&processes[i], tag, &value))
				text_puts(&value, "null");
			safe_text(out, value.bytes, value.len);
		}
		text_putc(out, '\n');
	}
	text_release(&value);
}

void jps_details_csv(const struct option_list *tags, struct process *processes,
		     size_t count, struct text *out)
{
	struct table_column *columns = xcalloc(tags->count, sizeof(*columns));
	struct table t = { .columns = columns, .column_count = tags->count };

	for (size_t i = 0; i < tags->count; i++) {
		columns[i].head = tag_head(tags->values[i]);
		columns[i].right = strcmp(tags->values[i], "PID") == 0;
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < tags->count; k++)
			tag_put(&processes[i], tags->values[k], table_cell(&t));
	}
	table_csv(&t, out);
	table_release(&t);
	free(columns);
}

void jps_details_json(const struct option_list *tags, struct process *processes,
		      size_t count, struct text *out)
{
	struct json j = json_into(out);
	struct text value = { 0 };

	json_open_array(&j);
	for (size_t i = 0; i < count; i++) {
		json_open_object(&j);
		for (size_t k = 0; k < tags->count; k++) {
			text_clear(&value);
			if (!tag_put(&processes[i], tags->values[k], &value))
				continue;
			json_foreign_key(&j, tag_head(tags->values[k]));
			json_string(&j, value.bytes, value.len);
		}
		json_close_object(&j);
	}
	json_close_array(&j);
	text_putc(out, '\n');
	text_release(&value);
}

static bool is_class_path(const char *word)
{
	return strcmp(word, "-cp") == 0 || strcmp(word, "-classpath") == 0 ||
	       strcmp(word, "--class-path") == 0;
}

void jps_details_plain(const struct jps_plain *plain, const struct process *p,
		       struct text *out)
{
	char *const *words = p->info.vm_args;
	const char *main = p->main.bytes;
	struct text line = { 0 };

	if (!plain->pids_only)
		text_printf(&line, " %s",
			    plain->long_names ? main : main_name_simple(main));
	if (plain->arguments && p->info.args && p->info.args[0]) {
		text_putc(&line, ' ');
		process_args(p, &line);
	}
	for (size_t i = 0; plain->options && words && words[i]; i++) {
		/* An option of the launcher, which jps -v does not print. */
		if (is_class_path(words[i])) {
			i += words[i + 1] != NULL;
			continue;
		}
		text_putc(&line, ' ');
		process_word(p, words, i, &line);
	}
	text_printf(out, "%d", (int)p->jvm->pid);
	safe_text(out, line.bytes ? line.bytes : "", line.len);
	text_putc(out, '\n');
	text_release(&line);
}
