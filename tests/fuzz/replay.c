/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay: all fuzzers in one program, without libFuzzer.  It runs the fuzzer by
 * whose name it is called on each file of its arguments.  The Makefile renames
 * each fuzzer's LLVMFuzzerTestOneInput(), for example to fuzz_one_jfr().
 *
 *	fuzz_jfr FILE...
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds per input; tests/fuzz.sh sets the same for libFuzzer. */
#define LONGEST_S 10

typedef int fuzz_fn(const uint8_t *data, size_t size);

/* An exact allocation, so that the sanitizer finds a read beyond it. */
static int replay(fuzz_fn *run, const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	long size;

	if (!file)
		return -1;
	if (!fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0 &&
	    !fseek(file, 0, SEEK_SET))
		data = malloc((size_t)size + !size);
	if (data && fread(data, 1, (size_t)size, file) != (size_t)size) {
		free(data);
		data = NULL;
	}
	fclose(file);
	if (!data)
		return -1;
	/* The sanitizers' reports do not name the input. */
	fprintf(stderr, "%s\n", path);
	alarm(LONGEST_S);
	run(data, (size_t)size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	char name[256];
	fuzz_fn *run;

	snprintf(name, sizeof(name), "fuzz_one_%s",
		 slash ? slash + 1 + strlen("fuzz_") : "");
	run = (fuzz_fn *)dlsym(RTLD_DEFAULT, name);
	if (!run) {
		fprintf(stderr, "no %s\n", name);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		if (replay(run, argv[i])) {
			perror(argv[i]);
			return 2;
		}
	}
	return 0;
}
