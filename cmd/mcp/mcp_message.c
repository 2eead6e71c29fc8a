/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the Model Context Protocol: JSON-RPC 2.0, one on a line. */
#include "cmd/mcp/mcp.h"

#include "core/base/ascii.h"
#include "core/base/version.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define META "io.modelcontextprotocol/"

/* ---- reading ---- */

char mcp_peek(struct json_reader *r)
{
	while (r->at < r->end && *r->at && strchr(" \t\r\n", *r->at))
		r->at++;
	return r->at < r->end ? *r->at : '\0';
}

struct line mcp_read_raw(struct json_reader *r)
{
	struct line raw = { r->at, 0 };

	if (mcp_peek(r))
		raw.text = r->at;
	json_skip(r);
	raw.len = r->failed ? 0 : (size_t)(r->at - raw.text);
	return raw;
}

static bool raw_begins(struct line raw, char c)
{
	return raw.len && *raw.text == c;
}

/* Reads a string; an empty text if the value is none. */
static void raw_text(struct line raw, struct text *out)
{
	struct json_reader r = json_reader_over(raw.text, raw.len);

	text_puts(out, "");
	if (raw_begins(raw, '"'))
		json_read_text(&r, out);
}

/*
 * Writes an id or progress token again: a string, or an integer of at most 20
 * characters. Returns false if it is neither.
 */
static bool raw_id(struct line raw, struct text *out)
{
	struct text string = { 0 };
	struct json j = json_into(out);
	size_t digits = raw_begins(raw, '-');

	if (raw.len > MCP_ID_MAX)
		return false;
	if (raw_begins(raw, '"')) {
		raw_text(raw, &string);
		json_string(&j, string.bytes, string.len);
		text_release(&string);
		return true;
	}
	for (size_t i = digits; i < raw.len; i++)
		if (!is_digit(raw.text[i]))
			return false;
	text_add(out, raw.text, raw.len);
	return raw.len > digits && raw.len <= 20;
}

/* Members of a message, of params and of _meta, as they are written. */
struct message {
	struct line version, id, method, params, result, error;
	struct line meta, name, arguments, request_id, legacy_version;
	struct line meta_version, capabilities, token;
};

struct member {
	const char *key;
	struct line *to;
};

/* Reads an object; a member that the list lacks is skipped. */
static bool message_read(struct line object, const struct member *all,
			 size_t count)
{
	struct json_reader r = json_reader_over(object.text, object.len);
	struct line key;

	for (bool in = json_enter_object(&r);
	     in && json_next_member(&r, &key);) {
		struct line raw = mcp_read_raw(&r);

		for (size_t i = 0; i < count; i++)
			if (line_is(key, all[i].key))
				*all[i].to = raw;
	}
	return json_reader_at_end(&r);
}

static bool message_read_all(struct message *m, struct line line)
{
	const struct member members[] = {
		{ "jsonrpc", &m->version }, { "id", &m->id },
		{ "method", &m->method },   { "params", &m->params },
		{ "result", &m->result },   { "error", &m->error },
	};
	const struct member params[] = {
		{ "_meta", &m->meta },
		{ "name", &m->name },
		{ "arguments", &m->arguments },
		{ "requestId", &m->request_id },
		{ "protocolVersion", &m->legacy_version },
	};
	const struct member meta[] = {
		{ META "protocolVersion", &m->meta_version },
		{ META "clientCapabilities", &m->capabilities },
		{ "progressToken", &m->token },
	};

	return message_read(line, members, 6) &&
	       (!raw_begins(m->params, '{') ||
		message_read(m->params, params, 5)) &&
	       (!raw_begins(m->meta, '{') || message_read(m->meta, meta, 3));
}

/* Returns NULL, or which parameter has a wrong type. */
static const char *message_check_params(const struct message *m)
{
	if (m->params.len && !raw_begins(m->params, '{'))
		return "params must be an object";
	if (m->meta.len && !raw_begins(m->meta, '{'))
		return "_meta must be an object";
	if (m->meta_version.len && !raw_begins(m->meta_version, '"'))
		return META "protocolVersion must be a string";
	if (m->meta_version.len && !raw_begins(m->capabilities, '{'))
		return "_meta lacks the object " META "clientCapabilities";
	if (m->name.len && !raw_begins(m->name, '"'))
		return "name must be a string";
	if (m->arguments.len && !raw_begins(m->arguments, '{'))
		return "arguments must be an object";
	return NULL;
}

static enum mcp_read request_fail(struct mcp_request *q, enum mcp_code code,
				  const char *why)
{
	q->code = code;
	q->why = why;
	return MCP_READ_BAD;
}

enum mcp_read mcp_request_read(struct mcp_request *q, const char *bytes,
			       size_t len)
{
	struct line line = line_trimmed((struct line){ bytes, len });
	struct message m = { 0 };
	const char *why;
	bool is_valid;

	*q = (struct mcp_request){ 0 };
	if (!line.len || line_is(line, "\r"))
		return MCP_READ_NOTHING;
	if (raw_begins(line, '['))
		return request_fail(q, MCP_INVALID,
				    "batches are not supported");
	is_valid = message_read_all(&m, line);
	if (!is_valid)
		return request_fail(q, MCP_PARSE,
				    "the line is not a JSON object");
	if (!m.method.len && (m.result.len || m.error.len))
		return MCP_READ_NOTHING;
	if (m.id.len && !raw_id(m.id, &q->id)) {
		text_clear(&q->id);
		return request_fail(q, MCP_INVALID,
				    "id must be an integer or "
				    "a string of at most 256 bytes");
	}
	if (!line_is(m.version, "\"2.0\"") || !raw_begins(m.method, '"'))
		return request_fail(q, MCP_INVALID,
				    "jsonrpc must be \"2.0\", and method a "
				    "string");
	why = message_check_params(&m);
	if (!why && m.token.len && !raw_id(m.token, &q->token))
		why = "progressToken must be an integer or a string";
	if (why)
		return request_fail(q, MCP_PARAMS, why);
	raw_id(m.request_id, &q->cancelled);
	raw_text(m.method, &q->method);
	raw_text(m.name, &q->name);
	q->arguments = m.arguments;
	q->is_modern = m.meta_version.len;
	raw_text(q->is_modern ? m.meta_version : m.legacy_version, &q->version);
	return MCP_READ_REQUEST;
}

void mcp_request_release(struct mcp_request *q)
{
	text_release(&q->id);
	text_release(&q->token);
	text_release(&q->cancelled);
	text_release(&q->method);
	text_release(&q->version);
	text_release(&q->name);
}

/* ---- writing ---- */

void mcp_put_raw(struct json *j, const char *fmt, ...)
{
	char *value = NULL;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&value, fmt, args);
	va_end(args);
	json_null(j);
	if (len >= 0) {
		j->out->len -= strlen("null");
		text_add(j->out, value, (size_t)len);
		free(value);
	}
}

static struct json message_open(struct text *out, const struct text *id)
{
	struct json j = json_into(out);

	json_open_object(&j);
	json_add_text(&j, "jsonrpc", "2.0");
	if (id->len) {
		json_key(&j, "id");
		mcp_put_raw(&j, "%s", id->bytes);
	}
	return j;
}

void mcp_error_write(struct text *out, const struct text *id,
		     enum mcp_code code, const char *message,
		     const char *requested)
{
	static const char *const versions[] = { MCP_MODERN, "2025-11-25",
						"2025-06-18", "2025-03-26",
						"2024-11-05" };
	struct json j = message_open(out, id);

	json_add_object(&j, "error");
	json_add_int(&j, "code", code);
	json_add_text(&j, "message", message);
	if (requested) {
		json_add_object(&j, "data");
		json_add_array(&j, "supported");
		for (size_t i = 0; i < sizeof(versions) / sizeof(*versions);
		     i++)
			json_text(&j, versions[i]);
		json_close_array(&j);
		json_add_text(&j, "requested", requested);
		json_close_object(&j);
	}
	json_close_object(&j);
	json_end_document(&j);
}

struct json mcp_result_open(struct text *out, const struct text *id,
			    bool is_modern)
{
	struct json j = message_open(out, id);

	json_add_object(&j, "result");
	if (is_modern)
		json_add_text(&j, "resultType", "complete");
	return j;
}

void mcp_result_close(struct json *j, bool is_modern)
{
	if (is_modern) {
		json_add_object(j, "_meta");
		json_add_object(j, META "serverInfo");
		json_add_text(j, "name", "sjkc");
		json_add_text(j, "version", SJKC_VERSION);
		json_close_object(j);
		json_close_object(j);
	}
	json_close_object(j);
	json_end_document(j);
}
