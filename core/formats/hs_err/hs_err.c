/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/hs_err/hs_err.h"

#include "core/base/alloc.h"
#include "core/base/log_lines.h"
#include "core/base/text.h"
#include "core/formats/hs_err/hs_err_parser.h"
#include "core/jvm/java_command.h"

#include <stdlib.h>
#include <string.h>

/* ---- strings of the log ---- */

static const char *hs_err_cut(struct hs_err *e, struct line text, size_t max)
{
	if (text.len > max) {
		e->cut_strings++;
		text.len = max;
	}
	return arena_copy(&e->arena, text.text, text.len);
}

/* Keeps a string, without blanks around it; NULL for an empty one. */
const char *hs_err_string(struct hs_err *e, struct line text)
{
	text = line_trimmed(text);
	return text.len ? hs_err_cut(e, text, HS_ERR_STRING) : NULL;
}

void hs_err_set(struct hs_err *e, const char **string, struct line text)
{
	if (!*string)
		*string = hs_err_string(e, text);
}

/* ---- the lines that begin with # ---- */

/* "SIGSEGV (0xb) at pc=0x00007f… (sent by kill), pid=1, tid=2" */
static void header_read_signal(struct hs_err *e, struct line line)
{
	struct line rest;

	/* JDK 8: "INVALID (0xe0000002) at pc=0x0" for a lack of memory */
	if (e->kind == HS_ERR_NO_MEMORY)
		return;
	e->kind = HS_ERR_SIGNAL;
	e->sent_by_kill = line_after(line, "(sent by kill)", &rest);
	hs_err_set(e, &e->signal, line_before(line, " ("));
}

/* "Internal Error (debug.cpp:362), pid=1, tid=2" */
static void header_read_source(struct hs_err *e, enum hs_err_kind kind,
			       struct line line)
{
	struct line source = line_before(line, ")");

	if (e->kind != HS_ERR_NO_MEMORY)
		e->kind = kind;
	/* Builds of others have the path of the build machine. */
	for (size_t i = source.len; i > 0; i--) {
		if (source.text[i - 1] == '/' || source.text[i - 1] == '\\') {
			source = line_skip(source, i);
			break;
		}
	}
	hs_err_set(e, &e->source, source);
}

static void header_read_ids(struct hs_err *e, struct line line)
{
	struct line rest;

	if (!line_after(line, ", pid=", &rest))
		return;
	line_decimal(&rest, &e->pid);
	if (!line_after(line, ", tid=", &rest))
		return;
	if (line_starts(rest, "0x"))
		line_hex(&rest, &e->tid);
	else
		line_decimal(&rest, &e->tid);
}

static bool header_is_cause(struct hs_err *e, struct line line)
{
	struct line rest;

	if (line_after(line, "Internal Error (", &rest))
		header_read_source(e, HS_ERR_INTERNAL, rest);
	else if (line_after(line, "Out of Memory Error (", &rest))
		header_read_source(e, HS_ERR_NO_MEMORY, rest);
	else if (line_after(line, " at pc=", &rest))
		header_read_signal(e, line);
	else
		return false;
	header_read_ids(e, line);
	return true;
}

static bool header_is_core(struct hs_err *e, struct line line)
{
	struct line rest;

	if (!line_starts(line, "Core dump ") &&
	    !line_starts(line, "No core ") &&
	    !line_starts(line, "Failed to write core dump") &&
	    !line_starts(line, "CreateCoredumpOnCrash") &&
	    !line_after(line, "inidump", &rest))
		return false;
	e->has_core = line_starts(line, "Core dump ");
	hs_err_set(e, &e->core, line);
	return true;
}

static void parse_header(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	struct line rest;

	line = line_trimmed(line_skip(line, 1));
	if (p->wants_frame) {
		p->wants_frame = false;
		hs_err_frame_read(e, line, &e->frame);
	} else if (line_after(line, "There is insufficient memory", &rest)) {
		e->kind = HS_ERR_NO_MEMORY;
	} else if (line_after(line, "JRE version:", &rest)) {
		hs_err_set(e, &e->jre, rest);
	} else if (line_after(line, "Java VM:", &rest)) {
		hs_err_set(e, &e->vm, rest);
	} else if (line_starts(line, "Problematic frame:")) {
		p->wants_frame = true;
	} else if (header_is_core(e, line) || header_is_cause(e, line)) {
		return;
	} else if (e->kind >= HS_ERR_INTERNAL && !e->jre && line.len) {
		hs_err_set(e, &e->message, line);
	}
}

/* ---- the process and its thread ---- */

/* Masks each word; quoted spaces are lost in the log already. */
static const char *command_masked(struct hs_err *e, struct line line)
{
	struct text all = { 0 };
	struct line word, rest = line;
	char *before = NULL;
	const char *kept;

	if (line.len > HS_ERR_COMMAND) {
		e->cut_strings++;
		rest.len = HS_ERR_COMMAND;
	}
	while ((word = line_word(&rest)).len) {
		char *arg = xstrndup(word.text, word.len);

		if (all.len)
			text_putc(&all, ' ');
		secrets_add_arg(&all, before, arg);
		free(before);
		before = arg;
	}
	free(before);
	kept = all.len ? arena_copy(&e->arena, all.bytes, all.len) : NULL;
	text_release(&all);
	return kept;
}

static void parse_command(struct hs_err_parser *p, struct line line)
{
	if (!p->e->command)
		p->e->command = command_masked(p->e, line);
}

/* JDK 8 has no line with both. */
static void parse_java_command(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	const char *program = command_masked(e, line);
	struct text both = { 0 };

	if (!e->command || !program || strstr(e->command, program)) {
		e->command = e->command ? e->command : program;
		return;
	}
	text_printf(&both, "%s %s", e->command, program);
	e->command = arena_copy(&e->arena, both.bytes, both.len);
	text_release(&both);
}

static void parse_elapsed(struct hs_err_parser *p, struct line line)
{
	struct line rest;

	if (line_after(line, "elapsed time: ", &rest))
		p->e->elapsed = line_seconds(rest);
}

/* "[0x00007f…,0x00007f…]" behind the bracket */
static void stack_read_range(struct hs_err *e, struct line line)
{
	uint64_t low, high;

	if (!line_hex(&line, &low) || !line_starts(line, ","))
		return;
	line = line_skip(line, 1);
	if (!line_hex(&line, &high) || high <= low)
		return;
	e->stack_low = low;
	e->stack_high = high;
}

/*
 * JavaThread "main" daemon [_thread_in_native, id=1, stack(0x…,0x…) (1024K)]
 * VMThread "VM Thread" [stack: 0x…,0x…] [id=2]
 */
static void parse_thread(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	struct line rest, kind;
	const char *quote;

	if (!line_after(line, "):", &rest))
		return;
	rest = line_trimmed(rest);
	kind = line_before(line_before(rest, "["), "\"");
	hs_err_set(e, &e->thread_kind, kind);
	rest = line_skip(rest, kind.len);
	quote = rest.len > 1 ? memrchr(rest.text, '"', rest.len) : NULL;
	if (quote > rest.text) {
		size_t len = (size_t)(quote - rest.text);

		hs_err_set(e, &e->thread,
			   (struct line){ rest.text + 1, len - 1 });
		rest = line_skip(rest, len);
	}
	if (line_after(rest, "[_thread_", &line))
		hs_err_set(e, &e->thread_state, line_before(line, ","));
	if (line_after(rest, "stack(", &line) ||
	    line_after(rest, "stack: ", &line))
		stack_read_range(e, line);
}

static void parse_native_thread(struct hs_err_parser *p, struct line line)
{
	(void)line;
	p->e->thread_kind = "native thread";
}

/* "0x…,0x…],  sp=0x…,  free space=1016k" */
static void parse_stack(struct hs_err_parser *p, struct line line)
{
	struct line rest;

	stack_read_range(p->e, line);
	if (line_after(line, "sp=", &rest))
		line_hex(&rest, &p->e->stack_pointer);
}

/* "C2:    646   44 %     4       Crash::work @ 10 (47 bytes)" */
static void parse_compilation(struct hs_err_parser *p, struct line line)
{
	struct line word, rest = line;

	hs_err_set(p->e, &p->e->compiler, line_before(line, ":"));
	do
		word = line_word(&rest);
	while (word.len && !memmem(word.text, word.len, "::", 2));
	hs_err_set(p->e, &p->e->compiled, word);
}

static void parse_compilation_title(struct hs_err_parser *p, struct line line)
{
	(void)line;
	p->section = parse_compilation;
}

/* "0x00007f…): G1CollectForAllocation, mode: safepoint, …" */
static void parse_operation(struct hs_err_parser *p, struct line line)
{
	struct line rest;

	if (line_after(line, "): ", &rest))
		hs_err_set(p->e, &p->e->operation, line_before(rest, ","));
}

/*
 * si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x10
 * si_code: 0 (SI_USER), si_pid: 17360, si_uid: 0; JDK 8: sent from pid: 17360
 * EXCEPTION_ACCESS_VIOLATION (0xc0000005), reading address 0x10
 */
static void parse_siginfo(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	struct line rest;

	if (line_after(line, "si_code", &rest) && line_after(rest, "(", &rest))
		hs_err_set(e, &e->code, line_before(rest, ")"));
	if (line_after(line, "si_addr", &rest) ||
	    line_after(line, " address", &rest)) {
		rest = line_skip(rest, 1); /* ':', '=' or ' ' */
		rest = line_trimmed(rest);
		e->has_address = line_hex(&rest, &e->address);
	}
	if (line_after(line, "si_pid: ", &rest) ||
	    line_after(line, "from pid: ", &rest)) {
		e->sent_by_kill = true;
		line_decimal(&rest, &e->sender);
	} else if (e->code && strncmp(e->code, "SI_", 3) == 0 &&
		   strcmp(e->code, "SI_KERNEL") != 0) {
		/* JDK 8 prints si_addr, which is in a union with si_pid. */
		e->sent_by_kill = true;
		e->sender = e->address & UINT32_MAX;
	}
	if (e->sent_by_kill)
		e->has_address = false;
}

/* ---- the whole log ---- */

static void parse_failed_step(struct hs_err_parser *p, struct line line)
{
	(void)line;
	p->e->failed_steps++;
}

static void parse_mappings(struct hs_err_parser *p, struct line line)
{
	line_decimal(&line, &p->e->mappings);
}

static void parse_end(struct hs_err_parser *p, struct line line)
{
	p->is_at_end = p->is_at_end || !line.len;
}

/* JDK 8 ends with this line. */
static void parse_last_elapsed(struct hs_err_parser *p, struct line line)
{
	p->e->elapsed = line_seconds(line);
	p->is_at_end = true;
}

/* clang-format off */
static const struct {
	const char *prefix;
	hs_err_line_fn *parse; /* gets the rest of the line */
} steps[] = {
	{ "[error occurred during error reporting", parse_failed_step },
	{ "[timeout occurred during error reporting", parse_failed_step },
	{ "Command Line: ", parse_command },
	{ "jvm_args: ", parse_command },
	{ "java_command: ", parse_java_command },
	{ "Time: ", parse_elapsed },
	{ "elapsed time: ", parse_last_elapsed },
	{ "Current thread (", parse_thread },
	{ "Current thread is native thread", parse_native_thread },
	{ "Current CompileTask:", parse_compilation_title },
	{ "Stack: [", parse_stack },
	{ "Native frames:", hs_err_parse_native_title },
	{ "Java frames:", hs_err_parse_java_title },
	{ "VM_Operation (", parse_operation },
	{ "siginfo:", parse_siginfo },
	{ "stack at sp + ", hs_err_parse_stack_slot },
	{ "Heap:", hs_err_parse_heap_title },
	{ "Event: ", hs_err_parse_event },
	{ "Dynamic libraries:", hs_err_parse_libraries_title },
	{ "Total number of mappings: ", parse_mappings },
	{ "rlimit", hs_err_parse_limits },
	{ "container (cgroup) information:", hs_err_parse_container_title },
	{ "Memory: ", hs_err_parse_memory },
	{ "/proc/sys/vm/max_map_count", hs_err_parse_max_mappings },
	{ "END.", parse_end },
};
/* clang-format on */

static void parse_line(struct hs_err_parser *p, struct line line)
{
	if (!p->in_body && line_starts(line, "#")) {
		parse_header(p, line);
		return;
	}
	if (!line.len) {
		p->section = NULL;
		p->event_kind = NULL;
		return;
	}
	if (hs_err_parse_event_title(p, line))
		return;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (line_starts(line, steps[i].prefix)) {
			p->section = NULL;
			p->in_body |= steps[i].parse != parse_failed_step;
			line = line_skip(line, strlen(steps[i].prefix));
			steps[i].parse(p, line);
			return;
		}
	}
	if (p->section)
		p->section(p, line);
}

/* A log begins with "#", and "# A fatal error …" in the next line. */
static bool hs_err_find(struct log_lines *lines, struct line *line)
{
	while (log_lines_next(lines, line))
		if (line_starts(*line,
				"# A fatal error has been detected by ") ||
		    line_starts(*line, "# There is insufficient memory for "
				       "the Java Runtime "))
			return true;
	return false;
}

int hs_err_read(struct hs_err *e, const void *bytes, size_t len,
		struct error *err)
{
	struct hs_err_parser p = { .e = e };
	struct log_lines lines;
	struct line line;

	*e = (struct hs_err){
		.elapsed = -1,
		.memory = HS_ERR_ABSENT,
		.memory_free = HS_ERR_ABSENT,
		.swap = HS_ERR_ABSENT,
		.swap_free = HS_ERR_ABSENT,
		.container_memory = HS_ERR_ABSENT,
		.container_usage = HS_ERR_ABSENT,
		.mappings = HS_ERR_ABSENT,
		.max_mappings = HS_ERR_ABSENT,
	};
	log_lines_init(&lines, bytes, len);
	if (!hs_err_find(&lines, &line)) {
		log_lines_release(&lines);
		return fail(err, ERROR_INPUT, "no fatal error log of HotSpot");
	}
	do
		parse_line(&p, line);
	while (!p.is_at_end && log_lines_next(&lines, &line));
	e->is_header = !p.in_body;
	e->is_truncated = !p.is_at_end;
	log_lines_release(&lines);
	return 0;
}

void hs_err_release(struct hs_err *e) { arena_release(&e->arena); }
