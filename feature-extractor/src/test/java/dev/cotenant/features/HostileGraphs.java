package dev.cotenant.features;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Models of at most 16 MB that are made to take much time or memory, by name. */
final class HostileGraphs {
  private static final int MANY = 1_000_000;
  private static final int LONGEST = 60_000;
  private final Map<String, Supplier<byte[]>> models = new LinkedHashMap<>();

  private HostileGraphs() {}

  static Map<String, Supplier<byte[]>> all() {
    HostileGraphs graphs = new HostileGraphs();
    graphs.addWide();
    graphs.addLong();
    graphs.addNested();
    graphs.addCalls();
    graphs.addNumbers();
    graphs.addPatterns();
    graphs.addExtremes();
    return graphs.models;
  }

  private void add(String name, Consumer<OnnxBytes> graph) {
    models.put(name, () -> OnnxBytes.model(graph));
  }

  private static void repeat(int times, java.util.function.IntConsumer body) {
    for (int i = 0; i < times; i++) {
      body.accept(i);
    }
  }

  /** A short name that is different for every number. */
  private static String name(int number) {
    return Integer.toString(number, Character.MAX_RADIX);
  }

  /** Names of one {@code hashCode}: every pair of letters is "Aa" or "BB". */
  private static String colliding(int number) {
    StringBuilder name = new StringBuilder();
    for (int bit = 0; bit < 20; bit++) {
      name.append((number >>> bit & 1) == 0 ? "Aa" : "BB");
    }
    return name.toString();
  }

  private static OnnxBytes chain(OnnxBytes graph, int length, IntFunction<String> node) {
    graph.input("0", 1, 8);
    repeat(length, i -> graph.node(node.apply(i)));
    return graph;
  }

  private void addLong() {
    add("a million nodes", g -> chain(g, 800_000, i -> "Relu " + name(i) + " -> " + name(i + 1)));
    add(
        "a million nodes in reverse",
        g -> {
          g.input("0", 1, 8);
          repeat(
              800_000, i -> g.node("Relu " + name(800_000 - i - 1) + " -> " + name(800_000 - i)));
        });
    add("a million empty nodes", g -> repeat(7_000_000, i -> g.message(1, node -> {})));
    add("a million unknown operators", g -> chain(g, MANY, i -> "Q " + name(i) + " -> a"));
    add("a million values nothing produces", g -> chain(g, 900_000, i -> "Add ,x -> " + name(i)));
    add(
        "a million matrix products of unknown shape",
        g -> chain(g, 600_000, i -> "MatMul " + name(i) + "?,x -> a" + name(i)));
    add("a million outputs of one name", g -> chain(g, 900_000, i -> "Add 0,0 -> a"));
    add("a cycle of a million", g ->
        chain(g, 600_000, i -> "Relu " + name((i + 1) % 600_000) + "a -> " + name(i) + "a"));
    add("colliding names", g ->
        chain(g, 150_000, i -> "Relu " + colliding(i) + " -> " + colliding(i + 1)));
    add("colliding names in reverse", g ->
        chain(g, 150_000, i -> "Relu " + colliding(150_000 - i) + " -> " + colliding(149_999 - i)));
    add("a name of 16 MB", g -> g.input("a".repeat(15_900_000), 1).output("y"));
    add(
        "long names",
        g ->
            repeat(
                130, i -> g.node("Q x,y -> " + name(i) + "ä".repeat(LONGEST / 2))));
  }

  private void addWide() {
    add("a node of a million inputs", g ->
        g.input("a", 4, 4).message(1, n -> {
          repeat(3_500_000, i -> n.text(1, "a"));
          n.text(2, "y").text(4, "Concat");
        }));
    add("a node of a million outputs", g ->
        g.input("a", sixty(2)).message(1, n -> {
          n.text(1, "a").text(4, "Split");
          repeat(MANY, i -> n.text(2, name(i)));
        }));
    add("a node of a million attributes", g ->
        g.message(1, n -> {
          n.text(4, "Relu");
          repeat(MANY, i -> n.attribute(name(i), 1));
        }));
    add("colliding attributes", g ->
        g.message(1, n -> {
          n.text(4, "Relu");
          repeat(250_000, i -> n.attribute(colliding(i), 1));
        }));
    add("an attribute of many numbers", g ->
        g.input("x", sixty(1)).message(1, n -> {
          n.text(1, "x").text(2, "y").text(4, "ReduceSum");
          long[] axes = new long[7_000_000];
          n.attribute("axes", axes);
        }));
    add("many attributes of many numbers", g ->
        repeat(120, i ->
            g.message(1, n -> n.text(4, "Relu").attribute("axes", new long[60_000]))));
    add("a million initializers", g -> repeat(1_200_000, i -> g.weight(name(i), 1)));
    add("initializers of many numbers", g ->
        repeat(14_000, i -> g.message(5, t -> packed(t.tensor(name(i), 7, 1024), 1024))));
    add("initializers of many axes", g -> repeat(60_000, i -> g.weight(name(i), longs(1))));
    add("a million inputs", g -> repeat(900_000, i -> g.message(11, v -> v.text(1, name(i)))));
    add("inputs of many symbols", g -> repeat(15_000, i -> g.input(name(i), symbols(i))));
    add("a million graph outputs", g -> repeat(MANY, i -> g.output(name(i))));
    add("one value with a million readers", g -> chain(g, 900_000, i -> "Relu 0 -> " + name(i)));
    add("many wide nodes", g ->
        g.input("a", 4).message(1, n -> {}).node("Concat a -> b")
            .node("Concat " + "a,".repeat(60_000) + "a -> y")
            .node("Sum " + "a,".repeat(60_000) + "a -> z")
            .node("Max " + "y,".repeat(60_000) + "z -> w"));
  }

  private static long[] longs(long value) {
    long[] extents = new long[64];
    Arrays.fill(extents, value);
    return extents;
  }

  private static Object[] sixty(long value) {
    return Arrays.stream(longs(value)).boxed().toArray();
  }

  private static Object[] symbols(int number) {
    Object[] symbols = new Object[64];
    Arrays.setAll(symbols, i -> "s" + name(number * 64 + i));
    return symbols;
  }

  private static void packed(OnnxBytes tensor, int count) {
    byte[] ones = new byte[count];
    Arrays.fill(ones, (byte) 1);
    tensor.bytes(7, ones);
  }

  private void addNested() {
    add("nested branches", g -> nest(g.input("x", 1), 40));
    add("a million empty subgraphs", g ->
        g.message(1, n -> {
          n.text(4, "If");
          repeat(900_000, i -> n.graphAttribute(name(i), body -> {}));
        }));
    add("a million branches", g ->
        repeat(300_000, i ->
            g.node("If -> " + name(i), n -> n.graphAttribute("then_branch", body -> {})
                .graphAttribute("else_branch", body -> {}))));
    add("branches that read much", g -> {
      g.input("0", 1);
      wrap(g, 30, body -> repeat(300_000, i -> body.node("Relu " + name(i) + " -> " + name(i) + "b")));
    });
    add("trips without end", g ->
        loops(g.numbers("trips", Long.MAX_VALUE).input("x", 4, 4), 28));
  }

  private static void nest(OnnxBytes graph, int depth) {
    if (depth > 0) {
      graph.node("If x -> y", n -> n.graphAttribute("then_branch", body -> nest(body, depth - 1)));
    }
  }

  private static void wrap(OnnxBytes graph, int depth, Consumer<OnnxBytes> content) {
    if (depth == 0) {
      content.accept(graph);
    } else {
      Consumer<OnnxBytes> inner = body -> wrap(body.output("0"), depth - 1, content);
      graph.node("If 0 -> y" + depth, n ->
          n.graphAttribute("then_branch", inner).graphAttribute("else_branch", body -> {}));
    }
  }

  private static void loops(OnnxBytes graph, int depth) {
    graph.node("MatMul x,x -> m" + depth);
    if (depth > 0) {
      graph.node("Loop trips,, -> l" + depth, n ->
          n.graphAttribute("body", body -> loops(body, depth - 1)));
    }
  }

  /** A model whose functions {@code functions} writes and whose graph calls {@code f0} often. */
  private void addCalled(String name, int calls, Consumer<OnnxBytes> functions) {
    models.put(
        name,
        () -> {
          OnnxBytes model = new OnnxBytes().integer(1, 8);
          model.message(7, g -> {
            g.input("x", 4, 4);
            repeat(calls, i -> g.node("f:f0 x -> " + name(i)));
          });
          functions.accept(model);
          return model.toBytes();
        });
  }

  private static void function(OnnxBytes model, int number, Consumer<OnnxBytes> content) {
    model.message(25, f -> {
      f.text(1, "f" + number).text(10, "f").text(4, "x").text(5, "y");
      content.accept(f);
    });
  }

  /** In a function nodes have field 7 and graphs field 1. */
  private static void call(OnnxBytes function, String operator, String domain) {
    function.message(7, n -> n.text(1, "x").text(2, "y").text(4, operator).text(7, domain));
  }

  private void addCalls() {
    addCalled("functions that double", 1, model ->
        repeat(31, i -> function(model, i, f -> {
          call(f, "f" + (i + 1), "f");
          call(f, "f" + (i + 1), "f");
        })));
    addCalled("a function that calls itself", 100_000, model ->
        function(model, 0, f -> repeat(100_000, i -> call(f, "f0", "f"))));
    addCalled("functions that call each other", 10, model -> {
      function(model, 0, f -> repeat(1000, i -> call(f, "f1", "f")));
      function(model, 1, f -> repeat(1000, i -> call(f, "f0", "f")));
    });
    addCalled("calls of a function with many initializers", 100_000, model ->
        function(model, 0, f -> f.message(7, n -> n.text(4, "If").text(1, "x").text(2, "y")
            .graphAttribute("then_branch", b -> repeat(100_000, i -> b.weight(name(i), 1)))
            .graphAttribute("else_branch", b -> repeat(100_000, i -> b.weight(name(i), 1))))));
    addCalled("calls of a wide node", 100_000, model ->
        function(model, 0, f -> f.message(7, n -> {
          n.text(4, "Sum").text(2, "y");
          repeat(60_000, i -> n.text(1, "x"));
        })));
    addCalled("calls of a function with many parameters", 100_000, model ->
        function(model, 0, f -> {
          repeat(300_000, i -> f.text(4, name(i)));
          repeat(300_000, i -> f.text(5, name(i)));
        }));
    addCalled("calls of a function with many defaults", 100_000, model ->
        function(model, 0, f -> repeat(100_000, i ->
            f.message(11, a -> a.text(1, name(i)).integer(3, 1)))));
    addCalled("calls of a cycle", 100_000, model ->
        function(model, 0, f -> repeat(100_000, i ->
            f.message(7, n -> n.text(1, "y").text(2, "y").text(4, "MatMul")))));
    addCalled("calls of long equations", 100_000, model ->
        function(model, 0, f -> f.message(7, n -> {
          n.text(4, "Einsum").text(1, "x").text(2, "y");
          n.attribute("equation", "i" + "i ".repeat(LONGEST / 2));
        })));
    addCalled("calls of long names", 100_000, model ->
        function(model, 0, f -> f.message(7, n ->
            n.text(3, "n".repeat(LONGEST)).text(1, "z").text(2, "y")
                .text(4, "Q".repeat(LONGEST)).text(7, "d".repeat(LONGEST)))));
    models.put("a million functions", () -> {
      OnnxBytes model = new OnnxBytes().integer(1, 8).message(7, g -> {});
      repeat(1_400_000, i -> model.message(25, f -> f.text(1, name(i))));
      return model.toBytes();
    });
    models.put("colliding functions", () -> {
      OnnxBytes model = new OnnxBytes().integer(1, 8).message(7, g -> {});
      repeat(300_000, i -> model.message(25, f -> f.text(1, colliding(i))));
      return model.toBytes();
    });
  }

  private void addNumbers() {
    add("numbers without end", g ->
        chain(g.message(5, t -> packed(t.tensor("0", 7, 1024), 1024)), 600_000,
            i -> "Add 0,0 -> " + name(i + 1)));
    add("a sum of numbers without end", g ->
        chain(g.message(5, t -> packed(t.tensor("0", 7, 1024), 1024)), 600_000,
            i -> "Add " + name(i) + ",0 -> " + name(i + 1)));
    add("joins of numbers", g -> {
      g.numbers("1", 1);
      repeat(7000, i -> g.node("Concat " + "1,".repeat(1000) + "1 -> a" + name(i)));
    });
    add("axes without end", g ->
        g.input("0", sixty(1)).message(1, n -> {}).message(7, n -> {}).node("Add 0,0 -> 1"));
    add("shapes of many axes", g -> {
      g.input("0", sixty(1));
      repeat(700_000, i -> g.node("Add " + name(i) + ",0 -> " + name(i + 1)));
    });
    for (String bomb : new String[] {
      "Tile x,n", "Expand x,n", "ConstantOfShape n", "Range z,n1,o", "Reshape x,n", "Resize x,,,n",
      "OneHot x,n1,z", "Pad x,n", "NonZero n", "CumSum n,z", "GatherND x,n", "TopK x,n1",
      "Upsample x,n", "Slice x,n,n", "Split x,n", "SpaceToDepth x", "EyeLike n"
    }) {
      add("numbers of " + bomb, g ->
          g.input("x", 1, 1).numbers("n", 1L << 40, 1L << 40).numbers("n1", 1L << 40)
              .numbers("z", 0).numbers("o", 1).node(bomb + " -> y")
              .node("MatMul y,y -> m").output("m"));
    }
    add("a range per node", g -> {
      g.numbers("z", 0).numbers("n", 1024).numbers("o", 1);
      repeat(600_000, i -> g.node("Range z,n,o -> " + name(i)));
    });
    add("a filled tensor per node", g -> {
      g.numbers("n", 32, 32);
      repeat(600_000, i -> g.node("ConstantOfShape n -> " + name(i)));
    });
  }

  private void addPatterns() {
    add("roots of one wide sum", g -> {
      g.node("Add " + "v,".repeat(60_000) + "v -> e");
      repeat(800_000, i -> g.node("Sqrt e -> " + name(i)));
    });
    add("tanhs of one wide sum", g -> {
      repeat(300_000, i -> g.node("Tanh -> " + name(i)));
      StringBuilder all = new StringBuilder("0");
      repeat(60_000, i -> all.append(',').append(name(i)));
      g.node("Add " + all + " -> one").node("Mul " + "one," + all + " -> y");
    });
    add("gates of one wide product", g -> {
      repeat(500_000, i -> g.node("Sigmoid x -> " + name(i)));
      StringBuilder all = new StringBuilder("0");
      repeat(60_000, i -> all.append(',').append(name(i)));
      g.node("Mul " + all + " -> y");
    });
    add("a ladder of scalings", g -> {
      g.input("0", 1, 8);
      repeat(300_000, i -> g.node("Mul " + name(i) + ",0 -> " + name(i + 1)).node("Erf " + name(i) + " -> e" + name(i)));
    });
    add("views of one value", g -> {
      g.input("0", 1, 8);
      repeat(400_000, i -> g.node("Identity " + name(i) + " -> " + name(i + 1)));
    });
  }

  private void addExtremes() {
    long huge = 1L << 40;
    add("huge extents", g ->
        g.input("x", huge, huge, huge).weight("w", huge, huge, huge)
            .node("MatMul x,w -> y").node("Add x,w -> z").output("y"));
    add("negative extents", g ->
        g.input("x", -1, Long.MIN_VALUE, 3).input("w", -5).node("MatMul x,w -> y").output("y"));
    for (String attribute : new String[] {"strides", "dilations", "kernel_shape", "pads"}) {
      for (long value : new long[] {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, huge}) {
        for (String node : new String[] {"Conv x,w", "ConvTranspose x,w", "MaxPool x", "LpPool x"}) {
          add(node + " with " + attribute + " of " + value, g ->
              g.input("x", 1, 4, 8, 8).weight("w", 4, 4, 3, 3)
                  .node(node + " -> y", n -> n.attribute(attribute, new long[] {value, value, value, value}))
                  .output("y"));
        }
      }
    }
    for (long group : new long[] {0, -1, 3, Long.MAX_VALUE, Long.MIN_VALUE}) {
      add("groups of " + group, g ->
          g.input("x", 1, 4, 8, 8).weight("w", 4, 4, 3, 3)
              .node("Conv x,w -> y", n -> n.attribute("group", group))
              .node("ConvTranspose x,w -> z", n -> n.attribute("group", group)));
    }
    models.put("a length without end", () ->
        new OnnxBytes().integer(1, 8).varint((7 << 3) | 2).varint(Long.MAX_VALUE).toBytes());
    models.put("messages without end", () -> deep(5000));
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
