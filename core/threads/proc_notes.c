/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/proc_notes.h"

#include "core/base/clock.h"
#include "core/base/safe_text.h"

#include <stdarg.h>
#include <string.h>

static void note(struct top_sample *out, const char *figure, bool is_absent,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Cuts a text to the note's size, visibly, but not within a character. */
static void put(struct source_note *n, const struct text *text)
{
	static const char cut[] = "...";
	size_t len = text->len;

	if (len < sizeof(n->text)) {
		memcpy(n->text, text->bytes, len + 1);
		return;
	}
	len = sizeof(n->text) - sizeof(cut);
	while (len && (text->bytes[len] & 0xc0) == 0x80)
		len--;
	memcpy(n->text, text->bytes, len);
	memcpy(n->text + len, cut, sizeof(cut));
}

static void note(struct top_sample *out, const char *figure, bool is_absent,
		 const char *fmt, ...)
{
	struct source_note *n = &out->notes[out->note_count];
	struct text safe = { 0 };
	char raw[640];
	va_list args;

	if (out->note_count == SOURCE_NOTES_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(raw, sizeof(raw), fmt, args);
	va_end(args);
	text_puts(&safe, "");
	safe_text(&safe, raw, strlen(raw));
	*n = (struct source_note){ .figure = figure, .is_absent = is_absent };
	put(n, &safe);
	text_release(&safe);
	out->note_count++;
}

static long long seconds(int64_t ns) { return ns / CLOCK_NS_PER_S; }

static void note_names(const struct proc_facts *f, struct top_sample *out)
{
	if (f->dump_age_ns >= 0 && f->dump_problem)
		note(out, "names", false, "Thread.print, %lld s ago; since: %s",
		     seconds(f->dump_age_ns), f->dump_problem);
	else if (f->dump_age_ns >= 0)
		note(out, "names", false, "Thread.print, %lld s ago",
		     seconds(f->dump_age_ns));
	else if (f->no_names)
		note(out, "names", true, "the kernel's, of 15 bytes: %s",
		     f->no_names);
	else if (f->dump_problem)
		note(out, "names", true, "the kernel's, of 15 bytes: %s",
		     f->dump_problem);
	else
		note(out, "names", true,
		     "the kernel's, of 15 bytes, until the JVM answers");
}

static void note_allocation(const struct proc_facts *f, struct top_sample *out)
{
	if (f->has_alloc && f->alloc_over_ns >= 0)
		note(out, "allocation", false,
		     "~ the mean of %lld s, by thread dumps, %lld s ago",
		     seconds(f->alloc_over_ns), seconds(f->dump_age_ns));
	else if (f->has_alloc)
		note(out, "allocation", false,
		     "~ the mean of each thread's life, by a thread dump, "
		     "%lld s ago",
		     seconds(f->dump_age_ns));
	else if (f->dump_age_ns >= 0)
		note(out, "allocation", true,
		     "- (this JVM's thread dumps do not have it; exact over "
		     "JMX)");
	else
		note(out, "allocation", true,
		     "- (needs the JVM's answer, or JMX)");
}

void proc_notes_add(const struct proc_facts *f, struct top_sample *out)
{
	note_names(f, out);
	note_allocation(f, out);
	note(out, "contention", true, "- (needs JMX)");
	if (f->no_perfdata) {
		note(out, "gc", true, "- (%s)", f->no_perfdata);
		note(out, "safepoints", true, "- (%s)", f->no_perfdata);
		note(out, "heap", true, "- (%s)", f->no_perfdata);
	} else if (out->process.heap_used == COUNTER_ABSENT) {
		note(out, "heap", true, "- (no collection yet)");
	} else {
		note(out, "heap", false, "as of the last collection");
	}
	for (size_t i = 0; i < out->process.gc_count; i++) {
		/* Its JVM counts pauses of full collections only. */
		if (strncmp(out->process.gc[i].name, "Shenandoah", 10) == 0) {
			note(out, "gc", false,
			     "without Shenandoah's concurrent cycles, which "
			     "the JVM does not count");
			break;
		}
	}
	if (!f->has_schedstat) {
		note(out, "cpu", false,
		     "in ticks of 10 ms: this kernel has no schedstat");
		note(out, "runq", true, "- (this kernel has no schedstat)");
	}
}
