/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/probe/loaded_classes.h"

#include "core/base/alloc.h"
#include "core/base/lines.h"
#include "core/base/nearest.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEEPEST = 128,   /* inheritance; deeper classes are not chosen */
	CHOSEN = 100000, /* maximum number of chosen classes */
	INDENT = 3,      /* characters for each level: "|  " */
};

/* The class whose lines are being read. */
struct reading {
	struct loaded_classes *list;
	const struct method_pattern *patterns;
	size_t count;
	/* By level: the patterns that select the class with its subtypes. */
	bool *selected[DEEPEST];
	const char *name; /* NULL = none, or too deep */
	size_t depth;
};

static void reading_choose(struct reading *r, size_t pattern)
{
	struct loaded_classes *l = r->list;

	if (l->chosen_count == CHOSEN)
		return;
	array_reserve(l->chosen, l->chosen_cap, l->chosen_count + 1);
	l->chosen[l->chosen_count++] = (struct chosen_class){ r->name,
							      pattern };
}

static bool reading_excludes(const struct reading *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct method_pattern *m = &r->patterns[i];

		if (m->excludes && strcmp(m->method, "*") == 0 &&
		    r->selected[r->depth][i])
			return true;
	}
	return false;
}

/* Ends a class, all of whose interfaces have been read. */
static void reading_end_class(struct reading *r)
{
	if (!r->name || reading_excludes(r))
		return;
	for (size_t i = 0; i < r->count; i++) {
		if (r->selected[r->depth][i] && !r->patterns[i].excludes)
			reading_choose(r, i);
	}
}

static void reading_begin_class(struct reading *r, struct line name,
				size_t depth)
{
	struct loaded_classes *l = r->list;

	r->name = NULL;
	if (depth >= DEEPEST)
		return;
	/* Loaders and redefinitions list the same name several times. */
	r->name = intern_text(&l->names,
			      intern_id(&l->names, name.text, name.len));
	r->depth = depth;
	if (!r->selected[depth])
		r->selected[depth] = xcalloc(r->count, sizeof(bool));
	for (size_t i = 0; i < r->count; i++) {
		const struct method_pattern *m = &r->patterns[i];
		bool inherits = depth && m->with_subtypes &&
				r->selected[depth - 1] &&
				r->selected[depth - 1][i];

		r->selected[depth][i] = inherits ||
					method_pattern_has_class(m, r->name);
	}
}

static void reading_add_interface(struct reading *r, struct line name)
{
	char *copy;

	if (!r->name)
		return;
	copy = xstrndup(name.text, name.len);
	for (size_t i = 0; i < r->count; i++) {
		if (r->patterns[i].with_subtypes &&
		    method_pattern_has_class(&r->patterns[i], copy))
			r->selected[r->depth][i] = true;
	}
	free(copy);
}

/*
 * "|  |--a.B/0x00007f4e3c0ab470", "|  |  implements a.C/null (declared intf)",
 * "java.lang.Object/null". A hidden class has another slash in its name.
 */
static void reading_add_line(struct reading *r, struct line line)
{
	static const char implements[] = "implements ";
	struct line name;
	size_t at = 0;

	while (at < line.len && strchr("|- ", line.text[at]))
		at++;
	line.text += at;
	line.len -= at;
	if (line_starts(line, implements)) {
		line.text += strlen(implements);
		line.len -= strlen(implements);
		name = line_cut(&line, '/');
		reading_add_interface(r, name);
		return;
	}
	name = line_cut(&line, '/');
	if (!name.len || !line.len)
		return;
	reading_end_class(r);
	r->name = NULL;
	if (!memchr(line.text, '/', line.len))
		reading_begin_class(r, name, at / INDENT);
	else if (at / INDENT < DEEPEST && r->selected[at / INDENT])
		memset(r->selected[at / INDENT], 0, r->count * sizeof(bool));
}

static int chosen_compare(const void *a, const void *b)
{
	const struct chosen_class *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order
		     : (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

static void list_sort(struct loaded_classes *l)
{
	size_t kept = 0;

	if (l->chosen_count)
		qsort(l->chosen, l->chosen_count, sizeof(*l->chosen),
		      chosen_compare);
	for (size_t i = 0; i < l->chosen_count; i++) {
		if (!kept ||
		    chosen_compare(&l->chosen[kept - 1], &l->chosen[i]) != 0)
			l->chosen[kept++] = l->chosen[i];
	}
	l->chosen_count = kept;
}

void loaded_classes_parse(struct loaded_classes *l, const char *text,
			  size_t len, const struct method_pattern *patterns,
			  size_t count)
{
	struct reading r = { .list = l, .patterns = patterns, .count = count };
	struct lines lines = lines_over(text, len);
	struct line line;

	while (lines_next(&lines, &line))
		reading_add_line(&r, line);
	reading_end_class(&r);
	list_sort(l);
	for (size_t i = 0; i < DEEPEST; i++)
		free(r.selected[i]);
}

int loaded_classes_read(struct loaded_classes *l, struct attach *attach,
			const struct method_pattern *patterns, size_t count,
			struct error *err)
{
	struct attach_request request = {
		.operation = "jcmd",
		.args = { "VM.class_hierarchy" },
	};
	struct text reply = { 0 };
	int ret;

	for (size_t i = 0; i < count; i++) {
		if (patterns[i].with_subtypes)
			request.args[0] = "VM.class_hierarchy -i";
	}
	ret = attach_call(attach, &request, &reply, err);
	if (ret == 0)
		loaded_classes_parse(l, reply.bytes ? reply.bytes : "",
				     reply.len, patterns, count);
	text_release(&reply);
	return ret;
}

/* Returns the start of the name behind the last of these characters. */
static const char *class_tail(const char *name, const char *separators)
{
	const char *tail = name;

	for (const char *at = name; *at; at++) {
		if (strchr(separators, *at) && at[1])
			tail = at + 1;
	}
	return tail;
}

void loaded_classes_suggest(const struct loaded_classes *l,
			    const struct method_pattern *m, struct text *out)
{
	static const char *const separators[] = { "", ".", ".$" };

	for (size_t i = 0; i < sizeof(separators) / sizeof(*separators); i++) {
		const char *word = class_tail(m->class_name, separators[i]);
		struct nearest nearest = nearest_to(word, strlen(word));
		const char *best = NULL;

		for (uint32_t id = 1; id <= l->names.count; id++) {
			const char *name = intern_text(&l->names, id);
			const char *was = nearest.best;

			nearest_offer(&nearest,
				      class_tail(name, separators[i]));
			if (nearest.best != was)
				best = name;
		}
		if (best) {
			text_printf(out, "; did you mean '%s'?", best);
			return;
		}
	}
}

void loaded_classes_release(struct loaded_classes *l)
{
	intern_release(&l->names);
	free(l->chosen);
	*l = (struct loaded_classes){ 0 };
}
