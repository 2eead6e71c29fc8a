/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/thread_text.h"

#include "core/base/ascii.h"
#include "core/base/safe_text.h"
#include "core/threads/dump_blocks.h"

#include <string.h>

/* Who holds a lock costs a walk over the dump. */
#define MOST_OWNERS 8

static const char state_line[] = "   java.lang.Thread.State: ";

static struct line after(struct line line, size_t len)
{
	return (struct line){ line.text + len, line.len - len };
}

static void add_safe(struct text *out, struct line line)
{
	safe_text(out, line.text, line.len);
}

/* "name" #12 */
static void add_name(struct text *out, const struct dump_header *h)
{
	text_putc(out, '"');
	safe_text(out, h->name, h->name_len);
	text_putc(out, '"');
	if (h->java_id)
		text_printf(out, " #%lld", (long long)h->java_id);
}

/* The "<0x…>" of a line about a lock; empty when there is none. */
static struct line address_in(struct line line)
{
	const char *open = memmem(line.text, line.len, "<0x", 3);
	const char *close;

	if (!open)
		return (struct line){ line.text, 0 };
	line = after(line, (size_t)(open - line.text));
	close = memchr(line.text, '>', line.len);
	line.len = close ? (size_t)(close - line.text) + 1 : 0;
	return line;
}

static bool is_of(struct line line, const char *start, struct line address)
{
	struct line rest;

	if (!line_starts(line, start))
		return false;
	rest = after(line, strlen(start));
	return rest.len >= address.len &&
	       memcmp(rest.text, address.text, address.len) == 0;
}

/*
 * True when a thread holds a lock: it has locked it and does not wait for it,
 * which lets go of it meanwhile; or it is in the list that -l adds.
 */
static bool holds(const struct dump_block *b, struct line address)
{
	static const char *const waits[] = {
		"\t- waiting on ",
		"\t- waiting to lock ",
		"\t- waiting to re-lock in wait() ",
	};
	struct lines body = b->body;
	struct line line;
	bool has_it = false;

	while (lines_next(&body, &line)) {
		if (is_of(line, "\t- locked ", address) ||
		    is_of(line, "\t- ", address))
			has_it = true;
		for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
			if (is_of(line, waits[i], address))
				return false;
		}
	}
	return has_it;
}

static void add_owner(struct text *out, struct dump_blocks blocks,
		      struct line address)
{
	struct dump_block b;

	while (dump_blocks_next(&blocks, &b)) {
		if (holds(&b, address)) {
			text_puts(out, ", held by ");
			add_name(out, &b.header);
			return;
		}
	}
}

static bool waits_for_lock(struct line line)
{
	return line_starts(line, "\t- waiting to lock ") ||
	       line_starts(line, "\t- waiting to re-lock in wait() ") ||
	       line_starts(line, "\t- parking to wait for ");
}

static void add_state(struct text *out, struct lines body)
{
	struct line line;

	while (lines_next(&body, &line) && line_starts(line, "   ")) {
		if (line_starts(line, state_line)) {
			text_putc(out, ' ');
			add_safe(out, after(line, sizeof(state_line) - 1));
			return;
		}
	}
}

static void add_block(struct text *out, const struct dump_block *b,
		      struct dump_blocks all)
{
	struct lines body = b->body;
	struct line line;
	int owners = 0;

	add_name(out, &b->header);
	add_state(out, body);
	text_putc(out, '\n');
	while (lines_next(&body, &line)) {
		struct line trimmed = line_trimmed(line);

		if (!trimmed.len || line_starts(line, state_line))
			continue;
		text_puts(out, line.text[0] == '\t' ? "    " : "  ");
		add_safe(out, trimmed);
		if (waits_for_lock(line) && address_in(line).len &&
		    owners++ < MOST_OWNERS)
			add_owner(out, all, address_in(line));
		text_putc(out, '\n');
	}
}

bool thread_text_stack(const char *reply, size_t len, pid_t ns_tid,
		       int64_t java_id, struct text *out)
{
	struct dump_blocks all = dump_blocks_over(reply, len);
	struct dump_blocks blocks = all;
	struct dump_block b;

	while (dump_blocks_next(&blocks, &b)) {
		if (b.header.os_id == ns_tid &&
		    (!java_id || b.header.java_id == java_id)) {
			add_block(out, &b, all);
			return true;
		}
	}
	return false;
}

/* "waiting to lock monitor 0x… (object 0x…, a c.D)," as in stack traces. */
static bool add_monitor(struct text *out, struct line line)
{
	static const char start[] = "waiting to lock monitor ";
	static const char object[] = "(object ";
	const char *from, *comma;

	from = line_starts(line, start)
		       ? memmem(line.text, line.len, object, sizeof(object) - 1)
		       : NULL;
	if (!from)
		return false;
	line = after(line, (size_t)(from - line.text) + sizeof(object) - 1);
	comma = memchr(line.text, ',', line.len);
	if (!comma)
		return false;
	text_puts(out, "waiting to lock <");
	safe_text(out, line.text, (size_t)(comma - line.text));
	text_puts(out, "> (");
	add_safe(out,
		 line_trimmed(after(line, (size_t)(comma - line.text) + 1)));
	return true;
}

/* A line of the section, of which nothing that is not known is left out. */
static void add_deadlock_line(struct text *out, struct line line)
{
	struct line body = line_trimmed(line);

	if (!body.len || line_starts(body, "====="))
		return;
	if (line_starts(line, "\"")) {
		text_puts(out, "  ");
	} else if (line_starts(line, "Java stack information")) {
		text_puts(out, "Where they are:\n");
		return;
	} else {
		text_puts(out, "    ");
	}
	if (line_ends(body, ","))
		body.len--;
	if (!add_monitor(out, body))
		add_safe(out, body);
	text_putc(out, '\n');
}

/* "Found 2 deadlocks." */
static bool ends_deadlocks(struct line line)
{
	size_t word = strlen("Found ");

	return line_starts(line, "Found ") && line.len > word &&
	       is_digit(line.text[word]);
}

void thread_text_deadlocks(const char *reply, size_t len, struct text *out)
{
	struct dump_blocks blocks = dump_blocks_over(reply, len);
	struct dump_block unused;
	struct line line;
	unsigned number = 0;

	while (dump_blocks_next(&blocks, &unused))
		;
	while (lines_next(&blocks.rest, &line) && !ends_deadlocks(line)) {
		if (line_starts(line, "Found one Java-level deadlock")) {
			text_puts(out, number++ ? "\n" : "");
			text_printf(out, "Deadlock %u:\n", number);
		} else if (number) {
			add_deadlock_line(out, line);
		}
	}
}
