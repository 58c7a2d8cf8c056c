/*
 * Files that must not outlive the program. Whoever makes one registers its name and forgets it when
 * the file is gone or done; a handler of SIGINT or SIGTERM removes what is registered.
 */
#ifndef CH_SYS_SCRAP_H
#define CH_SYS_SCRAP_H

/*
 * Registers a name, which must stay where it is until it is forgotten. A slot for ch_scrap_forget,
 * or -1 when too many are registered: such a file is left behind if we are ended. Signals should wait
 * from before the file is made until it is registered.
 */
int ch_scrap_add(const char *name);
/* The file is gone or no longer scrap. -1 is fine. */
void ch_scrap_forget(int slot);
/* Removes all that is registered. */
void ch_scrap_remove_all_signal_safe(void);

#endif
