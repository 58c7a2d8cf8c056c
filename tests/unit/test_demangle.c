#include "unit.h"
#include "base/demangle.h"

#include <stdlib.h>

/* Names of libjvm of several JDKs, of libstdc++ and of Rust; what they mean agrees with c++filt. */
static const struct {
	const char *symbol, *means;
} rows[] = {
	{ "_ZN20G1ParScanThreadState10trim_queueEv", "G1ParScanThreadState::trim_queue" },
	{ "_ZNK5Klass10superklassEv", "Klass::superklass" },
	{ "_ZN10Exceptions13new_exceptionEP10JavaThreadP6SymbolPKc6HandleS6_S6_NS_"
	  "22ExceptionMsgToUtf8ModeE",
	  "Exceptions::new_exception" },
	{ "_Z17get_thread_suffixv", "get_thread_suffix" },
	{ "_ZL10get_symbolP6Symbol", "get_symbol" },
	/* templates */
	{ "_ZN9LogPrefixILN6LogTag4typeE43ELS1_116ELS1_0ELS1_0ELS1_0ELS1_0EE6prefixEPcm",
	  "LogPrefix<…>::prefix" },
	{ "_ZN14BasicHashtableIL8MEMFLAGS5EE6resizeEi", "BasicHashtable<…>::resize" },
	{ "_ZStplIwSt11char_traitsIwESaIwEENSt7__cxx1112basic_stringIT_T0_T1_EEPKS5_RKS8_",
	  "std::operator+<…>" },
	{ "_ZN3fooIXadL_Z3barvEEE3runEv", "foo<…>::run" },
	{ "_ZN1aI1bIJifEEE1cIXsr3std7is_sameIT_iEE5valueEEEvv", "a<…>::c<…>" },
	{ "_ZN1aIXeqstT_Li8EEE1bEv", "a<…>::b" },
	/* constructors and destructors */
	{ "_ZN5ZStatD1Ev", "ZStat::~ZStat" },
	{ "_ZN5ZStatC2Ev", "ZStat::ZStat" },
	{ "_ZNSt15numpunct_bynameIcED0Ev", "std::numpunct_byname<…>::~numpunct_byname" },
	{ "_ZNSt5ctypeIcEC1EPKtbm", "std::ctype<…>::ctype" },
	{ "_ZNSsC1EPKcRKSaIcE", "std::string::string" },
	{ "_ZN7DerivedCI14BaseEi", "Derived::Derived" },
	/* operators */
	{ "_ZN14FullMethodNameaSERKS_", "FullMethodName::operator=" },
	{ "_ZN25NMTPreInitAllocationTablenwEm", "NMTPreInitAllocationTable::operator new" },
	{ "_ZdaPvm", "operator delete[]" },
	{ "_ZNSolsEPKv", "std::ostream::operator<<" },
	{ "_ZNKSbIwSt11char_traitsIwESaIwEEixEm", "std::basic_string<…>::operator[]" },
	{ "_ZNKSt13basic_istreamIwSt11char_traitsIwEE6sentrycvbEv",
	  "std::basic_istream<…>::sentry::operator bool" },
	{ "_ZNK6HandlecvPK7oopDescEv", "Handle::operator oopDesc const*" },
	{ "_ZNKSt15__exception_ptr13exception_ptrcvMS0_FvvEEv",
	  "std::__exception_ptr::exception_ptr::operator …" },
	{ "_Zli2_sPKc", "operator\"\" _s" },
	/* without a name, or within a function */
	{ "_ZN12_GLOBAL__N_18key_initEv", "(anonymous namespace)::key_init" },
	{ "_ZZN13decL_rRegNode8peepholeEP5BlockiP8PhaseCFGP13PhaseRegAllocENUlvE_4_FUNEv",
	  "decL_rRegNode::peephole::{lambda#1}::_FUN" },
	{ "_ZZL25sort_zbacking_index_arrayP14zbacking_indexiENUlPKS_S2_E_4_FUNES2_S2_",
	  "sort_zbacking_index_array::{lambda#1}::_FUN" },
	{ "_ZZN1a1bEvENKUlT_E0_clIiEEDaS0_", "a::b::{lambda#2}::operator()<…>" },
	{ "_ZZN1a1bEvEN5Local3runEi", "a::b::Local::run" },
	{ "_ZN3FooUt_3barEv", "Foo::{unnamed#1}::bar" },
	/* standard library */
	{ "_ZNSs6assignEmc", "std::string::assign" },
	{ "_ZNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEE9push_backEw",
	  "std::__cxx11::basic_string<…>::push_back" },
	{ "_ZNKSt12__basic_fileIcE4nameB5cxx11Ev", "std::__basic_file<…>::name" },
	{ "_ZSt9terminatev", "std::terminate" },
	/* thunks and parts */
	{ "_ZThn32_N13VM_HeapDumper4workEj", "VM_HeapDumper::work" },
	{ "_ZTv0_n24_NSt14basic_ifstreamIcSt11char_traitsIcEED1Ev",
	  "std::basic_ifstream<…>::~basic_ifstream" },
	{ "_ZN19JvmtiEnvThreadState22reset_current_locationE10jvmtiEventb.cold",
	  "JvmtiEnvThreadState::reset_current_location" },
	{ "_ZN3foo3barEv.isra.0.constprop.1", "foo::bar" },
	{ "deflate_fast.constprop.0", "deflate_fast" },
	/* Rust: the hash goes */
	{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
	{ "_ZN4core3fmt5write17h0123456789abcdeE", "_ZN4core3fmt5write17h0123456789abcdeE" },
	/* no C++ names, and broken ones */
	{ "qsort", "qsort" },
	{ "", "" },
	{ "_Z", "_Z" },
	{ "_ZN", "_ZN" },
	{ "_ZNE", "_ZNE" },
	{ "_ZTV3Foo", "_ZTV3Foo" },
	{ "_ZN99999999999999999999aE", "_ZN99999999999999999999aE" },
	{ "_ZN3foo3ba", "_ZN3foo3ba" },
	{ "_ZN3fooI", "_ZN3fooI" },
	{ "_ZN1aI1bE", "_ZN1aI1bE" },
	{ "_ZN1aS_1bE", "_ZN1aS_1bE" },
	{ ".cold", ".cold" },
};

static void names_mean_what_they_say(void **state)
{
	char to[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(ch_demangle(rows[i].symbol, to, sizeof(to)),
		                 strlen(rows[i].means));
		assert_string_equal(to, rows[i].means);
	}
}

static void what_does_not_fit_is_cut_from_the_symbol(void **state)
{
	char to[8];

	(void)state;
	assert_int_equal(ch_demangle("_ZN3foo3barEv", to, sizeof(to)), 7);
	assert_string_equal(to, "_ZN3foo");
	assert_int_equal(ch_demangle("_ZN1a2bcEv", to, sizeof(to)), 5);
	assert_string_equal(to, "a::bc");
	assert_int_equal(ch_demangle("_ZN1a2bcEv", to, 1), 0);
	assert_string_equal(to, "");
}

/* One more letter must not end the stack, nor must any cut of a good name be read beyond its end. */
static void hostile_names_are_left_alone(void **state)
{
	static const char letters[] = "NPZIXJDUFAMTKLSC";
	enum { LONG = 100000 };
	char *symbol = malloc(LONG + 3), to[128];

	(void)state;
	assert_non_null(symbol);
	for (const char *c = letters; *c; c++) {
		memcpy(symbol, "_Z", 2);
		memset(symbol + 2, *c, LONG);
		symbol[LONG + 2] = '\0';
		ch_demangle(symbol, to, sizeof(to));
		assert_memory_equal(to, symbol, sizeof(to) - 1);
	}
	free(symbol);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t n = strlen(rows[i].symbol); n--;) {
			char *cut = strndup(rows[i].symbol, n);

			assert_non_null(cut);
			assert_true(ch_demangle(cut, to, sizeof(to)) < sizeof(to));
			free(cut);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_mean_what_they_say),
		cmocka_unit_test(what_does_not_fit_is_cut_from_the_symbol),
		cmocka_unit_test(hostile_names_are_left_alone),
	};

	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
