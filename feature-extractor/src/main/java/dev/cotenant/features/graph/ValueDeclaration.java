package dev.cotenant.features.graph;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the model declares about a value.
 *
 * @param name value name
 * @param type element type
 * @param dimensions declared dimensions, or null when the rank is not declared
 */
public record ValueDeclaration(
    String name, ElementType type, @Nullable List<Dimension> dimensions) {
  public ValueDeclaration {
    dimensions = dimensions == null ? null : List.copyOf(dimensions);
  }

  /**
   * One declared dimension.
   *
   * @param extent its extent; below 1 when it is not fixed
   * @param symbol its name, empty when it has none
   */
  public record Dimension(long extent, String symbol) {
    public boolean isFixed() {
      return extent > 0 && symbol.isEmpty();
    }
  }
}
