/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/hs_err.h"

#include "core/base/ascii.h"
#include "core/base/json.h"
#include "core/base/log_lines.h"
#include "core/base/text.h"
#include "core/jvm/java_command.h"

#include <stdarg.h>
#include <string.h>

struct hs_err_parser;

/* Parses a line, or its rest behind the prefix of a step. */
typedef void hs_err_line_fn(struct hs_err_parser *p, struct line line);

struct hs_err_parser {
	struct hs_err *e;
	hs_err_line_fn *section; /* for the lines until an empty line */
	const char *title;       /* the prefix of its step */
	const char *gc_text;     /* of the last event, without its heap */
	const char *space_title; /* of the next space of the heap, or NULL */
	bool in_body;            /* behind the lines that begin with # */
	bool wants_frame;        /* the next line of # is the frame */
	bool is_at_end;          /* the log has its last line */
};

/* ---- words of a line ---- */

/* Returns the line without its first count bytes, at most all. */
static struct line line_skip(struct line line, size_t count)
{
	if (count > line.len)
		count = line.len;
	return (struct line){ line.text + count, line.len - count };
}

/* Reads the next word of *rest; an empty word at the end. */
static struct line line_word(struct line *rest)
{
	*rest = line_trimmed(*rest);
	return line_cut(rest, ' ');
}

/* Returns the file name of a path of Linux or Windows. */
static struct line line_base(struct line path)
{
	for (size_t i = path.len; i > 0; i--)
		if (path.text[i - 1] == '/' || path.text[i - 1] == '\\')
			return line_skip(path, i);
	return path;
}

/*
 * Reads digits of a base, or hexadecimal digits behind 0x, at the start of
 * *rest, at most 64 bits; false if there are none.
 */
static bool line_number(struct line *rest, int base, uint64_t *number)
{
	size_t count = 0;

	if (line_starts(*rest, "0x")) {
		*rest = line_skip(*rest, 2);
		base = 16;
	}
	*number = 0;
	for (; count < rest->len && *number <= UINT64_MAX / 16; count++) {
		int digit = hex_digit(rest->text[count]);

		if (digit < 0 || digit >= base)
			break;
		*number = *number * (unsigned)base + (unsigned)digit;
	}
	*rest = line_skip(*rest, count);
	return count;
}

/* Reads "948K", "64M", "536870912" or "1921628 k" as bytes. */
static bool line_size(struct line *rest, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	const char *unit;
	int shift;

	if (!line_number(rest, 10, bytes))
		return false;
	*rest = line_trimmed(*rest);
	unit = rest->len ? strchr(units, rest->text[0] & ~0x20) : NULL;
	if (!unit || !*unit || (rest->len > 1 && is_letter(rest->text[1])))
		return true;
	*rest = line_skip(*rest, 1);
	shift = 10 * (int)(unit - units + 1);
	*bytes = *bytes > HS_ERR_ABSENT >> shift ? HS_ERR_ABSENT
						 : *bytes << shift;
	return true;
}

/* Reads "0.033621" of "0.033621 seconds". */
static bool line_seconds(struct line *rest, double *seconds)
{
	struct json_reader r = json_reader_over(rest->text, rest->len);

	*seconds = json_read_double(&r);
	line_word(rest);
	return !r.failed && *seconds >= 0 && *seconds < 1e12;
}

/* Keeps a string, without blanks around it; NULL for an empty one. */
static const char *hs_err_string(struct hs_err *e, struct line text)
{
	text = line_trimmed(text);
	if (text.len > HS_ERR_STRING) {
		e->cut_strings++;
		text.len = HS_ERR_STRING;
	}
	return text.len ? arena_copy(&e->arena, text.text, text.len) : NULL;
}

/* The same for a string that is not set yet. */
static void hs_err_set(struct hs_err *e, const char **string, struct line text)
{
	if (!*string)
		*string = hs_err_string(e, text);
}

/* Reads a value and the literals behind it; see line_scan(). */
static bool line_read(struct hs_err *e, struct line *line, char type,
		      struct line literals, void *value)
{
	struct line rest = line_trimmed(*line), text = *line;
	const char *end = line->len && literals.len
				  ? memmem(line->text, line->len, literals.text,
					   literals.len)
				  : NULL;
	uint64_t number = 0;
	double seconds = 0;

	if (strchr("*sl", type)) {
		text.len = end ? (size_t)(end - text.text) : text.len;
		*line = line_skip(*line, text.len + literals.len);
		if (type == 's')
			hs_err_set(e, value, text);
		else if (type == 'l')
			*(struct line *)value = line_trimmed(text);
		return end || type != '*';
	}
	if (type == 'f'   ? !line_seconds(&rest, &seconds)
	    : type == 'z' ? !line_size(&rest, &number)
			  : !line_number(&rest, type == 'x' ? 16 : 10, &number))
		return false;
	rest = line_trimmed(rest);
	if (literals.len && rest.text != end)
		return false;
	*line = line_skip(rest, literals.len);
	if (type == 'f')
		*(double *)value = seconds;
	else
		*(uint64_t *)value = number;
	return true;
}

/*
 * Reads a line by a pattern that begins with literals. * skips what precedes
 * the literals behind it. %u %x %z %f read a number with decimal or hexadecimal
 * digits, a size, or seconds, with blanks around it. %s and %l read the text
 * before the literals, or before the end, into a string that is not set yet, or
 * as a line. False for another line; the values before the mismatch are read.
 */
static bool line_scan(struct hs_err *e, struct line line, const char *pattern,
		      ...)
{
	size_t len = strcspn(pattern, "*%");
	va_list args;
	bool ok = line.len >= len && memcmp(line.text, pattern, len) == 0;

	line = line_skip(line, len);
	va_start(args, pattern);
	for (pattern += len; ok && *pattern; pattern += len) {
		bool is_value = *pattern == '%';
		char type = pattern[is_value];
		struct line literals;

		pattern += 1 + is_value;
		len = strcspn(pattern, "*%");
		literals = (struct line){ pattern, len };
		ok = line_read(e, &line, type, literals,
			       is_value ? va_arg(args, void *) : NULL);
	}
	va_end(args);
	return ok;
}

/* ---- libraries ---- */

static bool library_is_platform(struct line name)
{
	/* Of the JDK, then of the system; without a prefix and a suffix. */
	static const char names[] =
		"jvm java jli nio net zip verify jimage awt awt_xawt "
		"awt_headless awt_lwawt fontmanager freetype lcms javajpeg "
		"mlib_image splashscreen jsound instrument management "
		"management_ext management_agent jdwp dt_socket dt_shmem "
		"attach prefs j2pkcs11 j2gss j2pcsc jaas sctp extnet rmi "
		"saproc jsvml simdsort syslookup sunec unpack jpeg le jsig "
		"hsdis-amd64 hsdis-aarch64 "
		"c m dl rt pthread stdc++ gcc_s z ntdll KERNEL32 KERNELBASE "
		"kernel32 ucrtbase msvcrt MSVCR100 VCRUNTIME140 system_kernel "
		"system_platform system_pthread system_c system_malloc c++ "
		"c++abi linux-vdso ld ld-linux-x86-64 ld-linux-aarch64 "
		"ld-musl-x86_64 ld-musl-aarch64 linux-gate";
	struct line all = { names, sizeof(names) - 1 }, known;

	name = line_skip(name, line_starts(name, "lib") ? 3 : 0);
	name = line_cut(&name, '.');
	/* glibc before 2.35 has files such as libc-2.31.so. */
	if (name.len && memmem(name.text, name.len, "-2", 2))
		name = line_cut(&name, '-');
	while ((known = line_cut(&all, ' ')).len)
		if (known.len == name.len &&
		    memcmp(known.text, name.text, name.len) == 0)
			return true;
	return false;
}

/* Returns the path at the end of a line of mapped files, or an empty line. */
static struct line library_path(struct line line)
{
	for (size_t i = 0; i + 1 < line.len; i++) {
		if (line.text[i] == '/')
			return line_skip(line, i);
		if (line.text[i] == ':' && line.text[i + 1] == '\\' && i > 0)
			return line_skip(line, i - 1);
	}
	return line_skip(line, line.len);
}

/*
 * Linux:   7fa0f4000000-7fa0f4099000 r--p 00000000 fe:00 326789     /path
 * Windows: 0x00007ff6e6a50000 - 0x00007ff6e6a60000 	C:\path
 */
static void parse_library(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	struct line path = line_trimmed(library_path(line));
	bool is_deleted = line_ends(path, " (deleted)");
	uint64_t low, high;

	e->mappings = e->mappings == HS_ERR_ABSENT ? 1 : e->mappings + 1;
	path.len -= is_deleted ? strlen(" (deleted)") : 0;
	if (!path.len)
		return;
	for (size_t i = 0; i <= e->native.count; i++) {
		struct hs_err_frame *f = i ? &e->native.frames[i - 1]
					   : &e->frame;

		if (f->library && !f->path &&
		    line_is(line_base(path), f->library)) {
			f->path = hs_err_string(e, path);
			f->is_deleted = is_deleted;
		}
	}
	if (e->has_address && line_scan(e, line, "%x-%x", &low, &high) &&
	    e->address >= low && e->address < high)
		hs_err_set(e, &e->mapped_file, path);
}

/* "0 slots: 0x00007f…: JNI_OnLoad+0x127 in /srv/libapp.so at 0x…" */
static void parse_stack_slot(struct hs_err_parser *p, struct line line)
{
	struct line path, base;

	if (!line_scan(p->e, line, "* in %l at 0x", &path))
		return;
	base = line_base(path);
	if (base.len && base.len < path.len && !library_is_platform(base))
		hs_err_set(p->e, &p->e->stack_library, path);
}

/* ---- frames ---- */

/*
 * "[libapp.so+0x11d9]  orders_decode+0x0", or an address without a library. The
 * file name may contain a '+', as that of libstdc++ does.
 */
static void frame_read_native(struct hs_err *e, struct line text,
			      struct hs_err_frame *f)
{
	struct line name;
	const char *plus;

	if (!line_scan(e, text, "[%l]%s", &name, &f->symbol)) {
		f->has_offset = line_scan(e, text, "%x", &f->offset);
		return;
	}
	plus = name.len ? memrchr(name.text, '+', name.len) : NULL;
	if (plus) {
		size_t len = (size_t)(plus - name.text);

		f->has_offset = line_scan(e, line_skip(name, len + 1), "%x",
					  &f->offset);
		name.len = len;
	}
	f->library = hs_err_string(e, name);
	f->is_platform = library_is_platform(name);
}

/*
 * Parses "C  [libapp.so+0x11d9]  orders_decode+0x0"; false for other lines.
 * Java: "java.lang.String.length()I+0 java.base@17", interpreted, or
 * "57 % c2 java.lang.String.length()I (20 bytes) @ 0x… [0x…+0x…]", compiled.
 */
static bool frame_read(struct hs_err *e, struct line line,
		       struct hs_err_frame *f)
{
	struct line word;

	*f = (struct hs_err_frame){ 0 };
	if (line.len < 3 || !memchr("CVvJjA", line.text[0], 6) ||
	    line.text[1] != ' ')
		return false;
	f->kind = line.text[0];
	line = line_trimmed(line_skip(line, 1));
	line_scan(e, line, "%s @ 0x", &f->text);
	if (!f->text)
		f->text = "";
	if (f->kind == 'C' || f->kind == 'V')
		frame_read_native(e, line, f);
	while (!f->method && strchr("JjA", f->kind) &&
	       (word = line_word(&line)).len)
		if (memchr(word.text, '(', word.len))
			line_scan(e, word, "%s(", &f->method);
	return true;
}

static void parse_frame(struct hs_err_parser *p, struct line line)
{
	struct hs_err_stack *s = *p->title == 'N' ? &p->e->native : &p->e->java;

	if (s->count < HS_ERR_FRAMES)
		s->count += frame_read(p->e, line, &s->frames[s->count]);
	else
		s->omitted++;
}

/* ---- the process and its thread ---- */

/*
 * Keeps the command with each word masked; quoted spaces are lost in the log
 * already. Only JDK 8 has the options and the program in two lines.
 */
static void parse_command(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	struct java_words words = { 0 };
	struct text text = { 0 };
	size_t begin = 0;
	struct line word;

	if (e->command && strcmp(p->title, "java_command: ") != 0)
		return;
	if (line.len > HS_ERR_COMMAND) {
		e->cut_strings++;
		line.len = HS_ERR_COMMAND;
	}
	while ((word = line_word(&line)).len)
		java_words_add(&words, word.text, word.len);
	if (e->command) {
		text_printf(&text, "%s ", e->command);
		begin = text.len;
	}
	for (size_t i = 0; i < words.count; i++) {
		text_puts(&text, i ? " " : "");
		secrets_add_arg(&text, i ? words.at[i - 1] : NULL, words.at[i]);
	}
	if (words.count && begin <= HS_ERR_COMMAND &&
	    (!begin || !strstr(e->command, text.bytes + begin)))
		e->command = arena_copy(&e->arena, text.bytes, text.len);
	java_words_release(&words);
	text_release(&text);
}

/*
 * JavaThread "main" daemon [_thread_in_native, id=1, stack(0x…,0x…) (1024K)]
 * VMThread "VM Thread" [stack: 0x…,0x…] [id=2]
 */
static void parse_thread(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	size_t kind;
	const char *quote;

	if (!line_scan(e, line, "*):%l", &line) || !line.len)
		return;
	for (kind = 0; kind < line.len && !strchr("[\"", line.text[kind]);)
		kind++;
	hs_err_set(e, &e->thread_kind, (struct line){ line.text, kind });
	line = line_skip(line, kind);
	quote = line.len ? memrchr(line.text, '"', line.len) : NULL;
	if (quote > line.text) {
		size_t len = (size_t)(quote - line.text);

		hs_err_set(e, &e->thread,
			   (struct line){ line.text + 1, len - 1 });
		line = line_skip(line, len);
	}
	line_scan(e, line, "*[_thread_%s,", &e->thread_state);
	line_scan(e, line, "*stack(%x,%x)", &e->stack_low, &e->stack_high);
	line_scan(e, line, "*stack: %x,%x]", &e->stack_low, &e->stack_high);
}

/* "C2:    646   44 %     4       Crash::work @ 10 (47 bytes)" */
static void parse_compilation(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	struct line word;

	line_scan(e, line, "%s:", &e->compiler);
	while ((word = line_word(&line)).len)
		if (memmem(word.text, word.len, "::", 2))
			hs_err_set(e, &e->compiled, word);
}

/*
 * si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x10
 * si_code: 0 (SI_USER), si_pid: 17360, si_uid: 0; JDK 8: sent from pid: 17360
 * EXCEPTION_ACCESS_VIOLATION (0xc0000005), reading address 0x10
 */
static void parse_siginfo(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;

	e->has_address = line_scan(e, line, "*si_addr: %x", &e->address) ||
			 line_scan(e, line, "*si_addr=%x", &e->address) ||
			 line_scan(e, line, "* address %x", &e->address);
	e->sent_by_kill |= line_scan(e, line, "*si_pid: %u", &e->sender) ||
			   line_scan(e, line, "*from pid: %u", &e->sender);
	if (!e->sender && e->code && strncmp(e->code, "SI_", 3) == 0 &&
	    strcmp(e->code, "SI_KERNEL") != 0) {
		/* JDK 8 prints si_addr, which is in a union with si_pid. */
		e->sent_by_kill = true;
		e->sender = e->address & UINT32_MAX;
	}
	e->has_address &= !e->sent_by_kill;
}

/* ---- the heap and the memory ---- */

static void space_add(struct hs_err *e, struct line name, uint64_t used,
		      uint64_t committed)
{
	const char *kept = hs_err_string(e, name);

	if (kept && e->space_count < HS_ERR_SPACES)
		e->spaces[e->space_count++] = (struct hs_err_space){
			kept, used, committed
		};
}

/* "region size 1024K, 1 young (1024K), 0 survivors (0K)" of G1 */
static void space_add_regions(struct hs_err *e, struct line line)
{
	uint64_t count, bytes;
	struct line name;

	while (line.len)
		if (line_scan(e, line_cut(&line, ','), "%u%l(%z)", &count,
			      &name, &bytes))
			space_add(e, name, bytes, HS_ERR_ABSENT);
}

/* Returns the words before the first number and keyword. */
static struct line space_name(struct line line)
{
	struct line word, rest = line;

	do
		word = line_word(&rest);
	while (word.len && !is_digit(word.text[0]) && !line_is(word, "total") &&
	       !line_is(word, "used") && !line_is(word, "reserved"));
	return (struct line){ line.text, (size_t)(word.text - line.text) };
}

/* The size in the part of a line with a word: "used 948K", "10M used". */
static bool space_size(struct line line, const char *name, uint64_t *bytes)
{
	struct line part, word, rest;

	while (line.len) {
		rest = part = line_cut(&line, ',');
		while (memmem(part.text, part.len, name, strlen(name)) &&
		       (word = line_word(&rest)).len)
			if (is_digit(word.text[0]))
				return line_size(&word, bytes);
	}
	return false;
}

/*
 * "eden space 16384K, 6% used [0x…,0x…,0x…)": the first and the second address
 * enclose the used part. "Shenandoah Heap" has its sizes in the next line,
 * which lacks a name.
 */
static void parse_space(struct hs_err_parser *p, struct line line)
{
	uint64_t used = HS_ERR_ABSENT, committed = HS_ERR_ABSENT, low, top;
	struct hs_err *e = p->e;
	struct line name = space_name(line_trimmed(line)), sizes;

	line_scan(e, line, "%l[", &sizes);
	if (line_starts(sizes, "region size")) {
		space_add_regions(e, sizes);
		return;
	}
	(void)(space_size(sizes, " committed", &committed) ||
	       space_size(sizes, " total", &committed) ||
	       space_size(sizes, " capacity", &committed) ||
	       space_size(sizes, " space", &committed));
	if (line_scan(e, line, "*used [%x,%x", &low, &top) && top >= low)
		used = top - low;
	else if (!space_size(sizes, " used", &used) &&
		 committed == HS_ERR_ABSENT)
		p->space_title = hs_err_string(e, sizes);
	if (!name.len && p->space_title)
		name = (struct line){ p->space_title, strlen(p->space_title) };
	if (used != HS_ERR_ABSENT || committed != HS_ERR_ABSENT)
		space_add(e, name, used, committed);
}

/* Adds a limit by a pattern of its name and value. */
static void limit_add(struct hs_err *e, struct hs_err_limit *limits,
		      size_t *count, struct line line, const char *pattern)
{
	struct hs_err_limit l = { NULL, NULL };

	line_scan(e, line, pattern, &l.name, &l.value);
	if (l.name && l.value && *count < HS_ERR_LIMITS)
		limits[(*count)++] = l;
}

/* " (soft/hard): STACK 8192k/infinity , CORE 0k/0k , …"; JDK 8: soft only */
static void parse_limits(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;

	line_cut(&line, ':');
	while (line.len)
		limit_add(e, e->limits, &e->limit_count,
			  line_trimmed(line_cut(&line, ',')), "%s %s/");
}

static void parse_container(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;

	limit_add(e, e->container, &e->container_count, line, "%s:%s");
}

/* The title has the number; in JDK 11, the line behind it does. */
static void parse_max_mappings(struct hs_err_parser *p, struct line line)
{
	if (line_scan(p->e, line, "*):%u", &p->e->max_mappings) ||
	    line_scan(p->e, line, "%u", &p->e->max_mappings))
		p->section = NULL;
}

/* ---- events ---- */

/* Keeps the last events of all lists; each list is in order of time. */
static void event_add(struct hs_err *e, struct hs_err_event event)
{
	size_t at = e->event_count;

	if (at == HS_ERR_EVENTS) {
		if (event.seconds < e->events[0].seconds)
			return;
		memmove(e->events, e->events + 1,
			(HS_ERR_EVENTS - 1) * sizeof(*e->events));
		at--;
	}
	e->event_count = at + 1;
	for (; at > 0 && e->events[at - 1].seconds > event.seconds; at--)
		e->events[at] = e->events[at - 1];
	e->events[at] = event;
}

/* Adds the first space of the heap to "GC heap before" and "GC heap after". */
static void event_add_heap(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	struct text text = { 0 };

	if (!p->gc_text || !line_scan(e, line, "*used "))
		return;
	line_scan(e, line, "%l[", &line);
	text_printf(&text, "%s: ", p->gc_text);
	text_add(&text, line.text,
		 line.len < HS_ERR_STRING ? line.len : HS_ERR_STRING);
	for (size_t i = 0; i < e->event_count; i++)
		if (e->events[i].text == p->gc_text)
			e->events[i].text = arena_copy(&e->arena, text.bytes,
						       text.len);
	p->gc_text = NULL;
	text_release(&text);
}

/* "Event: 0.022 Thread 0x… Exception <a 'java/lang/…'{0x…}: …> (0x…) …" */
static void parse_event(struct hs_err_parser *p, struct line line)
{
	struct hs_err_event event = {
		.kind = *p->title == 'G'   ? "gc"
			: *p->title == 'D' ? "deoptimization"
					   : "exception",
	};

	if (!line_scan(p->e, line, "Event: %f%l", &event.seconds, &line)) {
		event_add_heap(p, line);
		return;
	}
	line_scan(p->e, line, "Thread 0x* %l", &line);
	/* JDK 22: "{heap Before GC invocations=0 (full 0):" */
	line = line_skip(line, line_starts(line, "{"));
	line.len -= line_ends(line, ":");
	p->gc_text = event.text = hs_err_string(p->e, line);
	if (event.text)
		event_add(p->e, event);
}

/* ---- the whole log ---- */

/* Facts that one line has. */
static void parse_facts(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;

	line_scan(e, line, "Time: *elapsed time: %f", &e->elapsed);
	line_scan(e, line, "Current thread is %s", &e->thread_kind);
	line_scan(e, line, "Stack: [%x,%x]", &e->stack_low, &e->stack_high);
	line_scan(e, line, "Stack: [*sp=%x", &e->stack_pointer);
	line_scan(e, line, "VM_Operation (*): %s,", &e->operation);
	line_scan(e, line, "siginfo:*si_code*(%s)", &e->code);
	line_scan(e, line, "Total number of mappings: %u", &e->mappings);
	line_scan(e, line, "memory_limit_in_bytes:%z", &e->container_memory);
	line_scan(e, line, "memory_usage_in_bytes:%z", &e->container_usage);
	line_scan(e, line, "Memory: *physical %z(%z", &e->memory,
		  &e->memory_free);
	line_scan(e, line, "Memory: *swap %z(%z", &e->swap, &e->swap_free);
	if (line_starts(line, "[error occurred during error reporting") ||
	    line_starts(line, "[timeout occurred during error reporting"))
		e->failed_steps++;
	/* JDK 8 ends with the elapsed time. */
	p->is_at_end = line_is(line, "END.") ||
		       line_scan(e, line, "elapsed time: %f", &e->elapsed);
}

/* clang-format off */
static const struct {
	const char *prefix;
	hs_err_line_fn *parse;   /* gets the rest of the line, or NULL */
	hs_err_line_fn *section; /* for the lines that follow, or NULL */
} steps[] = {
	{ "---------------", NULL, NULL },
	{ "Command Line: ", parse_command, NULL },
	{ "jvm_args: ", parse_command, NULL },
	{ "java_command: ", parse_command, NULL },
	{ "Current thread (", parse_thread, NULL },
	{ "Current CompileTask:", NULL, parse_compilation },
	{ "Native frames:", NULL, parse_frame },
	{ "Java frames:", NULL, parse_frame },
	{ "siginfo:", parse_siginfo, NULL },
	{ "stack at sp + ", parse_stack_slot, NULL },
	{ "Heap:", NULL, parse_space },
	{ "GC Heap ", NULL, parse_event },
	{ "Deoptimization events", NULL, parse_event },
	{ "Internal exceptions", NULL, parse_event },
	{ "Dynamic libraries:", NULL, parse_library },
	{ "Total number of mappings: ", NULL, NULL },
	{ "Memory: ", NULL, NULL },
	{ "rlimit", parse_limits, NULL },
	{ "container (cgroup) information:", NULL, parse_container },
	{ "/proc/sys/vm/max_map_count", parse_max_mappings, parse_max_mappings },
};
/* clang-format on */

/* Parses a line that begins with #. */
static void parse_header(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	bool is_memory = e->kind == HS_ERR_NO_MEMORY;
	struct line path, call, rest;

	line = line_trimmed(line_skip(line, 1));
	line_scan(e, line, "JRE version:%s", &e->jre);
	line_scan(e, line, "Java VM:%s", &e->vm);
	line_scan(e, line, "*, pid=%u", &e->pid);
	line_scan(e, line, "*, tid=%u", &e->tid);
	line_scan(e, line, "fatal error: OutOfMemory encountered: %s",
		  &e->reason);
	if (line_scan(e, line, "*allocation (%l) failed to %l", &call, &rest) &&
	    line_scan(e, rest, "* %u", &e->allocation))
		hs_err_set(e, &e->call, call);
	if (p->wants_frame) {
		frame_read(e, line, &e->frame);
	} else if (line_scan(e, line, "Core dump ") ||
		   line_scan(e, line, "No core ") ||
		   line_scan(e, line, "Failed to write core dump") ||
		   line_scan(e, line, "CreateCoredumpOnCrash") ||
		   line_scan(e, line, "*inidump")) {
		e->has_core = line_starts(line, "Core dump ");
		hs_err_set(e, &e->core, line);
	} else if (line_scan(e, line, "There is insufficient memory")) {
		e->kind = HS_ERR_NO_MEMORY;
	} else if (line_scan(e, line, "Internal Error (%l)", &path) ||
		   line_scan(e, line, "Out of Memory Error (%l)", &path)) {
		e->kind = is_memory ? HS_ERR_NO_MEMORY : HS_ERR_INTERNAL;
		/* Builds of others have the path of the build machine. */
		hs_err_set(e, &e->source, line_base(path));
	} else if (!is_memory && line_scan(e, line, "* at pc=")) {
		e->kind = HS_ERR_SIGNAL;
		e->sent_by_kill = line_scan(e, line, "*(sent by kill)");
		line_scan(e, line, "%s (", &e->signal);
	} else if (e->kind >= HS_ERR_INTERNAL && !e->jre) {
		/* Behind it, JDK 8 has "INVALID (0xe0000002) at pc=0x0". */
		hs_err_set(e, &e->message, line);
	}
	p->wants_frame = line_starts(line, "Problematic frame:");
}

static void parse_line(struct hs_err_parser *p, struct line line)
{
	if (!p->in_body && line_starts(line, "#")) {
		parse_header(p, line);
		return;
	}
	if (!line.len || line_ends(line, " events):") ||
	    line_ends(line, " event):"))
		p->section = NULL;
	parse_facts(p, line);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (!line_starts(line, steps[i].prefix))
			continue;
		p->in_body = true;
		p->section = steps[i].section;
		p->title = steps[i].prefix;
		if (steps[i].parse)
			steps[i].parse(p, line_skip(line, strlen(p->title)));
		return;
	}
	if (p->section)
		p->section(p, line);
}

/* The second line of a log; the first is "#". */
#define BEGIN           "# A fatal error has been detected by "
#define BEGIN_NO_MEMORY "# There is insufficient memory for the Java Runtime "

int hs_err_read(struct hs_err *e, const void *bytes, size_t len,
		struct error *err)
{
	struct hs_err_parser p = { .e = e };
	struct log_lines lines;
	struct line line;
	bool is_log = false;

	*e = (struct hs_err){
		.elapsed = -1,
		.memory = HS_ERR_ABSENT,
		.memory_free = HS_ERR_ABSENT,
		.swap = HS_ERR_ABSENT,
		.swap_free = HS_ERR_ABSENT,
		.container_memory = HS_ERR_ABSENT,
		.container_usage = HS_ERR_ABSENT,
		.mappings = HS_ERR_ABSENT,
		.max_mappings = HS_ERR_ABSENT,
	};
	log_lines_init(&lines, bytes, len);
	/* Lines of other programs may precede the log. */
	while (!p.is_at_end && log_lines_next(&lines, &line)) {
		is_log = is_log || line_starts(line, BEGIN) ||
			 line_starts(line, BEGIN_NO_MEMORY);
		if (is_log)
			parse_line(&p, line);
	}
	e->is_header = !p.in_body;
	e->is_truncated = !p.is_at_end;
	log_lines_release(&lines);
	return is_log ? 0
		      : fail(err, ERROR_INPUT, "no fatal error log of HotSpot");
}

void hs_err_release(struct hs_err *e) { arena_release(&e->arena); }
