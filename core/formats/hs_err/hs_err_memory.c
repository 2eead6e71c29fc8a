/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/ascii.h"
#include "core/formats/hs_err/hs_err_parser.h"

#include <string.h>

/* ---- the heap ---- */

/* The size behind or before a word: "used 948K", "10M used". */
static uint64_t space_size(struct line line, const char *behind,
			   const char *before)
{
	uint64_t bytes = HS_ERR_ABSENT;
	struct line rest = line, word;

	if (line_after(line, behind, &rest) && line_size(&rest, &bytes))
		return bytes;
	while ((word = line_word(&rest)).len) {
		struct line next = line_trimmed(rest);

		if (is_digit(word.text[0]) && line_starts(next, before) &&
		    line_size(&word, &bytes))
			return bytes;
	}
	return HS_ERR_ABSENT;
}

/* Returns the words before the first number and keyword. */
static struct line space_name(struct line line)
{
	static const char *const keywords[] = { "total", "used", "reserved" };
	struct line word, rest = line;
	size_t len = 0;

	while ((word = line_word(&rest)).len && !is_digit(word.text[0])) {
		for (size_t i = 0; i < 3; i++)
			if (line_is(word, keywords[i]))
				return (struct line){ line.text, len };
		len = (size_t)(word.text - line.text) + word.len;
	}
	return (struct line){ line.text, len };
}

static void space_add(struct hs_err *e, struct line name, uint64_t used,
		      uint64_t committed)
{
	struct hs_err_space *s = &e->spaces[e->space_count];

	if (e->space_count == HS_ERR_SPACES || !name.len)
		return;
	s->name = hs_err_string(e, name);
	if (!s->name)
		return;
	s->used = used;
	s->committed = committed;
	e->space_count++;
}

/* "region size 1024K, 1 young (1024K), 0 survivors (0K)" of G1 */
static void space_add_regions(struct hs_err *e, struct line line)
{
	line_cut(&line, ',');
	while (line.len) {
		struct line part = line_trimmed(line_cut(&line, ',')), size;
		uint64_t count, bytes;

		if (line_decimal(&part, &count) &&
		    line_after(part, "(", &size) && line_size(&size, &bytes))
			space_add(e, line_trimmed(line_before(part, "(")),
				  bytes, HS_ERR_ABSENT);
	}
}

/*
 * "eden space 16384K, 6% used [0x…,0x…,0x…)": the first and the second address
 * enclose the used part. False for other lines.
 */
static bool space_add_part(struct hs_err *e, struct line line)
{
	struct line name = space_name(line), rest, size;
	uint64_t bytes, low, top;

	if (!line_after(line, "% used [", &rest) || !line_hex(&rest, &low) ||
	    !line_after(rest, ",", &rest))
		return false;
	rest = line_trimmed(rest);
	if (!line_hex(&rest, &top) || top < low)
		return false;
	size = line_trimmed(line_skip(line, name.len));
	if (!line_size(&size, &bytes))
		bytes = HS_ERR_ABSENT;
	space_add(e, name, top - low, bytes);
	return true;
}

/* "Shenandoah Heap" has its sizes in the next line, which lacks a name. */
static void parse_space(struct hs_err_parser *p, struct line line)
{
	uint64_t used, committed;
	struct line name;

	line = line_trimmed(line);
	if (space_add_part(p->e, line))
		return;
	line = line_trimmed(line_before(line, "["));
	if (line_starts(line, "region size")) {
		space_add_regions(p->e, line);
		return;
	}
	used = space_size(line, "used ", "used");
	committed = space_size(line, "committed ", "committed");
	if (committed == HS_ERR_ABSENT)
		committed = space_size(line, "total ", "total");
	if (committed == HS_ERR_ABSENT)
		committed = space_size(line, "capacity ", "capacity");
	if (used == HS_ERR_ABSENT && committed == HS_ERR_ABSENT) {
		p->space_title = hs_err_string(p->e, line);
		return;
	}
	name = space_name(line);
	if (!name.len && p->space_title)
		name = (struct line){ p->space_title, strlen(p->space_title) };
	space_add(p->e, name, used, committed);
}

void hs_err_parse_heap_title(struct hs_err_parser *p, struct line line)
{
	if (!line.len && !p->e->space_count)
		p->section = parse_space;
}

static void limit_add(struct hs_err *e, struct hs_err_limit *limits,
		      size_t *count, struct line name, struct line value)
{
	struct hs_err_limit *l = &limits[*count];

	if (*count == HS_ERR_LIMITS)
		return;
	l->name = hs_err_string(e, name);
	l->value = hs_err_string(e, value);
	if (l->name && l->value)
		++*count;
}

/* " (soft/hard): STACK 8192k/infinity , CORE 0k/0k , …"; JDK 8: soft only */
void hs_err_parse_limits(struct hs_err_parser *p, struct line line)
{
	struct line limit;

	if (p->e->limit_count)
		return;
	line_cut(&line, ':');
	while (line.len) {
		limit = line_cut(&line, ',');
		limit = line_trimmed(limit);
		if (limit.len) {
			struct line name = line_cut(&limit, ' ');

			limit_add(p->e, p->e->limits, &p->e->limit_count, name,
				  line_before(limit, "/"));
		}
	}
}

/* "memory_limit_in_bytes: 524288 k", in JDK 8 without a unit */
static void parse_container(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	struct line value, name = line_before(line, ":");

	if (!line_after(line, ":", &value))
		return;
	value = line_trimmed(value);
	limit_add(e, e->container, &e->container_count, name, value);
	if (line_is(name, "memory_limit_in_bytes") &&
	    !line_size(&value, &e->container_memory))
		e->container_memory = HS_ERR_ABSENT;
	if (line_is(name, "memory_usage_in_bytes") &&
	    !line_size(&value, &e->container_usage))
		e->container_usage = HS_ERR_ABSENT;
}

void hs_err_parse_container_title(struct hs_err_parser *p, struct line line)
{
	(void)line;
	if (!p->e->container_count)
		p->section = parse_container;
}

/* "24684084k(23217904k free)" behind a name */
static void memory_read(struct line line, const char *name, uint64_t *total,
			uint64_t *free_bytes)
{
	struct line rest;

	if (!line_after(line, name, &rest) || !line_size(&rest, total) ||
	    !line_after(rest, "(", &rest))
		return;
	line_size(&rest, free_bytes);
}

void hs_err_parse_memory(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;

	memory_read(line, "physical ", &e->memory, &e->memory_free);
	memory_read(line, "swap ", &e->swap, &e->swap_free);
}

/* JDK 11 has the number in the next line. */
void hs_err_parse_max_mappings(struct hs_err_parser *p, struct line line)
{
	struct line rest = line;
	uint64_t number;

	line_after(line, "):", &rest);
	rest = line_trimmed(rest);
	if (line_decimal(&rest, &number) && number)
		p->e->max_mappings = number;
	else
		p->section = hs_err_parse_max_mappings;
}
