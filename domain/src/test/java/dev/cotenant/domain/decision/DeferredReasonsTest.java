package dev.cotenant.domain.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DeferredReasonsTest {
  private static final Reason REASON = new Reason.NoMetrics("GPU-1", "node-1");

  @Test
  void areFoundOnceAndOnlyWhenTheyAreRead() {
    AtomicInteger requested = new AtomicInteger();
    Decision.Held held =
        new Decision.Held(
            new DeferredReasons(() -> {
              requested.incrementAndGet();
              return List.of(REASON);
            }));
    assertThat(requested).hasValue(0);

    assertThat(held.reasons()).containsExactly(REASON);
    assertThat(held).isEqualTo(new Decision.Held(List.of(REASON)));
    assertThat(requested).hasValue(1);
  }

  @Test
  void mustBeSome() {
    DeferredReasons none = new DeferredReasons(List::of);

    assertThatThrownBy(none::size).hasMessage("reasons must not be empty");
  }
}
