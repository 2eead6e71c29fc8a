/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/command.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct error err = { 0 };

	for (size_t i = 0; argc > 1 && commands[i]; i++) {
		if (strcmp(commands[i]->name, argv[1]) != 0)
			continue;
		if (commands[i]->run(argc - 2, argv + 2, &err) == 0)
			return 0;
		fprintf(stderr, "sjkc: %s\n", err.text);
		return (int)err.kind;
	}
	fprintf(stderr, "sjkc: unknown command\n");
	return ERROR_MISUSE;
}
