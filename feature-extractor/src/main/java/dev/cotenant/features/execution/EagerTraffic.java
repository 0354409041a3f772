package dev.cotenant.features.execution;

import dev.cotenant.features.inference.Amount;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * What the steps of a graph move where nothing is fused. A layer that is exported as several nodes
 * is one operator, whose inner tensors are not moved. Linear in steps and the buffers they touch.
 */
final class EagerTraffic {
  private static final int NONE = -1;

  private final DataFlow flow;

  /** The layer that read each buffer last: its steps read a buffer together. */
  private final int[] reader;

  private Amount operators;
  private Amount timeSteps = Amount.ZERO;
  private Amount moved;

  EagerTraffic(DataFlow flow) {
    this.flow = flow;
    reader = new int[flow.buffers()];
    Arrays.fill(reader, NONE);
    operators = flow.unnamedPasses();
    moved = flow.unnamedMoved();
    List<Step> steps = flow.steps();
    int[] writer = writers(steps);
    boolean[] leaves = leaving(steps, writer);
    BitSet counted = new BitSet();
    for (Step step : steps) {
      if (step.body() != null) {
        operators = operators.plus(step.body().totals().operators());
        timeSteps = timeSteps.plus(step.body().totals().timeSteps());
        moved = moved.plus(step.body().totals().moved());
      } else {
        operators = counted.get(step.layer()) ? operators : operators.plus(Amount.ONE);
        counted.set(step.layer());
        timeSteps =
            step.launches().equals(Amount.ONE) ? timeSteps : timeSteps.plus(step.launches());
        moved = moved.plus(movedBy(step, writer, leaves));
      }
    }
  }

  /** The layer that writes each buffer. */
  private int[] writers(List<Step> steps) {
    int[] writer = new int[flow.buffers()];
    Arrays.fill(writer, NONE);
    for (Step step : steps) {
      for (int buffer : step.writes()) {
        writer[buffer] = step.layer();
      }
    }
    return writer;
  }

  /** Buffers that another layer reads, or that nothing does. */
  private boolean[] leaving(List<Step> steps, int[] writer) {
    boolean[] leaves = new boolean[flow.buffers()];
    boolean[] read = new boolean[flow.buffers()];
    for (Step step : steps) {
      for (int buffer : step.reads()) {
        read[buffer] = true;
        leaves[buffer] |= writer[buffer] != step.layer();
      }
    }
    for (int buffer = 0; buffer < leaves.length; buffer++) {
      leaves[buffer] |= !read[buffer] || flow.isOutput(buffer);
    }
    return leaves;
  }

  private Amount movedBy(Step step, int[] writer, boolean[] leaves) {
    Amount written = Amount.ZERO;
    for (int buffer : step.writes()) {
      written = leaves[buffer] ? written.plus(flow.bytes(buffer)) : written;
    }
    Amount sum = written;
    for (int buffer : step.reads()) {
      boolean repeated = reader[buffer] == step.layer();
      reader[buffer] = step.layer();
      if (writer[buffer] != step.layer() && !repeated) {
        sum = sum.plus(step.read(flow.bytes(buffer), written));
      }
    }
    return sum;
  }

  Amount operators() {
    return operators;
  }

  /** Kernels of layers that launch several, which only recurrent ones do. */
  Amount timeSteps() {
    return timeSteps;
  }

  Amount moved() {
    return moved;
  }
}
