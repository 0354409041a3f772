package dev.cotenant.engine.sizing;

import dev.cotenant.domain.InputException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prices of a GPU hour.
 *
 * @param byProduct by product name of DCGM; the empty name applies to other products
 */
public record GpuPrices(Map<String, Double> byProduct) {
  private static final Pattern FORM = Pattern.compile("(?:(.+)=)?([0-9]{1,6}(?:\\.[0-9]{1,6})?)");

  public GpuPrices {
    byProduct = Map.copyOf(byProduct);
  }

  /**
   * Of the values of an option or parameter.
   *
   * @param name of it
   * @throws InputException ({@code bad-price})
   */
  public static GpuPrices of(String name, List<String> values) {
    Map<String, Double> byProduct = new HashMap<>();
    for (String value : values) {
      Matcher matcher = FORM.matcher(value);
      if (!matcher.matches()) {
        throw InputException.invalidArgument(
            "bad-price",
            name
                + " must be money per GPU hour, such as 2.50 or 'NVIDIA L4=0.71', is '"
                + value
                + "'.");
      }
      String product = matcher.group(1);
      byProduct.put(product == null ? "" : product, Double.parseDouble(matcher.group(2)));
    }
    return new GpuPrices(byProduct);
  }

  /** NaN where none is stated. */
  public double of(String product) {
    return byProduct.getOrDefault(product, byProduct.getOrDefault("", Double.NaN));
  }
}
