package dev.cotenant.admission.pod;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Kubernetes quantity, read exactly: {@code 8Gi}, {@code 8k}, {@code 500m}, {@code 1e3}.
 *
 * <p>The form is that of apimachinery's {@code resource.Quantity}: a signed decimal number, then a
 * binary suffix (Ki to Ei), a decimal suffix (n u m k M G T P E) or a decimal exponent.
 *
 * @param value the number, trailing zeros stripped
 */
public record KubernetesQuantity(BigDecimal value) {
  /** Longer texts are not in use; the bound limits the cost of hostile ones. */
  private static final int MAX_LENGTH = 64;

  private static final int PLAIN_DIGITS = 9;

  private static final Pattern FORM =
      Pattern.compile("([+-]?(?:\\d+\\.?\\d*|\\.\\d+))(?:[eE]([+-]?\\d{1,3})|([A-Za-z]{0,2}))");
  private static final Map<String, BigDecimal> SUFFIXES =
      Map.ofEntries(
          Map.entry("", BigDecimal.ONE),
          Map.entry("n", BigDecimal.valueOf(1, 9)),
          Map.entry("u", BigDecimal.valueOf(1, 6)),
          Map.entry("m", BigDecimal.valueOf(1, 3)),
          Map.entry("k", BigDecimal.valueOf(1, -3)),
          Map.entry("M", BigDecimal.valueOf(1, -6)),
          Map.entry("G", BigDecimal.valueOf(1, -9)),
          Map.entry("T", BigDecimal.valueOf(1, -12)),
          Map.entry("P", BigDecimal.valueOf(1, -15)),
          Map.entry("E", BigDecimal.valueOf(1, -18)),
          Map.entry("Ki", BigDecimal.valueOf(1L << 10)),
          Map.entry("Mi", BigDecimal.valueOf(1L << 20)),
          Map.entry("Gi", BigDecimal.valueOf(1L << 30)),
          Map.entry("Ti", BigDecimal.valueOf(1L << 40)),
          Map.entry("Pi", BigDecimal.valueOf(1L << 50)),
          Map.entry("Ei", BigDecimal.valueOf(1L << 60)));

  public KubernetesQuantity {
    value = value.stripTrailingZeros();
  }

  /** Reads a quantity; empty where {@code text} is none. */
  public static Optional<KubernetesQuantity> parse(String text) {
    if (isPlain(text)) {
      return Optional.of(new KubernetesQuantity(new BigDecimal(text)));
    }
    Matcher matcher = FORM.matcher(text);
    if (text.length() > MAX_LENGTH || !matcher.matches()) {
      return Optional.empty();
    }
    BigDecimal number = new BigDecimal(matcher.group(1));
    @Nullable String exponent = matcher.group(2);
    if (exponent != null) {
      return Optional.of(
          new KubernetesQuantity(number.scaleByPowerOfTen(Integer.parseInt(exponent))));
    }
    return Optional.ofNullable(SUFFIXES.get(matcher.group(3)))
        .map(suffix -> new KubernetesQuantity(number.multiply(suffix)));
  }

  /** A few digits and nothing else, as most counts are. */
  private static boolean isPlain(String text) {
    if (text.isEmpty() || text.length() > PLAIN_DIGITS) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }

  /** Whether the value lies in {@code [least, most]}. */
  public boolean isBetween(long least, long most) {
    return value.compareTo(BigDecimal.valueOf(least)) >= 0
        && value.compareTo(BigDecimal.valueOf(most)) <= 0;
  }

  /** Whether the value has no fraction. */
  public boolean isWhole() {
    return value.scale() <= 0;
  }
}
