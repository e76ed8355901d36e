/* SPDX-License-Identifier: Apache-2.0 */
/* The command table is main.c's; a unit test brings a small one of its own. */
#ifndef NX_TESTS_UNIT_CLI_COMMAND_TABLE_H
#define NX_TESTS_UNIT_CLI_COMMAND_TABLE_H

#include <string.h>

#include "cli/command.h"

static const struct nx_command first_command = {.name = "view"};
static const struct nx_command second_command = {.name = "show-session"};
const struct nx_command *const nx_commands[] = {&first_command, &second_command};
const size_t nx_command_count = 2;

#endif
