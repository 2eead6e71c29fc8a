/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hs_err_parser: the state of hs_err_read(), the functions for the parts of a
 * log, and the words of a line.
 */
#ifndef CORE_FORMATS_HS_ERR_HS_ERR_PARSER_H
#define CORE_FORMATS_HS_ERR_HS_ERR_PARSER_H

#include "core/base/lines.h"
#include "core/formats/hs_err/hs_err.h"

struct hs_err_parser;

/* Parses a line, or its rest after the prefix of a part. */
typedef void hs_err_line_fn(struct hs_err_parser *p, struct line line);

struct hs_err_parser {
	struct hs_err *e;
	hs_err_line_fn *section; /* for the lines until an empty line */
	const char *event_kind;  /* of the list of events, or NULL */
	const char *gc_text;     /* of the last event, without its heap */
	const char *space_title; /* of the next space of the heap, or NULL */
	bool in_body;            /* behind the lines that begin with # */
	bool wants_frame;        /* the next line of # is the frame */
	bool is_at_end;          /* the log has its last line */
};

/* Keeps a string, without blanks around it; NULL for an empty one. */
const char *hs_err_string(struct hs_err *e, struct line text);

/* The same for a string that is not set yet. */
void hs_err_set(struct hs_err *e, const char **string, struct line text);

/*
 * ---- hs_err_frames.c ----
 */

/* Parses "C  [libapp.so+0x11d9]  orders_decode+0x0"; false for other lines. */
bool hs_err_frame_read(struct hs_err *e, struct line line,
		       struct hs_err_frame *f);

hs_err_line_fn hs_err_parse_native_title, hs_err_parse_java_title,
	hs_err_parse_libraries_title, hs_err_parse_stack_slot;

/*
 * ---- hs_err_memory.c ----
 */
hs_err_line_fn hs_err_parse_heap_title, hs_err_parse_limits,
	hs_err_parse_container_title, hs_err_parse_memory,
	hs_err_parse_max_mappings;

/*
 * ---- hs_err_events.c ----
 */

/* True if the line is the title of a list of events, which it remembers. */
bool hs_err_parse_event_title(struct hs_err_parser *p, struct line line);

hs_err_line_fn hs_err_parse_event;

/*
 * ---- hs_err_words.c ----
 */

/* Sets *rest to the text behind the first needle; false if there is none. */
bool line_after(struct line line, const char *needle, struct line *rest);

/* Returns the text before the first needle, or the whole line. */
struct line line_before(struct line line, const char *needle);

/* Returns the line without its first count bytes, at most all. */
struct line line_skip(struct line line, size_t count);

/* Reads the next word of *rest; an empty word at the end. */
struct line line_word(struct line *rest);

/*
 * Each reads digits at the start of *rest, at most 64 bits; false if there are
 * none. Hexadecimal digits may begin with 0x.
 */
bool line_decimal(struct line *rest, uint64_t *number);
bool line_hex(struct line *rest, uint64_t *number);

/* Reads "948K", "64M", "536870912" or "1921628 k" as bytes. */
bool line_size(struct line *rest, uint64_t *bytes);

/* Returns the number in "0.033621 seconds", or -1. */
double line_seconds(struct line line);

#endif
