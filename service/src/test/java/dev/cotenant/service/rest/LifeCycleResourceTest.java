package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.engine.profile.StoredRuns;
import dev.cotenant.engine.testing.SampleRows;
import dev.cotenant.learning.trees.BinnedForest;
import dev.cotenant.learning.trees.Tree;
import dev.cotenant.predictor.hybrid.HybridTrainer;
import dev.cotenant.predictor.train.TrainingProgress;
import dev.cotenant.predictor.train.TrainingSettings;
import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.RestAssured;
import io.restassured.response.ValidatableResponse;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows, trainings, versions and promotions over REST. */
@QuarkusTest
@TestProfile(RunningService.class)
class LifeCycleResourceTest {
  private static final String HEADER =
      "model,device,batch_size,utilization_percent,peak_memory_bytes\n";

  @Inject LifeCycleSteps steps;
  @Inject ModelStore store;
  @Inject Serving serving;
  @Inject StoredRuns remembered;

  private static ValidatableResponse postCsv(String csv) {
    return given().contentType("text/csv").body(csv).post("/v1/profiles").then();
  }

  private static ValidatableResponse post(String path, String json) {
    return given().contentType("application/json").body(json).post(path).then();
  }

  private static String answer(String model, String device) {
    return post("/v1/predictions", "{\"model\":\"" + model + "\",\"device\":\"" + device + "\"}")
        .statusCode(200)
        .extract()
        .path("model_version");
  }

  @Test
  void keepsGoodRowsAndListsBadOnesWithTheirLine() {
    int fresh = ThreadLocalRandom.current().nextInt(1_000_000_000, 2_000_000_000);
    String csv =
        HEADER
            + "resnet18,a100,7,50.5,"
            + fresh
            + "\n"
            + "resnet18,a100,-1,50.5,1\n"
            + "resnet18,a100,8,NaN,1\n"
            + "resnet18,a100,7,50.5,"
            + fresh
            + "\n"
            + "resnet18,gtx,8,50.5,1\n"
            + "resnet18,a100\n";
    postCsv(csv)
        .statusCode(200)
        .body("received", equalTo(6))
        .body("added", equalTo(1))
        .body("duplicates", equalTo(1))
        .body("rejected.line", equalTo(java.util.List.of(3, 4, 6, 7)))
        .body("rejected[0].reason", containsString("batch_size must be a whole number"))
        .body("rejected[1].reason", containsString("utilization_percent must be a number"))
        .body("rejected[2].reason", containsString("Unknown device 'gtx'"))
        .body("rejected[3].reason", containsString("2 cells instead of 5"));
    postCsv(csv).body("added", equalTo(0)).body("duplicates", equalTo(2));
  }

  /* Of two runs the higher is expected; another batch is another configuration. */
  @Test
  void answersWithWhatWasMeasuredOfTheSameConfiguration() {
    String request = "{\"model\":\"resnet18\",\"device\":\"t4\",\"batch_size\":%d}";
    postCsv(HEADER + "resnet18,t4,97,61.5,3000000000\nresnet18,t4,97,61.7,3000000001\n");

    remembered.refresh();

    post("/v1/predictions", request.formatted(97))
        .statusCode(200)
        .body("measured_here.runs", equalTo(2))
        .body("measured_here.targets", contains("utilization", "peak_memory"))
        .body("utilization_percent.mean", equalTo(61.7f))
        .body("utilization_percent.coverage", equalTo(0.9f))
        .body("peak_memory_bytes.mean", equalTo(3_000_000_001L));
    post("/v1/predictions", request.formatted(98)).body("measured_here", nullValue());
  }

  /* A caller whose right is in one namespace sends it with the rows. */
  @Test
  void rowsOfANamespaceMoveNoPredictionOfOthers() {
    String csv = HEADER + "resnet18,t4,93,61.5,3000000000\n";
    given()
        .contentType("text/csv")
        .body(csv)
        .post("/v1/profiles?namespace=team-z")
        .then()
        .statusCode(200)
        .body("added", equalTo(1));
    given()
        .contentType("text/csv")
        .body(csv)
        .post("/v1/profiles?namespace=Team%20Z")
        .then()
        .statusCode(400);

    remembered.refresh();

    post("/v1/predictions", "{\"model\":\"resnet18\",\"device\":\"t4\",\"batch_size\":93}")
        .statusCode(200)
        .body("measured_here", nullValue());
    assertThat(store.profiles().all())
        .filteredOn(row -> row.namespace().equals("team-z"))
        .hasSize(1);
  }

  @Test
  void refusesWhatNoRunCanMeasure() {
    postCsv(HEADER + "resnet18,a100,7,50.5,100000000\n")
        .statusCode(200)
        .body("added", equalTo(0))
        .body("rejected[0].reason", containsString("less than the weights and a context"));
  }

  @Test
  void pagesThroughRows() {
    steps.addRows();
    int next =
        given()
            .get("/v1/profiles?limit=3")
            .then()
            .statusCode(200)
            .body("profiles", hasSize(3))
            .extract()
            .path("next");
    given()
        .get("/v1/profiles?limit=3&after=" + next)
        .then()
        .body("profiles[0].number", not(equalTo(next)));
    assertThat((int) given().get("/v1/profiles").path("count")).isGreaterThanOrEqualTo(40);
  }

  @Test
  void readsACsvOfASpreadsheetAndNamesTheColumnsThatItIgnores() {
    int fresh = ThreadLocalRandom.current().nextInt(500_000_000, 1_000_000_000);
    String csv = "\ufeffcolour," + HEADER + "red,resnet18,a100,9,50.5," + fresh + "\n";
    given()
        .contentType("text/csv")
        .body(csv.getBytes(StandardCharsets.UTF_8))
        .post("/v1/profiles")
        .then()
        .statusCode(200)
        .body("added", equalTo(1))
        .body("rejected", hasSize(0))
        .body("ignored_columns", contains("colour"));
  }

  @ParameterizedTest
  @CsvSource({
    "text/csv, 'colour,shape', 422, wrong-columns",
    "text/csv, '', 422, wrong-columns",
    "text/csv, 'device,device', 422, malformed-csv",
    "text/csv, 'device\n\"open', 422, malformed-csv",
    "application/json, '{\"rows\":[{\"batch_size\":NaN}]}', 400, unexpected-json",
    "application/json, '{\"rows\":7}', 400, unexpected-json",
    "application/json, '{}', 400, missing-argument",
    "application/json, '{\"lines\":[]}', 400, unexpected-json",
  })
  void saysWhatIsWrongWithABodyAsAWhole(String type, String body, int status, String code) {
    given()
        .contentType(type)
        .body(body)
        .post("/v1/profiles")
        .then()
        .statusCode(status)
        .contentType("application/problem+json")
        .body("code", equalTo(code));
  }

  @Test
  void refusesMoreThanItReadsAtOnce() {
    postCsv("device\n" + "a100\n".repeat(4_000_000)).statusCode(413);
    postCsv(HEADER + "resnet18,a100,8,50,1\n".repeat(20_001)).statusCode(413);
  }

  /** Reads nothing before everything is sent, as many clients do; no buffer holds all of it. */
  @Test
  void answersWhoeverSendsFarTooMuchToTheEnd() throws IOException {
    int chunks = 1_000;
    byte[] chunk = "a100\n".repeat(13_000).getBytes(StandardCharsets.US_ASCII);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), RestAssured.port)) {
      socket.setSoTimeout(60_000);
      OutputStream out = socket.getOutputStream();
      String head =
          "POST /v1/profiles HTTP/1.1\r\n"
              + "Host: localhost\r\n"
              + "Content-Type: text/csv\r\n"
              + "Content-Length: "
              + (long) chunks * chunk.length
              + "\r\n\r\n";
      out.write(head.getBytes(StandardCharsets.US_ASCII));
      for (int i = 0; i < chunks; i++) {
        out.write(chunk);
      }
      byte[] answer = socket.getInputStream().readNBytes(12);
      assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 413");
    }
  }

  @Test
  void listsRowsThatAreNotEvenObjects() {
    post("/v1/profiles", "{\"rows\":[null,{\"device\":{\"a\":1}}]}")
        .statusCode(200)
        .body("added", equalTo(0))
        .body("rejected", hasSize(2));
  }

  @Test
  void trainsPromotesServesAndRollsBack() {
    String before = serving.served().label();
    ModelVersion version = steps.trained();
    assertThat(serving.served().label()).isEqualTo(before);
    String path = "/v1/predictors/" + version.label() + "/promotion";
    String insist = "{\"override_reason\":\"a drill\"}";
    post(path, insist)
        .statusCode(200)
        .body("grounds", equalTo("override"))
        .body("by", equalTo("local"));
    assertThat(answer("resnet18", "v100")).isEqualTo(version.label());
    post(path, insist).statusCode(409).body("code", equalTo("already-promoted"));
    post("/v1/predictors/rollback", "{\"reason\":\"worse\"}")
        .statusCode(200)
        .body("grounds", equalTo("rollback"));
    assertThat(answer("resnet18", "v100")).isEqualTo(before);
    given()
        .get("/v1/predictors")
        .then()
        .body("serving.version", equalTo(before))
        .body("promotions.reason", org.hamcrest.Matchers.hasItems("a drill", "worse"));
  }

  /** As {@code train --learner} writes it: a library's trees in the product's own file. */
  @Test
  void servesAFileWhoseTreesAnotherLibraryGrew() {
    List<ProfileRow> rows =
        IntStream.rangeClosed(1, 40).mapToObj(batch -> SampleRows.row(batch, 40)).toList();
    BinnedForest library =
        new BinnedForest("stump", (bins, weights, targets, seed) -> List.of(stump(targets)));
    byte[] file =
        new HybridTrainer(
                DeviceCatalogue.builtIn(), TrainingSettings.standard(1).withLearner(library))
            .train(
                List.of(new ProfileSource.Result(rows, List.of(), "0".repeat(64), "rows.csv")),
                TrainingProgress.SILENT)
            .toBytes();
    String before = serving.served().label();
    String label =
        given()
            .contentType("application/octet-stream")
            .body(file)
            .post("/v1/predictors")
            .then()
            .statusCode(200)
            .body("kind", equalTo("base"))
            .extract()
            .path("version");
    post("/v1/predictors/" + label + "/promotion", "{\"override_reason\":\"a drill\"}")
        .statusCode(200);
    assertThat(answer("resnet18", "a100")).isEqualTo(label);
    post("/v1/predictors/rollback", "{\"reason\":\"end of the drill\"}").statusCode(200);
    assertThat(answer("resnet18", "a100")).isEqualTo(before);
  }

  private static Tree stump(double... targets) {
    float mean = (float) Arrays.stream(targets).average().orElseThrow();
    return new Tree.Split(0, 1, new Tree.Leaf(mean), new Tree.Leaf(mean / 2));
  }

  @Test
  void runsATrainingInTheBackgroundAndOneAtATime() throws InterruptedException {
    steps.addRows();
    String open = steps.openTraining();
    post("/v1/trainings", "").statusCode(409).body("code", equalTo("training-running"));
    given()
        .delete("/v1/trainings/" + open)
        .then()
        .statusCode(200)
        .body("state", equalTo("cancelled"));
    given().delete("/v1/trainings/" + open).then().statusCode(409);
    given().delete("/v1/trainings/none").then().statusCode(404);
    String id = post("/v1/trainings", "").statusCode(202).extract().path("id");
    String state = "queued";
    for (int i = 0; i < 600 && (state.equals("queued") || state.equals("running")); i++) {
      Thread.sleep(100);
      state = given().get("/v1/trainings/" + id).then().statusCode(200).extract().path("state");
    }
    assertThat(state).isEqualTo("finished");
  }

  @Test
  void refusesFilesThatCannotBeServedAndGoesOn() {
    String before = serving.served().label();
    byte[] file = store.versions().file(serving.served().sha256()).orElseThrow();
    byte[] cut = java.util.Arrays.copyOf(file, file.length / 2);
    byte[] newer = java.util.Arrays.copyOf("COTC\0\0\0c".getBytes(StandardCharsets.UTF_8), 100);
    for (byte[] bad : new byte[][] {new byte[0], cut, newer}) {
      given()
          .contentType("application/octet-stream")
          .body(bad)
          .post("/v1/predictors")
          .then()
          .statusCode(422)
          .contentType("application/problem+json")
          .body("detail", startsWith("the upload"));
    }
    given()
        .contentType("application/octet-stream")
        .body(newer)
        .post("/v1/predictors")
        .then()
        .body("code", equalTo("newer-correction"));
    post("/v1/predictors/none/promotion", "{}").statusCode(404);
    post("/v1/predictors/" + before + "/promotion", "{\"by\":\"alice\"}")
        .statusCode(400)
        .body("detail", containsString("'by'"));
    assertThat(answer("resnet18", "a100")).isEqualTo(before);
  }
}
