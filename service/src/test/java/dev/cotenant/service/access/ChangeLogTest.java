package dev.cotenant.service.access;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.RunningService;
import dev.cotenant.service.rest.LifeCycleSteps;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.specification.RequestSpecification;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The log of changes names who was authenticated, whatever the request says of its sender. */
@QuarkusTest
@TestProfile(ClusterService.class)
class ChangeLogTest {
  private static final Logger CHANGES = Logger.getLogger("dev.cotenant.changes");
  private static final String OTHER = "mallory";

  @Inject LifeCycleSteps steps;
  private final Messages messages = new Messages();

  /** The formatted messages. */
  private static final class Messages extends Handler {
    private final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    public void publish(@Nullable LogRecord entry) {
      if (entry != null) {
        lines.add(entry.getMessage().formatted(entry.getParameters()));
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void listen() {
    CHANGES.addHandler(messages);
  }

  @AfterEach
  void hush() {
    CHANGES.removeHandler(messages);
  }

  /** In every place where proxies and clients name a user. */
  private static RequestSpecification as(String user) {
    return given()
        .header("Authorization", "Bearer " + FakeCluster.clusterToken(user))
        .header("Idempotency-Key", UUID.randomUUID().toString())
        .header("X-Remote-User", OTHER)
        .header("X-Forwarded-User", OTHER)
        .header("Impersonate-User", OTHER)
        .header("From", OTHER);
  }

  private static String row() {
    return "device,batch_size,model,utilization_percent,source\nv100-16gb,78,resnet18,41,"
        + OTHER
        + "\n";
  }

  @Test
  void namesTheAuthenticatedUserOfEveryChange() throws IOException {
    byte[] model =
        Files.readAllBytes(RunningService.root().resolve("examples/models/resnet18.onnx"));
    as("operator@*")
        .contentType("application/octet-stream")
        .body(model)
        .put("/v1/models/of-the-log")
        .then()
        .statusCode(200);
    as("operator@*").delete("/v1/models/of-the-log").then().statusCode(200);
    steps.endTrainings();
    String training =
        as("operator@*")
            .contentType("application/json")
            .body("{\"by\":\"" + OTHER + "\"}")
            .post("/v1/trainings")
            .then()
            .statusCode(202)
            .extract()
            .path("id");
    as("operator@*").delete("/v1/memory-shortages?namespace=team-a").then().statusCode(200);
    as("editor@*").contentType("text/csv").body(row()).post("/v1/profiles").then().statusCode(200);
    as("viewer@*").get("/v1/models").then().statusCode(200);
    as("viewer@*").delete("/v1/models/resnet18").then().statusCode(403);

    assertThat(messages.lines)
        .containsExactly(
            "user operator@*: update models: /v1/models/of-the-log",
            "user operator@*: delete models: /v1/models/of-the-log",
            "user operator@*: create trainings: /v1/trainings/" + training,
            "user operator@*: delete memoryshortages: /v1/memory-shortages",
            "user editor@*: create profiles: /v1/profiles");
  }
}
