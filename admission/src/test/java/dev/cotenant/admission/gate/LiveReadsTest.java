package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.cluster.Tenancy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A new leader of whose writes none comes through, and grants of the last one that arrive after it
 * has listed all pods.
 */
class LiveReadsTest {
  private final GateBench bench = new GateBench(1);

  /** The last leader's grant to a pod that the new one knows as held. */
  private Replica.Flight grantOfTheLastLeader(StoredPod pod) {
    bench.lead();
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);
    var news = List.copyOf(bench.replica.news);
    news.forEach(one -> one.accept(bench.controller()));
    bench.controller().runCycle();
    Replica.Flight grant = bench.replica.flights.removeFirst();
    bench.beginInSilence(PersistedState.NOTHING);
    bench.controller().runCycle();
    return grant;
  }

  /** The fence is refused, time passes, and of what has happened nothing is shown. */
  private void minuteGoesBy() {
    Replica.Flight fence = bench.replica.flights.removeFirst();
    fence.done.accept(new WriteResult.Refused("a webhook said no"));
    bench.replica.runInbox();
    bench.replica.news.clear();
    bench.now = bench.now.plus(Duration.ofSeconds(61));
    bench.controller().runCycle();
  }

  private void look(boolean isAnswered) {
    bench.replica.looks.removeFirst().accept(isAnswered);
    List<Runnable> answers = List.copyOf(bench.replica.answers);
    bench.replica.answers.clear();
    answers.forEach(Runnable::run);
    bench.replica.runInbox();
    bench.controller().runCycle();
  }

  @Test
  void decidesNothingBeforeItHasLookedWhereAPodWentThatItTakesForHeld() {
    StoredPod pod = bench.pod("first", null, 1, 1);
    Replica.Flight grant = grantOfTheLastLeader(pod);
    var _ = grant.write.get();

    minuteGoesBy();
    assertThat(bench.controller().cluster()).as("while nobody has looked").isEmpty();
    look(true);

    assertThat(bench.controller().cluster())
        .hasValueSatisfying(cluster ->
            assertThat(cluster.find("GPU-1a").orElseThrow().tenancy())
                .isEqualTo(new Tenancy.Exclusive("team-a/first")));
  }

  @Test
  void looksAgainWhereNobodyAnswers() {
    grantOfTheLastLeader(bench.pod("first", null, 1, 1));
    minuteGoesBy();

    look(false);
    assertThat(bench.controller().cluster()).isEmpty();
    assertThat(bench.replica.looks).as("for a second").isEmpty();
    bench.now = bench.now.plus(Duration.ofSeconds(1));
    bench.controller().runCycle();
    look(true);

    assertThat(bench.controller().cluster()).isPresent();
  }

  @Test
  void forgetsAPodThatIsGone() {
    StoredPod pod = bench.pod("first", null, 1, 1);
    grantOfTheLastLeader(pod);
    bench.server.remove(pod);
    minuteGoesBy();

    look(true);

    assertThat(bench.controller().cluster()).isPresent();
    assertThat(bench.controller().view().queue()).isEmpty();
  }
}
