package dev.cotenant.service.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class ClusterReplaysTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final ClusterReplays.Request DAY =
      new ClusterReplays.Request(
          "local", Duration.ofDays(1), Duration.ofMinutes(1), 0, UnaryOperator.identity());

  private static ClusterReplays replays(Optional<URI> server) {
    return new ClusterReplays(
        server.map(PrometheusSettings::of),
        Engine.lazy(EngineSettings.DEFAULT),
        SharingLimits.DEFAULT,
        _ -> {},
        InstantSource.system());
  }

  private static ReplayState.Failed awaitTheFailure(ClusterReplays replays)
      throws InterruptedException {
    Instant end = Instant.now().plus(PATIENCE);
    while (replays.newest() instanceof ReplayState.Running) {
      assertThat(Instant.now()).as("waiting for the replay").isBefore(end);
      Thread.sleep(50);
    }
    assertThat(replays.newest()).isInstanceOf(ReplayState.Failed.class);
    return (ReplayState.Failed) replays.newest();
  }

  @Test
  void namesTheSettingWithoutAServer() {
    try (ClusterReplays replays = replays(Optional.empty())) {
      assertThat(replays.newest()).isEqualTo(new ReplayState.None());
      assertThat(replays.start(DAY))
          .isInstanceOfSatisfying(
              ReplayState.Failed.class,
              failed -> assertThat(failed.message()).contains("cotenant.prometheus.url"));
    }
  }

  @Test
  void runsOneAtATimeAndEndsWhenItIsClosed() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      ClusterReplays replays =
          replays(Optional.of(URI.create("http://127.0.0.1:" + silent.getLocalPort())));
      replays.start(DAY);
      assertThat(replays.newest()).isInstanceOf(ReplayState.Running.class);
      assertThatThrownBy(() -> replays.start(DAY))
          .isInstanceOfSatisfying(
              ConflictException.class,
              conflict -> assertThat(conflict.code()).isEqualTo("replay-running"));
      replays.close();
      assertThat(awaitTheFailure(replays).message()).contains("interrupted");
    }
  }

  @Test
  void endsAfterAnHour() throws IOException, InterruptedException {
    AtomicInteger hours = new AtomicInteger();
    Instant now = Instant.now();
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ClusterReplays replays =
            new ClusterReplays(
                Optional.of(
                    PrometheusSettings.of(URI.create("http://127.0.0.1:" + silent.getLocalPort()))),
                Engine.lazy(EngineSettings.DEFAULT),
                SharingLimits.DEFAULT,
                _ -> {},
                () -> now.plus(Duration.ofHours(2L * hours.getAndIncrement())))) {
      replays.start(DAY);
      assertThat(awaitTheFailure(replays).message())
          .contains("longer than 60 min", "replay fewer hours");
    }
  }

  @Test
  void showsWhyTheServerFailed() throws IOException, InterruptedException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (ClusterReplays replays = replays(Optional.of(URI.create("http://127.0.0.1:" + port)))) {
      replays.start(DAY);
      assertThat(awaitTheFailure(replays).message()).contains("is it running?");
      assertThat(replays.start(DAY)).isInstanceOf(ReplayState.Running.class);
    }
  }
}
