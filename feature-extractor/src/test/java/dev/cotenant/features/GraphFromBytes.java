package dev.cotenant.features;

import java.util.ArrayList;
import java.util.List;

/**
 * A model from arbitrary bytes, each a choice: operators of the table with inputs among the values
 * at hand, attributes that operators know and numbers at the edge of what they allow. After the
 * last byte every choice is the first.
 */
final class GraphFromBytes {
  private static final int MAX_NODES = 96;
  private static final int MAX_DEPTH = 4;
  private static final int MAX_VALUES = 24;
  private static final List<String> OPERATORS = operators();
  private static final List<String> ATTRIBUTES =
      List.of(
          ("axis axes perm pads strides dilations kernel_shape group auto_pad ceil_mode keepdims "
                  + "output_padding output_shape allowzero transA transB equation num_heads K N "
                  + "hidden_size direction layout to dtype value value_int value_ints start end "
                  + "value_float value_floats sparse_value starts ends split scales mode shape k "
                  + "batch_dims blocksize kv_num_heads q_num_heads qkv_hidden_sizes sample_size "
                  + "num_scan_inputs scan_input_axes scan_output_axes noop_with_empty_axes fmod "
                  + "onesided output_datatype output_dtype output_height output_width paddings "
                  + "pooled_shape reduction ngram_indexes keep_aspect_ratio_policy body "
                  + "then_branch else_branch bits block_size rotary_embedding_dim do_rotary")
              .split(" "));
  private static final List<String> TEXTS =
      List.of(
          "",
          "SAME_UPPER",
          "SAME_LOWER",
          "VALID",
          "NOTSET",
          "bidirectional",
          "reverse",
          "forward",
          "ij,jk->ik",
          "...ij,...jk",
          "bhid,bhjd->bhij",
          "ii->i",
          "i,j,k,l->",
          ",->",
          "->",
          "...",
          "a.b..c",
          "DCR",
          "CRD",
          "linear",
          "not_larger",
          "i j , j k -> i k",
          "ab,bc,cd,de->ae");
  private static final long[] NUMBERS = {
    1,
    0,
    2,
    3,
    4,
    5,
    7,
    8,
    16,
    31,
    32,
    33,
    64,
    127,
    128,
    224,
    255,
    256,
    1000,
    1023,
    1024,
    1025,
    -1,
    -2,
    -3,
    -4,
    -5,
    -8,
    -1000,
    65_535,
    65_536,
    1 << 20,
    Integer.MAX_VALUE,
    1L << 31,
    1L << 32,
    1L << 40,
    1L << 53,
    Long.MAX_VALUE,
    Long.MAX_VALUE - 1,
    Integer.MIN_VALUE,
    Long.MIN_VALUE
  };

  private final byte[] choices;
  private int position;
  private int nodes;
  private int names;

  GraphFromBytes(byte[] choices) {
    this.choices = choices;
  }

  private static List<String> operators() {
    List<String> all = new ArrayList<>(StandardOperators.table().keys());
    all.addAll(ControlFlow.OPERATORS.stream().sorted().toList());
    all.addAll(List.of("local:Twice", "local:Deeper", "acme:Unknown"));
    return List.copyOf(all);
  }

  private boolean hasNext() {
    return position < choices.length;
  }

  private int choose(int bound) {
    return hasNext() ? (choices[position++] & 0xff) % bound : 0;
  }

  private <T> T choose(List<T> from) {
    int index = choose(256);
    return from.get(
        from.size() > 256 ? (index | choose(2) << 8) % from.size() : index % from.size());
  }

  private long number() {
    return NUMBERS[choose(NUMBERS.length)];
  }

  byte[] model() {
    OnnxBytes model = new OnnxBytes().integer(1, 8).message(8, opset -> opset.integer(2, opset()));
    model.message(7, graph -> fill(graph, new ArrayList<>(), 0));
    for (String name : List.of("Twice", "Deeper")) {
      model.message(25, function -> function(function, name));
    }
    return model.toBytes();
  }

  private long opset() {
    return 7L + choose(18);
  }

  private void function(OnnxBytes function, String name) {
    List<String> values = new ArrayList<>(List.of("a", "b"));
    function.text(1, name).text(10, "local").text(4, "a").text(4, "b");
    int count = choose(4);
    for (int i = 0; i < count; i++) {
      function.message(7, node -> node(node, values, 1));
    }
    function.text(5, values.getLast());
  }

  private void fill(OnnxBytes graph, List<String> values, int depth) {
    int inputs = choose(4);
    for (int i = 0; i < inputs; i++) {
      String name = fresh(values);
      graph.value(11, name, dimensions());
    }
    int stored = choose(4);
    for (int i = 0; i < stored; i++) {
      String name = fresh(values);
      graph.message(5, tensor -> tensor(tensor, name));
    }
    int wanted = 1 + choose(16);
    for (int i = 0; i < wanted && hasNext() && nodes < MAX_NODES; i++) {
      nodes++;
      graph.message(1, node -> node(node, values, depth));
    }
    int outputs = 1 + choose(3);
    for (int i = 0; i < outputs && !values.isEmpty(); i++) {
      graph.output(values.get(Math.max(0, values.size() - 1 - choose(4))));
    }
  }

  private String fresh(List<String> values) {
    String name = "v" + names++;
    values.add(name);
    return name;
  }

  private Object[] dimensions() {
    Object[] dimensions = new Object[choose(6)];
    for (int i = 0; i < dimensions.length; i++) {
      dimensions[i] =
          switch (choose(4)) {
            case 0 -> choose(List.of("batch", "seq", "", "n"));
            default -> number();
          };
    }
    return dimensions;
  }

  private void tensor(OnnxBytes tensor, String name) {
    int type = choose(List.of(1, 7, 6, 9, 10, 11, 2, 3, 21, 16, 8, 0, 99));
    if (choose(2) == 0) {
      long[] extents = new long[choose(5)];
      for (int i = 0; i < extents.length; i++) {
        extents[i] = Math.max(0, number());
      }
      tensor.tensor(name, type, extents);
      return;
    }
    int count = choose(8);
    tensor.tensor(name, type, count);
    for (int i = 0; i < count; i++) {
      tensor.integer(7, number());
    }
  }

  private void node(OnnxBytes node, List<String> values, int depth) {
    String key = choose(OPERATORS);
    int inputs = choose(6);
    for (int i = 0; i < inputs; i++) {
      node.text(1, input(values));
    }
    int colon = key.lastIndexOf(':');
    node.text(4, key.substring(colon + 1));
    if (colon > 0) {
      node.text(7, key.substring(0, colon));
    }
    int attributes = choose(4);
    for (int i = 0; i < attributes; i++) {
      node.message(5, attribute -> attribute(attribute, values, depth));
    }
    int outputs = 1 + choose(3);
    for (int i = 0; i < outputs; i++) {
      node.text(2, values.size() < MAX_VALUES ? fresh(values) : choose(values));
    }
  }

  private String input(List<String> values) {
    int back = choose(MAX_VALUES + 2);
    if (back == MAX_VALUES || values.isEmpty()) {
      return "";
    }
    return back > MAX_VALUES ? "absent" : values.get(Math.floorMod(-1 - back, values.size()));
  }

  private void attribute(OnnxBytes attribute, List<String> values, int depth) {
    attribute.text(1, choose(ATTRIBUTES));
    switch (choose(7)) {
      case 0 -> attribute.integer(3, number());
      case 1 -> {
        int count = choose(6);
        for (int i = 0; i < count; i++) {
          attribute.integer(8, number());
        }
      }
      case 2 -> attribute.text(4, choose(TEXTS));
      case 3 -> attribute.message(5, tensor -> tensor(tensor, ""));
      case 4 -> attribute.varint((2 << 3) | 5).fixed(choose(256) << 24 | choose(256) << 16);
      case 5 -> attribute.text(21, choose(ATTRIBUTES));
      default -> {
        if (depth < MAX_DEPTH) {
          attribute.message(6, graph -> fill(graph, new ArrayList<>(values), depth + 1));
        }
      }
    }
  }
}
