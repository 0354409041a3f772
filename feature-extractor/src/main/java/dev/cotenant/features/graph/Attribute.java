package dev.cotenant.features.graph;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One attribute of a node; only what its kind holds is set.
 *
 * @param name attribute name
 * @param integer integer value, 0 when it has none
 * @param number float value, 0 when it has none
 * @param text text value, empty when it has none
 * @param integers integer list
 * @param numbers float list
 * @param tensor stored tensor
 * @param graph subgraph, as the branches of {@code If} are
 * @param reference name of the enclosing function's attribute that this one stands for
 */
public record Attribute(
    String name,
    long integer,
    double number,
    String text,
    List<Long> integers,
    List<Double> numbers,
    @Nullable StoredTensor tensor,
    @Nullable Graph graph,
    @Nullable String reference) {
  public Attribute {
    integers = List.copyOf(integers);
    numbers = List.copyOf(numbers);
  }

  /** The same value under another name. */
  public Attribute renamed(String other) {
    return new Attribute(other, integer, number, text, integers, numbers, tensor, graph, reference);
  }
}
