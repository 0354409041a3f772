package dev.cotenant.admission.review;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.cotenant.admission.review.AdmissionResponse.Allowed;
import dev.cotenant.admission.review.AdmissionResponse.Refused;
import dev.cotenant.domain.text.PlainText;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes the JSON of an answer. Text from outside is made printable on its way out. */
final class ResponseWriter {
  private static final byte[] NO_PATCH = {};

  private final JsonGenerator json;
  private final byte[] patch;

  private ResponseWriter(JsonGenerator json, byte[] patch) {
    this.json = json;
    this.patch = patch;
  }

  /** The AdmissionReview that answers the request with this uid, in UTF-8. */
  static byte[] review(String uid, AdmissionResponse answer) {
    // Before the answer is begun: two generators at a time would share no buffers.
    byte[] patch =
        answer.result() instanceof Allowed(JsonPatch all) && !all.isEmpty()
            ? all.toBytes()
            : NO_PATCH;
    return JsonBytes.of(json -> new ResponseWriter(json, patch).write(uid, answer));
  }

  private void write(String uid, AdmissionResponse answer) throws IOException {
    json.writeStartObject();
    json.writeStringField("apiVersion", AdmissionReviewCodec.API_VERSION);
    json.writeStringField("kind", AdmissionReviewCodec.KIND);
    json.writeObjectFieldStart("response");
    json.writeStringField("uid", printable(uid));
    switch (answer.result()) {
      case Allowed _ -> allow();
      case Refused refused -> refuse(refused);
    }
    warn(answer.warnings());
    audit(answer.audit());
    json.writeEndObject();
    json.writeEndObject();
  }

  private void allow() throws IOException {
    json.writeBooleanField("allowed", true);
    if (patch.length > 0) {
      json.writeStringField("patchType", "JSONPatch");
      json.writeFieldName("patch");
      byte[] encoded = Base64.getEncoder().encode(patch);
      json.writeRawUTF8String(encoded, 0, encoded.length);
    }
  }

  private void refuse(Refused refused) throws IOException {
    json.writeBooleanField("allowed", false);
    json.writeObjectFieldStart("status");
    json.writeNumberField("code", refused.cause().code());
    json.writeStringField("reason", refused.cause().reason());
    json.writeStringField("message", printable(refused.message()));
    json.writeEndObject();
  }

  private void warn(List<String> warnings) throws IOException {
    if (!warnings.isEmpty()) {
      json.writeArrayFieldStart("warnings");
      for (String warning : warnings) {
        json.writeString(printable(warning));
      }
      json.writeEndArray();
    }
  }

  private void audit(Map<String, String> annotations) throws IOException {
    if (!annotations.isEmpty()) {
      json.writeObjectFieldStart("auditAnnotations");
      Map<String, String> sorted =
          annotations.size() == 1 ? annotations : new TreeMap<>(annotations);
      for (Map.Entry<String, String> annotation : sorted.entrySet()) {
        json.writeStringField(annotation.getKey(), printable(annotation.getValue()));
      }
      json.writeEndObject();
    }
  }

  /** Without control characters but the line feed, and without halves of surrogate pairs. */
  private static String printable(String text) {
    if (PlainText.isPrintableAscii(text)) {
      return text;
    }
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
