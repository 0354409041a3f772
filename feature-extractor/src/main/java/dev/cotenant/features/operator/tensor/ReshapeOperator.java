package dev.cotenant.features.operator.tensor;

import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Saturating;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.operator.OperatorTable;

/**
 * Reshape, and where the batch goes.
 *
 * <p>The target is resolved at the declared batch. Where it says itself which extents grow (they
 * were computed from {@code Shape}), that holds. Otherwise the batch axis lies, in row-major order,
 * after the product of the extents before it: of the target axes that the source axis becomes it is
 * the one with the extent of the batch, else the one that begins there. An inner batch axis that
 * vanishes leaves a choice: it joins the axis before it when the one after it is made of whole axes
 * (tokens are flattened, features are not), and else the one after it (heads). So a graph exported
 * at batch 1 with constants in every Reshape has exact shapes at any batch, window partitions and
 * heads folded into the batch included.
 */
public final class ReshapeOperator {
  private ReshapeOperator() {}

  public static void addTo(OperatorTable table) {
    table.add(Operator.view(ReshapeOperator::setReshaped), "Reshape");
  }

  private static void setReshaped(NodeView node) {
    Shape data = node.shape(0);
    KnownNumbers target = node.attributeOrInput("shape", 1);
    if (target == null) {
      setRank(node);
    } else if (data == null) {
      setWithout(node, target);
    } else {
      ViewOperators.setViewed(
          node,
          marked(
              data,
              resolved(data, target, node.integer("allowzero", 0) != 0),
              node.declaredBatch()));
    }
  }

  /** A target of unknown elements still gives the rank. */
  private static void setRank(NodeView node) {
    Shape target = node.shape(1);
    if (target == null || target.rank() != 1 || target.extent(0) < 0 || target.extent(0) > 32) {
      return;
    }
    Shape.Builder result = new Shape.Builder((int) target.extent(0));
    for (int i = 0; i < target.extent(0); i++) {
      result.add(Shape.UNKNOWN, false);
    }
    ViewOperators.setViewed(node, result.build());
  }

  /** Without the input's shape a target that is spelled out still holds. */
  private static void setWithout(NodeView node, KnownNumbers target) {
    Shape.Builder result = new Shape.Builder(target.size());
    for (int i = 0; i < target.size(); i++) {
      result.add(target.integer(i) > 0 ? target.integer(i) : Shape.UNKNOWN, target.scales(i));
    }
    ViewOperators.setViewed(node, result.build());
  }

  private static Shape resolved(Shape data, KnownNumbers target, boolean zeroIsZero) {
    long[] extents = target.integers();
    long marks = 0;
    int free = -1;
    long product = 1;
    for (int i = 0; i < extents.length; i++) {
      boolean copies = extents[i] == 0 && !zeroIsZero;
      if (copies) {
        extents[i] = data.extent(i);
      }
      if (target.scales(i) || (copies && data.scales(i))) {
        marks |= 1L << i;
      }
      if (extents[i] == -1 && !copies) {
        free = i;
      } else {
        product = extents[i] < 0 ? Shape.UNKNOWN : multiply(product, extents[i]);
      }
    }
    if (free >= 0) {
      extents[free] = rest(data, product);
    } else if (product >= 0 && data.isKnown() && product != data.elements()) {
      throw new ShapeMismatch(data + " has not " + product + " elements");
    }
    return Shape.of(extents, marks);
  }

  private static long multiply(long product, long extent) {
    return product == Shape.UNKNOWN ? Shape.UNKNOWN : Saturating.multiply(product, extent);
  }

  private static long rest(Shape data, long product) {
    long elements = data.elements();
    if (elements == Shape.UNKNOWN || product == Shape.UNKNOWN) {
      return Shape.UNKNOWN;
    }
    if (product == 0) {
      return 0;
    }
    if (elements % product != 0) {
      throw new ShapeMismatch(data + " does not divide by " + product);
    }
    return elements / product;
  }

  /** Marks the axes that grow with the batch where the target does not say them all. */
  private static Shape marked(Shape data, Shape target, long batch) {
    int wanted = Long.bitCount(data.scaling());
    Shape result = target;
    if (!data.isKnown()) {
      return result;
    }
    for (int i = 0; i < data.rank(); i++) {
      if (data.scales(i) && Long.bitCount(result.scaling()) < wanted) {
        int axis = axisOf(data, i, result, batch);
        result = axis < 0 ? result : result.with(axis, result.extent(axis), true);
      }
    }
    return result;
  }

  private static int axisOf(Shape data, int source, Shape target, long batch) {
    long before = data.product(0, source);
    long after = Saturating.multiply(before, data.extent(source));
    int beginning = -1;
    int holding = -1;
    long product = 1;
    for (int i = 0; i < target.rank(); i++) {
      long next = multiply(product, target.extent(i));
      if (next == Shape.UNKNOWN) {
        break;
      }
      boolean free = !target.scales(i);
      if (free && product >= before && next <= after && target.extent(i) == batch) {
        return i;
      }
      beginning = free && product == before && beginning < 0 ? i : beginning;
      holding = free && product <= before ? i : holding;
      product = next;
    }
    if (beginning < 0) {
      return holding;
    }
    boolean joinsOuter =
        beginning > 0
            && data.extent(source) != target.extent(beginning)
            && !target.scales(beginning - 1)
            && isWhole(
                data, data.extent(source) == batch ? source + 1 : source, target.extent(beginning));
    return joinsOuter ? beginning - 1 : beginning;
  }

  /** Whether an extent is that of whole axes from {@code from} on, one or several. */
  private static boolean isWhole(Shape data, int from, long extent) {
    for (int to = from + 1; to <= data.rank(); to++) {
      if (data.product(from, to) == extent) {
        return true;
      }
    }
    return false;
  }
}
