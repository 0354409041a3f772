package dev.cotenant.forecast.prometheus;

import dev.cotenant.forecast.prometheus.PrometheusSettings.Metrics;
import java.util.List;
import java.util.stream.Collectors;

/** The two questions: one series a GPU, and what is known of each now. */
final class Queries {
  /** The label that says which of several metrics a value is of. */
  static final String QUANTITY = "cotenant_quantity";

  static final String USED = "used";
  static final String FREE = "free";
  static final String UTILIZATION = "utilization";
  static final String SAMPLED_AT = "sampled_at";

  /**
   * Both dialects of the exporter's labels: {@code hostname} was {@code Hostname}, and where the
   * scrape does not honour labels the workload's are {@code exported_…}.
   */
  private static final String LABELS =
      "UUID, gpu, GPU_I_ID, GPU_I_PROFILE, modelName, hostname, Hostname, "
          + "pod, namespace, exported_pod, exported_namespace";

  private final Metrics metrics;
  private final PrometheusSettings.Range range;

  Queries(Metrics metrics, PrometheusSettings.Range range) {
    this.metrics = metrics;
    this.range = range;
  }

  /**
   * Used memory, one series a GPU and MIG instance: maximum and never sum, for exporters repeat a
   * device's value for each of its pods; and across a pod's coming and going.
   */
  String usedSeries() {
    return "max by (UUID, GPU_I_ID) (" + selector(metrics.used()) + ")";
  }

  /**
   * Everything else, in one query. {@code timestamp} and not presence gives a sample's age, over
   * the whole window, for what fell silent is in no answer about now.
   */
  String newest() {
    return List.of(
            labelled(newestTime(), SAMPLED_AT),
            labelled(selector(metrics.used()), USED),
            labelled(selector(metrics.free()), FREE),
            labelled(meanUtilization(), UTILIZATION))
        .stream()
        .collect(Collectors.joining(" or "));
  }

  private String meanUtilization() {
    return "avg_over_time("
        + selector(metrics.utilization())
        + "["
        + range.window().toSeconds()
        + "s])";
  }

  private String newestTime() {
    return "max_over_time(timestamp("
        + selector(metrics.used())
        + ")["
        + range.window().toSeconds()
        + "s:"
        + range.step().toSeconds()
        + "s])";
  }

  private static String labelled(String vector, String quantity) {
    return "label_replace(max by ("
        + LABELS
        + ") ("
        + vector
        + "), \""
        + QUANTITY
        + "\", \""
        + quantity
        + "\", \"\", \"\")";
  }

  private String selector(String metric) {
    return metrics.matchers().isBlank() ? metric : metric + "{" + metrics.matchers() + "}";
  }
}
