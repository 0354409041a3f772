package dev.cotenant.admission.reservation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.CapacityBench;
import dev.cotenant.admission.TestClusters;
import dev.cotenant.admission.TestPods;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.reservation.Reservation.BoundPod;
import dev.cotenant.admission.reservation.Reservation.RequestKey;
import dev.cotenant.admission.reservation.ReservationOutcome.Reserved;
import dev.cotenant.admission.reservation.StoreFailedException.Certainty;
import dev.cotenant.admission.state.FakeDocuments;
import dev.cotenant.admission.state.FakeDocuments.Fate;
import dev.cotenant.admission.state.LeaderStateStore;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Reservations on documents, which the next leader reads. */
class PersistedReservationsTest {
  private static final BoundPod POD = new BoundPod("team-a", "made-0", "uid-0");

  private final CapacityBench bench =
      new CapacityBench(
          new ClusterSnapshot(
              TestClusters.NOW,
              List.of(
                  TestClusters.a100(
                      "GPU-a0", "gpu-1", new Tenancy.Shared(List.of()), TestClusters.used(0)))));
  private final FakeDocuments documents = new FakeDocuments();
  private final List<String> log = new ArrayList<>();
  private final Set<BoundPod> gone = new HashSet<>();
  private Fate fate = Fate.DONE;
  private final PersistedReservations store =
      new PersistedReservations(
          new LeaderStateStore(documents.seenWith(() -> fate), "r", 1),
          gone::contains,
          bench::now,
          log::add);
  private final Reservations reservations =
      new Reservations(
          bench.decisions(),
          bench.capacity(),
          new Reservations.Ports(store, bench::now, bench::admissionId));

  /** The ledger of this capacity has no terms: 0 is what it asks things to be kept for. */
  private List<Reservation> next(long term) {
    return new PersistedReservations(
            new LeaderStateStore(documents.seenWith(() -> Fate.DONE), "r", 1),
            gone::contains,
            bench::now,
            log::add)
        .claim(term);
  }

  private static Reservations.Request requested(String caller, String name) {
    return new Reservations.Request(
        new RequestKey(caller, name, "f"), TestPods.of("team-a", "train", "resnet50", 8));
  }

  private static Reservation reservation(CapacityBench bench, Reservations reservations) {
    assertThat(bench.capacity().term()).isZero();
    return ((Reserved) reservations.reserve(requested("alice", "k"))).reservation();
  }

  private static Reservation kept(Reservation reservation) {
    return ReservationCodec.read(reservation.id(), ReservationCodec.write(reservation));
  }

  private Reservation unsaved() {
    Reservations plain =
        new Reservations(
            bench.decisions(),
            bench.capacity(),
            new Reservations.Ports(ReservationStore.PROCESS, bench::now, bench::admissionId));
    return reservation(bench, plain);
  }

  @Test
  void readsBackAllThatCapacityIsReckonedWith() {
    Reservation made = unsaved();
    Reservation read = kept(made);

    assertThat(read.key()).isEqualTo(made.key());
    assertThat(read.request()).isEqualTo(made.request());
    assertThat(read.expiresAt()).isEqualTo(made.expiresAt());
    Grant before = made.granted().grants().getFirst();
    Grant after = read.granted().grants().getFirst();
    assertThat(after).isEqualTo(before);
    assertThat(read.grant().occupant()).isEqualTo(made.grant().occupant());
    assertThat(read.grant().state()).isEqualTo(new PodGrant.Allocated(made.expiresAt()));
    assertThat(read.granted().evidence().sentence())
        .isEqualTo(made.granted().evidence().sentence());
    assertThat(kept(read)).isEqualTo(read);

    Reservation bound = kept(made.confirmedFor(POD));
    assertThat(bound.grant().key()).isEqualTo("uid-0");
    assertThat(bound.boundTo()).isEqualTo(POD);
  }

  @Test
  void namesAndSkipsWhatCannotBeReadAndLeavesItThere() {
    Map<String, String> entries = new HashMap<>();
    entries.put("good", ReservationCodec.write(unsaved()));
    entries.put("no-json", "{");
    entries.put("empty", "");
    entries.put("other-format", "{\"format\":2}");
    entries.put("nothing-in-it", "{\"format\":1}");
    entries.put("array", "[]");
    entries.put(
        "two-nodes",
        Objects.requireNonNull(entries.get("good")).replace("\"grants\":[", "\"grants\":[{},"));
    entries.put(
        "negative", Objects.requireNonNull(entries.get("good")).replaceAll("\"mean\":", "$0-"));
    documents.overwrite("r-0", 0, entries);

    assertThat(next(1)).extracting(Reservation::id).containsExactly("good");
    assertThat(log)
        .hasSize(7)
        .allMatch(line -> line.startsWith("Left out the reservation '"))
        .anyMatch(line -> line.contains("'no-json': A persisted reservation is not valid JSON."));
    assertThat(documents.entries("r-0")).containsOnlyKeys(entries.keySet());
  }

  @Test
  void removesWhatHasLapsedAndWhosePodIsGone() {
    Reservation made = unsaved();
    Reservation bound = made.confirmedFor(POD);
    documents.overwrite(
        "r-0",
        0,
        Map.of(
            "held",
            ReservationCodec.write(made),
            "bound",
            ReservationCodec.write(bound),
            "unreadable",
            "{"));
    assertThat(next(1)).hasSize(2);
    assertThat(documents.entries("r-0")).containsOnlyKeys("held", "bound", "unreadable");

    bench.pass(CapacityBench.HOLD);
    assertThat(next(2)).extracting(Reservation::id).containsExactly("bound");
    assertThat(documents.entries("r-0")).containsOnlyKeys("bound", "unreadable");
    gone.add(POD);
    assertThat(next(3)).isEmpty();
    assertThat(documents.entries("r-0")).containsOnlyKeys("unreadable");
  }

  @Test
  void givesCapacityBackThatIsCertainlyNotKept() {
    store.claim(0);
    fate = Fate.REFUSED;
    assertThatThrownBy(() -> reservations.reserve(requested("alice", "k")))
        .isInstanceOfSatisfying(
            StoreFailedException.class,
            failure -> assertThat(failure.certainty()).isEqualTo(Certainty.NOT_DONE));
    assertThat(tenants()).isZero();
  }

  private int tenants() {
    return bench.capacity().withGrants().gpus().getFirst().tenancy()
            instanceof Tenancy.Shared(var tenants)
        ? tenants.size()
        : -1;
  }

  @Test
  void nothingIsKeptByWhoeverDoesNotLead() {
    Reservation made = unsaved();
    assertThatThrownBy(() -> store.put(made, 0)).isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(() -> store.put(made, 7)).isInstanceOf(StoreFailedException.class);
    store.claim(7);
    store.put(made, 7);
    assertThat(next(8)).containsExactly(kept(made));
  }

  @Test
  void knowsWhetherALaterLeaderMayKeepWhatItDoesNotKnow() {
    store.claim(7);
    assertThatCode(() -> store.verifyCurrent("another", 7)).doesNotThrowAnyException();
    assertThat(next(8)).isEmpty();
    assertThatThrownBy(() -> store.verifyCurrent("another", 7))
        .isInstanceOf(StoreFailedException.class)
        .hasMessageContaining("'another' is unknown now (term 7 has ended)");
  }

  @Test
  void twoCallersMayUseOneKey() {
    Reservations plain =
        new Reservations(
            bench.decisions(),
            bench.capacity(),
            new Reservations.Ports(ReservationStore.PROCESS, bench::now, bench::admissionId));
    Reservation alices = ((Reserved) plain.reserve(requested("alice", "k"))).reservation();
    // resnet50 keeps the GPU busy for 50.8 % at most: two of them fit nowhere.
    assertThat(plain.reserve(requested("bob", "k"))).isInstanceOf(ReservationOutcome.Refused.class);
    plain.release(alices.id());
    bench.pass(Duration.ofMinutes(3));
    Reservation bobs = ((Reserved) plain.reserve(requested("bob", "k"))).reservation();
    assertThat(bobs.id()).isNotEqualTo(alices.id());
    assertThat(plain.reserve(requested("alice", "k"))).isEqualTo(new Reserved(alices));
    assertThat(bench.capacity().state(bobs.id())).isEqualTo(GrantState.ALLOCATED);
  }
}
