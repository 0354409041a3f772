package dev.cotenant.features;

import java.util.function.Consumer;
import java.util.function.IntFunction;

/** Graphs within graphs and functions that call functions. */
final class HostileCalls {
  private static final int OFTEN = 100_000;

  private HostileCalls() {}

  static void addTo(HostileGraphs graphs) {
    addNested(graphs);
    addCalls(graphs);
  }

  private static void addNested(HostileGraphs graphs) {
    graphs.add("nested branches", g -> nest(g.input("x", 1), 40));
    graphs.add(
        "a million empty subgraphs",
        g ->
            g.message(
                1,
                n -> {
                  n.text(4, "If");
                  HostileGraphs.repeat(
                      900_000, i -> n.graphAttribute(HostileGraphs.name(i), body -> {}));
                }));
    graphs.add(
        "a million branches",
        g ->
            HostileGraphs.repeat(
                300_000,
                i ->
                    g.node(
                        "If -> " + HostileGraphs.name(i),
                        n ->
                            n.graphAttribute("then_branch", body -> {})
                                .graphAttribute("else_branch", body -> {}))));
    graphs.add(
        "branches that read much",
        g -> {
          g.input("_0", 1);
          wrap(
              g,
              30,
              body ->
                  HostileGraphs.repeat(
                      300_000,
                      i ->
                          body.node(
                              "Relu "
                                  + HostileGraphs.name(i)
                                  + " -> "
                                  + HostileGraphs.name(i)
                                  + "b")));
        });
    graphs.add(
        "trips without end", g -> loops(g.numbers("trips", Long.MAX_VALUE).input("x", 4, 4), 28));
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
      Consumer<OnnxBytes> inner = body -> wrap(body.output("_0"), depth - 1, content);
      graph.node(
          "If _0 -> y" + depth,
          n -> n.graphAttribute("then_branch", inner).graphAttribute("else_branch", body -> {}));
    }
  }

  private static void loops(OnnxBytes graph, int depth) {
    graph.node("MatMul x,x -> m" + depth);
    if (depth > 0) {
      graph.node(
          "Loop trips,, -> l" + depth,
          n -> n.graphAttribute("body", body -> loops(body, depth - 1)));
    }
  }

  /** A model whose functions {@code functions} writes and whose graph calls {@code f0} often. */
  private static void addCalled(
      HostileGraphs graphs, String name, int calls, Consumer<OnnxBytes> functions) {
    graphs.addModel(
        name,
        () ->
            OnnxBytes.model(
                g -> {
                  g.input("x", 4, 4);
                  HostileGraphs.repeat(calls, i -> g.node("f:f0 x -> " + HostileGraphs.name(i)));
                },
                functions));
  }

  /** The same, of one function that is called very often. */
  private static void addOften(HostileGraphs graphs, String name, Consumer<OnnxBytes> function) {
    addCalled(graphs, name, OFTEN, model -> function(model, 0, function));
  }

  private static void function(OnnxBytes model, int number, Consumer<OnnxBytes> content) {
    model.function("f", "f" + number, content);
  }

  private static void call(OnnxBytes function, int number) {
    function.functionNode("f:f" + number + " x -> y", n -> {});
  }

  private static void addCalls(HostileGraphs graphs) {
    addCalled(
        graphs,
        "functions that double",
        1,
        model ->
            HostileGraphs.repeat(
                31, i -> function(model, i, f -> HostileGraphs.repeat(2, j -> call(f, i + 1)))));
    addOften(
        graphs, "a function that calls itself", f -> HostileGraphs.repeat(OFTEN, i -> call(f, 0)));
    addCalled(
        graphs,
        "functions that call each other",
        10,
        model -> {
          function(model, 0, f -> HostileGraphs.repeat(1000, i -> call(f, 1)));
          function(model, 1, f -> HostileGraphs.repeat(1000, i -> call(f, 0)));
        });
    addOften(
        graphs,
        "calls of a function with many parameters",
        f -> {
          HostileGraphs.repeat(300_000, i -> f.text(4, HostileGraphs.name(i)));
          HostileGraphs.repeat(300_000, i -> f.text(5, HostileGraphs.name(i)));
        });
    addOften(
        graphs,
        "calls of a function with many defaults",
        f ->
            HostileGraphs.repeat(
                OFTEN, i -> f.message(11, a -> a.text(1, HostileGraphs.name(i)).integer(3, 1))));
    addBodies(graphs);
    addManyFunctions(graphs, "a million functions", 1_400_000, HostileGraphs::name);
    addManyFunctions(graphs, "colliding functions", 300_000, HostileGraphs::colliding);
  }

  /** Functions whose nodes are much to walk. */
  private static void addBodies(HostileGraphs graphs) {
    addOften(
        graphs,
        "calls of a function with many initializers",
        f ->
            f.functionNode(
                "If x -> y",
                n ->
                    n.graphAttribute("then_branch", HostileCalls::store)
                        .graphAttribute("else_branch", HostileCalls::store)));
    addOften(
        graphs,
        "calls of a wide node",
        f -> f.functionNode("Sum " + "x,".repeat(HostileGraphs.MAX_LENGTH) + "x -> y", n -> {}));
    addOften(
        graphs,
        "calls of a cycle",
        f -> HostileGraphs.repeat(OFTEN, i -> f.functionNode("MatMul y -> y", n -> {})));
    addOften(
        graphs,
        "calls of long equations",
        f ->
            f.functionNode(
                "Einsum x -> y",
                n -> n.attribute("equation", "i" + "i ".repeat(HostileGraphs.MAX_LENGTH / 2))));
    String domain = "d".repeat(HostileGraphs.MAX_LENGTH);
    String operator = "Q".repeat(HostileGraphs.MAX_LENGTH);
    addOften(
        graphs,
        "calls of long names",
        f ->
            f.functionNode(
                domain + ":" + operator + " z -> y",
                n -> n.text(3, "n".repeat(HostileGraphs.MAX_LENGTH))));
  }

  private static void store(OnnxBytes branch) {
    HostileGraphs.repeat(OFTEN, i -> branch.weight(HostileGraphs.name(i), 1));
  }

  private static void addManyFunctions(
      HostileGraphs graphs, String name, int count, IntFunction<String> names) {
    graphs.addModel(
        name,
        () -> {
          OnnxBytes model = new OnnxBytes().integer(1, 8).message(7, g -> {});
          HostileGraphs.repeat(count, i -> model.message(25, f -> f.text(1, names.apply(i))));
          return model.toBytes();
        });
  }
}
