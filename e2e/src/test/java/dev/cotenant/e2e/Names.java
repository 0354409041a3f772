package dev.cotenant.e2e;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What the tests call what they make. All of it begins with the release's name where the cluster is
 * somebody's.
 *
 * @param release of the chart
 * @param system the namespace of the release
 * @param team a namespace that is opted in
 * @param outside a namespace that is not
 * @param nodes with one GPU each
 */
record Names(String release, String system, String team, String outside, List<String> nodes) {
  private static final int NODES = 2;

  Names {
    nodes = List.copyOf(nodes);
  }

  static Names startingWith(String release) {
    return new Names(
        release,
        release + "-system",
        release + "-team",
        release + "-outside",
        IntStream.rangeClosed(1, NODES).mapToObj(i -> release + "-node-" + i).toList());
  }

  String priorityClass() {
    return release + "-urgent";
  }

  /** The uuid of a node's GPU. */
  String gpu(String node) {
    return "GPU-" + node;
  }
}
