/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A longer notice is truncated. */
enum { NOTICE_BYTES = 4096 };

/* Stack traces that may be added without a look at the memory: 1 MB. */
enum { STACKS_UNCHECKED = 8 };

void sampling_notify(const struct sampling_options *o,
		     enum sampling_notice level, const char *fmt, ...)
{
	char text[NOTICE_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	o->notice(o->self, level, text);
}

struct sampler_counts sampling_shared_window(const struct sampling_shared *s)
{
	struct sampler_counts counts;

	sampler_counts(s->sampler, &counts);
	counts.lost -= s->before.lost;
	counts.skipped -= s->before.skipped;
	counts.unended -= s->before.unended;
	counts.ended -= s->before.ended;
	counts.unsure -= s->before.unsure;
	return counts;
}

bool sampling_shared_is_full(struct sampling_shared *s, bool lasts)
{
	/* Stacks of sleeping threads are read in many rounds of a few. */
	if (!s->o->is_full || (!lasts && ++s->since_check < STACKS_UNCHECKED))
		return false;
	s->since_check = 0;
	return s->o->is_full(s->o->self, lasts);
}

void sampling_shared_clear(struct sampling_shared *s)
{
	memset(s->ends, 0, sizeof(s->ends));
	memset(s->ends_ns, 0, sizeof(s->ends_ns));
	memset(s->whys, 0, sizeof(s->whys));
	s->waited_ns = 0;
	s->estimated = 0;
	s->anchored = 0;
}

/* ---- what a window lost ---- */

/* Notes the stack traces that do not reach the thread's root, by reason. */
static void losses_note_wait_ends(struct sampling_shared *s,
				  enum sampling_end end, const char *what,
				  const char *why)
{
	double percent = s->waited_ns ? 100.0 * (double)s->ends_ns[end] /
						(double)s->waited_ns
				      : 100;

	/* Short waits are always lost as sampling begins: below 0.05 % of the
	 * time they are not worth a note. */
	if (s->ends[end] && percent >= 0.05)
		profile_note(s->profile, what, s->ends[end],
			     "%s; %.1f %% of the time", why, percent);
}

static void losses_note_ends(struct sampling_shared *s)
{
	static const struct {
		enum sampling_end end;
		const char *what, *why;
	} notes[] = {
		{ SAMPLING_END_BYTES, "stack traces truncated at --stack-bytes",
		  "a larger --stack-bytes shows the rest" },
		{ SAMPLING_END_FRAMES, "stack traces truncated at --max-stack",
		  "a larger --max-stack shows the rest" },
		{ SAMPLING_END_PAGE,
		  "stack traces truncated where they are read",
		  "a page of the stack was not in memory" },
	};
	static const char lost[] = "stack traces that end in [unknown]";
	static const char
		anchored[] = "stack traces continued at the last Java frame";
	struct text whys = { 0 };
	uint64_t walks = 0;

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (s->ends[notes[i].end])
			profile_note(s->profile, notes[i].what,
				     s->ends[notes[i].end], "%s", notes[i].why);
	losses_note_wait_ends(s, SAMPLING_END_OFTEN,
			      "waits without a stack trace",
			      "threads waited too often to copy each stack");
	losses_note_wait_ends(
		s, SAMPLING_END_EARLIER,
		"waits that began before sampling and lack a stack",
		"they ended before their stacks were read");
	if (s->estimated)
		profile_note(s->profile, "waits with an estimated stack trace",
			     s->estimated,
			     "threads waited too often to copy each stack: the "
			     "stack trace of another wait at the same place is "
			     "used");
	if (s->anchored)
		profile_note(s->profile, anchored, s->anchored,
			     "native code without unwind information was "
			     "skipped: native frames may be missing");
	for (size_t i = 0; i < SAMPLING_WHYS && s->whys[i].why; i++)
		text_printf(&whys, "%s%" PRIu64 " %s", i ? "; " : "",
			    s->whys[i].count, s->whys[i].why);
	if (whys.len)
		profile_note(s->profile, lost, s->ends[SAMPLING_END_LOST], "%s",
			     whys.bytes);
	text_release(&whys);
	for (size_t i = 0; i < SAMPLING_ENDS; i++)
		walks += s->ends[i];
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		profile_remark_of(s->profile, notes[i].what, walks);
	profile_remark_of(s->profile, lost, walks);
	profile_remark_of(s->profile, anchored, walks);
}

/* Names the options that make the events of a session rarer. */
static const char *losses_advice(unsigned events)
{
	const unsigned cpu = SAMPLING_CPU | SAMPLING_WALL;
	const unsigned waits = SAMPLING_OFFCPU | SAMPLING_WALL;

	if (events & waits)
		return events & cpu ? "a buffer was full; use a larger "
				      "--min-blocked, or a lower -F or "
				      "--stack-bytes"
				    : "a buffer was full; use a larger "
				      "--min-blocked or a lower --stack-bytes";
	if (events & (SAMPLING_ALLOC | SAMPLING_NATIVEMEM | SAMPLING_PAGEFAULT))
		return "a buffer was full; use a larger --alloc-interval or a "
		       "lower --stack-bytes";
	return events & cpu ? "a buffer was full; use a lower -F or "
			      "--stack-bytes"
			    : "a buffer was full; use a lower --stack-bytes";
}

void sampling_losses_add(struct sampling_shared *s,
			 const struct sampling_losses *l)
{
	const struct sampling_counts *had = &l->had;
	const struct sampler_counts *lost = &l->sampler;
	uint64_t stalled = s->ends[SAMPLING_END_STALLED];
	const struct {
		bool is_loss;
		const char *what;
		uint64_t count;
		const char *why;
	} remarks[] = {
		{ true, "names lost", had->unrecorded,
		  "the sjkc agent's buffer was full" },
		{ true, "names lost by delays", had->delayed,
		  "a thread of the JVM held the sjkc agent's lock for more "
		  "than a "
		  "second: the machine is overloaded" },
		{ true, "samples lost", lost->lost,
		  losses_advice(s->o->events) },
		{ true, "context switches omitted", lost->skipped,
		  "the kernel did not run the program that measures waits" },
		{ true, "samples omitted", l->foreign,
		  "their processes could not be opened" },
		{ true, "waits cut off by the end of their process",
		  lost->ended, "they did not end before it" },
		{ true, "unfinished waits omitted", lost->unsure,
		  "a buffer was full: when they began or ended is unknown" },
		{ true, "waiting threads omitted", lost->hidden,
		  "a buffer was full when they began to wait" },
		{ true, "milliseconds without CPU samples", l->tickless_ms,
		  "the sampling of the CPUs could not be started again" },
		{ true, "stack traces lost", stalled,
		  "reading the target's memory took more than a second" },
		{ true, "reads lost", stalled ? 0 : had->stalls,
		  "reading the target's memory took more than a second" },
		{ true, "files omitted", had->files,
		  "their file system did not respond in time: their functions "
		  "have no names" },
		{ true, "files read in part", had->cut,
		  "their symbol tables exceed the memory limit: some functions "
		  "have no names" },
		{ true, "code cache reads omitted", had->refused,
		  "the code cache is larger than any JVM's" },
		{ false, "waits omitted", lost->unended,
		  "the kernel did not report when they ended" },
		{ false, "allocations and locks without a class",
		  had->classless, "the object or its class could not be read" },
		{ false, "waits for a monitor without its owner",
		  had->ownerless,
		  "the monitor had no owner yet, or the owner had ended" },
		{ false, "waits for a monitor without its owner's method",
		  had->methodless,
		  "no thread was seen to release the monitor during the wait" },
		{ false, "Java frames without a name", had->unnamed,
		  "their code or class was unloaded" },
	};

	losses_note_ends(s);
	for (size_t i = 0; i < sizeof(remarks) / sizeof(*remarks); i++) {
		if (!remarks[i].count)
			continue;
		(remarks[i].is_loss ? profile_lost : profile_note)(
			s->profile, remarks[i].what, remarks[i].count, "%s",
			remarks[i].why);
	}
	if (lost->lost)
		profile_remark_of(s->profile, "samples lost",
				  lost->lost + had->samples);
}
