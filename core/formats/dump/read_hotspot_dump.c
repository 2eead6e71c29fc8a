/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread dumps that HotSpot prints (jstack, jcmd Thread.print, kill -3),
 * JDK 5 to 28, alone, several in a row or in the midst of a log; those that
 * VisualVM and others write like it through JMX; and those of jhsdb jstack.
 *
 * A dump runs from "Full thread dump <VM> (<version>):" to "JNI global …",
 * which deadlocks (whose stack traces are printed twice) and the heap follow.
 * JDK 26 dropped the colon and added a second line, "JDK version: …".  No
 * other line depends on the wording of the first: a list of threads ("Threads
 * class SMR info:", JDK 10) begins a dump, too, and so does a thread's header.
 * jhsdb's begins with "Deadlock Detection:" and has no last line.
 */
#include "core/formats/dump/dump_lines.h"
#include "core/formats/dump/thread_dump.h"
#include "core/formats/reader.h"

#include <string.h>

#define MOST_NAME_LINES 20 /* of a thread's name */
#define PROGRESS_LINES  8192
#define DATE_LEN        19 /* of "2026-11-21 08:40:07" */
#define HEADING_LINES   4  /* from a dump's date to its list of threads */

enum part { OUTSIDE, THREADS, DEADLOCKS, FOOTER, HEAP };

struct hotspot {
	struct thread_dump dump;
	struct dump_lines lines;
	struct text joined; /* a header of several lines */
	struct line before; /* the raw line before this one */
	uint64_t doubtful;  /* its number, if it may be of a log */
	uint64_t dated;     /* the last line outside dumps that is a date */
	int64_t date_ns;    /* what it says */
	enum part part;
	uint64_t dumps;
	bool by_sa;     /* jhsdb jstack */
	bool by_sa_lwp; /* --mixed: the thread so far is but its number */
	bool is_mixed;
	bool by_jmx;
	bool heading; /* no blank line and no thread has come yet */
	bool gap;     /* a blank line has come since the thread's last */
	bool astray;  /* frames that come now are of no thread */
};

static const char full_dump[] = "Full thread dump ";
static const char thread_list[] = "Threads class SMR info:";
static const char jdk_version[] = "JDK version: "; /* JDK 26 */

static uint64_t here(const struct hotspot *r) { return r->lines.lines.number; }

/* True on the last line of the input, which may be cut. */
static bool at_last_line(const struct hotspot *r)
{
	return r->lines.lines.at == r->lines.lines.end;
}

static bool hotspot_dump_has(struct line line, const char *words)
{
	return memmem(line.text, line.len, words, strlen(words)) != NULL;
}

/*
 * True when one of the next lines is of a dump's beginning: a logger's message
 * has no list of threads behind it, and no thread.
 */
static bool dump_follows(struct lines ahead)
{
	struct line line;

	for (int i = 0; i < HEADING_LINES && lines_next(&ahead, &line); i++) {
		if (hotspot_dump_has(line, full_dump))
			return false;
		if (hotspot_dump_has(line, jdk_version) ||
		    hotspot_dump_has(line, thread_list) ||
		    hotspot_dump_has(line, " tid=0x"))
			return true;
	}
	return false;
}

/*
 * True when a dump begins in the line, which others follow; *offset is where.
 * A line that ends with a colon is enough; other words would make it the
 * message of some logger, unless more of a dump follows.
 */
static bool begins_dump(struct line line, struct lines ahead, size_t *offset)
{
	const char *at;

	while (line.len && line.text[line.len - 1] == ' ')
		line.len--;
	if (!line.len)
		return false;
	*offset = 0;
	if (line_is(line, "Deadlock Detection:"))
		return true;
	at = memmem(line.text, line.len, full_dump, sizeof(full_dump) - 1);
	if (!at)
		return false;
	*offset = (size_t)(at - line.text);
	return line.text[line.len - 1] == ':' || dump_follows(ahead);
}

static bool is_date(struct line line, int64_t *ns)
{
	return line.len == DATE_LEN &&
	       thread_dump_time(line.text, line.len, ns);
}

/* "4711:" of jcmd, or the reply code of the attach protocol, "0". */
static bool is_number_line(struct line line)
{
	int64_t number;
	size_t digits = dump_decimal(line.text, line.len, &number);

	return digits && (digits == line.len ||
			  (digits + 1 == line.len && line.text[digits] == ':'));
}

static void end_dump(struct hotspot *r)
{
	bool cut = r->part == THREADS;

	/* Only the VM itself says where its dump ends. */
	if (r->by_sa || r->by_jmx)
		cut = cut && r->dump.open && !r->gap && !r->is_mixed;
	if (cut)
		thread_dump_cut(&r->dump, !r->gap && !r->astray, here(r));
	thread_dump_end(&r->dump);
	r->part = OUTSIDE;
}

static void begin_dump(struct hotspot *r, bool by_sa)
{
	struct line date = r->before;

	if (date.len)
		date = dump_lines_unwrap(&r->lines, date);
	end_dump(r);
	r->dumps++;
	r->part = THREADS;
	r->by_sa = by_sa;
	r->by_sa_lwp = r->is_mixed = r->by_jmx = false;
	r->heading = r->gap = true;
	r->astray = false;
	r->dump.time_ns = 0;
	/* JDK 5 and older print no date. */
	date = line_trimmed(date);
	if (date.len >= DATE_LEN)
		thread_dump_time(date.text + date.len - DATE_LEN, DATE_LEN,
				 &r->dump.time_ns);
}

static void begin_thread(struct hotspot *r, const struct dump_header *h)
{
	if (r->by_sa_lwp)
		r->dump.open = false; /* now it has a name, too */
	r->by_sa_lwp = false;
	r->by_jmx = r->by_jmx || h->by_jmx;
	r->heading = r->gap = r->astray = false;
	thread_dump_begin(&r->dump, h);
}

/* A line that no thread's name goes on with. */
static bool ends_name(const struct hotspot *r, struct line line)
{
	struct line body = line_trimmed(line);
	struct dump_header h;
	size_t offset;

	return dump_header_parse(body.text, body.len, 0, &h) ||
	       line_starts(body, "at ") ||
	       line_starts(body, "java.lang.Thread.State: ") ||
	       line_starts(body, "JNI global ref") ||
	       begins_dump(line, r->lines.lines, &offset);
}

/* A header whose name holds line feeds: takes lines until it is whole. */
static bool join_header(struct hotspot *r, struct line first,
			struct dump_header *h)
{
	struct lines mark = dump_lines_mark(&r->lines);
	struct line raw = r->lines.raw;
	struct line line;

	text_clear(&r->joined);
	text_add(&r->joined, first.text, first.len);
	for (int i = 0; i < MOST_NAME_LINES; i++) {
		size_t last = r->joined.len + 1;

		if (!dump_lines_next(&r->lines, &line) || ends_name(r, line))
			break;
		text_putc(&r->joined, '\n');
		text_add(&r->joined, line.text, line.len);
		if (dump_header_parse(r->joined.bytes, r->joined.len, last, h))
			return true;
		/* Or each of many quotes would look at many lines. */
		if (line_starts(line, "\""))
			break;
	}
	dump_lines_back(&r->lines, mark);
	r->lines.raw = raw;
	return false;
}

static void count_inside(struct hotspot *r)
{
	thread_dump_odd(&r->dump, DUMP_LINE_INSIDE, here(r));
}

static void on_header(struct hotspot *r, struct line line)
{
	struct dump_header h = { 0 };
	struct line damaged;
	const char *quote;

	if (dump_header_parse(line.text, line.len, 0, &h)) {
		begin_thread(r, &h);
		return;
	}
	if (join_header(r, line, &h)) {
		begin_thread(r, &h);
		return;
	}
	if (at_last_line(r))
		return; /* the dump is cut, which is said once */
	damaged = (struct line){ r->joined.bytes, line.len };
	if (!hotspot_dump_has(damaged, " prio=") &&
	    !hotspot_dump_has(damaged, " os_prio=") &&
	    !hotspot_dump_has(damaged, " tid=")) {
		count_inside(r);
		r->astray = r->astray || r->gap;
		return;
	}
	thread_dump_odd(&r->dump, DUMP_BAD_THREAD, here(r));
	quote = memrchr(damaged.text, '"', damaged.len);
	h = (struct dump_header){ .name = damaged.text + 1 };
	h.name_len = quote > damaged.text ? (size_t)(quote - h.name)
					  : damaged.len - 1;
	begin_thread(r, &h);
}

/* "Thread 4711: (state = BLOCKED)": jstack -F before JDK 9. */
static void on_numbered(struct hotspot *r, struct line body)
{
	struct dump_header h = { .name = "" };
	size_t word = strlen("Thread ");
	size_t digits = dump_decimal(body.text + word, body.len - word,
				     &h.os_id);

	body.text += word + digits;
	body.len -= word + digits;
	if (digits && line_starts(body, ": (state = "))
		begin_thread(r, &h);
	else if (!line_starts(body, ": 0x")) /* a debug VM's line */
		count_inside(r);
}

/* "----------------- 4711 -----------------": jhsdb jstack --mixed. */
static void on_lwp(struct hotspot *r, struct line body)
{
	struct dump_header h = { .name = "" };

	while (body.len && (body.text[0] == '-' || body.text[0] == ' ')) {
		body.text++;
		body.len--;
	}
	if (!r->by_sa || !dump_decimal(body.text, body.len, &h.os_id)) {
		count_inside(r);
		return;
	}
	begin_thread(r, &h);
	r->by_sa_lwp = r->is_mixed = true;
}

static void on_frame_text(struct hotspot *r, enum dump_frame_form form,
			  struct line text)
{
	if (!r->dump.open || r->astray) {
		count_inside(r);
		return;
	}
	r->gap = r->by_sa_lwp = false;
	if (!thread_dump_frame(&r->dump, form, text.text, text.len) &&
	    !at_last_line(r))
		thread_dump_odd(&r->dump, DUMP_BAD_FRAME, here(r));
}

static void on_frame(struct hotspot *r, struct line body)
{
	body.text += strlen("at ");
	body.len -= strlen("at ");
	on_frame_text(r, DUMP_FRAME_JAVA, body);
}

/* A lock, or one of jhsdb's frames. */
static void on_dash(struct hotspot *r, struct line body)
{
	if (!r->by_sa || !hotspot_dump_has(body, " @bci="))
		return;
	body.text += strlen("- ");
	body.len -= strlen("- ");
	on_frame_text(r, DUMP_FRAME_SA, body);
}

/* A JavaThread in the list of all, or a frame of jhsdb jstack --mixed. */
static void on_address(struct hotspot *r, struct line body)
{
	if (r->is_mixed)
		on_frame_text(r, DUMP_FRAME_MIXED, body);
}

static void on_state(struct hotspot *r, struct line body)
{
	struct dump_header nameless = { .name = "" };
	struct thread_dump *d = &r->dump;
	size_t from = strlen("java.lang.Thread.State: ");
	size_t to = from;

	if (!d->open || r->astray || d->state_said || d->frame_count) {
		thread_dump_odd(d, DUMP_BAD_THREAD, here(r));
		begin_thread(r, &nameless);
	}
	while (to < body.len && body.text[to] != ' ')
		to++;
	d->state = dump_state(body.text + from, to - from);
	d->state_said = true;
	r->gap = false;
}

/* JFR's sampler up to JDK 17: HotSpot prints the thread without its name. */
static void on_nameless(struct hotspot *r, struct line body)
{
	struct dump_header nameless = { .name = "" };

	(void)body;
	begin_thread(r, &nameless);
}

/* The second half of a carrier's block since JDK 25. */
static void on_mounted(struct hotspot *r, struct line body)
{
	struct dump_header h = { .name = "", .is_virtual = true };
	size_t from = strlen("Mounted virtual thread #");

	if (!r->dump.open || r->astray) {
		count_inside(r);
		return;
	}
	dump_decimal(body.text + from, body.len - from, &h.java_id);
	begin_thread(r, &h);
}

static void end_threads(struct hotspot *r, enum part next)
{
	thread_dump_end(&r->dump);
	r->part = next;
}

static void on_footer(struct hotspot *r, struct line body)
{
	(void)body;
	end_threads(r, FOOTER);
}

static void on_deadlock(struct hotspot *r, struct line body)
{
	(void)body;
	end_threads(r, DEADLOCKS);
}

static void on_heap(struct hotspot *r, struct line body)
{
	if (body.len == strlen("Heap"))
		end_threads(r, HEAP);
	else
		count_inside(r);
}

static void on_nothing(struct hotspot *r, struct line body)
{
	(void)r;
	(void)body;
}

/* What lines of a dump begin with, after blanks; the frequent ones first. */
static const struct {
	const char *start;
	void (*act)(struct hotspot *r, struct line body);
} known[] = {
	{ "at ", on_frame },
	{ "- ", on_dash },
	{ "\"", on_header },
	{ "java.lang.Thread.State: ", on_state },
	{ "0x", on_address },
	{ "Locked ownable synchronizers:", on_nothing },
	{ "JavaThread state:", on_nothing },
	{ "Carrying virtual thread #", on_nothing },
	{ "Mounted virtual thread #", on_mounted },
	{ "No compile task", on_nothing },
	{ "Compiling:", on_nothing },
	{ "JNI locked monitors:", on_nothing },
	{ "JNI global ref", on_footer },
	{ "Found one Java-level deadlock", on_deadlock },
	{ "Heap", on_heap },
	{ "os_prio=", on_nameless },
	{ "Thread ", on_numbered },
	{ "-----", on_lwp },
	{ thread_list, on_nothing },
	{ "_", on_nothing }, /* _java_thread_list=, _to_delete_list=, … */
	{ "}", on_nothing },
	{ "No deadlocks found", on_nothing },
};

/*
 * True for the line that a logged exception's stack trace begins with; its
 * frames look like a thread's.
 */
static bool is_exception(struct line body)
{
	static const char *const ends[] = { "Exception", "Error", "Throwable" };
	const char *colon = memchr(body.text, ':', body.len);

	if (line_starts(body, "Caused by: ") ||
	    line_starts(body, "Exception in thread "))
		return true;
	if (colon)
		body.len = (size_t)(colon - body.text);
	if (memchr(body.text, ' ', body.len))
		return false; /* no class is called so */
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (line_ends(body, ends[i]))
			return true;
	}
	return false;
}

static void in_threads(struct hotspot *r, struct line line)
{
	struct line body = line_trimmed(line);
	int64_t time_ns;

	if (!body.len) {
		r->gap = true;
		r->heading = false;
		return;
	}
	/* "    JDK version: …" of JDK 26, and what later ones may add. */
	if (r->heading && line.text[0] == ' ')
		return;
	if (line.text[0] == '"') {
		on_header(r, line); /* blanks may end a line of the name */
		return;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (line_starts(body, known[i].start)) {
			known[i].act(r, body);
			return;
		}
	}
	if (is_date(body, &time_ns) || is_number_line(body))
		return;
	count_inside(r);
	/* A log's line: within a stack trace the thread goes on after it. */
	if (r->gap || is_exception(body))
		r->astray = true;
}

/* What jhsdb says before its dump. */
static bool is_greeting(struct line line)
{
	static const char *const greetings[] = {
		"Attaching to process ID ",        "Attaching to core ",
		"Debugger attached successfully.", "Server compiler detected.",
		"Client compiler detected.",       "JVM version is ",
	};

	for (size_t i = 0; i < sizeof(greetings) / sizeof(*greetings); i++) {
		if (line_starts(line, greetings[i]))
			return true;
	}
	return false;
}

/* A dump whose first line is in words that are not known. */
static void begin_listed_dump(struct hotspot *r)
{
	int64_t time_ns = r->date_ns;

	if (!r->dated || here(r) - r->dated > HEADING_LINES)
		time_ns = 0;
	begin_dump(r, false);
	r->heading = false;
	r->dump.time_ns = time_ns;
}

static void in_outside(struct hotspot *r, struct line line)
{
	struct line body = line_trimmed(line);
	struct dump_header h;

	if (is_date(body, &r->date_ns)) {
		r->dated = here(r);
		return;
	}
	if (!body.len || is_number_line(body) || is_greeting(body))
		return;
	if (line_is(body, thread_list)) {
		begin_listed_dump(r);
		return;
	}
	if (line_starts(body, "\"") &&
	    dump_header_parse(body.text, body.len, 0, &h) && !h.by_jmx) {
		/* The log was cut at its beginning, as logs are. */
		struct line raw = r->before;

		r->before = (struct line){ 0 };
		begin_dump(r, false);
		r->before = raw;
		thread_dump_odd(&r->dump, DUMP_HEADLESS, here(r));
		begin_thread(r, &h);
		return;
	}
	/* Unless it is the date of a dump, in a log of unknown form. */
	r->doubtful = here(r);
}

static void settle_doubt(struct hotspot *r)
{
	if (r->doubtful)
		thread_dump_odd(&r->dump, DUMP_LINE_OUTSIDE, r->doubtful);
	r->doubtful = 0;
}

/* "Found 2 deadlocks." ends the section; jhsdb: "Found a total of 2 …". */
static void in_deadlocks(struct hotspot *r, struct line line)
{
	size_t word = strlen("Found ");

	if (line_is(line, "Heap"))
		r->part = HEAP;
	else if (line_starts(line, "Found a total of ") ||
		 (line_starts(line, "Found ") && line.len > word &&
		  line.text[word] >= '0' && line.text[word] <= '9'))
		r->part = r->by_sa ? THREADS : FOOTER;
}

static void in_footer(struct hotspot *r, struct line line)
{
	if (line_starts(line, "Found one Java-level deadlock"))
		r->part = DEADLOCKS;
	else if (line_is(line, "Heap"))
		r->part = HEAP;
	else
		in_outside(r, line);
}

static void in_heap(struct hotspot *r, struct line line)
{
	/* Shenandoah's lines are not indented. */
	static const char *const flush[] = { "Shenandoah Heap",
					     "Status: ", "Reserved region:",
					     "Collection set:" };

	if (!line.len || line.text[0] == ' ')
		return;
	for (size_t i = 0; i < sizeof(flush) / sizeof(*flush); i++) {
		if (line_starts(line, flush[i]))
			return;
	}
	r->part = OUTSIDE;
	in_outside(r, line);
}

static void (*const in_part[])(struct hotspot *r, struct line line) = {
	[OUTSIDE] = in_outside,     [THREADS] = in_threads,
	[DEADLOCKS] = in_deadlocks, [FOOTER] = in_footer,
	[HEAP] = in_heap,
};

static void take_line(struct hotspot *r, struct line line)
{
	size_t offset;

	if (begins_dump(line, r->lines.lines, &offset)) {
		bool by_sa = line_starts(line, "Deadlock Detection:");

		if (offset)
			dump_lines_prefix(&r->lines, line, offset);
		begin_dump(r, by_sa);
		if (r->dump.time_ns)
			r->doubtful = 0;
		settle_doubt(r);
	} else {
		settle_doubt(r);
		in_part[r->part](r, line);
	}
}

static int nothing_found(const struct hotspot *r, struct error *err)
{
	if (r->dumps)
		return fail(err, ERROR_INPUT, "a thread dump without threads");
	return fail(err, ERROR_INPUT,
		    "no thread dump found (no line \"Full thread dump …\")");
}

static int read_hotspot(const uint8_t *bytes, size_t len, struct profile *p,
			struct error *err)
{
	struct hotspot r = { .part = OUTSIDE };
	struct line line;
	int ret = 0;

	thread_dump_init(&r.dump, p);
	dump_lines_init(&r.lines, bytes, len);
	while (dump_lines_next(&r.lines, &line)) {
		take_line(&r, line);
		r.before = r.lines.raw;
		if (here(&r) % PROGRESS_LINES == 0)
			profile_progress(p,
					 (uint64_t)(r.lines.lines.at -
						    (const char *)bytes),
					 len);
	}
	settle_doubt(&r);
	end_dump(&r);
	thread_dump_finish(&r.dump);
	if (!r.dump.threads)
		ret = nothing_found(&r, err);
	text_release(&r.joined);
	dump_lines_release(&r.lines);
	thread_dump_release(&r.dump);
	return ret;
}

/* A page about thread dumps is none. */
static bool is_markup(const uint8_t *head, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (head[i] != ' ' && head[i] != '\n' && head[i] != '\r')
			return head[i] == '<';
	}
	return false;
}

/*
 * A dump's first line, its list of threads, or a thread: its header and its
 * state.  The first line's words change, as they did in JDK 26.
 */
static bool sniff_hotspot(const uint8_t *head, size_t len)
{
	struct dump_lines lines;
	struct line line;
	struct dump_header h;
	size_t offset;
	bool in_thread = false;
	bool found = false;

	if (is_markup(head, len))
		return false;
	dump_lines_init(&lines, head, len);
	while (!found && dump_lines_next(&lines, &line)) {
		struct line body = line_trimmed(line);

		found = begins_dump(line, lines.lines, &offset) ||
			line_is(body, thread_list) ||
			(in_thread &&
			 line_starts(body, "java.lang.Thread.State: "));
		in_thread = line.len && line.text[0] == '"' &&
			    dump_header_parse(line.text, line.len, 0, &h) &&
			    !h.by_jmx;
	}
	dump_lines_release(&lines);
	return found;
}

const struct reader hotspot_dialect = {
	.name = "hotspot",
	.summary = "HotSpot thread dumps",
	.sniff = sniff_hotspot,
	.read = read_hotspot,
};
