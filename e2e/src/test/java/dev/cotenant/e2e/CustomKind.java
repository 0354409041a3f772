package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Objects of a kind that an operator brings, in one namespace; where the cluster does not have it,
 * the kind is defined, without validation.
 */
final class CustomKind implements AutoCloseable {
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Kube admin;
  private final String version;
  private final String kind;
  private final String objects;
  private final List<String> cleared = new ArrayList<>();

  /**
   * @param version group and version
   */
  CustomKind(Stage stage, String version, String kind, String namespace) {
    admin = stage.admin();
    this.version = version;
    this.kind = kind;
    String plural = kind.toLowerCase(Locale.ROOT) + "s";
    objects = "/apis/" + version + "/namespaces/" + namespace + "/" + plural;
    if (!stage.abilities().has(objects)) {
      define(version.split("/", -1), plural);
      Eventually.holds(kind + " is defined", () -> stage.abilities().has(objects));
    }
  }

  private void define(String[] groupAndVersion, String plural) {
    String name = plural + "." + groupAndVersion[0];
    admin
        .create(
            DEFINITIONS,
            """
            {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
             "metadata": {"name": "%s"},
             "spec": {"group": "%s", "scope": "Namespaced",
              "names": {"kind": "%s", "plural": "%s"},
              "versions": [{"name": "%s", "served": true, "storage": true, "schema":
               {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}}
            """
                .formatted(name, groupAndVersion[0], kind, plural, groupAndVersion[1]))
        .required();
    cleared.addFirst(DEFINITIONS + "/" + name);
  }

  /** Creates an object without annotations. */
  JsonNode create(String name, String spec) {
    return create(name, spec, JSON.createObjectNode());
  }

  JsonNode create(String name, String spec, JsonNode annotations) {
    ObjectNode object = JSON.createObjectNode().put("apiVersion", version).put("kind", kind);
    object.putObject("metadata").put("name", name).set("annotations", annotations);
    try {
      object.set("spec", JSON.readTree(spec));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cleared.addFirst(path(name));
    return admin.create(objects, object.toString()).required();
  }

  String path(String name) {
    return objects + "/" + name;
  }

  @Override
  public void close() {
    cleared.forEach(admin::delete);
  }
}
