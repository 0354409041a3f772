package dev.cotenant.admission.gate;

import dev.cotenant.admission.CapacityBench;
import dev.cotenant.admission.TestClusters;
import dev.cotenant.admission.history.Call;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.reservation.ReservationStore;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/** Mode Immediate: reservations, and pods that the webhooks grant GPUs, on one ledger. */
final class OneProcess extends HistoryWorld {
  private final CapacityBench bench = new CapacityBench(cluster());
  private final Reservations reservations =
      new Reservations(
          bench.decisions(),
          bench.capacity(),
          new Reservations.Ports(ReservationStore.PROCESS, bench::now, bench::admissionId));

  /** Granted by reviews: by holder the node. */
  private final Map<String, String> reviewed = new ConcurrentHashMap<>();

  private static ClusterSnapshot cluster() {
    return new ClusterSnapshot(
        TestClusters.NOW,
        GPUS.stream()
            .map(gpu ->
                TestClusters.a100(
                    gpu, "gpu-1", new Tenancy.Shared(List.of()), TestClusters.used(0)))
            .toList());
  }

  @Override
  Reservations reservations(Random random) {
    return reservations;
  }

  @Override
  Call refused(String holder) {
    return new Call.Refused(holder);
  }

  @Override
  void call(String caller, Random random) {
    List<String> known = List.copyOf(reviewed.keySet());
    int which = random.nextInt(6);
    if (which == 0) {
      review(caller);
    } else if (which < 3 && !known.isEmpty()) {
      String holder = known.get(random.nextInt(known.size()));
      if (which == 1) {
        bind(holder);
      } else {
        release(holder);
      }
    } else {
      super.call(caller, random);
    }
  }

  private void review(String holder) {
    history.make(() -> {
      Decision decision = bench.decisions().decideOnReview(pod(holder), holder).decision();
      if (!(decision instanceof Decision.Admitted admitted)) {
        return new Call.Refused(holder);
      }
      reviewed.put(holder, admitted.grants().getFirst().node());
      return new Call.Granted(holder, admitted.grants().getFirst().gpuUuid());
    });
  }

  private void bind(String holder) {
    String node = reviewed.getOrDefault(holder, "");
    history.make(() ->
        bench.ledger().bind(holder, pod(holder).onNode(node), "uid") instanceof Ledger.Confirmed
            ? new Call.Bound(holder, "uid")
            : new Call.NotBound(holder));
  }

  private void release(String holder) {
    history.make(() ->
        bench.ledger().release(holder)
            ? new Call.Released(holder)
            : new Call.NothingReleased(holder));
  }

  /** The clock is read once by each call, at some moment of it. */
  @Override
  void disturb(Random random) {
    history.make(() -> {
      bench.pass(CapacityBench.HOLD.plus(Duration.ofSeconds(1)));
      return new Call.Lapsed();
    });
  }

  @Override
  void end() {
    bench
        .ledger()
        .entries()
        .forEach(entry ->
            history.make(() ->
                new Call.Granted(
                    holder(entry.capacityRequest().admissionId()),
                    entry.admitted().grants().getFirst().gpuUuid())));
  }

  private String holder(String admissionId) {
    return reserved.entrySet().stream()
        .filter(one -> one.getValue().equals(admissionId))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(admissionId);
  }

  @Override
  public void close() {}
}
