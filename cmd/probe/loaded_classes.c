/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/probe/loaded_classes.h"

#include "core/base/alloc.h"
#include "core/base/lines.h"
#include "core/base/nearest.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEEPEST = 128,     /* inheritance; deeper classes are not chosen */
	CHOSEN = 100000,   /* maximum number of chosen classes */
	INDENT = 3,        /* characters for each level: "|  " */
	LOADER_INDENT = 6, /* the same of class loaders */
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
	array_add(l->chosen, l->chosen_count, l->chosen_cap,
		  (struct chosen_class){ r->name, pattern });
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

/* Adds a class of "0x00007f4e3c0ab470 (intf)", or of "null". */
static void list_add_class(struct loaded_classes *l, struct line name,
			   struct line address)
{
	struct line loader = line_cut(&address, ' ');

	array_add(
		l->all, l->count, l->cap,
		(struct loaded_class){
			.name = intern_id(&l->names, name.text, name.len),
			.loader = line_is(loader, "null")
					  ? 0
					  : intern_id(&l->addresses,
						      loader.text, loader.len),
		});
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
	if (!memchr(line.text, '/', line.len)) {
		list_add_class(r->list, name, line);
		reading_begin_class(r, name, at / INDENT);
	} else if (at / INDENT < DEEPEST && r->selected[at / INDENT]) {
		memset(r->selected[at / INDENT], 0, r->count * sizeof(bool));
	}
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

/* ---- class loaders ---- */

/*
 * The code of these loaders asks the parent for each class that they do not
 * define. A loader of a web application refuses once it has been stopped.
 */
static bool loader_asks_parent(const char *class_name)
{
	static const char *const names[] = {
		"java.net.FactoryURLClassLoader",
		"java.net.URLClassLoader",
		"jdk.internal.loader.ClassLoaders$AppClassLoader",
		"jdk.internal.loader.ClassLoaders$PlatformClassLoader",
		"org.springframework.boot.loader.launch.LaunchedClassLoader",
		"sun.reflect.misc.MethodUtil",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(class_name, names[i]) == 0)
			return true;
	}
	return false;
}

/* The tree of class loaders that is being read. */
struct loader_tree {
	struct loaded_classes *list;
	bool is_open[DEEPEST]; /* by level: it finds the bootstrap's classes */
	size_t depth;          /* of the last loader */
	uint32_t loader;       /* id of its name; 0 = none */
	uint32_t *barring;     /* by id of address - 1: id of a name, or 0 */
};

/* A loader: 'a.Loader' or '"name", a.Loader'. */
static void tree_add_loader(struct loader_tree *t, struct line line,
			    size_t depth)
{
	struct loaded_classes *l = t->list;
	const char *name, *last;
	bool is_open = depth == 0 && line_is(line, "<bootstrap>");

	t->loader = intern_id(&l->loaders, line.text, line.len);
	name = intern_text(&l->loaders, t->loader);
	last = strrchr(name, ' ');
	if (depth && depth < DEEPEST)
		is_open = t->is_open[depth - 1] &&
			  loader_asks_parent(last ? last + 1 : name);
	t->depth = depth;
	if (depth < DEEPEST)
		t->is_open[depth] = is_open;
	if (!is_open) {
		l->barring++;
		l->barring_name = name;
	}
}

/*
 * "      +-- "app", jdk.internal.loader.ClassLoaders$AppClassLoader", and
 * below it, "      |            Loader Data: 0x00007fe6940ab530".
 */
static void tree_add_line(struct loader_tree *t, struct line line)
{
	static const char begin[] = "+-- ", data[] = "Loader Data: ";
	size_t at = 0;
	uint32_t address;

	while (at < line.len && strchr("| ", line.text[at]))
		at++;
	line.text += at;
	line.len -= at;
	if (line_starts(line, begin)) {
		line.text += strlen(begin);
		line.len -= strlen(begin);
		tree_add_loader(t, line, at / LOADER_INDENT);
	} else if (t->loader && line_starts(line, data)) {
		address = intern_find(&t->list->addresses,
				      line.text + strlen(data),
				      line.len - strlen(data));
		if (address && t->depth < DEEPEST && t->is_open[t->depth])
			t->barring[address - 1] = 0;
		else if (address)
			t->barring[address - 1] = t->loader;
		t->loader = 0;
	}
}

void loaded_classes_parse_loaders(struct loaded_classes *l, const char *text,
				  size_t len)
{
	struct lines lines = lines_over(text, len);
	struct loader_tree t = { .list = l };
	struct line line;
	static const char missing[] = "a loader that the JVM does not list";

	t.barring = xcalloc(l->addresses.count + 1, sizeof(*t.barring));
	for (size_t i = 0; i < l->addresses.count; i++)
		t.barring[i] = intern_id(&l->loaders, missing, strlen(missing));
	while (lines_next(&lines, &line))
		tree_add_line(&t, line);
	free(l->barred);
	l->barred = xcalloc(l->names.count + 1, sizeof(*l->barred));
	for (size_t i = 0; i < l->count; i++) {
		const struct loaded_class *c = &l->all[i];

		if (c->loader && t.barring[c->loader - 1])
			l->barred[c->name - 1] = t.barring[c->loader - 1];
	}
	free(t.barring);
}

int loaded_classes_read_loaders(struct loaded_classes *l, struct attach *attach,
				struct error *err)
{
	const struct attach_request request = {
		.operation = "jcmd",
		.args = { "VM.classloaders verbose=true fold=false" },
	};
	struct text reply = { 0 };
	int ret = attach_call(attach, &request, &reply, err);

	if (ret == 0)
		loaded_classes_parse_loaders(l, reply.bytes ? reply.bytes : "",
					     reply.len);
	text_release(&reply);
	return ret;
}

const char *loaded_classes_barring(const struct loaded_classes *l,
				   const char *name)
{
	uint32_t id = intern_find(&l->names, name, strlen(name));

	return l->barred && id && l->barred[id - 1]
		       ? intern_text(&l->loaders, l->barred[id - 1])
		       : NULL;
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
	intern_release(&l->addresses);
	intern_release(&l->loaders);
	free(l->chosen);
	free(l->all);
	free(l->barred);
	*l = (struct loaded_classes){ 0 };
}
