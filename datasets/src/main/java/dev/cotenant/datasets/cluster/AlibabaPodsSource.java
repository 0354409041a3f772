package dev.cotenant.datasets.cluster;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads Alibaba's cluster of shared GPUs (cluster-trace-gpu-v2023): a list of pods with {@code
 * openb_node_list_gpu_node.csv} beside it, or the folder that holds both, of which {@code
 * openb_pod_list_default.csv} is taken; plain or gzipped.
 */
public final class AlibabaPodsSource {
  public static final String FORMAT = "alibaba-v2023";

  private static final String NODES = "openb_node_list_gpu_node.csv";
  private static final String PODS = "openb_pod_list_default.csv";
  private static final List<String> NODE_COLUMNS =
      List.of("sn", "cpu_milli", "memory_mib", "gpu", "model");
  private static final List<String> POD_COLUMNS =
      List.of(
          "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "creation_time");
  private static final String ALTERNATIVES = "\\|";
  private static final long MAX_MILLI = 1_000_000_000L;
  private static final long MAX_MEBIBYTES = 1L << 30;
  private static final long MAX_GPUS = 1024;
  private static final long MAX_SECONDS = 1L << 40;

  private final DataFile nodes;
  private final DataFile pods;

  /**
   * @param path the list of pods, or the folder of both lists
   */
  public AlibabaPodsSource(Path path) {
    pods = DataFile.in(path, PODS);
    nodes = DataFile.in(Files.isDirectory(path) ? path : path.resolveSibling(""), NODES);
  }

  /**
   * Reads everything; rows that cannot be used are listed in what is read.
   *
   * @throws InputException when a file is missing or not of the format, or has no usable row
   */
  public ClusterTrace read() {
    List<String> rejected = new ArrayList<>();
    Set<String> names = new HashSet<>();
    List<ClusterTrace.Pod> requests = new ArrayList<>();
    pods.readTable(POD_COLUMNS, row -> requests.add(pod(row, names)), rejected);
    names.clear();
    List<ClusterTrace.Node> machines = new ArrayList<>();
    nodes.readTable(NODE_COLUMNS, row -> machines.add(node(row, names)), rejected);
    requireSome(machines, nodes, "node");
    requireSome(requests, pods, "pod");
    requests.sort(
        Comparator.comparingLong(ClusterTrace.Pod::createdSeconds)
            .thenComparing(ClusterTrace.Pod::name));
    return new ClusterTrace(FORMAT, machines, requests, rejected);
  }

  private static void requireSome(List<?> rows, DataFile file, String what) {
    if (rows.isEmpty()) {
      throw InputException.malformed(
          "trace-empty", file.path() + " holds no " + what + " that can be used.");
    }
  }

  private static ClusterTrace.Node node(DataRow row, Set<String> names) {
    return new ClusterTrace.Node(
        once(row, "sn", names),
        row.integer("cpu_milli", 0, MAX_MILLI),
        MemorySize.ofMiB(row.integer("memory_mib", 0, MAX_MEBIBYTES)),
        (int) row.integer("gpu", 0, MAX_GPUS),
        row.textOrEmpty("model"));
  }

  private static ClusterTrace.Pod pod(DataRow row, Set<String> names) {
    int gpus = (int) row.integer("num_gpu", 0, MAX_GPUS);
    int milli = (int) row.integer("gpu_milli", 0, ClusterTrace.WHOLE_GPU_MILLI);
    if ((gpus == 0) != (milli == 0)) {
      throw new UnusableRowException("num_gpu is " + gpus + " but gpu_milli is " + milli);
    }
    if (gpus > 1 && milli < ClusterTrace.WHOLE_GPU_MILLI) {
      throw new UnusableRowException("it requests parts of " + gpus + " GPUs");
    }
    String models = row.textOrEmpty("gpu_spec");
    long created = row.integer("creation_time", 0, MAX_SECONDS);
    return new ClusterTrace.Pod(
        once(row, "name", names),
        row.integer("cpu_milli", 0, MAX_MILLI),
        MemorySize.ofMiB(row.integer("memory_mib", 0, MAX_MEBIBYTES)),
        gpus,
        milli,
        models.isEmpty() ? List.of() : List.of(models.split(ALTERNATIVES)),
        created,
        run(row, created));
  }

  /** Null where it was never scheduled, or at an impossible time. */
  private static ClusterTrace.@Nullable Run run(DataRow row, long created) {
    if (!row.has("scheduled_time") || !row.has("deletion_time")) {
      return null;
    }
    long scheduled = row.integer("scheduled_time", 0, MAX_SECONDS);
    long deleted = row.integer("deletion_time", 0, MAX_SECONDS);
    return scheduled >= created && deleted > scheduled
        ? new ClusterTrace.Run(scheduled, deleted)
        : null;
  }

  private static String once(DataRow row, String column, Set<String> names) {
    String name = row.text(column);
    if (!names.add(name)) {
      throw new UnusableRowException(column + " '" + name + "' is listed twice");
    }
    return name;
  }
}
