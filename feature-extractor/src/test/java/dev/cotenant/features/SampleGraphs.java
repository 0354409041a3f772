package dev.cotenant.features;

import java.util.List;

/** Models that tests and the fuzzer start from. */
final class SampleGraphs {
  private SampleGraphs() {}

  static List<byte[]> all() {
    return List.of(everyFamily());
  }

  /** A model with something of every family. */
  static byte[] everyFamily() {
    return OnnxBytes.model(graph ->
        graph
            .input("x", "batch", 3, 32, 32)
            .weight("w", 8, 3, 3, 3)
            .weight("t", 16, 8, 2, 2)
            .weight("f", 2048, 10)
            .weight("lw", 1, 40, 8)
            .weight("lr", 1, 40, 10)
            .numbers("one", 1)
            .numbers("zero", 0)
            .numbers("rest", -1)
            .numbers("trips", 3)
            .numbers("pads", 0, 0, 1, 1, 0, 0, 1, 1)
            .node("Conv x,w -> c", n -> n.attribute("pads", new long[] {1, 1, 1, 1}))
            .node("Relu c -> r")
            .node("MaxPool r -> m", SampleGraphs::window)
            .node("Pad m,pads -> p")
            .node("Slice p,one,rest,rest,one -> s")
            .node("ConvTranspose m,t -> ct", SampleGraphs::window)
            .node("Shape m -> sh")
            .node("Gather sh,zero -> b")
            .node("Concat b,rest -> target", n -> n.attribute("axis", 0))
            .node("Reshape m,target -> flat")
            .node("Gemm flat,f -> y")
            .node("Split y -> y1,y2", n -> n.attribute("axis", 1))
            .node("Unsqueeze y,zero -> seq")
            .node("Einsum y,f -> e", n -> n.attribute("equation", "bk,jk->bj"))
            .node("Transpose e -> et", n -> n.attribute("perm", new long[] {1, 0}))
            .node("LSTM seq,lr,lr -> l", n -> n.attribute("hidden_size", 10))
            .node("Range zero,trips,one -> range")
            .node("ConstantOfShape target -> filled")
            .node("Expand y,sh -> wide")
            .node("Tile y,pads -> tiled")
            .node("ReduceMean y -> mean", n -> n.attribute("axes", new long[] {1}))
            .node("Resize m,,f -> up")
            .node("TopK y,one -> top,where")
            .node("Loop trips,,y -> ly", n -> n.graphAttribute("body", SampleGraphs::body))
            .node("If zero -> i", n -> n.graphAttribute("then_branch", SampleGraphs::body))
            .output("y"));
  }

  private static void window(OnnxBytes node) {
    node.attribute("kernel_shape", new long[] {2, 2}).attribute("strides", new long[] {2, 2});
  }

  private static void body(OnnxBytes graph) {
    graph
        .input("it")
        .input("go")
        .input("v", 1, 10)
        .node("Identity go -> go2")
        .node("Mul v,v -> v2")
        .output("go2")
        .output("v2");
  }
}
