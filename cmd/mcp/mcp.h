/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp: a server of the Model Context Protocol on standard input and output.
 *
 * Each line is a JSON-RPC 2.0 message. Two eras of the protocol differ in how a
 * request names its version, and the server decides for each request: a modern
 * one (2026-07-28) has the version in params._meta, a legacy one (2024-11-05 to
 * 2025-11-25) belongs to the session that `initialize` has begun.
 *
 *    line ── mcp_request_read() ── mcp_server_take() ── tool, values ── queue
 *    answer ◄── mcp_answer_write() ◄── JSON document ◄── child: a command ◄──┘
 */
#ifndef CMD_MCP_MCP_H
#define CMD_MCP_MCP_H

#include "core/base/child.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#define MCP_MODERN "2026-07-28"

enum {
	MCP_LINE_MAX = 1 << 20, /* bytes of a message of the client */
	MCP_ID_MAX = 256,       /* bytes of an id or progress token */
	MCP_ARGS = 12,          /* arguments of a tool */
	MCP_CALLS = 8,          /* calls that run or wait */
	MCP_WORDS = 24,         /* words of a command line */
	MCP_ANSWER = 8000, /* bytes of an answer, unless `limit` is given */
	MCP_ANSWER_MAX = 40000,
	MCP_ANSWER_LEAST = 6000,
};

/* NULL is empty. */
static inline struct line mcp_line(const char *text)
{
	return (struct line){ text, text ? strlen(text) : 0 };
}

/* ---- messages ---- */

/* Codes of JSON-RPC and of the protocol. */
enum mcp_code {
	MCP_PARSE = -32700,
	MCP_INVALID = -32600,
	MCP_NO_METHOD = -32601,
	MCP_PARAMS = -32602,
	MCP_VERSION = -32022,
};

/* A message of the client. Texts that the message lacks are empty. */
struct mcp_request {
	/* Strings or integers, as they are written. Without id: a
	 * notification. */
	struct text id, token, cancelled;
	struct text method, name;
	struct text version;   /* of _meta or, for initialize, of params */
	struct line arguments; /* JSON, in the line of the client */
	bool is_modern;
	enum mcp_code code; /* of MCP_READ_BAD, with the reason */
	const char *why;
};

enum mcp_read {
	MCP_READ_REQUEST, /* or a notification */
	MCP_READ_NOTHING, /* an empty line, or an answer */
	MCP_READ_BAD,     /* the id is known if it is valid */
};

/* Reads a line, which is borrowed. mcp_request_release() must follow. */
enum mcp_read mcp_request_read(struct mcp_request *q, struct line line);
void mcp_request_release(struct mcp_request *q);

/* The first character of the next value of a reader; NUL at the end. */
char mcp_peek(struct json_reader *r);

/* The next value of a reader, as it is written; empty if it fails. */
struct line mcp_read_raw(struct json_reader *r);

/* Writes a value that is JSON. */
void mcp_put_raw(struct json *j, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Appends an error and its newline. An empty id is omitted, as the schemas
 * since 2025-11-25 require; those before, unlike JSON-RPC, have no message
 * without id. `requested` is the version for MCP_VERSION, else NULL.
 */
void mcp_error_write(struct text *out, const struct text *id,
		     enum mcp_code code, const char *message,
		     const char *requested);

/* Opens "result":{…} of an answer, with what its era requires. */
struct json mcp_result_open(struct text *out, const struct text *id,
			    bool is_modern);
void mcp_result_close(struct json *j, bool is_modern);

/* ---- what the server may do ---- */

/* Bits, in the order of their names, mcp_right_names. */
enum mcp_right {
	MCP_STOP = 1,  /* stop the program, for thread dumps or histograms */
	MCP_LOAD = 2,  /* load the sjkc agent */
	MCP_PROBE = 4, /* instrument methods and the JVM */
	MCP_WRITE = 8, /* write files in the directory */
};

enum { MCP_RIGHTS = 4 };
extern const char *const mcp_right_names[MCP_RIGHTS];

unsigned mcp_right_find(struct line name); /* 0: there is none */

struct mcp_rules {
	unsigned allowed; /* bits of enum mcp_right */
	struct jvm *jvms; /* of --pid; opened */
	size_t jvm_count; /* 0 = each JVM */
	bool has_user;
	uid_t user;
	int directory; /* of --dir; -1 = none */
	char *directory_name;
};

/* True unless --pid or --user excludes the process. */
bool mcp_rules_allow_jvm(const struct mcp_rules *r, pid_t pid, uid_t uid);

/* The same; fails with ERROR_PERMISSION, or if there is no such process. */
int mcp_rules_check_jvm(const struct mcp_rules *r, pid_t pid,
			struct error *err);

/*
 * Opens a regular file below the directory, without links out of it. Returns a
 * descriptor, or -1 and *err.
 */
int mcp_rules_open_file(const struct mcp_rules *r, const char *path,
			struct error *err);

/* Fails unless name is free in the directory and has no slash. */
int mcp_rules_check_new_file(const struct mcp_rules *r, const char *name,
			     struct error *err);

/* Appends the document {"files":[{name,bytes,modified}]} of the directory. */
int mcp_rules_list_files(const struct mcp_rules *r, struct text *out,
			 struct error *err);

/* ---- tools ---- */

enum mcp_arg_kind {
	ARG_NONE, /* ends a list */
	ARG_PID,
	ARG_COUNT,
	ARG_FLAG,
	ARG_TEXT,     /* a pattern, a choice, a duration */
	ARG_FILE,     /* in the directory; exists */
	ARG_NEW_FILE, /* in the directory; does not exist */
};

struct mcp_arg {
	enum mcp_arg_kind kind;
	bool is_required;
	const char *name;
	const char *help;
	const char *choices;         /* "a|b|c" of a text, or NULL */
	int64_t least, most, preset; /* of a number; preset 0 = none */
};

/*
 * A command for a call. Conditions are names of arguments, "a,b=c": one of them
 * is given, or has this value.
 *
 * A word of the command line with {name} has the value of the argument there,
 * and is omitted without a value. "?CONDITIONS:WORD" and "~CONDITIONS:WORD" are
 * words if the conditions are true or false, and "!right:WORD" unless the
 * server has the right.
 */
struct mcp_variant {
	const char *when;     /* conditions; NULL = any other call */
	const char *words;    /* NULL = the list of files */
	const char *requires; /* "a b": arguments; or NULL */
	const char *needs;    /* "right CONDITIONS:right", or NULL */
	unsigned uses;        /* rights that make the command better */
	const char *without[MCP_RIGHTS]; /* what is missing without them */
	/*
	 * Arrays and how many elements an answer has, the most important array
	 * first, and omitted members behind dashes. "threads:25@a.b,a,c=d"
	 * writes elements first whose member a has a member b, then those that
	 * have a, and then those whose c is d.
	 */
	const char *shape;
	const char *next; /* calls after this one, as for mcp_next_write() */
	bool is_summed;   /* the records of gc become a summary */
	unsigned grace_s; /* maximum time besides the seconds of the call */
};

struct mcp_tool {
	const char *name, *title, *help;
	unsigned rights, always; /* that calls may use, or always require */
	struct mcp_arg args[MCP_ARGS];
	struct mcp_variant variants[8];
};

extern const struct mcp_tool mcp_tools[]; /* ends with a NULL name */

struct mcp_value {
	bool is_given;
	int64_t number; /* of a file, its descriptor */
	char *text;     /* NULL for a number or flag */
};

/* The arguments of a call. A zeroed struct has none. */
struct mcp_values {
	const struct mcp_tool *tool;
	const struct mcp_variant *variant;
	struct mcp_value all[MCP_ARGS]; /* as tool->args */
	size_t limit;                   /* bytes of the answer */
};

const struct mcp_tool *mcp_tool_find(const char *name); /* or NULL */

/* Writes "tools":[…]. */
void mcp_tools_write(struct json *j, const struct mcp_rules *r);

/*
 * Reads the arguments (empty = none), opens their files, and chooses the
 * variant. ERROR_MISUSE, ERROR_INPUT, or ERROR_PERMISSION for a right that the
 * server lacks. mcp_values_release() must follow.
 */
int mcp_values_read(struct mcp_values *v, const struct mcp_tool *t,
		    const struct mcp_rules *r, struct line arguments,
		    struct error *err);
void mcp_values_release(struct mcp_values *v);

/* The value of an argument; NULL unless it is given. */
const struct mcp_value *mcp_values_find(const struct mcp_values *v,
					const char *name);

/* Rights that the call uses, which make it costly. */
unsigned mcp_values_rights(const struct mcp_values *v,
			   const struct mcp_rules *r);

/* The words of the command, allocated, ended by NULL. */
char **mcp_values_command(const struct mcp_values *v,
			  const struct mcp_rules *r);
void mcp_words_free(char **words);

/* ---- answers ---- */

/* The output of a command. */
struct mcp_answer {
	const struct text *id;
	bool is_modern;
	const struct mcp_values *values;
	const struct mcp_rules *rules;
	const char *document; /* what the command wrote */
	size_t len;
	const struct text
		*messages; /* elements of a JSON array; may be empty */
};

/*
 * Members of a document that lead to the next call, as they are written: the
 * commands of causes, PIDs, names of files, or sources of figures.
 */
enum { MCP_LEADS = 10 };

struct mcp_leads {
	struct line all[MCP_LEADS];
	size_t count;
};

/*
 * Writes "next":[{tool,arguments}], at most three calls that the server would
 * accept. Without leads, they are those of the variant if has_rows: of the
 * calls "tool name=value flag|tool", the first one that the server accepts.
 */
void mcp_next_write(struct json *j, const struct mcp_answer *a,
		    const struct mcp_leads *leads, bool has_rows);

/* Appends a result of at most values->limit bytes and its newline. */
void mcp_answer_write(struct text *out, const struct mcp_answer *a);

/* Appends a result that is an error of the tool. */
void mcp_refusal_write(struct text *out, const struct text *id, bool is_modern,
		       const char *text, const struct text *messages);

/* Appends the summary of the records of `gc --json`. */
void mcp_gc_summarize(struct text *out, const char *records, size_t len);

/* ---- the server ---- */

struct mcp_server;

/* The rules are borrowed. */
struct mcp_server *mcp_server_new(const struct mcp_rules *r);
void mcp_server_free(struct mcp_server *s); /* ends all calls; NULL is fine */

/* Cancels all calls, also later ones, without waiting for their ends. */
void mcp_server_cancel(struct mcp_server *s);

/* Takes a line of the client, without its newline. */
void mcp_server_take(struct mcp_server *s, const char *bytes, size_t len);

/* What the server says; the caller removes the beginning once it is written. */
struct text *mcp_server_out(struct mcp_server *s);

/*
 * Sets descriptors to poll, at most MCP_FDS, returns their number and sets
 * *due_ns to the time of the next step at the latest.
 */
enum { MCP_FDS = 2 * MCP_CALLS };
struct pollfd;
size_t mcp_server_fds(const struct mcp_server *s, struct pollfd *fds,
		      int64_t *due_ns);

/* Starts calls that are due, reads their news, and writes answers. */
void mcp_server_step(struct mcp_server *s);

#endif
