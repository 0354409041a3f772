package dev.cotenant.benchmarks.forecast;

import dev.cotenant.engine.Engine;
import dev.cotenant.engine.cluster.PolledReadings;
import dev.cotenant.forecast.prometheus.PrometheusClient;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A refresh as in the service: two HTTP responses, parsing, and peak bounds of all GPUs. In a heap
 * of 300 MiB, the server's answers included.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 5)
@Measurement(iterations = 5, time = 5)
@Fork(
    value = 1,
    jvmArgs = {"-Xmx300m"})
@State(Scope.Benchmark)
@NullUnmarked
public class RefreshBenchmark {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

  @Param({"1000", "10000"})
  private int devices;

  private FakeServer server;
  private PrometheusClient client;
  private PolledReadings readings;

  @Setup
  public void start() throws IOException {
    server = new FakeServer(devices, NOW);
    client = new PrometheusClient(PrometheusSettings.of(server.url()));
    readings = Engine.standard().poll(client::read, "benchmark", () -> NOW);
  }

  @TearDown
  public void stop() {
    client.close();
    server.close();
  }

  @Benchmark
  public int refresh() {
    if (!readings.refresh().failure().isEmpty()) {
      throw new IllegalStateException("the server failed");
    }
    return readings.readings().size();
  }
}
