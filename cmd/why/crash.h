/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash: the cause of a crash by its fatal error log, by a table of rules.
 */
#ifndef CMD_WHY_CRASH_H
#define CMD_WHY_CRASH_H

#include "core/base/text.h"
#include "core/formats/hs_err/hs_err.h"

#define CRASH_VALUE_BYTES 160 /* of a foreign value in the text */

struct crash {
	const struct hs_err *e;
	const char *path; /* of the log */
	/*
	 * The innermost frame of a library that is neither the JDK's nor the
	 * system's, called after the last Java method; or NULL.
	 */
	const struct hs_err_frame *culprit;
	const struct crash_rule *rule;
};

/* Finds the rule of a log. Both arguments are borrowed. */
void crash_init(struct crash *c, const struct hs_err *e, const char *path);

/* Returns the name of the rule: "native_library". */
const char *crash_rule_name(const struct crash *c);

/* Each appends a sentence: the cause, and the next step. */
void crash_add_cause(struct text *out, const struct crash *c);
void crash_add_next(struct text *out, const struct crash *c);

/* Appends foreign text, safe for a terminal and cut. NULL is unknown. */
void crash_add_text(struct text *out, const char *text);

/* Appends the sentences and the evidence, at most 30 lines. */
void crash_write_text(struct text *out, const struct crash *c);

/* Appends the JSON document "sjkc.hs_err/1". */
void crash_write_json(struct text *out, const struct crash *c);

#endif
