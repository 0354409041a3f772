package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.e2e.KubeletAdmission.Rejection;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The kubelets of the synthetic nodes. A pod that is bound to a node is admitted or rejected as a
 * kubelet does, runs at once, ends after {@value #RUN_SECONDS} where it has this annotation, and is
 * removed when it is deleted. No container runs.
 */
final class FakeKubelet implements AutoCloseable {
  static final String RUN_SECONDS = "e2e.cotenant.dev/run-seconds";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Kube admin;
  private final GpuNodes nodes;
  private final Map<GpuNode, KubeletAdmission> admissions = new HashMap<>();
  private final ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();
  private final ScheduledExecutorService worker =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("kubelet").factory());
  private final SharedIndexInformer<Pod> pods;

  FakeKubelet(Kube admin, GpuNodes nodes) {
    this.admin = admin;
    this.nodes = nodes;
    pods = admin.client().pods().inAnyNamespace().inform(new Handler());
  }

  /** In the order of the watch, so that a pod is gone before its successor comes. */
  private final class Handler implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      perform(pod, 0, () -> sync(pod));
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      perform(pod, 0, () -> sync(pod));
    }

    @Override
    public void onDelete(Pod pod, boolean unknown) {
      perform(pod, 0, () -> release(pod.getMetadata().getUid()));
    }
  }

  /** The rejected pods since the last call, with reasons. */
  List<String> takeProblems() {
    List<String> taken = List.copyOf(problems);
    problems.removeAll(taken);
    return taken;
  }

  /** Does something about a pod; again after a second where the API server did not answer. */
  private void perform(Pod pod, long afterSeconds, Runnable step) {
    Runnable guarded =
        () -> {
          try {
            step.run();
          } catch (UncheckedIOException e) {
            perform(pod, 1, step);
          } catch (RuntimeException e) { // a defect of this class must fail the test
            problems.add("the kubelet failed at " + path(pod) + ": " + e);
          }
        };
    var _ = worker.schedule(guarded, afterSeconds, TimeUnit.SECONDS);
  }

  private void sync(Pod pod) {
    nodes.find(String.valueOf(pod.getSpec().getNodeName())).ifPresent(node -> sync(pod, node));
  }

  private void sync(Pod pod, GpuNode node) {
    String phase = pod.getStatus().getPhase();
    if (phase.equals("Succeeded") || phase.equals("Failed")) {
      release(pod.getMetadata().getUid());
    }
    if (pod.getMetadata().getDeletionTimestamp() != null) {
      admin.deletePod(path(pod), pod.getMetadata().getUid());
    } else if (phase.equals("Pending")) {
      admit(pod, admissions.computeIfAbsent(node, KubeletAdmission::new));
    }
  }

  private void admit(Pod pod, KubeletAdmission admission) {
    if (admission.hasAdmitted(pod.getMetadata().getUid())) {
      return; // its new status is on the way
    }
    Optional<Rejection> rejection = admission.admit(pod);
    if (rejection.isPresent()) {
      reject(pod, rejection.get());
    } else {
      run(pod);
    }
  }

  private void reject(Pod pod, Rejection rejection) {
    problems.add(
        "%s on %s: %s, %s"
            .formatted(
                path(pod), pod.getSpec().getNodeName(), rejection.reason(), rejection.message()));
    ObjectNode status = MAPPER.createObjectNode().put("phase", "Failed");
    status.put("reason", rejection.reason()).put("message", "Pod was rejected");
    write(pod, status);
  }

  private void run(Pod pod) {
    String now = now();
    ObjectNode status = status(pod, "Running", "True").put("startTime", now);
    for (var container : status.path("containerStatuses")) {
      ((ObjectNode) container).putObject("state").putObject("running").put("startedAt", now);
    }
    write(pod, status);
    Optional.ofNullable(pod.getMetadata().getAnnotations())
        .map(annotations -> annotations.get(RUN_SECONDS))
        .ifPresent(seconds -> perform(pod, Long.parseLong(seconds), () -> succeed(pod)));
  }

  private void succeed(Pod pod) {
    ObjectNode status = status(pod, "Succeeded", "False");
    for (var container : status.path("containerStatuses")) {
      ObjectNode state = ((ObjectNode) container).putObject("state").putObject("terminated");
      state.put("exitCode", 0).put("reason", "Completed").put("finishedAt", now());
    }
    release(pod.getMetadata().getUid());
    write(pod, status);
  }

  private static ObjectNode status(Pod pod, String phase, String ready) {
    ObjectNode status = MAPPER.createObjectNode().put("phase", phase);
    ArrayNode conditions = status.putArray("conditions");
    for (String type : List.of("Ready", "ContainersReady")) {
      conditions
          .addObject()
          .put("type", type)
          .put("status", ready)
          .put("lastTransitionTime", now());
    }
    ArrayNode containers = status.putArray("containerStatuses");
    for (Container container : pod.getSpec().getContainers()) {
      containers
          .addObject()
          .put("name", container.getName())
          .put("image", container.getImage())
          .put("imageID", "")
          .put("restartCount", 0)
          .put("ready", ready.equals("True"));
    }
    return status;
  }

  private void write(Pod pod, ObjectNode status) {
    ObjectNode patch = MAPPER.createObjectNode();
    patch.putObject("metadata").put("uid", pod.getMetadata().getUid()); // no namesake
    patch.set("status", status);
    perform(pod, 0, () -> admin.strategicMerge(path(pod) + "/status", patch.toString()));
  }

  private void release(String uid) {
    admissions.values().forEach(admission -> admission.release(uid));
  }

  private static String path(Pod pod) {
    ObjectMeta metadata = pod.getMetadata();
    return "/api/v1/namespaces/" + metadata.getNamespace() + "/pods/" + metadata.getName();
  }

  private static String now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  @Override
  public void close() {
    pods.close();
    worker.shutdownNow();
  }
}
