/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of published probes: the method, and as much of its class as is
 * needed to tell it from the others.
 */
#include "cmd/probe/probe_options.h"
#include "cmd/probe/probe_report.h"
#include "cmd/shared/log.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/units.h"

#include <stdlib.h>
#include <string.h>

/* Longest name without the suffix; tools have limits of their own. */
enum { NAME_MOST = 200 };

/* The parts of a name, by the number of methods that share the shorter one. */
enum form { FORM_METHOD, FORM_CLASS, FORM_WHOLE, FORM_NUMBER };

struct published {
	char *name;
	uint32_t method;
	enum form form;
};

/* Appends letters and digits; each other byte becomes '_'. */
static void name_add(struct text *out, const char *from)
{
	for (; *from && out->len < NAME_MOST; from++) {
		char c = *from;

		if (c == '<' || c == '>')
			continue;
		text_putc(out, is_digit(c) || (c >= 'a' && c <= 'z') ||
					       (c >= 'A' && c <= 'Z')
				       ? c
				       : '_');
	}
}

/* Returns "submit", "Orders_submit" or "com_acme_Orders_submit". */
static char *name_make(const struct probes *probes, uint32_t method,
		       enum form form)
{
	const struct probe_method *m = probes_method(probes, method);
	const char *class = probes_class(probes, m->class)->name;
	const char *simple = class + strlen(class);
	struct text name = { 0 };

	while (simple > class && simple[-1] != '.' && simple[-1] != '$')
		simple--;
	text_puts(&name, "");
	if (form == FORM_CLASS)
		name_add(&name, simple);
	else if (form != FORM_METHOD)
		name_add(&name, class);
	if (name.len)
		text_putc(&name, '_');
	name_add(&name, m->name);
	/* No name begins with a digit. */
	if (!name.len || is_digit(*name.bytes)) {
		text_clear(&name);
		text_putc(&name, '_');
		name_add(&name, m->name);
	}
	return name.bytes;
}

static int published_compare(const void *a, const void *b)
{
	const struct published *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order
		     : (x->method > y->method) - (x->method < y->method);
}

/*
 * Marks the methods whose name a method of another class has, too.  Overloads
 * of one class are numbered instead.
 */
static void names_mark_shared(const struct probes *probes,
			      const struct published *all, size_t count,
			      bool *shared)
{
	size_t end;

	for (size_t i = 0; i < count; i = end) {
		uint32_t class = probes_method(probes, all[i].method)->class;
		bool differs = false;

		for (end = i;
		     end < count && strcmp(all[end].name, all[i].name) == 0;
		     end++)
			differs |=
				probes_method(probes, all[end].method)->class !=
				class;
		for (size_t k = i; k < end; k++)
			shared[k] = differs && all[k].form < FORM_WHOLE;
	}
}

/*
 * Gives methods that share a name the next longer one.  Returns false when
 * there is no more to do.
 */
static bool names_lengthen(const struct probes *probes, struct published *all,
			   size_t count)
{
	bool *shared = xcalloc(count + 1, sizeof(*shared)), any = false;

	qsort(all, count, sizeof(*all), published_compare);
	names_mark_shared(probes, all, count, shared);
	for (size_t i = 0; i < count; i++) {
		if (!shared[i])
			continue;
		free(all[i].name);
		all[i].form++;
		all[i].name = name_make(probes, all[i].method, all[i].form);
		any = true;
	}
	free(shared);
	return any;
}

static bool names_have(const struct published *all, size_t count,
		       const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(all[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Numbers overloads, and methods of a class that two loaders have loaded. */
static void names_number(struct published *all, size_t count)
{
	struct text name = { 0 };
	unsigned number = 1;
	char *first = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!first || strcmp(first, all[i].name) != 0) {
			first = all[i].name;
			number = 1;
			continue;
		}
		do {
			text_clear(&name);
			text_printf(&name, "%s_%u", first, ++number);
		} while (names_have(all, count, name.bytes));
		free(all[i].name);
		all[i].name = xstrndup(name.bytes, name.len);
		all[i].form = FORM_NUMBER;
	}
	text_release(&name);
}

static int compare_methods(const void *a, const void *b)
{
	const struct published *x = a, *y = b;

	return (x->method > y->method) - (x->method < y->method);
}

static void names_log(const struct probe_run *run, const struct probes *probes,
		      const struct published *all, size_t count)
{
	int pid = run->jvm.pid;

	log_info("published as USDT probes, for example: bpftrace -p %d -e "
		 "'usdt:*:java%d:%s__entry { @ = count(); }', or sjkc prof %d "
		 "-e probe:%s",
		 pid, pid, all[0].name, pid, all[0].name);
	for (size_t i = 0; i < count && i < run->o->top; i++) {
		const struct probe_method *m = probes_method(probes,
							     all[i].method);
		const struct probe_row row = {
			.class_name = probes_class(probes, m->class)->name,
			.method = m->name,
			.descriptor = m->descriptor,
		};
		struct text title = { 0 };

		probe_row_name(&row, &title);
		log_info("%s__entry, %s__return: %s", all[i].name, all[i].name,
			 title.bytes);
		text_release(&title);
	}
	if (count > run->o->top)
		log_info("and %zu other method%s; --top lists more of them",
			 count - (size_t)run->o->top,
			 units_plural(count - run->o->top));
}

int probe_publish(const struct probe_run *run, struct probes *probes,
		  const uint32_t *methods, size_t count, struct error *err)
{
	struct published *all = xcalloc(count + 1, sizeof(*all));
	struct probe_name *names = xcalloc(count + 1, sizeof(*names));
	int ret;

	for (size_t i = 0; i < count; i++)
		all[i] = (struct published){ name_make(probes, methods[i],
						       FORM_METHOD),
					     methods[i], FORM_METHOD };
	while (names_lengthen(probes, all, count))
		;
	names_number(all, count);
	qsort(all, count, sizeof(*all), compare_methods);
	for (size_t i = 0; i < count; i++)
		names[i] = (struct probe_name){ all[i].method, all[i].name };
	ret = probes_publish(probes, names, count, err);
	if (ret == 0)
		names_log(run, probes, all, count);
	for (size_t i = 0; i < count; i++)
		free(all[i].name);
	free(all);
	free(names);
	return ret;
}
