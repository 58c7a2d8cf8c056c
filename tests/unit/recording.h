/*
 * Reading a recording back, for tests of who writes it: apart from them, because the agent and the
 * model of profiles have names in common.
 */
#ifndef CH_TESTS_RECORDING_H
#define CH_TESTS_RECORDING_H

#include <stdint.h>

/* The samples of a recording with this stack (root first, joined by ;), NULL: all of them. */
int64_t recording_samples(const char *path, const char *stack);

#endif
