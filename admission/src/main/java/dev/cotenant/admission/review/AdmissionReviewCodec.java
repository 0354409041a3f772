package dev.cotenant.admission.review;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads AdmissionReviews of {@code admission.k8s.io/v1}, strictly, and writes their answers. */
public final class AdmissionReviewCodec {
  /**
   * Space for the old and the new object at etcd's usual limit of 1.5 MiB each, and as much again.
   */
  public static final int MAX_BYTES = 6 << 20;

  /** Deepest nesting that is read; managed fields of pods reach about 15. */
  public static final int MAX_DEPTH = 100;

  static final String API_VERSION = "admission.k8s.io/v1";
  static final String KIND = "AdmissionReview";

  private static final ObjectMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxDocumentLength(MAX_BYTES)
                          .maxStringLength(MAX_BYTES)
                          .maxNumberLength(100)
                          .maxTokenCount(MAX_BYTES / 2) // the most that fit
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .build();

  /** The result of reading a body. */
  public sealed interface Body {
    record Review(AdmissionRequest request) implements Body {}

    /**
     * An invalid review.
     *
     * @param uid of the request; empty where it is unreadable
     */
    record Unreadable(String uid, InputException problem) implements Body {}
  }

  /**
   * Reads a body; never throws. Problems have the codes {@code review-too-large}, {@code not-json},
   * {@code not-an-admission-review}, {@code unsupported-review-version} and {@code
   * malformed-review}.
   */
  public Body decode(byte[] body) {
    JsonNode root;
    try {
      root = parse(body);
    } catch (InputException problem) {
      return new Body.Unreadable("", problem);
    }
    try {
      return new Body.Review(request(root));
    } catch (InputException problem) {
      JsonNode uid = root.path("request").path("uid");
      return new Body.Unreadable(uid.isTextual() ? uid.textValue() : "", problem);
    }
  }

  /** Writes the answer to the request with this uid. */
  public byte[] encode(String uid, AdmissionResponse answer) {
    return ResponseWriter.review(uid, answer);
  }

  private static JsonNode parse(byte[] body) {
    if (body.length > MAX_BYTES) {
      throw InputException.tooLarge(
          "review-too-large",
          "The review has " + body.length + " bytes, at most " + MAX_BYTES + " are read.");
    }
    try {
      return MAPPER.readTree(body);
    } catch (IOException e) { // also what is no text in the encoding that its first bytes announce
      throw new InputException(
          InputException.Kind.MALFORMED, "not-json", "The body is not JSON: " + why(e), e);
    }
  }

  private static String why(IOException e) {
    return e instanceof JsonProcessingException json
        ? json.getOriginalMessage()
        : String.valueOf(e.getMessage());
  }

  private static AdmissionRequest request(JsonNode root) {
    if (!root.path("kind").asText().equals(KIND)) {
      throw InputException.malformed(
          "not-an-admission-review", "The body is JSON but its kind is not AdmissionReview.");
    }
    if (!root.path("apiVersion").asText().equals(API_VERSION)) {
      throw InputException.malformed(
          "unsupported-review-version",
          "The review's apiVersion is not " + API_VERSION + ": configure the webhook for v1.");
    }
    JsonNode request = require("request", object(root, "request"));
    Operation operation = operation(request);
    @Nullable JsonNode object = object(request, "object");
    @Nullable JsonNode oldObject = object(request, "oldObject");
    requireObjects(operation, object, oldObject);
    return new AdmissionRequest(
        require("request.uid", text(request, "uid")),
        operation,
        kind(request),
        text(request, "subResource"),
        Objects.requireNonNullElse(text(request, "namespace"), ""),
        username(request),
        intent(request),
        gracePeriod(request),
        object,
        oldObject);
  }

  private static void requireObjects(
      Operation operation, @Nullable JsonNode object, @Nullable JsonNode oldObject) {
    switch (operation) {
      case CREATE -> require("request.object", object);
      case UPDATE -> {
        require("request.object", object);
        require("request.oldObject", oldObject);
      }
      case DELETE -> require("request.oldObject", oldObject);
      case CONNECT -> {}
    }
  }

  private static <T> T require(String path, @Nullable T value) {
    if (value == null) {
      throw malformed(path);
    }
    return value;
  }

  private static String username(JsonNode request) {
    @Nullable JsonNode user = object(request, "userInfo");
    @Nullable String name = user == null ? null : text(user, "username");
    return name == null ? "" : name;
  }

  private static Operation operation(JsonNode request) {
    return switch (text(request, "operation")) {
      case "CREATE" -> Operation.CREATE;
      case "UPDATE" -> Operation.UPDATE;
      case "DELETE" -> Operation.DELETE;
      case "CONNECT" -> Operation.CONNECT;
      case null, default -> throw malformed("request.operation");
    };
  }

  private static String kind(JsonNode request) {
    JsonNode kind = require("request.kind", object(request, "kind"));
    @Nullable String group = text(kind, "group");
    String version = require("request.kind.version", text(kind, "version"));
    String name = require("request.kind", text(kind, "kind"));
    return (group == null ? "" : group + "/") + version + "/" + name;
  }

  private static Intent intent(JsonNode request) {
    JsonNode dryRun = request.path("dryRun");
    if (!isAbsent(dryRun) && !dryRun.isBoolean()) {
      throw malformed("request.dryRun");
    }
    return dryRun.booleanValue() ? Intent.DRY_RUN : Intent.REAL;
  }

  private static @Nullable Long gracePeriod(JsonNode request) {
    @Nullable JsonNode options = object(request, "options");
    if (options == null || isAbsent(options.path("gracePeriodSeconds"))) {
      return null;
    }
    JsonNode seconds = options.path("gracePeriodSeconds");
    if (!seconds.canConvertToLong() || !seconds.isIntegralNumber()) {
      throw malformed("request.options.gracePeriodSeconds");
    }
    return seconds.longValue();
  }

  /** Null where it is absent. */
  private static @Nullable JsonNode object(JsonNode parent, String field) {
    JsonNode node = parent.path(field);
    if (isAbsent(node)) {
      return null;
    }
    if (!node.isObject()) {
      throw malformed(field);
    }
    return node;
  }

  /** Null where it is absent or empty. */
  private static @Nullable String text(JsonNode parent, String field) {
    JsonNode node = parent.path(field);
    if (isAbsent(node)) {
      return null;
    }
    if (!node.isTextual()) {
      throw malformed(field);
    }
    return node.textValue().isEmpty() ? null : node.textValue();
  }

  private static boolean isAbsent(JsonNode node) {
    return node.isMissingNode() || node.isNull();
  }

  private static InputException malformed(String path) {
    return InputException.malformed(
        "malformed-review", "The review's " + path + " is missing or of the wrong type.");
  }
}
