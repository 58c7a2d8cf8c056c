package dev.charcloth.spark;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads one JSON object from text that anyone may have written: its fields with strings, numbers and booleans, all as
 * text. Fields that are null, objects or arrays are checked and left out. Size and depth have limits.
 */
final class Json {
    private static final int MAX_LENGTH = 64 * 1024;
    private static final int MAX_DEPTH = 16;
    private static final String SIMPLE_ESCAPES = "\"\\/bfnrt";
    private static final String ESCAPED = "\"\\/\b\f\n\r\t";

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException says what is wrong and where */
    static Map<String, String> object(String text) {
        checkLength(text);
        Json json = new Json(text);
        Map<String, String> fields = new LinkedHashMap<>();
        json.blanks();
        json.members(fields, 1);
        json.blanks();
        if (json.at < text.length()) {
            throw json.wrong("more after its end");
        }
        return fields;
    }

    static void checkLength(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("longer than " + MAX_LENGTH + " characters");
        }
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException(what + " at character " + (at + 1));
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at == text.length()) {
            throw wrong("it ends");
        }
        return text.charAt(at);
    }

    private void expect(char c) {
        if (peek() != c) {
            throw wrong("no " + c);
        }
        at++;
    }

    private void members(Map<String, String> fields, int depth) {
        expect('{');
        blanks();
        if (peek() == '}') {
            at++;
            return;
        }
        do {
            blanks();
            String name = string();
            blanks();
            expect(':');
            String value = value(depth);
            if (value != null) {
                fields.put(name, value);
            }
        } while (another('}'));
    }

    private void elements(int depth) {
        expect('[');
        blanks();
        if (peek() == ']') {
            at++;
            return;
        }
        do {
            value(depth);
        } while (another(']'));
    }

    private boolean another(char end) {
        blanks();
        if (peek() == ',') {
            at++;
            return true;
        }
        expect(end);
        return false;
    }

    /** Null for what is left out. */
    private String value(int depth) {
        blanks();
        char c = peek();
        if (depth == MAX_DEPTH && (c == '{' || c == '[')) {
            throw wrong("too deep");
        }
        switch (c) {
            case '"':
                return string();
            case '{':
                members(new LinkedHashMap<>(), depth + 1);
                return null;
            case '[':
                elements(depth + 1);
                return null;
            default:
                return word();
        }
    }

    private String word() {
        int from = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(from, at);
        if (word.equals("null")) {
            return null;
        }
        if (word.matches("true|false|-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            return word;
        }
        at = from;
        throw wrong("no value");
    }

    private String string() {
        expect('"');
        StringBuilder s = new StringBuilder();
        while (peek() != '"') {
            char c = text.charAt(at);
            if (c < ' ') {
                throw wrong("a control character");
            }
            at++;
            s.append(c == '\\' ? escape() : c);
        }
        at++;
        return s.toString();
    }

    private char escape() {
        char c = peek();
        int simple = SIMPLE_ESCAPES.indexOf(c);
        if (simple >= 0) {
            at++;
            return ESCAPED.charAt(simple);
        }
        String hex = text.substring(Math.min(at + 1, text.length()), Math.min(at + 5, text.length()));
        if (c != 'u' || !hex.matches("[0-9a-fA-F]{4}")) {
            throw wrong("an unknown escape");
        }
        at += 5;
        return (char) Integer.parseInt(hex, 16);
    }
}
