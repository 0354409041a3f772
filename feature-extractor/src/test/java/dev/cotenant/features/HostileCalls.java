package dev.cotenant.features;

import java.util.function.Consumer;

/** Graphs within graphs and functions that call functions. */
final class HostileCalls {
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
        () -> {
          OnnxBytes model = new OnnxBytes().integer(1, 8);
          model.message(
              7,
              g -> {
                g.input("x", 4, 4);
                HostileGraphs.repeat(calls, i -> g.node("f:f0 x -> " + HostileGraphs.name(i)));
              });
          functions.accept(model);
          return model.toBytes();
        });
  }

  private static void function(OnnxBytes model, int number, Consumer<OnnxBytes> content) {
    model.message(
        25,
        f -> {
          f.text(1, "f" + number).text(10, "f").text(4, "x").text(5, "y");
          content.accept(f);
        });
  }

  /** In a function nodes have field 7 and graphs field 1. */
  private static void call(OnnxBytes function, String operator, String domain) {
    function.message(7, n -> n.text(1, "x").text(2, "y").text(4, operator).text(7, domain));
  }

  private static void addCalls(HostileGraphs graphs) {
    addCalled(
        graphs,
        "functions that double",
        1,
        model ->
            HostileGraphs.repeat(
                31,
                i ->
                    function(
                        model,
                        i,
                        f -> {
                          call(f, "f" + (i + 1), "f");
                          call(f, "f" + (i + 1), "f");
                        })));
    addCalled(
        graphs,
        "a function that calls itself",
        100_000,
        model -> function(model, 0, f -> HostileGraphs.repeat(100_000, i -> call(f, "f0", "f"))));
    addCalled(
        graphs,
        "functions that call each other",
        10,
        model -> {
          function(model, 0, f -> HostileGraphs.repeat(1000, i -> call(f, "f1", "f")));
          function(model, 1, f -> HostileGraphs.repeat(1000, i -> call(f, "f0", "f")));
        });
    addCalled(
        graphs,
        "calls of a function with many initializers",
        100_000,
        model ->
            function(
                model,
                0,
                f ->
                    f.message(
                        7,
                        n ->
                            n.text(4, "If")
                                .text(1, "x")
                                .text(2, "y")
                                .graphAttribute(
                                    "then_branch",
                                    b ->
                                        HostileGraphs.repeat(
                                            100_000, i -> b.weight(HostileGraphs.name(i), 1)))
                                .graphAttribute(
                                    "else_branch",
                                    b ->
                                        HostileGraphs.repeat(
                                            100_000, i -> b.weight(HostileGraphs.name(i), 1))))));
    addCalled(
        graphs,
        "calls of a wide node",
        100_000,
        model ->
            function(
                model,
                0,
                f ->
                    f.message(
                        7,
                        n -> {
                          n.text(4, "Sum").text(2, "y");
                          HostileGraphs.repeat(60_000, i -> n.text(1, "x"));
                        })));
    addCalled(
        graphs,
        "calls of a function with many parameters",
        100_000,
        model ->
            function(
                model,
                0,
                f -> {
                  HostileGraphs.repeat(300_000, i -> f.text(4, HostileGraphs.name(i)));
                  HostileGraphs.repeat(300_000, i -> f.text(5, HostileGraphs.name(i)));
                }));
    addCalled(
        graphs,
        "calls of a function with many defaults",
        100_000,
        model ->
            function(
                model,
                0,
                f ->
                    HostileGraphs.repeat(
                        100_000,
                        i -> f.message(11, a -> a.text(1, HostileGraphs.name(i)).integer(3, 1)))));
    addCalled(
        graphs,
        "calls of a cycle",
        100_000,
        model ->
            function(
                model,
                0,
                f ->
                    HostileGraphs.repeat(
                        100_000,
                        i -> f.message(7, n -> n.text(1, "y").text(2, "y").text(4, "MatMul")))));
    addCalled(
        graphs,
        "calls of long equations",
        100_000,
        model ->
            function(
                model,
                0,
                f ->
                    f.message(
                        7,
                        n -> {
                          n.text(4, "Einsum").text(1, "x").text(2, "y");
                          n.attribute("equation", "i" + "i ".repeat(HostileGraphs.LONGEST / 2));
                        })));
    addCalled(
        graphs,
        "calls of long names",
        100_000,
        model ->
            function(
                model,
                0,
                f ->
                    f.message(
                        7,
                        n ->
                            n.text(3, "n".repeat(HostileGraphs.LONGEST))
                                .text(1, "z")
                                .text(2, "y")
                                .text(4, "Q".repeat(HostileGraphs.LONGEST))
                                .text(7, "d".repeat(HostileGraphs.LONGEST)))));
    graphs.addModel(
        "a million functions",
        () -> {
          OnnxBytes model = new OnnxBytes().integer(1, 8).message(7, g -> {});
          HostileGraphs.repeat(
              1_400_000, i -> model.message(25, f -> f.text(1, HostileGraphs.name(i))));
          return model.toBytes();
        });
    graphs.addModel(
        "colliding functions",
        () -> {
          OnnxBytes model = new OnnxBytes().integer(1, 8).message(7, g -> {});
          HostileGraphs.repeat(
              300_000, i -> model.message(25, f -> f.text(1, HostileGraphs.colliding(i))));
          return model.toBytes();
        });
  }
}
