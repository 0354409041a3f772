package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Request;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What an account may do by the roles that a release binds it to, one right for each verb,
 * resource, namespace and name.
 */
final class Rights {
  private static final String EVERYWHERE = "*";

  private Rights() {}

  /**
   * A right.
   *
   * @param resource with its group before it and its subresource after it
   * @param namespace where; {@code *} for the whole cluster
   * @param name of the one object; empty for any
   */
  record Right(String verb, String resource, String namespace, String name)
      implements Comparable<Right> {
    /** Whether this right, or one of more objects, is what a request takes. */
    boolean covers(Right needed) {
      return verb.equals(needed.verb)
          && resource.equals(needed.resource)
          && (namespace.equals(EVERYWHERE) || namespace.equals(needed.namespace))
          && (name.isEmpty() || name.equals(needed.name));
    }

    @Override
    public int compareTo(Right other) {
      return toString().compareTo(other.toString());
    }

    @Override
    public String toString() {
      return verb + " " + resource + (name.isEmpty() ? "" : " " + name) + " in " + namespace;
    }
  }

  /** Those of the account of this name. */
  static Set<Right> of(Release release, String account) {
    Set<Right> all = new TreeSet<>();
    for (String kind : List.of("ClusterRoleBinding", "RoleBinding")) {
      for (ObjectNode binding : release.ofKind(kind)) {
        if (binding.at("/subjects/0/name").asText().equals(account)) {
          String namespace = binding.at("/metadata/namespace").asText(EVERYWHERE);
          JsonNode role = role(release, binding);
          role.path("rules").forEach(rule -> add(all, rule, namespace));
        }
      }
    }
    return all;
  }

  private static JsonNode role(Release release, ObjectNode binding) {
    JsonNode reference = binding.path("roleRef");
    return release.only(
        reference.path("kind").asText(),
        role ->
            role.at("/metadata/name").asText().equals(reference.path("name").asText())
                && (role.at("/metadata/namespace").isMissingNode()
                    || role.at("/metadata/namespace").equals(binding.at("/metadata/namespace"))));
  }

  private static void add(Set<Right> all, JsonNode rule, String namespace) {
    String group = rule.at("/apiGroups/0").asText();
    List<String> names = texts(rule.path("resourceNames"));
    for (String resource : texts(rule.path("resources"))) {
      for (String verb : texts(rule.path("verbs"))) {
        for (String name : names.isEmpty() ? List.of("") : names) {
          all.add(new Right(verb, qualified(group, resource), namespace, name));
        }
      }
    }
  }

  private static List<String> texts(JsonNode list) {
    return Stream.iterate(0, i -> i < list.size(), i -> i + 1)
        .map(i -> list.get(i).asText())
        .toList();
  }

  private static String qualified(String group, String resource) {
    return group.isEmpty() ? resource : group + "/" + resource;
  }

  /** The one that a request takes, as Kubernetes' authorizer reads it. */
  static Right needed(Request request) {
    List<String> parts = Arrays.asList(request.path().substring(1).split("/"));
    boolean isCore = parts.getFirst().equals("api");
    List<String> rest = parts.subList(isCore ? 2 : 3, parts.size());
    boolean isNamespaced = rest.size() > 2 && rest.getFirst().equals("namespaces");
    List<String> local = isNamespaced ? rest.subList(2, rest.size()) : rest;
    String resource = local.size() > 2 ? local.get(0) + "/" + local.get(2) : local.get(0);
    String name = local.size() > 1 ? local.get(1) : "";
    return new Right(
        verb(request, name),
        qualified(isCore ? "" : parts.get(1), resource),
        isNamespaced ? rest.get(1) : EVERYWHERE,
        name);
  }

  private static String verb(Request request, String name) {
    return switch (request.method()) {
      case "GET" ->
          request.query().containsKey("watch") ? "watch" : name.isEmpty() ? "list" : "get";
      case "POST" -> "create";
      case "PUT" -> "update";
      default -> request.method().toLowerCase(java.util.Locale.ROOT);
    };
  }
}
