/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	show_names <FILE
 *
 * Reads the output of Names.java and prints the same for its texts, as
 * object_name parses them.
 */
#include "jmx_http/value/object_name.h"

#include <stdio.h>
#include <stdlib.h>

/* Returns the text of a line up to its TAB, with \n and \\ replaced. */
static struct text text_of(const char *line)
{
	struct text t = { 0 };

	text_puts(&t, "");
	for (; *line && *line != '\t' && *line != '\n'; line++) {
		if (*line == '\\')
			text_putc(&t, *++line == 'n' ? '\n' : *line);
		else
			text_putc(&t, *line);
	}
	return t;
}

static void put(const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", stdout);
		else if (*text == '\\')
			fputs("\\\\", stdout);
		else
			putchar(*text);
	}
}

static void put_canonical(const struct object_name *n)
{
	struct text t = { 0 };

	object_name_canonical(n, &t);
	put(t.bytes);
	text_release(&t);
}

static void take(const char *line)
{
	struct text t = text_of(line);
	struct object_name n;
	struct error err;

	put(t.bytes);
	putchar('\t');
	if (!object_name_parse(&n, t.bytes, t.len, &err)) {
		put_canonical(&n);
		object_name_release(&n);
	}
	putchar('\n');
	text_release(&t);
}

int main(void)
{
	char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, stdin) > 0)
		take(line);
	free(line);
	return 0;
}
