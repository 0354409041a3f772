package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.features.inference.Shape;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Extents that a graph computes itself, in the precision that its tensors have. */
class ShapeArithmeticTest {
  private static final int FLOAT16 = 10;

  /** The shape (count) where {@code content} computes {@code count} as one integer. */
  private static Shape shapeOf(Consumer<OnnxBytes> content) {
    byte[] model =
        OnnxBytes.model(graph -> {
          content.accept(graph);
          graph.node("ConstantOfShape count -> y").output("y");
        });
    ModelGraph read = new OnnxGraphReader(ReaderLimits.DEFAULT).read(model, "test");
    Shape shape = DerivedShapes.of(read, Map.of()).get("y");
    return Shape.of(shape.extents());
  }

  private static void cast(OnnxBytes graph, String nodes, int type) {
    graph.node("Cast " + nodes, n -> n.attribute("to", type));
  }

  private static void number(OnnxBytes graph, String name, float value) {
    graph.message(
        5,
        tensor ->
            tensor
                .tensor(name, OnnxBytes.FLOAT, 1)
                .varint((4 << 3) | 5)
                .fixed(Float.floatToIntBits(value)));
  }

  @Test
  void scalesAnExtentInSinglePrecision() {
    // 0.7f is 0.69999998807…; ten times that is 6.9999998807…, of which 7 is the nearest float.
    Shape shape =
        shapeOf(graph -> {
          number(graph.input("x", 1, 10).numbers("one", 1), "scale", 0.7f);
          graph.node("Shape x -> shape").node("Gather shape,one -> width");
          cast(graph, "width -> number", OnnxBytes.FLOAT);
          graph.node("Mul number,scale -> scaled").node("Floor scaled -> whole");
          cast(graph, "whole -> count", OnnxBytes.INT64);
        });
    assertThat(shape).isEqualTo(Shape.of(7));
  }

  @Test
  void losesOfAnIntegerWhatAFloatDoesNotHold() {
    // 2^24 + 1 is 2^24 in single precision, and 2^11 + 1 is 2^11 in half precision.
    for (int type : new int[] {OnnxBytes.FLOAT, FLOAT16}) {
      long most = type == FLOAT16 ? 1 << 11 : 1 << 24;
      Shape shape =
          shapeOf(graph -> {
            graph.numbers("more", most + 1).numbers("less", most - 5);
            cast(graph, "more -> rounded", type);
            cast(graph, "rounded -> again", OnnxBytes.INT64);
            graph.node("Sub again,less -> count");
          });
      assertThat(shape).isEqualTo(Shape.of(5));
    }
  }
}
