package dev.cotenant.admission;

import static dev.cotenant.admission.PodReviews.by;
import static dev.cotenant.admission.PodReviews.creating;
import static dev.cotenant.admission.PodReviews.main;
import static dev.cotenant.admission.PodReviews.pod;
import static dev.cotenant.admission.PodReviews.updating;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What only Cotenant may write, against everybody else. */
class GuardTest {
  private static final String MODEL = "'cotenant.dev/model':'resnet50'";
  private static final String GATES =
      "'schedulingGates':[{'name':'other'},{'name':'cotenant.dev/colocation'}],";
  private static final String GRANT = "'cotenant.dev/assigned-gpu':'GPU-a0'";

  private final Bench bench = new Bench(TestClusters.empty(), Policy.DEFAULT);

  private static String message(JsonNode response) {
    return response.path("status").path("message").asText();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"status", "ephemeralcontainers", "resize"})
  void letsNobodyElseChangeItsAnnotationsByAnyPath(@Nullable String subResource) {
    JsonNode plain = pod(MODEL, main());
    JsonNode granted = pod(MODEL + "," + GRANT, main());
    JsonNode elsewhere = pod(MODEL + ",'cotenant.dev/assigned-gpu':'GPU-a1'", main());

    for (JsonNode review :
        new JsonNode[] {
          updating(subResource, plain, granted),
          updating(subResource, granted, plain),
          updating(subResource, granted, elsewhere)
        }) {
      JsonNode response = bench.validate(by("somebody", review));
      assertThat(response.path("allowed").booleanValue()).isFalse();
      assertThat(message(response))
          .isEqualTo(
              "cotenant: only system:serviceaccount:cotenant-system:cotenant may change"
                  + " cotenant.dev/assigned-gpu.");
      assertThat(bench.validate(by(Bench.SERVICE_ACCOUNT, review)).path("allowed").booleanValue())
          .isTrue();
    }
    assertThat(
            bench
                .validate(by("somebody", updating(subResource, granted, granted)))
                .path("allowed")
                .booleanValue())
        .isTrue();
  }

  @Test
  void letsNobodyElseBindWithItsAnnotations() {
    ObjectNode binding =
        creating(Bench.json("{'metadata':{'name':'p','annotations':{" + GRANT + "}}}")).deepCopy();
    ObjectNode request = (ObjectNode) binding.path("request");
    request.put("subResource", "binding");
    ((ObjectNode) request.path("kind")).put("kind", "Binding");

    assertThat(bench.validate(by("somebody", binding)).path("allowed").booleanValue()).isFalse();
    assertThat(bench.validate(by(Bench.SERVICE_ACCOUNT, binding)).path("allowed").booleanValue())
        .isTrue();
  }

  @Test
  void letsNobodyElseRemoveItsGate() {
    JsonNode held = pod(MODEL, GATES + main());
    JsonNode withoutOurs = pod(MODEL, "'schedulingGates':[{'name':'other'}]," + main());
    JsonNode withoutTheirs =
        pod(MODEL, "'schedulingGates':[{'name':'cotenant.dev/colocation'}]," + main());

    JsonNode refused = bench.validate(by("somebody", updating(null, held, withoutOurs)));
    assertThat(refused.path("allowed").booleanValue()).isFalse();
    assertThat(message(refused)).contains("may remove the gate cotenant.dev/colocation");
    assertThat(allows(by("somebody", updating(null, held, pod(MODEL, main()))))).isFalse();
    assertThat(allows(by("somebody", updating(null, held, withoutTheirs)))).isTrue();
    assertThat(allows(by(Bench.SERVICE_ACCOUNT, updating(null, held, withoutOurs)))).isTrue();
  }

  private boolean allows(JsonNode review) {
    return bench.validate(review).path("allowed").booleanValue();
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void refusesAPodThatIsCreatedWithAGrantInEveryMode(Mode mode) {
    Bench at = new Bench(TestClusters.empty(), Policy.DEFAULT.with(copy -> copy.mode = mode));
    JsonNode review = creating(pod(MODEL + "," + GRANT, main()));

    assertThat(at.validate(by("somebody", review)).path("allowed").booleanValue()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = Mode.class,
      names = {"OFF", "SHADOW", "WARN"})
  void refusesNothingElseWhereItOnlyLooks(Mode mode) {
    Bench at = new Bench(TestClusters.empty(), Policy.DEFAULT.with(copy -> copy.mode = mode));
    for (String annotations :
        new String[] {
          "'cotenant.dev/batch-size':'-3'",
          "'cotenant.dev/model':'huge'",
          "'cotenant.dev/admission-id':'copied','cotenant.dev/request':'copied'"
        }) {
      JsonNode review = creating(pod(annotations, main()));
      assertThat(at.validate(review).path("allowed").booleanValue()).isTrue();
      JsonNode mutated = at.mutate(review);
      assertThat(mutated.path("allowed").booleanValue()).isTrue();
      assertThat(Bench.patch(mutated)).isEmpty();
      assertThat(mutated.path("warnings").isEmpty()).isEqualTo(mode != Mode.WARN);
    }
  }

  // Columns: what changes on a pod that is held, or is not; whether it is let through.
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "true, 'cotenant.dev/model':'resnet50', true",
        "true, 'cotenant.dev/model':'../x', false",
        "true, 'cotenant.dev/gpu-memory':'much', false",
        "false, 'cotenant.dev/gpu-memory':'much', true",
      })
  void refusesWhatCannotBeUnderstoodWhileAPodIsHeld(
      boolean isHeld, String annotations, boolean allowed) {
    String spec = (isHeld ? GATES : "") + main();

    assertThat(allows(updating(null, pod("", spec), pod(annotations, spec)))).isEqualTo(allowed);
  }

  /** Whatever else somebody does to a pod that could not be understood from the start. */
  @Test
  void refusesNoChangeOfOtherThings() {
    String annotations = "'cotenant.dev/batch-size':'none'";
    JsonNode before = pod(annotations, GATES + main());
    JsonNode after = pod(annotations + ",'other':'x'", GATES + main());

    assertThat(allows(updating(null, before, after))).isTrue();
  }
}
