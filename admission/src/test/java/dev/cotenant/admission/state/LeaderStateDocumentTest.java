package dev.cotenant.admission.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.state.FakeDocuments.Fate;
import dev.cotenant.admission.state.LeaderState.Resubmissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LeaderStateDocumentTest {
  private final FakeDocuments documents = new FakeDocuments();
  private final List<String> log = new ArrayList<>();
  private final LeaderStateDocument notes =
      new LeaderStateDocument(
          new LeaderStateStore(documents.seenWith(() -> Fate.DONE), "notes", 1), log::add);

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
}
