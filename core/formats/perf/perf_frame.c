/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the frames of perf script(1). */
#include "core/formats/perf/perf_text.h"

#include "core/base/ascii.h"
#include "core/profile/java_name.h"

#include <string.h>

#define KERNEL_DIGITS 16 /* of an address such as ffffffff9c076a3a */

/* The parts of a line "ADDRESS SYMBOL+0x1e (FILE)". */
struct perf_place {
	struct line symbol; /* without the offset */
	struct line file;
	bool is_kernel;
};

/* Returns the number of hexadecimal digits at the start, 0 for a longer word.
 */
static size_t place_address_length(struct line l)
{
	size_t n = 0;

	while (n < l.len && hex_digit(l.text[n]) >= 0)
		n++;
	return n < l.len && is_blank(l.text[n]) ? n : 0;
}

/*
 * Finds the " (" before the file. A path may contain parentheses, and
 * "(deleted)" may follow it, so the last one before a path is preferred.
 * Returns its position, or 0.
 */
static size_t place_find_file(struct line l)
{
	size_t last = 0;

	if (l.len < 4 || l.text[l.len - 1] != ')')
		return 0;
	for (size_t i = l.len - 2; i > 0; i--) {
		char next = l.text[i + 1];

		if (l.text[i] != '(' || l.text[i - 1] != ' ')
			continue;
		if (next == '/' || next == '[')
			return i;
		if (!last)
			last = i;
	}
	return last;
}

static void place_cut_offset(struct line *symbol)
{
	size_t at = symbol->len;

	while (at && hex_digit(symbol->text[at - 1]) >= 0)
		at--;
	if (at > 3 && at < symbol->len &&
	    memcmp(symbol->text + at - 3, "+0x", 3) == 0)
		symbol->len = at - 3;
}

static bool file_is_kernel(struct line file)
{
	return line_starts(file, "[kernel") ||
	       line_starts(file, "[guest.kernel") || line_ends(file, ".ko") ||
	       line_ends(file, ".ko.xz") || line_ends(file, ".ko.zst") ||
	       line_ends(file, ".ko.gz");
}

static bool place_parse(struct line l, struct perf_place *place)
{
	size_t digits, at;

	l = line_trimmed(l);
	digits = place_address_length(l);
	place->is_kernel = digits == KERNEL_DIGITS &&
			   memcmp(l.text, "ffff", 4) == 0;
	l.text += digits;
	l.len -= digits;
	at = place_find_file(l);
	if (!at)
		return false;
	place->file = (struct line){ l.text + at + 1, l.len - at - 2 };
	place->symbol = line_trimmed((struct line){ l.text, at });
	place_cut_offset(&place->symbol);
	if (line_starts(place->file, "[vsyscall"))
		place->is_kernel = false;
	else
		place->is_kernel |= file_is_kernel(place->file);
	return place->symbol.len > 0;
}

static struct line file_base(struct line file)
{
	const char *slash = memrchr(file.text, '/', file.len);
	size_t skipped = slash ? (size_t)(slash + 1 - file.text) : 0;

	return (struct line){ file.text + skipped, file.len - skipped };
}

/*
 * True for perf-4711.map, the names of compiled code, and jitted-4711-12.so,
 * the libraries that perf inject(1) makes of them.
 */
static bool file_is_java(struct line file)
{
	struct line base = file_base(file);

	return (line_starts(base, "perf-") && line_ends(base, ".map")) ||
	       (line_starts(base, "jitted-") && line_ends(base, ".so"));
}

/* Splits "a/B::m" or "a/B;m" at what; false if it is not there. */
static bool java_split(struct line *name, const char *what, struct line *method)
{
	size_t len = strlen(what);
	const char *at = memmem(name->text, name->len, what, len);
	size_t before;

	if (!at || at == name->text)
		return false;
	before = (size_t)(at - name->text);
	*method = (struct line){ at + len, name->len - before - len };
	name->len = before;
	return method->len > 0;
}

/*
 * Splits a Java method in any spelling of the tools that write perf's maps:
 *    Ljava/io/File;::read      perf-map-agent; java.io.File::read
 *    Ljava/io/File;read(I)V    perf's JVMTI agent
 *    int java.io.File.read(int)   jcmd Compiler.perfmap
 *    java.io.File.read         sjkc perfmap
 */
static bool java_parse(struct line name, struct line *class_name,
		       struct line *method)
{
	const char *paren = memchr(name.text, '(', name.len);
	const char *dot;

	*class_name = name;
	if (name.text[0] == 'L' && java_split(class_name, ";", method)) {
		class_name->text++;
		class_name->len--;
		while (method->len && strchr(":.", method->text[0])) {
			method->text++;
			method->len--;
		}
		paren = memchr(method->text, '(', method->len);
		if (paren)
			method->len = (size_t)(paren - method->text);
		return class_name->len && method->len;
	}
	if (paren)
		name.len = (size_t)(paren - name.text);
	while (memchr(name.text, ' ', name.len))
		line_cut(&name, ' '); /* the type of the result */
	*class_name = name;
	if (java_split(class_name, "::", method))
		return true;
	dot = memrchr(name.text, '.', name.len);
	if (!dot || dot == name.text || dot + 1 == name.text + name.len)
		return false;
	class_name->len = (size_t)(dot - name.text);
	*method = (struct line){ dot + 1, name.len - class_name->len - 1 };
	return true;
}

static uint32_t java_frame(struct profile *p, struct line name,
			   enum frame_kind kind)
{
	struct frame f = { .kind = kind };
	struct line class_name, method;

	if (name.len && java_parse(name, &class_name, &method)) {
		f.class_name = java_class_name(p, class_name.text,
					       class_name.len);
		f.method = profile_string(p, method.text, method.len);
	} else {
		/* The interpreter and stubs are in the map, too. */
		f.kind = line_is(name, "Interpreter") ? FRAME_INTERPRETED
						      : FRAME_NATIVE;
		f.method = profile_string(p, name.text, name.len);
	}
	return profile_frame(p, &f);
}

/*
 * Adds the frames of "caller->inlined->inlined", which perf-map-agent writes,
 * leaf first.
 */
static size_t java_frames(struct profile *p, struct line symbol,
			  uint32_t frames[PERF_FRAMES])
{
	size_t count = 0;

	while (count + 1 < PERF_FRAMES) {
		const char *arrow = NULL, *at = symbol.text;
		const char *end = symbol.text + symbol.len;

		while ((at = memmem(at, (size_t)(end - at), "->", 2))) {
			arrow = at;
			at += 2;
		}
		if (!arrow || arrow == symbol.text || arrow + 2 == end)
			break;
		frames[count++] = java_frame(
			p,
			(struct line){ arrow + 2, (size_t)(end - arrow - 2) },
			FRAME_INLINED);
		symbol.len = (size_t)(arrow - symbol.text);
	}
	frames[count++] = java_frame(p, symbol, FRAME_JIT);
	return count;
}

/* Names code without a symbol after its file, as prof does: [libc.so.6]. */
static uint32_t place_unknown_frame(struct profile *p,
				    const struct perf_place *place)
{
	struct frame f = { .kind = place->is_kernel ? FRAME_KERNEL
						    : FRAME_NATIVE };
	struct line base = file_base(place->file);
	char name[256];
	int len;

	if (file_is_java(place->file) || line_is(place->file, "[unknown]") ||
	    line_is(place->file, "unknown") || !base.len) {
		if (!place->is_kernel)
			f.kind = FRAME_SYNTHETIC;
		f.method = profile_string(p, "[unknown]", 9);
		return profile_frame(p, &f);
	}
	if (base.text[0] == '[') {
		f.method = profile_string(p, base.text, base.len);
		return profile_frame(p, &f);
	}
	len = snprintf(name, sizeof(name), "[%.*s]",
		       base.len < 200 ? (int)base.len : 200, base.text);
	f.method = profile_string(p, name, (size_t)len);
	return profile_frame(p, &f);
}

size_t perf_frames(struct profile *p, struct line line,
		   uint32_t frames[PERF_FRAMES])
{
	struct perf_place place;
	struct frame f = { 0 };
	struct line s;

	if (!place_parse(line, &place))
		return 0;
	s = place.symbol;
	if (line_is(s, "[unknown]")) {
		frames[0] = place_unknown_frame(p, &place);
		return 1;
	}
	if (file_is_java(place.file))
		return java_frames(p, s, frames);
	if (place.is_kernel)
		f.kind = FRAME_KERNEL;
	else if (line_is(place.file, "inlined"))
		f.kind = FRAME_INLINED;
	else
		f.kind = memmem(s.text, s.len, "::", 2) ? FRAME_CPP
							: FRAME_NATIVE;
	f.method = profile_string(p, s.text, s.len);
	frames[0] = profile_frame(p, &f);
	return 1;
}
