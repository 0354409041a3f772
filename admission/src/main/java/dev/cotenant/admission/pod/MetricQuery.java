package dev.cotenant.admission.pod;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The metric of a pod in the metrics server: a metric with labels of the pod, in one of a few
 * forms. A pod names metrics alone; selectors and functions are made here, so that it reads no
 * series of other pods, and no more than a short range of its own.
 *
 * @param form what the metrics state
 * @param metric name, of {@code RATIO} the counter of time
 * @param count name of the counter of events, of {@code RATIO} alone; else empty
 * @param scale factor on the number
 */
public record MetricQuery(Form form, String metric, String count, double scale) {
  /** Forms of {@link #speed}, for people. */
  public static final String SPEED_FORMS =
      "NAME, rate(NAME) or inverse(NAME) with the name of a metric of at most 128 characters";

  /** Forms of {@link #latency}, for people. */
  public static final String LATENCY_FORMS =
      "NAME, p99(NAME) or mean(NAME) with the name of a metric of at most 128 characters, or vllm,"
          + " tgi, triton or torchserve";

  /** Forms of {@link #rate}, for people. */
  public static final String RATE_FORMS =
      "NAME or rate(NAME) with the name of a metric of at most 128 characters, or vllm, tgi, triton"
          + " or torchserve";

  private static final String METRIC = "[a-zA-Z_:][a-zA-Z0-9_:]{0,127}";
  private static final Pattern PLAIN = Pattern.compile(METRIC);
  private static final Pattern CALL = Pattern.compile("([a-z0-9]{1,8})\\((" + METRIC + ")\\)");
  private static final double MICROSECOND = 1e-6;

  /** Age at which a sample is stale. */
  private static final Duration STALE = Duration.ofSeconds(90);

  private static final Map<String, Form> SPEEDS =
      Map.of("rate", Form.RATE, "inverse", Form.INVERSE);
  private static final Map<String, Form> RATES = Map.of("rate", Form.RATE);
  private static final Map<String, Form> LATENCIES = Map.of("p99", Form.P99, "mean", Form.MEAN);

  /** Metrics of the usual servers, of their own documentation. */
  private static final Map<String, MetricQuery> LATENCY_EXPORTERS =
      Map.of(
          "vllm",
          of(Form.P99, "vllm:e2e_request_latency_seconds"),
          "tgi",
          of(Form.P99, "tgi_request_duration"),
          "triton",
          new MetricQuery(
              Form.RATIO,
              "nv_inference_request_duration_us",
              "nv_inference_request_success",
              MICROSECOND),
          "torchserve",
          new MetricQuery(
              Form.RATIO,
              "ts_inference_latency_microseconds",
              "ts_inference_requests_total",
              MICROSECOND));

  private static final Map<String, MetricQuery> RATE_EXPORTERS =
      Map.of(
          "vllm",
          of(Form.RATE, "vllm:request_success_total"),
          "tgi",
          of(Form.RATE, "tgi_request_count"),
          "triton",
          of(Form.RATE, "nv_inference_request_success"),
          "torchserve",
          of(Form.RATE, "ts_inference_requests_total"));

  /** What metrics state. */
  public enum Form {
    /** A gauge of steps, samples or requests per second, added over its series. */
    GAUGE,
    /** A gauge in seconds; the largest series counts. */
    SECONDS,
    /** A counter of steps, samples or requests. */
    RATE,
    /** A gauge of seconds per step. */
    INVERSE,
    /** A histogram in seconds; the 99 % quantile counts. */
    P99,
    /** A histogram or summary in seconds; the mean counts. */
    MEAN,
    /** A counter of time and one of events. */
    RATIO
  }

  private static MetricQuery of(Form form, String metric) {
    return new MetricQuery(form, metric, "", 1);
  }

  /**
   * Reads the metric of a speed; empty for another text than {@link #SPEED_FORMS}, and for a
   * server, whose speed is that of its requests.
   */
  public static Optional<MetricQuery> speed(String text) {
    return LATENCY_EXPORTERS.containsKey(text)
        ? Optional.empty()
        : parse(text, Form.GAUGE, SPEEDS, Map.of());
  }

  /** Reads the metric of a latency; empty for another text than {@link #LATENCY_FORMS}. */
  public static Optional<MetricQuery> latency(String text) {
    return parse(text, Form.SECONDS, LATENCIES, LATENCY_EXPORTERS);
  }

  /** Reads the metric of requests per second; empty for another text than {@link #RATE_FORMS}. */
  public static Optional<MetricQuery> rate(String text) {
    return parse(text, Form.GAUGE, RATES, RATE_EXPORTERS);
  }

  private static Optional<MetricQuery> parse(
      String text, Form plain, Map<String, Form> functions, Map<String, MetricQuery> exporters) {
    if (exporters.containsKey(text)) {
      return Optional.ofNullable(exporters.get(text));
    }
    if (PLAIN.matcher(text).matches()) {
      return Optional.of(of(plain, text));
    }
    Matcher call = CALL.matcher(text);
    return call.matches()
        ? Optional.ofNullable(functions.get(call.group(1))).map(form -> of(form, call.group(2)))
        : Optional.empty();
  }

  /**
   * The number about a pod as PromQL, without a result where the newest sample is stale.
   *
   * @param window over which it is averaged
   * @throws IllegalArgumentException when the pod's names are none of Kubernetes
   */
  public String promQl(PodIdentity pod, Duration window) {
    String name = pod.requireName();
    String labels = "{namespace=\"" + pod.namespace() + "\", pod=\"" + name + "\"}";
    String range = "[" + window.toSeconds() + "s]";
    return switch (form) {
      case GAUGE -> "sum(" + fresh("avg_over_time", metric + labels, range) + ")";
      case SECONDS -> "max(" + fresh("avg_over_time", metric + labels, range) + ")";
      case RATE -> "sum(" + fresh("rate", metric + labels, range) + ")";
      case INVERSE -> "1 / max(" + fresh("avg_over_time", metric + labels, range) + ")";
      case P99 ->
          "histogram_quantile(0.99, sum by (le) ("
              + fresh("rate", metric + "_bucket" + labels, range)
              + "))";
      case MEAN -> ratio(metric + "_sum" + labels, metric + "_count" + labels, range);
      case RATIO -> scale + " * " + ratio(metric + labels, count + labels, range);
    };
  }

  /**
   * PromQL for the maximum of a pod's metric over a time, with each value averaged over a window;
   * no result with fewer than {@code least} values, one per minute.
   *
   * @param window averaging window
   * @param time range in which the largest is searched
   * @param least how many numbers there must be
   * @throws IllegalArgumentException when the pod's names are none of Kubernetes
   */
  public String largestPromQl(PodIdentity pod, Duration window, Duration time, int least) {
    String numbers = "((" + promQl(pod, window) + ")[" + time.toSeconds() + "s:60s])";
    return "max_over_time" + numbers + " and (count_over_time" + numbers + " >= " + least + ")";
  }

  /**
   * The mean over a window of every series of a selector whose newest sample is not stale, as
   * PromQL.
   */
  public static String mean(String selector, Duration window) {
    return fresh("avg_over_time", selector, "[" + window.toSeconds() + "s]");
  }

  private static String ratio(String time, String events, String range) {
    return "sum(" + fresh("rate", time, range) + ") / sum(" + fresh("rate", events, range) + ")";
  }

  private static String fresh(String function, String selector, String range) {
    return function
        + "("
        + selector
        + range
        + ") and (time() - timestamp("
        + selector
        + ") < "
        + STALE.toSeconds()
        + ")";
  }
}
