/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/foreign_file.h"

#include "core/base/lines.h"
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
static bool name_error_log(struct text *out, const void *bytes, size_t len)
{
	static const char *const titles[] = {
		"# A fatal error has been detected by ",
		"# There is insufficient memory for the Java Runtime ",
	};
	struct lines lines = lines_over(bytes, len);
	struct line line, cause = { NULL, 0 };
	size_t read = 0;

	if (!lines_next(&lines, &line) || !line_is(line, "#") ||
	    !lines_next(&lines, &line) ||
	    !(line_starts(line, titles[0]) || line_starts(line, titles[1])))
		return false;
	text_puts(out, "a HotSpot fatal error log");
	while (read++ < LOG_LINES && lines_next(&lines, &line) &&
	       line_starts(line, "#")) {
		line.text++;
		line.len--;
		line = line_trimmed(line);
		if (line.len && !cause.len) {
			cause = line;
			name_add_line(out, ": ", line);
		} else if (line_starts(line, "Problematic frame:") &&
			   lines_next(&lines, &line) && line.len > 1) {
			line.text++;
			line.len--;
			name_add_line(out, "; problematic frame: ",
				      line_trimmed(line));
		}
	}
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
	return name_error_log(out, bytes, len) || name_core(out, bytes, len);
}
