package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import dev.cotenant.deploy.testing.ChartCopy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A release of the chart: what Helm would create. Its pods run no container here; their part is
 * played by processes of this machine, which is why the webhooks are called by URL.
 */
final class Release {
  static final String MUTATING = "MutatingWebhookConfiguration";
  static final String VALIDATING = "ValidatingWebhookConfiguration";

  private static final List<String> ACCESS =
      List.of("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding");
  private static final List<String> WRITE_POLICIES =
      List.of("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding");
  private static final List<String> WEBHOOKS = List.of(MUTATING, VALIDATING);
  private static final ObjectMapper YAML =
      new ObjectMapper(
          YAMLFactory.builder()
              .enable(YAMLParser.Feature.PARSE_BOOLEAN_LIKE_WORDS_AS_STRINGS)
              .build());

  private final Names names;
  private final List<ObjectNode> objects;

  /** Renders the chart of the project in {@code root} with these values. */
  Release(java.nio.file.Path root, Names names, String values) {
    this.names = names;
    ChartCopy.Release release = new ChartCopy.Release(names.release(), names.system());
    objects = parse(new ChartCopy(root).render(release, values));
  }

  /** Objects in YAML. */
  static List<ObjectNode> parse(String yaml) {
    try (MappingIterator<JsonNode> read = YAML.readerFor(JsonNode.class).readValues(yaml)) {
      List<ObjectNode> documents = new ArrayList<>();
      read.forEachRemaining(document -> {
        if (document instanceof ObjectNode object && !object.isEmpty()) {
          documents.add(object);
        }
      });
      return List.copyOf(documents);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Everything, hooks included, in the order in which it was rendered. */
  List<ObjectNode> objects() {
    return objects;
  }

  /** Accounts, roles and write policies, those of the hooks included, and the configuration. */
  void installAccess(Kube admin) {
    Stream.of(ACCESS, WRITE_POLICIES, List.of("ConfigMap"))
        .flatMap(List::stream)
        .flatMap(kind -> ofKind(kind).stream())
        .forEach(object -> admin.put(path(object), object));
  }

  /** The webhook configurations, called at an address instead of through a Service. */
  void installWebhooks(Kube admin, String url) {
    installWebhooks(
        admin,
        client -> client.put("url", url + client.at("/service/path").asText()).remove("service"));
  }

  /** The webhook configurations as they are, with another port of the Service. */
  void installWebhooks(Kube admin, int port) {
    installWebhooks(admin, client -> client.withObject("/service").put("port", port));
  }

  private void installWebhooks(Kube admin, Consumer<ObjectNode> address) {
    for (String kind : WEBHOOKS) {
      for (ObjectNode object : ofKind(kind)) {
        ObjectNode copy = object.deepCopy();
        for (JsonNode webhook : copy.path("webhooks")) {
          address.accept((ObjectNode) webhook.path("clientConfig"));
        }
        admin.put(path(copy), copy);
      }
    }
  }

  boolean hasWebhooks(Kube admin) {
    return WEBHOOKS.stream()
        .flatMap(kind -> ofKind(kind).stream())
        .allMatch(object -> admin.get(named(object)).isSuccessful());
  }

  void removeWebhooks(Kube admin) {
    WEBHOOKS.stream()
        .flatMap(kind -> ofKind(kind).stream())
        .forEach(object -> admin.delete(named(object)));
  }

  /** What is in no namespace; the others go with the release's namespace. */
  void removeClusterWide(Kube admin) {
    removeWebhooks(admin);
    WRITE_POLICIES.forEach(kind -> ofKind(kind).forEach(object -> admin.delete(named(object))));
    ofKind("ClusterRoleBinding").forEach(object -> admin.delete(named(object)));
    ofKind("ClusterRole").forEach(object -> admin.delete(named(object)));
  }

  List<ObjectNode> ofKind(String kind) {
    return objects.stream().filter(object -> object.path("kind").asText().equals(kind)).toList();
  }

  /** The only object of a kind that fits. */
  ObjectNode only(String kind, Predicate<ObjectNode> fits) {
    List<ObjectNode> found = ofKind(kind).stream().filter(fits).toList();
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " of kind " + kind);
    }
    return found.getFirst();
  }

  /** The name of the service's account. */
  String account() {
    return only("Deployment", _ -> true).at("/spec/template/spec/serviceAccountName").asText();
  }

  /** The path of a rendered object. */
  String named(JsonNode object) {
    return path(object) + "/" + object.at("/metadata/name").asText();
  }

  /** Where objects of its kind are created. */
  String path(JsonNode object) {
    String version = object.path("apiVersion").asText();
    String kind = object.path("kind").asText();
    String group = (version.contains("/") ? "/apis/" : "/api/") + version;
    String namespace = object.at("/metadata/namespace").asText("");
    return group
        + (namespace.isEmpty() ? "" : "/namespaces/" + namespace)
        + "/"
        + plural(kind.toLowerCase(java.util.Locale.ROOT));
  }

  private static String plural(String kind) {
    return kind.endsWith("y") ? kind.substring(0, kind.length() - 1) + "ies" : kind + "s";
  }

  /** Creates an account in the release's namespace. */
  void createAccount(Kube admin, String account) {
    ObjectNode object =
        YAML.createObjectNode().put("apiVersion", "v1").put("kind", "ServiceAccount");
    object.putObject("metadata").put("name", account).put("namespace", names.system());
    admin.put(path(object), object);
  }

  /** Binds an account to a role of the chart in a namespace; the role is named by its last part. */
  void bind(Kube admin, String account, String role, String namespace) {
    ObjectNode binding = binding("RoleBinding", account, role);
    binding.withObject("/metadata").put("namespace", namespace);
    admin.put(path(binding), binding);
  }

  /** Binds an account to a role of the chart everywhere; returns the path of the binding. */
  String bindEverywhere(Kube admin, String account, String role) {
    ObjectNode binding = binding("ClusterRoleBinding", account, role);
    admin.put(path(binding), binding);
    return named(binding);
  }

  private ObjectNode binding(String kind, String account, String role) {
    ObjectNode found =
        only("ClusterRole", one -> one.at("/metadata/name").asText().endsWith("-" + role));
    ObjectNode binding = YAML.createObjectNode();
    binding.put("apiVersion", found.path("apiVersion").asText()).put("kind", kind);
    binding.putObject("metadata").put("name", names.release() + "-" + account);
    binding
        .putObject("roleRef")
        .put("apiGroup", "rbac.authorization.k8s.io")
        .put("kind", "ClusterRole")
        .put("name", found.at("/metadata/name").asText());
    binding
        .putArray("subjects")
        .addObject()
        .put("kind", "ServiceAccount")
        .put("name", account)
        .put("namespace", names.system());
    return binding;
  }

  /** A token of an account of the release, as a pod would be given one. */
  String token(Kube admin, String account, String... audiences) {
    ObjectNode request = YAML.createObjectNode();
    request.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenRequest");
    ObjectNode spec = request.putObject("spec").put("expirationSeconds", 7_200);
    for (String audience : audiences) {
      spec.withArray("audiences").add(audience);
    }
    String path = "/api/v1/namespaces/" + names.system() + "/serviceaccounts/" + account + "/token";
    return admin.create(path, request.toString()).required().at("/status/token").asText();
  }
}
