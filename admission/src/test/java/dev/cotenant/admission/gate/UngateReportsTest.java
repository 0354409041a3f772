package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.domain.decision.Decision;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A grant is recorded once, whatever comes first: the answer, the event of the watch, or one. */
class UngateReportsTest {
  private final GateBench bench = new GateBench(1);

  @BeforeEach
  void lead() {
    bench.lead();
  }

  /** The write that ungates a new pod, not yet arrived. */
  private Replica.Flight ungate(StoredPod pod) {
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);
    bench.cycle();
    return bench.replica.flights.removeFirst();
  }

  /** The answer arrives after the event of the watch, if at all. */
  private void seenBeforeAnswer(Replica.Flight flight, List<WriteResult> answers) {
    var _ = flight.write.get();
    bench.cycle();
    answers.forEach(flight.done);
    bench.settle();
  }

  private void assertRecordedOnce() {
    assertThat(bench.events()).containsExactly("Granted");
    assertThat(decisions()).isOne();
  }

  private long decisions() {
    return bench.decisions.stream().filter(Decision.Admitted.class::isInstance).count();
  }

  @Test
  void aGrantSeenBeforeItsAnswerIsRecorded() {
    seenBeforeAnswer(ungate(bench.pod("first", null, 1, 1)), List.of(new WriteResult.Done()));

    assertRecordedOnce();
  }

  @Test
  void aGrantWhoseAnswerIsLostIsRecorded() {
    seenBeforeAnswer(ungate(bench.pod("first", null, 1, 1)), List.of());

    assertRecordedOnce();
  }

  @Test
  void aGrantThatAConflictFollowsIsRecorded() {
    Replica.Flight first = ungate(bench.pod("first", null, 1, 1));
    var _ = first.write.get();
    first.done.accept(new WriteResult.Unknown("its answer was lost"));
    bench.replica.runInbox();
    bench.now = bench.now.plus(Duration.ofMinutes(1));
    bench.controller().runCycle();
    Replica.Flight again = bench.replica.flights.removeFirst();
    again.done.accept(again.write.get());
    bench.settle();

    assertRecordedOnce();
  }

  @Test
  void aGrantAnsweredBeforeItIsSeenIsRecordedOnce() {
    Replica.Flight flight = ungate(bench.pod("first", null, 1, 1));
    flight.done.accept(flight.write.get());
    bench.settle();

    assertRecordedOnce();
  }

  @Test
  void aPodUngatedByItsOwnerMeanwhileIsNotRecordedAsGranted() {
    StoredPod pod = bench.pod("first", null, 1, 1);
    Replica.Flight flight = ungate(pod);
    pod.gates.clear();
    bench.server.changed(pod);
    bench.cycle();
    flight.done.accept(flight.write.get());
    bench.settle();

    assertThat(bench.events()).doesNotContain("Granted");
    assertThat(decisions()).isZero();
  }

  @Test
  void aPodUngatedUnmanagedIsReportedWhenItIsSeenBeforeTheAnswer() {
    StoredPod pod = bench.pod("first", null, 1, 1);
    bench.optedOut.add("team-a");
    seenBeforeAnswer(ungate(pod), List.of(new WriteResult.Done()));

    assertThat(bench.events()).containsExactly("Unmanaged");
    assertThat(bench.log).filteredOn(line -> line.startsWith("ungated")).hasSize(1);
  }
}
