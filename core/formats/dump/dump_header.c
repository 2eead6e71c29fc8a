/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/dump/dump_header.h"

#include "core/base/ascii.h"
#include "core/base/lines.h"

#include <string.h>

/* Maximum digits of a number that always fits int64_t. */
#define MOST_DIGITS 18

size_t dump_decimal(const char *text, size_t len, int64_t *value)
{
	int64_t sum = 0;
	size_t i = 0;

	while (i < len && is_digit(text[i])) {
		if (i == MOST_DIGITS)
			return 0;
		sum = sum * 10 + (text[i++] - '0');
	}
	if (i)
		*value = sum;
	return i;
}

size_t dump_hex(const char *text, size_t len, int64_t *value)
{
	uint64_t sum = 0;
	size_t i = 0;

	while (i < len && hex_digit(text[i]) >= 0) {
		if (i == 16)
			return 0;
		sum = sum << 4 | (uint64_t)hex_digit(text[i++]);
	}
	if (i)
		*value = (int64_t)(sum & INT64_MAX);
	return i;
}

enum thread_state dump_state(const char *text, size_t len)
{
	for (int s = STATE_NONE + 1; s < THREAD_STATES; s++) {
		if (line_is((struct line){ text, len }, thread_state_names[s]))
			return (enum thread_state)s;
	}
	return STATE_NONE;
}

/* Returns the next word from *at on; empty at the end. */
static struct line header_next_word(const char *text, size_t len, size_t *at)
{
	size_t from = *at, to;

	while (from < len && is_blank(text[from]))
		from++;
	to = from;
	while (to < len && !is_blank(text[to]))
		to++;
	*at = to;
	return (struct line){ text + from, to - from };
}

/*
 * Returns the position of the quote that ends the name at `name`; it must be in
 * the last line. 0 if there is none.
 */
static size_t name_closing_quote(const char *text, size_t len, size_t last_line,
				 size_t name)
{
	size_t from = last_line > name ? last_line : name;
	const char *quote;

	if (from >= len)
		return 0;
	quote = memrchr(text + from, '"', len - from);
	return quote ? (size_t)(quote - text) : 0;
}

/* Parses "#12" or "[12]": the whole word must be a number in its frame. */
static bool word_framed_number(struct line word, char open, char close,
			       int64_t *value)
{
	size_t digits;

	if (word.len < 2 || word.text[0] != open)
		return false;
	digits = dump_decimal(word.text + 1, word.len - 1, value);
	if (close)
		return digits && digits + 2 == word.len &&
		       word.text[word.len - 1] == close;
	return digits && digits + 1 == word.len;
}

/* Old JDKs on macOS print addresses without 0x. */
static bool word_address(const char *text, size_t len, int64_t *value)
{
	if (len > 2 && text[0] == '0' && text[1] == 'x') {
		text += 2;
		len -= 2;
	}
	return len && dump_hex(text, len, value) == len;
}

/* True for "prio=5", "cpu=0.3ms" and settings of later JDKs. */
static bool word_is_setting(struct line word)
{
	const char *equals = memchr(word.text, '=', word.len);

	if (!equals || equals == word.text)
		return false;
	for (const char *at = word.text; at < equals; at++) {
		if (*at != '_' && !(*at >= 'a' && *at <= 'z'))
			return false;
	}
	return equals + 1 < word.text + word.len;
}

/*
 * nid=0x1a03 up to JDK 17, nid=6659 since then (JDK-8268425); only the prefix
 * tells the base. NA, 0 and -1 mean that there is no thread id.
 */
static void header_read_nid(struct line word, struct dump_header *h)
{
	const char *text = word.text + 4;
	size_t len = word.len - 4;
	int64_t id = 0;

	if (len > 2 && text[0] == '0' && text[1] == 'x') {
		if (dump_hex(text + 2, len - 2, &id) == len - 2)
			h->os_id = id;
	} else if (dump_decimal(text, len, &id) == len) {
		h->os_id = id;
	}
}

/*
 * Parses allocated=95408B, 163K, 1774M: rounded down to its unit; -e, JDK 11.
 */
static bool header_read_allocated(struct line word, struct dump_header *h)
{
	static const char name[] = "allocated=";
	static const char units[] = "BKMGT";
	size_t from = sizeof(name) - 1;
	size_t digits;
	const char *unit;
	uint64_t step;
	int64_t value;

	if (!line_starts(word, name))
		return false;
	digits = dump_decimal(word.text + from, word.len - from, &value);
	if (!digits || from + digits + 1 != word.len)
		return false;
	unit = strchr(units, word.text[word.len - 1]);
	if (!unit || !*unit)
		return false;
	step = UINT64_C(1) << 10 * (unit - units);
	if (__builtin_mul_overflow((uint64_t)value, step, &h->allocated))
		return false;
	h->allocated_step = step;
	return true;
}

/* Parses "0.33ms" or "1.52s" into nanoseconds; false for another text. */
static bool word_time(const char *text, size_t len, int64_t *ns)
{
	int64_t whole, unit, sum;
	size_t at = dump_decimal(text, len, &whole);
	size_t point = at;

	if (!at)
		return false;
	while (at < len && (is_digit(text[at]) || text[at] == '.'))
		at++;
	if (line_is((struct line){ text + at, len - at }, "ms"))
		unit = 1000000;
	else if (line_is((struct line){ text + at, len - at }, "s"))
		unit = 1000000000;
	else
		return false;
	if (__builtin_mul_overflow(whole, unit, &sum))
		return false;
	if (point < at && text[point] == '.') {
		for (size_t i = point + 1; i < at && is_digit(text[i]); i++)
			sum += (unit /= 10) * (text[i] - '0');
	}
	*ns = sum;
	return true;
}

/* Parses cpu=0.33ms and elapsed=1.52s, JDK 11. */
static bool header_read_time(struct line word, const char *name, int64_t *ns)
{
	size_t from = strlen(name);

	return line_starts(word, name) &&
	       word_time(word.text + from, word.len - from, ns);
}

/* Parses one of "#12 [4711] daemon prio=5 …", the words before the address. */
static bool header_read_setting(struct line word, struct dump_header *h)
{
	if (line_is(word, "daemon")) {
		h->is_daemon = true;
		return true;
	}
	return word_framed_number(word, '#', 0, &h->java_id) ||
	       word_framed_number(word, '[', ']', &h->os_id) ||
	       header_read_time(word, "cpu=", &h->cpu_ns) ||
	       header_read_time(word, "elapsed=", &h->elapsed_ns) ||
	       header_read_allocated(word, h) || word_is_setting(word);
}

/*
 * The words after the nid are the state of the OSThread: "runnable" or a wait,
 * also for the VM, which Java's state does not tell.
 */
static bool words_wait(struct line words)
{
	return line_starts(words, "waiting ") ||
	       line_starts(words, "in Object.wait()") ||
	       line_starts(words, "sleeping");
}

/*
 * Parses all words up to the address, which is required, and the optional nid.
 */
static bool header_read_vm(const char *text, size_t len, struct dump_header *h)
{
	size_t at = 0;
	struct line word = header_next_word(text, len, &at);
	int64_t address;

	while (!line_starts(word, "tid=")) {
		if (!word.len || !header_read_setting(word, h))
			return false;
		word = header_next_word(text, len, &at);
	}
	if (!word_address(word.text + 4, word.len - 4, &address))
		return false;
	h->by_jmx = address == 0; /* format of IntelliJ */
	/* Since JDK 21, carriers of virtual threads have no nid. */
	word = header_next_word(text, len, &at);
	if (line_starts(word, "nid=")) {
		header_read_nid(word, h);
		word = header_next_word(text, len, &at);
	}
	h->waits = words_wait(
		(struct line){ word.text, (size_t)(text + len - word.text) });
	return true;
}

static bool header_read_jmx(const char *text, size_t len, struct dump_header *h)
{
	static const char lead[] = " - Thread t@";
	size_t lead_len = sizeof(lead) - 1;
	size_t digits;

	if (len < lead_len || memcmp(text, lead, lead_len) != 0)
		return false;
	text += lead_len;
	len -= lead_len;
	digits = dump_decimal(text, len, &h->java_id);
	while (len > digits && is_blank(text[len - 1]))
		len--;
	h->by_jmx = true;
	return digits && digits == len;
}

struct dump_wait dump_wait_parse(struct line text)
{
	static const char owner[] = " owned by \"", id[] = "\" Id=";
	struct dump_wait wait = {
		.object = line_cut(&text, ' '),
		.owner_name = { "", 0 },
	};
	const char *end = text.text + text.len, *at = NULL, *next = text.text;

	/* line_cut() has removed the space before "owned". */
	if (!line_starts(text, owner + 1))
		return wait;
	while ((next = memmem(next, (size_t)(end - next), id,
			      sizeof(id) - 1))) {
		next += sizeof(id) - 1;
		at = next;
	}
	if (at && dump_decimal(at, (size_t)(end - at), &wait.owner_id)) {
		wait.owner_name.text = text.text + sizeof(owner) - 2;
		wait.owner_name.len = (size_t)(at - wait.owner_name.text) -
				      (sizeof(id) - 1);
	}
	return wait;
}

/* Parses the words of ThreadInfo.toString() after the name. */
static bool header_read_info(const char *text, size_t len,
			     struct dump_header *h)
{
	size_t at = 0;
	struct line word = header_next_word(text, len, &at);

	while (line_is(word, "daemon") || line_starts(word, "prio=")) {
		h->is_daemon |= line_is(word, "daemon");
		word = header_next_word(text, len, &at);
	}
	if (!line_starts(word, "Id=") ||
	    dump_decimal(word.text + 3, word.len - 3, &h->java_id) + 3 !=
		    word.len)
		return false;
	word = header_next_word(text, len, &at);
	h->state = dump_state(word.text, word.len);
	h->by_jmx = true;
	word = header_next_word(text, len, &at);
	if (line_is(word, "on") && at < len)
		h->wait = dump_wait_parse(
			(struct line){ text + at + 1, len - at - 1 });
	return h->state != STATE_NONE;
}

/* The name of the lock's owner is in quotes, too. */
static bool header_parse_owned(const char *text, size_t len, size_t last_line,
			       struct dump_header *h)
{
	static const char owner[] = " owned by \"";
	const char *at = memmem(text, len, owner, sizeof(owner) - 1);
	size_t quote = at ? name_closing_quote(text, (size_t)(at - text),
					       last_line, 1)
			  : 0;

	if (!quote)
		return false;
	*h = (struct dump_header){ .name = text + 1, .name_len = quote - 1 };
	return header_read_info(text + quote + 1, len - quote - 1, h);
}

bool dump_header_parse(const char *text, size_t len, size_t last_line,
		       struct dump_header *h)
{
	size_t quote;

	if (!len || text[0] != '"')
		return false;
	quote = name_closing_quote(text, len, last_line, 1);
	if (!quote)
		return false;
	*h = (struct dump_header){ .name = text + 1, .name_len = quote - 1 };
	return header_read_vm(text + quote + 1, len - quote - 1, h) ||
	       header_read_jmx(text + quote + 1, len - quote - 1, h) ||
	       header_read_info(text + quote + 1, len - quote - 1, h) ||
	       header_parse_owned(text, len, last_line, h);
}

bool dump_header_to_file(const char *text, size_t len, size_t last_line,
			 struct dump_header *h)
{
	size_t at, name, quote;
	int64_t id;

	if (len < 2 || text[0] != '#')
		return false;
	at = 1 + dump_decimal(text + 1, len - 1, &id);
	if (at == 1 || len - at < 2 || memcmp(text + at, " \"", 2) != 0)
		return false;
	name = at + 2;
	quote = name_closing_quote(text, len, last_line, name);
	if (!quote)
		return false;
	*h = (struct dump_header){
		.name = text + name,
		.name_len = quote - name,
		.java_id = id,
	};
	at = quote + 1;
	for (;;) {
		struct line word = header_next_word(text, len, &at);
		enum thread_state state = dump_state(word.text, word.len);

		if (!word.len)
			return true;
		if (line_is(word, "virtual"))
			h->is_virtual = true;
		else if (state)
			h->state = state;
		else if (!is_digit(word.text[0])) /* otherwise the word is the
						     time */
			return false;
	}
}

bool dump_line_is_greeting(struct line line)
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
