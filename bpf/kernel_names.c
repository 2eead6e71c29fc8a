/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/kernel_names.h"

#include "bpf/load.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/text.h"

#include "bpf/kernel_names.skel.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kernel_names {
	struct kernel_names_bpf *programs;
};

struct kernel_names *kernel_names_open(struct error *err)
{
	struct kernel_names *n = xcalloc(1, sizeof(*n));

	if (load_quietly(err) == 0) {
		n->programs = kernel_names_bpf__open_and_load();
		if (n->programs)
			return n;
		load_refused("kernel's names", errno, err);
	}
	kernel_names_close(n);
	return NULL;
}

void kernel_names_close(struct kernel_names *n)
{
	if (!n)
		return;
	kernel_names_bpf__destroy(n->programs);
	free(n);
}

/*
 * The kernel prints an address without a name as a number (symbol_string() in
 * lib/vsprintf.c).
 */
bool kernel_names_find(struct kernel_names *n, uint64_t address,
		       const char **name)
{
	int program = bpf_program__fd(n->programs->progs.on_request);
	char *written = n->programs->bss->name;
	LIBBPF_OPTS(bpf_test_run_opts, run);

	n->programs->bss->address = address;
	written[0] = '\0';
	if (bpf_prog_test_run_opts(program, &run) || !written[0])
		return false;
	written[sizeof(n->programs->bss->name) - 1] = '\0';
	*name = strncmp(written, "0x", 2) == 0 ? NULL : written;
	return true;
}

/* ---- all names, from /proc/kallsyms ---- */

#define KALLSYMS     "/proc/kallsyms"
#define KALLSYMS_MAX ((size_t)256 << 20)
#define PART         ((size_t)1 << 20)

/* Kernel addresses have the highest bit set; others are per-CPU offsets. */
#define KERNEL_FIRST (UINT64_C(1) << 63)

/* No symbol marks the end of a module's last function. */
#define FUNCTION_MAX (UINT64_C(1) << 20)

/* The function from an address up to the next entry. */
struct kernel_place {
	uint64_t address;
	uint32_t name; /* offset in names; 0 = data, or nothing */
	uint32_t rank; /* the symbol of lowest rank at an address is used */
};

struct kernel_symbols {
	struct kernel_place *places;
	size_t count, cap;
	struct text names; /* each NUL-terminated */
	uint64_t last;     /* last address that was read */
	bool is_sorted;
};

/* A line of the file; its parts are not NUL-terminated. */
struct symbol {
	uint64_t address;
	char type;
	const char *name, *end;
};

/* "ffffffff81000000 T _stext" or "ffffffffc0000000 t name\t[module]". */
static bool kernel_read_line(const char *at, const char *end, struct symbol *s)
{
	int digit;

	s->address = 0;
	while (at < end && (digit = hex_digit(*at)) >= 0) {
		s->address = s->address << 4 | (unsigned)digit;
		at++;
	}
	if (end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	s->type = at[1];
	s->name = at + 3;
	s->end = end;
	return true;
}

static uint32_t kernel_keep_name(struct kernel_symbols *k,
				 const struct symbol *s)
{
	size_t begin = k->names.len, len = (size_t)(s->end - s->name);
	char *tab;

	text_add(&k->names, s->name, len);
	tab = memchr(k->names.bytes + begin, '\t', len);
	if (tab)
		*tab = ' ';
	text_putc(&k->names, '\0');
	return (uint32_t)begin;
}

/*
 * Adds a symbol.  Global symbols rank first, then the order of the file counts.
 */
static void kernel_keep(struct kernel_symbols *k, const struct symbol *s)
{
	bool is_code = strchr("tTwW", s->type) != NULL;
	uint32_t rank = (s->type != 'T') + (*s->name == '_');

	k->is_sorted &= s->address >= k->last;
	k->last = s->address;
	if (k->names.len >= UINT32_MAX)
		return;
	array_add(k->places, k->count, k->cap,
		  (struct kernel_place){
			  .address = s->address,
			  .name = is_code ? kernel_keep_name(k, s) : 0,
			  .rank = is_code ? rank : UINT32_MAX,
		  });
}

static int place_compare(const void *a, const void *b)
{
	const struct kernel_place *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Keeps the best symbol of each address. */
static void kernel_unite(struct kernel_symbols *k)
{
	size_t kept = 0;

	if (!k->is_sorted)
		qsort(k->places, k->count, sizeof(*k->places), place_compare);
	for (size_t i = 0; i < k->count; i++) {
		struct kernel_place *last = kept ? &k->places[kept - 1] : NULL;

		if (!last || last->address != k->places[i].address)
			k->places[kept++] = k->places[i];
		else if (k->places[i].rank < last->rank)
			*last = k->places[i];
	}
	k->count = kept;
}

static int kernel_fail_hidden(struct error *err)
{
	return fail(err, ERROR_PERMISSION,
		    KALLSYMS
		    " hides the kernel's addresses; run with CAP_SYSLOG "
		    "or set kernel.kptr_restrict=0");
}

struct kernel_symbols *kernel_symbols_of(const char *text, size_t len,
					 struct error *err)
{
	struct kernel_symbols *k = xcalloc(1, sizeof(*k));
	const char *at = text, *end = text + len;
	size_t lines = 0;

	k->is_sorted = true;
	text_putc(&k->names, '\0'); /* offset 0 is not a name */
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct symbol s;

		if (!newline)
			newline = end;
		if (kernel_read_line(at, newline, &s)) {
			lines++;
			if (s.address >= KERNEL_FIRST)
				kernel_keep(k, &s);
		}
		at = newline + 1;
	}
	if (k->count) {
		kernel_unite(k);
		return k;
	}
	kernel_symbols_close(k);
	if (lines)
		kernel_fail_hidden(err);
	else
		fail(err, ERROR_UNAVAILABLE, KALLSYMS " is empty");
	return NULL;
}

static int kernel_read_all(int fd, struct text *out, struct error *err)
{
	char *part = xmalloc(PART);
	ssize_t got;

	do {
		got = read(fd, part, PART);
		if (got > 0)
			text_add(out, part, (size_t)got);
	} while ((got > 0 && out->len < KALLSYMS_MAX) ||
		 (got < 0 && errno == EINTR));
	if (got < 0)
		fail_sys(err, ERROR_UNAVAILABLE, KALLSYMS);
	free(part);
	return got < 0 ? -1 : 0;
}

struct kernel_symbols *kernel_symbols_open(struct error *err)
{
	int fd = open(KALLSYMS, O_RDONLY | O_CLOEXEC);
	struct kernel_symbols *k = NULL;
	struct text text = { 0 };

	if (fd < 0) {
		fail_sys(err,
			 errno == EACCES || errno == EPERM ? ERROR_PERMISSION
							   : ERROR_UNAVAILABLE,
			 KALLSYMS);
		return NULL;
	}
	if (kernel_read_all(fd, &text, err) == 0)
		k = kernel_symbols_of(text.bytes, text.len, err);
	close(fd);
	text_release(&text);
	return k;
}

void kernel_symbols_close(struct kernel_symbols *k)
{
	if (!k)
		return;
	free(k->places);
	text_release(&k->names);
	free(k);
}

const char *kernel_symbols_function(const struct kernel_symbols *k,
				    uint64_t address)
{
	size_t low = 0, high = k->count;
	const struct kernel_place *place;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->places[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return NULL;
	place = &k->places[low - 1];
	if (!place->name || address - place->address >= FUNCTION_MAX)
		return NULL;
	return k->names.bytes + place->name;
}
