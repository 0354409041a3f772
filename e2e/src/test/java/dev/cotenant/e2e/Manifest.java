package dev.cotenant.e2e;

/** What the tests create, as JSON. */
final class Manifest {
  static final String NAMESPACES = "/api/v1/namespaces";
  static final String NODES = "/api/v1/nodes";
  static final String GATE = "cotenant.dev/colocation";
  static final String WEBHOOK_NAME = "cotenant";
  static final String MUTATING =
      "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  static final String VALIDATING =
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  static final String RBAC = "/apis/rbac.authorization.k8s.io/v1";

  private Manifest() {}

  static String pods(String namespace) {
    return NAMESPACES + "/" + namespace + "/pods";
  }

  static String namespace(String name, String colocation) {
    return """
    {"apiVersion": "v1", "kind": "Namespace",
     "metadata": {"name": "%s", "labels": {"cotenant.dev/colocation": "%s"}}}
    """
        .formatted(name, colocation);
  }

  static String node(String name) {
    return """
    {"apiVersion": "v1", "kind": "Node",
     "metadata": {"name": "%s", "labels": {"kubernetes.io/hostname": "%s",
       "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB", "nvidia.com/gpu.count": "1"}}}
    """
        .formatted(name, name);
  }

  /** As the kubelet and the device plugin would. */
  static String nodeStatus() {
    return """
    {"status": {"capacity": {"cpu": "64", "memory": "256Gi", "pods": "110", "nvidia.com/gpu": "1"},
       "allocatable": {"cpu": "64", "memory": "256Gi", "pods": "110", "nvidia.com/gpu": "1"},
       "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady",
                       "message": "made up", "lastHeartbeatTime": "2026-01-01T00:00:00Z",
                       "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
    """;
  }

  /** A pod that asks for one GPU; extra members of metadata and spec begin with a comma. */
  static String pod(String name, String extraMetadata, String extraSpec) {
    return """
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"%s},
     "spec": {"containers": [{"name": "main", "image": "registry.invalid/x:1",
                "resources": {"limits": {"nvidia.com/gpu": "1"}}}]%s}}
    """
        .formatted(name, extraMetadata, extraSpec);
  }

  /** One that gets a whole GPU, as nothing is known of its model. */
  static String wholeGpu(String name) {
    return pod(name, "", "");
  }

  static String priorityClass(String name, int value) {
    return """
    {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
     "metadata": {"name": "%s"}, "value": %d}
    """
        .formatted(name, value);
  }

  static String clusterRole() {
    return """
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
     "metadata": {"name": "cotenant"}, "rules": [
      {"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch", "patch", "delete"]},
      {"apiGroups": [""], "resources": ["nodes", "namespaces"], "verbs": ["list", "watch"]},
      {"apiGroups": [""], "resources": ["events"], "verbs": ["create"]},
      {"apiGroups": ["resource.k8s.io"], "resources": ["resourceclaims"],
       "verbs": ["create", "get", "patch"]},
      {"apiGroups": ["authentication.k8s.io"], "resources": ["tokenreviews"], "verbs": ["create"]},
      {"apiGroups": ["admissionregistration.k8s.io"],
       "resources": ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
       "resourceNames": ["cotenant"], "verbs": ["delete"]}]}
    """;
  }

  static String leaseRole() {
    return """
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
     "metadata": {"name": "cotenant", "namespace": "cotenant-system"}, "rules": [
      {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create"]},
      {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
       "resourceNames": ["cotenant-leader"], "verbs": ["get", "update"]}]}
    """;
  }

  static String binding(String kind, String role, String namespace, String user) {
    String metadata = namespace.isEmpty() ? "" : ", \"namespace\": \"" + namespace + "\"";
    return """
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "%sBinding",
     "metadata": {"name": "%s-of-the-test"%s},
     "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "%s", "name": "%s"},
     "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "%s"}]}
    """
        .formatted(kind, role, metadata, kind, role, user);
  }

  /** Both configurations differ in their kind, their path and what they are called for. */
  static String mutating(String url, String authority) {
    return configuration(
        "MutatingWebhookConfiguration",
        """
        {"name": "mutate.cotenant.dev", "reinvocationPolicy": "IfNeeded", %s,
         "clientConfig": {"url": "%s/webhooks/mutate", "caBundle": "%s"},
         "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                    "resources": ["pods"], "scope": "Namespaced"}]}
        """
            .formatted(common(), url, authority));
  }

  static String validating(String url, String authority) {
    return configuration(
        "ValidatingWebhookConfiguration",
        """
        {"name": "validate.cotenant.dev", %s,
         "clientConfig": {"url": "%s/webhooks/validate", "caBundle": "%s"},
         "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
                    "resources": ["pods"], "scope": "Namespaced"}]}
        """
            .formatted(common(), url, authority));
  }

  private static String configuration(String kind, String webhook) {
    return """
    {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "%s",
     "metadata": {"name": "%s"}, "webhooks": [%s]}
    """
        .formatted(kind, WEBHOOK_NAME, webhook);
  }

  private static String common() {
    return """
    "admissionReviewVersions": ["v1"], "sideEffects": "None", "timeoutSeconds": 5,
    "failurePolicy": "Ignore", "matchPolicy": "Equivalent",
    "namespaceSelector": {"matchLabels": {"cotenant.dev/colocation": "enabled"}},
    "objectSelector": {"matchExpressions": [{"key": "cotenant.dev/colocation",
                                             "operator": "NotIn", "values": ["disabled"]}]}
    """;
  }
}
