package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.domain.cluster.Tenancy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the controller does while it cannot know how things stand. */
class UnsureStatesTest {
  private final GateBench bench = new GateBench(1);

  @BeforeEach
  void lead() {
    bench.lead();
  }

  /** A held pod that wants the whole GPU, seen and decided on; its grant is on its way. */
  private Replica.Flight onItsWay(StoredPod pod) {
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);
    hear();
    bench.controller().runCycle();
    return bench.replica.flights.removeFirst();
  }

  private void hear() {
    var news = List.copyOf(bench.replica.news);
    bench.replica.news.clear();
    news.forEach(one -> one.accept(bench.controller()));
  }

  private void answer(Replica.Flight flight, WriteResult written) {
    flight.done.accept(written);
    bench.replica.runInbox();
    bench.controller().runCycle();
  }

  private boolean isFree() {
    return bench.controller().cluster().orElseThrow().gpus().getFirst().tenancy()
            instanceof Tenancy.Shared(var tenants)
        && tenants.isEmpty();
  }

  @Test
  void keepsTheCapacityOfAPodOfWhichNobodyKnowsWhetherItWasLetGo() {
    StoredPod first = bench.pod("first", null, 1, 1);
    Replica.Flight flight = onItsWay(first);
    var _ = flight.write.get(); // done
    answer(flight, new WriteResult.Unknown("its answer was lost"));
    assertThat(isFree()).as("while nothing is known").isFalse();

    bench.now = bench.now.plus(Duration.ofSeconds(1));
    bench.controller().runCycle();
    Replica.Flight again = bench.replica.flights.removeFirst();
    answer(again, again.write.get());
    assertThat(isFree()).as("after a conflict that the first copy was the cause of").isFalse();

    StoredPod second = bench.pod("second", null, 1, 1);
    second.gates.add(WatchedPod.GATE);
    bench.server.create(second);
    bench.settle();
    assertThat(GateBench.gpu(first)).isEqualTo("GPU-1a");
    assertThat(GateBench.gpu(second)).isNull();
  }

  /* Such as where another webhook, which must not be ignored, is down: HTTP 500, every time. */
  @Test
  void saysThatNoAnswerComesOnceItIsMoreThanAMatterOfSeconds() {
    Replica.Flight flight = onItsWay(bench.pod("first", null, 1, 1));
    for (int i = 0; i < 2; i++) {
      answer(flight, new WriteResult.Unknown("failed calling webhook"));
      assertThat(bench.events()).isEmpty();
      bench.now = bench.now.plus(Duration.ofSeconds(2));
      bench.controller().runCycle();
      flight = bench.replica.flights.removeFirst();
    }

    answer(flight, new WriteResult.Unknown("failed calling webhook"));

    assertThat(bench.events()).containsExactly("Unanswered");
    assertThat(bench.replica.told.getFirst().message())
        .isEqualTo(
            "the outcome of the write is unknown after 3 attempts (failed calling webhook); it is"
                + " retried, its capacity on GPU-1a stays allocated");
  }

  @Test
  void triesAgainAtOnceWhereTheClockWasSetBack() {
    List<WriteResult> failures =
        List.of(new WriteResult.Unknown("its answer was lost"), new WriteResult.Refused("no"));
    Replica.Flight flight = onItsWay(bench.pod("first", null, 1, 1));
    for (WriteResult failure : failures) {
      answer(flight, failure);
      bench.now = bench.now.minus(Duration.ofMinutes(10));
      bench.controller().runCycle();

      assertThat(bench.replica.flights).as("after %s", failure).hasSize(1);
      flight = bench.replica.flights.removeFirst();
    }
  }

  @Test
  void keepsTheCapacityWhereARetriedGrantIsRefused() {
    StoredPod first = bench.pod("first", null, 1, 1);
    Replica.Flight flight = onItsWay(first);
    var _ = flight.write.get();
    answer(flight, new WriteResult.Unknown("its answer was lost"));
    bench.now = bench.now.plus(Duration.ofSeconds(1));
    bench.controller().runCycle();

    answer(bench.replica.flights.removeFirst(), new WriteResult.Refused("a webhook said no"));

    assertThat(isFree()).isFalse();
  }

  @Test
  void givesCapacityBackOnceAFenceShowsThatThePodIsStillHeld() {
    StoredPod first = bench.pod("first", null, 1, 1);
    Replica.Flight flight = onItsWay(first);
    first.annotations.put("cotenant.dev/note", "somebody else's");
    bench.server.changed(first);
    answer(flight, flight.write.get());
    assertThat(isFree()).as("a conflict does not say who changed the pod").isFalse();

    hear();
    bench.controller().runCycle();
    Replica.Flight fence = bench.replica.flights.removeFirst();
    assertThat(fence.patch().toBytes())
        .asString(StandardCharsets.UTF_8)
        .contains("cotenant.dev~1term");
    fence.done.accept(fence.write.get());
    bench.replica.runInbox();
    assertThat(isFree()).isTrue();
  }

  @Test
  void takesNoNewsOfAPodThatIsGone() {
    StoredPod pod = bench.hold("first", null, 1);
    bench.start(pod);
    WatchedPod before = pod.watched();
    bench.server.remove(pod);
    hear();
    assertThat(isFree()).isTrue();

    bench.controller().podSeen(1, before);
    bench.controller().runCycle();

    assertThat(isFree()).as("what comes late").isTrue();
    assertThat(bench.controller().view().granted()).isEmpty();
  }

  @Test
  void takesNoNewsOfAPodThatHasFinished() {
    StoredPod pod = bench.hold("first", null, 1);
    bench.start(pod);
    WatchedPod running = pod.watched();
    pod.phase = WatchedPod.Phase.SUCCEEDED;
    bench.change(pod);

    bench.controller().podSeen(1, running);
    bench.controller().runCycle();

    assertThat(isFree()).isTrue();
  }

  @Test
  void doesNotActOnAStateThatIsOlderThanWhatItWrote() {
    StoredPod holder = bench.hold("holder", null, 1);
    StoredPod waiting = bench.pod("waiting", null, 1, 1);
    waiting.gates.add(WatchedPod.GATE);
    bench.server.create(waiting);
    WatchedPod old = waiting.watched();
    hear();
    bench.controller().runCycle();
    Replica.Flight reason = bench.replica.flights.removeFirst();
    answer(reason, reason.write.get());
    bench.replica.news.clear(); // what it wrote it has not been shown yet

    bench.controller().podSeen(1, old);
    bench.controller().podGone(1, holder.uid);
    bench.controller().runCycle();
    assertThat(bench.replica.flights).as("nothing can be written onto a past state").isEmpty();

    bench.controller().podSeen(1, waiting.watched());
    bench.controller().runCycle();
    assertThat(bench.replica.flights).hasSize(1);
  }

  @Test
  void doesNotTakeAPodForHeldThatItHasLetGo() {
    StoredPod pod = bench.pod("first", null, 1, 1);
    Replica.Flight flight = onItsWay(pod);
    WatchedPod held = flight.pod();
    answer(flight, flight.write.get());
    bench.replica.news.clear();

    bench.controller().podSeen(1, held);
    bench.controller().runCycle();

    assertThat(bench.controller().view().queue()).isEmpty();
    assertThat(isFree()).isFalse();
    assertThat(bench.replica.flights).isEmpty();
  }
}
