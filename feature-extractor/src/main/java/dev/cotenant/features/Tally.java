package dev.cotenant.features;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.features.inference.Saturating;

/** What the nodes of one graph add up to. Sums stop at their type's largest value. */
final class Tally {
  private long macs;
  private long activationBytes;
  private long peakBytes;
  private long convolutions;
  private long linears;
  private long activations;
  private long others;
  private long operators;
  private long matrixNodes;
  private long knownMatrixNodes;

  void addOperator() {
    operators++;
  }

  void addLayers(LayerCounts layers) {
    convolutions += layers.convolution();
    linears += layers.linear();
    activations += layers.activation();
    others += layers.other();
  }

  /** A matrix-class node whose multiply-accumulates are known. */
  void addMatrixNode(long nodeMacs) {
    macs = Saturating.add(macs, nodeMacs);
    matrixNodes++;
    knownMatrixNodes++;
  }

  void addUnknownMatrixNode() {
    matrixNodes++;
  }

  void addActivationBytes(long bytes) {
    activationBytes = Saturating.add(activationBytes, bytes);
  }

  void raisePeak(long bytes) {
    peakBytes = Math.max(peakBytes, bytes);
  }

  /** Adds a subgraph that runs {@code times} times; its layers count once. */
  void addBody(Tally body, long times) {
    macs = Saturating.add(macs, Saturating.multiply(body.macs, times));
    activationBytes =
        Saturating.add(activationBytes, Saturating.multiply(body.activationBytes, times));
    convolutions += body.convolutions;
    linears += body.linears;
    activations += body.activations;
    others += body.others;
    operators += body.operators;
    matrixNodes += body.matrixNodes;
    knownMatrixNodes += body.knownMatrixNodes;
  }

  /** Adds what another run of a subgraph costs, whose layers and nodes are counted already. */
  void addRun(Tally body) {
    macs = Saturating.add(macs, body.macs);
    activationBytes = Saturating.add(activationBytes, body.activationBytes);
  }

  boolean isDearerThan(Tally other) {
    return macs != other.macs
        ? macs > other.macs
        : matrixNodes != other.matrixNodes
            ? matrixNodes > other.matrixNodes
            : activationBytes > other.activationBytes;
  }

  long macs() {
    return macs;
  }

  long activationBytes() {
    return activationBytes;
  }

  long peakBytes() {
    return peakBytes;
  }

  LayerCounts layers() {
    return new LayerCounts(whole(convolutions), whole(linears), whole(activations), whole(others));
  }

  int operators() {
    return whole(operators);
  }

  /** Share of matrix-class nodes that are known; 1 when there are none. */
  double coverage() {
    return matrixNodes == 0 ? 1 : (double) knownMatrixNodes / matrixNodes;
  }

  private static int whole(long count) {
    return (int) Math.min(count, Integer.MAX_VALUE);
  }
}
