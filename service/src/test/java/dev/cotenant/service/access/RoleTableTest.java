package dev.cotenant.service.access;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.RunningService;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Makes every call of the table with every kind of caller, of the cluster and of the tokens file,
 * and compares what happens with what docs/threat-model.md says.
 */
@QuarkusTest
@TestProfile(ClusterService.class)
class RoleTableTest {
  private static final String EVERYWHERE = "*";
  private static final String TEAM = "team-a";
  private static final String RESERVE =
      "{\"workload\":{\"namespace\":\"team-a\",\"name\":\"of-the-table\",\"model\":\"resnet18\"}}";
  private static final Map<String, String> BODIES =
      Map.of(
          "POST /v1/decisions",
          RESERVE,
          "POST /v1/reservations",
          RESERVE,
          "POST /v1/speeds",
          "{\"namespace\":\"team-a\",\"speeds\":[]}",
          "POST /v1/profiles",
          "{\"kind\":\"serving\",\"namespace\":\"team-a\",\"starts\":[]}",
          "POST /v1/constants/rollback",
          "{\"namespace\":\"team-a\",\"engine_version\":\"0.19\",\"reason\":\"x\"}",
          "POST /v1/reservations/{id}/confirm",
          "{\"namespace\":\"team-a\",\"name\":\"of-the-table\",\"uid\":\"u\"}");
  private static final Set<String> FILES =
      Set.of("PUT /v1/models/{name}", "POST /v1/predictors", "POST /v1/service-profiles");

  @Inject WebhookServer server;
  private final List<String> reserved = new ArrayList<>();

  /** A caller with a role somewhere; without a role it is nobody. */
  private record Who(@Nullable Role role, String where, String token) {
    boolean may(RoleTable.Line line, @Nullable String namespace) {
      return role != null
          && line.roles().contains(role)
          && (where.equals(EVERYWHERE) || (line.isNamespaced() && where.equals(namespace)));
    }
  }

  private static List<Who> callers() {
    List<Who> callers = new ArrayList<>();
    callers.add(new Who(null, EVERYWHERE, FakeCluster.clusterToken("nobody@*")));
    for (Role role : Role.values()) {
      add(callers, role, EVERYWHERE);
    }
    for (Role role : List.of(Role.VIEWER, Role.EDITOR, Role.OPERATOR)) {
      add(callers, role, TEAM);
    }
    add(callers, Role.OPERATOR, "team-z");
    return callers;
  }

  private static void add(List<Who> callers, Role role, String where) {
    callers.add(new Who(role, where, FakeCluster.clusterToken(role + "@" + where)));
    callers.add(new Who(role, where, FakeCluster.fileToken(role.toString(), where)));
  }

  static List<RoleTable.Line> lines() {
    return RoleTable.lines();
  }

  @AfterEach
  void release() {
    reserved.forEach(id -> asOperator().delete("/v1/reservations/" + id));
  }

  private static RequestSpecification asOperator() {
    return as(RunningService.REST_TOKEN);
  }

  private static RequestSpecification as(String token) {
    // Hundreds of calls from one address, whose places are bounded.
    return given().header("Authorization", "Bearer " + token).header("Connection", "close");
  }

  @Test
  void thePageSaysWhatTheCodeSays() throws IOException {
    if (Boolean.getBoolean("cotenant.docs.write")) {
      RoleTable.write();
    }
    assertThat(RoleTable.written()).isEqualTo(RoleTable.generated());
  }

  @Test
  void everyRoleThatShipsHasTheRightsOfTheTableAndNoOther() {
    ShippedRoles shipped = new ShippedRoles();
    for (Role role : Role.values()) {
      assertThat(shipped.of(role.toString()))
          .as(role.toString())
          .isEqualTo(
              RoleTable.lines().stream()
                  .filter(line -> line.roles().contains(role))
                  .map(RoleTable.Line::right)
                  .collect(Collectors.toCollection(TreeSet::new)));
    }
  }

  @ParameterizedTest
  @MethodSource("lines")
  void everyLineIsTrueOfEveryCaller(RoleTable.Line line) {
    assertThat(callers()).hasSize(17);
    for (Who who : callers()) {
      check(line, who, TEAM);
      if (line.namespace().startsWith("`?namespace=`")) {
        check(line, who, null);
      }
    }
  }

  private void check(RoleTable.Line line, Who who, @Nullable String namespace) {
    Answer answer = line.call().contains("/v1/") ? rest(line, who, namespace) : extender(line, who);
    String what = line + " by " + who + " in " + namespace + ": " + answer;
    if (who.may(line, namespace)) {
      assertThat(answer.status()).as(what).isNotIn(401, 403, 429, 500, 503);
    } else {
      assertThat(answer.status()).as(what).isEqualTo(403);
      String[] right = line.right().split(" ", -1);
      assertThat(answer.body())
          .as(what)
          .contains("\"forbidden\"")
          .contains("may not " + right[0] + " " + right[1] + ".cotenant.dev")
          .contains(
              line.isNamespaced() && namespace != null
                  ? "in namespace " + namespace
                  : "in the whole cluster");
    }
  }

  private record Answer(int status, String body) {}

  private Answer extender(RoleTable.Line line, Who who) {
    HttpResponse<String> answer =
        new WebhookClient(server.port())
            .send(
                "POST",
                line.call().split(" ", -1)[1],
                "Bearer " + who.token(),
                "{}".getBytes(StandardCharsets.UTF_8));
    return new Answer(answer.statusCode(), answer.body());
  }

  private Answer rest(RoleTable.Line line, Who who, @Nullable String namespace) {
    String[] call = line.call().split(" ", -1);
    String path =
        call[1]
            .replace("{namespace}", String.valueOf(namespace))
            .replace("{id}", call[1].startsWith("/v1/reservations") ? reserve() : "none")
            .replaceAll("\\{\\w+}", "none");
    RequestSpecification request =
        as(who.token()).header("Idempotency-Key", UUID.randomUUID().toString());
    if (namespace != null && line.namespace().startsWith("`?namespace=`")) {
      request.queryParam("namespace", namespace);
    }
    if (!call[0].equals("GET")) {
      request
          .contentType(
              FILES.contains(line.call()) ? "application/octet-stream" : "application/json")
          .body(BODIES.getOrDefault(line.call(), "{}").getBytes(StandardCharsets.UTF_8));
    }
    Response response = request.request(call[0], path);
    if (line.call().equals("POST /v1/reservations") && response.statusCode() == 201) {
      asOperator().delete("/v1/reservations/" + response.path("id"));
    }
    return new Answer(response.statusCode(), response.asString());
  }

  /** A reservation of another caller in the team's namespace. */
  private String reserve() {
    release();
    reserved.clear();
    String id =
        asOperator()
            .header("Idempotency-Key", UUID.randomUUID().toString())
            .contentType("application/json")
            .body(RESERVE)
            .post("/v1/reservations")
            .then()
            .statusCode(201)
            .extract()
            .path("id");
    reserved.add(id);
    return id;
  }

  @Test
  void everyLineOfTheTableIsAnEndpointAndTheOtherWayRound() {
    assertThat(RoleTable.lines())
        .extracting(RoleTable.Line::call)
        .containsExactlyElementsOf(Arrays.stream(Endpoint.values()).map(Endpoint::call).toList());
  }

  /** Rows move the predictions of all namespaces; a right in one does not suffice. */
  @Test
  void profileRowsNeedTheRightInTheWholeCluster() {
    String here = FakeCluster.clusterToken("editor@" + TEAM);
    for (String type : List.of("application/json", "text/csv")) {
      Response rows =
          as(here)
              .contentType(type)
              .body(type.contains("csv") ? "model\nx\n" : "{\"rows\":[]}")
              .post("/v1/profiles");
      assertThat(rows.statusCode()).isEqualTo(403);
      assertThat(rows.asString()).contains("in the whole cluster");
    }
    Response other =
        as(here)
            .contentType("application/json")
            .body("{\"kind\":\"serving\",\"namespace\":\"team-z\",\"starts\":[]}")
            .post("/v1/profiles");
    assertThat(other.statusCode()).isEqualTo(403);
    assertThat(other.asString()).contains("in namespace team-z");
  }

  @Test
  void anEndpointWithoutALineIsRefusedToEverybody() {
    for (String token :
        List.of(RunningService.REST_TOKEN, FakeCluster.clusterToken("operator@*"))) {
      Response response = as(token).get("/v1/unlisted");
      assertThat(response.statusCode()).isEqualTo(403);
      assertThat(response.<String>path("code")).isEqualTo("permission-not-defined");
    }
    assertThat(given().get("/v1/unlisted").statusCode()).isEqualTo(403);
  }
}
