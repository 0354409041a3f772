package dev.cotenant.admission.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MetricQueryTest {
  private static final PodIdentity POD = new PodIdentity("team-a", "train-0", null);
  private static final Duration WINDOW = Duration.ofMinutes(2);

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          steps_per_second | sum(avg_over_time(steps_per_second{P}[120s]) and (time() - timestamp(steps_per_second{P}) < 90))
          rate(steps:total) | sum(rate(steps:total{P}[120s]) and (time() - timestamp(steps:total{P}) < 90))
          inverse(step_seconds) | 1 / max(avg_over_time(step_seconds{P}[120s]) and (time() - timestamp(step_seconds{P}) < 90))
          """)
  void readsSpeedsOfThePodAlone(String text, String promQl) {
    assertThat(MetricQuery.speed(text).orElseThrow().promQl(POD, WINDOW))
        .isEqualTo(promQl.replace("{P}", "{namespace=\"team-a\", pod=\"train-0\"}"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          seconds | max(avg_over_time(seconds{P}[120s]) and (time() - timestamp(seconds{P}) < 90))
          p99(h) | histogram_quantile(0.99, sum by (le) (rate(h_bucket{P}[120s]) and (time() - timestamp(h_bucket{P}) < 90)))
          mean(h) | sum(rate(h_sum{P}[120s]) and (time() - timestamp(h_sum{P}) < 90)) / sum(rate(h_count{P}[120s]) and (time() - timestamp(h_count{P}) < 90))
          torchserve | 1.0E-6 * sum(rate(ts_inference_latency_microseconds{P}[120s]) and (time() - timestamp(ts_inference_latency_microseconds{P}) < 90)) / sum(rate(ts_inference_requests_total{P}[120s]) and (time() - timestamp(ts_inference_requests_total{P}) < 90))
          """)
  void readsLatenciesOfThePodAlone(String text, String promQl) {
    assertThat(MetricQuery.latency(text).orElseThrow().promQl(POD, WINDOW))
        .isEqualTo(promQl.replace("{P}", "{namespace=\"team-a\", pod=\"train-0\"}"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "rate(requests_total), requests_total",
    "vllm, vllm:request_success_total",
    "triton, nv_inference_request_success"
  })
  void readsRatesOfThePodAlone(String text, String counter) {
    String series = counter + "{namespace=\"team-a\", pod=\"train-0\"}";
    assertThat(MetricQuery.rate(text).orElseThrow().promQl(POD, WINDOW))
        .isEqualTo("sum(rate(" + series + "[120s]) and (time() - timestamp(" + series + ") < 90))");
    assertThat(MetricQuery.rate("p99(requests)")).isEmpty();
    assertThat(MetricQuery.rate("sum(up)")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "steps{namespace=\"other\"}",
        "steps} or up{",
        "rate(steps[5m])",
        "sum(steps)",
        "rate(rate(steps))",
        "steps or vector(1)",
        "p99(steps)",
        "1steps",
        "stéps",
        "steps\n",
        "vllm",
        "tgi",
        "count by (pod) (up)"
      })
  void refusesExpressions(String text) {
    assertThat(MetricQuery.speed(text)).isEmpty();
  }

  @Test
  void refusesLongNames() {
    assertThat(MetricQuery.speed("a".repeat(128))).isPresent();
    assertThat(MetricQuery.speed("a".repeat(129))).isEmpty();
    assertThat(MetricQuery.latency("p99(" + "a".repeat(129) + ")")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"team-a\",pod=~\".*,train-0", "team-a,'x\"} or up{a=\"'", "Team,train-0"})
  void refusesNamesThatAreNoneOfAPod(String namespace, String name) {
    MetricQuery query = MetricQuery.speed("steps").orElseThrow();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> query.promQl(new PodIdentity(namespace, name, null), WINDOW))
        .withMessageContaining("is not a pod name");
  }
}
