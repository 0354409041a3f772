package dev.cotenant.admission;

import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.room.LedgerRoom;
import dev.cotenant.admission.room.Room;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/** A ledger on a fixed cluster and what decides on it; the clock stands still. */
public final class RoomBench {
  public static final Duration HOLD = Duration.ofMinutes(2);

  private final AtomicInteger tokens = new AtomicInteger();
  private volatile Instant now = TestClusters.NOW;
  private final Ledger ledger = new Ledger(this::now, HOLD);
  private final PodDecisions decisions;
  private final Room room;

  public RoomBench(ClusterSnapshot cluster) {
    AdmissionPorts ports =
        new AdmissionPorts(
            () -> cluster,
            new FakePredictor(),
            new SharingDecider(FallbackInterferenceModel.builtIn()),
            new Bench(cluster),
            this::now,
            this::token);
    decisions = new PodDecisions(ports, SharingLimits.DEFAULT, ledger);
    room = new LedgerRoom(() -> cluster, ledger);
  }

  public Instant now() {
    return now;
  }

  public void pass(Duration time) {
    now = now.plus(time);
  }

  public String token() {
    return "token-" + tokens.incrementAndGet();
  }

  public Ledger ledger() {
    return ledger;
  }

  public PodDecisions decisions() {
    return decisions;
  }

  public Room room() {
    return room;
  }
}
