/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All unit tests in one program, which is linked once.  It runs the test by
 * whose name it is called: for arena_test, it calls test_main_arena_test(),
 * which is that test's main() (tests/unit/test_main.h).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *test = slash ? slash + 1 : "";
	char name[256];
	int (*run)(void);

	snprintf(name, sizeof(name), "test_main_%s", test);
	run = (int (*)(void))dlsym(RTLD_DEFAULT, name);
	if (!run) {
		fprintf(stderr, "no %s\n", name);
		return 2;
	}
	return run();
}
