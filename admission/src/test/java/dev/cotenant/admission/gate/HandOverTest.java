package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.state.LeaderState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * A leader that ends by itself. On the one GPU {@code densenet121} keeps at most 45.1 % busy, so
 * that two fit and pass {@code vgg19} with its 71 %.
 */
class HandOverTest {
  private final GateBench bench = new GateBench(1);
  private final List<String> log = new ArrayList<>();

  private int notedSkips(StoredPod pod) {
    LeaderState.QueuePosition mark =
        Objects.requireNonNull(bench.replica.notes).queue().get(pod.uid);
    return mark == null ? 0 : mark.skips();
  }

  @Test
  void notesWhoWasPassedSinceTheLastNotes() {
    bench.lead();
    bench.hold("first", "densenet121", 1);
    StoredPod big = bench.hold("big", "vgg19", 10);
    StoredPod small = bench.hold("small", "densenet121", 1);
    assertThat(notedSkips(big)).isEqualTo(1);
    bench.remove(small);
    bench.hold("next", "densenet121", 1);
    assertThat(notedSkips(big)).as("within five seconds").isEqualTo(1);

    bench.controller().handOver(() -> log.add("noted"));
    bench.settle();

    assertThat(log).containsExactly("noted");
    assertThat(notedSkips(big)).isEqualTo(2);
    bench.lead();
    assertThat(bench.replica.notes).as("nothing new").isNull();
  }

  @Test
  void grantsNothingMoreThatWouldHaveToBeNoted() {
    bench.lead();
    bench.controller().handOver(() -> {});

    StoredPod late = bench.hold("late", "densenet121", 1);

    assertThat(GateBench.gpu(late)).isNull();
    bench.lead();
    assertThat(GateBench.gpu(late)).isEqualTo("GPU-1a");
  }

  @Test
  void waitsWhereNotesCannotBeKept() {
    bench.lead();
    bench.hold("first", "densenet121", 1);
    bench.hold("big", "vgg19", 10);
    bench.replica.saveFails = true;
    bench.hold("small", "densenet121", 1);

    bench.controller().handOver(() -> log.add("noted"));
    bench.settle();
    assertThat(log).isEmpty();

    bench.replica.saveFails = false;
    bench.later(Duration.ofSeconds(5));
    assertThat(log).containsExactly("noted");
  }

  @Test
  void hasNothingToNoteWhereItDoesNotLead() {
    bench.controller().handOver(() -> log.add("noted"));

    assertThat(log).containsExactly("noted");
  }
}
