/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/ascii.h"
#include "core/formats/hs_err/hs_err_parser.h"

#include <string.h>

/*
 * "libapp.so+0x11d9]  orders_decode+0x0", or an address without a library. The
 * file name may contain a '+', as that of libstdc++ does.
 */
static void frame_read_native(struct hs_err *e, struct line text,
			      struct hs_err_frame *f)
{
	struct line name, rest = text;
	const char *plus = NULL;

	if (!line_starts(text, "[")) {
		line_hex(&rest, &f->offset);
		return;
	}
	rest = line_skip(text, 1);
	name = line_cut(&rest, ']');
	for (size_t i = 0; i < name.len; i++)
		if (name.text[i] == '+')
			plus = name.text + i;
	if (plus) {
		size_t len = (size_t)(plus - name.text);
		struct line digits = line_skip(name, len + 1);

		line_hex(&digits, &f->offset);
		name.len = len;
	}
	f->library = hs_err_string(e, name);
	f->symbol = hs_err_string(e, rest);
}

/*
 * "java.lang.String.length()I+0 java.base@17", interpreted, or
 * "57 % c2 java.lang.String.length()I (20 bytes) @ 0x… [0x…+0x…]", compiled.
 */
static void frame_read_java(struct hs_err *e, struct line text,
			    struct hs_err_frame *f)
{
	struct line word, rest = text;

	do
		word = line_word(&rest);
	while (word.len && !memchr(word.text, '(', word.len));
	word = line_before(word, "(");
	if (word.len)
		f->method = hs_err_string(e, word);
}

bool hs_err_frame_read(struct hs_err *e, struct line line,
		       struct hs_err_frame *f)
{
	*f = (struct hs_err_frame){ 0 };
	if (line.len < 3 || !memchr("CVvJjA", line.text[0], 6) ||
	    line.text[1] != ' ')
		return false;
	f->kind = line.text[0];
	line = line_trimmed(line_skip(line, 1));
	f->text = hs_err_string(e, line_before(line, " @ 0x"));
	if (!f->text)
		f->text = "";
	if (f->kind == 'C' || f->kind == 'V')
		frame_read_native(e, line, f);
	else if (f->kind != 'v')
		frame_read_java(e, line, f);
	return true;
}

static void stack_add(struct hs_err *e, struct hs_err_stack *s,
		      struct line line)
{
	if (s->count == HS_ERR_FRAMES)
		s->omitted += line.len > 0;
	else if (hs_err_frame_read(e, line, &s->frames[s->count]))
		s->count++;
}

static void parse_native(struct hs_err_parser *p, struct line line)
{
	stack_add(p->e, &p->e->native, line);
}

static void parse_java(struct hs_err_parser *p, struct line line)
{
	stack_add(p->e, &p->e->java, line);
}

void hs_err_parse_native_title(struct hs_err_parser *p, struct line line)
{
	(void)line;
	p->section = parse_native;
}

void hs_err_parse_java_title(struct hs_err_parser *p, struct line line)
{
	(void)line;
	p->section = parse_java;
}

/* ---- libraries ---- */

/* Returns the path at the end of a line of mapped files, or an empty line. */
static struct line library_path(struct line line)
{
	for (size_t i = 0; i + 1 < line.len; i++) {
		if (line.text[i] == '/')
			return line_skip(line, i);
		if (line.text[i] == ':' && line.text[i + 1] == '\\' && i > 0)
			return line_skip(line, i - 1);
	}
	return (struct line){ line.text, 0 };
}

static struct line library_base(struct line path)
{
	for (size_t i = path.len; i > 0; i--)
		if (path.text[i - 1] == '/' || path.text[i - 1] == '\\')
			return line_skip(path, i);
	return path;
}

static void library_of_frame(struct hs_err *e, struct hs_err_frame *f,
			     struct line path, bool is_deleted)
{
	if (!f->library || f->path || !line_is(library_base(path), f->library))
		return;
	f->path = hs_err_string(e, path);
	f->is_deleted = is_deleted;
}

/*
 * Linux:   7fa0f4000000-7fa0f4099000 r--p 00000000 fe:00 326789     /path
 * Windows: 0x00007ff6e6a50000 - 0x00007ff6e6a60000 	C:\path
 */
static void parse_library(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	struct line path = line_trimmed(library_path(line)), rest = line;
	bool is_deleted = line_ends(path, " (deleted)");
	uint64_t low, high;

	e->mappings += e->mappings != HS_ERR_ABSENT;
	if (is_deleted)
		path.len -= strlen(" (deleted)");
	if (!path.len)
		return;
	library_of_frame(e, &e->frame, path, is_deleted);
	for (size_t i = 0; i < e->native.count; i++)
		library_of_frame(e, &e->native.frames[i], path, is_deleted);
	if (!e->has_address || !line_hex(&rest, &low))
		return;
	rest = line_trimmed(rest);
	if (!line_starts(rest, "-"))
		return;
	rest = line_trimmed(line_skip(rest, 1));
	if (line_hex(&rest, &high) && e->address >= low && e->address < high)
		hs_err_set(e, &e->mapped_file, path);
}

void hs_err_parse_libraries_title(struct hs_err_parser *p, struct line line)
{
	(void)line;
	p->e->mappings = 0;
	p->section = parse_library;
}

static const char *const platform_libraries[] = {
	/* the JDK's, without a prefix and a suffix */
	"jvm",
	"java",
	"jli",
	"nio",
	"net",
	"zip",
	"verify",
	"jimage",
	"awt",
	"awt_xawt",
	"awt_headless",
	"awt_lwawt",
	"fontmanager",
	"freetype",
	"lcms",
	"javajpeg",
	"mlib_image",
	"splashscreen",
	"jsound",
	"instrument",
	"management",
	"management_ext",
	"management_agent",
	"jdwp",
	"dt_socket",
	"dt_shmem",
	"attach",
	"prefs",
	"j2pkcs11",
	"j2gss",
	"j2pcsc",
	"jaas",
	"sctp",
	"extnet",
	"rmi",
	"saproc",
	"jsvml",
	"simdsort",
	"syslookup",
	"sunec",
	"unpack",
	"jpeg",
	"le",
	"jsig",
	"hsdis-amd64",
	"hsdis-aarch64",
	/* the system's */
	"c",
	"m",
	"dl",
	"rt",
	"pthread",
	"stdc++",
	"gcc_s",
	"z",
	"ntdll",
	"KERNEL32",
	"KERNELBASE",
	"kernel32",
	"ucrtbase",
	"msvcrt",
	"MSVCR100",
	"VCRUNTIME140",
	"system_kernel",
	"system_platform",
	"system_pthread",
	"system_c",
	"system_malloc",
	"c++",
	"c++abi",
	"linux-vdso",
	"ld",
	"ld-linux-x86-64",
	"ld-linux-aarch64",
	"ld-musl-x86_64",
	"ld-musl-aarch64",
	"linux-gate",
};

bool hs_err_is_platform(const char *library)
{
	size_t len;

	if (!library)
		return false;
	if (strncmp(library, "lib", 3) == 0)
		library += 3;
	len = strcspn(library, ".");
	/* glibc before 2.35 has files such as libc-2.31.so. */
	if (memmem(library, len, "-2", 2))
		len = strcspn(library, "-");
	for (size_t i = 0;
	     i < sizeof(platform_libraries) / sizeof(*platform_libraries); i++)
		if (strlen(platform_libraries[i]) == len &&
		    strncmp(platform_libraries[i], library, len) == 0)
			return true;
	return false;
}

/* "0 slots: 0x00007f…: JNI_OnLoad+0x127 in /srv/libapp.so at 0x…" */
void hs_err_parse_stack_slot(struct hs_err_parser *p, struct line line)
{
	struct line path;
	char base[HS_ERR_STRING];

	if (p->e->stack_library || !line_after(line, " in ", &path))
		return;
	path = line_before(path, " at 0x");
	line = library_base(path);
	if (line.len == 0 || line.len >= sizeof(base) || line.len == path.len)
		return;
	memcpy(base, line.text, line.len);
	base[line.len] = '\0';
	if (!hs_err_is_platform(base))
		p->e->stack_library = hs_err_string(p->e, path);
}
