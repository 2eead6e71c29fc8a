/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/intern.h"
#include "core/base/lines.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/diagnosis/trends.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GROWING_MAX = 3, LOADERS_MAX = 4096 };

void jvm_replies_init(struct jvm_replies *r)
{
	*r = (struct jvm_replies){ .carriers = TREND_UNKNOWN };
}

void jvm_replies_release(struct jvm_replies *r)
{
	text_release(&r->growing);
	text_release(&r->native);
	text_release(&r->loaders);
	text_release(&r->finalizable);
}

static bool class_is_of_jdk(const char *name)
{
	return has_any(name, "java.|javax.|jdk.|sun.|com.sun.|[", true);
}

/* Cuts the last word of a line off; false if there is none. */
static bool line_last_word(struct line line, struct line *word)
{
	line = line_trimmed(line);
	word->text = line.text + line.len;
	while (word->text > line.text && word->text[-1] != ' ')
		word->text--;
	word->len = (size_t)(line.text + line.len - word->text);
	return word->len != 0;
}

/*
 * A line for each loader: "0x… 0x… 0x… 12 4096 1024 com.acme.ScriptLoader", and
 * lines "+ hidden classes", which begin without an address.
 */
void jvm_replies_add_loaders(struct jvm_replies *r, const char *reply,
			     size_t len)
{
	struct lines lines = lines_over(reply, len);
	struct intern names = { 0 };
	uint64_t *counts = xcalloc(LOADERS_MAX + 1, sizeof(*counts));
	struct line line, word;
	uint32_t best = 0;

	while (lines_next(&lines, &line)) {
		uint32_t id;

		if (!line_starts(line, "0x") || !line_last_word(line, &word) ||
		    (names.count >= LOADERS_MAX &&
		     !intern_find(&names, word.text, word.len)))
			continue;
		id = intern_id(&names, word.text, word.len);
		if (!class_is_of_jdk(intern_text(&names, id)) &&
		    ++counts[id] > counts[best])
			best = id;
	}
	text_clear(&r->loaders);
	if (best && counts[best] > 1) {
		safe_text_puts(&r->loaders, intern_text(&names, best));
		text_printf(&r->loaders, " (%s)",
			    units_counted(counts[best], "loader").text);
	}
	free(counts);
	intern_release(&names);
}

/* Lines "  11257  com.acme.LegacyHandle", the largest number first. */
void jvm_replies_add_finalizable(struct jvm_replies *r, const char *reply,
				 size_t len)
{
	struct lines lines = lines_over(reply, len);
	struct line line, word;
	int64_t count;

	r->finalizable_count = 0;
	text_clear(&r->finalizable);
	while (lines_next(&lines, &line)) {
		line = line_trimmed(line);
		if (!line.len || !is_digit(*line.text) ||
		    !line_last_word(line, &word))
			continue;
		count = strtoll(line.text, NULL, 10);
		if (__builtin_add_overflow(r->finalizable_count, count,
					   &r->finalizable_count))
			r->finalizable_count = INT64_MAX;
		if (r->finalizable.len)
			continue;
		safe_text(&r->finalizable, word.text, word.len);
		text_printf(&r->finalizable, " (%" PRId64 ")", count);
	}
}

/* "size=245760Kb" in a line; 0 if it is missing. */
static int64_t line_kilobytes(struct line line, const char *name)
{
	size_t len = strlen(name);

	for (size_t at = 0; at + len < line.len; at++)
		if (memcmp(line.text + at, name, len) == 0 &&
		    (!at || line.text[at - 1] == ' '))
			return strtoll(line.text + at + len, NULL, 10);
	return 0;
}

/* A line for each part of the cache, then " compilation: enabled". */
void jvm_replies_add_code_cache(struct jvm_replies *r, const char *reply,
				size_t len)
{
	struct lines lines = lines_over(reply, len);
	struct line line;
	int64_t size = 0, used = 0, most = 0;

	while (lines_next(&lines, &line)) {
		if (line_starts(line, "Code")) {
			size += line_kilobytes(line, "size=");
			used += line_kilobytes(line, "used=");
			most += line_kilobytes(line, "max_used=");
		}
		line = line_trimmed(line);
		if (line_starts(line, "compilation: disabled") ||
		    line_starts(line, "Compilation: disabled"))
			r->code_is_off = true;
	}
	if (size > 0 && used >= 0 && size < INT64_MAX / 1024) {
		r->code_size = size * 1024;
		r->code_used = used * 1024;
		r->code_most = most * 1024;
	}
}

/* "…ForkJoinPool@1b2c[Running, parallelism = 2, …, submissions = 1042]" */
void jvm_replies_add_scheduler(struct jvm_replies *r, const char *reply,
			       size_t len)
{
	static const char *const names[] = { "parallelism = ",
					     "submissions = " };
	int64_t *values[] = { &r->carriers, &r->queued };
	struct text text = { 0 };

	text_add(&text, reply, len);
	for (size_t i = 0; text.len && i < 2; i++) {
		const char *at = strstr(text.bytes, names[i]);

		if (at)
			*values[i] = strtoll(at + strlen(names[i]), NULL, 10);
	}
	text_release(&text);
}

/* Classes whose objects own memory outside the heap. */
static const char native_classes
	[] = "java.nio.DirectByteBuffer java.util.zip.Deflater "
	     "java.util.zip.Inflater sun.nio.ch.FileChannelImpl$Unmapper "
	     "jdk.internal.foreign.NativeMemorySegmentImpl";

static void growth_put(struct text *out, const struct class_change *c)
{
	text_puts(out, out->len ? ", " : "");
	safe_text_puts(out, c->name);
	text_printf(out, " +%" PRId64 " (%" PRId64 ")",
		    c->instances - c->instances_before, c->instances);
}

static int change_compare(const void *left, const void *right)
{
	const struct class_change *a = left, *b = right;
	int64_t more_a = a->instances - a->instances_before;
	int64_t more_b = b->instances - b->instances_before;

	return more_a > more_b ? -1 : more_a < more_b;
}

/*
 * Classes of the application tell more than arrays and strings.  Histograms
 * include garbage, so small differences say nothing.
 */
void jvm_replies_add_growth(struct jvm_replies *r,
			    const struct class_histogram *before,
			    const struct class_histogram *after)
{
	size_t count, growing = 0;
	struct class_change *all = class_histogram_compare(before, after,
							   &count);

	if (count)
		qsort(all, count, sizeof(*all), change_compare);
	text_clear(&r->growing);
	text_clear(&r->native);
	for (size_t i = 0; i < count; i++) {
		const struct class_change *c = &all[i];
		int64_t more = c->instances - c->instances_before;

		/* A tenth of all, or more: the rest are noise. */
		if (more < 10 || more < c->instances / 10)
			continue;
		if (word_list_has(native_classes, ' ', c->name,
				  strlen(c->name)))
			growth_put(&r->native, c);
		else if (!class_is_of_jdk(c->name) && growing++ < GROWING_MAX)
			growth_put(&r->growing, c);
	}
	free(all);
}
