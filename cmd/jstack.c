/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc jstack: prints the stack traces of all threads of a JVM. */
#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/reply_print.h"
#include "cmd/shared/target.h"
#include "cmd/shared/virtual_dump.h"
#include "core/attach/attach.h"

static struct {
	const char *pid;
	int64_t timeout_ns;
	bool locks, extended, virtual_threads;
} opt = {
	.timeout_ns = ATTACH_TIMEOUT_NS,
};

static int jstack_print(const struct jvm *jvm, struct error *err)
{
	static const char *const options[2][2] = {
		{ NULL, "-e" },
		{ "-l", "-le" },
	};
	const struct attach_request request = {
		.operation = "threaddump",
		.args = { options[opt.locks][opt.extended] },
	};
	struct attach *a = attach_open(jvm, opt.timeout_ns, err);
	int ret = -1;

	if (a) {
		log_detail("%s", attach_protocol(a));
		ret = reply_print(a, &request, err);
	}
	attach_close(a);
	return ret;
}

/* Prints the dump that the JVM writes to a file. */
static int jstack_print_virtual(const struct jvm *jvm, struct error *err)
{
	struct attach *a = NULL;
	struct input dump = { 0 };
	int ret = -1;

	if (opt.locks || opt.extended)
		return misuse(
			err,
			"options --virtual and --%s conflict: a dump with "
			"virtual threads has no such details",
			opt.locks ? "locks" : "extended");
	if (virtual_dump_check(jvm, err) == 0)
		a = attach_open(jvm, opt.timeout_ns, err);
	if (a)
		ret = virtual_dump_take(jvm, a, false, opt.timeout_ns, &dump,
					err);
	if (ret == 0)
		ret = reply_put((const char *)dump.bytes, dump.len, err);
	input_close(&dump);
	attach_close(a);
	return ret;
}

static int jstack_run(int argc, char **argv, struct error *err)
{
	struct jvm jvm = { 0 };
	int ret = -1;

	if (target_open(&jvm, opt.pid, argc, argv, err) == 0)
		ret = opt.virtual_threads ? jstack_print_virtual(&jvm, err)
					  : jstack_print(&jvm, err);
	jvm_close(&jvm);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_FLAG('l', "locks", &opt.locks,
		 "also print held java.util.concurrent locks",
		 .aliases = "--long"),
	OPT_FLAG('e', "extended", &opt.extended,
		 "also print CPU time and allocation (JDK 11)"),
	OPT_FLAG(0, "virtual", &opt.virtual_threads,
		 "include all virtual threads (JDK 21)"),
	OPT_DURATION(0, "timeout", &opt.timeout_ns, "<time>",
		     "give up after this time"),
	OPT_END,
};
/* clang-format on */

static const struct refusal refusals[] = {
	{ "-F", "`sjkc prof PID -e wall -d 1s` shows the threads of a JVM that "
		"does not answer" },
	{ "-m", "`sjkc prof PID -e wall -d 1s` shows native and Java frames" },
	{ NULL, NULL },
};

const struct command jstack_command = {
	.name = "jstack",
	.synopsis = "jstack [<options>] [<pid>]",
	.summary = "print the stack traces of a JVM's threads",
	.group = "threads and heap",
	.examples = "  sjkc jstack 4711\n"
		    "  sjkc jstack -l -e com.acme.Main >dump.txt\n"
		    "  sjkc jstack 4711 | sjkc flame -o now.html -\n",
	.options = options,
	.has_messages = true,
	.refusals = refusals,
	.run = jstack_run,
};
