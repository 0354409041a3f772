package dev.cotenant.service.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Request;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import dev.cotenant.admission.kubernetes.testing.TestTokens;
import dev.cotenant.domain.text.Sha256;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An API server that authenticates a token as its subject and authorizes by the roles that ship: a
 * user {@code editor@team-a} has a RoleBinding to the editors' role in that namespace, {@code
 * editor@*} a ClusterRoleBinding. About {@code unknown} it does not answer. Beside it, a tokens
 * file with the same callers.
 */
public final class FakeCluster implements QuarkusTestResourceLifecycleManager {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CLUSTER_WIDE = "*";

  private final ShippedRoles roles = new ShippedRoles();
  private @Nullable FakeApiServer server;

  /** A token of the cluster for a user. */
  public static String clusterToken(String user) {
    return TestTokens.of(user);
  }

  /** A token of the tokens file. */
  public static String fileToken(String role, String namespace) {
    return "a-token-in-the-file-of-" + role + "-" + namespace;
  }

  @Override
  public Map<String, String> start() {
    try {
      Path folder = Files.createTempDirectory("cotenant-cluster");
      FakeApiServer api = new FakeApiServer(folder);
      server = api;
      api.script(this::answer);
      return Map.of(
          "cotenant.kubernetes.enabled", "true",
          "cotenant.kubernetes.kubeconfig", api.kubeconfig(folder, "service").toString(),
          "cotenant.kubernetes.request-timeout", "60s",
          "cotenant.kubernetes.lease-duration", "5m",
          "cotenant.kubernetes.renew-deadline", "2m",
          "cotenant.rest.tokens-file", tokensFile(folder).toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path tokensFile(Path folder) throws IOException {
    StringBuilder lines = new StringBuilder("# callers of the tests\n");
    for (Role role : Role.values()) {
      lines.append(line(role, CLUSTER_WIDE)).append('\n');
    }
    for (Role role : List.of(Role.VIEWER, Role.EDITOR, Role.OPERATOR)) {
      lines.append(line(role, "team-a")).append(" team-a\n");
    }
    lines.append(line(Role.OPERATOR, "team-z")).append(" team-z\n");
    return Files.writeString(folder.resolve("tokens"), lines);
  }

  private static String line(Role role, String namespace) {
    String where = namespace.equals(CLUSTER_WIDE) ? "all" : namespace;
    return role
        + "-"
        + where
        + " "
        + role
        + " sha256:"
        + Sha256.of(fileToken(role.toString(), namespace));
  }

  private Optional<Scripted> answer(Request request) {
    try {
      if (request.path().endsWith("/tokenreviews")) {
        return Optional.of(Scripted.of(201, authenticated(request.body())));
      }
      if (request.path().endsWith("/subjectaccessreviews")) {
        return Optional.of(authorized(JSON.readTree(request.body()).path("spec")));
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String authenticated(String review) throws IOException {
    String token = JSON.readTree(review).at("/spec/token").asText();
    String claims =
        new String(
            Base64.getUrlDecoder().decode(token.split("\\.", -1)[1]), StandardCharsets.UTF_8);
    return """
    {"status": {"authenticated": true, "audiences": ["cotenant"], "user": {"username": "%s"}}}
    """
        .formatted(JSON.readTree(claims).path("sub").asText());
  }

  private Scripted authorized(JsonNode spec) {
    String user = spec.path("user").asText();
    if (user.equals("unknown")) {
      return Scripted.of(500, "{\"message\": \"etcd is gone\"}");
    }
    JsonNode wanted = spec.path("resourceAttributes");
    String[] binding = user.split("@", 2);
    boolean allowed =
        binding.length == 2
            && wanted.path("group").asText().equals("cotenant.dev")
            && roles
                .of(binding[0])
                .contains(wanted.path("verb").asText() + " " + wanted.path("resource").asText())
            && (binding[1].equals(CLUSTER_WIDE)
                || binding[1].equals(wanted.path("namespace").asText()));
    return Scripted.of(201, "{\"status\": {\"allowed\": " + allowed + "}}");
  }

  @Override
  public void stop() {
    if (server != null) {
      server.close();
    }
  }
}
