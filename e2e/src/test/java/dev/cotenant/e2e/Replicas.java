package dev.cotenant.e2e;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/**
 * The replicas of the service that run, behind one Service for the webhooks and one for the leader.
 */
final class Replicas implements AutoCloseable {
  private final CotenantProcess.Install install;
  private final Balancer balancer;
  private final Balancer leader;
  private final List<CotenantProcess> running = new CopyOnWriteArrayList<>();
  private int started;

  /** Gives both Services an address of their own at this host. */
  Replicas(CotenantProcess.Install install, String host) {
    this.install = install;
    balancer = new Balancer(host, () -> ports(_ -> true));
    leader = new Balancer(host, () -> ports(CotenantProcess::isDeciding));
  }

  private List<Integer> ports(Predicate<CotenantProcess> which) {
    return running.stream().filter(which).map(CotenantProcess::webhookPort).toList();
  }

  /** The port of the Service in front of all replicas. */
  int port() {
    return balancer.port();
  }

  /** The port of the Service in front of the leader. */
  int leaderPort() {
    return leader.port();
  }

  /** Starts one more, which is ready afterwards. */
  CotenantProcess start() {
    started++;
    return start("replica-" + started);
  }

  private CotenantProcess start(String name) {
    CotenantProcess replica = CotenantProcess.start(install, name);
    running.add(replica);
    return replica;
  }

  /** Ends one without a chance to say goodbye, and starts it again with its data. */
  CotenantProcess restart(CotenantProcess replica) {
    kill(replica);
    return start(replica.name());
  }

  /** The one that decides, as soon as there is one. */
  CotenantProcess deciding() {
    Eventually.holds(
        "a replica decides", () -> running.stream().anyMatch(CotenantProcess::isDeciding));
    return running.stream().filter(CotenantProcess::isDeciding).findFirst().orElseThrow();
  }

  /** Makes sure that exactly one runs, and that it decides. */
  CotenantProcess one() {
    if (running.isEmpty()) {
      start();
    }
    while (running.size() > 1) {
      end(running.getLast());
    }
    return deciding();
  }

  /** Ends one without a chance to say goodbye. */
  void kill(CotenantProcess replica) {
    running.remove(replica);
    replica.kill();
  }

  /** Asks one to end, and waits for that. */
  void end(CotenantProcess replica) {
    running.remove(replica);
    replica.close();
  }

  @Override
  public void close() {
    while (!running.isEmpty()) {
      end(running.getLast());
    }
  }

  /** Closes the Services too. */
  void closeServices() {
    balancer.close();
    leader.close();
  }
}
