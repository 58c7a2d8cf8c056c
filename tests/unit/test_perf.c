#include "reading.h"
#include "formats/perf.h"
#include "sys/par.h"

static struct ch_perf_header header(const char *line, bool strong)
{
	struct ch_perf_header h;

	assert_int_equal(ch_perf_header_parse((struct ch_span){ line, strlen(line) }, &h), strong);
	return h;
}

static void same(struct ch_span t, const char *want)
{
	if (t.n != strlen(want) || memcmp(t.s ? t.s : "", want, t.n))
		fail_msg("'%.*s' should be '%s'", (int)t.n, t.s, want);
}

static void headers_are_read_in_all_shapes(void **state)
{
	static const struct {
		const char *line, *comm, *pid, *tid, *cpu, *event;
		int64_t time_ns, period;
	} cases[] = {
		{ "java 25607 4794564.109216: cycles:", "java", "", "25607", "", "cycles",
		  4794564109216000, 0 },
		{ "java 12688 [002] 6544038.708352: cpu-clock:", "java", "", "12688", "002",
		  "cpu-clock", 6544038708352000, 0 },
		{ "V8 WorkerThread 24636/25607 [000] 94564.109216: cycles:ppp: ", "V8 WorkerThread",
		  "24636", "25607", "000", "cycles:ppp", 94564109216000, 0 },
		{ "vote   913    72.176760:     257597 cycles:uppp:", "vote", "", "913", "",
		  "cycles:uppp", 72176760000, 257597 },
		{ "            busy  6709/6709  [001]  1865.192714:    1001001 cpu-clock:ppp:  "
		  "7f51 f",
		  "busy", "6709", "6709", "001", "cpu-clock:ppp", 1865192714000, 1001001 },
		{ "Thread 12 4711 [003] 1.000000001: 5 sched:sched_switch: prev_comm=a b: c",
		  "Thread 12", "", "4711", "003", "sched:sched_switch", 1000000001, 5 },
		{ "busy 23789 cpu-clock:ppp: ", "busy", "", "23789", "", "cpu-clock:ppp",
		  CH_NO_TIME, 0 },
		{ "busy 23789 [001] 77 cycles: ", "busy", "", "23789", "001", "cycles", CH_NO_TIME,
		  77 },
		{ ":-1 -1 [000] 2.5: 1 cycles:", ":-1", "", "-1", "000", "cycles", 2500000000, 1 },
		{ "kworker/0:1-eve 77 1.5:", "kworker/0:1-eve", "", "77", "", "", 1500000000, 0 },
	};

	(void)state;
	for (size_t i = 0; i < CH_LEN(cases); i++) {
		struct ch_perf_header h = header(cases[i].line, true);

		same(h.comm, cases[i].comm);
		same(h.pid, cases[i].pid);
		same(h.tid, cases[i].tid);
		same(h.cpu, cases[i].cpu);
		same(h.event, cases[i].event);
		assert_int_equal(h.time_ns, cases[i].time_ns);
		assert_int_equal(h.period, cases[i].period);
	}
	same(header("busy ", false).comm, "busy");
}

static void modifiers_are_no_part_of_an_event(void **state)
{
	(void)state;
	same(ch_perf_event_name(CH_SPAN("cycles:ppp")), "cycles");
	same(ch_perf_event_name(CH_SPAN("cpu-clock:uH")), "cpu-clock");
	same(ch_perf_event_name(CH_SPAN("sched:sched_switch")), "sched:sched_switch");
	same(ch_perf_event_name(CH_SPAN("cpu_core/cycles/ppp")), "cpu_core/cycles/");
	same(ch_perf_event_name(CH_SPAN("L1-dcache-loads")), "L1-dcache-loads");
}

static void samples_have_comm_as_root_and_periods_as_value(void **state)
{
	struct ch_profile *p = read_text("perf", "# captured on: today\n"
	                                         "busy 7/8 [001]  1.5:  1000 cpu-clock:ppp: \n"
	                                         "\tffffffff81 read_zero+0x4c ([kernel.kallsyms])\n"
	                                         "\t          f82ad read+0xd (/usr/lib/libc.so.6)\n"
	                                         "\t            129c main+0x3b (/opt/busy)\n"
	                                         "\n"
	                                         "busy 7/8 [001]  1.6:  500 cpu-clock:ppp: \n"
	                                         "\t            12a0 main+0x3f (/opt/busy)\n\n");
	size_t row;

	(void)state;
	row = row_of(p, "busy;main;read;read_zero");
	assert_int_equal(p->rows.n, 2);
	assert_int_equal(p->rows.samples[row], 1);
	assert_int_equal(p->rows.value[row], 1000);
	assert_string_equal(label_of(p, row, "comm"), "busy");
	assert_string_equal(label_of(p, row, "thread"), "busy");
	assert_string_equal(label_of(p, row, "pid"), "7");
	assert_string_equal(label_of(p, row, "tid"), "8");
	assert_string_equal(label_of(p, row, "cpu"), "1");
	assert_string_equal(ch_profile_text(p, p->events[0].type), "cpu-clock");
	assert_string_equal(ch_profile_text(p, p->events[0].word), "cpu");
	assert_string_equal(ch_profile_text(p, p->events[0].unit), "ns");
	assert_int_equal(kind_of(p, "busy"), CH_KIND_LABEL);
	assert_int_equal(kind_of(p, "read_zero"), CH_KIND_KERNEL);
	assert_int_equal(kind_of(p, "main"), CH_KIND_NATIVE);
	ch_profile_free(p);
}

static void symbols_become_names_and_kinds(void **state)
{
	static const struct {
		const char *text, *name;
		enum ch_kind kind;
	} cases[] = {
		{ "foo+0x1f (/lib/a.so)", "foo", CH_KIND_NATIVE },
		{ "foo (/tmp/a b (x).so (deleted))", "foo", CH_KIND_NATIVE },
		{ "[unknown] (/lib/libfoo.so.1)", "[libfoo.so.1]", CH_KIND_NATIVE },
		{ "[unknown] (/memfd:jit (deleted))", "[memfd:jit]", CH_KIND_NATIVE },
		{ "[unknown] ([unknown])", "[unknown]", CH_KIND_OTHER },
		{ "(/lib/libfoo.so)", "[libfoo.so]", CH_KIND_NATIVE },
		{ "tcp_sendmsg ([kernel.vmlinux])", "tcp_sendmsg", CH_KIND_KERNEL },
		{ "hook+0x7f ([nf_conntrack])", "hook", CH_KIND_KERNEL },
		{ "x (/lib/modules/6.1/kernel/fs/ext4.ko.xz)", "x", CH_KIND_KERNEL },
		{ "clock_gettime ([vdso])", "clock_gettime", CH_KIND_NATIVE },
		{ "std::vector<int, A<(int)1> >::push_back(int const&) (/opt/x)",
		  "std::vector<int, A<(int)1> >::push_back", CH_KIND_NATIVE },
		{ "(anonymous namespace)::run() (/opt/x)", "(anonymous namespace)::run",
		  CH_KIND_NATIVE },
		{ "Fn::operator()(int) const (/opt/x)", "Fn::operator()", CH_KIND_NATIVE },
		{ "net/http.(*conn).serve (/opt/go)", "net/http.(*conn).serve", CH_KIND_NATIVE },
		{ "f (inlined)", "f", CH_KIND_NATIVE },
		{ "plain", "plain", CH_KIND_OTHER },
		{ "JVM_Sleep (/opt/jdk/lib/server/libjvm.so)", "JVM_Sleep", CH_KIND_JVM },
		{ "Ljava/lang/Thread;::run (/tmp/perf-7.map)", "java/lang/Thread.run",
		  CH_KIND_JAVA },
		{ "Lorg/a/B;.call(Lorg/a/C;)V (/tmp/perf-7.map)", "org/a/B.call", CH_KIND_JAVA },
		{ "org.a.B::call (/tmp/perf-7.map)", "org/a/B.call", CH_KIND_JAVA },
		{ "int org.a.B.call(int, org.a.C) (/tmp/perf-7.map)", "org/a/B.call",
		  CH_KIND_JAVA },
		{ "void Lambda.run() (/opt/jit/jitted-7-1.so)", "Lambda.run", CH_KIND_JAVA },
		{ "Interpreter (/tmp/perf-7.map)", "Interpreter", CH_KIND_INTERPRETED },
		{ "StubRoutines (1)+0xc6 (/tmp/perf-7.map)", "StubRoutines (1)", CH_KIND_JVM },
		{ "LazyCompile:~f a.js:1 (/tmp/perf-7.map)", "LazyCompile:~f a.js:1",
		  CH_KIND_OTHER },
		{ "py::load:/opt/app/job.py (/tmp/perf-7.map)", "load (job.py)", CH_KIND_PYTHON },
	};

	(void)state;
	for (size_t i = 0; i < CH_LEN(cases); i++) {
		struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
		struct ch_perf_frames f;

		ch_perf_frames_parse(p, (struct ch_span){ cases[i].text, strlen(cases[i].text) },
		                     &f);
		assert_int_equal(f.n, 1);
		assert_string_equal(ch_profile_text(p, p->frames[f.id[0]].name), cases[i].name);
		if (p->frames[f.id[0]].kind != cases[i].kind)
			fail_msg("%s is taken for kind %d", cases[i].text, p->frames[f.id[0]].kind);
		ch_profile_free(p);
	}
}

static void inlined_java_frames_are_frames_of_their_own(void **state)
{
	struct ch_profile *p =
	    read_text("perf", "java 1 1.0: cycles:\n"
	                      "\t 7f01 La/A;::x->La/B;::y->La/C;::z (/tmp/perf-1.map)\n"
	                      "\t 7f02 start (/lib/libc.so)\n\n");

	(void)state;
	assert_int_equal(samples_of(p, "java;start;a/A.x;a/B.y;a/C.z"), 1);
	assert_int_equal(kind_of(p, "a/A.x"), CH_KIND_JAVA);
	assert_int_equal(kind_of(p, "a/C.z"), CH_KIND_INLINED);
	ch_profile_free(p);
}

static void samples_of_one_line_are_read(void **state)
{
	struct ch_profile *p = read_text(
	    "perf", "   swapper     0 [000]  1.1:   10 cycles:  ffff halt+0xb ([kernel.kallsyms])\n"
	            "        dd  6709 [001]  1.2:   20 cycles:  7f51 copy+0x1 (/bin/dd)\n");

	(void)state;
	assert_int_equal(p->rows.n, 2);
	assert_int_equal(samples_of(p, "swapper;halt"), 1);
	assert_int_equal(samples_of(p, "dd;copy"), 1);
	ch_profile_free(p);
}

static void source_lines_belong_to_the_frame_above(void **state)
{
	static const char text[] = "busy 7 1.0: cycles:\n"
	                           "\t            129c main+0x3b (/opt/busy)\n  busy.c:8\n"
	                           "\t           2724a start+0x7a (/lib/libc.so.6)\n  :0\n\n"
	                           "busy 7 1.1: cycles:\n"
	                           "\t            129c main+0x3b (/opt/busy)\n  busy.c:9\n\n";
	struct ch_profile *p =
	    read_bytes("perf", text, strlen(text), &(struct ch_want){ .lines = true });
	size_t row;

	(void)state;
	assert_non_null(p);
	row = row_of(p, "busy;start;main");
	assert_int_equal(p->frames[p->trie.frame[p->rows.stack[row]]].line, 8);
	assert_string_equal(ch_profile_text(p, p->frames[p->trie.frame[p->rows.stack[row]]].file),
	                    "busy.c");
	ch_profile_free(p);
	p = read_text("perf", text);
	assert_int_equal(samples_of(p, "busy;start;main"), 1);
	ch_profile_free(p);
}

static void bare_fields_are_enough(void **state)
{
	struct ch_profile *p = read_text("perf", "busy \n\t            129c main\n\n");

	(void)state;
	assert_int_equal(samples_of(p, "busy;main"), 1);
	ch_profile_free(p);
	p = read_text("perf", "\n\t            129c main\n\t   12ff start\n\n\n\t 129c main\n\n");
	assert_int_equal(samples_of(p, "start;main"), 1);
	assert_int_equal(samples_of(p, "main"), 1);
	ch_profile_free(p);
	p = read_text("perf", "java 19983 cycles:\nffffffff8103d0ca msr ([kernel.kallsyms])\n"
	                      "7f02 start (/lib/libc.so)\n\n");
	assert_int_equal(samples_of(p, "java;start;msr"), 1);
	ch_profile_free(p);
}

static void tracepoints_keep_their_name_and_stack(void **state)
{
	struct ch_profile *p =
	    read_text("perf", "a 1 [000] 1.0: sched:sched_switch: prev_comm=x ==> next_pid=0\n"
	                      "\tffffffff81 schedule ([kernel.kallsyms])\n\n"
	                      "a 1 [000] 1.0: probe:x: dead beef\n"
	                      "\tffffffff82 probe ([kernel.kallsyms])\n\n");

	(void)state;
	assert_string_equal(ch_profile_text(p, p->events[0].type), "sched:sched_switch");
	assert_int_equal(samples_of(p, "a;schedule"), 1);
	assert_int_equal(samples_of(p, "a;probe"), 1);
	ch_profile_free(p);
}

static void one_event_can_be_asked_for(void **state)
{
	static const char text[] =
	    "a 1 1.0: cycles:\n\t 7f f (x)\n\na 1 1.0: instructions:\n\t 7f g (x)\n\n";
	struct ch_profile *p =
	    read_bytes("perf", text, strlen(text), &(struct ch_want){ .event = "instructions" });

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->rows.n, 1);
	assert_int_equal(samples_of(p, "a;g"), 1);
	ch_profile_free(p);
}

static void samples_without_a_stack_are_told(void **state)
{
	static const char text[] = "a 1 1.0: cycles:\n\na 1 1.0: cycles:\n\t 7f f (x)\n\n";
	struct ch_profile *p = read_text("perf", text);

	(void)state;
	assert_false(p->damaged);
	assert_string_equal(p->notes[0], "'input': 1 samples without a stack were left out");
	ch_profile_free(p);
	assert_null(read_bytes("perf", text, 17, &(struct ch_want){ 0 }));
	assert_non_null(strstr(reading_err.text, "perf record -g"));
}

static void foreign_lines_are_told_with_the_first_line(void **state)
{
	struct ch_profile *p = read_text(
	    "perf", "a 1 1.0: cycles:\n\t 7f f (x)\n\nno header\nat all\n\na 1 1.0: cycles:\n"
	            "\t 7f f (x)\n");

	(void)state;
	assert_true(p->damaged);
	assert_string_equal(p->notes[0],
	                    "'input': 2 of 8 lines are not perf script's, the first is "
	                    "line 4");
	assert_int_equal(samples_of(p, "a;f"), 2);
	ch_profile_free(p);
}

static struct ch_profile *read_large(unsigned cores)
{
	size_t samples = 100000, n = 0;
	char *text = malloc(samples * 160);
	struct ch_profile *p;

	for (size_t i = 0; i < samples; i++)
		n += (size_t)sprintf(text + n,
		                     "t%zu %zu 1.%06zu: 3 cycles:\n\t%16zx leaf%zu+0x1 (/a.so)\n"
		                     "\t%16zx main+0x2 (/a.so)\n\n",
		                     i % 7, i % 31, i, i, i % 1009, i + 1);
	ch_par_limit(cores);
	p = read_bytes("perf", text, n, &(struct ch_want){ .all_labels = true });
	ch_par_limit(0);
	free(text);
	assert_non_null(p);
	return p;
}

static void two_cores_read_what_one_reads(void **state)
{
	struct ch_profile *one = read_large(1), *two = read_large(2);

	(void)state;
	assert_int_equal(one->events[0].samples, 100000);
	assert_int_equal(two->events[0].samples, 100000);
	assert_int_equal(two->events[0].value, 300000);
	assert_int_equal(two->rows.n, one->rows.n);
	assert_int_equal(two->trie.n, one->trie.n);
	ch_profile_free(one);
	ch_profile_free(two);
}

static void it_is_known_by_its_content(void **state)
{
	static const char stack[] = "# ========\n#\na 1 1.0: cycles:\n\t 7f f (x)\n\n",
	                  line[] = "a 1 [000] 1.0: 7 cycles:  7f f+0x1 (x)\n",
	                  comm[] = "a\n\t 7f12 f\n";

	(void)state;
	assert_string_equal(format_of(stack, strlen(stack)), "perf");
	assert_string_equal(format_of(line, strlen(line)), "perf");
	assert_string_equal(format_of(comm, strlen(comm)), "perf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_are_read_in_all_shapes),
		cmocka_unit_test(modifiers_are_no_part_of_an_event),
		cmocka_unit_test(samples_have_comm_as_root_and_periods_as_value),
		cmocka_unit_test(symbols_become_names_and_kinds),
		cmocka_unit_test(inlined_java_frames_are_frames_of_their_own),
		cmocka_unit_test(samples_of_one_line_are_read),
		cmocka_unit_test(source_lines_belong_to_the_frame_above),
		cmocka_unit_test(bare_fields_are_enough),
		cmocka_unit_test(tracepoints_keep_their_name_and_stack),
		cmocka_unit_test(one_event_can_be_asked_for),
		cmocka_unit_test(samples_without_a_stack_are_told),
		cmocka_unit_test(foreign_lines_are_told_with_the_first_line),
		cmocka_unit_test(two_cores_read_what_one_reads),
		cmocka_unit_test(it_is_known_by_its_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
