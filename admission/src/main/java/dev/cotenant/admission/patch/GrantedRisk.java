package dev.cotenant.admission.patch;

import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.quantity.Percent;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A budget of risk as an annotation keeps it: percent and rule, {@code 10% learned}, with the share
 * of trials and the risk in them where there are any, and whether it was granted in one: {@code 10%
 * learned; trials 5% up to 35%; in a trial}.
 */
public final class GrantedRisk {
  private static final String NUMBER = "(\\d{1,3}(?:\\.\\d{1,6})?)%";
  private static final Pattern TEXT =
      Pattern.compile(
          NUMBER
              + " (off|learned|always)(?:; trials "
              + NUMBER
              + " up to "
              + NUMBER
              + "(; in a trial)?)?");

  private static final int DIGITS = 6;

  private GrantedRisk() {}

  /** The text, rounded down: a tenant never takes more risk than it was granted with. */
  static String text(RiskLimit risk) {
    RiskLimit.Exploration exploration = risk.exploration();
    return percent(risk.budget())
        + " "
        + risk.rule().name().toLowerCase(Locale.ROOT)
        + (exploration.areAllowed()
            ? "; trials "
                + percent(exploration.share())
                + " up to "
                + percent(exploration.mostRisk())
                + (exploration.isOne() ? "; in a trial" : "")
            : "");
  }

  private static String percent(double share) {
    return BigDecimal.valueOf(Percent.WHOLE * share)
            .setScale(DIGITS, RoundingMode.FLOOR)
            .stripTrailingZeros()
            .toPlainString()
        + "%";
  }

  /** The budget; empty where the text is none. */
  public static Optional<RiskLimit> read(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    double budget = share(parts.group(1));
    RiskLimit.Rule rule = RiskLimit.Rule.valueOf(parts.group(2).toUpperCase(Locale.ROOT));
    if (parts.group(3) == null) {
      return budget > 1 ? Optional.empty() : Optional.of(new RiskLimit(budget, rule));
    }
    double trials = share(parts.group(3));
    double mostRisk = share(parts.group(4));
    return budget > 1 || trials > 1 || mostRisk > 1
        ? Optional.empty()
        : Optional.of(
            new RiskLimit(
                budget, rule, new RiskLimit.Exploration(trials, mostRisk, parts.group(5) != null)));
  }

  private static double share(String percent) {
    return Double.parseDouble(percent) / Percent.WHOLE;
  }
}
