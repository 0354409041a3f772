package dev.cotenant.features;

import dev.cotenant.features.operator.OperatorTable;
import dev.cotenant.features.operator.attention.AttentionOperators;
import dev.cotenant.features.operator.attention.DecoderAttentionOperator;
import dev.cotenant.features.operator.attention.ExpertOperators;
import dev.cotenant.features.operator.attention.GatingOperators;
import dev.cotenant.features.operator.attention.GroupedAttentionOperators;
import dev.cotenant.features.operator.attention.LinearAttentionOperators;
import dev.cotenant.features.operator.attention.LongformerOperators;
import dev.cotenant.features.operator.attention.PackedTokenOperators;
import dev.cotenant.features.operator.attention.PositionOperators;
import dev.cotenant.features.operator.attention.ProjectedAttentionOperators;
import dev.cotenant.features.operator.layer.ActivationOperators;
import dev.cotenant.features.operator.layer.ConvolutionOperators;
import dev.cotenant.features.operator.layer.EinsumOperator;
import dev.cotenant.features.operator.layer.ElementwiseOperators;
import dev.cotenant.features.operator.layer.LegacyOperators;
import dev.cotenant.features.operator.layer.MatrixOperators;
import dev.cotenant.features.operator.layer.NormalizationOperators;
import dev.cotenant.features.operator.layer.PackedMatrixOperators;
import dev.cotenant.features.operator.layer.PoolingOperators;
import dev.cotenant.features.operator.layer.QuantizationOperators;
import dev.cotenant.features.operator.layer.RecurrentOperators;
import dev.cotenant.features.operator.layer.ReductionOperators;
import dev.cotenant.features.operator.layer.SignalOperators;
import dev.cotenant.features.operator.layer.TrainingOperators;
import dev.cotenant.features.operator.layer.VisionOperators;
import dev.cotenant.features.operator.tensor.GeneratorOperators;
import dev.cotenant.features.operator.tensor.IndexingOperators;
import dev.cotenant.features.operator.tensor.JoinOperators;
import dev.cotenant.features.operator.tensor.MovementOperators;
import dev.cotenant.features.operator.tensor.ReshapeOperator;
import dev.cotenant.features.operator.tensor.ResizeOperators;
import dev.cotenant.features.operator.tensor.SelectionOperators;
import dev.cotenant.features.operator.tensor.SequenceOperators;
import dev.cotenant.features.operator.tensor.TextOperators;
import dev.cotenant.features.operator.tensor.ViewOperators;

/** The operators of {@code ai.onnx} and {@code com.microsoft} that are understood. */
final class StandardOperators {
  private static final OperatorTable TABLE = standardTable();

  private StandardOperators() {}

  static OperatorTable table() {
    return TABLE;
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
}
