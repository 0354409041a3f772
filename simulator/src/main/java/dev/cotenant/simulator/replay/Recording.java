package dev.cotenant.simulator.replay;

import dev.cotenant.domain.device.DeviceId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What ran on a cluster.
 *
 * @param source where it comes from, in a few words
 * @param jobs by submission, then by name
 * @param fleet GPUs of each product; a product without an entry has as many as its jobs held at a
 *     time
 * @param findings what could not be reconstructed
 * @param truth about slowdowns
 */
public record Recording(
    String source,
    List<RecordedJob> jobs,
    Map<DeviceId, Integer> fleet,
    List<Finding> findings,
    SpeedTruth truth) {
  private static final Comparator<RecordedJob> ORDER =
      Comparator.comparing((RecordedJob job) -> job.times().submitted())
          .thenComparing(job -> job.origin().namespace())
          .thenComparing(job -> job.origin().name())
          .thenComparing(job -> job.times().ended());

  public Recording {
    jobs = jobs.stream().sorted(ORDER).toList();
    fleet = Map.copyOf(fleet);
    findings = List.copyOf(findings);
  }

  /** Slowdowns were not measured. */
  public Recording(
      String source, List<RecordedJob> jobs, Map<DeviceId, Integer> fleet, List<Finding> findings) {
    this(source, jobs, fleet, findings, SpeedTruth.STATED);
  }

  /**
   * Something that is missing or was not used.
   *
   * @param count how many
   * @param noun of one, such as {@code job}
   * @param text subject, cause, and remedy if any; follows the noun in the singular and the plural
   */
  public record Finding(long count, String noun, String text) {
    /** The noun, in the plural but for one, and the text. */
    public String subject() {
      return noun + (count == 1 ? " " : "s ") + text;
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%,d %s", count, subject());
    }
  }

  /** Jobs by product, products in the order of their ids. */
  SortedMap<DeviceId, List<RecordedJob>> byDevice() {
    SortedMap<DeviceId, List<RecordedJob>> byDevice =
        new TreeMap<>(Comparator.comparing(DeviceId::value));
    for (RecordedJob job : jobs) {
      byDevice.computeIfAbsent(job.allocation().device(), _ -> new ArrayList<>()).add(job);
    }
    return byDevice;
  }
}
