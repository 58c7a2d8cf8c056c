package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShareTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "all | ALL | all", "ALL | ALL | all", "none | NONE | none", "0 | NONE | none",
        "0.0 | NONE | none", "0% | NONE | none", "1 | COUNT | 1", "1.0 | ALL | all", "100% | ALL | all",
        "25% | FRACTION | 0.25", "0.25 | FRACTION | 0.25", ".5 | FRACTION | 0.5", "12.5% | FRACTION | 0.125",
        "0.0001 | FRACTION | 0.00010", "3 | COUNT | 3", "ids:1,5 | IDS | ids:1,5", "ids:7 | IDS | ids:7",
        "ids: 1, 5 ,1 | IDS | ids:1,5" })
    void aShareSaysWhatItIs(String text, Share.Kind kind, String shown) {
        Share share = Share.parse(text);
        assertEquals(kind, share.kind);
        assertEquals(shown, share.toString());
        assertEquals(shown, Share.parse(shown).toString());
    }

    @Test
    void everyFractionComesBackFromItsText() {
        for (double f = 1e-15; f < 1; f *= 1.37) {
            assertEquals(f, Share.parse(Share.fraction(f).toString()).fraction);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "some", "-1", "-0.5", "1.5", "101%", "25 %x", "ids:", "ids:1,,2", "1,5", "1e3", "NaN",
        "99999999999" })
    void whatIsNoShareIsRefused(String text) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Share.parse(text));
        assertEquals("use all, 25%, 0.25, 3 or ids:1,5", e.getMessage().split("; ")[1]);
    }

    @Test
    void aFractionIsBetweenNothingAndAll() {
        assertThrows(IllegalArgumentException.class, () -> Share.fraction(1.01));
        assertThrows(IllegalArgumentException.class, () -> Share.fraction(-0.01));
        assertThrows(IllegalArgumentException.class, () -> Share.fraction(Double.NaN));
    }
}
