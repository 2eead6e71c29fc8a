/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/commands.h"

#include "cmd/nearest.h"

#include <string.h>

/* In the order in which `sjkc help` lists them within their groups. */
/* clang-format off */
const struct command *const commands[] = {
	&ttop_command,
	&flame_command,
	&prof_command,
	&perfmap_command,
	&jps_command,
	&jcmd_command,
	&jstack_command,
	&hh_command,
	&vminfo_command,
	&doctor_command,
	&mx_command,
	&mxdump_command,
	&mxping_command,
	&mxprx_command,
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

int command_unknown(const char *name, struct error *err)
{
	struct nearest nearest = nearest_to(name, strlen(name));

	for (size_t i = 0; commands[i]; i++)
		nearest_offer(&nearest, commands[i]->name);
	if (nearest.best)
		return misuse(err, "unknown command '%s'; is '%s' meant?", name,
			      nearest.best);
	return misuse(err, "unknown command '%s'", name);
}
