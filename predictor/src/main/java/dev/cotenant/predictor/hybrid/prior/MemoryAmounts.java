package dev.cotenant.predictor.hybrid.prior;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;

/**
 * Amounts that decide the memory of a run, in MiB, as multiples of what training in fp32 with Adam
 * needs: a coefficient of {@link MemoryPrior} that was fitted to such runs applies to all.
 *
 * @param states a third of weights and optimizer states: Adam stores three copies
 * @param updates gradients and temporaries of the optimizer's step; 0 in inference
 * @param tensors tensors alive at the peak: those saved for the backward pass, or those of the
 *     largest step of inference with its inputs
 * @param convolution input and output of the largest convolution, of which gradients and workspaces
 *     are multiples
 */
public record MemoryAmounts(double states, double updates, double tensors, double convolution) {
  // Weights W in their precision, n states a parameter, half-precision share h of activations.
  // training   states = (1 + n) W / 3, updates = W · u(n), tensors = h · saved (+ W / 2 if mixed)
  // inference  states = W / 3, updates = 0, tensors = h · (live + inputs), convolution / 3
  // Autocast [PyTorch, torch.amp] keeps fp32 weights, gradients and states, and a half-precision
  // copy of each weight until the backward pass has used it. Checkpoints at the borders of √L
  // segments of L layers leave 2 / √L of what is saved [Chen et al., "Training deep nets with
  // sublinear memory cost", 2016]. Gradients need one copy; Adam's step adds 1.25 of temporaries.
  private static final double ADAM_COPIES = 3;
  private static final double UPDATE_COPIES_OF_ADAM = 2.25;
  private static final double CAST_COPY = 0.5;
  private static final double BORDERS_AND_SEGMENT = 2;

  /** Neither gradients of the input nor of the output are alive beside the workspace. */
  private static final double FORWARD_ONLY = 1.0 / 3;

  private static final double FULL_ELEMENT_BYTES = 4;

  public static MemoryAmounts of(ModelFeatures model, RunSettings settings) {
    return settings.mode() == ExecutionMode.TRAINING
        ? training(model, settings)
        : inference(model, settings.precision());
  }

  private static MemoryAmounts training(ModelFeatures model, RunSettings settings) {
    Precision precision = settings.precision();
    double weights = weights(model, precision);
    int states = settings.recipe().optimizer().statesPerParameter();
    double element = elementShare(precision);
    double casts = precision.isMixed() ? CAST_COPY * weights : 0;
    double saved = model.backward().saved().toMiB() * savedShare(model, settings);
    return new MemoryAmounts(
        weights * (1 + states) / ADAM_COPIES,
        weights * updateShare(states),
        element * saved + casts,
        element * model.backward().convolution().toMiB());
  }

  /** Gradients, and temporaries as far as states are updated from them. */
  private static double updateShare(int states) {
    double temporaries = UPDATE_COPIES_OF_ADAM - 1;
    return (1 + temporaries * states / (ADAM_COPIES - 1)) / UPDATE_COPIES_OF_ADAM;
  }

  private static double savedShare(ModelFeatures model, RunSettings settings) {
    LayerCounts layers = model.layers();
    double depth = Math.max(1, layers.convolution() + layers.linear());
    return switch (settings.recipe().checkpointing()) {
      case NONE -> 1;
      case SEGMENTS -> Math.min(1, BORDERS_AND_SEGMENT / Math.sqrt(depth));
    };
  }

  private static MemoryAmounts inference(ModelFeatures model, Precision precision) {
    double element = elementShare(precision);
    double weights = weights(model, precision);
    double casts = precision.isMixed() ? CAST_COPY * weights : 0;
    double live = model.liveActivations().toMiB() + model.inputs().toMiB();
    return new MemoryAmounts(
        weights / ADAM_COPIES,
        0,
        element * live + casts,
        element * FORWARD_ONLY * model.backward().convolution().toMiB());
  }

  /** As stored, or in the precision where that is smaller. */
  private static double weights(ModelFeatures model, Precision precision) {
    double computed = (double) precision.weightBytes() * model.parameters();
    double stored = model.modelSize().bytes();
    return model.modelSize().toMiB()
        * (stored > computed && computed > 0 && precision.weightBytes() < FULL_ELEMENT_BYTES
            ? computed / stored
            : 1);
  }

  private static double elementShare(Precision precision) {
    return precision.activationBytes() / FULL_ELEMENT_BYTES;
  }
}
