package dev.cotenant.admission.review;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.review.AdmissionAnswer.Allowed;
import dev.cotenant.admission.review.AdmissionAnswer.Refused;
import java.util.TreeMap;
import java.util.function.Function;

/** Lays out the JSON of an answer. Text from outside is made printable on its way out. */
final class AnswerWriter {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private AnswerWriter() {}

  static ObjectNode review(
      String uid, AdmissionAnswer answer, Function<JsonPatch, byte[]> patchBytes) {
    ObjectNode response = JSON.objectNode();
    response.put("uid", printable(uid));
    switch (answer.verdict()) {
      case Allowed(JsonPatch patch) -> {
        response.put("allowed", true);
        if (!patch.isEmpty()) {
          response.put("patchType", "JSONPatch").put("patch", patchBytes.apply(patch));
        }
      }
      case Refused refused -> refuse(response, refused);
    }
    if (!answer.warnings().isEmpty()) {
      ArrayNode warnings = response.putArray("warnings");
      answer.warnings().forEach(warning -> warnings.add(printable(warning)));
    }
    if (!answer.audit().isEmpty()) {
      ObjectNode audit = response.putObject("auditAnnotations");
      new TreeMap<>(answer.audit()).forEach((name, value) -> audit.put(name, printable(value)));
    }
    ObjectNode review = JSON.objectNode();
    review.put("apiVersion", AdmissionReviewCodec.API_VERSION);
    review.put("kind", AdmissionReviewCodec.KIND);
    review.set("response", response);
    return review;
  }

  private static void refuse(ObjectNode response, Refused refused) {
    response.put("allowed", false);
    response
        .putObject("status")
        .put("code", refused.cause().code())
        .put("reason", refused.cause().reason())
        .put("message", printable(refused.message()));
  }

  /** Without control characters but the line feed, and without halves of surrogate pairs. */
  private static String printable(String text) {
    StringBuilder printable = new StringBuilder(text.length());
    text.codePoints().forEach(point -> printable.appendCodePoint(replaceUnprintable(point)));
    return printable.toString();
  }

  private static int replaceUnprintable(int point) {
    boolean lonelySurrogate = point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
    boolean control = Character.isISOControl(point) && point != '\n';
    return lonelySurrogate || control ? 0xFFFD : point;
  }
}
