package dev.cotenant.service.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.sizing.GpuPrices;
import dev.cotenant.engine.sizing.Recommendation;
import dev.cotenant.engine.sizing.RightSizing;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two pods of two namespaces that used 8,000 MiB for days. */
class RecommendationsTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  private static final Recommendations.Wanted WANTED =
      new Recommendations.Wanted(
          Duration.ofDays(3), Duration.ofDays(1), Coverage.of(0.9), new GpuPrices(Map.of("", 2.0)));

  private final CountDownLatch asked = new CountDownLatch(1);
  private CountDownLatch mayAnswer = new CountDownLatch(0);

  @SuppressWarnings("NullAway.Init") // before each test
  private HttpServer server;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    mayAnswer.countDown();
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String form = UsedMemory.form(exchange);
    asked.countDown();
    try {
      mayAnswer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    UsedMemory.answer(exchange, form);
  }

  private Recommendations recommendations() {
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    return new Recommendations(
        Optional.of(PrometheusSettings.of(url)),
        () -> GateView.NOT_LEADING,
        _ -> Double.NaN,
        () -> NOW);
  }

  @Test
  void readsTheNamespaceAlone() {
    RightSizing.Result result = recommendations().recommend("team-b", WANTED);

    assertThat(result.workloads())
        .singleElement()
        .satisfies(found -> {
          assertThat(found.namespace()).isEqualTo("team-b");
          assertThat(found.workload()).isEqualTo("Pod/train-0");
          assertThat(found.recommended()).isEqualTo(8_000L << 20);
          assertThat(found.requested()).isNull();
        });
    assertThat(result.missing()).anyMatch(line -> line.contains("kube_pod_owner"));
    assertThat(recommendations().recommend(null, WANTED).workloads())
        .extracting(Recommendation::namespace)
        .containsExactlyInAnyOrder("team-a", "team-b");
  }

  @Test
  void servesOneCallerAtATime() throws Exception {
    mayAnswer = new CountDownLatch(1);
    Recommendations shared = recommendations();
    try (var executor = Executors.newSingleThreadExecutor()) {
      CompletableFuture<RightSizing.Result> first =
          CompletableFuture.supplyAsync(() -> shared.recommend(null, WANTED), executor);
      asked.await();
      assertThatThrownBy(() -> shared.recommend(null, WANTED))
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining("retry");
      mayAnswer.countDown();
      assertThat(first.get().workloads()).hasSize(2);
    }
  }

  @Test
  void namesWhatIsMissing() {
    Recommendations without =
        new Recommendations(
            Optional.empty(),
            () -> GateView.NOT_LEADING,
            _ -> Double.NaN,
            InstantSource.fixed(NOW));
    assertThat(without.recommend(null, WANTED).missing())
        .singleElement()
        .asString()
        .contains("cotenant.prometheus.url");
    assertThatThrownBy(() -> recommendations().recommend("nobody", WANTED))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("of namespace nobody");
  }
}
