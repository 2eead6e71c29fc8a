/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	measure_elf FILE
 *	measure_elf
 *
 * Measures the CPU time of opening an ELF file, sorting its functions, naming
 * addresses and finding rows of call frame information, the last beside libdw.
 * Without a file, it measures the CPU time of reading the kernel's symbols.
 */
#include "bpf/kernel_names.h"
#include "core/elf/elf_file.h"
#include "core/elf/elf_image.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { ADDRESSES = 50000 };

static uint64_t addresses[ADDRESSES];

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double resident_mb(void)
{
	unsigned long pages = 0;
	char text[64] = "", *rest;
	int fd = open("/proc/self/statm", O_RDONLY);

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0) {
		strtoul(text, &rest, 10);
		pages = strtoul(rest, NULL, 10);
	}
	close(fd);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* Spreads the addresses over the code; each is far from the previous one. */
static void choose_addresses(int fd)
{
	struct elf_file f;
	struct error err;
	uint64_t at = 0;

	if (elf_file_init(&f, (struct elf_source){ .fd = fd }, &err) < 0)
		return;
	for (size_t i = 0; i < f.segment_count; i++) {
		const Elf64_Phdr *s = &f.segments[i];

		if (s->p_type != PT_LOAD || !(s->p_flags & PF_X))
			continue;
		for (size_t k = 0; k < ADDRESSES; k++) {
			at = at * 6364136223846793005u + 1442695040888963407u;
			addresses[k] = s->p_vaddr + (at >> 20) % s->p_filesz;
		}
		break;
	}
	elf_file_release(&f);
}

static void name_all(struct elf_image *image, const char *which)
{
	double begin = cpu_ms();
	size_t named = 0;

	for (size_t i = 0; i < ADDRESSES; i++)
		named += elf_image_function(image, addresses[i], NULL) != NULL;
	printf("  name, %-5s     %7.2f us (%zu of %d)\n", which,
	       (cpu_ms() - begin) * 1e3 / ADDRESSES, named, ADDRESSES);
}

static void find_rows(struct elf_image *image)
{
	double begin = cpu_ms();
	struct cfi_row row;
	size_t found = 0;

	for (size_t i = 0; i < ADDRESSES; i++)
		found += elf_image_cfi(image, addresses[i], &row);
	printf("  row, uncached    %7.2f us (%zu of %d)\n",
	       (cpu_ms() - begin) * 1e3 / ADDRESSES, found, ADDRESSES);
}

static void find_rows_by_libdw(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t found = 0;
	Dwarf_CFI *cfi;
	double begin;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	cfi = dwarf_getcfi_elf(elf);
	begin = cpu_ms();
	for (size_t i = 0; i < ADDRESSES; i++) {
		Dwarf_Frame *frame = NULL;

		found += dwarf_cfi_addrframe(cfi, addresses[i], &frame) == 0;
		free(frame);
	}
	printf("  row, by libdw    %7.2f us (%zu of %d)\n",
	       (cpu_ms() - begin) * 1e3 / ADDRESSES, found, ADDRESSES);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	close(fd);
}

static int measure_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	double begin, before = resident_mb();
	struct elf_image *image;
	struct error err;

	if (fd < 0)
		return 1;
	choose_addresses(fd);
	begin = cpu_ms();
	image = elf_image_open_fd(fd, &err);
	close(fd);
	if (!image)
		return 1;
	printf("  open             %7.2f ms, %.1f MB resident\n",
	       cpu_ms() - begin, resident_mb() - before);
	find_rows(image);
	begin = cpu_ms();
	elf_image_function(image, 0, NULL);
	printf("  sort functions   %7.2f ms, %.1f MB resident\n",
	       cpu_ms() - begin, resident_mb() - before);
	name_all(image, "first");
	name_all(image, "again");
	printf("  in total         %7.1f MB resident\n",
	       resident_mb() - before);
	elf_image_close(image);
	find_rows_by_libdw(path);
	return 0;
}

static int measure_kernel(void)
{
	double begin = cpu_ms(), before = resident_mb();
	struct kernel_symbols *k;
	struct rusage usage;
	struct error err;

	k = kernel_symbols_open(&err);
	if (!k) {
		printf("  %s\n", err.text);
		return 1;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("  read             %7.2f ms, of which %.2f are the kernel's; "
	       "%.1f MB resident\n",
	       cpu_ms() - begin,
	       (double)usage.ru_stime.tv_sec * 1e3 +
		       (double)usage.ru_stime.tv_usec / 1e3,
	       resident_mb() - before);
	kernel_symbols_close(k);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? measure_file(argv[1]) : measure_kernel();
}
