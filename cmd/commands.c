/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/command.h"

const struct command *const commands[] = {
	NULL,
};
