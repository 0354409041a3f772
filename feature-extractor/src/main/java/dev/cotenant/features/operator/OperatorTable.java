package dev.cotenant.features.operator;

import dev.cotenant.features.inference.Operator;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Every operator that is understood, by domain and name as {@code Node.key} writes them. Rules tell
 * opsets apart by what a node has (an attribute that became an input), so one row serves them all.
 */
public final class OperatorTable {
  /** Operators of ONNX Runtime. */
  static final String MICROSOFT = "com.microsoft:";

  private static final OperatorTable STANDARD = standardTable();
  private final Map<String, Operator> operators = new HashMap<>();

  private OperatorTable() {}

  /** The operators of {@code ai.onnx} and {@code com.microsoft} that are understood. */
  public static OperatorTable standard() {
    return STANDARD;
  }

  private static OperatorTable standardTable() {
    OperatorTable table = new OperatorTable();
    ConvolutionOperators.addTo(table);
    MatrixOperators.addTo(table);
    PackedMatrixOperators.addTo(table);
    ExpertOperators.addTo(table);
    EinsumOperator.addTo(table);
    addAttention(table);
    RecurrentOperators.addTo(table);
    PoolingOperators.addTo(table);
    ActivationOperators.addTo(table);
    NormalizationOperators.addTo(table);
    ElementwiseOperators.addTo(table);
    ReductionOperators.addTo(table);
    ViewOperators.addTo(table);
    ReshapeOperator.addTo(table);
    MovementOperators.addTo(table);
    JoinOperators.addTo(table);
    IndexingOperators.addTo(table);
    ResizeOperators.addTo(table);
    GeneratorOperators.addTo(table);
    QuantizationOperators.addTo(table);
    SignalOperators.addTo(table);
    VisionOperators.addTo(table);
    SelectionOperators.addTo(table);
    SequenceOperators.addTo(table);
    TextOperators.addTo(table);
    TrainingOperators.addTo(table);
    LegacyOperators.addTo(table);
    return table;
  }

  private static void addAttention(OperatorTable table) {
    AttentionOperators.addTo(table);
    GroupedAttentionOperators.addTo(table);
    ProjectedAttentionOperators.addTo(table);
    DecoderAttentionOperator.addTo(table);
    PackedTokenOperators.addTo(table);
    LongformerOperators.addTo(table);
    LinearAttentionOperators.addTo(table);
    GatingOperators.addTo(table);
    PositionOperators.addTo(table);
  }

  /** The operator with that key, if it is understood. */
  public @Nullable Operator find(String key) {
    return operators.get(key);
  }

  /** Keys of all operators, sorted. */
  public SortedSet<String> keys() {
    return new TreeSet<>(operators.keySet());
  }

  OperatorTable add(Operator operator, String... keys) {
    for (String key : keys) {
      operators.put(key, operator);
    }
    return this;
  }
}
