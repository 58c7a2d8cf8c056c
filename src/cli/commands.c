#include "cli/commands.h"

#include <string.h>

const struct cli_command cli_commands[] = {
	{ "record", CMD_RECORD, "PID | -- COMMAND…", "Profile a JVM and show where its time goes",
	  "Samples a running JVM (found by `charcloth list`) for a while, or a command from its "
	  "start to its end, and writes what the extension of -o says, as `charcloth convert` "
	  "does; "
	  "a .jfr (also .jfr.zst, .jfr.gz) is the recording itself. Without -o the hot methods are "
	  "printed. Ctrl-C ends the recording early and keeps it; so does the end of the JVM.",
	  "charcloth record 1234 -o flame.html\n"
	  "charcloth record 1234 -d 5m -e cpu,alloc,lock -o job.jfr\n"
	  "charcloth record -o flame.html -- java -jar app.jar\n"
	  "charcloth record --by stage -o job.html -- spark-submit job.py",
	  cli_record },
	{ "start", CMD_START, "PID", "Begin a recording",
	  "Begins a recording in a running JVM, which goes on until `stop` or the end of the JVM.",
	  "charcloth start 1234 -e cpu,alloc -f /tmp/app-%p.jfr", cli_start },
	{ "stop", CMD_STOP, "PID", "End a recording",
	  "Ends the recording that `start` began, and with -o converts it.",
	  "charcloth stop 1234\n"
	  "charcloth stop 1234 -o flame.html",
	  cli_stop },
	{ "dump", CMD_DUMP, "PID", "Show a recording that goes on",
	  "Takes what was recorded so far; the recording goes on. Without -o the hot methods are "
	  "printed.",
	  "charcloth dump 1234 -o so-far.html", cli_dump },
	{ "status", CMD_STATUS, "PID", "What the agent in a JVM is doing",
	  "Prints what is recorded, for how long, how many samples were taken, and how many were "
	  "lost and why.",
	  "charcloth status 1234", cli_status },
	{ "convert", CMD_CONVERT, "IN… -o OUT", "Any profile into any format, merged and filtered",
	  "Reads profiles of any known format (found by content, also inside gzip and zstd), "
	  "merges "
	  "them, and writes what the extension of OUT says: a flame graph page or picture, "
	  "collapsed "
	  "stacks, pprof, speedscope, a flight recording, text or JSON. Inputs may be files, "
	  "folders, "
	  "patterns, or - for stdin. Without -o the result is a page named after the first input, "
	  "in the current folder.",
	  "charcloth convert rec.jfr -o flame.html\n"
	  "charcloth convert rec.jfr --event alloc --total -o alloc.svg\n"
	  "charcloth convert profiles/ --by file -o all.html\n"
	  "perf script | charcloth convert - -o cpu.pb.gz",
	  cli_convert },
	{ "diff", CMD_DIFF, "BEFORE AFTER -o OUT", "What got slower between two profiles",
	  "Compares two profiles (files or folders) frame by frame. Shares of each side's total "
	  "are "
	  "compared unless --absolute. In pictures orange grew and blue shrank; "
	  "text "
	  "and JSON show both sides and the change; collapsed output is `stack before after`. "
	  "Without -o a table is printed.",
	  "charcloth diff monday.jfr tuesday.jfr -o slower.html\n"
	  "charcloth diff a.collapsed b.collapsed",
	  cli_diff },
	{ "top", CMD_TOP, "IN…", "Hot methods as a table",
	  "Prints the methods with most weight: self (the method itself ran) and total (it or "
	  "something it called ran).",
	  "charcloth top rec.jfr\n"
	  "charcloth top rec.jfr --event lock --total -n 10\n"
	  "charcloth top profiles/ --by file",
	  cli_top },
	{ "list", CMD_LIST, "[PID]", "JVMs and Pythons of this machine; events of one of them",
	  "Shows JVMs, which can be profiled, and Pythons: pid, user, version, main class or "
	  "script, "
	  "and for a part of a Spark application whether it is the driver, which executor, and of "
	  "which application. With PID: the events that this JVM and kernel offer, and why one is "
	  "missing; for that the agent is loaded into it.",
	  "charcloth list\n"
	  "charcloth list --json",
	  cli_list },
	{ "threads", CMD_THREADS, "PID", "Thread dump of a JVM",
	  "Prints what every thread of a running JVM is doing, as jstack does, without a JDK.",
	  "charcloth threads 1234\n"
	  "charcloth threads 1234 | charcloth convert - -o now.html",
	  cli_threads },
	{ "heap", CMD_HEAP, "PID", "What fills the heap of a JVM, by class",
	  "Counts the objects in the heap of a running JVM by class. The JVM stands still while it "
	  "counts: about a tenth of a second per ten million objects, more with --live.",
	  "charcloth heap 1234\n"
	  "charcloth heap 1234 --live -n 10",
	  cli_heap },
	{ "perfmap", CMD_PERFMAP, "PID", "Write the map by which perf names compiled Java",
	  "Has a JVM (17 or newer) write the addresses of its compiled methods, and prints the "
	  "name of the file. perf reads it when it reports.",
	  "charcloth perfmap 1234 && perf record -p 1234 -g -- sleep 10; perf report",
	  cli_perfmap },
	{ "spark-conf", CMD_SPARK_CONF, "", "Print the options that record a Spark application",
	  "Prints what makes Spark record driver and executors with charcloth-spark.jar: options "
	  "to paste behind spark-submit, lines for spark-defaults.conf, or lines for "
	  "SparkSession.builder in Python. What is wrong with a value is said here, before a job "
	  "runs with it.",
	  "charcloth spark-conf --output hdfs:///profiles\n"
	  "charcloth spark-conf --output s3a://bucket/profiles --executors 25% -e cpu,alloc\n"
	  "charcloth spark-conf --output /tmp/profiles --format python",
	  cli_spark_conf },
	{ "completion", 0, "bash | zsh", "Print the completion script of a shell",
	  "Prints a script to be sourced by the shell.", "source <(charcloth completion bash)",
	  cli_completion },
	{ "help", 0, "[man] [COMMAND]", "Explain a command, or all of them",
	  "Without COMMAND the commands are listed. `help man [COMMAND]` prints the manual page in "
	  "roff.",
	  "charcloth help convert\ncharcloth help man convert | man -l -", cli_help },
	{ "version", 0, "", "Print the version", "Prints the version.", "charcloth version",
	  cli_version },
};
const size_t cli_n_commands = CH_LEN(cli_commands);

const struct cli_command *cli_command(const char *name)
{
	for (size_t i = 0; i < cli_n_commands; i++)
		if (!strcmp(cli_commands[i].name, name))
			return &cli_commands[i];
	return NULL;
}
