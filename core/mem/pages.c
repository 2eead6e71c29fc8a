/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/pages.h"

#include "core/base/alloc.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	ENTRY = 8,      /* bytes of a page in the file */
	AT_ONCE = 8192, /* pages of a read */
};

/* Bits of an entry (Documentation/admin-guide/mm/pagemap.rst of Linux). */
#define ENTRY_PRESENT (UINT64_C(1) << 63)
#define ENTRY_SWAPPED (UINT64_C(1) << 62)
#define ENTRY_FILE    (UINT64_C(1) << 61)
#define ENTRY_ALONE   (UINT64_C(1) << 56) /* mapped exclusively; Linux 4.2 */

/*
 * A hostile process has huge mappings without pages, of which the kernel makes
 * entries nevertheless: 256 GB of them are read, in all.
 */
enum { ABSENT_MOST = 1 << 26 };

struct pages {
	int fd;
	size_t absent;
	uint64_t entries[AT_ONCE];
};

struct pages *pages_open(const struct jvm *jvm, struct error *err)
{
	int fd = procfs_open(jvm->pid, "pagemap", O_RDONLY, err);
	struct pages *p;

	if (fd < 0)
		return NULL;
	/* Another process may have the PID. */
	if (!jvm_runs(jvm)) {
		close(fd);
		jvm_fail_ended(jvm, err);
		return NULL;
	}
	p = xcalloc(1, sizeof(*p));
	p->fd = fd;
	return p;
}

void pages_close(struct pages *p)
{
	if (!p)
		return;
	close(p->fd);
	free(p);
}

bool pages_are_over(const struct pages *p) { return p->absent > ABSENT_MOST; }

/* Reads the entries of at most AT_ONCE pages; returns their number. */
static size_t pages_read_entries(struct pages *p, uint64_t address,
				 size_t count)
{
	uint64_t at = address / PAGE_BYTES * ENTRY;
	size_t got_pages;
	ssize_t got;

	if (count > AT_ONCE)
		count = AT_ONCE;
	if (at > INT64_MAX || pages_are_over(p))
		return 0;
	do {
		got = pread(p->fd, p->entries, count * ENTRY, (off_t)at);
	} while (got < 0 && errno == EINTR);
	got_pages = got > 0 ? (size_t)got / ENTRY : 0;
	for (size_t i = 0; i < got_pages; i++)
		p->absent += !(p->entries[i] & (ENTRY_PRESENT | ENTRY_SWAPPED));
	return got_pages;
}

size_t pages_read(struct pages *p, uint64_t address, uint8_t *states,
		  size_t count)
{
	size_t done = 0;

	while (done < count) {
		size_t n = pages_read_entries(p, address + done * PAGE_BYTES,
					      count - done);

		if (!n)
			break;
		for (size_t i = 0; i < n; i++)
			states[done + i] = p->entries[i] & ENTRY_PRESENT
						   ? PAGE_RESIDENT
					   : p->entries[i] & ENTRY_SWAPPED
						   ? PAGE_SWAPPED
						   : 0;
		done += n;
	}
	for (size_t i = done; i < count; i++)
		states[i] = 0;
	return done;
}

static void page_add(uint64_t entry, struct page_sum *sum)
{
	if (entry & ENTRY_PRESENT) {
		sum->resident += PAGE_BYTES;
		if (!(entry & (ENTRY_FILE | ENTRY_ALONE)))
			sum->shared += PAGE_BYTES;
	} else if (entry & ENTRY_SWAPPED) {
		sum->swapped += PAGE_BYTES;
	}
}

void pages_add(struct pages *p, uint64_t start, uint64_t end,
	       struct page_sum *sum)
{
	uint64_t at = start / PAGE_BYTES, last;

	if (end <= start)
		return;
	at += start % PAGE_BYTES != 0;
	last = (end - 1) / PAGE_BYTES;
	while (at <= last) {
		size_t n = pages_read_entries(p, at * PAGE_BYTES,
					      (size_t)(last - at + 1));

		if (!n)
			return;
		for (size_t i = 0; i < n; i++)
			page_add(p->entries[i], sum);
		at += n;
	}
}
