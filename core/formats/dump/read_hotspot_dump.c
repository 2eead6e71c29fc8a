/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_hotspot_dump: reads the thread dumps of HotSpot (jstack, jcmd
 * Thread.print, kill -3), JDK 5 to 28, alone, several in a row or inside of a
 * log; those that VisualVM and others print in this form through JMX; and those
 * of jhsdb jstack.
 *
 * A dump extends from "Full thread dump <VM> (<version>):" to "JNI global …".
 * Deadlocks (whose stack traces are printed twice) and the heap follow. JDK 26
 * dropped the colon and added a second line, "JDK version: …". No other line
 * depends on the wording of the first: a list of threads ("Threads class SMR
 * info:", JDK 10) also begins a dump, and so does a thread's header. A dump of
 * jhsdb begins with "Deadlock Detection:" and has no last line.
 */
#include "core/base/log_lines.h"
#include "core/formats/dump/thread_dump.h"
#include "core/formats/reader.h"

#include <string.h>

#define MOST_NAME_LINES 20 /* maximum lines of a thread's name */
#define PROGRESS_LINES  8192
#define DATE_LEN        19 /* of "2026-11-21 08:40:07" */
#define HEADING_LINES                                                          \
	4 /* lines between a dump's date and its list of threads */

enum part {
	SECTION_OUTSIDE,
	SECTION_THREADS,
	SECTION_DEADLOCKS,
	SECTION_FOOTER,
	SECTION_HEAP
};

struct hotspot {
	struct thread_dump dump;
	struct log_lines lines;
	struct text joined; /* a header that spans several lines */
	struct line before; /* the previous raw line */
	uint64_t doubtful;  /* its number, if it may belong to a log */
	uint64_t dated;  /* number of the last line outside of dumps that is a
			    date */
	int64_t date_ns; /* the date in that line */
	enum part part;
	uint64_t dumps;
	bool by_sa;     /* jhsdb jstack */
	bool by_sa_lwp; /* --mixed: only the number of the thread is known */
	bool is_mixed;
	bool by_jmx;
	bool is_old;       /* of a JVM that does not mark the end of its dump */
	bool has_periodic; /* its "VM Periodic Task Thread", one of the last */
	struct text object; /* awaited by a thread whose leaf is unknown */
	int64_t owner_id;   /* of that object */
	struct text owner;  /* its name */
	bool heading;   /* neither an empty line nor a thread has been read */
	bool gap;       /* an empty line has followed the thread's last line */
	bool in_traces; /* behind the list of a deadlock's threads */
	bool astray;    /* the next frames belong to no thread */
};

static const char full_dump[] = "Full thread dump ";
static const char thread_list[] = "Threads class SMR info:";
static const char jdk_version[] = "JDK version: "; /* JDK 26 */
static const char state_line[] = "java.lang.Thread.State: ";

static uint64_t hotspot_line_number(const struct hotspot *r)
{
	return r->lines.lines.number;
}

static bool hotspot_dump_has(struct line line, const char *words)
{
	return memmem(line.text, line.len, words, strlen(words)) != NULL;
}

/*
 * Returns the position of "Full thread dump " in the line, or NULL. Few lines
 * contain an F, so this is several times faster than memmem().
 */
static const char *line_find_dump(struct line line)
{
	const char *at = line.text, *end = line.text + line.len;

	while ((at = memchr(at, full_dump[0], (size_t)(end - at)))) {
		if (line_starts((struct line){ at, (size_t)(end - at) },
				full_dump))
			break;
		at++;
	}
	return at;
}

/*
 * True if one of the next lines belongs to the start of a dump: no list of
 * threads and no thread follows a logger's message.
 */
static bool lines_have_dump(struct lines ahead)
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
 * True if a dump begins in the line; *offset is its position. A line that ends
 * with a colon suffices; with other words it may be a logger's message, unless
 * more of a dump follows.
 */
static bool line_begins_dump(struct line line, struct lines ahead,
			     size_t *offset)
{
	const char *at;

	while (line.len && line.text[line.len - 1] == ' ')
		line.len--;
	if (!line.len)
		return false;
	*offset = 0;
	if (line_is(line, "Deadlock Detection:"))
		return true;
	at = line_find_dump(line);
	if (!at)
		return false;
	*offset = (size_t)(at - line.text);
	return line.text[line.len - 1] == ':' || lines_have_dump(ahead);
}

static bool line_is_date(struct line line, int64_t *ns)
{
	return line.len == DATE_LEN &&
	       thread_dump_time(line.text, line.len, ns);
}

/* "4711:" of jcmd, or "0", the reply code of the attach protocol. */
static bool line_is_number(struct line line)
{
	int64_t number;
	size_t digits = dump_decimal(line.text, line.len, &number);

	return digits && (digits == line.len ||
			  (digits + 1 == line.len && line.text[digits] == ':'));
}

static void hotspot_end_dump(struct hotspot *r)
{
	bool cut = r->part == SECTION_THREADS;
	bool is_open = dump_line_is_cut(&r->lines, r->before);

	/* Only the VM itself marks the end of its dump, since JDK 6. */
	if (r->by_sa || r->by_jmx || r->is_old)
		cut = cut && (is_open || (r->dump.open && !r->gap &&
					  !r->is_mixed && !r->has_periodic));
	if (r->by_sa_lwp) {
		cut = true; /* the thread's name is missing */
		r->dump.open = false;
	}
	if (cut && r->by_jmx && line_ends(r->before, ")")) {
		/* Editors remove the last empty line. */
		thread_dump_odd(&r->dump, DUMP_NO_END, hotspot_line_number(r));
		cut = false;
	}
	if (cut)
		thread_dump_cut(&r->dump, !r->gap && !r->astray,
				hotspot_line_number(r));
	thread_dump_end(&r->dump);
	r->part = SECTION_OUTSIDE;
}

static void hotspot_begin_dump(struct hotspot *r, bool by_sa)
{
	struct line date = r->before;

	if (date.len)
		date = log_lines_unwrap(&r->lines, date);
	hotspot_end_dump(r);
	thread_dump_new(&r->dump);
	r->dumps++;
	r->part = SECTION_THREADS;
	r->by_sa = by_sa;
	r->by_sa_lwp = r->is_mixed = r->by_jmx = false;
	r->is_old = r->has_periodic = false;
	r->heading = r->gap = true;
	r->astray = false;
	r->dump.time_ns = 0;
	/* JDK 5 and older print no date. */
	date = line_trimmed(date);
	if (date.len >= DATE_LEN)
		thread_dump_time(date.text + date.len - DATE_LEN, DATE_LEN,
				 &r->dump.time_ns);
}

static void hotspot_add_lock(struct hotspot *r, enum tapped_lock_kind kind,
			     const struct dump_wait *object)
{
	struct dump_lock lock = { .kind = kind, .id = object->object };

	/* IntelliJ prints no ids in headers. */
	if (r->dump.thread.java_id)
		lock.owner_id = object->owner_id;
	else
		lock.owner_name = object->owner_name;
	if (r->dump.profile->thread_tap &&
	    dump_lock_object(lock.id.text, lock.id.len, &lock.class_name))
		thread_dump_lock(&r->dump, &lock);
}

/*
 * The object that a thread waits for, by ThreadInfo. Only the leaf tells
 * LockSupport.park() from Object.wait().
 */
static void hotspot_on_wait(struct hotspot *r, const struct dump_wait *wait)
{
	if (r->dump.state == STATE_BLOCKED) {
		hotspot_add_lock(r, TAPPED_ENTERS, wait);
		return;
	}
	text_clear(&r->object);
	text_add(&r->object, wait->object.text, wait->object.len);
	text_clear(&r->owner);
	text_add(&r->owner, wait->owner_name.text, wait->owner_name.len);
	r->owner_id = wait->owner_id;
}

static void hotspot_settle_wait(struct hotspot *r, struct line leaf)
{
	const struct dump_wait wait = {
		.object = { r->object.bytes, r->object.len },
		.owner_id = r->owner_id,
		.owner_name = { r->owner.bytes, r->owner.len },
	};

	if (!wait.object.len)
		return;
	hotspot_add_lock(r,
			 hotspot_dump_has(leaf, "park(") ? TAPPED_PARKS
							 : TAPPED_WAITS,
			 &wait);
	text_clear(&r->object);
}

static void hotspot_begin_thread(struct hotspot *r, const struct dump_header *h)
{
	if (r->by_sa_lwp)
		r->dump.open = false; /* now its name has been read */
	r->by_sa_lwp = false;
	r->by_jmx = r->by_jmx || h->by_jmx;
	r->has_periodic |= r->is_old &&
			   line_is((struct line){ h->name, h->name_len },
				   "VM Periodic Task Thread");
	text_clear(&r->object);
	r->heading = r->gap = r->astray = false;
	thread_dump_begin(&r->dump, h);
	hotspot_on_wait(r, &h->wait);
}

/* True for a line that cannot continue a thread's name. */
static bool line_ends_name(const struct hotspot *r, struct line line)
{
	struct line body = line_trimmed(line);
	struct dump_header h;
	size_t offset;

	return dump_header_parse(body.text, body.len, 0, &h) ||
	       line_starts(body, "at ") ||
	       line_starts(body, "java.lang.Thread.State: ") ||
	       line_starts(body, "JNI global ref") ||
	       line_begins_dump(line, r->lines.lines, &offset);
}

/*
 * Reads a header whose name contains newlines: adds lines until it is complete.
 */
static bool hotspot_join_header(struct hotspot *r, struct line first,
				struct dump_header *h)
{
	struct lines mark = log_lines_mark(&r->lines);
	struct line raw = r->lines.raw;
	struct line line;

	text_clear(&r->joined);
	text_add(&r->joined, first.text, first.len);
	for (int i = 0; i < MOST_NAME_LINES; i++) {
		size_t last = r->joined.len + 1;

		if (!log_lines_next(&r->lines, &line) ||
		    line_ends_name(r, line))
			break;
		text_putc(&r->joined, '\n');
		text_add(&r->joined, line.text, line.len);
		if (dump_header_parse(r->joined.bytes, r->joined.len, last, h))
			return true;
		/* Otherwise each of many quotes would read many lines. */
		if (line_starts(line, "\""))
			break;
	}
	log_lines_back(&r->lines, mark);
	r->lines.raw = raw;
	return false;
}

static void hotspot_count_inside(struct hotspot *r)
{
	thread_dump_odd(&r->dump, DUMP_LINE_INSIDE, hotspot_line_number(r));
}

static void hotspot_on_header(struct hotspot *r, struct line line)
{
	struct dump_header h = { 0 };
	struct line damaged;
	const char *quote;

	if (dump_header_parse(line.text, line.len, 0, &h)) {
		hotspot_begin_thread(r, &h);
		return;
	}
	if (hotspot_join_header(r, line, &h)) {
		if (!lines_end_open(&r->lines.lines))
			hotspot_begin_thread(r, &h);
		return;
	}
	if (lines_end_open(&r->lines.lines))
		return; /* the dump is truncated, which is reported once */
	damaged = (struct line){ r->joined.bytes, line.len };
	if (!hotspot_dump_has(damaged, " prio=") &&
	    !hotspot_dump_has(damaged, " os_prio=") &&
	    !hotspot_dump_has(damaged, " tid=")) {
		hotspot_count_inside(r);
		r->astray = r->astray || r->gap;
		return;
	}
	thread_dump_odd(&r->dump, DUMP_BAD_THREAD, hotspot_line_number(r));
	quote = memrchr(damaged.text, '"', damaged.len);
	h = (struct dump_header){ .name = damaged.text + 1 };
	h.name_len = quote > damaged.text ? (size_t)(quote - h.name)
					  : damaged.len - 1;
	hotspot_begin_thread(r, &h);
}

/* "Thread 4711: (state = BLOCKED)": jstack -F before JDK 9. */
static void hotspot_on_numbered(struct hotspot *r, struct line body)
{
	struct dump_header h = { .name = "" };
	size_t word = strlen("Thread ");
	size_t digits = dump_decimal(body.text + word, body.len - word,
				     &h.os_id);

	body.text += word + digits;
	body.len -= word + digits;
	if (digits && line_starts(body, ": (state = "))
		hotspot_begin_thread(r, &h);
	else if (!line_starts(body, ": 0x")) /* a line of a debug VM */
		hotspot_count_inside(r);
}

/* "----------------- 4711 -----------------": jhsdb jstack --mixed. */
static void hotspot_on_lwp(struct hotspot *r, struct line body)
{
	struct dump_header h = { .name = "" };

	while (body.len && (body.text[0] == '-' || body.text[0] == ' ')) {
		body.text++;
		body.len--;
	}
	if (!r->by_sa || !dump_decimal(body.text, body.len, &h.os_id)) {
		hotspot_count_inside(r);
		return;
	}
	hotspot_begin_thread(r, &h);
	r->by_sa_lwp = r->is_mixed = true;
}

static void hotspot_on_frame_text(struct hotspot *r, enum dump_frame_form form,
				  struct line text)
{
	if (!r->dump.open || r->astray) {
		hotspot_count_inside(r);
		return;
	}
	r->gap = r->by_sa_lwp = false;
	hotspot_settle_wait(r, text);
	if (!thread_dump_frame(&r->dump, form, text.text, text.len) &&
	    !lines_end_open(&r->lines.lines))
		thread_dump_odd(&r->dump, DUMP_BAD_FRAME,
				hotspot_line_number(r));
}

static void hotspot_on_frame(struct hotspot *r, struct line body)
{
	body.text += strlen("at ");
	body.len -= strlen("at ");
	hotspot_on_frame_text(r, DUMP_FRAME_JAVA, body);
}

/*
 * "-  locked c.D@1f" and "- c.D@1f", a synchronizer, by ThreadInfo. The object
 * of "-  waiting on" and "-  blocked on" is in the header, too.
 */
static void hotspot_on_owned(struct hotspot *r, struct line body)
{
	static const char locked[] = "locked ";
	enum tapped_lock_kind kind = TAPPED_OWNS_SYNCHRONIZER;
	struct dump_wait owned = { 0 };

	line_cut(&body, ' ');
	body = line_trimmed(body);
	if (line_starts(body, locked)) {
		kind = TAPPED_OWNS;
		line_cut(&body, ' ');
	}
	if (memchr(body.text, ' ', body.len))
		return;
	owned.object = body;
	hotspot_add_lock(r, kind, &owned);
}

/* Only a tap needs locks; a line in an astray part belongs to no thread. */
static void hotspot_on_lock(struct hotspot *r, struct line body)
{
	struct dump_lock lock;

	if (!r->dump.profile->thread_tap || r->astray)
		return;
	if (dump_lock_parse(body, &lock))
		thread_dump_lock(&r->dump, &lock);
	else if (r->by_jmx)
		hotspot_on_owned(r, body);
}

/* " on c.D@1f owned by "NAME" Id=12" below the state, by IntelliJ. */
static void hotspot_on_object(struct hotspot *r, struct line body)
{
	struct dump_wait wait;

	if (!r->by_jmx || !r->dump.open || r->dump.frame_count) {
		hotspot_count_inside(r);
		return;
	}
	wait = dump_wait_parse((struct line){ body.text + 3, body.len - 3 });
	hotspot_on_wait(r, &wait);
}

/* ThreadInfo.toString() prints at most 8 frames, and "..." for the others. */
static void hotspot_on_dots(struct hotspot *r, struct line body)
{
	if (!line_is(body, "...") || !r->by_jmx || r->astray) {
		hotspot_count_inside(r);
		return;
	}
	thread_dump_truncate(&r->dump);
	thread_dump_odd(&r->dump, DUMP_SHORT, hotspot_line_number(r));
}

/* A lock, or a frame of jhsdb. */
static void hotspot_on_dash(struct hotspot *r, struct line body)
{
	if (!r->by_sa || !hotspot_dump_has(body, " @bci=")) {
		hotspot_on_lock(r, body);
		return;
	}
	body.text += strlen("- ");
	body.len -= strlen("- ");
	hotspot_on_frame_text(r, DUMP_FRAME_SA, body);
}

/* A JavaThread in the list of threads, or a frame of jhsdb jstack --mixed. */
static void hotspot_on_address(struct hotspot *r, struct line body)
{
	if (r->is_mixed)
		hotspot_on_frame_text(r, DUMP_FRAME_MIXED, body);
}

static void hotspot_on_state(struct hotspot *r, struct line body)
{
	struct dump_header nameless = { .name = "" };
	struct thread_dump *d = &r->dump;
	size_t from = strlen("java.lang.Thread.State: ");
	size_t to = from;

	if (!d->open || r->astray || d->state_said || d->frame_count) {
		thread_dump_odd(d, DUMP_BAD_THREAD, hotspot_line_number(r));
		hotspot_begin_thread(r, &nameless);
	}
	while (to < body.len && body.text[to] != ' ')
		to++;
	d->state = dump_state(body.text + from, to - from);
	d->state_said = true;
	r->gap = false;
}

/*
 * A thread without its name, which HotSpot prints for JFR's sampler up to JDK
 * 17.
 */
static void hotspot_on_nameless(struct hotspot *r, struct line body)
{
	struct dump_header nameless = { .name = "" };

	(void)body;
	hotspot_begin_thread(r, &nameless);
}

/* A line of a carrier since JDK 21. */
static void hotspot_on_carrying(struct hotspot *r, struct line body)
{
	size_t from = strlen("Carrying virtual thread #");

	if (r->dump.open && !r->astray)
		dump_decimal(body.text + from, body.len - from,
			     &r->dump.tap.peer_id);
}

/* The second half of a carrier's block since JDK 25. */
static void hotspot_on_mounted(struct hotspot *r, struct line body)
{
	struct dump_header h = { .name = "", .is_virtual = true };
	size_t from = strlen("Mounted virtual thread #");
	int64_t carrier = r->dump.thread.java_id;

	if (!r->dump.open || r->astray) {
		hotspot_count_inside(r);
		return;
	}
	dump_decimal(body.text + from, body.len - from, &h.java_id);
	hotspot_begin_thread(r, &h);
	r->dump.tap.peer_id = carrier;
}

static void hotspot_end_threads(struct hotspot *r, enum part next)
{
	thread_dump_end(&r->dump);
	r->part = next;
}

static void hotspot_on_footer(struct hotspot *r, struct line body)
{
	(void)body;
	hotspot_end_threads(r, SECTION_FOOTER);
}

/* Begins a deadlock in the JVM's list. */
static void hotspot_begin_deadlock(struct hotspot *r)
{
	r->in_traces = false;
	if (r->dump.profile->thread_tap)
		thread_dump_deadlock(&r->dump, TAPPED_DEADLOCK,
				     (struct line){ "", 0 });
}

static void hotspot_on_deadlock(struct hotspot *r, struct line body)
{
	(void)body;
	hotspot_end_threads(r, SECTION_DEADLOCKS);
	hotspot_begin_deadlock(r);
}

static void hotspot_on_heap(struct hotspot *r, struct line body)
{
	if (body.len == strlen("Heap"))
		hotspot_end_threads(r, SECTION_HEAP);
	else
		hotspot_count_inside(r);
}

static void hotspot_on_nothing(struct hotspot *r, struct line body)
{
	(void)r;
	(void)body;
}

/* Starts of a dump's lines, after spaces; the frequent ones first. */
static const struct {
	const char *start;
	void (*act)(struct hotspot *r, struct line body);
} known[] = {
	{ "at ", hotspot_on_frame },
	{ "- ", hotspot_on_dash },
	{ "\"", hotspot_on_header },
	{ "java.lang.Thread.State: ", hotspot_on_state },
	{ "0x", hotspot_on_address },
	{ "Locked ownable synchronizers:", hotspot_on_nothing },
	{ "JavaThread state:", hotspot_on_nothing },
	{ "Carrying virtual thread #", hotspot_on_carrying },
	{ "Mounted virtual thread #", hotspot_on_mounted },
	{ "No compile task", hotspot_on_nothing },
	{ "Compiling:", hotspot_on_nothing },
	{ "on ", hotspot_on_object },
	{ "...", hotspot_on_dots },
	{ "Number of locked synchronizers = ", hotspot_on_nothing },
	{ "(in native)", hotspot_on_nothing },
	{ "(suspended)", hotspot_on_nothing },
	{ "JNI locked monitors:", hotspot_on_nothing },
	{ "JNI global ref", hotspot_on_footer },
	{ "Found one Java-level deadlock", hotspot_on_deadlock },
	{ "Heap", hotspot_on_heap },
	{ "os_prio=", hotspot_on_nameless },
	{ "Thread ", hotspot_on_numbered },
	{ "-----", hotspot_on_lwp },
	{ thread_list, hotspot_on_nothing },
	{ "_",
	  hotspot_on_nothing }, /* _java_thread_list=, _to_delete_list=, … */
	{ "}", hotspot_on_nothing },
	{ "No deadlocks found", hotspot_on_nothing },
};

/*
 * True for the first line of a logged exception's stack trace, whose frames
 * look like a thread's.
 */
static bool line_is_exception(struct line body)
{
	static const char *const ends[] = { "Exception", "Error", "Throwable" };
	const char *colon = memchr(body.text, ':', body.len);

	if (line_starts(body, "Caused by: ") ||
	    line_starts(body, "Exception in thread "))
		return true;
	if (colon)
		body.len = (size_t)(colon - body.text);
	if (memchr(body.text, ' ', body.len))
		return false; /* not a class name */
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (line_ends(body, ends[i]))
			return true;
	}
	return false;
}

static void hotspot_in_threads(struct hotspot *r, struct line line)
{
	struct line body = line_trimmed(line);
	int64_t time_ns;

	if (!body.len) {
		/* The indentation of a line may be left of it. */
		r->gap = !lines_end_open(&r->lines.lines);
		r->heading = false;
		return;
	}
	if (dump_line_is_cut(&r->lines, line) && !line_starts(line, "JNI "))
		return;
	/* "    JDK version: …" of JDK 26, and additions of later versions. */
	if (r->heading && line.text[0] == ' ')
		return;
	if (line.text[0] == '"') {
		hotspot_on_header(
			r, line); /* a line of the name may end with spaces */
		return;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		/* The first character rejects nearly all without a call. */
		if (body.text[0] == known[i].start[0] &&
		    line_starts(body, known[i].start)) {
			known[i].act(r, body);
			return;
		}
	}
	if (line_is_date(body, &time_ns) || line_is_number(body))
		return;
	hotspot_count_inside(r);
	/*
	 * A log line: if it is inside of a stack trace, the thread continues
	 * after it.
	 */
	if (r->gap || line_is_exception(body))
		r->astray = true;
}

/* A dump whose first line has unknown wording. */
static void hotspot_begin_listed_dump(struct hotspot *r)
{
	int64_t time_ns = r->date_ns;

	if (!r->dated || hotspot_line_number(r) - r->dated > HEADING_LINES)
		time_ns = 0;
	hotspot_begin_dump(r, false);
	r->heading = false;
	r->dump.time_ns = time_ns;
}

/*
 * True if a header of JMX, which anything may contain, has the state that
 * ThreadInfo prints, or if a state follows it, behind any prefix of a log.
 */
static bool header_is_certain(const struct dump_header *h, struct lines ahead)
{
	struct line line;

	return h->state || (lines_next(&ahead, &line) &&
			    hotspot_dump_has(line, state_line));
}

/* Returns the line from its first quote on, behind any prefix of a log. */
static struct line line_header(struct line line)
{
	const char *quote = line.len ? memchr(line.text, '"', line.len) : NULL;
	size_t prefix = quote ? (size_t)(quote - line.text) : line.len;

	return (struct line){ line.text + prefix, line.len - prefix };
}

static void hotspot_in_outside(struct hotspot *r, struct line line)
{
	struct line body = line_trimmed(line), header;
	struct dump_header h;

	if (line_is_date(body, &r->date_ns)) {
		r->dated = hotspot_line_number(r);
		return;
	}
	if (!body.len || line_is_number(body) || dump_line_is_greeting(body))
		return;
	if (line_is(body, thread_list)) {
		hotspot_begin_listed_dump(r);
		return;
	}
	header = line_header(body);
	if (header.len && dump_header_parse(header.text, header.len, 0, &h) &&
	    ((!h.by_jmx && header.len == body.len) ||
	     header_is_certain(&h, r->lines.lines))) {
		struct line raw = r->before;

		log_lines_prefix(&r->lines, line,
				 (size_t)(header.text - line.text));
		r->before = (struct line){ 0 };
		hotspot_begin_dump(r, false);
		r->before = raw;
		/* The start of the log has been removed; JMX prints none. */
		if (!h.by_jmx)
			thread_dump_odd(&r->dump, DUMP_HEADLESS,
					hotspot_line_number(r));
		hotspot_begin_thread(r, &h);
		return;
	}
	/* Unless it is the date of a dump in an unknown log format. */
	r->doubtful = hotspot_line_number(r);
}

static void hotspot_settle_doubt(struct hotspot *r)
{
	if (r->doubtful)
		thread_dump_odd(&r->dump, DUMP_LINE_OUTSIDE, r->doubtful);
	r->doubtful = 0;
}

/* Returns the text between the last occurrences of two texts; or an empty one.
 */
static struct line line_between(struct line line, const char *open, char close)
{
	const char *at = memmem(line.text, line.len, open, strlen(open));
	const char *end = at ? memrchr(line.text, close, line.len) : NULL;

	if (at)
		at += strlen(open);
	if (!at || !end || end < at)
		return (struct line){ line.text, 0 };
	return (struct line){ at, (size_t)(end - at) };
}

/*
 * A list of deadlocks, before the stack traces:
 *	"A":
 *	  waiting to lock monitor 0x… (object 0x…, a c.D),
 *	  waiting for ownable synchronizer 0x…, (a c.D),
 *	  which is held by "B"
 */
static void hotspot_tap_deadlock(struct hotspot *r, struct line line)
{
	enum tapped_deadlock_kind kind = TAPPED_DEADLOCK_LOCK;
	struct line body = line_trimmed(line), text;
	const char *comma;

	if (line_starts(line, "Java stack information"))
		r->in_traces = true;
	if (r->in_traces)
		return;
	if (line_starts(line, "\"") && line_ends(line, "\":")) {
		kind = TAPPED_DEADLOCK_THREAD;
		text = line_between(line, "\"", '"');
	} else if (line_starts(body, "which is held by \"")) {
		kind = TAPPED_DEADLOCK_OWNER;
		text = line_between(body, "\"", '"');
	} else if (line_starts(body, "waiting to lock ")) {
		text = line_between(body, "bject", ',');
	} else if (line_starts(body, "waiting for ownable synchronizer ")) {
		text = line_between(body, "synchronizer ", ',');
	} else {
		return;
	}
	if (kind == TAPPED_DEADLOCK_LOCK) {
		while (text.len &&
		       (text.text[0] == ' ' || text.text[0] == '@')) {
			text.text++;
			text.len--;
		}
		comma = memchr(text.text, ',', text.len);
		if (comma)
			text.len = (size_t)(comma - text.text);
	}
	thread_dump_deadlock(&r->dump, kind, text);
}

/*
 * "Found 2 deadlocks." ends the section; jhsdb prints "Found a total of 2 …".
 */
static void hotspot_in_deadlocks(struct hotspot *r, struct line line)
{
	size_t word = strlen("Found ");

	if (line_starts(line, "Found one Java-level deadlock"))
		hotspot_begin_deadlock(r);
	else if (r->dump.profile->thread_tap)
		hotspot_tap_deadlock(r, line);
	if (line_is(line, "Heap"))
		r->part = SECTION_HEAP;
	else if (line_starts(line, "Found a total of ") ||
		 (line_starts(line, "Found ") && line.len > word &&
		  line.text[word] >= '0' && line.text[word] <= '9'))
		r->part = r->by_sa ? SECTION_THREADS : SECTION_FOOTER;
}

static void hotspot_in_footer(struct hotspot *r, struct line line)
{
	if (line_starts(line, "Found one Java-level deadlock"))
		hotspot_on_deadlock(r, line);
	else if (line_is(line, "Heap"))
		r->part = SECTION_HEAP;
	else
		hotspot_in_outside(r, line);
}

static void hotspot_in_heap(struct hotspot *r, struct line line)
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
	r->part = SECTION_OUTSIDE;
	hotspot_in_outside(r, line);
}

static void (*const in_part[])(struct hotspot *r, struct line line) = {
	[SECTION_OUTSIDE] = hotspot_in_outside,
	[SECTION_THREADS] = hotspot_in_threads,
	[SECTION_DEADLOCKS] = hotspot_in_deadlocks,
	[SECTION_FOOTER] = hotspot_in_footer,
	[SECTION_HEAP] = hotspot_in_heap,
};

/* Returns the VM's name and version in the first line of a dump. */
static struct line line_vm(struct line line, size_t offset)
{
	size_t from = offset + sizeof(full_dump) - 1;
	struct line vm = line_trimmed(
		(struct line){ line.text + from, line.len - from });

	if (line_ends(vm, ":"))
		vm.len--;
	return vm;
}

/* JDK 5 and older print no JNI references at the end of a dump. */
static bool line_has_no_end(struct line vm)
{
	const char *at = memmem(vm.text, vm.len, "(1.", 3);

	return at && at + 3 < vm.text + vm.len && at[3] < '6';
}

static void hotspot_on_line(struct hotspot *r, struct line line)
{
	size_t offset;

	if (line_begins_dump(line, r->lines.lines, &offset)) {
		bool by_sa = line_starts(line, "Deadlock Detection:");
		struct line vm = by_sa ? (struct line){ "", 0 }
				       : line_vm(line, offset);
		uint32_t name = profile_string(r->dump.profile, vm.text,
					       vm.len);
		bool is_old = line_has_no_end(vm);

		if (offset)
			log_lines_prefix(&r->lines, line, offset);
		/* It decodes the line before, into the memory of this line. */
		hotspot_begin_dump(r, by_sa);
		r->dump.vm = name;
		r->is_old = is_old;
		if (r->dump.time_ns)
			r->doubtful = 0;
		hotspot_settle_doubt(r);
	} else {
		hotspot_settle_doubt(r);
		in_part[r->part](r, line);
	}
}

static int hotspot_read(const uint8_t *bytes, size_t len, struct profile *p,
			struct error *err)
{
	struct hotspot r = { .part = SECTION_OUTSIDE };
	struct line line;
	int ret = 0;

	thread_dump_init(&r.dump, p);
	log_lines_init(&r.lines, bytes, len);
	while (log_lines_next(&r.lines, &line)) {
		hotspot_on_line(&r, line);
		r.before = r.lines.raw;
		if (hotspot_line_number(&r) % PROGRESS_LINES == 0)
			profile_progress(p,
					 (uint64_t)(r.lines.lines.at -
						    (const char *)bytes),
					 len);
	}
	hotspot_settle_doubt(&r);
	hotspot_end_dump(&r);
	thread_dump_finish(&r.dump);
	if (!r.dump.threads)
		ret = fail(err, ERROR_INPUT, "%s",
			   r.dumps ? "a thread dump without threads"
				   : "no thread dump found (no line \"Full "
				     "thread dump …\")");
	text_release(&r.joined);
	text_release(&r.object);
	text_release(&r.owner);
	log_lines_release(&r.lines);
	thread_dump_release(&r.dump);
	return ret;
}

/* A web page about thread dumps is not a dump. */
static bool head_is_markup(const uint8_t *head, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (head[i] != ' ' && head[i] != '\n' && head[i] != '\r')
			return head[i] == '<';
	}
	return false;
}

/*
 * Looks for a dump's first line, its list of threads, or a thread: a header
 * followed by a state. The words of the first line may change, as in JDK 26.
 */
static bool hotspot_sniff(const uint8_t *head, size_t len)
{
	struct log_lines lines;
	struct line line;
	struct dump_header h;
	size_t offset;
	bool in_thread = false;
	bool found = false;

	h.state = STATE_NONE;

	if (head_is_markup(head, len))
		return false;
	log_lines_init(&lines, head, len);
	while (!found && log_lines_next(&lines, &line)) {
		struct line body = line_trimmed(line);

		found = line_begins_dump(line, lines.lines, &offset) ||
			line_is(body, thread_list) ||
			(in_thread &&
			 (h.state ? line_starts(body, "at ")
				  : hotspot_dump_has(body, state_line)));
		line = line_header(line);
		in_thread = line.len &&
			    dump_header_parse(line.text, line.len, 0, &h);
	}
	log_lines_release(&lines);
	return found;
}

const struct reader hotspot_dialect = {
	.name = "hotspot",
	.summary = "HotSpot thread dumps",
	.sniff = hotspot_sniff,
	.read = hotspot_read,
};
