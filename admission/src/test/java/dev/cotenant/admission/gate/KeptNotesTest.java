package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.gate.Notes.Resubmitted;
import dev.cotenant.admission.kept.FakeDocuments;
import dev.cotenant.admission.kept.FakeDocuments.Fate;
import dev.cotenant.admission.kept.Shelf;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeptNotesTest {
  private final FakeDocuments documents = new FakeDocuments();
  private final List<String> log = new ArrayList<>();
  private final KeptNotes notes =
      new KeptNotes(new Shelf(documents.seenWith(() -> Fate.DONE), "notes", 1), log::add);

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
        .containsExactly(Map.entry("c", new Resubmitted(2, Instant.parse("2026-11-21T12:00:00Z"))));
    assertThat(log).hasSize(2).allMatch(line -> line.contains("in 'resubmitted'"));
  }
}
