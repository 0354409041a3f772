package dev.cotenant.service.gate;

import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.gate.GateLoop;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.MemoryCorrection;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.LoopContext;
import dev.cotenant.admission.kubernetes.leader.LeaderLabel;
import dev.cotenant.admission.kubernetes.leader.Leadership;
import dev.cotenant.admission.kubernetes.read.PodLookup;
import dev.cotenant.admission.kubernetes.state.ConfigMapState;
import dev.cotenant.admission.kubernetes.state.ConfigMaps;
import dev.cotenant.admission.kubernetes.state.LeaderStateLoop;
import dev.cotenant.admission.kubernetes.watch.ClusterWatch;
import dev.cotenant.admission.kubernetes.watch.OptedInNamespaces;
import dev.cotenant.admission.kubernetes.write.FabricWriter;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.admission.reservation.ReservationStore;
import dev.cotenant.admission.reservation.StoreFailedException;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.cluster.ClusterSource;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.service.configuration.KubernetesSettings;
import dev.cotenant.service.tracing.GateTracing;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jboss.logging.Logger;

/**
 * The gate controller of this process with everything it needs: it competes for the Lease, and
 * while it leads it watches the cluster, decides, and writes.
 */
public final class GateControllerRuntime {
  private static final Logger LOG = Logger.getLogger(GateControllerRuntime.class);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

  /** Far less than a pod has to end. */
  private static final Duration HAND_OVER_WITHIN = Duration.ofSeconds(2);

  private final Leadership leadership;
  private final ClusterWatch watch;
  private final GateLoop loop;
  private final FabricWriter writer;
  private final ConfigMapState state;
  private final LeaderLabel label;
  private final LeaderStateLoop stateLoop;
  private final GateGauges gauges;
  private final Supervisor supervisor;
  private final PeriodicTasks looks;

  /**
   * By what it decides.
   *
   * @param readings GPUs as they were measured
   * @param predictor predictions for registered models
   * @param decider decides
   * @param policies policies by namespace
   * @param products the product that a node's label names
   * @param corrections receives models that need more memory than was predicted
   * @param settings timeouts and retries
   * @param tracing traces of decisions and patches
   * @param recorded takes every decision, and must not wait
   * @param clock the time of day; leadership counts by another one, which never jumps
   */
  public record Parts(
      ClusterSource readings,
      WorkloadPredictor predictor,
      SharingDecider decider,
      Policies policies,
      Function<String, Optional<Device>> products,
      MemoryCorrection corrections,
      GateSettings settings,
      GateTracing tracing,
      Consumer<DecisionRecord> recorded,
      InstantSource clock) {}

  /**
   * @param cluster where it is, and who runs the loops
   * @param lease by which one process leads, and who wants it
   * @param parts by what it decides
   * @param meters take its metrics
   */
  public GateControllerRuntime(
      LoopContext cluster, Identified lease, Parts parts, MeterRegistry meters) {
    ApiServer server = cluster.server();
    supervisor = cluster.supervisor();
    GateMetrics metrics = new GateMetrics(meters, parts);
    OptedInNamespaces optedIn = new OptedInNamespaces();
    state =
        new ConfigMapState(
            new ConfigMaps(server, lease.lease().namespace(), this::isLeading, LOG::warn),
            lease.lease().name(),
            new PodLookup(server),
            LOG::warn);
    stateLoop = new LeaderStateLoop(state::write, supervisor);
    writer = new FabricWriter(cluster, this::isLeading, lease.identity(), metrics);
    loop =
        new GateLoop(
            new GatePorts(
                parts.readings(),
                parts.predictor(),
                parts.decider(),
                parts.tracing().writing(writer),
                stateLoop,
                parts::policies,
                optedIn,
                parts.products(),
                parts.corrections(),
                metrics,
                parts.clock()),
            parts.settings(),
            supervisor);
    watch = new ClusterWatch(cluster, loop, new ClusterWatch.Beside(optedIn, state), LOG::warn);
    label =
        new LeaderLabel(
            cluster,
            new LeaderLabel.Candidate(lease.lease().namespace(), lease.pod(), this::isLeading),
            LOG::warn);
    leadership =
        new Leadership(cluster, lease.settings(), watch.and(label), LOG::info, parts.clock());
    gauges = new GateGauges(this, meters, parts.clock());
    looks = new PeriodicTasks(LOOK_EVERY, gauges::countUnmanaged);
  }

  /**
   * A Lease and who wants it.
   *
   * @param lease which
   * @param identity of this process, different from every other's
   */
  public record Identified(KubernetesSettings.Lease lease, String identity) {
    /** The pod of this process, which is its host: the identity without its last part. */
    private String pod() {
      int end = identity.lastIndexOf('_');
      return end < 0 ? identity : identity.substring(0, end);
    }

    private Leadership.Settings settings() {
      return new Leadership.Settings(
          lease.namespace(),
          lease.name(),
          identity,
          lease.duration(),
          lease.renewDeadline(),
          lease.retryPeriod());
    }
  }

  /** Begins to compete for the Lease. */
  public void start() {
    gauges.show();
    looks.start(supervisor);
    leadership.start();
  }

  /** Has a task done every half minute while this process decides; what fails is logged. */
  public void everyHalfMinute(Runnable task) {
    looks.add(() -> whileDeciding(task));
  }

  private void whileDeciding(Runnable task) {
    try {
      if (isDeciding()) {
        task.run();
      }
    } catch (NotLeadingException | StoreFailedException e) {
      LOG.debugf("Postponed to the next cycle: %s", e.getMessage());
    }
  }

  /** Stops deciding, leaves the next leader its notes, gives the Lease back, and ends. */
  public void stop() {
    looks.stop();
    handOver();
    leadership.close();
    label.close();
    loop.close();
    stateLoop.close();
  }

  /**
   * What was noted last may be seconds old; where more cannot be noted soon, the next leader has
   * that.
   */
  private void handOver() {
    CompletableFuture<Boolean> noted = new CompletableFuture<>();
    CompletableFuture<Boolean> handedOver =
        loop.call(
                controller -> {
                  controller.handOver(() -> noted.complete(true));
                  return true;
                })
            .thenCompose(_ -> noted);
    try {
      handedOver.get(HAND_OVER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException | CancellationException e) {
      LOG.warnf("The next leader may not know which pods were skipped in the last seconds: %s", e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** The controller. */
  public GateLoop loop() {
    return loop;
  }

  /** State after its last pass; empty unless this process leads. */
  public GateView view() {
    return isLeading() ? loop.view() : GateView.NOT_LEADING;
  }

  /** Reports a warning as an Event of a granted pod, while this process leads. */
  public void report(PodIdentity pod, String reason, String message) {
    GateView.Holding holding = view().granted().get(pod);
    if (holding != null) {
      writer.report(holding.pod(), StatusReport.warning(reason, message));
    }
  }

  /** Keeps reservations for the next leader. */
  public ReservationStore reservations() {
    return state.reservations();
  }

  /** Who leads, as far as this process knows. */
  public Optional<String> leader() {
    return leadership.leader();
  }

  /** Measurements are new. */
  public void readingsRefreshed() {
    loop.readingsRefreshed();
  }

  /** Speeds or latencies of pods were measured, for the guard. */
  public void measured(List<Sample> samples) {
    loop.measured(samples);
  }

  /** Servers of language models serve, by the uid of the pod and when that was seen. */
  public void serving(Map<String, Instant> seen) {
    loop.serving(seen);
  }

  /** Whether this process leads, has seen the whole cluster, and decides. */
  public boolean isDeciding() {
    return watch.isSynced() && view().isReady();
  }

  private boolean isLeading() {
    return leadership.isLeading();
  }

  long term() {
    return leadership.term();
  }

  Optional<Duration> watchAge() {
    return watch.age();
  }

  long skippedObjects() {
    return watch.skipped();
  }
}
