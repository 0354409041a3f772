package dev.cotenant.admission.gate;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Executor;

public final class GateController implements GateFeed {
  private volatile GateView view = GateView.NOT_LEADING;

  public GateController(GatePorts ports, GateSettings settings, Executor inbox) {}

  public GateView view() {
    return view;
  }

  /** Decides; how long until something is due. */
  public Duration pass() {
    return Duration.ofMinutes(1);
  }

  @Override
  public void begin(long term, Collection<WatchedPod> pods, Collection<WatchedNode> nodes) {}

  @Override
  public void end(long term) {
    view = GateView.NOT_LEADING;
  }

  @Override
  public void podSeen(long term, WatchedPod pod) {}

  @Override
  public void podGone(long term, String uid) {}

  @Override
  public void nodeSeen(long term, WatchedNode node) {}

  @Override
  public void nodeGone(long term, String name) {}

  @Override
  public void readingsRefreshed() {}

  @Override
  public void policiesChanged() {}
}
