package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.policy.Policy;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Granted pods that run out of memory. */
class OutOfMemoryTest {
  private final GateBench bench = new GateBench(1, 1, 1, 1, 1);

  private StoredPod started(String name) {
    StoredPod pod = bench.hold(name, "resnet50", 10);
    pod.owner = "ReplicaSet/infer-589c465944";
    bench.start(pod);
    return pod;
  }

  private void runsOut(StoredPod pod) {
    pod.outOfMemory = true;
    bench.change(pod);
  }

  private void resubmits() {
    bench.policy = bench.policy.with(copy -> copy.outOfMemory = Policy.OutOfMemory.RESUBMIT);
  }

  private String lastMessage() {
    return bench.replica.told.getLast().message();
  }

  @Test
  void correctsTheModelAndHasThePodMadeAnewWherePolicySaysSo() {
    resubmits();
    bench.lead();
    StoredPod pod = started("infer");

    runsOut(pod);
    bench.change(pod);

    // 2,048 + 10 × 64 + 1,024 MiB are 3,712 MiB, and a quarter more
    assertThat(bench.log)
        .containsExactly("out of memory team-a/infer", "corrected resnet50 a100-40gb 4.53 GiB");
    assertThat(bench.replica.deleted).containsExactly(pod.uid);
    assertThat(bench.events()).containsExactly("Granted", "OutOfMemory");
    assertThat(lastMessage()).contains("in 0 s the pod is deleted", "(1 of 3)");
  }

  /** Each successor is granted more, which compounds; ten steps were a factor of nine. */
  @Test
  void neverExpectsMoreThanTheGpuHas() {
    bench.lead();
    StoredPod pod = bench.hold("infer", "resnet50", 500);
    bench.start(pod);

    runsOut(pod);

    // 2,048 + 500 × 64 + 1,024 MiB are 34.25 GiB, and a quarter more were 42.8
    assertThat(bench.log).last().isEqualTo("corrected resnet50 a100-40gb " + FakeGpus.CAPACITY);
  }

  @Test
  void deletesNothingUnlessPolicySaysSoAndGivesAdvice() {
    bench.lead();
    runsOut(started("infer"));
    bench.later(Duration.ofHours(1));

    assertThat(bench.replica.deleted).isEmpty();
    assertThat(bench.events()).containsExactly("Granted", "OutOfMemory");
    assertThat(lastMessage())
        .contains("the predicted upper bound was 3.63 GiB", "cotenant.dev/gpu-memory");
  }

  @Test
  void givesAdviceAboutAPodThatNobodyWouldMakeAnew() {
    resubmits();
    bench.lead();
    StoredPod pod = bench.hold("alone", "resnet50", 10);
    bench.start(pod);
    runsOut(pod);

    assertThat(bench.replica.deleted).isEmpty();
    assertThat(lastMessage()).contains("cotenant.dev/batch-size");
  }

  @Test
  void waitsLongerBeforeEveryFurtherDeletionAndStopsAfterThree() {
    resubmits();
    bench.lead();
    StoredPod first = started("infer-0");
    StoredPod second = started("infer-1");
    StoredPod third = started("infer-2");
    StoredPod fourth = started("infer-3");
    runsOut(first);

    runsOut(second);
    bench.later(Duration.ofSeconds(59));
    assertThat(bench.replica.deleted).containsExactly(first.uid);
    bench.later(Duration.ofSeconds(1));
    assertThat(bench.replica.deleted).containsExactly(first.uid, second.uid);

    runsOut(third);
    bench.later(Duration.ofSeconds(119));
    assertThat(bench.replica.deleted).hasSize(2);
    bench.later(Duration.ofSeconds(1));
    assertThat(bench.replica.deleted).containsExactly(first.uid, second.uid, third.uid);

    runsOut(fourth);
    bench.later(Duration.ofHours(1));
    assertThat(bench.replica.deleted).hasSize(3);
    assertThat(lastMessage()).contains("were deleted 3 times", "cotenant.dev/gpu-memory");
  }

  @Test
  void manyThatRunOutAtOnceAreDeletedOneAfterTheOtherAndThreeAtMost() {
    resubmits();
    bench.lead();
    List<StoredPod> pods =
        Stream.of("infer-0", "infer-1", "infer-2", "infer-3").map(this::started).toList();
    for (StoredPod pod : pods) {
      pod.outOfMemory = true;
      bench.server.changed(pod);
    }

    bench.settle();
    assertThat(bench.replica.deleted).hasSize(1);
    bench.later(Duration.ofSeconds(59));
    assertThat(bench.replica.deleted).hasSize(1);
    bench.later(Duration.ofSeconds(1));
    assertThat(bench.replica.deleted).hasSize(2);
    bench.later(Duration.ofSeconds(119));
    assertThat(bench.replica.deleted).hasSize(2);
    bench.later(Duration.ofSeconds(1));
    assertThat(bench.replica.deleted).hasSize(3);
    bench.later(Duration.ofHours(1));
    assertThat(bench.replica.deleted).hasSize(3).doesNotContain(pods.getLast().uid);
    assertThat(lastMessage())
        .contains("is not deleted", "were deleted 3 times", "cotenant.dev/gpu-memory");
  }

  @Test
  void theNextLeaderCountsOn() {
    resubmits();
    bench.lead();
    StoredPod first = started("infer-0");
    StoredPod second = started("infer-1");
    runsOut(first);
    bench.remove(first);
    bench.log.clear();

    bench.lead();

    assertThat(bench.log).containsExactly("corrected resnet50 a100-40gb 4.53 GiB");
    runsOut(second);
    assertThat(bench.replica.deleted).as("a minute after the first, not before").isEmpty();
    bench.later(Duration.ofMinutes(1));
    assertThat(bench.replica.deleted).containsExactly(second.uid);
  }

  @Test
  void whatHappenedBetweenTwoLeadersIsNoticedOnce() {
    bench.lead();
    StoredPod pod = started("infer");
    pod.outOfMemory = true;
    bench.server.changed(pod);
    bench.replica.news.clear(); // nobody is told

    bench.lead();
    bench.lead();

    assertThat(bench.log).filteredOn("out of memory team-a/infer"::equals).hasSize(1);
  }

  @Test
  void deletesNothingBeforeItIsNotedForTheNextLeader() {
    resubmits();
    bench.lead();
    StoredPod pod = started("infer");
    bench.replica.saveFails = true;
    runsOut(pod);
    bench.later(Duration.ofSeconds(30));
    assertThat(bench.replica.deleted).isEmpty();

    bench.replica.saveFails = false;
    bench.later(Duration.ofSeconds(30));
    assertThat(bench.replica.deleted).containsExactly(pod.uid);
  }

  @Test
  void saysThatAPodCouldNotBeDeletedAndTriesAgainWhereNobodyAnswered() {
    resubmits();
    bench.lead();
    StoredPod refused = started("refused");
    bench.replica.deletion = new ClusterWriter.WriteResult.Refused("pods is forbidden");
    runsOut(refused);
    assertThat(lastMessage()).contains("could not be deleted (pods is forbidden)");

    bench.replica.deletion = new ClusterWriter.WriteResult.Unknown("timed out");
    StoredPod unanswered = started("unanswered");
    runsOut(unanswered);
    bench.later(Duration.ofMinutes(1));
    bench.replica.deletion = new ClusterWriter.WriteResult.Done();
    bench.later(Duration.ofMinutes(1));
    assertThat(bench.replica.deleted).containsExactly(refused.uid, unanswered.uid, unanswered.uid);
  }
}
