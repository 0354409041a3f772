package dev.cotenant.features.operator.layer;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Saturating;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.Work;
import dev.cotenant.features.operator.ChannelOrder;
import dev.cotenant.features.operator.Fused;
import dev.cotenant.features.operator.OperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Convolutions. The weight has the shape (outputs, inputs / groups, kernel…), so one output element
 * costs the product of its axes from the second on; transposed, (inputs, outputs / groups,
 * kernel…), it is one input element that costs it.
 */
public final class ConvolutionOperators {
  private static final LayerCounts ONE_CONVOLUTION = new LayerCounts(1, 0, 0, 0);

  private ConvolutionOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(convolution(node -> new Site(node, 1, ChannelOrder.FIRST)), "Conv", "DeformConv");
    table.add(
        Fused.withActivation(convolution(node -> new Site(node, 1, ChannelOrder.FIRST))),
        MICROSOFT + "FusedConv");
    table.add(
        Fused.withActivation(convolution(node -> new Site(node, 1, ChannelOrder.LAST))),
        MICROSOFT + "NhwcConv",
        MICROSOFT + "NhwcFusedConv");
    table.add(
        convolution(node -> new Site(node, 3, ChannelOrder.of(node))),
        "QLinearConv",
        MICROSOFT + "QLinearConv");
    table.add(
        convolution(node -> new Site(node, 1, ChannelOrder.FIRST)),
        "ConvInteger",
        MICROSOFT + "ConvInteger");
    table.add(transposed(node -> setTransposed(node, null)), "ConvTranspose");
    table.add(
        transposed(ConvolutionOperators::setTransposedByInput),
        MICROSOFT + "ConvTransposeWithDynamicPads");
  }

  /** A convolution, the input that is its weight, and where its channels lie. */
  private record Site(NodeView node, int weight, ChannelOrder order) {
    WorkClass kind() {
      long groups = node.integer("group", 1);
      Shape data = node.shape(0);
      boolean isDepthwise =
          data != null && data.rank() > 1 && order.toFirst(data).extent(1) == groups;
      return groups == 1
          ? WorkClass.CONVOLUTION
          : isDepthwise ? WorkClass.DEPTHWISE_CONVOLUTION : WorkClass.GROUPED_CONVOLUTION;
    }

    ElementType type() {
      boolean quantized = weight == 3 && node.has(7);
      boolean sums = weight == 1 && node.type(0).isNarrowInteger();
      return sums ? ElementType.INT32 : node.type(quantized ? 7 : 0);
    }
  }

  private static Operator transposed(Operator.ShapeRule shape) {
    return Operator.matrix(
        shape,
        node -> Work.of(new Site(node, 1, ChannelOrder.FIRST).kind(), transposedMacs(node)),
        ONE_CONVOLUTION);
  }

  @FunctionalInterface
  private interface SiteRule {
    Site of(NodeView node);
  }

  private static Operator convolution(SiteRule rule) {
    return Operator.matrix(
        node -> setConvolved(rule.of(node)),
        node -> Work.of(rule.of(node).kind(), macs(node, rule.of(node).weight)),
        ONE_CONVOLUTION);
  }

  private static void setConvolved(Site site) {
    NodeView node = site.node;
    Shape given = node.shape(0);
    Shape kernel = node.shape(site.weight);
    if (given == null || kernel == null) {
      return;
    }
    Shape data = site.order.toFirst(given);
    requireGroups(node, data, kernel);
    int spatial = data.rank() - 2;
    SlidingWindow windows = SlidingWindow.of(node, spatial);
    Shape.Builder result = new Shape.Builder(data.rank());
    result.addAll(data, 0, 1).add(kernel.extent(0), false);
    for (int i = 0; i < spatial; i++) {
      result.add(
          windows.positions(i, data.extent(i + 2), kernel.extent(i + 2)), data.scales(i + 2));
    }
    node.set(0, site.type(), site.order.fromFirst(result.build()));
  }

  private static void requireGroups(NodeView node, Shape data, Shape kernel) {
    long groups = node.integer("group", 1);
    boolean sameRank = data.rank() == kernel.rank() && data.rank() >= 2;
    if (!sameRank || groups < 1) {
      throw new ShapeMismatch(
          "a kernel of " + kernel + " in " + groups + " groups does not fit " + data);
    }
  }

  private static Amount macs(NodeView node, int weight) {
    return perElement(node.outputShape(0), node.shape(weight));
  }

  private static Amount transposedMacs(NodeView node) {
    return perElement(node.shape(0), node.shape(1));
  }

  private static Amount perElement(@Nullable Shape elements, @Nullable Shape kernel) {
    return kernel == null
        ? Amount.UNKNOWN
        : Amount.elements(elements).times(Amount.elements(kernel, 1, kernel.rank()));
  }

  /** The paddings are input 2. */
  private static void setTransposedByInput(NodeView node) {
    if (!node.has(2) || node.numbers(2) != null) {
      setTransposed(node, node.numbers(2));
    }
  }

  private static void setTransposed(NodeView node, @Nullable KnownNumbers pads) {
    Shape data = node.shape(0);
    Shape kernel = node.shape(1);
    if (data == null || kernel == null) {
      return;
    }
    requireGroups(node, data, kernel);
    int spatial = data.rank() - 2;
    SlidingWindow windows = new SlidingWindow(node, spatial, pads);
    Shape.Builder result = new Shape.Builder(data.rank());
    long channels =
        kernel.extent(1) == Shape.UNKNOWN
            ? Shape.UNKNOWN
            : Saturating.multiply(kernel.extent(1), node.integer("group", 1));
    result.addAll(data, 0, 1).add(channels, false);
    for (int i = 0; i < spatial; i++) {
      result.add(
          windows.transposed(i, data.extent(i + 2), kernel.extent(i + 2)), data.scales(i + 2));
    }
    node.set(0, result.build());
  }
}
