package dev.cotenant.engine.fleet;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.plan.FleetDocument;
import dev.cotenant.engine.plan.FleetDocument.MetricsEntry;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * PromQL of a workload's metrics.
 *
 * @param workload its name
 * @param query of all quantities at once, told apart by the label {@link #QUANTITY}
 */
record WorkloadQueries(String workload, String query) {
  /*
   * Triton counts requests (nv_inference_request_success and _failure) and the microseconds that they
   * took; percentiles it has only where it was started with summary latencies, as
   * nv_inference_request_summary_us. KServe's and vLLM's servers have histograms in seconds. An age
   * is that of the newest sample within an hour: a rate over a window goes on for as long as the
   * window after the last sample.
   */
  static final String QUANTITY = "cotenant_quantity";
  static final String RATE = "rate";
  static final String AGE = "age";
  static final String P99 = "p99";
  static final String MEAN = "mean";

  private static final int MAX_PROMQL_LENGTH = 4_000;

  /**
   * Of an entry.
   *
   * @param where the entry stands, for messages
   * @param window over which requests are counted
   * @throws InputException ({@code bad-plan})
   */
  static WorkloadQueries of(
      String workload, @Nullable MetricsEntry entry, Where where, Duration window) {
    if (entry == null) {
      throw where.bad("state 'metrics': a 'source' (triton, kserve, vllm) or a 'rate' in PromQL");
    }
    String source = entry.source();
    if ((source == null) == (entry.rate() == null)) {
      throw where.bad("give either 'source' (triton, kserve, vllm) or 'rate' in PromQL");
    }
    return new WorkloadQueries(
        workload,
        source == null ? own(entry, where) : known(source, workload, entry, where, window));
  }

  /**
   * A place in a document.
   *
   * @param document stands for it
   * @param place in it
   */
  record Where(String document, String place) {
    InputException bad(String problem) {
      return FleetDocument.bad(document, place, problem);
    }
  }

  private static String own(MetricsEntry entry, Where where) {
    if (entry.model() != null || entry.matchers() != null) {
      throw where.bad("'model' and 'matchers' belong to a 'source', not to your own PromQL");
    }
    Quantities all = new Quantities();
    all.add(RATE, checked(entry.rate(), where).map(rate -> "sum(" + rate + ")"));
    all.add(P99, checked(entry.p99Millis(), where).map(p99 -> "max(" + p99 + ")"));
    all.add(MEAN, checked(entry.meanMillis(), where).map(mean -> "max(" + mean + ")"));
    all.add(AGE, checked(entry.samples(), where).map(WorkloadQueries::age));
    return all.joined();
  }

  private static Optional<String> checked(@Nullable String promQl, Where where) {
    if (promQl != null && (promQl.isBlank() || promQl.length() > MAX_PROMQL_LENGTH)) {
      throw where.bad("PromQL must have 1 to " + MAX_PROMQL_LENGTH + " characters");
    }
    return Optional.ofNullable(promQl);
  }

  private static String known(
      String source, String workload, MetricsEntry entry, Where where, Duration window) {
    if (entry.p99Millis() != null || entry.meanMillis() != null || entry.samples() != null) {
      throw where.bad("a 'source' has its own latencies: give them with a 'rate' of your own");
    }
    Map<String, String> labels =
        Map.of("triton", "model", "kserve", "model_name", "vllm", "model_name");
    String label = labels.get(source);
    if (label == null) {
      throw where.bad("'source' must be triton, kserve or vllm, is '" + source + "'");
    }
    String model = Objects.requireNonNullElse(entry.model(), workload);
    String escaped = model.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    String matchers = entry.matchers();
    String selected = label + "=\"" + escaped + "\"" + (matchers == null ? "" : ", " + matchers);
    Quantities all = new Quantities();
    String over = "[" + window.toSeconds() + "s]";
    switch (source) {
      case "triton" -> triton(all, selected, over);
      case "kserve" ->
          histogram(
              all, "request_predict_seconds", "request_predict_seconds_count", selected, over);
      default ->
          histogram(
              all,
              "vllm:e2e_request_latency_seconds",
              "vllm:request_success_total",
              selected,
              over);
    }
    return all.joined();
  }

  private static void triton(Quantities all, String selected, String over) {
    String success = "nv_inference_request_success{" + selected + "}";
    String failure = "nv_inference_request_failure{" + selected + "}";
    String duration = "nv_inference_request_duration_us{" + selected + "}";
    String summary = "nv_inference_request_summary_us{" + selected + ", quantile=\"0.99\"}";
    all.add(
        RATE,
        Optional.of(
            "sum(rate("
                + success
                + over
                + ")) + (sum(rate("
                + failure
                + over
                + ")) or vector(0))"));
    all.add(P99, Optional.of("max(" + summary + ") / 1000"));
    all.add(
        MEAN,
        Optional.of(
            "sum(rate(" + duration + over + ")) / sum(rate(" + success + over + ")) / 1000"));
    all.add(AGE, Optional.of(age(success)));
  }

  private static void histogram(
      Quantities all, String name, String counter, String selected, String over) {
    String in = "{" + selected + "}" + over;
    all.add(RATE, Optional.of("sum(rate(" + counter + in + "))"));
    all.add(
        P99,
        Optional.of(
            "1000 * histogram_quantile(0.99, sum by (le) (rate(" + name + "_bucket" + in + ")))"));
    all.add(
        MEAN,
        Optional.of(
            "1000 * sum(rate("
                + name
                + "_sum"
                + in
                + ")) / sum(rate("
                + name
                + "_count"
                + in
                + "))"));
    all.add(AGE, Optional.of(age(counter + "{" + selected + "}")));
  }

  private static String age(String selector) {
    return "time() - max(max_over_time(timestamp(" + selector + ")[1h:15s]))";
  }

  /** Expressions that one query answers together. */
  private static final class Quantities {
    private final StringJoiner joined = new StringJoiner(" or ");

    void add(String quantity, Optional<String> expression) {
      expression.ifPresent(promQl ->
          joined.add(
              "label_replace("
                  + promQl
                  + ", \""
                  + QUANTITY
                  + "\", \""
                  + quantity
                  + "\", \"\", \"\")"));
    }

    String joined() {
      return joined.toString();
    }
  }
}
