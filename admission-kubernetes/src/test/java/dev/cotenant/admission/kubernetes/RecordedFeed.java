package dev.cotenant.admission.kubernetes;

import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateFeed;
import dev.cotenant.admission.state.PersistedState;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what it is told, one line each. */
final class RecordedFeed implements GateFeed {
  private volatile PersistedState left = PersistedState.NOTHING;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final List<ClusterChange> others = new CopyOnWriteArrayList<>();

  /** Is run before an object or a term is noted. */
  volatile Runnable before = () -> {};

  /** What was left for the last term. */
  PersistedState left() {
    return left;
  }

  List<String> lines() {
    return List.copyOf(lines);
  }

  /** Changes of objects other than GPU pods and nodes. */
  List<ClusterChange> others() {
    return List.copyOf(others);
  }

  boolean has(String line) {
    return lines.contains(line);
  }

  @Override
  public void begin(long term, Listed listed, PersistedState kept) {
    before.run();
    left = kept;
    others.addAll(listed.others());
    lines.add(
        term
            + " begin "
            + listed.pods().stream().map(pod -> pod.pod().toString()).sorted().toList()
            + " "
            + listed.nodes().stream().map(WatchedNode::name).sorted().toList());
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
  public void changed(long term, ClusterChange change) {
    before.run();
    others.add(change);
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
