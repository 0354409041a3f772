package dev.cotenant.features.operator.layer;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.Kernel;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.operator.OperatorTable;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Elementwise arithmetic with broadcasting; small known tensors are computed. */
public final class ElementwiseOperators {
  private ElementwiseOperators() {}

  public static void addTo(OperatorTable table) {
    addBinary(table, "Add", Double::sum);
    addBinary(table, "Sub", (a, b) -> a - b);
    addBinary(table, "Mul", (a, b) -> a * b);
    addBinary(table, "Pow", Math::pow);
    table.add(Operator.arithmetic(ElementwiseOperators::setRemainder), "Mod");
    table.add(Operator.arithmetic(ElementwiseOperators::setQuotient), "Div");
    addBinary(table, "Max", Math::max);
    addBinary(table, "Min", Math::min);
    table.add(Operator.arithmetic(node -> setBroadcast(node, node.type(0))), "Sum", "Mean");
    table.add(
        Operator.arithmetic(node -> setBroadcast(node, node.type(0))),
        "BitShift",
        "BitwiseAnd",
        "BitwiseOr",
        "BitwiseXor");
    addFused(table);
    addComparison(table, "Equal", (a, b) -> a == b ? 1 : 0);
    addComparison(table, "Less", (a, b) -> a < b ? 1 : 0);
    addComparison(table, "LessOrEqual", (a, b) -> a <= b ? 1 : 0);
    addComparison(table, "Greater", (a, b) -> a > b ? 1 : 0);
    addComparison(table, "GreaterOrEqual", (a, b) -> a >= b ? 1 : 0);
    addComparison(table, "And", (a, b) -> a != 0 && b != 0 ? 1 : 0);
    addComparison(table, "Or", (a, b) -> a != 0 || b != 0 ? 1 : 0);
    addComparison(table, "Xor", (a, b) -> a != 0 ^ b != 0 ? 1 : 0);
    addUnary(table, "Neg", a -> -a);
    addUnary(table, "Abs", Math::abs);
    addUnary(table, "Floor", Math::floor);
    addUnary(table, "Ceil", Math::ceil);
    addUnary(table, "Round", Math::rint);
    addUnary(table, "Sqrt", Math::sqrt);
    addUnary(table, "Reciprocal", a -> 1 / a);
    addUnary(table, "Exp", Math::exp);
    addUnary(table, "Log", Math::log);
    addUnary(table, "Sign", Math::signum);
    table.add(
        Operator.arithmetic(node -> node.set(0, node.shape(0))),
        "Sin",
        "Cos",
        "Tan",
        "Asin",
        "Acos",
        "Atan",
        "Sinh",
        "Cosh",
        "Asinh",
        "Acosh",
        "Atanh",
        "BitwiseNot");
    table.add(
        Operator.reduction(node -> node.set(0, node.shape(0))), "CumSum", MICROSOFT + "Inverse");
    table.add(Operator.arithmetic(ElementwiseOperators::setNegated), "Not");
    table.add(
        Operator.arithmetic(node -> node.set(0, ElementType.BOOL, node.shape(0))),
        "IsNaN",
        "IsInf");
    table.add(Operator.arithmetic(ElementwiseOperators::setChosen), "Where");
    table.add(
        Operator.movement(ElementwiseOperators::setCast).runningAs(Kernel.POINTWISE),
        "Cast",
        "CastLike");
  }

  /** Arithmetic of ONNX Runtime; quantised operands lie between their scales and zero points. */
  private static void addFused(OperatorTable table) {
    table.add(
        Operator.arithmetic(node -> setPair(node, 3, node.type(0))),
        MICROSOFT + "QLinearAdd",
        MICROSOFT + "QLinearMul");
    table.add(
        Operator.arithmetic(node -> setPair(node, 2, ElementType.INT32)), MICROSOFT + "MulInteger");
    table.add(
        Operator.arithmetic(node -> setBroadcast(node, node.type(0))),
        MICROSOFT + "ComplexMul",
        MICROSOFT + "ComplexMulConj");
    table.add(
        Operator.arithmetic(node -> node.set(0, node.shape(0))),
        MICROSOFT + "BiasAdd",
        MICROSOFT + "GatedAdd",
        MICROSOFT + "SampleOp");
    table.add(
        Operator.reduction(node -> node.set(0, ElementType.BOOL, Shape.SCALAR)),
        MICROSOFT + "IsAllFinite");
    table.add(
        Operator.arithmetic(ElementwiseOperators::setQuantizedChoice), MICROSOFT + "QLinearWhere");
  }

  private static void addBinary(OperatorTable table, String key, DoubleBinaryOperator function) {
    table.add(Operator.arithmetic(node -> setBinary(node, node.type(0), function)), key);
  }

  private static void addComparison(
      OperatorTable table, String key, DoubleBinaryOperator function) {
    table.add(Operator.arithmetic(node -> setBinary(node, ElementType.BOOL, function)), key);
  }

  private static void addUnary(OperatorTable table, String key, DoubleUnaryOperator function) {
    table.add(
        Operator.arithmetic(node -> {
          node.set(0, node.shape(0));
          mapNumbers(node, node.numbers(0), function);
        }),
        key);
  }

  private static void setBroadcast(NodeView node, ElementType type) {
    Shape result = node.shape(0);
    for (int i = 1; i < node.inputCount(); i++) {
      result = Shape.broadcastNullable(result, node.shape(i));
    }
    node.set(0, type, result);
  }

  private static void setPair(NodeView node, int right, ElementType type) {
    node.set(0, type, Shape.broadcastNullable(node.shape(0), node.shape(right)));
  }

  private static void setQuantizedChoice(NodeView node) {
    Shape branches = Shape.broadcastNullable(node.shape(1), node.shape(4));
    node.set(0, node.type(1), Shape.broadcastNullable(node.shape(0), branches));
  }

  /** The sign is the divisor's, or, with {@code fmod}, the dividend's. */
  private static void setRemainder(NodeView node) {
    boolean truncates = node.integer("fmod", 0) != 0;
    setBinary(
        node, node.type(0), truncates ? (a, b) -> a % b : (a, b) -> a - b * Math.floor(a / b));
  }

  private static void setQuotient(NodeView node) {
    boolean whole = node.type(0).isInteger();
    setBinary(
        node,
        node.type(0),
        (a, b) -> {
          double quotient = a / b;
          return !whole ? quotient : quotient < 0 ? Math.ceil(quotient) : Math.floor(quotient);
        });
    KnownNumbers left = node.numbers(0);
    KnownNumbers right = node.numbers(1);
    TensorFact result = node.output(0);
    boolean cancels = left != null && right != null && left.anyScales() && right.anyScales();
    if (cancels && result != null && result.numbers() != null) {
      double[] plain = new double[result.numbers().size()];
      for (int i = 0; i < plain.length; i++) {
        plain[i] = result.numbers().at(i);
      }
      node.set(0, result.withNumbers(KnownNumbers.of(plain)));
    }
  }

  private static void setBinary(NodeView node, ElementType type, DoubleBinaryOperator function) {
    setBroadcast(node, type);
    Shape shape = node.outputShape(0);
    KnownNumbers left = node.numbers(0);
    KnownNumbers right = node.numbers(1);
    if (shape == null || left == null || right == null || node.inputCount() != 2) {
      return;
    }
    int count = Math.max(left.size(), right.size());
    boolean aligned = fits(left, count) && fits(right, count) && shape.elements() == count;
    if (!aligned) {
      return;
    }
    double[] numbers = new double[count];
    boolean[] scales = new boolean[count];
    for (int i = 0; i < count; i++) {
      int l = left.size() == 1 ? 0 : i;
      int r = right.size() == 1 ? 0 : i;
      numbers[i] = held(type, function.applyAsDouble(left.at(l), right.at(r)));
      scales[i] = left.scales(l) || right.scales(r);
    }
    node.setNumbers(0, type, shape, KnownNumbers.of(numbers, scales));
  }

  /** As a tensor of that type holds it: 10 × 0.7 is 7 in single precision and 6.9999999 beyond. */
  private static double held(ElementType type, double number) {
    return type == ElementType.FLOAT
        ? (float) number
        : type == ElementType.FLOAT16
            ? Float.float16ToFloat(Float.floatToFloat16((float) number))
            : number;
  }

  private static boolean fits(KnownNumbers numbers, int count) {
    return numbers.size() == count || numbers.size() == 1;
  }

  /** Sets the elements of the first output, whose shape is set, from those of the first input. */
  static void mapNumbers(
      NodeView node, @Nullable KnownNumbers known, DoubleUnaryOperator function) {
    Shape shape = node.outputShape(0);
    if (known == null || shape == null) {
      return;
    }
    double[] numbers = new double[known.size()];
    boolean[] scales = new boolean[known.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = held(node.type(0), function.applyAsDouble(known.at(i)));
      scales[i] = known.scales(i);
    }
    node.setNumbers(0, node.type(0), shape, KnownNumbers.of(numbers, scales));
  }

  private static void setNegated(NodeView node) {
    node.set(0, node.shape(0));
    mapNumbers(node, node.numbers(0), a -> a == 0 ? 1 : 0);
  }

  private static void setCast(NodeView node) {
    ElementType type =
        node.hasAttribute("to") ? ElementType.of(node.integer("to", 0)) : node.type(1);
    node.set(0, node.shape(0));
    boolean truncates = type.isInteger();
    mapNumbers(
        node,
        node.numbers(0),
        a -> truncates ? (a < 0 ? Math.ceil(a) : Math.floor(a)) : held(type, a));
    TensorFact result = node.output(0);
    if (result != null) {
      node.set(0, result.withType(type));
    }
  }

  private static void setChosen(NodeView node) {
    Shape branches = Shape.broadcastNullable(node.shape(1), node.shape(2));
    Shape shape = Shape.broadcastNullable(node.shape(0), branches);
    node.set(0, node.type(1), shape);
    KnownNumbers condition = node.numbers(0);
    KnownNumbers yes = node.numbers(1);
    KnownNumbers no = node.numbers(2);
    if (shape == null || condition == null || yes == null || no == null) {
      return;
    }
    int count = Math.max(condition.size(), Math.max(yes.size(), no.size()));
    if (!fits(condition, count) || !fits(yes, count) || !fits(no, count)) {
      return;
    }
    double[] numbers = new double[count];
    boolean[] scales = new boolean[count];
    for (int i = 0; i < count; i++) {
      KnownNumbers chosen = condition.at(condition.size() == 1 ? 0 : i) != 0 ? yes : no;
      int index = chosen.size() == 1 ? 0 : i;
      numbers[i] = chosen.at(index);
      scales[i] = chosen.scales(index);
    }
    node.setNumbers(0, node.type(1), shape, KnownNumbers.of(numbers, scales));
  }
}
