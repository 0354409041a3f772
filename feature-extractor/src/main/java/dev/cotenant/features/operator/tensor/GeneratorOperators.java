package dev.cotenant.features.operator.tensor;

import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.StoredTensor;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.operator.OperatorTable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Tensors that come from nowhere: constants, fills, ranges and random numbers. */
public final class GeneratorOperators {
  private GeneratorOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(Operator.movement(GeneratorOperators::setConstant), "Constant");
    table.add(Operator.movement(GeneratorOperators::setFilled), "ConstantOfShape");
    table.add(
        Operator.movement(GeneratorOperators::setRange),
        "Range",
        OperatorTable.MICROSOFT + "Range");
    table.add(Operator.movement(GeneratorOperators::setEye), "EyeLike");
    table.add(Operator.movement(GeneratorOperators::setRandom), "RandomNormal", "RandomUniform");
    table.add(
        Operator.movement(node ->
            node.set(
                0, ElementType.of(node.integer("dtype", node.type(0).number())), node.shape(0))),
        "RandomNormalLike",
        "RandomUniformLike",
        "Bernoulli");
  }

  private static void setConstant(NodeView node) {
    Attribute value = node.attribute("value");
    Attribute sparse = node.attribute("sparse_value");
    if (value != null && value.tensor() != null) {
      node.set(0, TensorFact.of(value.tensor()));
    } else if (sparse != null && sparse.tensor() != null) {
      node.set(0, TensorFact.of(sparse.tensor()));
    } else {
      setListed(node);
    }
  }

  private static void setListed(NodeView node) {
    if (node.hasAttribute("value_int")) {
      setNumbers(node, ElementType.INT64, Shape.SCALAR, (double) node.integer("value_int", 0));
    } else if (node.hasAttribute("value_float")) {
      setNumbers(node, ElementType.FLOAT, Shape.SCALAR, node.number("value_float", 0));
    }
    if (node.hasAttribute("value_string")) {
      node.set(0, ElementType.STRING, Shape.SCALAR);
    } else if (node.hasAttribute("value_strings")) {
      node.set(0, ElementType.STRING, Shape.of(Shape.UNKNOWN));
    }
    long[] integers = node.integers("value_ints");
    if (integers != null) {
      double[] numbers = Arrays.stream(integers).asDoubleStream().toArray();
      setNumbers(node, ElementType.INT64, Shape.of(numbers.length), numbers);
    }
    Attribute floats = node.attribute("value_floats");
    if (floats != null) {
      double[] numbers = floats.numbers();
      setNumbers(node, ElementType.FLOAT, Shape.of(numbers.length), numbers);
    }
  }

  private static void setNumbers(NodeView node, ElementType type, Shape shape, double... numbers) {
    boolean few = numbers.length <= KnownNumbers.MAX_ELEMENTS;
    node.set(0, new TensorFact(type, shape, few ? KnownNumbers.of(numbers) : null, true, null));
  }

  private static void setFilled(NodeView node) {
    KnownNumbers extents = node.numbers(0);
    if (extents == null) {
      return;
    }
    Shape.Builder builder = new Shape.Builder(extents.size());
    for (int i = 0; i < extents.size(); i++) {
      if (extents.integer(i) < 0) {
        throw new ShapeMismatch("an extent of " + extents.integer(i));
      }
      builder.add(extents.integer(i), extents.scales(i));
    }
    Shape shape = builder.build();
    Attribute value = node.attribute("value");
    StoredTensor fill = value == null ? null : value.tensor();
    ElementType type = fill == null ? ElementType.FLOAT : fill.type();
    TensorFact fact = new TensorFact(type, shape, fillNumbers(fill, shape), true, null);
    boolean isWeight = type.isFloating() && shape.rank() > 0 && shape.scaling() == 0;
    if (isWeight) {
      node.setGenerated(0, fact, StoredTensor.of(type, shape.extents(), null));
    } else {
      node.set(0, fact);
    }
  }

  private static @Nullable KnownNumbers fillNumbers(@Nullable StoredTensor fill, Shape shape) {
    long count = shape.elements();
    if (count < 0 || count > KnownNumbers.MAX_ELEMENTS) {
      return null;
    }
    double[] numbers = new double[(int) count];
    double[] known = fill == null ? new double[1] : fill.numbers();
    if (known == null || known.length != 1) {
      return null;
    }
    Arrays.fill(numbers, known[0]);
    return KnownNumbers.of(numbers);
  }

  private static void setRange(NodeView node) {
    KnownNumbers start = node.numbers(0);
    KnownNumbers limit = node.numbers(1);
    KnownNumbers step = node.has(2) ? node.numbers(2) : KnownNumbers.of(1.0);
    if (start == null || limit == null || step == null) {
      node.set(0, Shape.of(Shape.UNKNOWN));
      return;
    }
    double count = Math.ceil((limit.at(0) - start.at(0)) / step.at(0));
    if (!(count < 0x1p62)) {
      throw new ShapeMismatch("a range of " + count + " numbers");
    }
    long extent = (long) Math.max(0, count);
    boolean scales = start.scales(0) || limit.scales(0);
    Shape shape = Shape.of(new long[] {extent}, scales ? 1 : 0);
    KnownNumbers numbers = null;
    if (extent <= KnownNumbers.MAX_ELEMENTS) {
      double[] each = new double[(int) extent];
      Arrays.setAll(each, i -> start.at(0) + i * step.at(0));
      numbers = KnownNumbers.of(each);
    }
    node.set(0, new TensorFact(node.type(0), shape, numbers, true, null));
  }

  private static void setEye(NodeView node) {
    long type = node.integer("dtype", node.type(0).number());
    node.set(0, ElementType.of(type), node.shape(0));
  }

  private static void setRandom(NodeView node) {
    long[] extents = node.integers("shape");
    if (extents != null) {
      node.set(0, ElementType.of(node.integer("dtype", 1)), Shape.of(extents));
    }
  }
}
