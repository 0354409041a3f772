package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.not;

import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.service.SeparateService;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import jakarta.inject.Inject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;

/** A user's ONNX regressor over REST, in decisions and in the webhook. */
@QuarkusTest
@TestProfile(SeparateService.class)
class RegressorResourceTest {
  /** What the rows of {@link LifeCycleSteps} measure. */
  private static final double PERCENT = 5;

  @Inject LifeCycleSteps steps;
  @Inject Serving serving;
  @Inject WebhookServer webhook;

  /** A protobuf message in wire format. */
  private static final class Message {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Message number(int field, int value) {
      return varint(8 * field).varint(value);
    }

    Message floating(int field, double value) {
      varint(8 * field + 5);
      int bits = Integer.reverseBytes(Float.floatToRawIntBits((float) value));
      bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(bits).array());
      return this;
    }

    Message text(int field, String value) {
      return raw(field, value.getBytes(StandardCharsets.UTF_8));
    }

    Message message(int field, Message value) {
      return raw(field, value.bytes.toByteArray());
    }

    private Message raw(int field, byte[] value) {
      varint(8 * field + 2).varint(value.length);
      bytes.writeBytes(value);
      return this;
    }

    private Message varint(int value) {
      int rest = value;
      for (; rest > 127; rest >>= 7) {
        bytes.write((rest & 127) | 128);
      }
      bytes.write(rest);
      return this;
    }
  }

  /** One float. */
  private static Message tensor(String name) {
    Message one = new Message().number(1, 1);
    Message shape = new Message().message(1, one).message(1, one);
    Message type = new Message().message(1, new Message().number(1, 1).message(2, shape));
    return new Message().text(1, name).message(2, type);
  }

  /** {@code y = constant + 0 · x}. */
  private static byte[] constant(double value) {
    Message coefficients = new Message().text(1, "coefficients").floating(7, 0).number(20, 6);
    Message intercepts = new Message().text(1, "intercepts").floating(7, value).number(20, 6);
    Message node =
        new Message()
            .text(1, "x")
            .text(2, "y")
            .text(4, "LinearRegressor")
            .message(5, coefficients)
            .message(5, intercepts)
            .text(7, "ai.onnx.ml");
    Message graph =
        new Message()
            .message(1, node)
            .text(2, "g")
            .message(11, tensor("x"))
            .message(12, tensor("y"));
    return new Message()
        .number(1, 8)
        .message(7, graph)
        .message(8, new Message().text(1, "").number(2, 17))
        .message(8, new Message().text(1, "ai.onnx.ml").number(2, 3))
        .bytes
        .toByteArray();
  }

  private static byte[] archive(byte[] model, String name) throws IOException {
    String manifest =
        """
        {format: 1, name: %s, model: model.onnx, sha256: %s, devices: [a100-40gb, v100-16gb],
         inputs: [{feature: batch_size}], output: {answers: utilization_percent},
         bound: {log_offset: 0.1, coverage: 0.9}}
        """
            .formatted(name, sha256(model));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.putNextEntry(new ZipEntry("manifest.yaml"));
      zip.write(manifest.getBytes(StandardCharsets.UTF_8));
      zip.putNextEntry(new ZipEntry("model.onnx"));
      zip.write(model);
    }
    return bytes.toByteArray();
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ValidatableResponse upload(byte[] file) {
    return given().contentType("application/octet-stream").body(file).post("/v1/predictors").then();
  }

  private static ValidatableResponse post(String path, String json) {
    return given().contentType("application/json").body(json).post(path).then();
  }

  /** The webhook's patch for a pod, as text. */
  private String patch() {
    String review = new String(WebhookClient.review("resnet18", 1), StandardCharsets.UTF_8);
    byte[] dry =
        review.replace("\"uid\":", "\"dryRun\": true, \"uid\":").getBytes(StandardCharsets.UTF_8);
    String answer = new WebhookClient(webhook.port()).post("/webhooks/mutate", dry).body();
    Matcher patch = Pattern.compile("\"patch\" *: *\"([^\"]+)\"").matcher(answer);
    assertThat(patch.find()).as(answer).isTrue();
    return new String(Base64.getDecoder().decode(patch.group(1)), StandardCharsets.UTF_8);
  }

  @Test
  void servesABetterRegressorInPredictionsDecisionsAndTheWebhookAndRollsItBack()
      throws IOException {
    steps.addRows();
    String before = serving.served().label();
    String label =
        upload(archive(constant(PERCENT), "mine"))
            .statusCode(200)
            .body("kind", equalTo("regressor"))
            .body("parent", equalTo(serving.served().sha256()))
            .extract()
            .path("version");
    String shippedPatch = patch();

    post("/v1/predictors/" + label + "/promotion", "{}")
        .statusCode(200)
        .body("grounds", equalTo("better"));

    String request = "{\"model\":\"resnet18\",\"device\":\"%s\"}";
    post("/v1/predictions", request.formatted("v100"))
        .body("model_version", equalTo(before + "+" + label))
        .body("utilization_percent.mean", equalTo((float) PERCENT));
    post("/v1/predictions", request.formatted("t4")).body("model_version", equalTo(before));
    post("/v1/decisions", "{\"workload\":{\"name\":\"n\",\"model\":\"resnet18\"}}")
        .statusCode(200)
        .body("predictions[0].utilization_percent.mean", equalTo((float) PERCENT));
    assertThat(patch()).isNotEqualTo(shippedPatch);

    post("/v1/predictors/rollback", "{\"reason\":\"worse\"}").statusCode(200);
    post("/v1/predictions", request.formatted("v100"))
        .body("model_version", equalTo(before))
        .body("utilization_percent.mean", not(equalTo((float) PERCENT)));
  }

  @Test
  void refusesHostileFilesAndStoresNothing() throws IOException {
    byte[] good = archive(constant(7), "hostile");
    byte[] cut = Arrays.copyOf(good, good.length / 2);
    upload(cut).statusCode(422).body("code", equalTo("bad-archive"));
    upload(archive(constant(Double.NaN), "hostile"))
        .statusCode(422)
        .body("code", equalTo("regressor-not-finite"));
    upload(archive("not onnx".getBytes(StandardCharsets.US_ASCII), "hostile"))
        .statusCode(422)
        .body("code", equalTo("regressor-not-allowed"));
    given().get("/v1/predictors").then().body(not(containsString("hostile-")));
  }
}
