/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/mappings.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/jvm/procfs_lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* 65,530 mappings (vm.max_map_count), not all with the longest paths. */
#define MAPS_MAX ((size_t)32 << 20)
/*
 * Bytes of paths. Beyond, only those of code are kept whole; beyond twice as
 * many, none.
 */
#define PATHS_MOST ((size_t)4 << 20)
#define PATH_TAIL  32

/*
 * Removes a number from the front of the line.  Returns false when there is
 * none or it is too large.
 */
static bool line_take_number(struct line *line, unsigned base, uint64_t *value)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < line->len; i++) {
		int digit = hex_digit(line->text[i]);

		if (digit < 0 || (unsigned)digit >= base)
			break;
		if (n > (UINT64_MAX - (unsigned)digit) / base)
			return false;
		n = n * base + (unsigned)digit;
	}
	line->text += i;
	line->len -= i;
	*value = n;
	return i > 0;
}

/* Removes one character, which must be c. */
static bool line_take(struct line *line, char c)
{
	if (!line->len || *line->text != c)
		return false;
	line->text++;
	line->len--;
	return true;
}

static void line_skip(struct line *line, size_t len)
{
	line->text += len;
	line->len -= len;
}

/*
 * Parses "start-end rwxp offset major:minor inode    path" (proc(5)); leaves
 * the path in *line.
 */
static bool mapping_read_line(struct line *line, struct mapping *m)
{
	uint64_t major, minor;

	if (!line_take_number(line, 16, &m->start) || !line_take(line, '-') ||
	    !line_take_number(line, 16, &m->end) || !line_take(line, ' ') ||
	    line->len < 4)
		return false;
	m->is_readable = line->text[0] == 'r';
	m->is_writable = line->text[1] == 'w';
	m->is_executable = line->text[2] == 'x';
	line_skip(line, 4);
	if (!line_take(line, ' ') || !line_take_number(line, 16, &m->offset) ||
	    !line_take(line, ' ') || !line_take_number(line, 16, &major) ||
	    !line_take(line, ':') || !line_take_number(line, 16, &minor) ||
	    !line_take(line, ' ') || !line_take_number(line, 10, &m->inode))
		return false;
	m->dev = makedev((unsigned)major, (unsigned)minor);
	while (line_take(line, ' '))
		;
	return m->start < m->end;
}

/* Most mappings have the path of the one before. */
static const char *mappings_keep_path(struct mappings *m, struct line path,
				      bool is_code)
{
	const char *last = m->count ? m->all[m->count - 1].path : "";

	/* The end tells more than the start. */
	if (m->paths.total > (is_code ? 2 * PATHS_MOST : PATHS_MOST) &&
	    path.len > PATH_TAIL)
		line_skip(&path, path.len - PATH_TAIL);
	if (strlen(last) == path.len && memcmp(last, path.text, path.len) == 0)
		return last;
	return arena_copy(&m->paths, path.text, path.len);
}

bool mappings_add_line(struct mappings *m, struct line line)
{
	struct mapping one = { 0 };

	/* Keep the kernel's order, which the search relies on. */
	if (!mapping_read_line(&line, &one) ||
	    (m->count && one.start < m->all[m->count - 1].end))
		return false;
	one.path = mappings_keep_path(m, line, one.is_executable);
	array_add(m->all, m->count, m->cap, one);
	return true;
}

static bool mappings_add_text(void *to, const char *text, size_t len)
{
	struct lines lines = lines_over(text, len);
	struct line line;

	while (lines_next(&lines, &line))
		mappings_add_line(to, line);
	return true;
}

static void mappings_clear(struct mappings *m)
{
	arena_release(&m->paths);
	m->count = 0;
}

void mappings_parse(struct mappings *m, const char *text, size_t len)
{
	mappings_clear(m);
	mappings_add_text(m, text, len);
}

int mappings_read(struct mappings *m, const struct jvm *jvm, struct error *err)
{
	mappings_clear(m);
	if (procfs_lines(jvm->pid, "maps", MAPS_MAX, mappings_add_text, m, err))
		return -1;
	if (!jvm_runs(jvm))
		return fail(err, ERROR_NO_TARGET, "%d has exited",
			    (int)jvm->pid);
	return 0;
}

void mappings_release(struct mappings *m)
{
	free(m->all);
	arena_release(&m->paths);
	*m = (struct mappings){ 0 };
}

const struct mapping *mappings_find(const struct mappings *m, uint64_t address)
{
	size_t low = 0, high = m->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (address < m->all[mid].start)
			high = mid;
		else if (address >= m->all[mid].end)
			low = mid + 1;
		else
			return &m->all[mid];
	}
	return NULL;
}
