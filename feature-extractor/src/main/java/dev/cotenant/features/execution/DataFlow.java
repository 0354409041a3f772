package dev.cotenant.features.execution;

import dev.cotenant.features.execution.Step.Body;
import dev.cotenant.features.execution.Step.Reading;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.Operator.Kernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes of one graph read and write on a device, in a runnable order. Values become
 * numbered buffers; views share one. Stored tensors and what is computed from them or from shapes
 * alone are no buffers. Collected during a walk, read afterwards. Not thread safe.
 */
public final class DataFlow {
  /** No buffer. */
  public static final int NONE = -1;

  /** The buffer that holds a value now, by value. */
  private final int[] buffers;

  private final List<Amount> bytes = new ArrayList<>();
  private final BitSet intermediate = new BitSet();
  private final BitSet outputs = new BitSet();
  private final BitSet saved = new BitSet();

  /** Of those that are saved, those that the graph around counts. */
  private final BitSet left = new BitSet();

  private Amount savedUnnamed = Amount.ZERO;
  private Amount unnamedPasses = Amount.ZERO;
  private Amount unnamedMoved = Amount.ZERO;
  private final List<Step> steps = new ArrayList<>();
  private final Use use = new Use();

  /**
   * @param values how many values the graph numbers
   */
  public DataFlow(int values) {
    buffers = new int[values];
    Arrays.fill(buffers, NONE);
  }

  /** What one node does. Collected, then added; the next node takes its place. */
  public final class Use {
    Kernel kernel = Kernel.NONE;
    int layer;
    Reading reading = Reading.WHOLE;
    Amount launches = Amount.ONE;
    Amount constants = Amount.ZERO;
    @Nullable Body body;
    private int[] reads = new int[4];
    private int[] writes = new int[4];
    private int readCount;
    private int writeCount;

    private Use start(Kernel startedKernel, int startedLayer) {
      kernel = startedKernel;
      layer = startedLayer;
      reading = Reading.WHOLE;
      launches = Amount.ONE;
      constants = Amount.ZERO;
      body = null;
      readCount = 0;
      writeCount = 0;
      return this;
    }

    /** Reads no more of each buffer than it writes. */
    public Use choosing() {
      reading = Reading.CHOSEN;
      return this;
    }

    public Use launching(Amount kernels) {
      launches = kernels;
      return this;
    }

    /** Runs a subgraph. */
    public Use running(KernelTotals totals, PeakBytes peak) {
      body = new Body(totals, peak);
      return this;
    }

    /** Reads a value; one that no step wrote was there before. */
    public void reads(int value, Amount size) {
      reads = with(reads, readCount++, holding(value, size));
    }

    public void readsConstant(Amount size) {
      constants = constants.plus(size);
    }

    public void writes(int value, Amount size) {
      int buffer = buffer(size);
      intermediate.set(buffer);
      buffers[value] = buffer;
      writes = with(writes, writeCount++, buffer);
    }

    /** The node is described. */
    public void add() {
      if (reading == Reading.CHOSEN) {
        Amount written = bytes(writes, writeCount);
        constants = written.atDeclared() < constants.atDeclared() ? written : constants;
      }
      int[] distinct = distinct(Arrays.copyOf(reads, readCount));
      int[] written = Arrays.copyOf(writes, writeCount);
      steps.add(new Step(kernel, layer, reading, launches, constants, body, distinct, written));
    }
  }

  private Amount bytes(int[] buffers, int count) {
    Amount sum = Amount.ZERO;
    for (int i = 0; i < count; i++) {
      sum = sum.plus(bytes.get(buffers[i]));
    }
    return sum;
  }

  private static int[] with(int[] array, int index, int value) {
    int[] grown = index < array.length ? array : Arrays.copyOf(array, 2 * index + 1);
    grown[index] = value;
    return grown;
  }

  private static int[] distinct(int[] buffers) {
    return buffers.length < 2 ? buffers : Arrays.stream(buffers).distinct().toArray();
  }

  /** Buffer of a value, created if missing. */
  private int holding(int value, Amount size) {
    if (buffers[value] == NONE) {
      buffers[value] = buffer(size);
    }
    return buffers[value];
  }

  private int buffer(Amount size) {
    bytes.add(size.isKnown() ? size : Amount.ZERO);
    return bytes.size() - 1;
  }

  /**
   * Starts the description of a node, ending the previous one.
   *
   * @param kernel how it runs
   * @param layer number shared by all nodes of a layer, unique for every other node
   */
  public Use use(Kernel kernel, int layer) {
    return use.start(kernel, layer);
  }

  /**
   * Makes a value an alias of another; {@code size} matters if the original was in memory before.
   */
  public void alias(int value, int original, Amount size) {
    buffers[value] = holding(original, size);
  }

  /** The number of the buffer that holds a value, {@link #NONE} where none does yet. */
  public int buffer(int value) {
    return buffers[value];
  }

  /** Keeps a value to the end. */
  public void output(int value) {
    if (buffers[value] != NONE) {
      outputs.set(buffers[value]);
    }
  }

  /** A value stays until the backward pass of training. */
  public void save(int value, Amount size) {
    saved.set(holding(value, size));
  }

  /** So do bytes that no value of the graph holds, such as indices of maxima. */
  public void saveUnnamed(Amount size) {
    savedUnnamed = savedUnnamed.plus(size);
  }

  /** An operator that the graph does not show reads and writes so many bytes each. */
  public void passUnnamed(Amount size) {
    unnamedPasses = unnamedPasses.plus(Amount.ONE);
    unnamedMoved = unnamedMoved.plus(size).plus(size);
  }

  Amount unnamedPasses() {
    return unnamedPasses;
  }

  Amount unnamedMoved() {
    return unnamedMoved;
  }

  /**
   * Whether a value stays until the backward pass. It is the graph around that counts it then,
   * where it has a name as well, and not this one; of several names for one buffer only the first
   * is left.
   */
  public boolean leaveSaved(int value) {
    int buffer = buffers[value];
    boolean leaves = buffer != NONE && saved.get(buffer) && !left.get(buffer);
    if (leaves) {
      left.set(buffer);
    }
    return leaves;
  }

  /** Bytes that stay until the backward pass and are not left; each buffer counts once. */
  public Amount saved() {
    Amount sum = savedUnnamed;
    BitSet own = (BitSet) saved.clone();
    own.andNot(left);
    for (int buffer = own.nextSetBit(0); buffer >= 0; buffer = own.nextSetBit(buffer + 1)) {
      sum = sum.plus(bytes.get(buffer));
    }
    return sum;
  }

  List<Step> steps() {
    return steps;
  }

  int buffers() {
    return bytes.size();
  }

  Amount bytes(int buffer) {
    return bytes.get(buffer);
  }

  /** Whether a step writes it. */
  boolean isIntermediate(int buffer) {
    return intermediate.get(buffer);
  }

  boolean isOutput(int buffer) {
    return outputs.get(buffer);
  }

  /** Kernels, their dependencies and what they move. */
  public KernelTotals kernels() {
    return new KernelFusion(this).totals();
  }

  /** The most bytes of intermediate tensors that are alive at once, over a good order. */
  public PeakBytes peak() {
    return new MemoryOrder(this).peak();
  }
}
