package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.startsWith;

import dev.cotenant.engine.lifecycle.Forecasts;
import dev.cotenant.forecast.trees.PeakModelFile;
import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models of the memory forecast over REST, on the recorded cluster. */
@QuarkusTest
@TestProfile(RunningService.class)
class ForecastVersionResourceTest {
  @Inject Forecasts forecasts;
  @TempDir Path folder;

  /** The shipped model with a bound that is as careful as can be. */
  private byte[] careful() throws IOException {
    Path file = folder.resolve("careful.model");
    PeakModelFile.write(PeakModelFile.shipped().withMargin(0.99), file);
    return Files.readAllBytes(file);
  }

  private static ValidatableResponse upload(byte[] file) {
    return given().contentType("application/octet-stream").body(file).post("/v1/predictors").then();
  }

  private static ValidatableResponse post(String path, String json) {
    return given().contentType("application/json").body(json).post(path).then();
  }

  /** The sum of the bounds of all GPUs. */
  private static long bound() {
    return given()
        .get("/v1/gpus")
        .then()
        .extract()
        .jsonPath()
        .getList("gpus.uuid", String.class)
        .stream()
        .mapToLong(uuid -> {
          Number upper =
              given().get("/v1/gpus/" + uuid + "/forecast").path("forecasts[0].peak_upper_bytes");
          return upper == null ? 0 : upper.longValue();
        })
        .sum();
  }

  @Test
  void anUploadedModelServesOnceItIsPromotedAndUntilItIsRolledBack() throws IOException {
    String shipped = forecasts.served().label();
    long before = bound();
    String label =
        upload(careful())
            .statusCode(200)
            .body("kind", equalTo("forecast"))
            .body("promoted", equalTo(false))
            .body("version", startsWith("peak-forecast-"))
            .extract()
            .path("version");
    String path = "/v1/predictors/" + label + "/promotion";
    post(path, "{}")
        .statusCode(409)
        .body("code", equalTo("not-evaluated"))
        .body("detail", containsString("give override_reason"));
    assertThat(bound()).isEqualTo(before);

    post(path, "{\"override_reason\":\"a drill\"}")
        .statusCode(200)
        .body("grounds", equalTo("override"));
    assertThat(bound()).isGreaterThan(before);
    given()
        .get("/v1/predictors")
        .then()
        .body("forecasts.serving.version", equalTo(label))
        .body("forecasts.versions.version", hasItem(shipped));
    post(path, "{\"override_reason\":\"again\"}")
        .statusCode(409)
        .body("code", equalTo("already-promoted"));

    post("/v1/predictors/rollback", "{\"of\":\"forecast\",\"reason\":\"end of the drill\"}")
        .statusCode(200)
        .body("grounds", equalTo("rollback"));
    assertThat(forecasts.served().label()).isEqualTo(shipped);
    assertThat(bound()).isEqualTo(before);
  }

  @Test
  void whatCannotServeIsRefused() throws IOException {
    byte[] file = careful();
    byte[] other = Arrays.copyOf(file, file.length);
    other[other.length / 2] ^= 4;
    for (byte[] bad : new byte[][] {Arrays.copyOf(file, file.length / 2), other}) {
      upload(bad)
          .statusCode(422)
          .body("code", equalTo("forecast-model-unreadable"))
          .body("detail", startsWith("the upload is damaged"));
    }
    byte[] newer = Arrays.copyOf("COTM\0\0\0c".getBytes(StandardCharsets.UTF_8), 100);
    upload(newer).statusCode(422).body("detail", containsString("format version 99"));
    post("/v1/predictors/rollback", "{\"of\":\"everything\",\"reason\":\"x\"}")
        .statusCode(400)
        .body("detail", containsString("'of'"));
    post("/v1/predictors/peak-forecast-0/promotion", "{\"override_reason\":\"x\"}").statusCode(404);
  }
}
