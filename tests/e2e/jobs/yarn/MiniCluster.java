import java.io.BufferedReader;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.server.MiniYARNCluster;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils;

/**
 * HDFS and YARN with one node each. Writes what a client must know to {@code CONF}, prints {@code ready}, then does
 * what it is told, one command a line, and answers with lines of which the last is {@code ok} or {@code error …}. Ends
 * when its input does, without a care for what still runs. Containers are real processes with the cluster's mark in
 * their environment.
 */
public final class MiniCluster {
    private static final String SCHEDULER =
            "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler";
    private static final String MARK = "CHARCLOTH_TEST_CLUSTER";

    private MiniCluster() {
    }

    /** @param args the folder for all data, and that for the configuration */
    public static void main(String[] args) {
        // What is printed by others is no answer.
        PrintStream answers = System.out;
        System.setOut(System.err);
        try {
            run(new File(args[0]), new File(args[1]), answers);
            // An orderly end takes twenty seconds, for data that is thrown away.
            Runtime.getRuntime().halt(0);
        } catch (Exception e) {
            e.printStackTrace();
            // Else threads that were started meanwhile would keep the process.
            System.exit(1);
        }
    }

    private static void run(File data, File clientConf, PrintStream answers) throws Exception {
        Configuration conf = new Configuration();
        conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, data + "/dfs");
        conf.set("hadoop.tmp.dir", data + "/tmp");
        MiniDFSCluster hdfs = new MiniDFSCluster.Builder(conf).numDataNodes(1).build();
        Configuration forYarn = new Configuration(hdfs.getFileSystem().getConf());
        settings(forYarn);
        MiniYARNCluster yarn = new MiniYARNCluster("yarn", 1, 1, 1);
        yarn.init(forYarn);
        yarn.start();
        if (!yarn.waitForNodeManagersToConnect(60_000)) {
            throw new IllegalStateException("the node manager does not come up");
        }
        write(yarn.getConfig(), clientConf);
        answers.println("ready");
        ResourceScheduler scheduler = yarn.getResourceManager().getResourceScheduler();
        obey(hdfs.getFileSystem(), (AbstractYarnScheduler<?, ?>) scheduler, answers);
    }

    private static void settings(Configuration conf) {
        conf.set("yarn.resourcemanager.scheduler.class", SCHEDULER);
        conf.set("yarn.scheduler.minimum-allocation-mb", "256");
        conf.set("yarn.minicluster.yarn.nodemanager.resource.memory-mb", "6144");
        conf.set("yarn.nodemanager.disk-health-checker.enable", "false");
        conf.set("yarn.nodemanager.pmem-check-enabled", "false");
        conf.set("yarn.nodemanager.vmem-check-enabled", "false");
        // Containers inherit nothing by themselves.
        conf.set("yarn.nodemanager.admin-env", MARK + "=" + System.getenv(MARK));
    }

    /** Without the class that only tests of Hadoop have. */
    private static void write(Configuration conf, File folder) throws IOException {
        Configuration client = new Configuration(conf);
        client.unset("net.topology.node.switch.mapping.impl");
        for (String name : new String[] { "core-site.xml", "hdfs-site.xml", "yarn-site.xml" }) {
            try (OutputStream out = Files.newOutputStream(new File(folder, name).toPath())) {
                client.writeXml(out);
            }
        }
    }

    private static void obey(FileSystem fs, AbstractYarnScheduler<?, ?> scheduler, PrintStream answers)
            throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            try {
                String[] words = line.split(" ");
                if (words[0].equals("preempt")) {
                    preempt(scheduler, ContainerId.fromString(words[1]));
                } else {
                    command(fs, words, answers);
                }
                answers.println("ok");
            } catch (IOException | RuntimeException e) {
                answers.println("error " + e.toString().replace('\n', ' '));
            }
        }
    }

    /** The scheduler wants the container for another one: its node manager kills it, with SIGTERM and then SIGKILL. */
    private static void preempt(AbstractYarnScheduler<?, ?> scheduler, ContainerId id) {
        RMContainer container = scheduler.getRMContainer(id);
        scheduler.completedContainer(container, SchedulerUtils.createPreemptedContainerStatus(id, "preempted"),
                RMContainerEventType.KILL);
    }

    private static void command(FileSystem fs, String[] words, PrintStream answers) throws IOException {
        Path path = new Path(words[1]);
        switch (words[0]) {
            case "mkdir":
                fs.mkdirs(path);
                break;
            case "get":
                // The last word: no files of checksums, as `hdfs dfs -get`.
                fs.copyToLocalFile(false, path, new Path("file://" + words[2]), true);
                break;
            case "ls":
                list(fs, path, answers);
                break;
            default:
                throw new IllegalArgumentException("there is no command " + words[0]);
        }
    }

    /** All below a folder: what it is and its mode, its length, its path. What is deleted meanwhile is left out. */
    private static void list(FileSystem fs, Path folder, PrintStream answers) throws IOException {
        for (FileStatus s : fs.listStatus(folder)) {
            try {
                String mode = String.format("%o", s.getPermission().toShort());
                String about = (s.isDirectory() ? "d" : "-") + mode + " " + length(fs, s);
                answers.println(about + " " + s.getPath().toUri().getPath());
                if (s.isDirectory()) {
                    list(fs, s.getPath(), answers);
                }
            } catch (FileNotFoundException e) {
                continue;
            }
        }
    }

    /** What can be read; the name node does not know how much that is of a file that grows. */
    private static long length(FileSystem fs, FileStatus file) throws IOException {
        if (file.isDirectory()) {
            return 0;
        }
        try (FSDataInputStream in = fs.open(file.getPath())) {
            return ((HdfsDataInputStream) in).getVisibleLength();
        }
    }
}
