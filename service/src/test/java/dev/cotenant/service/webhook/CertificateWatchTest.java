package dev.cotenant.service.webhook;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.service.supervision.LoopFaults;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CertificateWatchTest {
  private static final Vertx VERTX = Vertx.vertx();

  @TempDir Path directory;

  @AfterAll
  static void close() {
    var _ = VERTX.close();
  }

  @ParameterizedTest
  @EnumSource
  void isHealedOrEndsTheProcess(Fault.Kind kind) {
    LoopFaults faults = new LoopFaults("certificate", kind);
    AtomicInteger looks = new AtomicInteger();
    KeyCertOptions made = new ServingCertificate(directory, InstantSource.system()).obtain();
    CertificateWatch watch =
        new CertificateWatch(
            VERTX,
            InstantSource.system(),
            () -> {
              faults.strike();
              looks.incrementAndGet();
              return Optional.of(made);
            },
            new SimpleMeterRegistry());
    Loop loop = watch.begin(Duration.ofMillis(5), faults.process().supervisor, () -> {});

    faults.assertHealed(Duration.ZERO);
    if (faults.isSurvived()) {
      int before = looks.get();
      Eventually.holds("it looks again", () -> looks.get() > before);
    }
    loop.close();
  }
}
