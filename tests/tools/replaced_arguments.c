/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replaced_arguments: a preloaded library that replaces the arguments and the
 * environment of a program, as /proc shows them, by 4 MB of NULs. A process
 * without privileges may do so (PR_SET_MM_MAP).
 */
#include <linux/prctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { SIZE = 4 << 20, FIELDS = 52 };

/* Reads the fields of /proc/self/stat as proc(5) numbers them. */
static int read_fields(unsigned long long fields[FIELDS + 1])
{
	FILE *f = fopen("/proc/self/stat", "re");
	char text[4096], *at;

	if (!f || !fgets(text, sizeof(text), f))
		return -1;
	fclose(f);
	at = strrchr(text, ')') + 3;
	for (int i = 4; i <= FIELDS; i++)
		fields[i] = strtoull(i == 4 ? at + 1 : at, &at, 10);
	return 0;
}

__attribute__((constructor)) static void replace(void)
{
	unsigned long long f[FIELDS + 1] = { 0 };
	char *area = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct prctl_mm_map map = { .exe_fd = (unsigned)-1 };

	if (area == MAP_FAILED || read_fields(f))
		return;
	map.start_code = f[26], map.end_code = f[27];
	map.start_data = f[45], map.end_data = f[46];
	map.start_brk = f[47], map.brk = (unsigned long)sbrk(0);
	map.start_stack = f[28];
	map.arg_start = map.env_start = (unsigned long)area;
	map.arg_end = map.env_end = (unsigned long)area + SIZE;
	if (prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0))
		perror("PR_SET_MM_MAP");
}
