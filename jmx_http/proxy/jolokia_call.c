/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/jolokia_call.h"

#include "core/base/ascii.h"

#include <string.h>
#include <strings.h>

#define QUERY_MAX    ((size_t)16 << 10)
#define QUERY_ROUNDS 3 /* of decoding */

static const char *const jolokia_keys[JOLOKIA_KEYS] = {
	"type", "mbean", "attribute", "operation", "target",
};

static const struct {
	const char *name;
	enum policy_verb verb;
} jolokia_types[] = {
	{ "read", POLICY_READ },
	{ "list", POLICY_READ },
	{ "search", POLICY_READ },
	{ "version", POLICY_READ },
	{ "write", POLICY_CHANGE },
	{ "exec", POLICY_INVOKE },
	/* Adds and removes listeners. */
	{ "notification", POLICY_CHANGE },
};

static enum jolokia_verdict jolokia_fail(struct jolokia_call *c,
					 enum jolokia_verdict verdict,
					 const char *why)
{
	c->verdict = verdict;
	c->why = why;
	return verdict;
}

static void name_add(struct jolokia_name *n, char byte)
{
	if (n->len < sizeof(n->bytes))
		n->bytes[n->len++] = byte;
	else
		n->is_truncated = true;
}

static void name_clear(struct jolokia_name *n)
{
	n->len = 0;
	n->is_given = n->is_truncated = false;
}

static void name_copy(struct jolokia_name *to, const struct jolokia_name *from)
{
	memcpy(to->bytes, from->bytes, from->len);
	to->len = from->len;
	to->is_given = true;
	to->is_truncated = from->is_truncated;
}

void jolokia_call_begin(struct jolokia_call *c,
			const struct jolokia_rules *rules)
{
	/* The strings at its end need not be cleared. */
	memset(c, 0, offsetof(struct jolokia_call, object));
	name_clear(&c->object);
	name_clear(&c->member);
	c->rules = rules;
}

static bool name_is(const struct jolokia_name *n, const char *wanted)
{
	return !n->is_truncated && n->len == strlen(wanted) &&
	       memcmp(n->bytes, wanted, n->len) == 0;
}

static struct policy_text name_text(const struct jolokia_name *n)
{
	return (struct policy_text){ n->bytes, n->len };
}

/*
 * Judges an entry by its members.  A type in other letters is none of those
 * that read: whether the agent accepts it does not matter then.
 */
static enum jolokia_verdict entry_judge(struct jolokia_call *c,
					const struct jolokia_name *values)
{
	const struct jolokia_name *type = &values[JOLOKIA_TYPE];
	struct policy_call p = {
		.verb = POLICY_CHANGE,
		.method = "other",
		.object = name_text(&values[JOLOKIA_MBEAN]),
	};
	const struct jolokia_name *member = &values[JOLOKIA_ATTRIBUTE];
	const char *signature, *why;

	for (size_t i = 0; i < sizeof(jolokia_types) / sizeof(*jolokia_types);
	     i++) {
		if (!name_is(type, jolokia_types[i].name))
			continue;
		p.verb = jolokia_types[i].verb;
		p.method = jolokia_types[i].name;
	}
	if (p.verb == POLICY_INVOKE)
		member = &values[JOLOKIA_OPERATION];
	p.member = name_text(member);
	signature = p.member.len ? memchr(p.member.at, '(', p.member.len)
				 : NULL;
	if (p.verb == POLICY_INVOKE && signature)
		p.member.len = (size_t)(signature - p.member.at);
	c->changes |= policy_objection(&p, true) != NULL;
	if (!c->count++) {
		c->method = p.method;
		name_copy(&c->object, &values[JOLOKIA_MBEAN]);
		name_copy(&c->member, member);
		c->member.len = p.member.len;
	}
	why = policy_objection(&p, c->rules->read_only);
	return why ? jolokia_fail(c, JOLOKIA_REFUSED, why) : JOLOKIA_PASSES;
}

struct policy_call jolokia_call_log(const struct jolokia_call *c)
{
	return (struct policy_call){
		.method = c->method ? c->method : "other",
		.object = name_text(&c->object),
		.member = name_text(&c->member),
		.member_count = c->count,
	};
}

/* The JSON parser: what the next byte may be. */
enum {
	JSON_TOP, /* an object or an array */
	JSON_VALUE,
	JSON_VALUE_OR_END, /* of an array */
	JSON_KEY,
	JSON_KEY_OR_END,
	JSON_COLON,
	JSON_NEXT, /* a comma, or the end of the level */
	JSON_END,  /* nothing but spaces */
	JSON_STRING,
	JSON_ESCAPE,
	JSON_HEX,
	JSON_LITERAL,
	/* The states of a number, by the part that has been read. */
	JSON_MINUS,
	JSON_ZERO,
	JSON_INTEGER,
	JSON_POINT,
	JSON_FRACTION,
	JSON_E,
	JSON_E_SIGN,
	JSON_EXPONENT,
};

static enum jolokia_verdict json_fail(struct jolokia_call *c)
{
	return jolokia_fail(c, JOLOKIA_INVALID,
			    "the request is not JSON in UTF-8");
}

static bool json_in_object(const struct jolokia_call *c)
{
	unsigned level = c->depth - 1;

	return c->depth && c->is_object[level / 8] & 1u << level % 8;
}

/* The next value is a member of an entry. */
static bool json_at_entry(const struct jolokia_call *c)
{
	return c->depth == c->entry_depth && json_in_object(c);
}

static bool json_at_target(const struct jolokia_call *c)
{
	return c->in_target && c->depth == c->entry_depth + 1;
}

static enum jolokia_verdict json_open(struct jolokia_call *c, bool is_object)
{
	unsigned level = c->depth++;
	uint8_t bit = (uint8_t)(1u << level % 8);

	if (level == JOLOKIA_DEPTH_MAX)
		return jolokia_fail(c, JOLOKIA_INVALID,
				    "the request is nested too deeply");
	if (is_object)
		c->is_object[level / 8] |= bit;
	else
		c->is_object[level / 8] &= (uint8_t)~bit;
	c->state = is_object ? JSON_KEY_OR_END : JSON_VALUE_OR_END;
	if (level == 0)
		c->entry_depth = is_object ? 1 : 2;
	if (c->depth == c->entry_depth)
		for (size_t i = 0; i < JOLOKIA_KEYS; i++)
			name_clear(&c->values[i]);
	return JOLOKIA_PASSES;
}

/* The members of the entry are complete: its brace has come. */
static enum jolokia_verdict json_end_entry(struct jolokia_call *c)
{
	for (size_t i = 0; i < JOLOKIA_KEYS; i++)
		if (c->values[i].is_given && c->values[i].is_truncated &&
		    c->rules->read_only)
			return jolokia_fail(c, JOLOKIA_INVALID,
					    "a name in the request is too "
					    "long");
	return entry_judge(c, c->values);
}

static enum jolokia_verdict json_close(struct jolokia_call *c)
{
	bool is_entry = json_at_entry(c);

	if (json_at_target(c)) {
		if (!c->values[JOLOKIA_TARGET].len)
			return jolokia_fail(c, JOLOKIA_REFUSED,
					    "a target without a URL");
		c->in_target = false;
	}
	if (is_entry && json_end_entry(c))
		return c->verdict;
	c->depth--;
	c->state = c->depth ? JSON_NEXT : JSON_END;
	return JOLOKIA_PASSES;
}

static bool json_is_allowed_target(const struct jolokia_call *c)
{
	static const char before[] = "service:jmx:rmi:///jndi/rmi://";
	static const char after[] = "/jmxrmi";
	const size_t before_len = strlen(before), after_len = strlen(after);

	for (size_t i = 0; i < c->rules->target_count; i++) {
		const char *target = c->rules->targets[i];
		size_t len = strlen(target);
		const char *url = c->string.bytes;

		if (strchr(target, '/')) {
			if (name_is(&c->string, target))
				return true;
			continue;
		}
		if (!c->string.is_truncated &&
		    c->string.len == before_len + len + after_len &&
		    memcmp(url, before, before_len) == 0 &&
		    memcmp(url + before_len, target, len) == 0 &&
		    memcmp(url + before_len + len, after, after_len) == 0)
			return true;
	}
	return false;
}

static enum jolokia_verdict json_end_key(struct jolokia_call *c)
{
	struct jolokia_name *key = &c->string;

	c->state = JSON_COLON;
	if (json_at_target(c)) {
		c->is_url = name_is(key, "url");
		if (c->is_url && c->values[JOLOKIA_TARGET].len)
			return jolokia_fail(c, JOLOKIA_INVALID,
					    "a key occurs twice");
	}
	if (!json_at_entry(c))
		return JOLOKIA_PASSES;
	c->key = JOLOKIA_KEYS;
	for (size_t i = 0; i < JOLOKIA_KEYS; i++)
		if (name_is(key, jolokia_keys[i]))
			c->key = (enum jolokia_key)i;
	/* No agent is known to ignore case, and none has to. */
	if (key->len == 6 && strncasecmp(key->bytes, "target", 6) == 0)
		c->key = JOLOKIA_TARGET;
	if (c->key == JOLOKIA_KEYS)
		return JOLOKIA_PASSES;
	if (c->key == JOLOKIA_TARGET && !c->rules->target_count)
		return jolokia_fail(c, JOLOKIA_REFUSED,
				    "requests with a target require "
				    "--allow-target");
	if (c->values[c->key].is_given)
		return jolokia_fail(c, JOLOKIA_INVALID, "a key occurs twice");
	c->values[c->key].is_given = true;
	return JOLOKIA_PASSES;
}

static enum jolokia_verdict json_end_string(struct jolokia_call *c)
{
	if (c->is_key)
		return json_end_key(c);
	c->state = JSON_NEXT;
	if (json_at_target(c) && c->is_url) {
		if (!json_is_allowed_target(c))
			return jolokia_fail(c, JOLOKIA_REFUSED,
					    "--allow-target does not name the "
					    "target");
		name_copy(&c->values[JOLOKIA_TARGET], &c->string);
	} else if (json_at_entry(c) && c->key != JOLOKIA_KEYS &&
		   c->key != JOLOKIA_TARGET) {
		name_copy(&c->values[c->key], &c->string);
	}
	return JOLOKIA_PASSES;
}

static void json_begin_string(struct jolokia_call *c, bool is_key)
{
	c->state = JSON_STRING;
	c->is_key = is_key;
	c->keeps_string = json_at_target(c) || json_at_entry(c);
	c->string.len = 0;
	c->string.is_truncated = false;
	c->utf8_left = 0;
}

/* The first byte of a value. */
static enum jolokia_verdict json_begin_value(struct jolokia_call *c, char b)
{
	bool is_target = json_at_entry(c) && c->key == JOLOKIA_TARGET;

	/* Entries are objects, and so is a target. */
	if (((c->depth && c->depth < c->entry_depth) || is_target) && b != '{')
		return jolokia_fail(c, JOLOKIA_INVALID,
				    "the request is no Jolokia request");
	if (json_at_target(c) && c->is_url && b != '"')
		return jolokia_fail(c, JOLOKIA_REFUSED,
				    "a target without a URL");
	switch (b) {
	case '{':
		c->in_target |= is_target;
		c->is_url = false;
		return json_open(c, true);
	case '[':
		return json_open(c, false);
	case '"':
		json_begin_string(c, false);
		return JOLOKIA_PASSES;
	case 't':
	case 'f':
	case 'n':
		c->literal = b == 't' ? "rue" : b == 'f' ? "alse" : "ull";
		c->state = JSON_LITERAL;
		return JOLOKIA_PASSES;
	case '-':
		c->state = JSON_MINUS;
		return JOLOKIA_PASSES;
	case '0':
		c->state = JSON_ZERO;
		return JOLOKIA_PASSES;
	default:
		c->state = JSON_INTEGER;
		return is_digit(b) ? JOLOKIA_PASSES : json_fail(c);
	}
}

static void json_keep(struct jolokia_call *c, char b)
{
	if (c->keeps_string)
		name_add(&c->string, b);
}

/* RFC 3629, 4: no overlong forms, no surrogates, at most U+10FFFF. */
static bool json_begin_utf8(struct jolokia_call *c, uint8_t b)
{
	c->utf8_min = 0x80;
	c->utf8_max = 0xbf;
	if (b < 0xc2 || b > 0xf4)
		return false;
	c->utf8_left = b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3;
	if (b == 0xe0)
		c->utf8_min = 0xa0;
	else if (b == 0xf0)
		c->utf8_min = 0x90;
	else if (b == 0xed)
		c->utf8_max = 0x9f;
	else if (b == 0xf4)
		c->utf8_max = 0x8f;
	return true;
}

static enum jolokia_verdict json_read_string(struct jolokia_call *c, char b)
{
	uint8_t byte = (uint8_t)b;

	if (c->utf8_left) {
		if (byte < c->utf8_min || byte > c->utf8_max)
			return json_fail(c);
		c->utf8_left--;
		c->utf8_min = 0x80;
		c->utf8_max = 0xbf;
	} else if (b == '"') {
		return json_end_string(c);
	} else if (b == '\\') {
		c->state = JSON_ESCAPE;
		return JOLOKIA_PASSES;
	} else if (byte < ' ' || (byte >= 0x80 && !json_begin_utf8(c, byte))) {
		return json_fail(c);
	}
	json_keep(c, b);
	return JOLOKIA_PASSES;
}

/* Keeps an escaped character; none that matters is beyond ASCII. */
static void json_keep_escaped(struct jolokia_call *c, unsigned character)
{
	c->state = JSON_STRING;
	if (character < 0x80) {
		json_keep(c, (char)character);
		return;
	}
	if (character >= 0x800)
		json_keep(c, (char)(0xe0 | character >> 12));
	else
		json_keep(c, (char)(0xc0 | character >> 6));
	if (character >= 0x800)
		json_keep(c, (char)(0x80 | (character >> 6 & 0x3f)));
	json_keep(c, (char)(0x80 | (character & 0x3f)));
}

static enum jolokia_verdict json_read_escape(struct jolokia_call *c, char b)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *at = b ? strchr(letters, b) : NULL;

	if (b == 'u') {
		c->hex = c->hex_digits = 0;
		c->state = JSON_HEX;
		return JOLOKIA_PASSES;
	}
	if (!at)
		return json_fail(c);
	json_keep_escaped(c, (unsigned char)meant[at - letters]);
	return JOLOKIA_PASSES;
}

static enum jolokia_verdict json_read_hex(struct jolokia_call *c, char b)
{
	int digit = hex_digit(b);

	if (digit < 0)
		return json_fail(c);
	c->hex = c->hex << 4 | (unsigned)digit;
	if (++c->hex_digits == 4)
		json_keep_escaped(c, c->hex);
	return JOLOKIA_PASSES;
}

static bool json_is_space(char b)
{
	return b == ' ' || b == '\t' || b == '\n' || b == '\r';
}

/* Reads a byte between values. */
static enum jolokia_verdict json_read_between(struct jolokia_call *c, char b)
{
	bool in_object;

	if (json_is_space(b))
		return JOLOKIA_PASSES;
	if (c->state == JSON_END)
		return json_fail(c);
	if (c->state == JSON_TOP && b != '{' && b != '[')
		return json_fail(c);
	if (c->state == JSON_TOP || c->state == JSON_VALUE)
		return json_begin_value(c, b);
	if (c->state == JSON_COLON) {
		c->state = JSON_VALUE;
		return b == ':' ? JOLOKIA_PASSES : json_fail(c);
	}
	in_object = json_in_object(c);
	if (c->state != JSON_VALUE && c->state != JSON_KEY &&
	    b == (in_object ? '}' : ']'))
		return json_close(c);
	if (c->state == JSON_NEXT) {
		c->state = in_object ? JSON_KEY : JSON_VALUE;
		return b == ',' ? JOLOKIA_PASSES : json_fail(c);
	}
	if (c->state == JSON_VALUE_OR_END)
		return json_begin_value(c, b);
	if (b != '"')
		return json_fail(c);
	json_begin_string(c, true);
	return JOLOKIA_PASSES;
}

/* The state after a character of a number; JSON_NEXT: it is none. */
static unsigned json_next_of_number(unsigned state, char b)
{
	bool digit = is_digit(b), e = (b | 0x20) == 'e';

	switch (state) {
	case JSON_MINUS:
		return b == '0' ? JSON_ZERO : digit ? JSON_INTEGER : JSON_NEXT;
	case JSON_ZERO:
	case JSON_INTEGER:
		if (state == JSON_INTEGER && digit)
			return JSON_INTEGER;
		return b == '.' ? JSON_POINT : e ? JSON_E : JSON_NEXT;
	case JSON_POINT:
	case JSON_FRACTION:
		if (digit)
			return JSON_FRACTION;
		return state == JSON_FRACTION && e ? JSON_E : JSON_NEXT;
	case JSON_E:
		if (b == '+' || b == '-')
			return JSON_E_SIGN;
		return digit ? JSON_EXPONENT : JSON_NEXT;
	default:
		return digit ? JSON_EXPONENT : JSON_NEXT;
	}
}

static enum jolokia_verdict json_read_number(struct jolokia_call *c, char b)
{
	unsigned was = c->state;

	c->state = json_next_of_number(was, b);
	if (c->state != JSON_NEXT)
		return JOLOKIA_PASSES;
	if (was != JSON_ZERO && was != JSON_INTEGER && was != JSON_FRACTION &&
	    was != JSON_EXPONENT)
		return json_fail(c);
	return json_read_between(c, b);
}

static enum jolokia_verdict json_read_byte(struct jolokia_call *c, char b)
{
	if (c->state < JSON_STRING)
		return json_read_between(c, b);
	switch (c->state) {
	case JSON_STRING:
		return json_read_string(c, b);
	case JSON_ESCAPE:
		return json_read_escape(c, b);
	case JSON_HEX:
		return json_read_hex(c, b);
	case JSON_LITERAL:
		if (b != *c->literal)
			return json_fail(c);
		if (!*++c->literal)
			c->state = JSON_NEXT;
		return JOLOKIA_PASSES;
	default:
		return json_read_number(c, b);
	}
}

enum jolokia_verdict jolokia_call_read(struct jolokia_call *c,
				       const char *bytes, size_t len)
{
	for (size_t i = 0; i < len && c->verdict == JOLOKIA_PASSES; i++)
		json_read_byte(c, bytes[i]);
	return c->verdict;
}

enum jolokia_verdict jolokia_call_end(struct jolokia_call *c)
{
	if (c->verdict == JOLOKIA_PASSES && c->state != JSON_END)
		json_fail(c);
	return c->verdict;
}

/* Decodes "%2f", or returns false for an incomplete escape. */
static bool path_next_byte(struct line *rest, char *byte)
{
	int32_t value;

	*byte = *rest->text;
	rest->text++;
	rest->len--;
	if (*byte != '%')
		return true;
	value = rest->len < 2 ? -1 : hex_value(rest->text, 2);
	if (value < 0)
		return false;
	*byte = (char)value;
	rest->text += 2;
	rest->len -= 2;
	return true;
}

bool jolokia_path_escapes(struct line path)
{
	size_t dots = 0, others = 0;
	bool in_parameter = false;
	char byte;

	while (path.len) {
		if (!path_next_byte(&path, &byte) || !byte)
			return true;
		if (byte == '/' || byte == '\\') {
			if (!others && (dots == 1 || dots == 2))
				return true;
			dots = others = 0;
			in_parameter = false;
		} else if (byte == ';') {
			in_parameter = true;
		} else if (!in_parameter) {
			dots += byte == '.';
			others += byte != '.';
		}
	}
	return !others && (dots == 1 || dots == 2);
}

/*
 * Reads a segment of a Jolokia path up to its end or a '/': "!" escapes the
 * next character, and in a URL, "%xx" is decoded before.  Returns false for an
 * invalid escape.
 */
static bool path_read_segment(struct line *path, bool is_encoded,
			      struct jolokia_name *out)
{
	bool is_escaped = false;
	char byte;

	out->is_given = true;
	while (path->len) {
		if (!is_encoded)
			byte = *path->text++, path->len--;
		else if (!path_next_byte(path, &byte))
			return false;
		if (byte == '/' && !is_escaped)
			return true;
		is_escaped = byte == '!' && !is_escaped;
		if (!is_escaped)
			name_add(out, byte);
	}
	return true;
}

/* True when the path begins with the segment in exactly these letters. */
static bool path_spells(struct line path, const struct jolokia_name *segment)
{
	return !segment->is_truncated && path.len >= segment->len &&
	       memcmp(path.text, segment->bytes, segment->len) == 0 &&
	       (path.len == segment->len || path.text[segment->len] == '/');
}

static enum jolokia_verdict path_judge(struct jolokia_call *c, struct line path,
				       bool is_encoded)
{
	struct line whole;
	struct jolokia_name values[JOLOKIA_KEYS];
	struct jolokia_name *type = &values[JOLOKIA_TYPE];

	memset(values, 0, sizeof(values));
	if (path.len && *path.text == '/') {
		path.text++;
		path.len--;
	}
	if (!path.len) {
		memcpy(type->bytes, "version", type->len = 7);
		return entry_judge(c, values);
	}
	whole = path;
	if (!path_read_segment(&path, is_encoded, type) ||
	    !path_read_segment(&path, is_encoded, &values[JOLOKIA_MBEAN]) ||
	    !path_read_segment(&path, is_encoded, &values[JOLOKIA_ATTRIBUTE]))
		return jolokia_fail(c, JOLOKIA_INVALID,
				    "the path contains an invalid escape");
	values[JOLOKIA_OPERATION] = values[JOLOKIA_ATTRIBUTE];
	/*
	 * Of a path with "!//", an agent (HttpRequestHandler of 1.x) reads the
	 * URI again, from the first place where the decoded type is between
	 * slashes: "/%65xec/a/!//exec/b" is an operation of b.  So a type with
	 * escapes counts as unknown.
	 */
	if (!path_spells(whole, type))
		name_clear(type);
	return entry_judge(c, values);
}

/* Appends a value of a query, "+" and "%xx" decoded. */
static bool query_decode(struct line value, struct jolokia_name *out)
{
	char byte;

	while (value.len) {
		bool is_plus = *value.text == '+';

		if (!path_next_byte(&value, &byte))
			return false;
		name_add(out, is_plus ? ' ' : byte);
	}
	return true;
}

/* Judges each parameter "p" of a query. */
static enum jolokia_verdict query_judge_once(struct jolokia_call *c,
					     struct line query)
{
	while (query.len) {
		struct line pairs = line_cut(&query, '&');

		while (pairs.len) {
			struct line value = line_cut(&pairs, ';');
			struct line key = line_cut(&value, '=');
			struct jolokia_name name = { .len = 0 };
			struct jolokia_name path = { .len = 0 };

			if (!query_decode(key, &name) ||
			    !query_decode(value, &path))
				return jolokia_fail(c, JOLOKIA_INVALID,
						    "the query contains an "
						    "invalid escape");
			c->is_jsonp |= name_is(&name, "callback");
			if (!name_is(&name, "p"))
				continue;
			if (path.is_truncated)
				return jolokia_fail(c, JOLOKIA_INVALID,
						    "the parameter p is too "
						    "long");
			if (path_judge(c, (struct line){ path.bytes, path.len },
				       false))
				return c->verdict;
		}
	}
	return JOLOKIA_PASSES;
}

/*
 * An agent reads the operation from the parameter "p" when the path has none;
 * here, both must be allowed.  Servers differ in whether they decode a query
 * before or after they split it, so each decoded form is judged, too.
 */
static enum jolokia_verdict query_judge(struct jolokia_call *c,
					struct line query)
{
	char bytes[QUERY_MAX] = { 0 };
	size_t count;

	if (query_judge_once(c, query))
		return c->verdict;
	count = c->count;
	for (int i = 0; i < QUERY_ROUNDS && query.len &&
			memchr(query.text, '%', query.len);
	     i++) {
		struct line rest = query;
		size_t len = 0;

		while (rest.len && len < sizeof(bytes) &&
		       path_next_byte(&rest, &bytes[len]))
			len++;
		if (rest.len)
			return jolokia_fail(c, JOLOKIA_INVALID,
					    "the query contains an invalid "
					    "escape, or is too long");
		query = (struct line){ bytes, len };
		if (query_judge_once(c, query))
			return c->verdict;
	}
	c->count = count;
	return JOLOKIA_PASSES;
}

enum jolokia_verdict jolokia_call_of_path(struct jolokia_call *c,
					  struct line target)
{
	struct line path = line_cut(&target, '?');
	bool has_path = path.len > 1;

	/* A version that "p" replaces is none. */
	if ((has_path || !target.len) && path_judge(c, path, true))
		return c->verdict;
	if (query_judge(c, target))
		return c->verdict;
	return c->count ? JOLOKIA_PASSES : path_judge(c, path, true);
}
