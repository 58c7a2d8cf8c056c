package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuotaTest {
    private static final OptionalLong NO_SEED = OptionalLong.empty();

    private static Quota quota(String share) {
        return new Quota(Share.parse(share), NO_SEED);
    }

    @ParameterizedTest
    @ValueSource(doubles = { 0.001, 0.01, 0.07, 0.1, 0.25, 1 / 3.0, 0.5, 0.6, 0.7, 0.9, 0.99, 0.999 })
    void everyPrefixHoldsItsShare(double f) {
        for (int first = 0; first <= 1; first++) {
            for (long seed = -4; seed < 4; seed++) {
                Quota quota = new Quota(Share.fraction(f), seed == 0 ? NO_SEED : OptionalLong.of(seed));
                int chosen = 0;
                for (int n = 1; n <= 2000; n++) {
                    chosen += quota.admit(Integer.toString(first + n - 1)) ? 1 : 0;
                    assertTrue(Math.abs(chosen - n * f) <= 1 + 1e-6, "seed " + seed + ": " + chosen + " of " + n);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = { 1e-9, 0.01, 0.1, 0.3, 0.7, 0.999999999 })
    void withoutASeedExecutorOneRecords(double f) {
        assertTrue(new Quota(Share.fraction(f), NO_SEED).admit("1"));
    }

    @Test
    void theOrderOfAskingChangesNothing() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            ids.add(Integer.toString(i));
        }
        Quota inOrder = quota("0.3");
        ids.forEach(inOrder::admit);
        List<String> shuffled = new ArrayList<>(ids);
        Collections.shuffle(shuffled, new Random(7));
        Quota mixed = quota("0.3");
        shuffled.forEach(mixed::admit);
        ids.forEach(id -> assertEquals(inOrder.admit(id), mixed.admit(id), id));
    }

    @Test
    void aSeedChoosesTheSameExecutorsAgainAndAnotherSeedOthers() {
        Set<String> choices = new HashSet<>();
        for (long seed = 0; seed < 20; seed++) {
            assertEquals(choice(seed), choice(seed));
            choices.add(choice(seed));
        }
        assertTrue(choices.size() >= 5, choices.toString());
    }

    private static String choice(long seed) {
        Quota quota = new Quota(Share.parse("10%"), OptionalLong.of(seed));
        StringBuilder chosen = new StringBuilder();
        for (int i = 1; i <= 10; i++) {
            chosen.append(quota.admit("" + i) ? 'x' : '.');
        }
        return chosen.toString();
    }

    @Test
    void idsThatAreNoNumbersCountInTheOrderOfAsking() {
        Quota quota = quota("50%");
        int chosen = 0;
        for (int i = 0; i < 100; i++) {
            chosen += quota.admit("host-" + i) ? 1 : 0;
        }
        assertEquals(50, chosen);
        assertTrue(quota("1%").admit("driver"));
        assertTrue(quota("1%").admit("99999999999999999999"));
    }

    @Test
    void aCountIsFilledAndRefilled() {
        Quota quota = quota("2");
        assertTrue(quota.admit("1"));
        assertTrue(quota.admit("2"));
        assertFalse(quota.admit("3"));
        quota.removed("1");
        assertFalse(quota.admit("3"), "an answer stays");
        assertTrue(quota.admit("4"));
        assertTrue(quota.admit("1"), "an answer stays");
        assertFalse(quota.admit("5"));
        quota.removed("3");
        quota.removed("never seen");
        assertFalse(quota.admit("6"));
    }

    @Test
    void allNoneAndIdsNeedNoCounting() {
        assertTrue(quota("all").admit("x"));
        assertFalse(quota("none").admit("1"));
        assertTrue(quota("ids:1,5").admit("5"));
        assertFalse(quota("ids:1,5").admit("2"));
    }

    @Test
    void aCountHoldsWhenManyAskAtOnce() throws Exception {
        Quota quota = quota("10");
        List<Callable<Boolean>> asking = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            String id = Integer.toString(i % 100);
            asking.add(() -> quota.admit(id));
        }
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            int yes = 0;
            for (Future<Boolean> answer : pool.invokeAll(asking)) {
                yes += answer.get() ? 1 : 0;
            }
            assertEquals(40, yes);
        } finally {
            pool.shutdown();
        }
    }
}
