package dev.cotenant.admission.kubernetes.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.access.Authorizer.Result;
import dev.cotenant.admission.access.Permission;
import dev.cotenant.admission.access.User;
import dev.cotenant.admission.kubernetes.Bench;
import dev.cotenant.admission.kubernetes.access.SubjectAccessReviews.Outcome;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SubjectAccessReviewsTest {
  @TempDir static Path folder;

  private static final String YES = "{\"status\": {\"allowed\": true}}";
  private static final String NO = "{\"status\": {\"allowed\": false, \"reason\": \"no rule\"}}";
  private static final User ANNA =
      new User("anna", "u-1", Set.of("ops", "dev"), Map.of("example.com/k", List.of("v", "w")));
  private static final Permission LIST = new Permission("list", "decisions", "team-a");

  private Instant now = Instant.parse("2026-11-21T10:00:00Z");
  private final Bench bench = new Bench(folder);
  private final List<Outcome> outcomes = new ArrayList<>();
  private final SubjectAccessReviews reviews =
      new SubjectAccessReviews(bench.server, () -> now, outcomes::add);

  @AfterEach
  void close() {
    bench.close();
  }

  private void answers(int code, String body) {
    bench.fake.script(_ -> Optional.of(Scripted.of(code, body)));
  }

  private static Permission in(String namespace) {
    return new Permission("list", "decisions", namespace);
  }

  private int requested() {
    return bench.fake.requests().size();
  }

  @Test
  void asksWithEverythingThatIsKnownOfTheUser() {
    answers(201, YES);

    assertThat(reviews.decide(ANNA, LIST)).isEqualTo(new Result.Allowed());
    assertThat(bench.fake.requests().getFirst().path())
        .isEqualTo("/apis/authorization.k8s.io/v1/subjectaccessreviews");
    assertThat(Json.parse(bench.fake.requests().getFirst().body()).path("spec"))
        .isEqualTo(
            Json.parse(
                """
                {"user": "anna", "uid": "u-1", "groups": ["dev", "ops"],
                 "extra": {"example.com/k": ["v", "w"]},
                 "resourceAttributes": {"group": "cotenant.dev", "verb": "list",
                   "resource": "decisions", "namespace": "team-a"}}
                """));
  }

  @Test
  void asksForTheWholeClusterWithoutANamespace() {
    answers(201, NO);

    assertThat(reviews.decide(ANNA, new Permission("update", "models", null)))
        .isEqualTo(new Result.Denied());
    assertThat(
            Json.parse(bench.fake.requests().getFirst().body())
                .at("/spec/resourceAttributes")
                .has("namespace"))
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"status\": {}}",
        "{\"status\": {\"allowed\": \"true\"}}",
        "{\"allowed\": true}",
        "[]",
        "",
        "no JSON"
      })
  void anAnswerWithoutAResultAllowsNothing(String body) {
    answers(201, body);

    assertThat(reviews.decide(ANNA, LIST)).isInstanceOf(Result.Unavailable.class);
  }

  @Test
  void aDenialWinsOverAnAllowance() {
    answers(201, "{\"status\": {\"allowed\": true, \"denied\": true}}");

    assertThat(reviews.decide(ANNA, LIST)).isEqualTo(new Result.Denied());
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403, 429, 500, 503})
  void aServerThatDoesNotReviewAllowsNothing(int code) {
    answers(code, YES);

    assertThat(reviews.decide(ANNA, LIST)).isInstanceOf(Result.Unavailable.class);
  }

  @Test
  void aServerThatIsDownAllowsNothingAndIsAskedAgain() {
    bench.fake.script(_ -> Optional.of(Scripted.HANG_UP));
    assertThat(reviews.decide(ANNA, LIST)).isInstanceOf(Result.Unavailable.class);

    answers(201, YES);
    assertThat(reviews.decide(ANNA, LIST)).isEqualTo(new Result.Allowed());
  }

  @ParameterizedTest
  @CsvSource({"true, 30", "false, 10"})
  void answersAreCachedForAWhile(boolean allowed, long seconds) {
    answers(201, allowed ? YES : NO);
    reviews.decide(ANNA, LIST);
    now = now.plusSeconds(seconds - 1);
    reviews.decide(ANNA, LIST);
    assertThat(requested()).isEqualTo(1);

    now = now.plusSeconds(1);
    reviews.decide(ANNA, LIST);
    assertThat(requested()).isEqualTo(2);
  }

  @Test
  void anAnswerIsForThisUserAndThisPermissionAlone() {
    answers(201, YES);
    reviews.decide(ANNA, LIST);

    answers(201, NO);
    User sameName = new User("anna", "u-2", ANNA.groups(), ANNA.extra());
    assertThat(reviews.decide(sameName, LIST)).isEqualTo(new Result.Denied());
    assertThat(reviews.decide(ANNA, in("team-b"))).isEqualTo(new Result.Denied());
    assertThat(reviews.decide(ANNA, new Permission("list", "decisions", null)))
        .isEqualTo(new Result.Denied());
  }

  @Test
  void aFloodOfOneTenantGetsFewReviewsAndCostsOthersNothing() {
    answers(201, NO);
    reviews.decide(ANNA, LIST);
    for (int i = 0; i < 500; i++) {
      User mallory = new User("system:serviceaccount:mallory:account-" + i, "", Set.of(), Map.of());
      reviews.decide(mallory, in("team-" + i));
    }
    assertThat(requested()).isEqualTo(61);
    assertThat(outcomes).filteredOn(Outcome.LIMITED::equals).hasSize(440);

    reviews.decide(ANNA, LIST);
    assertThat(requested()).isEqualTo(61);
    assertThat(reviews.decide(ANNA, in("team-c"))).isEqualTo(new Result.Denied());
  }
}
