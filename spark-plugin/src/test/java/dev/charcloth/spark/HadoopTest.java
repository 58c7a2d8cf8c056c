package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.charcloth.spark.MemoryFileSystem.Seen;
import dev.charcloth.spark.MemoryFileSystem.Store;
import java.io.IOException;
import java.security.PrivilegedAction;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

class HadoopTest {
    private static final Path FOLDER = new Path("later://hadoop/out");
    private final Store store = new Store(Seen.WHEN_CLOSED);
    private final Configuration complete = MemoryFileSystem.conf("later", "hadoop", store);

    @Test
    void keysThatAJobSetsLaterReachIt() throws IOException {
        AtomicReference<Configuration> conf = new AtomicReference<>(new Configuration(false));
        Hadoop hadoop = new Hadoop(conf::get);
        assertThrows(UnsupportedFileSystemException.class, () -> hadoop.open(FOLDER));
        conf.set(complete);
        hadoop.open(FOLDER).close();
        assertEquals(1, store.opened);
    }

    @Test
    void theUserIsTheOneThatMadeIt() throws Exception {
        UserGroupInformation alice = UserGroupInformation.createRemoteUser("alice");
        Hadoop hadoop = alice.doAs((PrivilegedAction<Hadoop>) () -> new Hadoop(() -> complete));
        hadoop.open(FOLDER).close();
        assertEquals("alice", store.user);
    }
}
