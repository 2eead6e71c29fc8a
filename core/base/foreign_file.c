/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/input.h"

#include "core/base/log_lines.h"
#include "core/base/safe_text.h"

#include <elf.h>
#include <string.h>

#define LOG_LINES   64  /* in which the problematic frame is expected */
#define LINE_LENGTH 200 /* bytes of a line that are printed */

static void name_add_line(struct text *out, const char *lead, struct line line)
{
	text_puts(out, lead);
	safe_text(out, line.text,
		  line.len < LINE_LENGTH ? line.len : LINE_LENGTH);
}

/*
 * hs_err_pid*.log (VMError::report):
 *
 *	#
 *	# A fatal error has been detected by the Java Runtime Environment:
 *	#
 *	#  SIGSEGV (0xb) at pc=0x00007f…, pid=1, tid=2
 *	…
 *	# Problematic frame:
 *	# C  [libc.so.6+0x16d5d3]
 */
static bool name_error_lines(struct text *out, struct log_lines *lines)
{
	static const char *const titles[] = {
		"# A fatal error has been detected by ",
		"# There is insufficient memory for the Java Runtime ",
	};
	struct line line;
	bool has_cause = false;
	size_t read = 0;

	if (!log_lines_next(lines, &line) || !line_is(line, "#") ||
	    !log_lines_next(lines, &line) ||
	    !(line_starts(line, titles[0]) || line_starts(line, titles[1])))
		return false;
	text_puts(out, "a HotSpot fatal error log");
	while (read++ < LOG_LINES && log_lines_next(lines, &line) &&
	       line_starts(line, "#")) {
		line.text++;
		line.len--;
		line = line_trimmed(line);
		if (line.len && !has_cause) {
			has_cause = true;
			name_add_line(out, ": ", line);
		} else if (line_starts(line, "Problematic frame:") &&
			   log_lines_next(lines, &line) && line.len > 1) {
			line.text++;
			line.len--;
			name_add_line(out, "; problematic frame: ",
				      line_trimmed(line));
		}
	}
	text_puts(out, "; `sjkc why FILE` explains it");
	return true;
}

/* The JVM also prints the log into the log of its container. */
static bool name_error_log(struct text *out, const void *bytes, size_t len)
{
	struct log_lines lines;
	bool found;

	log_lines_init(&lines, bytes, len);
	found = name_error_lines(out, &lines);
	log_lines_release(&lines);
	return found;
}

/* Windows writes hs_err_pid*.mdmp beside the fatal error log. */
static bool name_minidump(struct text *out, const void *bytes, size_t len)
{
	static const char magic[] = { 'M', 'D', 'M', 'P', '\x93', '\xa7' };

	if (len < sizeof(magic) || memcmp(bytes, magic, sizeof(magic)) != 0)
		return false;
	text_puts(out, "a Windows minidump; open it with WinDbg");
	return true;
}

static bool name_core(struct text *out, const unsigned char *bytes, size_t len)
{
	size_t type = offsetof(Elf64_Ehdr, e_type);

	if (len < type + 2 || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
	    bytes[type + (bytes[EI_DATA] == ELFDATA2MSB)] != ET_CORE)
		return false;
	text_puts(out, "a core file; `jhsdb jstack --exe JAVA --core FILE` "
		       "prints its threads");
	return true;
}

bool foreign_file_name(struct text *out, const void *bytes, size_t len)
{
	static const char dump[] = "JAVA PROFILE 1.0.";
	static const char portable[] = "\0\x12portable heap dump"; /* OpenJ9 */

	if ((len > sizeof(dump) &&
	     memcmp(bytes, dump, sizeof(dump) - 1) == 0) ||
	    (len > sizeof(portable) &&
	     memcmp(bytes, portable, sizeof(portable) - 1) == 0)) {
		text_puts(out, "a heap dump; open it with a heap analyzer such "
			       "as Eclipse MAT");
		return true;
	}
	return name_error_log(out, bytes, len) || name_core(out, bytes, len) ||
	       name_minidump(out, bytes, len);
}
