package dev.cotenant.evaluation.fill;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One point of a curve.
 *
 * @param set which runs
 * @param rule what is filled in: {@code bound 90 %}, or a rule of thumb
 * @param runs scored
 * @param filled how many get a number; the others keep their card
 * @param killed how many would have run out of it
 * @param freedOfCards percent of the cards' memory that is not taken
 * @param freedOfRule percent of what 1.2 times the estimate takes that is not taken; negative where
 *     more is
 */
public record FillLine(
    String set,
    String rule,
    int runs,
    int filled,
    int killed,
    double freedOfCards,
    double freedOfRule) {
  /** Levels of a curve: from half of all runs to the least for owners that enforce memory. */
  public static final List<Double> LEVELS = List.of(0.5, 0.7, 0.8, 0.9, 0.95, 0.99);

  /** What people add to an estimate. */
  private static final double RULE = 1.2;

  /** A point at a level. */
  public static FillLine at(String set, double level, List<FillCase> cases) {
    String rule = "bound " + Math.round(100 * level) + " %";
    return line(set, rule, cases, one -> one.isFilled() ? one.bound() : one.card());
  }

  /** Without knowledge of coverage: the whole GPU, and 1.2 times the estimate. */
  public static List<FillLine> rules(String set, List<FillCase> cases) {
    List<FillLine> lines = new ArrayList<>();
    lines.add(line(set, "whole GPU", cases, FillCase::card));
    lines.add(line(set, "estimate x 1.2", cases, FillLine::byRule));
    return lines;
  }

  private static double byRule(FillCase one) {
    return Math.min(RULE * one.estimate(), one.card());
  }

  private static FillLine line(
      String set, String rule, List<FillCase> cases, ToDoubleFunction<FillCase> number) {
    double cards = cases.stream().mapToDouble(FillCase::card).sum();
    double rules = cases.stream().mapToDouble(FillLine::byRule).sum();
    double taken = cases.stream().mapToDouble(number).sum();
    int filled = (int) cases.stream().filter(one -> number.applyAsDouble(one) < one.card()).count();
    int killed =
        (int)
            cases.stream()
                .filter(one -> number.applyAsDouble(one) < one.card())
                .filter(one -> one.measured() > number.applyAsDouble(one))
                .count();
    return new FillLine(
        set,
        rule,
        cases.size(),
        filled,
        killed,
        100 * (1 - taken / cards),
        100 * (1 - taken / rules));
  }

  /** Percent of the filled runs that would have ended; 0 where none is filled. */
  public double killedPercent() {
    return filled == 0 ? 0 : 100.0 * killed / filled;
  }
}
