package dev.cotenant.datasets.collector;

import dev.cotenant.datasets.file.DataRow;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One member of a group that ran side by side: a row of {@code pairs.csv}.
 *
 * @param line of the table
 * @param session when it was measured; groups of one name may be measured in several
 * @param device as the collector names it
 * @param group all its members
 * @param tenants how many members the group has
 * @param job what ran
 * @param sharePercent its MPS share; null where there were no shares
 * @param soloSeconds mean step alone, in the same partition
 * @param seconds mean step beside the others
 * @param failure why it was not measured; null where it was
 */
record CollectedMember(
    long line,
    String session,
    String device,
    String group,
    int tenants,
    CollectedJob job,
    @Nullable Double sharePercent,
    double soloSeconds,
    double seconds,
    @Nullable String failure) {
  static final List<String> COLUMNS =
      List.of(
          "session",
          "device",
          "group",
          "tenants",
          "job",
          "share_percent",
          "status",
          "message",
          "solo_step_mean_seconds",
          "step_mean_seconds");

  private static final int MAX_TENANTS = 48;
  private static final double MIN_SECONDS = 1e-9;
  private static final double MAX_SECONDS = 1e6;

  static CollectedMember of(DataRow row) {
    String status = row.text("status");
    boolean measured = status.equals("ok");
    return new CollectedMember(
        row.line(),
        row.text("session"),
        row.text("device"),
        row.text("group"),
        (int) row.integer("tenants", 2, MAX_TENANTS),
        CollectedJob.parse(row.text("job")),
        row.has("share_percent") ? row.number("share_percent", 1, 100) : null,
        measured ? seconds(row, "solo_step_mean_seconds") : 0,
        measured ? seconds(row, "step_mean_seconds") : 0,
        measured ? null : status + ": " + row.textOrEmpty("message"));
  }

  private static double seconds(DataRow row, String column) {
    return row.number(column, MIN_SECONDS, MAX_SECONDS);
  }

  /** The group in its session, whose members belong together. */
  String together() {
    return session + " " + group;
  }
}
