package dev.cotenant.features;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.execution.KernelTotals;
import dev.cotenant.features.execution.PeakBytes;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.Work;
import java.util.EnumMap;
import java.util.Map;

/** What the nodes of one graph add up to, as functions of the batch. Not thread safe. */
final class Tally {
  private final Map<WorkClass, Amount> work = new EnumMap<>(WorkClass.class);
  private Amount activationBytes = Amount.ZERO;
  private Amount savedBytes = Amount.ZERO;
  private final PeakBytes convolution = new PeakBytes();
  private Amount matrixOutputs = Amount.ZERO;
  private Amount winogradWork = Amount.ZERO;
  private KernelTotals kernels = KernelTotals.NONE;
  private PeakBytes peak = new PeakBytes();
  private long convolutions;
  private long linears;
  private long activations;
  private long others;
  private long normalizations;
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

  /** Counts one of the other layers as a normalisation. */
  void addNormalization() {
    normalizations++;
  }

  /** A matrix-class node whose multiply-accumulates are known. */
  void addMatrixNode(Work nodeWork) {
    nodeWork.byClass().forEach((kind, amount) -> work.merge(kind, amount, Amount::plus));
    matrixNodes++;
    knownMatrixNodes++;
  }

  /** Elements that a matrix-class node writes. */
  void addMatrixOutputs(Amount elements) {
    matrixOutputs = matrixOutputs.plus(elements);
  }

  /** Multiply-accumulates of a dense 3×3 convolution of stride 1. */
  void addWinogradWork(Amount macs) {
    winogradWork = winogradWork.plus(macs);
  }

  /** A node with possibly unknown multiply-accumulates. */
  void addUnknownMatrixNode() {
    matrixNodes++;
  }

  void addActivationBytes(Amount bytes) {
    activationBytes = activationBytes.plus(bytes);
  }

  /** Bytes that training keeps until the backward pass. */
  void addSavedBytes(Amount bytes) {
    savedBytes = savedBytes.plus(bytes);
  }

  /** A convolution that reads and writes so many bytes. */
  void addConvolution(Amount bytes) {
    convolution.raise(bytes);
  }

  /** How the graph runs, once all of its nodes were visited. */
  void finish(KernelTotals totals, PeakBytes most) {
    kernels = totals;
    peak = most;
  }

  /** Adds a subgraph that runs {@code times} times; its layers count once. */
  void addBody(Tally body, Amount times) {
    body.work.forEach((kind, amount) -> work.merge(kind, amount.times(times), Amount::plus));
    activationBytes = activationBytes.plus(body.activationBytes.times(times));
    savedBytes = savedBytes.plus(body.savedBytes.times(times));
    matrixOutputs = matrixOutputs.plus(body.matrixOutputs.times(times));
    winogradWork = winogradWork.plus(body.winogradWork.times(times));
    convolution.raise(Amount.ZERO, body.convolution);
    convolutions += body.convolutions;
    linears += body.linears;
    activations += body.activations;
    others += body.others;
    normalizations += body.normalizations;
    operators += body.operators;
    matrixNodes += body.matrixNodes;
    knownMatrixNodes += body.knownMatrixNodes;
  }

  /** Adds a subgraph with its kernels and its peak, one of several that run in turn. */
  void addNested(Tally body, Amount times) {
    addBody(body, times);
    kernels = kernels.then(body.kernels.times(times));
    peak.raise(Amount.ZERO, body.peak);
  }

  /**
   * Adds another run of the same graph, whose layers and nodes are counted already. A node that is
   * known in one run and not in another counts once as each.
   */
  void addRun(Tally other) {
    matrixNodes += Math.max(0, other.unknownMatrixNodes() - unknownMatrixNodes());
    other.work.forEach((kind, amount) -> work.merge(kind, amount, Amount::plus));
    activationBytes = activationBytes.plus(other.activationBytes);
    savedBytes = savedBytes.plus(other.savedBytes);
    matrixOutputs = matrixOutputs.plus(other.matrixOutputs);
    winogradWork = winogradWork.plus(other.winogradWork);
    convolution.raise(Amount.ZERO, other.convolution);
    kernels = kernels.then(other.kernels);
    peak.raise(Amount.ZERO, other.peak);
  }

  private long unknownMatrixNodes() {
    return matrixNodes - knownMatrixNodes;
  }

  /** By multiply-accumulates at the declared batch, then by what is not known, then by bytes. */
  boolean isDearerThan(Tally other) {
    long macs = declaredMacs();
    long otherMacs = other.declaredMacs();
    return macs != otherMacs
        ? macs > otherMacs
        : matrixNodes != other.matrixNodes
            ? matrixNodes > other.matrixNodes
            : activationBytes.atDeclared() > other.activationBytes.atDeclared();
  }

  private long declaredMacs() {
    return work.values().stream().reduce(Amount.ZERO, Amount::plus).atDeclared();
  }

  Map<WorkClass, Amount> work() {
    return work;
  }

  Amount activationBytes() {
    return activationBytes;
  }

  Amount savedBytes() {
    return savedBytes;
  }

  /** The most bytes that one convolution reads and writes. */
  PeakBytes convolution() {
    return convolution;
  }

  Amount matrixOutputs() {
    return matrixOutputs;
  }

  Amount winogradWork() {
    return winogradWork;
  }

  KernelTotals kernels() {
    return kernels;
  }

  PeakBytes peak() {
    return peak;
  }

  LayerCounts layers() {
    return new LayerCounts(whole(convolutions), whole(linears), whole(activations), whole(others));
  }

  int normalizations() {
    return whole(normalizations);
  }

  int operators() {
    return whole(operators);
  }

  /**
   * Share of matrix-class nodes that are known; 1 when there are none. A node of an operator that
   * is not known counts as one that is not, as does a body that was not looked at.
   */
  double coverage() {
    return matrixNodes == 0 ? 1 : (double) knownMatrixNodes / matrixNodes;
  }

  private static int whole(long count) {
    return (int) Math.min(count, Integer.MAX_VALUE);
  }
}
