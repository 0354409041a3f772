package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.util.List;

/**
 * Deployments and Jobs, and their pods: made by the cluster's controllers, or, where there are
 * none, as those would make them.
 */
final class Workloads {
  private static final String APP = "app";

  private final Kube admin;
  private final String apps;
  private final String batch;
  private final Pods pods;
  private final boolean controllers;

  Workloads(Kube admin, String namespace, boolean controllers) {
    this.admin = admin;
    this.controllers = controllers;
    apps = "/apis/apps/v1/namespaces/" + namespace + "/";
    batch = "/apis/batch/v1/namespaces/" + namespace + "/jobs";
    pods = new Pods(admin, namespace);
  }

  /** A Deployment of some replicas of a pod; returns the names of its pods, which are held. */
  List<String> deploy(String name, int replicas, PodManifest pod) {
    ObjectNode deployment = workload("apps/v1", "Deployment", name, pod);
    ObjectNode spec = deployment.withObject("/spec").put("replicas", replicas);
    spec.putObject("selector").putObject("matchLabels").put(APP, name);
    JsonNode created = admin.create(apps + "deployments", deployment.toString()).required();
    if (!controllers) {
      ObjectNode set = deployment.deepCopy().put("kind", "ReplicaSet");
      own(set, created);
      JsonNode owner = admin.create(apps + "replicasets", set.toString()).required();
      play(owner, replicas, pod);
    }
    return awaitPods(name, replicas);
  }

  /** A Job of one pod; returns its name, which is held. */
  String run(String name, PodManifest pod) {
    JsonNode created = createJob(name, 1, 1, pod);
    if (!controllers) {
      play(created, 1, pod);
    }
    return awaitPods(name, 1).getFirst();
  }

  /** A Job of one pod that does not run yet. */
  JsonNode suspend(String name, PodManifest pod) {
    pod.spec().put("restartPolicy", "Never");
    ObjectNode job = workload("batch/v1", "Job", name, pod);
    job.withObject("/spec").put("suspend", true);
    return admin.create(batch, job.toString()).required();
  }

  /** A Job in a queue of Kueue, which lets it run where its pods fit into the quota. */
  JsonNode queue(String name, int pods, PodManifest pod) {
    return admin.create(batch, queued(name, pods, pod).toString()).required();
  }

  /** The same as far as a dry run goes. */
  Kube.Answer queueDry(String name, int pods, PodManifest pod) {
    return admin.create(batch + "?dryRun=All", queued(name, pods, pod).toString());
  }

  private static ObjectNode queued(String name, int pods, PodManifest pod) {
    pod.spec().put("restartPolicy", "Never");
    ObjectNode job = workload("batch/v1", "Job", name, pod);
    job.withObject("/metadata").putObject("labels").put(GpuQueue.LABEL, GpuQueue.NAME);
    job.withObject("/spec").put("completions", pods).put("parallelism", pods);
    return job;
  }

  /** A Job as it is now. */
  JsonNode job(String name) {
    return admin.get(batch + "/" + name).required();
  }

  /** Lets a Job run, as a queue does. */
  JsonNode resume(String job) {
    return admin.merge(batch + "/" + job, "{\"spec\": {\"suspend\": false}}").required();
  }

  /** The pod of a Job, made of its template as it is. */
  String podOf(JsonNode job) {
    String name = job.at("/metadata/name").asText();
    if (!controllers) {
      ObjectNode pod = job.at("/spec/template").deepCopy();
      pod.put("apiVersion", "v1").put("kind", "Pod");
      pod.withObject("/metadata").put("generateName", name + "-");
      own(pod, job);
      admin.create(pods.path(), pod.toString()).required();
    }
    return awaitPods(name, 1).getFirst();
  }

  /** A Job whose pods the controllers create. */
  JsonNode createJob(String name, int completions, int parallelism, PodManifest pod) {
    pod.spec().put("restartPolicy", "Never");
    ObjectNode job = workload("batch/v1", "Job", name, pod);
    job.withObject("/spec").put("completions", completions).put("parallelism", parallelism);
    return admin.create(batch, job.toString()).required();
  }

  /** How many pods of a Job have succeeded. */
  int completed(String job) {
    return admin.get(batch + "/" + job).required().at("/status/succeeded").asInt();
  }

  private static ObjectNode workload(String version, String kind, String name, PodManifest pod) {
    ObjectNode object = new ObjectMapper().createObjectNode();
    object.put("apiVersion", version).put("kind", kind);
    object.putObject("metadata").put("name", name);
    object.withObject("/spec").set("template", pod.labelled(APP, name).template());
    return object;
  }

  private void play(JsonNode owner, int replicas, PodManifest pod) {
    for (int i = 1; i <= replicas; i++) {
      ObjectNode one = pod.json().deepCopy();
      ((ObjectNode) one.path("metadata")).remove("name");
      one.withObject("/metadata").put("generateName", owner.at("/metadata/name").asText() + "-");
      own(one, owner);
      admin.create(pods.path(), one.toString()).required();
    }
  }

  private static void own(ObjectNode object, JsonNode owner) {
    object
        .withObject("/metadata")
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", owner.path("apiVersion").asText())
        .put("kind", owner.path("kind").asText())
        .put("name", owner.at("/metadata/name").asText())
        .put("uid", owner.at("/metadata/uid").asText())
        .put("controller", true);
  }

  List<String> awaitPods(String name, int replicas) {
    Eventually.holds(name + " has its pods", () -> podsOf(name).size() == replicas);
    return podsOf(name);
  }

  /** The names of the pods of a workload that are not on their way out. */
  List<String> podsOf(String name) {
    return pods.all().stream()
        .filter(pod -> pod.at("/metadata/labels/" + APP).asText().equals(name))
        .filter(pod -> pod.at("/metadata/deletionTimestamp").isMissingNode())
        .map(pod -> pod.at("/metadata/name").asText())
        .sorted()
        .toList();
  }

  void deleteJob(String name) {
    admin.delete(batch + "/" + name);
    if (!controllers) {
      podsOf(name).forEach(pods::delete);
    }
  }

  /** Whether controllers make a new pod where one is deleted. */
  boolean areAlive() {
    return controllers;
  }

  void deleteAll() {
    for (String path : List.of(apps + "deployments", apps + "replicasets", batch)) {
      for (JsonNode object : admin.list(path)) {
        admin.delete(path + "/" + object.at("/metadata/name").asText());
      }
    }
  }
}
