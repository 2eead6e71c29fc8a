/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the messages of MCP clients, the arguments of tools and the documents
 * of commands. No command runs.
 */
#include "cmd/mcp/mcp.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct mcp_rules rules = { .directory = -1, .allowed = ~0U };

/* Each answer is one line of JSON. */
static void check_lines(const struct text *out)
{
	struct lines lines = lines_over(out->len ? out->bytes : "", out->len);
	struct line line;

	while (lines_next(&lines, &line))
		assert(json_is_valid(line.text, line.len));
	assert(!lines_end_open(&lines));
}

static void check_arguments(const struct mcp_request *q)
{
	const struct mcp_tool *t = mcp_tool_find(q->name.bytes);
	struct mcp_values v = { 0 };
	struct error err;

	if (t && mcp_values_read(&v, t, &rules, q->arguments, &err) == 0) {
		char **words = mcp_values_command(&v, &rules);

		/* The first word is of the table; others are options or data.
		 */
		for (size_t i = 1; words[0] && words[i]; i++)
			assert(words[i][0] == '-' || words[i][0] == '/' ||
			       strcmp(words[i - 1], "--") == 0);
		mcp_words_free(words);
	}
	mcp_values_release(&v);
}

static void check_message(const char *bytes, size_t len)
{
	struct mcp_server *s = mcp_server_new(&rules);
	struct mcp_request q;
	enum mcp_read read = mcp_request_read(&q, (struct line){ bytes, len });

	if (read == MCP_READ_REQUEST)
		check_arguments(&q);
	/* Without a name, no call starts a child. */
	if (read != MCP_READ_REQUEST || !q.name.len) {
		mcp_server_take(s, bytes, len);
		check_lines(mcp_server_out(s));
	}
	mcp_request_release(&q);
	mcp_server_free(s);
}

static void check_document(unsigned tool, const char *bytes, size_t len)
{
	const struct mcp_values values = {
		.all = { { .is_given = true, .number = 7 } },
		.tool = &mcp_tools[tool],
		.variant = mcp_tools[tool].variants,
		.limit = MCP_ANSWER_LEAST,
	};
	struct text id = { 0 }, messages = { 0 }, out = { 0 }, summary = { 0 };
	struct mcp_answer a = {
		.id = &id,
		.is_modern = true,
		.values = &values,
		.rules = &rules,
		.document = bytes,
		.len = len,
		.messages = &messages,
	};

	text_puts(&id, "1");
	mcp_answer_write(&out, &a);
	assert(out.len <= MCP_ANSWER_LEAST);
	check_lines(&out);
	if (values.variant->is_summed)
		mcp_gc_summarize(&summary, bytes, len);
	check_lines(&summary);
	text_release(&id);
	text_release(&out);
	text_release(&summary);
}

/* The first byte is that of a message, or the number of a tool. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);
	unsigned tool;

	memcpy(copy, data, size);
	copy[size] = '\0';
	tool = size ? (unsigned)(data[0] - '0') : 0;
	if (size && data[0] == '{')
		check_message(copy, size);
	else if (size && tool < 10)
		check_document(tool, copy + 1, size - 1);
	free(copy);
	return 0;
}
