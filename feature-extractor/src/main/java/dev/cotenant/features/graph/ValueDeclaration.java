package dev.cotenant.features.graph;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the model declares about a value.
 *
 * @param value number of the value in its graph
 * @param type element type
 * @param dimensions declared dimensions, or null when the rank is not declared
 */
public record ValueDeclaration(int value, ElementType type, @Nullable List<Dimension> dimensions) {
  public ValueDeclaration {
    dimensions = dimensions == null ? null : List.copyOf(dimensions);
  }

  /** Nothing is declared. */
  public static ValueDeclaration unknown(int value) {
    return new ValueDeclaration(value, ElementType.UNDEFINED, null);
  }

  /**
   * One declared dimension.
   *
   * @param extent its extent; below 1 when it is not fixed
   * @param symbol its name, empty when it has none; Paddle writes "?" for that, on any axis
   */
  public record Dimension(long extent, String symbol) {
    public Dimension {
      symbol = symbol.equals("?") ? "" : symbol;
    }

    public boolean isFixed() {
      return extent > 0 && symbol.isEmpty();
    }
  }
}
