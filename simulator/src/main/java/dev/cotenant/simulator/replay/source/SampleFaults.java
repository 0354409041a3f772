package dev.cotenant.simulator.replay.source;

import dev.cotenant.simulator.replay.Recording.Finding;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Samples that were left out, counted by cause. */
final class SampleFaults {
  /** DCGM's blank values start just below 2^63; no device has a petabyte. */
  private static final double BLANK = 1e15;

  private final Map<Fault, Long> counts = new EnumMap<>(Fault.class);

  enum Fault {
    NOT_FINITE("of NaN or infinity: left out"),
    BLANK("with DCGM's blank value: left out"),
    OUT_OF_RANGE("below zero, above 100 % or above 16 TiB: left out"),
    FUTURE("of the future: left out; check the clocks"),
    REPEATED("not later than the one before of the same GPU and pod: left out"),
    NAMELESS("without the label UUID: left out");

    private final String text;

    Fault(String text) {
      this.text = text;
    }
  }

  void count(Fault fault, long samples) {
    counts.merge(fault, samples, Long::sum);
  }

  /** Whether a value is from 0 to {@code most}; counts why not. */
  boolean isUsable(double value, double most) {
    Fault fault = null;
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      fault = Fault.NOT_FINITE;
    } else if (value >= BLANK) {
      fault = Fault.BLANK;
    } else if (value < 0 || value > most) {
      fault = Fault.OUT_OF_RANGE;
    }
    if (fault != null) {
      count(fault, 1);
    }
    return fault == null;
  }

  List<Finding> findings() {
    return counts.entrySet().stream()
        .filter(entry -> entry.getValue() > 0)
        .map(entry -> new Finding(entry.getValue(), "sample", entry.getKey().text))
        .toList();
  }
}
