/*
 * Values of the Spark plugin's configuration, checked before a job is submitted with them. The rules
 * and the sentences are those of the plugin (spark-plugin/, Parse, Share, Events), which checks again.
 */
#ifndef CH_CLI_SPARK_VALUES_H
#define CH_CLI_SPARK_VALUES_H

#include "base/error.h"

#include <stddef.h>

/* How the configuration can be printed, in order, the default first; NULL behind the last. */
const char *cli_spark_style(size_t i);

/*
 * Each returns 0, or -EINVAL with what is wrong and what to use instead. The option's name and its
 * value are for the caller to put before it.
 */
int cli_spark_output(const char *value, struct ch_error *err);
int cli_spark_executors(const char *value, struct ch_error *err);
int cli_spark_events(const char *list, struct ch_error *err);
int cli_spark_flush(const char *value, struct ch_error *err);
int cli_spark_percent(const char *value, struct ch_error *err);
int cli_spark_tags(const char *value, struct ch_error *err);
/* The shortest interval depends on the list of events; NULL: the default. */
int cli_spark_interval(const char *value, const char *list, struct ch_error *err);

#endif
