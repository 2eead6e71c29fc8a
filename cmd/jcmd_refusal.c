/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jcmd_refusal.h"

#include "cmd/nearest.h"
#include "core/base/alloc.h"
#include "core/base/lines.h"

#include <stdlib.h>
#include <string.h>

/* DCmd::parse_and_execute() throws it for all that is wrong, JDK 8 to 28. */
static const char exception[] = "java.lang.IllegalArgumentException: ";

bool jcmd_refusal_is_unknown(const struct error *err)
{
	return err->kind == ERROR_REFUSED &&
	       strstr(err->text, "Unknown diagnostic command");
}

/* Names stand alone on their lines. */
static void refusal_suggest(const char *command, size_t len,
			    const struct text *help, struct text *out)
{
	struct nearest nearest = nearest_to(command, len);
	struct lines lines = lines_over(help->bytes, help->len);
	char *names = xmalloc(help->len + 1), *at = names;
	struct line line;

	while (lines_next(&lines, &line)) {
		line = line_trimmed(line);
		if (!line.len || memchr(line.text, ' ', line.len))
			continue;
		memcpy(at, line.text, line.len);
		at[line.len] = '\0';
		nearest_offer(&nearest, at);
		at += line.len + 1;
	}
	nearest_suggest(&nearest, out);
	free(names);
}

void jcmd_refusal_unknown(const char *who, const char *line,
			  const struct text *help, const char *how,
			  struct error *err)
{
	size_t len = strcspn(line, " ");
	struct text hint = { 0 };

	text_puts(&hint, "");
	if (help->len)
		refusal_suggest(line, len, help, &hint);
	if (!hint.len)
		text_puts(&hint, ";");
	fail(err, err->kind,
	     "%s: the JVM has no command '%.*s'%s `%s` lists its commands", who,
	     (int)len, line, hint.bytes, how);
	text_release(&hint);
}

void jcmd_refusal_plain(const char *line, const char *how, struct error *err)
{
	/* What JMX puts around it; by attach "the JVM refused" is there. */
	static const char around[] = "javax.management.RuntimeMBeanException "
				     "<- ";
	const struct error was = *err;
	const char *at = strstr(was.text, exception), *why;
	const char *front = strstr(was.text, around);
	size_t len;

	if (!at)
		return;
	why = at + strlen(exception);
	len = strlen(why);
	if (len && why[len - 1] == '.')
		len--;
	if (!front || front > at)
		front = NULL;
	fail(err, was.kind, "%.*s%s%.*s; `%s %.*s` lists its arguments",
	     (int)((front ? front : at) - was.text), was.text,
	     front ? "the JVM refused: " : "", (int)len, why, how,
	     (int)strcspn(line, " "), line);
}
