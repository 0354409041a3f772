package dev.cotenant.admission.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.guard.GuardNotes;
import dev.cotenant.admission.guard.Incident;
import dev.cotenant.admission.guard.Signal;
import dev.cotenant.admission.state.FakeDocuments.Fate;
import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import dev.cotenant.admission.state.LeaderState.Resubmissions;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LeaderStateDocumentTest {
  private final FakeDocuments documents = new FakeDocuments();
  private final List<String> log = new ArrayList<>();
  private final LeaderStateDocument notes =
      new LeaderStateDocument(
          new LeaderStateStore(documents.seenWith(() -> Fate.DONE), "notes", 1), log::add);

  @Test
  void longTextsOfPodsDisplaceTheOldestShortagesAlone() {
    Instant at = Instant.parse("2026-11-21T12:00:00Z");
    List<MemoryShortage> shortages = new ArrayList<>();
    for (int i = 0; i < LeaderState.MAX_SHORTAGES; i++) {
      EngineRun run =
          new EngineRun(
                  "team-a",
                  EngineRun.Kind.SERVER,
                  "vllm",
                  null,
                  "m" + i,
                  false,
                  Map.of(),
                  Collections.nCopies(20, "\"".repeat(200)))
              .seeing(i % 2 == 0 ? MemorySize.ofGiB(20) : null, i % 2 == 0 ? null : 0.25);
      shortages.add(
          new MemoryShortage(
              "team-" + i,
              new Workload("m" + i, 1, RunSettings.DEFAULT, run),
              new DeviceId("a100-40gb"),
              MemorySize.ofGiB(1),
              1,
              at.minusSeconds(i)));
    }

    LeaderStateStore.Result result =
        notes.write(claimed(), new LeaderState(Map.of(), shortages, Map.of(), Set.of()));

    assertThat(result).isInstanceOf(LeaderStateStore.Result.Persisted.class);
    List<MemoryShortage> persisted = notes.claim(2).shortages();
    assertThat(persisted).hasSizeBetween(10, 100);
    assertThat(persisted).isEqualTo(shortages.subList(0, persisted.size()));
  }

  private long claimed() {
    notes.claim(1);
    return 1;
  }

  @Test
  void leavesOutOwnersWhosePodsWereDeletedLessThanOnce() {
    documents.overwrite(
        "notes-0",
        0,
        Map.of(
            "resubmitted",
            """
            {"a": {"last_at": "2026-11-21T12:00:00Z"},
             "b": {"times": -3, "last_at": "2026-11-21T12:00:00Z"},
             "c": {"times": 2, "last_at": "2026-11-21T12:00:00Z"}}
            """));

    assertThat(notes.claim(1).resubmitted())
        .containsExactly(
            Map.entry("c", new Resubmissions(2, Instant.parse("2026-11-21T12:00:00Z"))));
    assertThat(log).hasSize(2).allMatch(line -> line.contains("in 'resubmitted'"));
  }

  private static final Instant AT = Instant.parse("2026-11-21T12:00:00.123456789Z");

  /** The largest notes: names of namespaces have at most 63 characters, uids 36. */
  private static GuardNotes full() {
    String namespace = "n".repeat(59);
    List<Incident> incidents = new ArrayList<>();
    List<GuardNotes.Pair> pairs = new ArrayList<>();
    List<GuardNotes.Eviction> evictions = new ArrayList<>();
    for (int i = 1000; i < 2000; i++) {
      Incident.Cause cause =
          new Incident.Cause("v".repeat(32) + i, "n".repeat(32) + i, Signal.SLOWDOWN);
      incidents.add(Incident.observed(cause, namespace + i, Instant.EPOCH));
      pairs.add(
          new GuardNotes.Pair(
              namespace + i + "/" + "a".repeat(24), namespace + i + "/" + "b".repeat(24), AT));
      evictions.add(new GuardNotes.Eviction(namespace + i, "e".repeat(32) + i, AT));
      if (i % 2 == 0) {
        incidents.add(
            new Incident(
                new Incident.Cause("w".repeat(32) + i, "n".repeat(32) + i, Signal.SLOWDOWN),
                namespace + i,
                "GPU-" + "0".repeat(36),
                AT,
                1.0 / 3,
                2.0 / 3,
                true,
                Incident.Move.OVER_BUDGET));
      }
    }
    return new GuardNotes(incidents, pairs, evictions);
  }

  @Test
  void theLargestNotesOfTheGuardFitAndAreReadAgain() {
    LeaderStateStore.Result result =
        notes.write(
            claimed(), new LeaderState(Map.of(), List.of(), Map.of(), Set.of(), full(), Map.of()));

    assertThat(result).isInstanceOf(LeaderStateStore.Result.Persisted.class);
    assertThat(notes.claim(2).guard()).isEqualTo(full());
    assertThat(log).isEmpty();
  }

  @Test
  void allPartsTogetherFitAndTheQueueGivesWay() {
    Map<String, LeaderState.QueuePosition> queue = new HashMap<>();
    for (int i = 0; i < LeaderState.MAX_QUEUED; i++) {
      queue.put("q".repeat(32) + (1000 + i), new LeaderState.QueuePosition(i, AT));
    }
    Map<String, Resubmissions> resubmitted = new HashMap<>();
    for (int i = 0; i < LeaderState.MAX_RESUBMITTED; i++) {
      resubmitted.put("o".repeat(200) + i, new Resubmissions(2, AT.plusSeconds(i)));
    }
    Set<String> noticed =
        queue.keySet().stream().limit(LeaderState.MAX_NOTICED).collect(Collectors.toSet());
    LeaderState small = new LeaderState(queue, List.of(), Map.of(), noticed);
    assertThat(notes.write(claimed(), small)).isInstanceOf(LeaderStateStore.Result.Persisted.class);
    assertThat(notes.claim(2)).isEqualTo(small);
    assertThat(log).isEmpty();

    Map<String, String> grants =
        noticed.stream().collect(Collectors.toMap(uid -> uid, _ -> "d".repeat(64)));
    LeaderState all = new LeaderState(queue, List.of(), resubmitted, noticed, full(), grants);
    for (int i = 0; i < 3; i++) {
      assertThat(notes.write(2, all)).isInstanceOf(LeaderStateStore.Result.Persisted.class);
    }
    assertThat(log).as("reported once").hasSize(1);
    assertThat(log.getFirst()).contains("full").contains("queue");
    LeaderState found = notes.claim(3);
    assertThat(found.grants()).isEqualTo(grants);
    assertThat(found.guard().incidents()).isEqualTo(full().incidents());
    assertThat(found.guard().evictions()).isEqualTo(full().evictions());
    assertThat(found.noticed()).isEqualTo(noticed);
    assertThat(found.resubmitted()).isNotEmpty();
    assertThat(found.resubmitted().values())
        .as("the latest")
        .allSatisfy(one ->
            assertThat(one.lastAt())
                .isAfter(AT.plusSeconds(resubmitted.size() - 1L - found.resubmitted().size())));
    assertThat(resubmitted).containsAllEntriesOf(found.resubmitted());
    assertThat(queue).containsAllEntriesOf(found.queue());
  }

  @Test
  void positionsWithMostSkipsAreWrittenFirst() {
    Map<String, LeaderState.QueuePosition> queue = new HashMap<>();
    for (int i = 0; i < LeaderState.MAX_QUEUED; i++) {
      queue.put("q".repeat(32) + (1000 + i), new LeaderState.QueuePosition(i, AT));
    }
    notes.write(claimed(), new LeaderState(queue, List.of(), Map.of(), Set.of(), full(), Map.of()));

    Map<String, LeaderState.QueuePosition> found = notes.claim(2).queue();
    assertThat(found).hasSizeBetween(100, queue.size() - 1);
    assertThat(found.values())
        .allSatisfy(
            one -> assertThat(one.skips()).isGreaterThanOrEqualTo(queue.size() - found.size()));
  }
}
