package dev.cotenant.admission.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.CapacityBench;
import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.TestClusters;
import dev.cotenant.admission.TestPods;
import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateLoop;
import dev.cotenant.admission.gate.port.GateListener;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.MemoryCorrection;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.reservation.Confirmation;
import dev.cotenant.admission.reservation.Reservation;
import dev.cotenant.admission.reservation.Reservation.BoundPod;
import dev.cotenant.admission.reservation.ReservationOutcome;
import dev.cotenant.admission.reservation.ReservationStore;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.admission.review.JsonPatch;
import dev.cotenant.admission.state.LeaderStateSaver;
import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reservations on the ledger of a gate controller that leads, and of one that does not. */
class GateCapacityLedgerTest {
  private static final BoundPod POD = new BoundPod("team-a", "made-0", "uid-0");

  private final ClusterSnapshot cluster =
      new ClusterSnapshot(
          TestClusters.NOW,
          List.of(
              TestClusters.a100(
                  "GPU-a0", "gpu-1", new Tenancy.Shared(List.of()), TestClusters.used(0))));
  private final CapacityBench bench = new CapacityBench(cluster);
  private final FakeProcess process = new FakeProcess();
  private final GateLoop controller =
      new GateLoop(
          new GatePorts(
              () -> cluster,
              new FakePredictor(),
              new SharingDecider(FallbackInterferenceModel.builtIn()),
              new NoWriter(),
              LeaderStateSaver.NONE,
              () -> Policies.of(Policy.DEFAULT),
              _ -> true,
              _ -> Optional.of(DeviceCatalogue.builtIn().require("a100-40gb")),
              MemoryCorrection.NONE,
              GateListener.NONE,
              bench::now),
          GateSettings.DEFAULT,
          process.supervisor);
  private final CapacityLedger capacity =
      new GateCapacityLedger(new GateCalls(controller, () -> Optional.of("cotenant-1")));
  private final Reservations reservations =
      new Reservations(
          bench.decisions(),
          capacity,
          new Reservations.Ports(ReservationStore.PROCESS, bench::now, bench::admissionId));

  @AfterEach
  void end() {
    controller.close();
  }

  private void lead() {
    controller.begin(
        1,
        List.of(),
        List.of(
            new WatchedNode(
                "gpu-1",
                Map.of(
                    WatchedNode.HOSTNAME_LABEL,
                    "gpu-1",
                    "nvidia.com/gpu.product",
                    "NVIDIA-A100-40GB"),
                List.of(),
                true,
                1)));
  }

  private ReservationOutcome reserve(String key) {
    return reservations.reserve(
        new Reservations.Request(
            new Reservation.RequestKey("caller", key, key),
            TestPods.of("team-a", "train", "resnet50", 8)));
  }

  @Test
  void reservesConfirmsAndGivesBack() {
    lead();
    Reservation held = ((ReservationOutcome.Reserved) reserve("k1")).reservation();
    assertThat(held.expiresAt()).isEqualTo(bench.now().plus(GateSettings.DEFAULT.hold()));
    assertThat(capacity.state(held.id())).isEqualTo(GrantState.ALLOCATED);
    assertThat(reserve("k2")).isInstanceOf(ReservationOutcome.Refused.class);

    assertThat(reservations.confirm(held.id(), 1, POD)).isInstanceOf(Confirmation.Confirmed.class);
    assertThat(capacity.state(held.id())).isEqualTo(GrantState.BOUND);
    bench.pass(GateSettings.DEFAULT.hold().multipliedBy(10));
    assertThat(capacity.state(held.id())).isEqualTo(GrantState.BOUND);

    assertThat(reservations.release(held.id())).isTrue();
    assertThat(capacity.state(held.id())).isEqualTo(GrantState.RELEASED);
    assertThat(reserve("k3")).isInstanceOf(ReservationOutcome.Reserved.class);
  }

  @Test
  void givesBackWhatNobodyConfirmed() {
    lead();
    Reservation held = ((ReservationOutcome.Reserved) reserve("k1")).reservation();
    bench.pass(GateSettings.DEFAULT.hold());
    assertThat(capacity.state(held.id())).isEqualTo(GrantState.RELEASED);
    assertThat(reservations.confirm(held.id(), 1, POD)).isInstanceOf(Confirmation.Expired.class);
  }

  @Test
  void answersNothingBeforeItLeadsNorAfter() {
    assertThatThrownBy(() -> reserve("k")).isInstanceOf(NotLeadingException.class);
    lead();
    reserve("k");
    controller.end(1);
    assertThatThrownBy(() -> capacity.state("id-1"))
        .isInstanceOf(NotLeadingException.class)
        .hasMessageContaining("cotenant-1");
    assertThatThrownBy(() -> capacity.release("id-1")).isInstanceOf(NotLeadingException.class);
    assertThatThrownBy(capacity::withGrants).isInstanceOf(NotLeadingException.class);
  }

  /** There are no pods here that could be written to. */
  private static final class NoWriter implements ClusterWriter {
    @Override
    public void read(PodIdentity pod, String uid, Consumer<PodLookupResult> done) {}

    @Override
    public void bind(Binding binding, Consumer<WriteResult> done) {}

    @Override
    public void patch(WatchedPod pod, JsonPatch patch, Consumer<WriteResult> done) {}

    @Override
    public void delete(WatchedPod pod, Consumer<WriteResult> done) {}

    @Override
    public void report(WatchedPod pod, PodEvent event) {}
  }
}
