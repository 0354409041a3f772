package dev.cotenant.admission.cluster;

import java.util.List;
import java.util.Map;

/**
 * A node of the API server.
 *
 * @param name its name
 * @param labels its labels, those of GPU feature discovery among them
 * @param taints its taints
 * @param schedulable false where it is cordoned
 * @param gpus its GPUs by resources or labels; 0 without any
 * @param allocatable resources for pods; empty before the kubelet reports any
 */
public record WatchedNode(
    String name,
    Map<String, String> labels,
    List<Taint> taints,
    boolean schedulable,
    int gpus,
    ResourceAmounts allocatable) {
  /** Label of the node's host name. */
  public static final String HOSTNAME_LABEL = "kubernetes.io/hostname";

  public WatchedNode {
    labels = Map.copyOf(labels);
    taints = List.copyOf(taints);
    if (gpus < 0) {
      throw new IllegalArgumentException("gpus must not be negative, is " + gpus);
    }
  }

  /** A node whose kubelet has not reported resources. */
  public WatchedNode(
      String name, Map<String, String> labels, List<Taint> taints, boolean schedulable, int gpus) {
    this(name, labels, taints, schedulable, gpus, ResourceAmounts.NONE);
  }

  /** Repels pods that do not tolerate it. */
  public record Taint(String key, String value, String effect) {}
}
