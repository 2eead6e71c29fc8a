/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/dump/thread_dump.h"

#include "core/formats/dump/dump_header.h"

#include <string.h>

/* The frequent ones first. The rest of a line begins with the object. */
static const struct {
	const char *start;
	enum tapped_lock_kind kind;
} wordings[] = {
	{ "locked ", TAPPED_OWNS },
	{ "parking to wait for ", TAPPED_PARKS },
	{ "waiting to lock ", TAPPED_ENTERS },
	{ "waiting to re-lock in wait() ", TAPPED_REENTERS },
	{ "waiting on ", TAPPED_WAITS },
	{ "<", TAPPED_OWNS_SYNCHRONIZER },
};

static const char initialization[] = "the Class initialization monitor for ";
static const char no_object[] = "<no object reference available>";

static struct line lock_after(struct line line, size_t len)
{
	return (struct line){ line.text + len, line.len - len };
}

bool dump_lock_object(const char *text, size_t len, struct line *class_name)
{
	const char *at = memrchr(text, '@', len);

	if (!at || at == text)
		return false;
	*class_name = (struct line){ text, (size_t)(at - text) };
	return true;
}

/* Parses " (a c.D) owned by "name" t@12", the text after an object. */
static void lock_read_rest(struct line rest, struct dump_lock *lock)
{
	static const char a[] = "(a ", owner[] = " owned by \"", id[] = "\" t@";
	const char *end = rest.text + rest.len;
	const char *at = memmem(rest.text, rest.len, a, sizeof(a) - 1);
	const char *close;

	if (!at)
		return;
	at += sizeof(a) - 1;
	close = memchr(at, ')', (size_t)(end - at));
	if (!close)
		return;
	lock->class_name = (struct line){ at, (size_t)(close - at) };
	if (!line_starts((struct line){ close + 1, (size_t)(end - close - 1) },
			 owner))
		return;
	at = memmem(close, (size_t)(end - close), id, sizeof(id) - 1);
	if (at) {
		at += sizeof(id) - 1;
		dump_decimal(at, (size_t)(end - at), &lock->owner_id);
	}
}

bool dump_lock_parse(struct line body, struct dump_lock *lock)
{
	size_t i = 0;
	const char *close;

	if (!line_starts(body, "- "))
		return false;
	body = lock_after(body, 2);
	while (!line_starts(body, wordings[i].start)) {
		if (++i == sizeof(wordings) / sizeof(*wordings))
			return false;
	}
	*lock = (struct dump_lock){ .kind = wordings[i].kind };
	if (lock->kind != TAPPED_OWNS_SYNCHRONIZER)
		body = lock_after(body, strlen(wordings[i].start));
	while (body.len && body.text[0] == ' ')
		body = lock_after(body, 1);
	if (lock->kind == TAPPED_WAITS && line_starts(body, initialization)) {
		lock->kind = TAPPED_INITIALIZES;
		lock->class_name = lock_after(body, sizeof(initialization) - 1);
		lock->id = lock->class_name;
		return lock->id.len;
	}
	if (line_starts(body, no_object))
		return lock->kind == TAPPED_WAITS;
	close = body.len ? memchr(body.text, '>', body.len) : NULL;
	if (!close || body.text[0] != '<' || close == body.text + 1)
		return false;
	lock->id = (struct line){ body.text + 1,
				  (size_t)(close - body.text - 1) };
	lock->class_name = lock->id;
	if (!dump_lock_object(lock->id.text, lock->id.len, &lock->class_name))
		lock->class_name.len = 0;
	lock_read_rest(lock_after(body, (size_t)(close + 1 - body.text)), lock);
	return true;
}
