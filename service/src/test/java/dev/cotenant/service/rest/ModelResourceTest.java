package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItems;

import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@TestProfile(RunningService.class)
class ModelResourceTest {
  private static final Path RESNET18 =
      RunningService.root().resolve("examples/models/resnet18.onnx");

  @Inject ModelStore store;

  private static byte[] all(InputStream in) {
    try {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void listsTheShippedModels() {
    given()
        .get("/v1/models")
        .then()
        .statusCode(200)
        .body("models.name", hasItems("resnet18", "resnet50"));
  }

  @Test
  void registersAModelAndKeepsItsFile() throws IOException {
    byte[] onnx = Files.readAllBytes(RESNET18);
    given()
        .contentType("application/octet-stream")
        .body(onnx)
        .put("/v1/models/my-model")
        .then()
        .statusCode(200)
        .body("name", equalTo("my-model"));
    given()
        .contentType("application/json")
        .body("{\"model\":\"my-model\",\"device\":\"a100-40gb\"}")
        .post("/v1/predictions")
        .then()
        .statusCode(200);
    var kept = store.models().names().stream().filter(n -> n.name().equals("my-model")).findAny();
    byte[] file = store.models().read(kept.orElseThrow().sha256(), ModelResourceTest::all);
    assertThat(file).isEqualTo(onnx);
  }

  private static ValidatableResponse put(String name, @Nullable String ifMatch, String file)
      throws IOException {
    var request =
        given()
            .contentType("application/octet-stream")
            .body(Files.readAllBytes(RESNET18.resolveSibling(file)));
    return (ifMatch == null ? request : request.header("If-Match", ifMatch))
        .put("/v1/models/" + name)
        .then();
  }

  @Test
  void replacesOnlyTheModelThatTheCallerNames() throws IOException {
    String path = "/v1/models/replaced";
    put("replaced", "*", "resnet18.onnx").statusCode(412).body("code", equalTo("unknown-model"));
    String first = put("replaced", null, "resnet18.onnx").statusCode(200).extract().header("ETag");
    put("replaced", null, "resnet18.onnx").statusCode(200); // nothing changes
    put("replaced", null, "resnet50.onnx")
        .statusCode(428)
        .contentType("application/problem+json")
        .body("code", equalTo("model-exists"))
        .body("detail", containsString(first));
    put("replaced", "nonsense", "resnet50.onnx")
        .statusCode(400)
        .body("code", equalTo("bad-version"));
    String second =
        put("replaced", first, "resnet50.onnx").statusCode(200).extract().header("ETag");
    put("replaced", first, "vgg19.onnx").statusCode(412).body("code", equalTo("model-changed"));
    given().get(path).then().statusCode(200).header("ETag", equalTo(second));
    put("replaced", "*", "resnet18.onnx").statusCode(200).header("ETag", equalTo(first));

    given().delete(path).then().statusCode(200).body("name", equalTo("replaced"));

    given().get(path).then().statusCode(404).body("code", equalTo("unknown-model"));
    given().delete(path).then().statusCode(404).body("code", equalTo("unknown-model"));
    assertThat(store.models().names()).noneMatch(kept -> kept.name().equals("replaced"));
  }

  @Test
  void aShippedModelIsBackWhereAnotherReplacedIt() throws IOException {
    String path = "/v1/models/resnet50";
    String shipped = given().get(path).then().statusCode(200).extract().header("ETag");
    given().delete(path).then().statusCode(409).body("code", equalTo("shipped-model"));
    put("resnet50", shipped, "resnet18.onnx").statusCode(200);
    assertThat(given().get(path).header("ETag")).isNotEqualTo(shipped);
    given().delete(path).then().statusCode(200);
    given().get(path).then().statusCode(200).header("ETag", equalTo(shipped));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-bad", "%2e%2e%2fescaped", "a%2Fb", "with%20space"})
  void refusesBadNames(String name) throws IOException {
    int status =
        given()
            .urlEncodingEnabled(false)
            .contentType("application/octet-stream")
            .body(Files.readAllBytes(RESNET18))
            .put("/v1/models/" + name)
            .statusCode();
    assertThat(status).isIn(400, 404);
  }

  @Test
  void registersNothingThatIsNoModel() {
    given()
        .contentType("application/octet-stream")
        .body("no model".getBytes(StandardCharsets.UTF_8))
        .put("/v1/models/broken")
        .then()
        .statusCode(422)
        .contentType("application/problem+json");
    assertThat(store.models().names()).noneMatch(kept -> kept.name().equals("broken"));
  }
}
