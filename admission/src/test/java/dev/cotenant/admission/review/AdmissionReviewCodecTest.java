package dev.cotenant.admission.review;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.cotenant.admission.review.AdmissionResponse.Allowed;
import dev.cotenant.admission.review.AdmissionResponse.Cause;
import dev.cotenant.admission.review.AdmissionReviewCodec.Body;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdmissionReviewCodecTest {
  private static final String REVIEW =
      "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{'uid':'u',"
          + "'kind':{'version':'v1','kind':'Pod'},'operation':'CREATE','object':{}%s}}";

  private final AdmissionReviewCodec codec = new AdmissionReviewCodec();

  @Test
  void readsWhatMattersOfARequest() {
    String more = ",'namespace':'team-a','userInfo':{'username':'admin'},'dryRun':true";

    AdmissionRequest request = ((Body.Review) decode(REVIEW.formatted(more))).request();

    assertThat(request.uid()).isEqualTo("u");
    assertThat(request.operation()).isEqualTo(Operation.CREATE);
    assertThat(request.namespace()).isEqualTo("team-a");
    assertThat(request.username()).isEqualTo("admin");
    assertThat(request.intent()).isEqualTo(Intent.DRY_RUN);
    assertThat(request.isAboutPod()).isTrue();
    assertThat(request.oldObject()).isNull();
  }

  @Test
  void keepsSubresourcesAndOtherKindsApartFromPods() {
    Body binding = decode(REVIEW.formatted(",'subResource':'binding'"));
    Body deployment =
        decode(
            REVIEW
                .formatted("")
                .replace(
                    "'version':'v1','kind':'Pod'", "'group':'apps','version':'v1','kind':'Pod'"));

    assertThat(((Body.Review) binding).request().isAboutPod()).isFalse();
    assertThat(((Body.Review) deployment).request().kind()).isEqualTo("apps/v1/Pod");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "``; not-an-admission-review; ``",
        "{; not-json; ``",
        "null; not-an-admission-review; ``",
        "{} {}; not-json; ``",
        "{'a':1,'a':2}; not-json; ``",
        "{'a':NaN}; not-json; ``",
        "[1]; not-an-admission-review; ``",
        "{'kind':'Pod','request':{'uid':'u'}}; not-an-admission-review; u",
        "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1beta1','request':{'uid':'u'}};"
            + " unsupported-review-version; u",
        "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1'}; malformed-review; ``",
        "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':[]};"
            + " malformed-review; ``",
        "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{'uid':7}};"
            + " malformed-review; ``",
        "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{'uid':'u','operation':'PATCH'}};"
            + " malformed-review; u",
        "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{'uid':'u','operation':'CREATE'}};"
            + " malformed-review; u",
        "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{'uid':'u','operation':'DELETE','object':{}}};"
            + " malformed-review; u"
      })
  void saysWhyABodyIsNoReviewAndWhoseItWas(String body, String code, String uid) {
    Body.Unreadable unreadable = (Body.Unreadable) decode(body);

    assertThat(unreadable.problem().code()).isEqualTo(code);
    assertThat(unreadable.uid()).isEqualTo(uid);
  }

  @Test
  void refusesDepthAndSizeBeforeTheyHurt() {
    Body deep = decode("[".repeat(100_000));
    Body number = decode(REVIEW.formatted(",'x':" + "9".repeat(5_000)));
    Body large = codec.decode(new byte[AdmissionReviewCodec.MAX_BYTES + 1]);

    assertThat(((Body.Unreadable) deep).problem().code()).isEqualTo("not-json");
    assertThat(((Body.Unreadable) number).problem().code()).isEqualTo("not-json");
    assertThat(((Body.Unreadable) large).problem().code()).isEqualTo("review-too-large");
  }

  @Test
  void writesAnAnswerAsTheApiServerReadsIt() throws IOException {
    JsonPatch patch =
        new JsonPatch(
            List.of(
                new JsonPatch.Add(JsonPatch.pointer("a", "b/c~d"), TextNode.valueOf("x")),
                new JsonPatch.Remove("/e")));
    AdmissionResponse answer =
        new AdmissionResponse(new Allowed(patch), List.of("careful"), Map.of("k", "v"));

    JsonNode review = new ObjectMapper().readTree(codec.encode("u", answer));

    assertThat(review.path("response").toString())
        .startsWith("{\"uid\":\"u\",\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":\"")
        .endsWith("\"warnings\":[\"careful\"],\"auditAnnotations\":{\"k\":\"v\"}}");
    assertThat(
            new String(review.path("response").path("patch").binaryValue(), StandardCharsets.UTF_8))
        .isEqualTo(
            "[{\"op\":\"add\",\"path\":\"/a/b~1c~0d\",\"value\":\"x\"},"
                + "{\"op\":\"remove\",\"path\":\"/e\"}]");
  }

  @Test
  void writesARefusalWithItsStatusAndNothingUnprintable() throws IOException {
    byte[] bytes =
        codec.encode(
            "u", AdmissionResponse.refused(Cause.INVALID, "1\n2\u0000\ud800 \ud83d\ude00"));

    JsonNode response = new ObjectMapper().readTree(bytes).path("response");

    assertThat(response.path("allowed").booleanValue()).isFalse();
    assertThat(response.path("status").toString())
        .isEqualTo(
            "{\"code\":422,\"reason\":\"Invalid\",\"message\":\"1\\n2\ufffd\ufffd \ud83d\ude00\"}");
  }

  private Body decode(String text) {
    return codec.decode(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }
}
