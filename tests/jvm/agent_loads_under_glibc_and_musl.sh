# SPDX-License-Identifier: Apache-2.0
# The agent's library needs no other library, so glibc's and musl's loaders both
# load it.  It runs in a fake JVM without JVMTI.  glibc returns the loaded
# library when the same path is opened again, even after the file was removed;
# waking a sleeping agent relies on that.
scratch=$2
library=$(realpath "$TOOLS/../../../agent.so")
command -v musl-gcc >/dev/null || { echo 'no musl-gcc'; exit 77; }

needed=$(readelf -d "$library" | grep NEEDED)
[ -z "$needed" ] || { echo "$needed"; exit 1; }
unknown=$(nm -D --undefined-only "$library")
[ -z "$unknown" ] || { echo "wants $unknown"; exit 1; }
native=Java_java_lang_SjkcProbe_
wanted="Agent_OnAttach ${native}call0 ${native}kind0 ${native}object0 "
trace=Java_java_lang_SjkcTrace_
wanted="$wanted${native}value0 ${trace}entry0 ${trace}return0 sjkc_probe_alloc sjkc_probe_call sjkc_probe_lock "
exported=$(nm -D --defined-only "$library" | sed 's/.* //' | sort | tr '\n' ' ')
[ "$exported" = "$wanted" ] ||
	{ echo "exports $exported"; exit 1; }
readelf -lW "$library" | grep -q 'GNU_STACK.*RW ' ||
	{ echo 'its stack is executable'; exit 1; }

cat >"$scratch/load.c" <<'END'
#include "jvmti/agent/agent_protocol.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int get_env(void *vm, void **env, int version)
{
	(void)vm, (void)version;
	*env = NULL;
	return -3; /* JNI_EVERSION */
}

int main(int argc, char **argv)
{
	void *table[8] = { [6] = (void *)get_env };
	void *const *vm = table;
	struct agent_orders orders = { AGENT_MAGIC, AGENT_VERSION,
				       AGENT_SYMBOLS, 0, 0, ~0ul };
	struct agent_report report = { 0 };
	char options[512];
	void *library = dlopen(argv[1], RTLD_LAZY);
	int (*attach)(void *, const char *, void *);
	void (*probe)(unsigned long);
	int fd;

	(void)argc;
	if (!library)
		return fprintf(stderr, "%s\n", dlerror()), 1;
	attach = (int (*)(void *, const char *, void *))dlsym(
		library, "Agent_OnAttach");
	probe = (void (*)(unsigned long))dlsym(library, "sjkc_probe_alloc");
	if (!attach || !probe)
		return 2;
	probe(1);
	fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (pwrite(fd, &orders, sizeof(orders), 0) != sizeof(orders))
		return 3;
	/* A file that does not exist, then one that does. */
	snprintf(options, sizeof(options), "start %s.no", argv[2]);
	if (attach(&vm, options, NULL) != 2)
		return 4;
	snprintf(options, sizeof(options), "start %s", argv[2]);
	if (attach(&vm, options, NULL) != 0 || attach(&vm, NULL, NULL) != 0 ||
	    attach(&vm, "stop else", NULL) != 0 || attach(&vm, "", NULL) != 0)
		return 5;
	pread(fd, &report, sizeof(report), AGENT_REPORT_AT);
	if (report.state != AGENT_REFUSED || report.code != -3 ||
	    report.step != AGENT_AT_ENVIRONMENT)
		return 6;
	unlink(argv[1]);
	printf("%s\n", dlopen(argv[1], RTLD_LAZY) == library ? "known"
							      : "looks");
	return 0;
}
END
gcc -I. -o "$scratch/glibc" "$scratch/load.c" -ldl &&
	musl-gcc -I. -o "$scratch/musl" "$scratch/load.c" || exit 1
for libc in glibc musl; do
	cp "$library" "$scratch/$libc.so"
	word=$("$scratch/$libc" "$scratch/$libc.so" "$scratch/$libc.stream") ||
		{ echo "$libc: $?"; exit 1; }
	[ "$libc $word" != 'glibc looks' ] ||
		{ echo 'glibc looks for the file'; exit 1; }
	echo "| $libc: $word"
done
ldd "$scratch/musl" 2>&1 | grep -q musl
