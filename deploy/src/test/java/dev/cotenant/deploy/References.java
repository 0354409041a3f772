package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.certmanager.api.model.v1.Certificate;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleRef;
import io.fabric8.kubernetes.api.model.rbac.Subject;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Checks that what one rendered object says of another is so. */
final class References {
  /** Roles that every cluster has. */
  private static final Set<String> OF_THE_CLUSTER =
      Set.of(
          "system:kube-scheduler",
          "system:volume-scheduler",
          "extension-apiserver-authentication-reader");

  private static final String LEADER = "cotenant.dev/leader";

  private final Manifests objects;
  private final String values;
  private final Set<String> names;

  /**
   * @param objects all of a release
   * @param values what it was rendered with; what is named there the user brings along
   */
  References(Manifests objects, String values) {
    this.objects = objects;
    this.values = values;
    names = new HashSet<>(objects.byName().keySet());
  }

  void check() {
    selectors();
    monitors();
    bindings();
    objects.documents().forEach(this::sources);
    Webhooks.of(objects).configurations().forEach(this::service);
  }

  private void selectors() {
    for (Deployment deployment : objects.all(Deployment.class)) {
      assertThat(labels(deployment))
          .containsAllEntriesOf(deployment.getSpec().getSelector().getMatchLabels());
    }
    Map<String, String> labels = labels(objects.service());
    for (Service service : objects.all(Service.class)) {
      Map<String, String> selected = new TreeMap<>(service.getSpec().getSelector());
      if (selected.remove(LEADER) != null) { // its holder puts it on
        assertThat(service.getMetadata().getName()).endsWith("-leader");
      }
      assertThat(labels).containsAllEntriesOf(selected);
      service.getSpec().getPorts().forEach(port -> assertThat(ports()).contains(target(port)));
    }
    for (PodDisruptionBudget budget : objects.all(PodDisruptionBudget.class)) {
      Map<String, String> selected = budget.getSpec().getSelector().getMatchLabels();
      assertThat(objects.all(Deployment.class))
          .filteredOn(deployment -> labels(deployment).entrySet().containsAll(selected.entrySet()))
          .hasSize(1);
    }
    for (NetworkPolicy policy : objects.all(NetworkPolicy.class)) {
      for (Deployment deployment : objects.all(Deployment.class)) {
        assertThat(labels(deployment))
            .containsAllEntriesOf(policy.getSpec().getPodSelector().getMatchLabels());
      }
      policy.getSpec().getIngress().stream()
          .flatMap(rule -> rule.getPorts().stream())
          .forEach(port -> assertThat(ports()).contains(port.getPort().getStrVal()));
    }
  }

  private static Map<String, String> labels(Deployment deployment) {
    return deployment.getSpec().getTemplate().getMetadata().getLabels();
  }

  private Set<String> ports() {
    Set<String> ports = new TreeSet<>();
    objects
        .service()
        .getSpec()
        .getTemplate()
        .getSpec()
        .getContainers()
        .getFirst()
        .getPorts()
        .forEach(port -> ports.add(port.getName()));
    return ports;
  }

  private static String target(ServicePort port) {
    return port.getTargetPort().getStrVal();
  }

  private void monitors() {
    for (ServiceMonitor monitor : objects.all(ServiceMonitor.class)) {
      Map<String, String> wanted = monitor.getSpec().getSelector().getMatchLabels();
      List<Service> found =
          objects.all(Service.class).stream()
              .filter(service ->
                  service.getMetadata().getLabels().entrySet().containsAll(wanted.entrySet()))
              .toList();
      assertThat(found).hasSize(1);
      assertThat(found.getFirst().getSpec().getPorts())
          .extracting(ServicePort::getName)
          .contains(monitor.getSpec().getEndpoints().getFirst().getPort());
    }
  }

  private void bindings() {
    for (ClusterRoleBinding binding : objects.all(ClusterRoleBinding.class)) {
      binding(binding, binding.getRoleRef(), binding.getSubjects());
    }
    for (RoleBinding binding : objects.all(RoleBinding.class)) {
      binding(binding, binding.getRoleRef(), binding.getSubjects());
    }
  }

  private void binding(HasMetadata of, RoleRef role, List<Subject> subjects) {
    String namespace = role.getKind().equals("Role") ? of.getMetadata().getNamespace() : "-";
    if (!OF_THE_CLUSTER.contains(role.getName())) {
      assertThat(names).contains(role.getKind() + "/" + namespace + "/" + role.getName());
    }
    for (Subject subject : subjects) {
      if (Chart.NAMESPACE.equals(subject.getNamespace())) { // others are not the release's
        exists("ServiceAccount", subject.getNamespace(), subject.getName());
      }
    }
  }

  private void service(WebhookClientConfig client) {
    String name = client.getService().getName();
    Service service = objects.named(Service.class, name);
    assertThat(service.getMetadata().getNamespace()).isEqualTo(client.getService().getNamespace());
    assertThat(service.getSpec().getPorts())
        .filteredOn(port -> port.getPort().equals(client.getService().getPort()))
        .extracting(References::target)
        .containsExactly("https");
    assertThat(client.getService().getPath()).isIn("/webhooks/mutate", "/webhooks/validate");
  }

  /** Config maps, secrets and accounts, wherever an object names one. */
  private void sources(JsonNode object) {
    String namespace = object.path("metadata").path("namespace").asText();
    for (String field : List.of("configMap", "configMapKeyRef", "configMapRef")) {
      object
          .findValues(field)
          .forEach(source -> exists("ConfigMap", namespace, source.path("name").asText()));
    }
    for (String field : List.of("secret", "secretKeyRef", "secretRef")) {
      object
          .findValues(field)
          .forEach(source ->
              exists(
                  "Secret",
                  namespace,
                  source.path("secretName").asText(source.path("name").asText())));
    }
    object
        .findValues("serviceAccountName")
        .forEach(name -> exists("ServiceAccount", namespace, name.asText()));
  }

  private void exists(String kind, String namespace, String name) {
    boolean made =
        names.contains(kind + "/" + namespace + "/" + name)
            || (kind.equals("Secret") && certificates().contains(name));
    assertThat(made || values.contains(name))
        .as("%s %s/%s is made by the chart or named in its values", kind, namespace, name)
        .isTrue();
  }

  private Set<String> certificates() {
    Set<String> secrets = new TreeSet<>();
    objects
        .all(Certificate.class)
        .forEach(certificate -> secrets.add(certificate.getSpec().getSecretName()));
    return secrets;
  }
}
