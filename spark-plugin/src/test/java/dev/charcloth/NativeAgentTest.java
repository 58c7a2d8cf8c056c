package dev.charcloth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Collections;
import java.util.Optional;

import org.junit.jupiter.api.Test;

class NativeAgentTest {
    @Test
    void aPlatformHasItsFolder() {
        assertEquals(Optional.of("linux-x64"), NativeAgent.folder("Linux", "amd64", false));
        assertEquals(Optional.of("linux-x64"), NativeAgent.folder("Linux", "x86_64", false));
        assertEquals(Optional.of("linux-arm64"), NativeAgent.folder("Linux", "aarch64", false));
        assertEquals(Optional.of("linux-musl-x64"), NativeAgent.folder("Linux", "amd64", true));
    }

    @Test
    void otherPlatformsHaveNone() {
        assertEquals(Optional.empty(), NativeAgent.folder("Mac OS X", "aarch64", false));
        assertEquals(Optional.empty(), NativeAgent.folder("Windows 11", "amd64", false));
        assertEquals(Optional.empty(), NativeAgent.folder("Linux", "s390x", false));
    }

    @Test
    void aMappedAgentIsFoundByItsName() {
        String heap = "7f0000000000-7f0000100000 rw-p 00000000 00:00 0 ";
        String other = "7f0000200000-7f0000300000 r-xp 00000000 08:01 17   /opt/libcharcloth/libother.so";
        String ours = "7f0000400000-7f0000500000 r-xp 00000000 08:01 18   /opt/a b/charcloth-1-2-libcharcloth.so";
        assertEquals(Optional.of("/opt/a b/charcloth-1-2-libcharcloth.so"),
                NativeAgent.mappedAgent(Arrays.asList(heap, other, ours)));
        assertEquals(Optional.empty(), NativeAgent.mappedAgent(Arrays.asList(heap, other)));
        assertEquals(Optional.empty(), NativeAgent.mappedAgent(Collections.emptyList()));
    }
}
