package dev.cotenant.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.pod.PodDocument.Container;
import dev.cotenant.domain.text.DnsSubdomain;
import dev.cotenant.domain.workload.EngineRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a pod's request: the GPU request in any dialect, its container, and our annotations. */
public final class PodRequestReader {
  private static final String HOSTNAME_LABEL = "kubernetes.io/hostname";
  private static final String OPTED_OUT = "disabled";

  private static final List<String> HAMI_DEVICE_CHOICE =
      List.of(
          "nvidia.com/use-gputype",
          "nvidia.com/nouse-gputype",
          "nvidia.com/use-gpuuuid",
          "nvidia.com/nouse-gpuuuid");

  /**
   * Reads a pod.
   *
   * @param namespace its namespace where the document has none
   * @throws dev.cotenant.domain.InputException ({@code malformed-pod}) for a field of the wrong
   *     JSON type
   */
  public PodRequest read(JsonNode json, String namespace) {
    return read(new PodDocument(json), namespace);
  }

  /** As {@link #read(JsonNode, String)}. */
  public PodRequest read(PodDocument pod, String namespace) {
    Problems problems = new Problems();
    Optional<GpuRequest> gpu = gpuRequest(pod, problems);
    OptionalInt gpus =
        problems.isEmpty()
            ? OptionalInt.of(gpu.map(GpuRequest::gpus).orElse(0))
            : OptionalInt.empty();
    @Nullable PodRequest mig = migInstance(pod.containers(), gpus);
    if (mig == null) {
      mig = migInstance(pod.initContainers(), gpus);
    }
    if (gpu.isEmpty() && mig == null && problems.isEmpty()) {
      return new PodRequest.NoGpu();
    }
    if (OPTED_OUT.equals(pod.labels().get(CotenantAnnotations.COLOCATION_LABEL))) {
      return new PodRequest.OptedOut(gpus);
    }
    if (mig != null) {
      return mig;
    }
    AnnotationReader annotations = new AnnotationReader(pod.annotations(), problems);
    PodIdentity identity = pod.identity(namespace);
    @Nullable EngineRun run = engine(pod, identity.namespace(), annotations.overrides());
    WorkloadAnnotations workload =
        annotations.read(run == null ? null : gpu.map(request -> request.shownTo(run)).orElse(run));
    if (gpu.isEmpty() || !problems.isEmpty()) {
      return new PodRequest.Invalid(identity, problems.lines(), gpus);
    }
    return new PodRequest.Colocatable(identity, gpu.get(), workload, nodeConstraints(pod));
  }

  /**
   * Containers that use the GPU: those with a request, without sidecars; for a request by
   * annotation, the container named by KAI's annotation or using a claim, else the first.
   */
  public List<GpuContainer> gpuContainers(JsonNode json) {
    return gpuContainers(new PodDocument(json));
  }

  /** As {@link #gpuContainers(JsonNode)}. */
  public List<GpuContainer> gpuContainers(PodDocument pod) {
    boolean byResources =
        Stream.concat(pod.containers().stream(), pod.initContainers().stream())
            .anyMatch(PodRequestReader::requestsGpu);
    if (!byResources) {
      return annotatedContainer(pod).map(Container::withVariables).stream().toList();
    }
    Stream<Container> before =
        pod.initContainers().stream().filter(container -> !container.isRestartable());
    return Stream.concat(pod.containers().stream(), before)
        .filter(PodRequestReader::requestsGpu)
        .map(Container::withVariables)
        .toList();
  }

  /** How many containers request GPUs by resources, of all kinds. */
  public int requesting(JsonNode json) {
    PodDocument pod = new PodDocument(json);
    return requesting(pod.containers()) + requesting(pod.initContainers());
  }

  private static int requesting(List<Container> containers) {
    int requesting = 0;
    for (Container container : containers) {
      requesting += requestsGpu(container) ? 1 : 0;
    }
    return requesting;
  }

  /** How the first of the main containers that use the GPU runs a language model. */
  private static @Nullable EngineRun engine(
      PodDocument pod, String namespace, EngineRuns.Overrides overrides) {
    List<Container> users = new ArrayList<>();
    for (Container container : pod.containers()) {
      if (requestsGpu(container)) {
        users.add(container);
      }
    }
    List<Container> all = users.isEmpty() ? annotatedContainer(pod).stream().toList() : users;
    for (Container container : all) {
      EngineRun run = EngineRuns.of(namespace, container.json, all.size(), overrides);
      if (run != null) {
        return run;
      }
    }
    return null;
  }

  private static boolean requestsGpu(Container container) {
    return container.gpu().request().isPresent();
  }

  private static Optional<Container> annotatedContainer(PodDocument pod) {
    @Nullable String named = GpuDialects.kaiContainer(pod.annotations());
    if (named == null && pod.annotations().containsKey(CotenantAnnotations.RESOURCE_CLAIM)) {
      return claimingContainer(pod);
    }
    return pod.containers().stream()
        .filter(container -> named == null || container.name().equals(named))
        .findFirst();
  }

  private static @Nullable PodRequest migInstance(List<Container> containers, OptionalInt gpus) {
    for (Container container : containers) {
      Optional<String> resource = container.gpu().mig();
      if (resource.isPresent()) {
        return new PodRequest.MigInstance(container.name(), resource.get(), gpus);
      }
    }
    return null;
  }

  /**
   * Main containers and sidecars run together, so their GPUs add up; each init container runs
   * before them, beside the sidecars listed before it. The pod needs the most that run at once
   * [KEP-753].
   */
  private static Optional<GpuRequest> gpuRequest(PodDocument pod, Problems problems) {
    List<GpuRequest> together = new ArrayList<>();
    List<GpuRequest> before = new ArrayList<>();
    for (Container container : pod.containers()) {
      problems.addAll(container.gpu().problems());
      container.gpu().request().ifPresent(together::add);
    }
    long beside = 0;
    long starting = 0;
    for (Container container : pod.initContainers()) {
      problems.addAll(container.gpu().problems());
      Optional<GpuRequest> request = container.gpu().request();
      int gpus = request.map(GpuRequest::gpus).orElse(0);
      request.ifPresent(container.isRestartable() ? together::add : before::add);
      beside += container.isRestartable() ? gpus : 0;
      starting = Math.max(starting, container.isRestartable() ? 0 : beside + gpus);
    }
    if (together.isEmpty() && before.isEmpty()) {
      return kaiRequest(pod, problems).or(() -> claimRequest(pod, problems));
    }
    GpuRequest main = together.isEmpty() ? before.getFirst() : together.getFirst();
    long running = 0;
    for (GpuRequest request : together) {
      running += request.gpus();
    }
    long gpus = Math.max(running, starting);
    return Optional.of(main.withGpus((int) Math.min(gpus, Integer.MAX_VALUE)));
  }

  private static Optional<GpuRequest> kaiRequest(PodDocument pod, Problems problems) {
    List<Container> containers = pod.containers();
    String first = containers.isEmpty() ? "the pod" : containers.getFirst().name();
    @Nullable String named = GpuDialects.kaiContainer(pod.annotations());
    String container = named == null ? first : named;
    return GpuDialects.ofKaiAnnotations(new ResourceReader(container, pod.annotations(), problems));
  }

  /** A claim has one GPU. */
  private static Optional<GpuRequest> claimRequest(PodDocument pod, Problems problems) {
    @Nullable String claim = pod.annotations().get(CotenantAnnotations.RESOURCE_CLAIM);
    if (claim == null) {
      return Optional.empty();
    }
    if (!DnsSubdomain.matches(claim)) {
      problems.add(
          CotenantAnnotations.RESOURCE_CLAIM,
          claim,
          "the name of a ResourceClaim: small letters, digits, '-' and '.', at most 253");
      return Optional.empty();
    }
    String container = claimingContainer(pod).map(Container::name).orElse("the pod");
    return Optional.of(new GpuRequest(GpuDialect.DRA, container, 1, null, null));
  }

  /** The container that uses the claims of the pod, else the first. */
  private static Optional<Container> claimingContainer(PodDocument pod) {
    List<Container> all = pod.containers();
    return all.stream()
        .filter(container -> !container.claims().isEmpty())
        .findFirst()
        .or(() -> all.stream().findFirst());
  }

  private static NodeConstraints nodeConstraints(PodDocument pod) {
    Map<String, String> selector = pod.nodeSelector();
    List<String> unchecked = new ArrayList<>();
    for (String label : selector.keySet()) {
      if (!label.equals(HOSTNAME_LABEL)) {
        unchecked.add("nodeSelector " + label);
      }
    }
    for (String choice : HAMI_DEVICE_CHOICE) {
      if (pod.annotations().containsKey(choice)) {
        unchecked.add(choice);
      }
    }
    if (pod.requiresNodeAffinity()) {
      unchecked.add("node affinity");
    }
    String selected = selector.get(HOSTNAME_LABEL);
    return new NodeConstraints(selected == null ? pod.nodeName() : selected, unchecked);
  }
}
