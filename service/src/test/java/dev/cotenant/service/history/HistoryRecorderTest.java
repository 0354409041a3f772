package dev.cotenant.service.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.service.history.HistoryRecorder.Retention;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HistoryRecorderTest {
  private static final Instant START = Instant.parse("2026-11-24T10:00:30Z");
  private static final ClusterState STATE = new ClusterState(List.of(), Map.of(Figure.GPUS, 1.0));

  private final Calls calls = new Calls();
  private Instant now = START;
  private boolean isLeading = true;
  private final HistoryRecorder recorder =
      new HistoryRecorder(this::state, calls, new Retention(Duration.ofDays(8), 1_000), () -> now);

  private ClusterState state() {
    if (!isLeading) {
      throw new NotLeadingException("cotenant-1");
    }
    return STATE;
  }

  /** A store that says what it was called with. */
  private static final class Calls implements HistoryStore {
    final List<Long> minutes = new ArrayList<>();
    final List<List<Long>> trims = new ArrayList<>();
    boolean isDown;

    @Override
    public boolean add(long minute, ClusterState state) {
      if (isDown) {
        throw new StoreException("down", new IllegalStateException());
      }
      minutes.add(minute);
      return true;
    }

    @Override
    public void trim(long before, long fineBefore, long gpuRows) {
      trims.add(List.of(before, fineBefore, gpuRows));
    }

    @Override
    public List<Point> points(long from, int step) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<GpuPoint> gpu(String uuid, long from) {
      throw new UnsupportedOperationException();
    }
  }

  private void recordAt(Instant instant) {
    now = instant;
    recorder.record();
  }

  @Test
  void storesEachMinuteOnceAndTrimsEachHour() {
    long first = HistoryRecorder.minute(START);
    recordAt(START);
    recordAt(START.plusSeconds(29));
    recordAt(START.plusSeconds(30));
    recordAt(START.plusSeconds(59 * 60));
    assertThat(calls.minutes).containsExactly(first, first + 1, first + 59);
    assertThat(calls.trims).containsExactly(List.of(first - 8 * 24 * 60, first - 24 * 60, 1_000L));
    recordAt(START.plusSeconds(60 * 60));
    assertThat(calls.trims).hasSize(2);
  }

  @Test
  void aReplicaThatDoesNotLeadStoresNothing() {
    isLeading = false;
    recordAt(START);
    assertThat(calls.minutes).isEmpty();
    isLeading = true;
    recordAt(START.plusSeconds(1));
    assertThat(calls.minutes).hasSize(1);
  }

  @Test
  void triesAgainAfterAFailure() {
    calls.isDown = true;
    assertThatThrownBy(() -> recordAt(START)).isInstanceOf(StoreException.class);
    calls.isDown = false;
    recordAt(START.plusSeconds(2));
    assertThat(calls.minutes).hasSize(1);
  }
}
