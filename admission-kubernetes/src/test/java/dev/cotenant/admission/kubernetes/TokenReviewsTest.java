package dev.cotenant.admission.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.access.TokenAuthenticator.Result;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenReviewsTest {
  @TempDir static Path folder;

  private static final String ANNA =
      """
      {"status": {"authenticated": true, "audiences": ["cotenant"],
                  "user": {"username": "anna", "groups": ["ops", "system:authenticated"]}}}
      """;

  private Instant now = Instant.parse("2026-11-21T10:00:00Z");
  private final Bench bench = new Bench(folder);
  private final TokenReviews reviews =
      new TokenReviews(bench.server, Set.of("cotenant"), () -> now);

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

    assertThat(reviews.authenticate("anna's"))
        .isEqualTo(new Result.Authenticated("anna", Set.of("ops", "system:authenticated")));
    assertThat(bench.fake.requests().getFirst().path())
        .isEqualTo("/apis/authentication.k8s.io/v1/tokenreviews");
    assertThat(Json.parse(bench.fake.requests().getFirst().body()).path("spec").toString())
        .isEqualTo("{\"token\":\"anna's\",\"audiences\":[\"cotenant\"]}");
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

    assertThat(reviews.authenticate("token")).isInstanceOf(Result.Rejected.class);
  }

  @Test
  void withoutATokenNobodyIsAsked() {
    assertThat(reviews.authenticate("")).isInstanceOf(Result.Rejected.class);
    assertThat(reviews.authenticate("  ")).isInstanceOf(Result.Rejected.class);
    assertThat(reviews.authenticate("x".repeat(100_000))).isInstanceOf(Result.Rejected.class);
    assertThat(bench.fake.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 500, 503})
  void aServerThatDoesNotReviewLetsNobodyIn(int code) {
    answers(code, "{\"message\": \"no\"}");

    assertThat(reviews.authenticate("token")).isInstanceOf(Result.Unavailable.class);
  }

  @Test
  void aServerThatIsDownLetsNobodyInAndIsAskedAgain() {
    bench.fake.script(_ -> Optional.of(Scripted.HANG_UP));
    assertThat(reviews.authenticate("token")).isInstanceOf(Result.Unavailable.class);

    answers(201, ANNA);
    assertThat(reviews.authenticate("token")).isInstanceOf(Result.Authenticated.class);
  }

  @Test
  void answersAreKeptForAMinuteAtMost() {
    answers(201, ANNA);
    reviews.authenticate("token");
    now = now.plusSeconds(59);
    reviews.authenticate("token");
    assertThat(bench.fake.requests()).hasSize(1);

    answers(201, "{\"status\": {\"authenticated\": false}}");
    now = now.plusSeconds(1);
    assertThat(reviews.authenticate("token")).isInstanceOf(Result.Rejected.class);
    now = now.plusSeconds(9);
    reviews.authenticate("token");
    assertThat(bench.fake.requests()).hasSize(2);

    now = now.plusSeconds(1);
    reviews.authenticate("token");
    assertThat(bench.fake.requests()).hasSize(3);
  }

  @Test
  void withoutAudienceAnyTokenWouldDo() {
    assertThatThrownBy(() -> new TokenReviews(bench.server, Set.of(), () -> now))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
