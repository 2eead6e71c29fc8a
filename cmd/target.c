/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/target.h"

#include "core/base/ascii.h"

#include <stdlib.h>
#include <string.h>

/* "4711", and what is near enough to one that no name is meant. */
static bool is_number(const char *name)
{
	size_t sign = name[0] == '-' || name[0] == '+';

	return is_digit(name[sign]) &&
	       !name[sign + strspn(name + sign, "0123456789")];
}

static int open_pid(struct jvm *jvm, const char *name, struct error *err)
{
	long pid = strtol(name, NULL, 10);

	if (name[0] == '-' || pid <= 0 || pid > INT32_MAX)
		return misuse(err, "%s: no process has that pid", name);
	return jvm_open_java(jvm, (pid_t)pid, err);
}

int target_open_named(struct jvm *jvm, const char *name, struct error *err)
{
	if (is_number(name))
		return open_pid(jvm, name, err);
	return misuse(err, "%s is no pid", name);
}

int target_open(struct jvm *jvm, const char *pid_option, int *argc,
		char ***argv, struct error *err)
{
	if (!pid_option) {
		if (*argc < 1)
			return misuse(err, "which JVM? `sjkc jps` lists them");
		pid_option = **argv;
		--*argc;
		++*argv;
	}
	return target_open_named(jvm, pid_option, err);
}
