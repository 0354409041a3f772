package dev.cotenant.features.execution;

import dev.cotenant.features.execution.Step.Body;
import dev.cotenant.features.inference.Amount;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * A runnable order of the steps that keeps few bytes alive, and the peak over it.
 *
 * <p>Which order needs least memory is NP-hard to know [Sethi 1975, for registers]. Two are tried
 * and the better one at the declared batch is taken: the file's, and a greedy one that always runs
 * the ready step after which the fewest bytes are alive (first in the file among equals). A buffer
 * is alive from the step that writes it to the last that reads it; outputs stay. O((steps + reads)
 * · log steps).
 */
final class MemoryOrder {
  private final DataFlow flow;
  private final List<Step> steps;
  private final long[] sizes;

  /** Steps that read buffer b: {@code readerSteps[readerStarts[b]]} up to the next start. */
  private final int[] readerStarts;

  private final int[] readerSteps;

  MemoryOrder(DataFlow flow) {
    this.flow = flow;
    steps = flow.steps();
    sizes = new long[flow.buffers()];
    readerStarts = new int[flow.buffers() + 1];
    for (int buffer = 0; buffer < sizes.length; buffer++) {
      sizes[buffer] = flow.isIntermediate(buffer) ? flow.bytes(buffer).atDeclared() : 0;
    }
    for (Step step : steps) {
      for (int buffer : step.reads()) {
        readerStarts[buffer + 1]++;
      }
    }
    for (int buffer = 0; buffer < sizes.length; buffer++) {
      readerStarts[buffer + 1] += readerStarts[buffer];
    }
    readerSteps = new int[readerStarts[sizes.length]];
    int[] next = readerStarts.clone();
    for (int i = 0; i < steps.size(); i++) {
      for (int buffer : steps.get(i).reads()) {
        readerSteps[next[buffer]++] = i;
      }
    }
  }

  PeakBytes peak() {
    int[] asFiled = new int[steps.size()];
    Arrays.setAll(asFiled, i -> i);
    PeakBytes filed = peak(asFiled);
    if (!hasChoice()) {
      return filed;
    }
    PeakBytes greedy = peak(new Greedy().order());
    return greedy.atDeclared() < filed.atDeclared() ? greedy : filed;
  }

  /** Without a buffer that several read or a second beginning there is but one order. */
  private boolean hasChoice() {
    int beginnings = 0;
    for (Step step : steps) {
      beginnings += begins(step) ? 1 : 0;
      int read = 0;
      for (int buffer : step.writes()) {
        read += readerStarts[buffer + 1] - readerStarts[buffer];
      }
      if (beginnings > 1 || read > 1) {
        return true;
      }
    }
    return false;
  }

  private boolean begins(Step step) {
    for (int buffer : step.reads()) {
      if (flow.isIntermediate(buffer)) {
        return false;
      }
    }
    return true;
  }

  private PeakBytes peak(int[] order) {
    PeakBytes peak = new PeakBytes();
    int[] waiting = waitingReaders();
    Amount alive = Amount.ZERO;
    for (int i : order) {
      Step step = steps.get(i);
      for (int buffer : step.writes()) {
        alive = alive.plus(flow.bytes(buffer));
      }
      Body body = step.body();
      if (body == null) {
        peak.raise(alive);
      } else {
        peak.raise(alive, body.peak());
      }
      for (int buffer : step.reads()) {
        alive = --waiting[buffer] == 0 && isFreed(buffer) ? alive.minus(flow.bytes(buffer)) : alive;
      }
      for (int buffer : step.writes()) {
        alive = waiting[buffer] == 0 && isFreed(buffer) ? alive.minus(flow.bytes(buffer)) : alive;
      }
    }
    return peak;
  }

  private boolean isFreed(int buffer) {
    return flow.isIntermediate(buffer) && !flow.isOutput(buffer);
  }

  private int[] waitingReaders() {
    int[] waiting = new int[sizes.length];
    Arrays.setAll(waiting, buffer -> readerStarts[buffer + 1] - readerStarts[buffer]);
    return waiting;
  }

  /** Builds the greedy order. Used once. */
  private final class Greedy {
    private record Candidate(long growth, int step) implements Comparable<Candidate> {
      @Override
      public int compareTo(Candidate other) {
        int byGrowth = Long.compare(growth, other.growth);
        return byGrowth != 0 ? byGrowth : Integer.compare(step, other.step);
      }
    }

    private final int[] waiting = waitingReaders();
    private final int[] missing = new int[steps.size()];
    private final long[] growth = new long[steps.size()];
    private final boolean[] done = new boolean[steps.size()];
    private final PriorityQueue<Candidate> ready = new PriorityQueue<>();

    int[] order() {
      for (int i = 0; i < steps.size(); i++) {
        prepare(i);
      }
      int[] order = new int[steps.size()];
      int count = 0;
      while (!ready.isEmpty()) {
        Candidate next = ready.poll();
        if (!done[next.step] && next.growth == growth[next.step]) {
          order[count++] = next.step;
          run(next.step);
        }
      }
      return order;
    }

    private void prepare(int index) {
      Step step = steps.get(index);
      long grows = 0;
      for (int buffer : step.writes()) {
        boolean stays = waiting[buffer] > 0 || flow.isOutput(buffer);
        grows += stays ? sizes[buffer] : 0;
      }
      for (int buffer : step.reads()) {
        missing[index] += flow.isIntermediate(buffer) ? 1 : 0;
        grows -= waiting[buffer] == 1 && isFreed(buffer) ? sizes[buffer] : 0;
      }
      growth[index] = grows;
      offerIfReady(index);
    }

    private void offerIfReady(int index) {
      if (missing[index] == 0 && !done[index]) {
        ready.add(new Candidate(growth[index], index));
      }
    }

    private void run(int index) {
      done[index] = true;
      for (int buffer : steps.get(index).reads()) {
        if (--waiting[buffer] == 1 && isFreed(buffer)) {
          favourLastReader(buffer);
        }
      }
      for (int buffer : steps.get(index).writes()) {
        for (int i = readerStarts[buffer]; i < readerStarts[buffer + 1]; i++) {
          missing[readerSteps[i]]--;
          offerIfReady(readerSteps[i]);
        }
      }
    }

    private void favourLastReader(int buffer) {
      for (int i = readerStarts[buffer]; i < readerStarts[buffer + 1]; i++) {
        int reader = readerSteps[i];
        if (!done[reader]) {
          growth[reader] -= sizes[buffer];
          offerIfReady(reader);
        }
      }
    }
  }
}
