package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who may ask on the HTTPS port: whom the API server knows and allows, with a token for that. */
@ExtendWith(OnStage.class)
class AccessIT {
  private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1";
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int FORBIDDEN = 403;

  @Test
  void knowsTokensOfItsAudienceAlone(Stage stage) {
    CotenantProcess service = stage.replicas().deciding();
    Release release = stage.release();
    String account = release.account();

    assertThat(code(service, release.token(stage.admin(), account, "cotenant"), "/v1/gpus"))
        .isEqualTo(FORBIDDEN); // known, and without a right
    for (String token :
        new String[] {
          release.token(stage.admin(), account),
          release.token(stage.admin(), account, "others"),
          "nonsense",
          ""
        }) {
      assertThat(code(service, token, "/v1/gpus")).isEqualTo(401);
    }
  }

  @Test
  void allowsWhatTheRolesOfTheChartAllow(Stage stage) {
    CotenantProcess service = stage.replicas().deciding();
    Names names = stage.names();
    String token = token(stage, "role-reader");
    String team = "?namespace=" + names.team();
    assertThat(code(service, token, "/v1/gpus" + team)).isEqualTo(FORBIDDEN);

    bind(stage, RBAC + "/namespaces/" + names.team() + "/rolebindings", "RoleBinding", "-operator");
    Eventually.holds(
        "the RoleBinding counts", () -> code(service, token, "/v1/gpus" + team) == 200);
    assertThat(code(service, token, "/v1/queue" + team)).isEqualTo(200);
    assertThat(code(service, token, "/v1/gpus?namespace=" + names.outside())).isEqualTo(FORBIDDEN);
    for (String everywhere : new String[] {"/v1/gpus", "/v1/queue", "/v1/models", "/v1/profiles"}) {
      assertThat(code(service, token, everywhere)).as(everywhere).isEqualTo(FORBIDDEN);
    }

    String bindings = RBAC + "/clusterrolebindings";
    bind(stage, bindings, "ClusterRoleBinding", "-viewer");
    try {
      Eventually.holds(
          "the ClusterRoleBinding counts", () -> code(service, token, "/v1/models") == 200);
      Eventually.holds("for every list", () -> code(service, token, "/v1/gpus") == 200);
    } finally {
      stage.admin().delete(bindings + "/" + names.release() + "-role-reader");
    }
    Eventually.holds("it no longer counts", () -> code(service, token, "/v1/models") == FORBIDDEN);
  }

  private static String token(Stage stage, String account) {
    stage
        .admin()
        .put(
            "/api/v1/namespaces/" + stage.names().system() + "/serviceaccounts",
            json(
                """
                {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "%s"}}
                """
                    .formatted(account)));
    return stage.release().token(stage.admin(), account, "cotenant");
  }

  private static void bind(Stage stage, String path, String kind, String role) {
    String name =
        stage
            .release()
            .only("ClusterRole", one -> one.at("/metadata/name").asText().endsWith(role))
            .at("/metadata/name")
            .asText();
    stage
        .admin()
        .put(
            path,
            json(
                """
                {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "%s",
                 "metadata": {"name": "%s-role-reader"},
                 "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                   "name": "%s"},
                 "subjects": [{"kind": "ServiceAccount", "name": "role-reader",
                   "namespace": "%s"}]}
                """
                    .formatted(kind, stage.names().release(), name, stage.names().system())));
  }

  private static JsonNode json(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static int code(CotenantProcess service, String token, String path) {
    ConfigBuilder config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("https://127.0.0.1:" + service.webhookPort())
            .withTrustCerts(true);
    try (Kube caller =
        new Kube(token.isEmpty() ? config.build() : config.withOauthToken(token).build())) {
      return caller.get(path).code();
    }
  }
}
