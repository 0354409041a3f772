package dev.cotenant.datasets.collector;

import dev.cotenant.datasets.colocation.ColocationFile;
import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.PairLatency;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.quantity.MemorySize;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@code datasets/collector/collect.py pairs} has written: {@code pairs.csv}, with
 * {@code solo.csv} beside it where that is there, or the folder of both.
 *
 * <p>Two training jobs on the whole device become a pair of training jobs, with what each uses
 * alone from {@code solo.csv}; two inference jobs in MPS partitions become a pair of latencies.
 * Listed with file, line and reason: groups of which a member failed, more than two jobs, and mixed
 * pairs, from which no model learns.
 */
public final class CollectorPairsSource implements ColocationFile {
  public static final String FORMAT = "collector-pairs";

  /** The table of groups. */
  public static final String TABLE = "pairs.csv";

  private static final String SOLO = "solo.csv";
  private static final List<String> SOLO_COLUMNS =
      List.of(
          "job",
          "status",
          "utilization_mean_percent",
          "memory_utilization_mean_percent",
          "peak_memory_bytes");
  private static final double MAX_BYTES = 1L << 44;
  private static final double MILLIS = 1e3;

  private final Path pairs;
  private final Path solo;

  /**
   * @param path the table of groups, or the folder that the collector wrote
   */
  public CollectorPairsSource(Path path) {
    pairs = Files.isDirectory(path) ? path.resolve(TABLE) : path;
    solo = pairs.resolveSibling(SOLO);
  }

  @Override
  public List<Path> files() {
    return Files.exists(solo) ? List.of(solo, pairs) : List.of(pairs);
  }

  @Override
  public ColocationRows read() {
    List<String> rejected = new ArrayList<>();
    Map<String, TrainingPair.Usage> usages = usages();
    Map<String, List<CollectedMember>> groups = new LinkedHashMap<>();
    new DataFile(pairs)
        .readTable(
            CollectedMember.COLUMNS,
            row -> {
              CollectedMember member = CollectedMember.of(row);
              groups.computeIfAbsent(member.together(), _ -> new ArrayList<>()).add(member);
            },
            rejected);
    List<TrainingPair> training = new ArrayList<>();
    List<PairLatency> latencies = new ArrayList<>();
    for (List<CollectedMember> group : groups.values()) {
      String problem = problem(group);
      if (problem != null) {
        group.forEach(member -> rejected.add(line(member, problem)));
      } else if (group.getFirst().sharePercent() == null) {
        training.add(training(group.getFirst(), group.getLast(), usages));
        training.add(training(group.getLast(), group.getFirst(), usages));
      } else {
        latencies.add(latency(group.getFirst(), group.getLast()));
        latencies.add(latency(group.getLast(), group.getFirst()));
      }
    }
    return new ColocationRows(List.of(), latencies, training, List.of(), rejected);
  }

  private String line(CollectedMember member, String problem) {
    String own = member.failure();
    return pairs + ":" + member.line() + ": " + (own == null ? problem : own);
  }

  /** Why nothing can be learned from a group; null where something can. */
  private static @Nullable String problem(List<CollectedMember> group) {
    CollectedMember first = group.getFirst();
    if (group.stream().anyMatch(member -> member.failure() != null)) {
      return "another member of its group was not measured";
    }
    if (first.tenants() > 2) {
      return first.tenants() + " jobs side by side: models learn from two";
    }
    if (group.size() != first.tenants()) {
      return "its group has "
          + group.size()
          + " usable rows and "
          + first.tenants()
          + " members: not all were measured";
    }
    boolean shares = first.sharePercent() != null;
    boolean same = group.stream().allMatch(member -> member.job().isTraining() != shares);
    if (shares != (group.getLast().sharePercent() != null)) {
      return "only one of the two has a share";
    }
    return same
        ? null
        : shares
            ? "a training job in a partition: models of partitions learn from inference"
            : "an inference job without a partition: models of whole devices learn from training";
  }

  private static TrainingPair training(
      CollectedMember own, CollectedMember other, Map<String, TrainingPair.Usage> usages) {
    return new TrainingPair(
        FORMAT + "/" + own.session() + ":" + own.line(),
        own.device(),
        job(own.job(), usages),
        job(other.job(), usages),
        own.soloSeconds() / own.seconds());
  }

  private static TrainingPair.Job job(CollectedJob job, Map<String, TrainingPair.Usage> usages) {
    return new TrainingPair.Job(job.model(), job.configuration(), usages.get(job.text()));
  }

  private static PairLatency latency(CollectedMember own, CollectedMember other) {
    return new PairLatency(
        FORMAT + "/" + own.session() + ":" + own.line(),
        side(own),
        side(other),
        MILLIS * own.soloSeconds(),
        MILLIS * own.seconds());
  }

  private static PairLatency.Side side(CollectedMember member) {
    double share = member.sharePercent() == null ? 100 : member.sharePercent();
    return new PairLatency.Side(member.job().model(), member.job().batch(), share);
  }

  /** What jobs use alone; the newest row of a job counts. Rows that lack something say nothing. */
  Map<String, TrainingPair.Usage> usages() {
    Map<String, TrainingPair.Usage> usages = new HashMap<>();
    if (Files.exists(solo)) {
      List<String> unused = new ArrayList<>();
      new DataFile(solo)
          .readTable(SOLO_COLUMNS, row -> usages.put(row.text("job"), usage(row)), unused);
    }
    return usages;
  }

  private static TrainingPair.Usage usage(DataRow row) {
    if (!row.text("status").equals("ok")) {
      throw new UnusableRowException("not measured");
    }
    return new TrainingPair.Usage(
        row.percent("utilization_mean_percent"),
        row.percent("memory_utilization_mean_percent"),
        row.number("peak_memory_bytes", 1, MAX_BYTES) / MemorySize.MIB);
  }
}
