package dev.cotenant.e2e;

/** Volumes on the disk of a node, bound to claims of a namespace. */
final class Volumes {
  private static final String VOLUMES = "/api/v1/persistentvolumes";

  private final Kube admin;
  private final String namespace;
  private final String claims;

  Volumes(Kube admin, String namespace) {
    this.admin = admin;
    this.namespace = namespace;
    claims = "/api/v1/namespaces/" + namespace + "/persistentvolumeclaims";
  }

  /** Creates a volume on a node, and the claim of the same name. */
  void create(String name, String node) {
    admin
        .create(
            VOLUMES,
            """
            {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "%s"},
             "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
               "persistentVolumeReclaimPolicy": "Retain", "storageClassName": "",
               "local": {"path": "/data"},
               "claimRef": {"namespace": "%s", "name": "%s"},
               "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                 {"key": "kubernetes.io/hostname", "operator": "In", "values": ["%s"]}]}]}}}}
            """
                .formatted(name, namespace, name, node))
        .required();
    admin
        .create(
            claims,
            """
            {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "%s"},
             "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "",
               "volumeName": "%s", "resources": {"requests": {"storage": "1Gi"}}}}
            """
                .formatted(name, name))
        .required();
  }

  void delete(String name) {
    admin.delete(claims + "/" + name);
    admin.delete(VOLUMES + "/" + name);
  }
}
