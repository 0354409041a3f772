package dev.cotenant.admission.gate;

import dev.cotenant.admission.CapacityBench;
import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.TestClusters;
import dev.cotenant.admission.capacity.GateCalls;
import dev.cotenant.admission.capacity.GateCapacityLedger;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.gate.port.GateListener;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.MemoryCorrection;
import dev.cotenant.admission.history.Call;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.reservation.PersistedReservations;
import dev.cotenant.admission.reservation.Reservation;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.admission.state.Documents;
import dev.cotenant.admission.state.FakeDocuments;
import dev.cotenant.admission.state.FakeDocuments.Fate;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderStateSaver;
import dev.cotenant.admission.state.LeaderStateStore;
import dev.cotenant.admission.state.NotClaimedException;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Mode Enforce: two gate controllers on threads of their own, one of which leads, and the documents
 * in which leaders keep reservations. Writes are lost or late, and who lost the Lease may not know.
 */
final class TwoReplicas extends HistoryWorld {
  private final FakeDocuments documents = new FakeDocuments();
  private final Random fates;
  private final AtomicInteger ids = new AtomicInteger();

  /** On nodes of their own: of one node the kubelet chooses, whatever was named. */
  private final FakeGpus gpus =
      new FakeGpus(Map.of("n1", List.of(GPUS.get(0)), "n2", List.of(GPUS.get(1))));

  private final List<Member> members = IntStream.range(0, 2).mapToObj(_ -> new Member()).toList();
  private volatile boolean calm;
  private volatile Member leader;
  private long term;

  TwoReplicas(int seed) {
    fates = new Random(seed);
    leader = members.getFirst();
    calm = true;
    lead(leader);
    calm = false;
  }

  /** One replica. */
  private final class Member {
    private final FakeProcess process = new FakeProcess();
    private final GateLoop loop;
    private final PersistedReservations kept;
    private final Reservations reservations;
    private long term;

    Member() {
      SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());
      Policies policies = Policies.of(Policy.DEFAULT);
      loop =
          new GateLoop(
              new GatePorts(
                  () -> gpus.measure(TestClusters.NOW, List.of(), Set.of()),
                  new FakePredictor(),
                  decider,
                  new Replica.Nowhere(),
                  LeaderStateSaver.NONE,
                  () -> policies,
                  _ -> true,
                  _ -> DeviceCatalogue.builtIn().find("a100-40gb"),
                  MemoryCorrection.NONE,
                  GateListener.NONE,
                  () -> TestClusters.NOW),
              GateSettings.DEFAULT,
              process.supervisor);
      kept =
          new PersistedReservations(
              new LeaderStateStore(seen(), "reservations", 2),
              _ -> false,
              () -> TestClusters.NOW,
              _ -> {});
      reservations =
          new Reservations(
              new PodDecisions(
                  new DecisionPorts(
                      () -> gpus.measure(TestClusters.NOW, List.of(), Set.of()),
                      new FakePredictor(),
                      decider,
                      () -> TestClusters.NOW),
                  policies,
                  new Ledger(() -> TestClusters.NOW, CapacityBench.HOLD)),
              new GateCapacityLedger(new GateCalls(loop, Optional::empty)),
              new Reservations.Ports(
                  kept, () -> TestClusters.NOW, () -> "id-" + ids.incrementAndGet()));
    }
  }

  private Documents seen() {
    Documents all = documents.seenWith(() -> Fate.of(calm ? 99 : fates.nextInt(20)));
    return new Documents() {
      @Override
      public ReadResult read(String name) {
        synchronized (documents) {
          return all.read(name);
        }
      }

      @Override
      public WriteOutcome write(String name, @Nullable String version, Content content) {
        synchronized (documents) {
          return all.write(name, version, content);
        }
      }
    };
  }

  @Override
  Reservations reservations(Random random) {
    return (random.nextInt(4) == 0 ? members.get(random.nextInt(2)) : leader).reservations;
  }

  /** One that does not lead any more refuses by what it knew, which says nothing of the others. */
  @Override
  Call refused(String holder) {
    return new Call.RefusedPerhapsWrongly(holder);
  }

  @Override
  void disturb(Random random) {
    switch (random.nextInt(3)) {
      case 0 -> arrive();
      case 1 -> lead(members.get(random.nextInt(2)));
      default -> learn();
    }
  }

  private void arrive() {
    synchronized (documents) {
      documents.arrive();
    }
  }

  /** A replica gets the Lease; who had it may not know that yet. */
  private synchronized void lead(Member next) {
    long now = ++term;
    try {
      List<PersistedState.Reserved> claimed =
          next.kept.claim(now).stream()
              .map(one -> new PersistedState.Reserved(one.id(), one.grant()))
              .toList();
      next.term = now;
      next.loop.begin(now, listed(), new PersistedState(claimed, LeaderState.NONE));
      leader = next;
    } catch (NotClaimedException _) {
      // Nobody new leads.
    }
  }

  private GateFeed.Listed listed() {
    return new GateFeed.Listed(List.of(), gpus.nodes(), List.of());
  }

  /** Who does not lead learns that. */
  private synchronized void learn() {
    for (Member member : members) {
      if (member != leader && member.term != 0) {
        member.loop.end(member.term);
        member.term = 0;
      }
    }
  }

  /** What the next leader reads is what there is. */
  @Override
  void end() {
    calm = true;
    arrive();
    List<Reservation> truth = members.getLast().kept.claim(++term);
    Set<String> stored = new HashSet<>();
    for (Reservation one : truth) {
      stored.add(one.key().name());
      history.make(
          () -> new Call.Granted(one.key().name(), one.granted().grants().getFirst().gpuUuid()));
    }
    for (String holder : reserved.keySet()) {
      if (!stored.contains(holder)) {
        history.make(() -> new Call.NothingReleased(holder));
      }
    }
  }

  @Override
  public void close() {
    members.forEach(member -> member.loop.close());
    members.forEach(member -> member.process.supervisor.close());
  }
}
