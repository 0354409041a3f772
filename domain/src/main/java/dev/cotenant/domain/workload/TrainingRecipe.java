package dev.cotenant.domain.workload;

/** How a training job updates weights and stores activations. No effect on inference. */
public record TrainingRecipe(Optimizer optimizer, Checkpointing checkpointing) {
  /** Adam without checkpointing. */
  public static final TrainingRecipe DEFAULT =
      new TrainingRecipe(Optimizer.ADAM, Checkpointing.NONE);
}
