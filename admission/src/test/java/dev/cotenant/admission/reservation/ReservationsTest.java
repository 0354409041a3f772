package dev.cotenant.admission.reservation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.CapacityBench;
import dev.cotenant.admission.TestClusters;
import dev.cotenant.admission.TestPods;
import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.reservation.Reservation.BoundPod;
import dev.cotenant.admission.reservation.Reservation.RequestKey;
import dev.cotenant.admission.reservation.ReservationOutcome.KeyReused;
import dev.cotenant.admission.reservation.ReservationOutcome.Refused;
import dev.cotenant.admission.reservation.ReservationOutcome.Reserved;
import dev.cotenant.admission.reservation.StoreFailedException.Certainty;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.SummedUtilization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReservationsTest {
  private static final BoundPod POD = new BoundPod("team-a", "made-0", "uid-0");

  private final CapacityBench bench = new CapacityBench(oneGpu());
  private final Reservations reservations = on(bench.capacity(), ReservationStore.PROCESS);

  private static ClusterSnapshot oneGpu() {
    Tenancy free = new Tenancy.Shared(List.of());
    return new ClusterSnapshot(
        TestClusters.NOW,
        List.of(TestClusters.a100("GPU-a0", "gpu-1", free, TestClusters.used(0))));
  }

  private Reservations on(CapacityLedger capacity, ReservationStore store) {
    return new Reservations(
        bench.decisions(), capacity, new Reservations.Ports(store, bench::now, bench::admissionId));
  }

  /**
   * resnet50 with this batch keeps an A100 busy for 40 % + a tenth of it, at most 10 points more.
   */
  private static Reservations.Request requested(String key, int batch) {
    return new Reservations.Request(
        new RequestKey("caller", key, "batch " + batch),
        TestPods.of("team-a", "train", "resnet50", batch));
  }

  private Reservation reserved(String key, int batch) {
    return ((Reserved) reservations.reserve(requested(key, batch))).reservation();
  }

  private Tenancy tenancy() {
    return bench.capacity().withGrants().gpus().getFirst().tenancy();
  }

  private int tenants() {
    return tenancy() instanceof Tenancy.Shared(List<Tenant> tenants) ? tenants.size() : -1;
  }

  @Test
  void givesTheSameReservationToTheSameRequestUnderTheSameKey() {
    Reservation first = reserved("k", 8);
    bench.pass(Duration.ofSeconds(30));

    assertThat(reserved("k", 8)).isEqualTo(first);
    assertThat(first.expiresAt()).isEqualTo(TestClusters.NOW.plus(CapacityBench.HOLD));
    assertThat(first.granted().grants().getFirst().gpuUuid()).isEqualTo("GPU-a0");
    assertThat(tenants()).isEqualTo(1);
  }

  @Test
  void refusesAKeyThatWasUsedForSomethingElse() {
    reserved("k", 8);
    assertThat(reservations.reserve(requested("k", 16))).isInstanceOf(KeyReused.class);
    assertThat(tenants()).isEqualTo(1);
  }

  @Test
  void saysWhyThereIsNoCapacityAndWhatWouldFit() {
    // 40 + 0.8 + 10 = 50.8 % are reserved. Batch b needs 50 + b/10 %, more than the 49.2 % left
    // whatever it is, so nothing fits; the slowdown limit is stricter still.
    reserved("k1", 8);
    ReservationOutcome outcome = reservations.reserve(requested("k2", 64));
    assertThat(outcome).isInstanceOf(Refused.class);
    Refused refused = (Refused) outcome;
    assertThat(refused.decision()).isInstanceOf(Decision.Held.class);
    assertThat(refused.fits()).isNull();
    assertThat(reservations.reserve(requested("k2", 64))).isEqualTo(refused);
    assertThat(reservations.reserve(requested("k2", 65))).isInstanceOf(KeyReused.class);
  }

  @Test
  void namesTheLargestBatchThatWouldHaveBeenReserved() {
    // Alone, memory is 2 GiB + 1 GiB + 64 MiB a sample within 39 GiB less 5 %, 37.05 GiB: 34.05 GiB
    // for samples are 544.8 of them. Nobody keeps a GPU busier than 100 %, which is the limit.
    Refused refused = (Refused) reservations.reserve(requested("k", 5_000));
    assertThat(refused.decision()).isInstanceOf(Decision.Denied.class);
    assertThat(refused.fits())
        .satisfies(fits -> assertThat(Objects.requireNonNull(fits).batchSize()).isEqualTo(544));
  }

  @Test
  void asksAnewAboutARefusalThatIsOld() {
    Reservation first = reserved("k1", 8);
    assertThat(reservations.reserve(requested("k2", 8))).isInstanceOf(Refused.class);
    reservations.release(first.id());
    assertThat(reservations.reserve(requested("k2", 8))).isInstanceOf(Refused.class);
    bench.pass(CapacityBench.HOLD);
    assertThat(reservations.reserve(requested("k2", 8))).isInstanceOf(Reserved.class);
  }

  @Test
  void lapsesUnlessItIsConfirmed() {
    Reservation held = reserved("k", 8);
    bench.pass(CapacityBench.HOLD);

    assertThat(tenants()).isZero();
    assertThat(reservations.find(held.id()).orElseThrow().state()).isEqualTo(GrantState.RELEASED);
    assertThat(reservations.confirm(held.id(), null, POD)).isInstanceOf(Confirmation.Expired.class);
    assertThat(reserved("k", 8)).isEqualTo(held); // the same answer, whose standing says the rest
  }

  @Test
  void becomesAPodsForGood() {
    Reservation held = reserved("k", 8);
    Confirmation confirmed = reservations.confirm(held.id(), 1, POD);
    bench.pass(CapacityBench.HOLD.multipliedBy(100));

    assertThat(confirmed).isInstanceOf(Confirmation.Confirmed.class);
    Reservations.Seen seen = reservations.find(held.id()).orElseThrow();
    assertThat(seen.state()).isEqualTo(GrantState.BOUND);
    assertThat(seen.reservation().version()).isEqualTo(2);
    assertThat(seen.reservation().boundTo()).isEqualTo(POD);
    assertThat(tenancy())
        .isInstanceOfSatisfying(
            Tenancy.Shared.class,
            shared -> assertThat(shared.tenants().getFirst().name()).isEqualTo("team-a/made-0"));
    assertThat(reservations.confirm(held.id(), 1, POD)).isInstanceOf(Confirmation.Confirmed.class);
    assertThat(reservations.confirm(held.id(), 2, new BoundPod("team-a", "other", "uid-1")))
        .isInstanceOf(Confirmation.OtherPod.class);
  }

  @Test
  void confirmsOnlyTheVersionThatTheCallerLookedAt() {
    Reservation held = reserved("k", 8);
    assertThat(reservations.confirm(held.id(), 7, POD)).isInstanceOf(Confirmation.Changed.class);
    assertThat(reservations.confirm("nothing", 1, POD)).isInstanceOf(Confirmation.Unknown.class);
  }

  @Test
  void isGivenBackOnceAndForAll() {
    Reservation held = reserved("k", 8);
    assertThat(reservations.release(held.id())).isTrue();
    assertThat(reservations.release(held.id())).isTrue();
    assertThat(reservations.release("nothing")).isFalse();
    assertThat(tenants()).isZero();
  }

  @Test
  void endsWithThePodThatItWasConfirmedFor() {
    Reservation held = reserved("k", 8);
    reservations.confirm(held.id(), null, POD);
    bench.ledger().releaseEnded(new PodIdentity("team-a", "made-0", null), "uid-0");
    assertThat(tenants()).isZero();
    assertThat(reservations.confirm(held.id(), null, POD)).isInstanceOf(Confirmation.Expired.class);
  }

  @Test
  void grantsNothingThatCannotBeKept() {
    Reservations failing =
        on(
            bench.capacity(),
            new ReservationStore() {
              @Override
              public void put(Reservation reservation, long term) {
                throw new StoreFailedException("the API server is down", Certainty.NOT_DONE);
              }

              @Override
              public void remove(List<String> ids, long term) {}
            });
    assertThatThrownBy(() -> failing.reserve(requested("k", 8)))
        .isInstanceOf(StoreFailedException.class);
    assertThat(tenants()).isZero();
  }

  /** Keeps nothing, and knows at times that its term is over. */
  private static final class Overtaken implements ReservationStore {
    private boolean over;

    @Override
    public void put(Reservation reservation, long term) {}

    @Override
    public void remove(List<String> ids, long term) {}

    @Override
    public void verifyCurrent(String id, long term) {
      if (over) {
        throw new StoreFailedException("the term is over", Certainty.UNKNOWN);
      }
    }
  }

  /** Told that there is none, its caller would let its capacity be held until its pod ends. */
  @Test
  void saysOfNoReservationThatThereIsNoneWhereALaterLeaderMayHaveIt() {
    Overtaken store = new Overtaken();
    Reservations overtaken = on(bench.capacity(), store);
    assertThat(overtaken.find("x")).isEmpty();
    store.over = true;
    assertThatThrownBy(() -> overtaken.find("x")).isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(() -> overtaken.release("x")).isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(() -> overtaken.confirm("x", null, POD))
        .isInstanceOf(StoreFailedException.class);
  }

  /** It may have been given back where the Lease is now. */
  @Test
  void confirmsNothingAgainWhereALaterLeaderMayKnowBetter() {
    Overtaken store = new Overtaken();
    Reservations overtaken = on(bench.capacity(), store);
    Reservation made = ((Reserved) overtaken.reserve(requested("k", 8))).reservation();
    assertThat(overtaken.confirm(made.id(), null, POD)).isInstanceOf(Confirmation.Confirmed.class);
    assertThat(overtaken.confirm(made.id(), null, POD)).isInstanceOf(Confirmation.Confirmed.class);
    store.over = true;
    assertThatThrownBy(() -> overtaken.confirm(made.id(), null, POD))
        .isInstanceOf(StoreFailedException.class);
  }

  @Test
  void answersNothingWhereItDoesNotLead() {
    Reservations follower = on(new Follower(), ReservationStore.PROCESS);
    assertThatThrownBy(() -> follower.reserve(requested("k", 8)))
        .isInstanceOf(NotLeadingException.class);
    assertThatThrownBy(() -> follower.find("x")).isInstanceOf(NotLeadingException.class);
    assertThatThrownBy(() -> follower.release("x")).isInstanceOf(NotLeadingException.class);
    assertThatThrownBy(() -> follower.confirm("x", null, POD))
        .isInstanceOf(NotLeadingException.class)
        .hasMessageContaining("cotenant-1");
  }

  @Test
  void knowsWhatAnEarlierLeaderGranted() {
    Reservation held = reserved("k", 8);
    Reservations next = on(bench.capacity(), ReservationStore.PROCESS);
    next.restore(List.of(held));

    assertThat(next.reserve(requested("k", 8))).isEqualTo(new Reserved(held));
    assertThat(next.confirm(held.id(), 1, POD)).isInstanceOf(Confirmation.Confirmed.class);
  }

  @Test
  void neverGrantsMoreThanThereIsHoweverManyAskAtOnce() throws Exception {
    // densenet121 with batch 1: at most 35 + 0.1 + 10 = 45.1 % each, so two of 200 at most.
    List<Callable<ReservationOutcome>> requests =
        IntStream.range(0, 200)
            .<Callable<ReservationOutcome>>mapToObj(i ->
                () ->
                    reservations.reserve(
                        new Reservations.Request(
                            new RequestKey("caller", "key-" + i, "same"),
                            TestPods.of("team-a", "train-" + i, "densenet121", 1))))
            .toList();
    List<ReservationOutcome> outcomes = atOnce(requests);

    long granted = outcomes.stream().filter(Reserved.class::isInstance).count();
    assertThat(granted).isBetween(1L, 2L);
    assertThat(tenants()).isEqualTo((int) granted);
    Tenancy.Shared shared = (Tenancy.Shared) tenancy();
    assertThat(
            shared.tenants().stream()
                .map(tenant -> tenant.utilization().upper())
                .reduce(SummedUtilization.ZERO, SummedUtilization::plus, (a, _) -> a))
        .isLessThanOrEqualTo(SharingLimits.DEFAULT.summedUtilization());
  }

  /**
   * A call whose term ended in its middle noted the pod after the next term of the same process had
   * read the reservation again without one: nobody could confirm it any more.
   */
  @Test
  void confirmsWhatAnEndedTermCouldNotPersist() {
    NextTerm capacity = new NextTerm(bench.capacity());
    AtomicBoolean ended = new AtomicBoolean();
    Reservations two =
        on(
            capacity,
            new ReservationStore() {
              @Override
              public void put(Reservation reservation, long term) {
                if (ended.getAndSet(false)) {
                  throw new StoreFailedException(
                      "the term has ended", StoreFailedException.Certainty.NOT_DONE);
                }
              }

              @Override
              public void remove(List<String> ids, long term) {}
            });
    Reservation made = ((Reserved) two.reserve(requested("k", 8))).reservation();
    capacity.onConfirm =
        () -> {
          capacity.now = new CapacityBench(oneGpu()).capacity();
          CapacityRequest capacityRequest =
              new CapacityRequest(made.id(), TestPods.of("team-a", "train", "resnet50", 8));
          capacity.allocate(
              capacityRequest, bench.decisions().prepare(capacityRequest.request(), oneGpu())::on);
          two.restore(List.of(made));
          ended.set(true);
        };
    assertThatThrownBy(() -> two.confirm(made.id(), null, POD))
        .isInstanceOf(StoreFailedException.class);

    assertThat(two.confirm(made.id(), null, new BoundPod("team-a", "other", "uid-1")))
        .isInstanceOf(Confirmation.Confirmed.class);
    assertThat(two.confirm(made.id(), null, POD)).isInstanceOf(Confirmation.OtherPod.class);
    assertThat(capacity.state(made.id())).isEqualTo(GrantState.BOUND);
  }

  @Test
  void grantsOnceHoweverOftenOneRequestIsRepeatedAtOnce() throws Exception {
    List<ReservationOutcome> outcomes =
        atOnce(
            IntStream.range(0, 200)
                .<Callable<ReservationOutcome>>mapToObj(
                    _ -> () -> reservations.reserve(requested("the same", 8)))
                .toList());
    Set<ReservationOutcome> different = outcomes.stream().collect(Collectors.toSet());
    assertThat(different).hasSize(1);
    assertThat(tenants()).isEqualTo(1);
  }

  private static <T> List<T> atOnce(List<Callable<T>> requests) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(32)) {
      List<T> results = new ArrayList<>();
      for (Future<T> future : threads.invokeAll(requests)) {
        results.add(future.get());
      }
      return results;
    }
  }

  private static final class Follower implements CapacityLedger {
    private static NotLeadingException notLeading() {
      return new NotLeadingException("cotenant-1");
    }

    @Override
    public long term() {
      throw notLeading();
    }

    @Override
    public ClusterSnapshot withGrants() {
      throw notLeading();
    }

    @Override
    public Allocation allocate(
        CapacityRequest capacityRequest, Function<ClusterSnapshot, Decision> decide) {
      throw notLeading();
    }

    @Override
    public GrantState state(String admissionId) {
      throw notLeading();
    }

    @Override
    public boolean confirm(String admissionId, PodIdentity pod, String uid) {
      throw notLeading();
    }

    @Override
    public boolean release(String admissionId) {
      throw notLeading();
    }
  }

  /** A ledger in whose confirmation another term begins. */
  private static final class NextTerm implements CapacityLedger {
    private CapacityLedger now;
    private Runnable onConfirm = () -> {};

    NextTerm(CapacityLedger now) {
      this.now = now;
    }

    @Override
    public long term() {
      return now.term();
    }

    @Override
    public ClusterSnapshot withGrants() {
      return now.withGrants();
    }

    @Override
    public Allocation allocate(
        CapacityRequest capacityRequest, Function<ClusterSnapshot, Decision> decide) {
      return now.allocate(capacityRequest, decide);
    }

    @Override
    public GrantState state(String admissionId) {
      return now.state(admissionId);
    }

    @Override
    public boolean confirm(String admissionId, PodIdentity pod, String uid) {
      boolean isConfirmed = now.confirm(admissionId, pod, uid);
      Runnable then = onConfirm;
      onConfirm = () -> {};
      then.run();
      return isConfirmed;
    }

    @Override
    public boolean release(String admissionId) {
      return now.release(admissionId);
    }
  }
}
