/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands: those there are.  Each is at the foot of its file.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cmd/command.h"

extern const struct command completion_command;
extern const struct command help_command;

#endif
