package dev.cotenant.features;

/** Shapes, small tensors, extents and patterns that are made to take much. */
final class HostileNumbers {
  private HostileNumbers() {}

  static void addTo(HostileGraphs graphs) {
    addNumbers(graphs);
    addPatterns(graphs);
    addExtremes(graphs);
  }

  private static void addNumbers(HostileGraphs graphs) {
    graphs.add(
        "numbers without end",
        g ->
            HostileGraphs.chain(
                g.message(5, t -> HostileGraphs.packed(t.tensor("_0", 7, 1024), 1024)),
                245_000,
                i -> "Add _0,_0 -> " + HostileGraphs.name(i + 1)));
    graphs.add(
        "a sum of numbers without end",
        g ->
            HostileGraphs.chain(
                g.message(5, t -> HostileGraphs.packed(t.tensor("_0", 7, 1024), 1024)),
                245_000,
                i -> "Add " + HostileGraphs.name(i) + ",_0 -> " + HostileGraphs.name(i + 1)));
    graphs.add(
        "joins of numbers",
        g -> {
          g.numbers("1", 1);
          HostileGraphs.repeat(
              7000, i -> g.node("Concat " + "1,".repeat(1000) + "1 -> a" + HostileGraphs.name(i)));
        });
    graphs.add(
        "axes without end",
        g ->
            g.input("_0", HostileGraphs.sixty(1))
                .message(1, n -> {})
                .message(7, n -> {})
                .node("Add _0,_0 -> y"));
    graphs.add(
        "shapes of many axes",
        g -> {
          g.input("_0", HostileGraphs.sixty(1));
          HostileGraphs.repeat(
              245_000,
              i -> g.node("Add " + HostileGraphs.name(i) + ",_0 -> " + HostileGraphs.name(i + 1)));
        });
    for (String bomb :
        new String[] {
          "Tile x,n", "Expand x,n", "ConstantOfShape n", "Range z,n1,o", "Reshape x,n",
              "Resize x,,,n",
          "OneHot x,n1,z", "Pad x,n", "NonZero n", "CumSum n,z", "GatherND x,n", "TopK x,n1",
          "Upsample x,n", "Slice x,n,n", "Split x,n", "SpaceToDepth x", "EyeLike n"
        }) {
      graphs.add(
          "numbers of " + bomb,
          g ->
              g.input("x", 1, 1)
                  .numbers("n", 1L << 40, 1L << 40)
                  .numbers("n1", 1L << 40)
                  .numbers("z", 0)
                  .numbers("o", 1)
                  .node(bomb + " -> y")
                  .node("MatMul y,y -> m")
                  .output("m"));
    }
    graphs.add(
        "a range per node",
        g -> {
          g.numbers("z", 0).numbers("n", 1024).numbers("o", 1);
          HostileGraphs.repeat(245_000, i -> g.node("Range z,n,o -> " + HostileGraphs.name(i)));
        });
    graphs.add(
        "a filled tensor per node",
        g -> {
          g.numbers("n", 32, 32);
          HostileGraphs.repeat(
              245_000, i -> g.node("ConstantOfShape n -> " + HostileGraphs.name(i)));
        });
  }

  private static void addPatterns(HostileGraphs graphs) {
    graphs.add(
        "roots of one wide sum",
        g -> {
          g.node("Add " + "v,".repeat(60_000) + "v -> e");
          HostileGraphs.repeat(245_000, i -> g.node("Sqrt e -> " + HostileGraphs.name(i)));
        });
    graphs.add(
        "tanhs of one wide sum",
        g -> {
          HostileGraphs.repeat(240_000, i -> g.node("Tanh -> " + HostileGraphs.name(i)));
          StringBuilder all = new StringBuilder("_0");
          HostileGraphs.repeat(60_000, i -> all.append(',').append(HostileGraphs.name(i)));
          g.node("Add " + all + " -> one").node("Mul " + "one," + all + " -> y");
        });
    graphs.add(
        "gates of one wide product",
        g -> {
          HostileGraphs.repeat(245_000, i -> g.node("Sigmoid x -> " + HostileGraphs.name(i)));
          StringBuilder all = new StringBuilder("_0");
          HostileGraphs.repeat(60_000, i -> all.append(',').append(HostileGraphs.name(i)));
          g.node("Mul " + all + " -> y");
        });
    graphs.add(
        "a ladder of scalings",
        g -> {
          g.input("_0", 1, 8);
          HostileGraphs.repeat(
              120_000,
              i ->
                  g.node("Mul " + HostileGraphs.name(i) + ",_0 -> " + HostileGraphs.name(i + 1))
                      .node("Erf " + HostileGraphs.name(i) + " -> e" + HostileGraphs.name(i)));
        });
    graphs.add(
        "views of one value",
        g -> {
          g.input("_0", 1, 8);
          HostileGraphs.repeat(
              245_000,
              i ->
                  g.node("Identity " + HostileGraphs.name(i) + " -> " + HostileGraphs.name(i + 1)));
        });
  }

  private static void addExtremes(HostileGraphs graphs) {
    long huge = 1L << 40;
    graphs.add(
        "huge extents",
        g ->
            g.input("x", huge, huge, huge)
                .weight("w", huge, huge, huge)
                .node("MatMul x,w -> y")
                .node("Add x,w -> z")
                .output("y"));
    graphs.add(
        "negative extents",
        g ->
            g.input("x", -1, Long.MIN_VALUE, 3).input("w", -5).node("MatMul x,w -> y").output("y"));
    for (String attribute : new String[] {"strides", "dilations", "kernel_shape", "pads"}) {
      for (long value : new long[] {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, huge}) {
        for (String node :
            new String[] {"Conv x,w", "ConvTranspose x,w", "MaxPool x", "LpPool x"}) {
          graphs.add(
              node + " with " + attribute + " of " + value,
              g ->
                  g.input("x", 1, 4, 8, 8)
                      .weight("w", 4, 4, 3, 3)
                      .node(
                          node + " -> y",
                          n -> n.attribute(attribute, new long[] {value, value, value, value}))
                      .output("y"));
        }
      }
    }
    for (long group : new long[] {0, -1, 3, Long.MAX_VALUE, Long.MIN_VALUE}) {
      graphs.add(
          "groups of " + group,
          g ->
              g.input("x", 1, 4, 8, 8)
                  .weight("w", 4, 4, 3, 3)
                  .node("Conv x,w -> y", n -> n.attribute("group", group))
                  .node("ConvTranspose x,w -> z", n -> n.attribute("group", group)));
    }
    graphs.addModel(
        "a length without end",
        () -> new OnnxBytes().integer(1, 8).varint((7 << 3) | 2).varint(Long.MAX_VALUE).toBytes());
    graphs.addModel("messages without end", () -> deep(5000));
  }

  /** Graph in attribute in node in graph. */
  private static byte[] deep(int depth) {
    byte[] graph = {};
    for (int i = 0; i < depth; i++) {
      byte[] inner = graph;
      byte[] attribute = new OnnxBytes().bytes(6, inner).toBytes();
      byte[] node = new OnnxBytes().bytes(5, attribute).toBytes();
      graph = new OnnxBytes().bytes(1, node).toBytes();
    }
    return new OnnxBytes().integer(1, 8).bytes(7, graph).toBytes();
  }
}
