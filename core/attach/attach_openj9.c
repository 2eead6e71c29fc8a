/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_openj9.h"

#include "core/jvm/properties.h"

#include <string.h>

#define PREFIX "openj9_diagnostics."

/* HotSpot's operations, and what OpenJ9 has for them. */
static const struct {
	const char *operation, *begins, *parts, *ends;
} requests[] = {
	{ "jcmd", "ATTACH_DIAGNOSTICS:", ",", "" },
	{ "threaddump", "ATTACH_DIAGNOSTICS:Thread.print,", ",", "" },
	{ "inspectheap", "ATTACH_DIAGNOSTICS:GC.class_histogram,", ",", "" },
	{ "dumpheap", "ATTACH_DIAGNOSTICS:Dump.heap,", ",", "" },
	{ "properties", "ATTACH_GETSYSTEMPROPERTIES", "", "" },
	{ "agentProperties", "ATTACH_GETAGENTPROPERTIES", "", "" },
	{ "startLocalAgent", "ATTACH_START_LOCAL_MANAGEMENT_AGENT", "", "" },
	{ "load", "ATTACH_LOADAGENTPATH(", ",", ")" },
};

/* The words of a command line are parted by commas there. */
static void add_words(struct text *out, const char *line)
{
	char quote = '\0';

	for (; *line; line++) {
		if (*line == quote)
			quote = '\0';
		else if (!quote && (*line == '"' || *line == '\''))
			quote = *line;
		else
			text_putc(out, *line == ' ' && !quote ? ',' : *line);
	}
}

int openj9_encode(struct text *out, const struct attach_request *request,
		  struct error *err)
{
	const char *const *args = request->args;

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		if (strcmp(requests[i].operation, request->operation) != 0)
			continue;
		text_puts(out, requests[i].begins);
		for (size_t a = 0; a < 4 && args[a]; a++) {
			if (a)
				text_puts(out, requests[i].parts);
			add_words(out, args[a]);
		}
		text_puts(out, requests[i].ends);
		text_putc(out, '\0');
		return 0;
	}
	return fail(err, ERROR_UNAVAILABLE, "OpenJ9 has no operation '%s'",
		    request->operation);
}

static int refuse(const char *words, size_t len, struct error *err)
{
	return fail(err, ERROR_REFUSED, "%.*s", len < 300 ? (int)len : 300,
		    words);
}

/* The properties of a diagnostic command's reply. */
struct outcome {
	bool has_result, is_error;
	struct text result, message;
};

static void set(struct text *t, const struct text *value)
{
	text_clear(t);
	text_add(t, value->bytes ? value->bytes : "", value->len);
}

static void read_outcome(struct outcome *o, const char *reply, size_t len)
{
	struct properties p;

	properties_init(&p, reply, len);
	while (properties_next(&p)) {
		const char *key = p.key.bytes ? p.key.bytes : "";

		if (strcmp(key, PREFIX "string_result") == 0) {
			o->has_result = true;
			set(&o->result, &p.value);
		} else if (strcmp(key, PREFIX "error") == 0) {
			o->is_error = p.value.bytes &&
				      strcmp(p.value.bytes, "true") == 0;
		} else if (strcmp(key, PREFIX "errormsg") == 0) {
			set(&o->message, &p.value);
		}
	}
	properties_release(&p);
}

static bool begins(const char *reply, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(reply, with, strlen(with)) == 0;
}

int openj9_decode(const char *reply, size_t len, struct text *out,
		  struct error *err)
{
	static const char result[] = "ATTACH_RESULT=";
	struct outcome o = { 0 };
	int ret = 0;

	if (begins(reply, len, result)) {
		text_add(out, reply + strlen(result), len - strlen(result));
		return 0;
	}
	if (begins(reply, len, "ATTACH_ERR"))
		return refuse(reply, len, err);
	if (begins(reply, len, "ATTACH_ACK"))
		return 0;
	read_outcome(&o, reply, len);
	if (o.is_error)
		ret = refuse(o.message.len ? o.message.bytes
					   : "no reason given",
			     o.message.len ? o.message.len : 15, err);
	else if (o.has_result)
		text_add(out, o.result.bytes ? o.result.bytes : "",
			 o.result.len);
	else
		text_add(out, reply, len);
	text_release(&o.result);
	text_release(&o.message);
	return ret;
}
