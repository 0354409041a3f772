package dev.cotenant.simulator.gate;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateController;
import dev.cotenant.admission.gate.port.GateListener;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.OomBackoff;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy.GpuAssignment;
import dev.cotenant.admission.state.LeaderStateSaver;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.AdjustedPredictor;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.world.GpuView;
import dev.cotenant.simulator.world.JobView;
import dev.cotenant.simulator.world.OwnQueue;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.Placement.Access;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.View;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The product's gate controller [ADR 20] on a simulated cluster: the classes that run live, with
 * their queue, ledger, back-fill, waiting times and correction of memory after failures, under the
 * default policy but for GPU assignment, which is {@code visible-devices} so that nodes with
 * several GPUs can share.
 *
 * <p>A job is a gated pod; its grant starts it at once. GPUs are read every 15 s, as by default. A
 * cycle follows each instant with events and, while pods wait, each reading. A job that ran out of
 * memory comes back as a new pod, on the raised estimate of its model. Nothing reports why pods
 * wait.
 */
public final class Gate implements Policy, OwnQueue {
  /** The default of {@code cotenant.prometheus.refresh-interval}. */
  private static final Duration REFRESH = Duration.ofSeconds(15);

  private static final Duration WINDOW = Duration.ofMinutes(5);
  private static final String NAMESPACE = "jobs";
  private static final long TERM = 1;

  // No test or policy reads status reports here: each waiting pod gets its first one alone.
  private static final GateSettings SETTINGS =
      new GateSettings(
          GateSettings.DEFAULT.fence(),
          GateSettings.DEFAULT.leakAfter(),
          Duration.ofDays(3_650),
          GateSettings.DEFAULT.retryFirst(),
          GateSettings.DEFAULT.retryMost(),
          GateSettings.DEFAULT.resubmissions(),
          GateSettings.DEFAULT.unschedulableAfter(),
          GateSettings.DEFAULT.hold(),
          GateSettings.DEFAULT.nomination());

  private final Policies policies;
  private final JobModels models = new JobModels();
  private final ApiServer server = new ApiServer(this::instant, this::seen, this::ungated);
  private final GateController controller;
  private final Deque<Runnable> inbox = new ArrayDeque<>();
  private final Map<String, GpuView> gpus = new TreeMap<>();
  private final Map<JobView, String> pods = new HashMap<>();
  private final Map<String, JobView> jobs = new HashMap<>();
  private final Map<GpuView, List<JobView>> running = new HashMap<>();
  private final List<Assignment> granted = new ArrayList<>();
  private Duration now = Duration.ZERO;
  private Duration changedAt = Duration.ZERO;
  private @Nullable Duration measuredAt;

  /**
   * @param limits of every job
   * @param mayShare whether jobs of two configurations may share a GPU at all
   */
  public Gate(SharingDecider decider, SharingLimits limits, BiPredicate<String, String> mayShare) {
    policies =
        Policies.of(
            dev.cotenant.admission.policy.Policy.DEFAULT
                .with(copy -> copy.limits = DeviceLimits.of(limits))
                .with(copy -> copy.gpuAssignment = GpuAssignment.VISIBLE_DEVICES));
    OomBackoff backoff = new OomBackoff(this::instant);
    GatePorts ports =
        new GatePorts(
            this::measured,
            new AdjustedPredictor(models, backoff),
            decider.where((one, other) -> mayShare.test(configuration(one), configuration(other))),
            server,
            LeaderStateSaver.NONE,
            () -> policies,
            _ -> true,
            _ -> Optional.empty(),
            backoff,
            GateListener.NONE,
            this::instant);
    controller = new GateController(ports, SETTINGS, inbox::add);
  }

  private Instant instant() {
    return Instant.EPOCH.plus(now);
  }

  private String configuration(String pod) {
    JobView job = jobs.get(pod.substring(NAMESPACE.length() + 1));
    if (job == null) {
      throw new IllegalStateException("decided on an unknown pod " + pod);
    }
    return job.submission().configuration();
  }

  @Override
  public Optional<OwnQueue> ownQueue() {
    return Optional.of(this);
  }

  @Override
  public Placement place(JobView job, View view) {
    throw new IllegalStateException("the gate's own queue starts jobs");
  }

  /** The simulation's queue orders nothing. */
  @Override
  public Object schedulingClass(JobView job) {
    return this;
  }

  @Override
  public void queued(JobView job) {
    String name =
        String.format(
            Locale.ROOT, "job-%012d-%d", job.number(), job.outOfMemoryKills() + job.moves());
    pods.put(job, name);
    jobs.put(name, job);
    PodRequest.Colocatable request =
        new PodRequest.Colocatable(
            new PodIdentity(NAMESPACE, name, null),
            new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
            new WorkloadAnnotations(
                models.of(job.submission()),
                1,
                RunSettings.DEFAULT,
                null,
                null,
                null,
                null,
                List.of()),
            new NodeConstraints(null, List.of()));
    inbox.add(() -> server.create(name, request));
  }

  @Override
  public void finished(JobView job) {
    end(job, false);
  }

  /** Jobs that left it without having finished ran out of memory: no review moves any. */
  @Override
  public void changed(GpuView gpu) {
    gpus.put(gpu.uuid(), gpu);
    List<JobView> tenants = List.copyOf(gpu.tenants());
    List<JobView> before = running.put(gpu, tenants);
    for (JobView job : before == null ? List.<JobView>of() : before) {
      if (!tenants.contains(job)) {
        end(job, true);
      }
    }
  }

  private void end(JobView job, boolean outOfMemory) {
    String pod = pods.remove(job);
    if (pod != null) {
      inbox.add(() -> {
        if (outOfMemory) {
          server.runOutOfMemory(pod);
        }
        inbox.add(() -> gone(pod)); // after the events of its last state
      });
    }
  }

  private void gone(String pod) {
    server.remove(pod);
    controller.podGone(TERM, pod);
    jobs.remove(pod);
  }

  private ClusterSnapshot measured() {
    List<GpuSnapshot> measured = new ArrayList<>(gpus.size());
    for (GpuView gpu : gpus.values()) {
      measured.add(
          new GpuSnapshot(
              gpu.uuid(),
              gpu.node(),
              gpu.kind().device(),
              gpu.kind().capacity(),
              new Tenancy.Shared(List.of()),
              new MemoryObservation.Measured(
                  gpu.usedMemory(), gpu.usedMemory(), Duration.ZERO, WINDOW, List.of())));
    }
    return new ClusterSnapshot(instant(), measured);
  }

  @Override
  public List<Assignment> assign(View view) {
    now = view.now();
    if (measuredAt == null) {
      measuredAt = now;
      controller.begin(TERM, List.of(), nodes());
    } else if (now.minus(REFRESH).compareTo(measuredAt) >= 0) {
      measuredAt = now;
      controller.readingsRefreshed();
    }
    if (!inbox.isEmpty()) {
      changedAt = now;
    }
    drain();
    controller.runCycle();
    drain();
    List<Assignment> starts = List.copyOf(granted);
    granted.clear();
    return starts;
  }

  private Collection<WatchedNode> nodes() {
    Map<String, Integer> counts = new TreeMap<>();
    gpus.values().forEach(gpu -> counts.merge(gpu.node(), 1, Integer::sum));
    List<WatchedNode> nodes = new ArrayList<>();
    counts.forEach((name, count) ->
        nodes.add(
            new WatchedNode(
                name, Map.of(WatchedNode.HOSTNAME_LABEL, name), List.of(), true, count)));
    return nodes;
  }

  private void drain() {
    while (!inbox.isEmpty()) {
      inbox.removeFirst().run();
    }
  }

  /** An event of the API server. */
  private void seen(WatchedPod pod) {
    inbox.add(() -> controller.podSeen(TERM, pod));
  }

  private void ungated(WatchedPod pod) {
    JobView job = jobs.get(pod.uid());
    String uuid = pod.annotations().getOrDefault(CotenantAnnotations.ASSIGNED_GPU, "");
    GpuView gpu = gpus.get(uuid);
    if (gpu == null || job == null) {
      throw new IllegalStateException(pod.uid() + " is ungated for GPU '" + uuid + "'");
    }
    String decision = pod.annotations().get(CotenantAnnotations.DECISION);
    granted.add(
        new Assignment(
            job,
            new Placement.Start(
                gpu,
                GrantAnnotations.EXCLUSIVE.equals(decision) ? Access.CLOSED : Access.OPEN,
                null)));
  }

  /** The next reading; none where nothing runs and no pod's wait is still to end. */
  @Override
  public Optional<Duration> next() {
    boolean isStill =
        now.minus(changedAt).compareTo(policies.standard().queue().maxWait()) > 0
            && running.values().stream().allMatch(List::isEmpty);
    Duration since = measuredAt == null ? Duration.ZERO : now.minus(measuredAt);
    return isStill ? Optional.empty() : Optional.of(REFRESH.minus(since));
  }

  /** The invariants of the controller's state that are broken; empty unless it has a defect. */
  List<String> brokenInvariants() {
    return controller.brokenInvariants();
  }
}
