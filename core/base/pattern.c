/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/pattern.h"

#include "core/base/alloc.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define MATCH_LIMIT 1000000 /* backtracking steps per text */
#define MATCH_LEAST 10000
#define HEAP_LIMIT  20000 /* KiB */

struct pattern {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *context;
	uint32_t limit;
	size_t undecided;
};

static struct pattern *pattern_compile(const char *regex, uint32_t options,
				       struct error *err)
{
	struct pattern *p = xcalloc(1, sizeof(*p));
	PCRE2_SIZE at;
	PCRE2_UCHAR why[128];
	int code;

	p->code = pcre2_compile((PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED,
				options | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
					PCRE2_NEVER_BACKSLASH_C,
				&code, &at, NULL);
	if (!p->code) {
		pcre2_get_error_message(code, why, sizeof(why));
		fail(err, ERROR_MISUSE,
		     "invalid regular expression '%s': %s at character %zu",
		     regex, (const char *)why, (size_t)at + 1);
		pattern_free(p);
		return NULL;
	}
	/* If the JIT compiler is unavailable, PCRE2 interprets the pattern. */
	pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
	p->match = pcre2_match_data_create(1, NULL);
	p->context = pcre2_match_context_create(NULL);
	if (!p->match || !p->context)
		alloc_give_up(0);
	p->limit = MATCH_LIMIT;
	pcre2_set_match_limit(p->context, p->limit);
	pcre2_set_heap_limit(p->context, HEAP_LIMIT);
	return p;
}

struct pattern *pattern_new(const char *regex, struct error *err)
{
	return pattern_compile(regex, 0, err);
}

struct pattern *pattern_new_whole(const char *regex, struct error *err)
{
	return pattern_compile(regex, PCRE2_ANCHORED | PCRE2_ENDANCHORED, err);
}

bool pattern_matches(struct pattern *p, const char *text, size_t len)
{
	int ret = pcre2_match(p->code, (PCRE2_SPTR)text, len, 0, 0, p->match,
			      p->context);

	if (ret < PCRE2_ERROR_NOMATCH) {
		p->undecided++;
		/* Otherwise thousands of hostile names would take minutes. */
		if (p->limit > MATCH_LEAST)
			p->limit /= 2;
		pcre2_set_match_limit(p->context, p->limit);
	}
	/*
	 * 0 means that the text matched and had more groups than the one
	 * requested.
	 */
	return ret >= 0;
}

size_t pattern_undecided(const struct pattern *p) { return p->undecided; }

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	pcre2_match_context_free(p->context);
	pcre2_match_data_free(p->match);
	pcre2_code_free(p->code);
	free(p);
}
