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
  static final int MAX_LENGTH = 60_000;
  private final Map<String, Supplier<byte[]>> models = new LinkedHashMap<>();

  private HostileGraphs() {}

  static Map<String, Supplier<byte[]>> all() {
    HostileGraphs graphs = new HostileGraphs();
    graphs.addWide();
    graphs.addLong();
    HostileCalls.addTo(graphs);
    HostileNumbers.addTo(graphs);
    return graphs.models;
  }

  void add(String name, Consumer<OnnxBytes> graph) {
    addModel(name, () -> OnnxBytes.model(graph));
  }

  void addModel(String name, Supplier<byte[]> model) {
    models.put(name, model);
  }

  static void repeat(int times, java.util.function.IntConsumer body) {
    for (int i = 0; i < times; i++) {
      body.accept(i);
    }
  }

  /** A short name that is different for every number. */
  static String name(int number) {
    return "_" + Integer.toString(number, Character.MAX_RADIX);
  }

  /** Names of one {@code hashCode}: every pair of letters is "Aa" or "BB". */
  static String colliding(int number) {
    StringBuilder name = new StringBuilder();
    for (int bit = 0; bit < 20; bit++) {
      name.append((number >>> bit & 1) == 0 ? "Aa" : "BB");
    }
    return name.toString();
  }

  static OnnxBytes chain(OnnxBytes graph, int length, IntFunction<String> node) {
    graph.input("_0", 1, 8);
    repeat(length, i -> graph.node(node.apply(i)));
    return graph;
  }

  private void addLong() {
    add("a million nodes", g -> chain(g, 800_000, i -> "Relu " + name(i) + " -> " + name(i + 1)));
    add(
        "as many nodes as are read",
        g -> chain(g, 245_000, i -> "Relu " + name(i) + " -> " + name(i + 1)));
    add(
        "as many nodes in reverse",
        g -> {
          g.input("_0", 1, 8);
          repeat(
              245_000, i -> g.node("Relu " + name(245_000 - i - 1) + " -> " + name(245_000 - i)));
        });
    add(
        "a million nodes in reverse",
        g -> {
          g.input("_0", 1, 8);
          repeat(
              800_000, i -> g.node("Relu " + name(800_000 - i - 1) + " -> " + name(800_000 - i)));
        });
    add("a million empty nodes", g -> repeat(7_000_000, i -> g.message(1, node -> {})));
    add("a million unknown operators", g -> chain(g, MANY, i -> "Q " + name(i) + " -> a"));
    add("a million values nothing produces", g -> chain(g, 900_000, i -> "Add ,x -> " + name(i)));
    add(
        "matrix products of unknown shape",
        g -> chain(g, 245_000, i -> "MatMul " + name(i) + "?,x -> a" + name(i)));
    add("a million outputs of one name", g -> chain(g, 900_000, i -> "Add _0,_0 -> a"));
    add(
        "a long cycle",
        g -> chain(g, 245_000, i -> "Relu " + name((i + 1) % 245_000) + "a -> " + name(i) + "a"));
    add(
        "colliding names",
        g -> chain(g, 150_000, i -> "Relu " + colliding(i) + " -> " + colliding(i + 1)));
    add(
        "colliding names in reverse",
        g ->
            chain(
                g,
                150_000,
                i -> "Relu " + colliding(150_000 - i) + " -> " + colliding(149_999 - i)));
    add("a name of 16 MB", g -> g.input("a".repeat(15_900_000), 1).output("y"));
    add(
        "long names",
        g -> repeat(130, i -> g.node("Q x,y -> " + name(i) + "ä".repeat(MAX_LENGTH / 2))));
  }

  private void addWide() {
    add(
        "a node of a million inputs",
        g ->
            g.input("a", 4, 4)
                .message(
                    1,
                    n -> {
                      repeat(3_500_000, i -> n.text(1, "a"));
                      n.text(2, "y").text(4, "Concat");
                    }));
    add(
        "a node of a million outputs",
        g ->
            g.input("a", sixty(2))
                .message(
                    1,
                    n -> {
                      n.text(1, "a").text(4, "Split");
                      repeat(MANY, i -> n.text(2, name(i)));
                    }));
    add(
        "a node of a million attributes",
        g ->
            g.message(
                1,
                n -> {
                  n.text(4, "Relu");
                  repeat(MANY, i -> n.attribute(name(i), 1));
                }));
    add(
        "colliding attributes",
        g ->
            g.message(
                1,
                n -> {
                  n.text(4, "Relu");
                  repeat(250_000, i -> n.attribute(colliding(i), 1));
                }));
    add(
        "an attribute of many numbers",
        g ->
            g.input("x", sixty(1))
                .message(
                    1,
                    n -> {
                      n.text(1, "x").text(2, "y").text(4, "ReduceSum");
                      long[] axes = new long[7_000_000];
                      n.attribute("axes", axes);
                    }));
    add(
        "many attributes of many numbers",
        g ->
            repeat(
                120,
                i -> g.message(1, n -> n.text(4, "Relu").attribute("axes", new long[60_000]))));
    add("many initializers", g -> repeat(490_000, i -> g.weight(name(i), 1)));
    add(
        "initializers of many numbers",
        g -> repeat(14_000, i -> g.message(5, t -> packed(t.tensor(name(i), 7, 1024), 1024))));
    add("initializers of many axes", g -> repeat(60_000, i -> g.weight(name(i), longs(1))));
    add("a million inputs", g -> repeat(900_000, i -> g.message(11, v -> v.text(1, name(i)))));
    add("inputs of many symbols", g -> repeat(15_000, i -> g.input(name(i), symbols(i))));
    add("a million graph outputs", g -> repeat(MANY, i -> g.output(name(i))));
    add("one value with many readers", g -> chain(g, 245_000, i -> "Relu _0 -> " + name(i)));
    add(
        "many wide nodes",
        g ->
            g.input("a", 4)
                .message(1, n -> {})
                .node("Concat a -> b")
                .node("Concat " + "a,".repeat(60_000) + "a -> y")
                .node("Sum " + "a,".repeat(60_000) + "a -> z")
                .node("Max " + "y,".repeat(60_000) + "z -> w"));
  }

  private static long[] longs(long value) {
    long[] extents = new long[64];
    Arrays.fill(extents, value);
    return extents;
  }

  static Object[] sixty(long value) {
    return Arrays.stream(longs(value)).boxed().toArray();
  }

  private static Object[] symbols(int number) {
    Object[] symbols = new Object[64];
    Arrays.setAll(symbols, i -> "s" + name(number * 64 + i));
    return symbols;
  }

  static void packed(OnnxBytes tensor, int count) {
    byte[] ones = new byte[count];
    Arrays.fill(ones, (byte) 1);
    tensor.bytes(7, ones);
  }
}
