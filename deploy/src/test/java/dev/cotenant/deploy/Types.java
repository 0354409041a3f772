package dev.cotenant.deploy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.certmanager.api.model.v1.Certificate;
import io.fabric8.certmanager.api.model.v1.Issuer;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The kinds of the chart, as types that are generated from the schemas of their APIs. A field that
 * the schema does not have is an error here, though an API server may only drop it.
 */
final class Types {
  private static final Map<String, Class<? extends HasMetadata>> BY_KIND =
      Stream.<Class<? extends HasMetadata>>of(
              Certificate.class,
              ClusterRole.class,
              ClusterRoleBinding.class,
              ConfigMap.class,
              Deployment.class,
              Issuer.class,
              Job.class,
              MutatingWebhookConfiguration.class,
              Namespace.class,
              NetworkPolicy.class,
              Pod.class,
              PodDisruptionBudget.class,
              PrometheusRule.class,
              ResourceQuota.class,
              Role.class,
              RoleBinding.class,
              Secret.class,
              Service.class,
              ServiceAccount.class,
              ServiceMonitor.class,
              ValidatingAdmissionPolicy.class,
              ValidatingAdmissionPolicyBinding.class,
              ValidatingWebhookConfiguration.class)
          .collect(
              Collectors.toMap(
                  type -> HasMetadata.getApiVersion(type) + "/" + HasMetadata.getKind(type),
                  type -> type));

  private static final ObjectMapper STRICT =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .annotationIntrospector(new NoPlaceForTheUnknown())
          .build();

  private Types() {}

  /** Reads an object as the type of its API version and kind. */
  static HasMetadata read(JsonNode object) {
    String kind = object.path("apiVersion").asText() + "/" + object.path("kind").asText();
    Class<? extends HasMetadata> type = BY_KIND.get(kind);
    if (type == null) {
      throw new AssertionError(kind + " is no kind that the chart should make");
    }
    return read(object, type);
  }

  static <T> T read(JsonNode object, Class<T> type) {
    try {
      return STRICT.treeToValue(object, type);
    } catch (JsonProcessingException e) {
      throw new AssertionError(Manifests.name(object) + ": " + e.getMessage(), e);
    }
  }

  /** The types keep what they do not know; here it is refused. */
  private static final class NoPlaceForTheUnknown extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1;

    @Override
    public Boolean hasAnySetter(Annotated annotated) {
      return false;
    }
  }
}
