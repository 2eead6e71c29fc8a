/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/commands.h"

/* In the order in which `sjkc help` lists them within their groups. */
const struct command *const commands[] = {
	&completion_command,
	&help_command,
	NULL,
};
