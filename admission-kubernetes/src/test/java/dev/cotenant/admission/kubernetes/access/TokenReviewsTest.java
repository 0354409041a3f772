package dev.cotenant.admission.kubernetes.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.access.TokenAuthenticator.Presented;
import dev.cotenant.admission.access.TokenAuthenticator.Result;
import dev.cotenant.admission.access.User;
import dev.cotenant.admission.kubernetes.Bench;
import dev.cotenant.admission.kubernetes.access.TokenReviews.Outcome;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Request;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import dev.cotenant.admission.kubernetes.testing.TestTokens;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenReviewsTest {
  @TempDir static Path folder;

  private static final String TOKEN = TestTokens.of("anna");
  private static final String STRANGER = "{\"status\": {\"authenticated\": false}}";

  private static final String ANNA =
      """
      {"status": {"authenticated": true, "audiences": ["cotenant"],
                  "user": {"username": "anna", "uid": "u-1", "groups": ["ops", "system:authenticated"],
                           "extra": {"authentication.kubernetes.io/pod-name": ["p-0"]}}}}
      """;

  private Instant now = Instant.parse("2026-11-21T10:00:00Z");
  private final Bench bench = new Bench(folder);
  private final List<Outcome> outcomes = Collections.synchronizedList(new ArrayList<>());
  private final TokenReviews reviews =
      new TokenReviews(bench.server, Set.of("cotenant"), () -> now, outcomes::add);

  private Result authenticate(String token) {
    return authenticate(token, "10.0.0.1");
  }

  private Result authenticate(String token, String peer) {
    return reviews.authenticate(new Presented(token, peer));
  }

  @AfterEach
  void close() {
    bench.close();
  }

  private void answers(int code, String body) {
    bench.fake.script(_ -> Optional.of(Scripted.of(code, body)));
  }

  @Test
  void knowsWhoseATokenIs() {
    answers(201, ANNA);

    assertThat(authenticate(TOKEN))
        .isEqualTo(
            new Result.Authenticated(
                new User(
                    "anna",
                    "u-1",
                    Set.of("ops", "system:authenticated"),
                    Map.of("authentication.kubernetes.io/pod-name", List.of("p-0")))));
    assertThat(bench.fake.requests().getFirst().path())
        .isEqualTo("/apis/authentication.k8s.io/v1/tokenreviews");
    assertThat(Json.parse(bench.fake.requests().getFirst().body()).path("spec").toString())
        .isEqualTo("{\"token\":\"" + TOKEN + "\",\"audiences\":[\"cotenant\"]}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"status\": {\"authenticated\": false, \"error\": \"token has expired\"}}",
        "{\"status\": {\"error\": \"[invalid bearer token]\"}}",
        "{\"status\": {\"authenticated\": true, \"user\": {\"username\": \"anna\"}}}",
        "{\"status\": {\"authenticated\": true, \"audiences\":"
            + " [\"https://kubernetes.default.svc\"], \"user\": {\"username\": \"anna\"}}}",
        "{\"status\": {\"authenticated\": true, \"audiences\": [\"cotenant\"],"
            + " \"user\": {\"username\": \"system:anonymous\"}}}",
        "{\"status\": {\"authenticated\": \"yes\", \"audiences\": \"cotenant\"}}",
        "{}",
        "no JSON"
      })
  void whatIsNotMadeForUsByAKnownUserIsRejected(String body) {
    answers(201, body);

    assertThat(authenticate(TOKEN)).isInstanceOf(Result.Rejected.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "  ",
        "secret",
        "a.b",
        "a.b.c",
        "a.b.c.d",
        "...",
        "e30.e30.c2ln", // {}: no algorithm
        "{\"alg\":\"none\"}|{\"aud\":\"cotenant\"}",
        "{\"alg\":\"RS256\"}|[]",
        "{\"alg\":\"RS256\"}|no JSON",
        "{\"alg\":\"RS256\"}|{\"aud\":\"others\"}",
        "{\"alg\":\"RS256\"}|{\"aud\":[\"others\",7]}",
        "{\"alg\":\"RS256\"}|{\"aud\":[\"cotenant\"],\"exp\":1795255139}",
      })
  void tokensThatCannotBeValidAreRejectedWithoutAReview(String token) {
    String[] parts = token.split("\\|", 2);
    String presented = parts.length == 2 ? TestTokens.withParts(parts[0], parts[1]) : token;

    assertThat(authenticate(presented)).isInstanceOf(Result.Rejected.class);
    assertThat(bench.fake.requests()).isEmpty();
    assertThat(outcomes).containsExactly(Outcome.MALFORMED);
  }

  @Test
  void tokensOfAbsurdLengthAreRejectedWithoutAReview() {
    String claims = "{\"aud\":\"cotenant\",\"x\":\"" + "x".repeat(100_000) + "\"}";

    assertThat(authenticate(TestTokens.withClaims(claims))).isInstanceOf(Result.Rejected.class);
    assertThat(bench.fake.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"aud\":\"cotenant\"}",
        "{\"aud\":[\"others\",\"cotenant\"]}",
        "{\"aud\":\"cotenant\",\"exp\":1795255201}",
        "{\"aud\":\"cotenant\",\"exp\":1795255190}", // clocks differ
        "{\"aud\":\"cotenant\",\"exp\":\"soon\"}",
      })
  void tokensThatMayBeValidAreReviewed(String claims) {
    answers(201, ANNA);

    assertThat(authenticate(TestTokens.withClaims(claims)))
        .isInstanceOf(Result.Authenticated.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 500, 503})
  void aServerThatDoesNotReviewLetsNobodyIn(int code) {
    answers(code, "{\"message\": \"no\"}");

    assertThat(authenticate(TOKEN)).isInstanceOf(Result.Unavailable.class);
  }

  @Test
  void aServerThatIsDownLetsNobodyInAndIsAskedAgain() {
    bench.fake.script(_ -> Optional.of(Scripted.HANG_UP));
    assertThat(authenticate(TOKEN)).isInstanceOf(Result.Unavailable.class);

    answers(201, ANNA);
    assertThat(authenticate(TOKEN)).isInstanceOf(Result.Authenticated.class);
  }

  @Test
  void answersAreKeptForAMinuteAtMost() {
    answers(201, ANNA);
    authenticate(TOKEN);
    now = now.plusSeconds(59);
    authenticate(TOKEN);
    assertThat(bench.fake.requests()).hasSize(1);

    answers(201, "{\"status\": {\"authenticated\": false}}");
    now = now.plusSeconds(1);
    assertThat(authenticate(TOKEN)).isInstanceOf(Result.Rejected.class);
    now = now.plusSeconds(9);
    authenticate(TOKEN);
    assertThat(bench.fake.requests()).hasSize(2);

    now = now.plusSeconds(1);
    authenticate(TOKEN);
    assertThat(bench.fake.requests()).hasSize(3);
  }

  @Test
  void withoutAudienceAnyTokenWouldDo() {
    assertThatThrownBy(() -> new TokenReviews(bench.server, Set.of(), () -> now, _ -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aFloodOfUnknownTokensOfOnePeerGetsFewReviews() {
    answers(201, STRANGER);
    int limited = 0;
    for (int i = 0; i < 320; i++) {
      limited += authenticate(TestTokens.of("mallory-" + i)) instanceof Result.Limited ? 1 : 0;
    }

    assertThat(bench.fake.requests()).hasSize(10);
    assertThat(limited).isEqualTo(310);
    assertThat(outcomes).filteredOn(Outcome.LIMITED::equals).hasSize(310);
    assertThat(authenticate(TestTokens.of("bob"), "10.0.0.2")).isInstanceOf(Result.Rejected.class);

    now = now.plusSeconds(1);
    assertThat(authenticate(TestTokens.of("carol"))).isInstanceOf(Result.Rejected.class);
  }

  @Test
  void aFloodOfUnknownTokensOfManyPeersGetsFewReviews() {
    answers(201, STRANGER);
    for (int i = 0; i < 320; i++) {
      authenticate(TestTokens.of("mallory-" + i), "10.0.1." + i);
    }

    assertThat(bench.fake.requests()).hasSize(40);
  }

  @Test
  void aFloodOfUnknownTokensDoesNotLockKnownCallersOut() {
    bench.fake.script(
        request -> Optional.of(Scripted.of(201, request.body().contains(TOKEN) ? ANNA : STRANGER)));
    authenticate(TOKEN, "10.0.0.9");
    for (int i = 0; i < 2_000; i++) {
      now = now.plusMillis(10);
      authenticate(TestTokens.of("mallory-" + i), "10.0." + i % 250 + ".1");
      if (i % 100 == 0) {
        assertThat(authenticate(TOKEN, "10.0.0.9")).isInstanceOf(Result.Authenticated.class);
      }
    }
    now = now.plusSeconds(61); // the answer has expired, the budget of unknown tokens is used up
    for (int i = 0; i < 320; i++) {
      authenticate(TestTokens.of("again-" + i), "10.0.0.9");
    }
    assertThat(authenticate(TOKEN, "10.0.0.9")).isInstanceOf(Result.Authenticated.class);
    assertThat(reviewsOf(TOKEN)).isEqualTo(2);
  }

  private long reviewsOf(String token) {
    return bench.fake.requests().stream()
        .map(Request::body)
        .filter(body -> body.contains(token))
        .count();
  }

  @Test
  void oneTokenAtTheSameTimeGetsOneReview() throws Exception {
    CountDownLatch requested = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    bench.fake.script(_ -> {
      requested.countDown();
      await(goOn);
      return Optional.of(Scripted.of(201, ANNA));
    });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Result>> results = new ArrayList<>();
      results.add(threads.submit(() -> authenticate(TOKEN)));
      await(requested);
      for (int i = 0; i < 50; i++) {
        results.add(threads.submit(() -> authenticate(TOKEN)));
      }
      goOn.countDown();
      for (Future<Result> result : results) {
        assertThat(result.get()).isInstanceOf(Result.Authenticated.class);
      }
    }
    assertThat(bench.fake.requests()).hasSize(1);
  }

  @Test
  void reviewsInFlightAreBounded() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    bench.fake.script(_ -> {
      await(goOn);
      return Optional.of(Scripted.of(201, STRANGER));
    });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Result>> results = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        String name = "m-" + i;
        String peer = "10.0.2." + i;
        results.add(threads.submit(() -> authenticate(TestTokens.of(name), peer)));
      }
      Eventually.holds("the others are limited", () -> outcomes.size() == 14);
      assertThat(outcomes).containsOnly(Outcome.LIMITED);
      goOn.countDown();
      for (Future<Result> result : results) {
        result.get();
      }
    }
    assertThat(bench.fake.requests()).hasSize(16);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
