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

	text_clear(out);
	text_puts(out, "");
	if (raw_begins(raw, '"'))
		json_read_text(&r, out);
}

/*
 * Copies an id or progress token, a string or an integer of at most 20
 * characters, as it is written. Returns false if it is neither.
 */
static bool raw_id(struct line raw, struct text *out)
{
	size_t digits = raw_begins(raw, '-');

	if (!raw.len || raw.len > MCP_ID_MAX)
		return false;
	for (size_t i = digits; i < raw.len && !raw_begins(raw, '"'); i++)
		if (!is_digit(raw.text[i]) || i >= 20)
			return false;
	text_add(out, raw.text, raw.len);
	return true;
}

/* The first reason counts. */
static void request_fail(struct mcp_request *q, enum mcp_code code,
			 const char *why)
{
	if (!q->why) {
		q->code = code;
		q->why = why;
	}
}

/*
 * The member of an object, as it is written; empty without it. Another program
 * between the client and the server might read the other of two members.
 */
static struct line request_member(struct mcp_request *q, struct line object,
				  const char *name)
{
	struct json_reader r = json_reader_over(object.text, object.len);
	struct line found = { 0 }, key;
	struct text decoded = { 0 };

	for (bool in = raw_begins(object, '{') && json_enter_object(&r);
	     in && json_next_member(&r, &key);) {
		struct line raw = mcp_read_raw(&r);

		raw_text((struct line){ key.text - 1, key.len + 2 }, &decoded);
		if (strcmp(decoded.bytes, name) != 0)
			continue;
		if (found.len)
			request_fail(q, MCP_INVALID, "a member is given twice");
		found = raw;
	}
	text_release(&decoded);
	return found;
}

/* A parameter, which has the type that begins so; empty without it. */
static struct line request_param(struct mcp_request *q, struct line object,
				 const char *name, char begin, const char *why)
{
	struct line raw = request_member(q, object, name);

	if (raw.len && !raw_begins(raw, begin))
		request_fail(q, MCP_PARAMS, why);
	return raw;
}

static void request_read_params(struct mcp_request *q, struct line params)
{
	struct line meta = request_param(q, params, "_meta", '{',
					 "_meta must be an object");
	struct line version = request_param(
		q, meta, META "protocolVersion", '"',
		META "protocolVersion must be a string");
	struct line token = request_member(q, meta, "progressToken");

	q->is_modern = version.len;
	if (q->is_modern &&
	    !raw_begins(request_member(q, meta, META "clientCapabilities"),
			'{'))
		request_fail(q, MCP_PARAMS,
			     "_meta lacks the object " META
			     "clientCapabilities");
	if (token.len && !raw_id(token, &q->token))
		request_fail(q, MCP_PARAMS,
			     "progressToken must be an integer or a string");
	if (!q->is_modern)
		version = request_member(q, params, "protocolVersion");
	raw_text(version, &q->version);
	raw_text(request_param(q, params, "name", '"', "name must be a string"),
		 &q->name);
	q->arguments = request_param(q, params, "arguments", '{',
				     "arguments must be an object");
	raw_id(request_member(q, params, "requestId"), &q->cancelled);
}

/* Returns false for an answer. */
static bool request_read_members(struct mcp_request *q, struct line line)
{
	struct line id = request_member(q, line, "id");
	struct line method = request_member(q, line, "method");

	if (!method.len && (request_member(q, line, "result").len ||
			    request_member(q, line, "error").len))
		return false;
	if (id.len && !raw_id(id, &q->id))
		request_fail(q, MCP_INVALID,
			     "id must be an integer or "
			     "a string of at most 256 bytes");
	if (!line_is(request_member(q, line, "jsonrpc"), "\"2.0\"") ||
	    !raw_begins(method, '"'))
		request_fail(q, MCP_INVALID,
			     "jsonrpc must be \"2.0\", and method a string");
	raw_text(method, &q->method);
	request_read_params(q, request_param(q, line, "params", '{',
					     "params must be an object"));
	return true;
}

enum mcp_read mcp_request_read(struct mcp_request *q, struct line line)
{
	bool is_request = true;

	*q = (struct mcp_request){ 0 };
	line = line_trimmed(line);
	if (!line.len || line_is(line, "\r"))
		return MCP_READ_NOTHING;
	if (!json_is_valid(line.text, line.len))
		request_fail(q, MCP_PARSE,
			     "the line is not JSON of at most 64 levels");
	else if (!raw_begins(line, '{'))
		request_fail(q, MCP_INVALID, "a message must be an object");
	else
		is_request = request_read_members(q, line);
	return q->why       ? MCP_READ_BAD
	       : is_request ? MCP_READ_REQUEST
			    : MCP_READ_NOTHING;
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
