package dev.cotenant.e2e;

import java.util.List;

/**
 * Names of the objects that the tests create. In a cluster of somebody else all of them begin with
 * the name of the release.
 *
 * @param release of the chart
 * @param system the namespace of the release
 * @param team a namespace that is opted in
 * @param outside a namespace that is not
 * @param nodePrefix of every node
 */
record Names(String release, String system, String team, String outside, String nodePrefix) {
  static Names startingWith(String release) {
    return new Names(
        release, release + "-system", release + "-team", release + "-outside", release + "-node-");
  }

  /** A namespace that is opted in, with a policy that names a scheduler. */
  String scheduled() {
    return team + "-scheduled";
  }

  /** A namespace that is opted in, with a policy that names the cluster's own scheduler. */
  String scheduledByDefault() {
    return team + "-by-default";
  }

  /** A namespace that is opted in, with GPU assignment by ResourceClaims. */
  String claiming() {
    return team + "-claiming";
  }

  /** A namespace that is opted in, whose pods claim parts of GPUs. */
  String dividing() {
    return team + "-dividing";
  }

  /** A namespace that is opted in, whose pods claim MIG devices. */
  String slicing() {
    return team + "-slicing";
  }

  /** A namespace that is opted in, with a policy that evicts for pods of higher priority. */
  String evicting() {
    return team + "-evicting";
  }

  /** A namespace that is opted in, with a policy for servers of language models. */
  String serving() {
    return team + "-serving";
  }

  /** A namespace that is opted in, with a policy that measures unknown trainings alone. */
  String profiling() {
    return team + "-profiling";
  }

  /** A namespace that is opted in, where missing memory is filled in. */
  String filling() {
    return team + "-filling";
  }

  /** A namespace that is opted in, where stated memory is lowered. */
  String capping() {
    return team + "-capping";
  }

  /** A namespace that is opted in, where templates are filled in too. */
  String templates() {
    return team + "-templates";
  }

  /** All namespaces that are opted in. */
  List<String> optedIn() {
    return List.of(
        team,
        scheduled(),
        scheduledByDefault(),
        claiming(),
        dividing(),
        slicing(),
        evicting(),
        serving(),
        profiling(),
        filling(),
        capping(),
        templates());
  }

  String priorityClass() {
    return release + "-urgent";
  }

  /** The nodes of tests that name no others, with one GPU each. */
  List<String> nodes() {
    return List.of(node("1"), node("2"));
  }

  /** A node's name. */
  String node(String suffix) {
    return nodePrefix + suffix;
  }

  /** The uuid of a node's first GPU. */
  String gpu(String node) {
    return GpuNode.named(node).uuids().getFirst();
  }
}
