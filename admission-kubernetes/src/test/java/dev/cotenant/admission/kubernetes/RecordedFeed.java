package dev.cotenant.admission.kubernetes;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateFeed;
import dev.cotenant.admission.state.PersistedState;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what it is told, one line each. */
final class RecordedFeed implements GateFeed {
  private volatile PersistedState left = PersistedState.NOTHING;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  /** Is run before an object or a term is noted. */
  volatile Runnable before = () -> {};

  /** What was left for the last term. */
  PersistedState left() {
    return left;
  }

  List<String> lines() {
    return List.copyOf(lines);
  }

  boolean has(String line) {
    return lines.contains(line);
  }

  @Override
  public void begin(
      long term, Collection<WatchedPod> pods, Collection<WatchedNode> nodes, PersistedState kept) {
    before.run();
    left = kept;
    lines.add(
        term
            + " begin "
            + pods.stream().map(pod -> pod.pod().toString()).sorted().toList()
            + " "
            + nodes.stream().map(WatchedNode::name).sorted().toList());
  }

  @Override
  public void end(long term) {
    lines.add(term + " end");
  }

  @Override
  public void podSeen(long term, WatchedPod pod) {
    before.run();
    lines.add(term + " pod " + pod.pod());
  }

  @Override
  public void podGone(long term, String uid) {
    lines.add(term + " gone " + uid);
  }

  @Override
  public void nodeSeen(long term, WatchedNode node) {
    before.run();
    lines.add(term + " node " + node.name() + " " + node.gpus());
  }

  @Override
  public void nodeGone(long term, String name) {
    lines.add(term + " node gone " + name);
  }

  @Override
  public void readingsRefreshed() {
    lines.add("readings");
  }

  @Override
  public void policiesChanged() {
    before.run();
    lines.add("policies");
  }
}
