/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/filter.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/error.h"
#include "core/base/pattern.h"
#include "core/base/text.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * trace_expression: an expression of SJK's -tf or -tt, compiled to a program.
 *
 *   a.b.Class.method     the text of a frame begins with it; * matches any
 *                        characters except dots, ** any, **. any prefix
 *   #state=BLOCK*        the thread's state
 *   A,B  A+B  A!B  !A    or; and; and not; not
 *   A/+B  A/!B           a frame matches A, and B holds (does not hold) for
 *                        the frames called by the A nearest the leaf
 *   A/^+B  A/^!B         likewise for the A nearest the root and its callees
 *
 * The comma binds closest, then the slashes, then plus and exclamation mark;
 * parentheses group. Source: TraceFilterPredicateParser of SJK 0.23.
 *
 * Each frame has a mask: bit i is set if pattern i matches it. A window is a
 * part of a stack trace, from some frame to the leaf: window 0 is the whole
 * stack trace, and each slash opens another window inside of the one it
 * applies to. The program only needs to know which patterns have matched in a
 * window so far, so a callee's windows follow from its caller's windows and one
 * frame.
 */

#define TRACE_WINDOWS 8
#define TRACE_NODES   256

/* A bit in a window's word, beside those of the patterns: the window exists. */
#define TRACE_OPEN (UINT64_C(1) << TRACE_PATTERNS)

enum trace_op {
	TRACE_ALL, /* always true */
	TRACE_PATTERN,
	TRACE_STATE,
	TRACE_OR,
	TRACE_AND,
	TRACE_AND_NOT,
	TRACE_WITHIN, /* the right operand holds in the window that the left
			 operand opens */
	TRACE_NOT_WITHIN,
};

struct trace_node {
	enum trace_op op;
	uint64_t patterns; /* for TRACE_PATTERN */
	uint8_t states;    /* for TRACE_STATE: a bit per enum thread_state */
	uint8_t window;    /* the window to which the node applies */
	uint8_t opens;     /* the window that a slash opens */
	bool rootmost;
	bool keeps_opener;    /* see struct trace_window */
	uint16_t left, right; /* indices of earlier nodes */
};

struct trace_window {
	uint8_t outer;
	bool rootmost;
	/* A rootmost window includes the frame that opens it. */
	bool keeps_opener;
	uint64_t opened_by; /* bits of the patterns that open the window */
};

struct trace_expression {
	struct trace_node nodes[TRACE_NODES]; /* the last node is the root */
	size_t node_count;
	struct trace_window windows[TRACE_WINDOWS];
	size_t window_count;
	struct pattern *patterns[TRACE_PATTERNS];
	size_t pattern_count;
	bool has_lines; /* a pattern has a line number */
};

#define ALL_STATES ((1u << THREAD_STATES) - 1)

struct operator
{
	enum trace_op op;
	int rank; /* precedence; 0 is an open parenthesis */
	bool rootmost;
};

/* The parser's two stacks: operands, and operators that wait for operands. */
struct parser {
	struct trace_expression *x;
	const char *text, *at;
	uint16_t operands[TRACE_NODES];
	size_t operand_count;
	struct operator operators[TRACE_NODES];
	size_t operator_count;
	bool wants_operand;
	bool exclusive; /* TRACE_EXCLUSIVE */
	struct error *err;
};

static int trace_bad(const struct parser *p, const char *what)
{
	return fail(p->err, ERROR_MISUSE,
		    "invalid trace filter: %s, at character %zu of '%s'", what,
		    (size_t)(p->at - p->text) + 1, p->text);
}

static int trace_push_node(struct parser *p, const struct trace_node *node)
{
	struct trace_expression *x = p->x;

	if (x->node_count == TRACE_NODES || p->operand_count == TRACE_NODES)
		return trace_bad(p, "it is too long");
	x->nodes[x->node_count] = *node;
	p->operands[p->operand_count++] = (uint16_t)x->node_count++;
	p->wants_operand = false;
	return 0;
}

/*
 * Returns the patterns of a node that can open a window, a pattern or a list of
 * patterns; 0 for other nodes.
 */
static uint64_t trace_node_patterns(const struct trace_expression *x,
				    uint16_t node)
{
	const struct trace_node *n = &x->nodes[node];

	return n->op == TRACE_PATTERN ? n->patterns : 0;
}

/* Combines the last operator and its two operands into one node. */
static int trace_reduce(struct parser *p)
{
	const struct operator* o = & p->operators[--p->operator_count];
	uint16_t right = p->operands[--p->operand_count];
	uint16_t left = p->operands[--p->operand_count];
	uint64_t first = trace_node_patterns(p->x, left);
	uint64_t second = trace_node_patterns(p->x, right);
	struct trace_node node = {
		.op = o->op,
		.rootmost = o->rootmost,
		.keeps_opener = !p->exclusive,
		.left = left,
		.right = right,
	};

	if (o->op == TRACE_OR && first && second) {
		node.op = TRACE_PATTERN;
		node.patterns = first | second;
	}
	if ((o->op == TRACE_WITHIN || o->op == TRACE_NOT_WITHIN) && !first)
		return trace_bad(p, "a slash requires a pattern or a list of "
				    "patterns before it");
	return trace_push_node(p, &node);
}

static int trace_reduce_to(struct parser *p, int rank)
{
	while (p->operator_count &&
	       p->operators[p->operator_count - 1].rank >= rank) {
		if (trace_reduce(p))
			return -1;
	}
	return 0;
}

static int trace_push_operator(struct parser *p, const struct operator* o)
{
	static const struct trace_node all = { .op = TRACE_ALL };

	if (o->rank && p->wants_operand) {
		bool first = !p->operator_count ||
			     !p->operators[p->operator_count - 1].rank;

		if (o->op != TRACE_AND_NOT || !first)
			return trace_bad(p, "a pattern is missing");
		if (trace_push_node(p, &all))
			return -1;
	}
	if (!o->rank && !p->wants_operand)
		return trace_bad(p, "an operator is missing");
	if (o->rank && trace_reduce_to(p, o->rank))
		return -1;
	if (p->operator_count == TRACE_NODES)
		return trace_bad(p, "it is too long");
	p->operators[p->operator_count++] = *o;
	p->wants_operand = true;
	return 0;
}

static int trace_close_parenthesis(struct parser *p)
{
	if (p->wants_operand)
		return trace_bad(p, "a pattern is missing");
	if (trace_reduce_to(p, 1))
		return -1;
	if (!p->operator_count)
		return trace_bad(p, "a closing parenthesis has no opening one");
	p->operator_count--;
	return 0;
}

static bool trace_is_pattern_byte(char c)
{
	/* SJK accepts neither <init> nor non-ASCII characters; this does. */
	return isalnum((unsigned char)c) || (signed char)c < 0 ||
	       (c && strchr("_.:*$<>-", c));
}

/* Translates a glob of SJK's syntax to a regular expression. */
static void trace_translate(struct text *regex, const char *glob, size_t len)
{
	bool any_before = len >= 3 && memcmp(glob, "**.", 3) == 0;
	bool any_behind;

	if (any_before) {
		text_puts(regex, "(?:.*\\.)?");
		glob += 3;
		len -= 3;
	}
	any_behind = len >= 3 && memcmp(glob + len - 3, ".**", 3) == 0;
	if (any_behind)
		len -= 3;
	for (size_t i = 0; i < len; i++) {
		if (glob[i] == '*' && i + 1 < len && glob[i + 1] == '*') {
			text_puts(regex, ".*");
			i++;
		} else if (glob[i] == '*') {
			text_puts(regex, "[^.]*");
		} else if (strchr(".$-", glob[i])) {
			text_putc(regex, '\\');
			text_putc(regex, glob[i]);
		} else {
			text_putc(regex, glob[i]);
		}
	}
	if (any_behind)
		text_puts(regex, "(?:\\..*)?");
}

/* A*:12 means A*.*:12, because the line follows the file name. */
static void trace_add_glob(struct text *glob, const char *word, size_t len)
{
	const char *colon = memrchr(word, ':', len);
	size_t before = colon ? (size_t)(colon - word) : 0;

	if (before < 2 || word[before - 1] != '*' || word[before - 2] == '*') {
		text_add(glob, word, len);
		return;
	}
	text_add(glob, word, before - 1);
	text_puts(glob, "*.*");
	text_add(glob, colon, len - before);
}

static int trace_read_pattern(struct parser *p)
{
	struct trace_expression *x = p->x;
	struct text glob = { 0 }, regex = { 0 };
	struct trace_node node = { .op = TRACE_PATTERN };
	size_t len = 0;
	int ret = -1;

	if (!p->wants_operand)
		return trace_bad(p, "an operator is missing");
	if (x->pattern_count == TRACE_PATTERNS)
		return trace_bad(p, "too many patterns");
	while (trace_is_pattern_byte(p->at[len]))
		len++;
	if (memchr(p->at, ':', len))
		x->has_lines = true;
	trace_add_glob(&glob, p->at, len);
	text_puts(&regex, "\\A");
	trace_translate(&regex, glob.bytes, glob.len);
	x->patterns[x->pattern_count] = pattern_new(regex.bytes, p->err);
	if (!x->patterns[x->pattern_count])
		goto out;
	node.patterns = UINT64_C(1) << x->pattern_count++;
	ret = trace_push_node(p, &node);
	p->at += len;
out:
	text_release(&glob);
	text_release(&regex);
	return ret;
}

/* SJK names the state of a sample without a state null. */
static uint8_t trace_states_matching(const char *glob, size_t len,
				     struct error *err)
{
	struct text regex = { 0 };
	struct pattern *pattern;
	uint8_t states = 0;

	trace_translate(&regex, glob, len);
	pattern = pattern_new_whole(regex.bytes, err);
	for (unsigned i = 0; pattern && i < THREAD_STATES; i++) {
		const char *name = i ? thread_state_names[i] : "null";

		if (pattern_matches(pattern, name, strlen(name)))
			states |= (uint8_t)(1u << i);
	}
	pattern_free(pattern);
	text_release(&regex);
	return states;
}

static int trace_read_state(struct parser *p)
{
	static const char key[] = "#state=";
	struct trace_node node = { .op = TRACE_STATE };
	size_t len = 0;

	if (!p->wants_operand)
		return trace_bad(p, "an operator is missing");
	if (strncasecmp(p->at, key, sizeof(key) - 1) != 0)
		return trace_bad(p, "only #state= starts with #");
	p->at += sizeof(key) - 1;
	while (isalnum((unsigned char)p->at[len]) || p->at[len] == '_' ||
	       p->at[len] == '*')
		len++;
	if (!len)
		return trace_bad(p, "a state is missing");
	node.states = trace_states_matching(p->at, len, p->err);
	p->at += len;
	return trace_push_node(p, &node);
}

static const struct {
	const char *text;
	struct operator operator;
} operators[] = {
	{ "/^+", { TRACE_WITHIN, 2, true } },
	{ "/^!", { TRACE_NOT_WITHIN, 2, true } },
	{ "/+", { TRACE_WITHIN, 2, false } },
	{ "/!", { TRACE_NOT_WITHIN, 2, false } },
	{ ",", { TRACE_OR, 3, false } },
	{ "+", { TRACE_AND, 1, false } },
	{ "!", { TRACE_AND_NOT, 1, false } },
	{ "(", { TRACE_ALL, 0, false } },
};

static int trace_read_operator(struct parser *p)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		size_t len = strlen(operators[i].text);

		if (strncmp(p->at, operators[i].text, len) != 0)
			continue;
		if (trace_push_operator(p, &operators[i].operator))
			return -1;
		p->at += len;
		return 0;
	}
	return trace_bad(p, "unknown operator");
}

static int trace_read_token(struct parser *p)
{
	if (is_blank(*p->at)) {
		p->at++;
		return 0;
	}
	if (trace_is_pattern_byte(*p->at))
		return trace_read_pattern(p);
	if (*p->at == '#')
		return trace_read_state(p);
	if (*p->at != ')')
		return trace_read_operator(p);
	if (trace_close_parenthesis(p))
		return -1;
	p->at++;
	return 0;
}

static int trace_parse(struct parser *p)
{
	while (*p->at) {
		if (trace_read_token(p))
			return -1;
	}
	if (p->wants_operand)
		return trace_bad(p, "a pattern is missing");
	if (trace_reduce_to(p, 1))
		return -1;
	if (p->operator_count)
		return trace_bad(p, "a parenthesis is not closed");
	return 0;
}

static bool trace_opens_window(const struct trace_node *n)
{
	return n->op == TRACE_WITHIN || n->op == TRACE_NOT_WITHIN;
}

/* Turns an expression that is a list of patterns into a trim. */
static int trace_make_trim(struct parser *p)
{
	struct trace_expression *x = p->x;
	struct trace_node node = {
		.op = TRACE_WITHIN,
		.rootmost = true,
		.keeps_opener = true,
	};
	static const struct trace_node all = { .op = TRACE_ALL };

	if (trace_opens_window(&x->nodes[x->node_count - 1]))
		return 0;
	node.left = (uint16_t)(x->node_count - 1);
	if (!trace_node_patterns(x, node.left))
		return trace_bad(p, "trimming requires a pattern, a list of "
				    "patterns, or a slash");
	if (trace_push_node(p, &all))
		return -1;
	node.right = (uint16_t)(x->node_count - 1);
	return trace_push_node(p, &node);
}

/*
 * Parents follow their children, so a loop from the last node visits windows
 * before the windows that they contain.
 */
static int trace_make_windows(struct parser *p)
{
	struct trace_expression *x = p->x;

	x->window_count = 1;
	for (size_t i = x->node_count; i-- > 0;) {
		struct trace_node *n = &x->nodes[i];
		struct trace_window *w = &x->windows[x->window_count];

		if (n->op < TRACE_OR)
			continue;
		x->nodes[n->left].window = n->window;
		x->nodes[n->right].window = n->window;
		if (!trace_opens_window(n))
			continue;
		if (x->window_count == TRACE_WINDOWS)
			return trace_bad(p, "too many slashes");
		w->outer = n->window;
		w->rootmost = n->rootmost;
		w->keeps_opener = n->keeps_opener;
		w->opened_by = trace_node_patterns(x, n->left);
		n->opens = (uint8_t)x->window_count;
		x->nodes[n->right].window = (uint8_t)x->window_count++;
	}
	return 0;
}

static void trace_expression_release(struct trace_expression *x)
{
	for (size_t i = 0; i < x->pattern_count; i++)
		pattern_free(x->patterns[i]);
	x->pattern_count = 0;
}

/*
 * Fails with ERROR_MISUSE and the position. With trim the expression must open
 * a window, which becomes window 1; a plain list of patterns opens one at the
 * frame nearest the root.
 */
static int trace_expression_init(struct trace_expression *x, const char *text,
				 unsigned flags, struct error *err)
{
	bool trim = flags & TRACE_TRIM;
	struct parser p = {
		.x = x,
		.text = text,
		.at = text,
		.wants_operand = true,
		.exclusive = flags & TRACE_EXCLUSIVE,
		.err = err,
	};

	memset(x, 0, sizeof(*x));
	if (trace_parse(&p) == 0 && (!trim || trace_make_trim(&p) == 0) &&
	    trace_make_windows(&p) == 0)
		return 0;
	trace_expression_release(x);
	return -1;
}

/*
 * Computes the windows of a stack trace (own) from those of its caller and the
 * mask of its frame. Returns a bit for each window that contains the frame.
 */
static uint32_t trace_expression_step(const struct trace_expression *x,
				      const uint64_t *caller, uint64_t frame,
				      uint64_t *own)
{
	uint32_t inside = 1, restarted = 0;

	own[0] = caller[0] | frame | TRACE_OPEN;
	for (size_t i = 1; i < x->window_count; i++) {
		const struct trace_window *w = &x->windows[i];
		bool opens = (frame & w->opened_by) != 0;

		own[i] = caller[i];
		if (restarted >> w->outer & 1) {
			own[i] = 0;
			restarted |= 1u << i;
		}
		if (!(inside >> w->outer & 1))
			continue;
		if (opens && (!w->rootmost || (!own[i] && !w->keeps_opener))) {
			/* The window excludes the frame that opens it. */
			own[i] = TRACE_OPEN;
			restarted |= 1u << i;
		} else if (opens || own[i]) {
			own[i] |= TRACE_OPEN | frame;
			inside |= 1u << i;
		}
	}
	return inside;
}

static uint8_t trace_states_if(bool passes) { return passes ? ALL_STATES : 0; }

/*
 * Returns the states (one bit each) in which a stack trace with these windows
 * passes.
 */
static uint8_t trace_expression_states(const struct trace_expression *x,
				       const uint64_t *windows)
{
	uint8_t passes[TRACE_NODES] = { 0 };
	size_t last = x->node_count - 1;

	for (size_t i = 0; i <= last; i++) {
		const struct trace_node *n = &x->nodes[i];
		uint8_t left = n->op >= TRACE_OR ? passes[n->left] : 0;
		uint8_t right = n->op >= TRACE_OR ? passes[n->right] : 0;
		uint8_t open = trace_states_if(windows[n->opens] & TRACE_OPEN);

		switch (n->op) {
		case TRACE_ALL:
			passes[i] = ALL_STATES;
			break;
		case TRACE_PATTERN:
			passes[i] = trace_states_if(windows[n->window] &
						    n->patterns);
			break;
		case TRACE_STATE:
			passes[i] = n->states;
			break;
		case TRACE_OR:
			passes[i] = left | right;
			break;
		case TRACE_AND:
			passes[i] = left & right;
			break;
		case TRACE_AND_NOT:
			passes[i] = left & (uint8_t)~right;
			break;
		case TRACE_WITHIN:
			passes[i] = open & right;
			break;
		case TRACE_NOT_WITHIN:
			passes[i] = open & (uint8_t)~right;
			break;
		}
	}
	return passes[last];
}

struct trace_filter {
	struct trace_expression expression;
	bool trim;
};

struct trace_filter *trace_filter_new(const char *expression, unsigned flags,
				      struct error *err)
{
	struct trace_filter *f = xcalloc(1, sizeof(*f));

	f->trim = flags & TRACE_TRIM;
	if (trace_expression_init(&f->expression, expression, flags, err) == 0)
		return f;
	free(f);
	return NULL;
}

void trace_filter_free(struct trace_filter *f)
{
	if (f)
		trace_expression_release(&f->expression);
	free(f);
}

bool trace_filter_wants_lines(const struct trace_filter *f)
{
	return f->expression.has_lines;
}

size_t trace_filter_undecided(const struct trace_filter *f)
{
	size_t count = 0;

	for (size_t i = 0; i < f->expression.pattern_count; i++)
		count += pattern_undecided(f->expression.patterns[i]);
	return count;
}

struct trace_verdicts {
	const struct trace_filter *filter; /* borrowed */
	/* Index: stack trace. */
	uint8_t *states;   /* bits of the states in which it passes */
	uint32_t *trimmed; /* the trimmed stack trace */
	uint64_t *windows; /* as many as the expression has */
	size_t count, states_cap, trimmed_cap, windows_cap;
	/* The patterns that match each frame. */
	uint64_t *masks;
	size_t frame_count, mask_cap;
};

struct trace_verdicts *trace_verdicts_new(const struct trace_filter *f)
{
	struct trace_verdicts *v = xcalloc(1, sizeof(*v));

	v->filter = f;
	return v;
}

void trace_verdicts_free(struct trace_verdicts *v)
{
	if (!v)
		return;
	free(v->states);
	free(v->trimmed);
	free(v->windows);
	free(v->masks);
	free(v);
}

static void verdicts_match_frames(struct trace_verdicts *v,
				  const struct profile *p)
{
	const struct trace_expression *x = &v->filter->expression;
	struct text name = { 0 };

	array_reserve(v->masks, v->mask_cap, p->frame_count);
	for (; v->frame_count < p->frame_count; v->frame_count++) {
		uint64_t mask = 0;

		text_clear(&name);
		frame_place_name(&name, p, &p->frames[v->frame_count]);
		for (size_t k = 0; v->frame_count && k < x->pattern_count;
		     k++) {
			if (pattern_matches(x->patterns[k], name.bytes,
					    name.len))
				mask |= UINT64_C(1) << k;
		}
		v->masks[v->frame_count] = mask;
	}
	text_release(&name);
}

/* A callee's id is greater than its caller's, so one forward loop suffices. */
static void verdicts_judge(struct trace_verdicts *v, struct profile *p)
{
	const struct trace_expression *x = &v->filter->expression;
	/* Trimmed stack traces that this loop adds wait for the next call. */
	size_t count = p->stack_count, width = x->window_count;

	verdicts_match_frames(v, p);
	array_reserve(v->states, v->states_cap, count);
	array_reserve(v->trimmed, v->trimmed_cap, count);
	array_reserve(v->windows, v->windows_cap, count * width);
	for (; v->count < count; v->count++) {
		size_t i = v->count;
		/*
		 * A copy, because pushing trimmed stack traces may move the
		 * array.
		 */
		struct stack s = p->stacks[i];
		uint64_t *own = v->windows + i * width;
		uint32_t inside = 0;

		memset(own, 0, width * sizeof(*own));
		v->trimmed[i] = 0;
		if (i)
			inside = trace_expression_step(
				x, v->windows + s.caller * width,
				v->masks[s.frame], own);
		v->states[i] = trace_expression_states(x, own);
		if (v->filter->trim && inside >> 1 & 1)
			v->trimmed[i] = profile_push(p, v->trimmed[s.caller],
						     s.frame);
	}
}

bool trace_verdicts_pass(struct trace_verdicts *v, struct profile *p,
			 uint32_t *stack, unsigned state)
{
	if (*stack >= v->count)
		verdicts_judge(v, p);
	if (!(v->states[*stack] >> state & 1))
		return false;
	if (v->filter->trim)
		*stack = v->trimmed[*stack];
	return !v->filter->trim || *stack;
}

struct trace_pass {
	struct trace_verdicts *verdicts;
	struct profile *profile;
};

static bool trace_passes(void *self, struct cell *c)
{
	const struct trace_pass *pass = self;

	return trace_verdicts_pass(pass->verdicts, pass->profile, &c->stack,
				   c->state);
}

void trace_filter_apply(struct profile *p, struct trace_filter *f)
{
	struct trace_pass pass = { trace_verdicts_new(f), p };

	verdicts_judge(pass.verdicts, p);
	profile_retain(p, trace_passes, &pass);
	trace_verdicts_free(pass.verdicts);
}
