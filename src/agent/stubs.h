/*
 * Code that the VM generated and that is no method: arraycopy, intrinsics, adapters. The VM tells
 * name and place of each (DynamicCodeGenerated).
 */
#ifndef CH_AGENT_STUBS_H
#define CH_AGENT_STUBS_H

#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Asks the VM for all that there is, and from then on for new ones. */
void ch_stubs_start(jvmtiEnv *jvmti);
/* Copies the name of the stub around pc; false when none is known. */
bool ch_stubs_find(uint64_t pc, char *to, size_t room);

void JNICALL ch_stubs_on_code(jvmtiEnv *jvmti, const char *name, const void *address, jint length);

#endif
