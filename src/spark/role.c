#include "spark/role.h"

#include <stdio.h>

/* Main classes of the JVMs, and modules of the Pythons, of a Spark application. */
static const struct {
	const char *name, *role;
} roles[] = {
	{ "org.apache.spark.deploy.SparkSubmit", "driver" },
	{ "org.apache.spark.deploy.yarn.ApplicationMaster", "driver" },
	{ "org.apache.spark.deploy.worker.DriverWrapper", "driver" },
	{ "org.apache.spark.sql.connect.service.SparkConnectServer", "driver" },
	{ "org.apache.spark.deploy.yarn.ExecutorLauncher", "application master" },
	{ "org.apache.spark.executor.CoarseGrainedExecutorBackend", "executor" },
	{ "org.apache.spark.executor.YarnCoarseGrainedExecutorBackend", "executor" },
	{ "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend", "executor" },
	{ "org.apache.spark.deploy.master.Master", "master" },
	{ "org.apache.spark.deploy.worker.Worker", "worker" },
	{ "org.apache.spark.deploy.history.HistoryServer", "history server" },
	{ "pyspark.daemon", "python worker" },
	{ "pyspark.worker", "python worker" },
};

static struct ch_span span(const char *s)
{
	return s ? (struct ch_span){ s, strlen(s) } : CH_NO_SPAN;
}

static const char *after(const char *p)
{
	return p + strlen(p) + 1;
}

/* The word behind an option. */
static struct ch_span option(struct ch_texts t, const char *name)
{
	for (; t.p < t.end; t.p = after(t.p))
		if (!strcmp(t.p, name) && after(t.p) < t.end)
			return span(after(t.p));
	return CH_NO_SPAN;
}

static struct ch_span variable(struct ch_texts t, const char *name)
{
	size_t n = strlen(name);

	for (; t.p < t.end; t.p = after(t.p))
		if (!strncmp(t.p, name, n) && t.p[n] == '=')
			return span(t.p + n + 1);
	return CH_NO_SPAN;
}

static const char *role_of(const char *word)
{
	for (size_t i = 0; i < CH_LEN(roles); i++)
		if (!strcmp(word, roles[i].name))
			return roles[i].role;
	return NULL;
}

/* container_1700000000000_0001_01_000002, or with _e17 behind the first word, is of that application. */
static void app_of_container(struct ch_span container, struct ch_spark_role *ret)
{
	unsigned long long cluster;
	unsigned id;
	char text[80];

	(void)snprintf(text, sizeof(text), "%.*s", (int)(container.n < 79 ? container.n : 79),
	               container.s);
	if (sscanf(text, "container_e%*u_%llu_%u_", &cluster, &id) != 2 &&
	    sscanf(text, "container_%llu_%u_", &cluster, &id) != 2)
		return;
	(void)snprintf(ret->made, sizeof(ret->made), "application_%llu_%04u", cluster, id);
	ret->app = span(ret->made);
}

/* spark-submit's own options come first, each with a value; then the jar or script. */
static struct ch_span submitted(struct ch_texts t)
{
	for (t.p = after(t.p); t.p < t.end && t.p[0] == '-'; t.p = after(t.p)) {
		if (!strcmp(t.p, "--verbose") || !strcmp(t.p, "-v") || !strcmp(t.p, "--supervise"))
			continue;
		if (!strcmp(t.p, "--class") && after(t.p) < t.end)
			return span(after(t.p));
		if (after(t.p) < t.end)
			t.p = after(t.p);
	}
	return t.p < t.end ? span(t.p) : CH_NO_SPAN;
}

void ch_spark_role(struct ch_texts args, struct ch_texts environment, struct ch_spark_role *ret)
{
	*ret =
	    (struct ch_spark_role){ .executor = CH_NO_SPAN, .app = CH_NO_SPAN, .what = CH_NO_SPAN };
	if (args.p >= args.end)
		return;
	ret->role = role_of(args.p);
	if (!ret->role) {
		struct ch_span module = option(args, "-m");

		ret->role = module.n ? role_of(module.s) : NULL;
	}
	if (!ret->role)
		return;
	ret->executor = option(args, "--executor-id");
	if (!ret->executor.n)
		ret->executor = variable(environment, "SPARK_EXECUTOR_ID");
	ret->app = option(args, "--app-id");
	if (!ret->app.n)
		ret->app = variable(environment, "SPARK_APPLICATION_ID");
	if (!ret->app.n)
		app_of_container(variable(environment, "CONTAINER_ID"), ret);
	if (!strcmp(ret->role, "driver"))
		ret->what = submitted(args);
}
