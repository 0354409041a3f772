package dev.cotenant.admission.patch;

import dev.cotenant.domain.decision.RiskLimit;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A budget of risk as an annotation keeps it: percent and rule, {@code 10% learned}. */
public final class GrantedRisk {
  private static final Pattern TEXT =
      Pattern.compile("(\\d{1,3}(?:\\.\\d{1,6})?)% (off|learned|always)");

  private static final int DIGITS = 6;
  private static final double PERCENT = 100;

  private GrantedRisk() {}

  /** The text, rounded down: a tenant never takes more risk than it was granted with. */
  static String text(RiskLimit risk) {
    BigDecimal percent =
        BigDecimal.valueOf(PERCENT * risk.budget()).setScale(DIGITS, RoundingMode.FLOOR);
    return percent.stripTrailingZeros().toPlainString()
        + "% "
        + risk.rule().name().toLowerCase(Locale.ROOT);
  }

  /** The budget; empty where the text is none. */
  public static Optional<RiskLimit> read(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    double percent = Double.parseDouble(parts.group(1));
    return percent > PERCENT
        ? Optional.empty()
        : Optional.of(
            new RiskLimit(
                percent / PERCENT,
                RiskLimit.Rule.valueOf(parts.group(2).toUpperCase(Locale.ROOT))));
  }
}
