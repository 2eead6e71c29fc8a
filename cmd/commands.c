/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/commands.h"

#include "cmd/shared/command.h"
#include "core/base/ascii.h"
#include "core/base/nearest.h"
#include "core/base/text.h"

#include <string.h>

/* In the order in which `sjkc help` lists them within their groups. */
/* clang-format off */
const struct command *const commands[] = {
	&why_command,
	&ttop_command,
	&gc_command,
	&jstat_command,
	&snap_command,
	&mcp_command,
	&prof_command,
	&flame_command,
	&diff_command,
	&probe_command,
	&perfmap_command,
	&threads_command,
	&jstack_command,
	&mem_command,
	&hh_command,
	&jps_command,
	&vminfo_command,
	&jcmd_command,
	&doctor_command,
	&mx_command,
	&mxdump_command,
	&mxping_command,
	&mxprx_command,
	&stcap_command,
	&ssa_command,
	&stcpy_command,
	&dexp_command,
	&prfi_command,
	&jfr2json_command,
	&completion_command,
	&help_command,
	NULL,
};
/* clang-format on */

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++) {
		const char *alias = commands[i]->alias;

		if (strcmp(commands[i]->name, name) == 0 ||
		    (alias && strcmp(alias, name) == 0))
			return commands[i];
	}
	return NULL;
}

/* Commands of other tools, and the equivalents in sjkc. */
static const struct {
	const char *names, *instead;
} elsewhere[] = {
	{ "hs", "JDK 9 and later reject reading HotSpot's internal MBeans; "
		"`sjkc vminfo PID --perf` prints their counters, `sjkc ttop "
		"PID` the CPU time of internal threads" },
	{ "jfr", "`sjkc prof -i FILE` reports a recording, `sjkc "
		 "flame --list-events FILE` lists its events" },
	{ "jfrflame jfrconv heatmap", "`sjkc flame FILE` draws a recording" },
	{ "flamegraph fg", "`sjkc flame FILE` draws a recording, `sjkc prof "
			   "PID -o out.html` a running JVM" },
	{ "top htop", "`sjkc ttop PID` shows the threads" },
	{ "profile profiler asprof record perf",
	  "`sjkc prof PID -d 30s -o out.html` samples a JVM" },
	{ "heap histo histogram jhat",
	  "`sjkc hh PID` counts the objects of a heap by class" },
	{ "dump heapdump", "`sjkc jcmd PID GC.heap_dump FILE` writes the heap, "
			   "`sjkc jstack PID` prints the threads" },
	{ "ps list ls", "`sjkc jps` lists the JVMs" },
	{ "jinfo info", "`sjkc vminfo PID --flags` prints the flags, "
			"--sysprops the system properties" },
	{ "jhsdb jdb", "`sjkc jstack PID` prints the threads, `sjkc prof PID` "
		       "samples native frames, too" },
	{ "jconsole jmc visualvm jvisualvm",
	  "`sjkc mxprx` connects it through one port" },
	{ "jmx jmxterm", "`sjkc mx` reads and sets MBeans, `sjkc mxping` tests "
			 "a connection" },
	{ "trace watch monitor btrace byteman methods",
	  "`sjkc probe PID com.acme.Orders.submit` counts and times the calls "
	  "of methods" },
	{ "check status", "`sjkc doctor PID` checks what works with a JVM" },
	{ "attach load",
	  "`sjkc jcmd PID JVMTI.agent_load FILE` loads an agent" },
	{ "completions", "did you mean 'completion'?" },
	{ "version", "`sjkc --version` prints the version" },
};

#define ELSEWHERE (sizeof(elsewhere) / sizeof(*elsewhere))

/* Returns the equivalent of another tool's command, or NULL. */
static const char *elsewhere_find(const char *name)
{
	for (size_t i = 0; i < ELSEWHERE; i++) {
		if (word_list_has(elsewhere[i].names, ' ', name, strlen(name)))
			return elsewhere[i].instead;
	}
	return NULL;
}

/* Adds the commands, and then those of other tools, each with a space. */
static void command_list_names(struct text *out)
{
	for (size_t i = 0; commands[i]; i++)
		text_printf(out, "%s%s%s ", commands[i]->name,
			    commands[i]->alias ? " " : "",
			    commands[i]->alias ? commands[i]->alias : "");
	for (size_t i = 0; i < ELSEWHERE; i++)
		text_printf(out, "%s ", elsewhere[i].names);
}

int command_unknown(const char *name, struct error *err)
{
	struct nearest nearest = nearest_to(name, strlen(name));
	struct text names = { 0 };
	const char *instead;
	char *rest, *offer;

	command_list_names(&names);
	rest = names.bytes;
	while ((offer = strsep(&rest, " "))) {
		if (*offer)
			nearest_offer(&nearest, offer);
	}
	instead = elsewhere_find(nearest.best ? nearest.best : "");
	if (instead)
		misuse(err, "unknown command '%s'; %s", name, instead);
	else if (nearest.best)
		misuse(err, "unknown command '%s'; did you mean '%s'?", name,
		       nearest.best);
	else
		misuse(err, "unknown command '%s'", name);
	text_release(&names);
	return -1;
}

int command_unknown_option(const char *word, struct error *err)
{
	size_t dashes = strspn(word, "-");
	struct nearest nearest = nearest_to(word + dashes,
					    strlen(word + dashes));

	nearest_offer(&nearest, "help");
	nearest_offer(&nearest, "version");
	if (nearest.best)
		return misuse(err, "unknown option %s; did you mean --%s?",
			      word, nearest.best);
	return misuse(err, "unknown option %s; options follow the command",
		      word);
}
