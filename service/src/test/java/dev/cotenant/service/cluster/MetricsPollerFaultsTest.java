package dev.cotenant.service.cluster;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.forecast.prometheus.PrometheusClient;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.service.supervision.LoopFaults;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MetricsPollerFaultsTest {
  private static final Duration MAX_SILENCE = Duration.ofSeconds(25);
  private static final Engine ENGINE = Engine.standard(EngineSettings.DEFAULT);

  @ParameterizedTest
  @EnumSource
  void isHealedOrEndsTheProcess(Fault.Kind kind) {
    LoopFaults faults = new LoopFaults("metrics-poller", kind);
    AtomicInteger readings = new AtomicInteger();
    PrometheusClient client =
        new PrometheusClient(PrometheusSettings.of(URI.create("http://127.0.0.1:1")));
    MetricsPoller poller =
        new MetricsPoller(
            client,
            ENGINE.poll(
                now -> {
                  faults.strike();
                  readings.incrementAndGet();
                  return client.read(now);
                },
                "a server that is down",
                InstantSource.system()),
            new SimpleMeterRegistry(),
            MAX_SILENCE);
    poller.start(Duration.ofMillis(5), () -> {}, faults.process().supervisor);

    faults.assertHealed(Duration.ZERO);
    if (faults.isSurvived()) {
      int before = readings.get();
      Eventually.holds("it reads again", () -> readings.get() > before + 1);
    }
    poller.stop();
  }
}
