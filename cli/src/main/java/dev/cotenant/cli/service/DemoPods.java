package dev.cotenant.cli.service;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.cli.demo.DemoCluster;
import dev.cotenant.cli.files.PodManifest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The pods of the demo: created through the service's webhook, and watched until something is so.
 */
final class DemoPods {
  /** Far longer than anything of the demo takes on a busy machine. */
  private static final Duration MAX_WAIT = Duration.ofMinutes(10);

  private static final Duration POLL = Duration.ofMillis(100);

  private final ServiceClient client;
  private final DemoCluster cluster;
  private final Path data;

  /**
   * @param data the service's data directory
   */
  DemoPods(ServiceClient client, DemoCluster cluster, Path data) {
    this.client = client;
    this.cluster = cluster;
    this.data = data;
  }

  /** Creates a pod as an API server does: as the webhook has patched it, or not at all. */
  PodAnswer create(PodManifest manifest) throws IOException, InterruptedException {
    JsonNode request = PodReview.ofCreation(manifest);
    JsonNode review = client.mutate(request, data);
    PodAnswer answer = PodAnswer.of(review);
    if (!(answer instanceof PodAnswer.Refused)) {
      cluster.create(request.at("/request/object"), PodAnswer.Patch.of(review));
    }
    return answer;
  }

  /** What the service says of a pod once it is decided on, and runs where it was granted a GPU. */
  JsonNode decided(String pod) throws IOException, InterruptedException {
    return await(
        pod,
        explanation ->
            explanation.at("/decision/result").isTextual()
                && (explanation.at("/decision/grants").isEmpty() || isRunning(pod)));
  }

  /** What the service says of a pod once it runs. */
  JsonNode running(String pod) throws IOException, InterruptedException {
    return await(
        pod, explanation -> explanation.at("/decision/grants/0").isObject() && isRunning(pod));
  }

  /** What the service says of a pod once this is so. */
  JsonNode await(String pod, Predicate<JsonNode> condition)
      throws IOException, InterruptedException {
    return await(pod, () -> client.explanation(pod).filter(condition));
  }

  /** Looks until something is there. */
  @FunctionalInterface
  private interface Look<T> {
    Optional<T> look() throws IOException, InterruptedException;
  }

  private static <T> T await(String pod, Look<T> look) throws IOException, InterruptedException {
    long end = System.nanoTime() + MAX_WAIT.toNanos();
    while (System.nanoTime() < end) {
      Optional<T> found = look.look();
      if (found.isPresent()) {
        return found.get();
      }
      Thread.sleep(POLL);
    }
    throw new IOException("it was waited for " + pod + " in vain");
  }

  /** Waits until a pod is gone. */
  void gone(String pod) throws IOException, InterruptedException {
    await(pod, () -> find(pod).isPresent() ? Optional.empty() : Optional.of(pod));
  }

  /** The message of the first Event about a pod with this reason, once there is one. */
  String event(String pod, String reason) throws IOException, InterruptedException {
    return await(pod, () -> cluster.event(namespace(pod), name(pod), reason));
  }

  /** Ends a pod. */
  void end(String pod) {
    cluster.end(namespace(pod), name(pod));
  }

  /** The value of an annotation; empty where there is none. */
  String annotation(String pod, String name) {
    return find(pod).map(it -> it.at("/metadata/annotations").path(name).asText()).orElse("");
  }

  /** Other pods on a GPU, ordered by name. */
  List<String> neighbours(String pod, String gpu) {
    return cluster.podsOn(gpu).stream().filter(name -> !name.equals(pod)).sorted().toList();
  }

  private boolean isRunning(String pod) {
    return find(pod).filter(it -> it.at("/status/phase").asText().equals("Running")).isPresent()
        && !annotation(pod, CotenantAnnotations.ASSIGNED_GPU).isEmpty();
  }

  private Optional<? extends JsonNode> find(String pod) {
    return cluster.pod(namespace(pod), name(pod));
  }

  private static String namespace(String pod) {
    return pod.substring(0, pod.indexOf('/'));
  }

  private static String name(String pod) {
    return pod.substring(pod.indexOf('/') + 1);
  }
}
