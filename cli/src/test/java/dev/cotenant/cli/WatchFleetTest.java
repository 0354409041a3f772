package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.testing.RealPrometheus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** {@code plan --watch} on a real server whose series end now. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WatchFleetTest {
  private static final String FLEET =
      """
      devices: [{id: v100, max_count: %d}]
      arrivals: constant
      workloads:
        - {name: a, profile: vgg19, slo_latency_ms: 40, request_rate_per_second: 150,
           metrics: {source: vllm, model: m}}
        - {name: b, profile: resnet50, slo_latency_ms: 40, request_rate_per_second: 150,
           metrics: {rate: 'own_rate * %d', p99_ms: 'own_p99'}}
      """;

  @TempDir private static Path folder;
  private @Nullable RealPrometheus server;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    StringBuilder counter = new StringBuilder("# TYPE vllm:request_success counter\n");
    StringBuilder own = new StringBuilder("# TYPE own_rate gauge\n");
    StringBuilder p99 = new StringBuilder("# TYPE own_p99 gauge\n");
    long now = Instant.now().getEpochSecond();
    for (int i = 0; i < 120; i++) {
      long at = now - 10L * (100 - i);
      counter.append("vllm:request_success_total{model_name=\"m\"} ");
      counter.append(10L * i * 290).append(' ').append(at).append('\n');
      own.append("own_rate 140 ").append(at).append('\n');
      p99.append("own_p99 17 ").append(at).append('\n');
    }
    Path samples =
        Files.writeString(
            folder.resolve("samples.om"), counter.append(own).append(p99).append("# EOF\n"));
    server = RealPrometheus.start(folder, samples);
  }

  @AfterAll
  void stop() throws InterruptedException {
    if (server != null) {
      server.close();
    }
  }

  private CommandRun watch(int times, String... more) throws IOException {
    Path file = Files.writeString(folder.resolve("fleet.yaml"), FLEET.formatted(1, times));
    String url = Objects.requireNonNull(server).url().toString();
    List<Object> arguments = new ArrayList<>(List.of("plan", "--watch", file));
    arguments.addAll(List.of("--prometheus", url, "--every", "1"));
    arguments.addAll(List.of(more));
    return CommandRun.of(arguments.toArray());
  }

  @Test
  void printsWhatTheFleetShouldRunAndWhy() throws IOException {
    CommandRun run = watch(1, "--periods", "2");

    assertThat(run.exitCode()).as(run.err() + run.out()).isZero();
    assertThat(run.out())
        .contains("workload", "planned/s", "its rate may exceed the planned rate", "steps: ");
  }

  @Test
  void printsOneObjectAPeriod() throws IOException {
    CommandRun run = watch(1, "--periods", "2", "--json");

    assertThat(run.exitCode()).as(run.err() + run.out()).isZero();
    assertThat(run.json()).hasSize(2);
    JsonNode second = run.json().getLast();
    assertThat(CommandRun.keys(second))
        .contains(
            "at", "period", "gpus", "workloads", "changes", "steps", "shortfalls", "deferred");
    assertThat(second.path("workloads").path(0).path("observed_rate_per_second").asDouble())
        .isBetween(200.0, 291.0);
    assertThat(second.path("workloads").path(1).path("measured_p99_ms").asDouble()).isEqualTo(17);
  }

  @Test
  void saysWhatIsMissingWhereTheFleetCannotBeServed() throws IOException {
    CommandRun run = watch(6, "--periods", "2");

    assertThat(run.exitCode()).as(run.out()).isEqualTo(1);
    assertThat(run.out()).contains("short: ", "requests a second in time", "more v100");
  }

  @Test
  void refusesOptionsThatAreNone() throws IOException {
    assertThat(watch(1, "--periods", "0").err()).contains("--periods must be at least 1");
    assertThat(watch(1, "--every", "0", "--periods", "1").err()).contains("--every");
    assertThat(watch(1, "--strategy", "best").err()).contains("leave out --strategy and --gpus");
    Path file = Files.writeString(folder.resolve("fleet.yaml"), FLEET.formatted(1, 1));
    assertThat(CommandRun.of("plan", file, "--watch").err()).contains("--watch needs --prometheus");
    assertThat(CommandRun.of("plan", file, "--prometheus", "http://h").err())
        .contains("--prometheus is for --watch");
    assertThat(CommandRun.of("plan", file, "--watch", "--prometheus", "nowhere").err())
        .contains("--prometheus and its options");
  }
}
