package dev.cotenant.domain.workload;

import dev.cotenant.domain.InputException;

/**
 * How a model runs, apart from batch and device.
 *
 * @param recipe optimizer and checkpointing; no effect on inference
 * @param load request rate of inference, or input-boundness of training
 */
public record RunSettings(
    ExecutionMode mode,
    Precision precision,
    Framework framework,
    TrainingRecipe recipe,
    Load load) {
  /** Training in fp32 with PyTorch and Adam, as most profiles are measured. */
  public static final RunSettings DEFAULT = of(ExecutionMode.TRAINING, Precision.FP32);

  public RunSettings {
    if (mode == ExecutionMode.TRAINING && !framework.trains()) {
      throw InputException.invalidArgument(
          "framework-does-not-train",
          "The framework " + framework + " runs inference only: use pytorch or tensorflow.");
    }
    if (mode == ExecutionMode.TRAINING && load instanceof Load.RequestRate) {
      throw InputException.invalidArgument(
          "load-of-other-mode", "A request rate applies to inference, and the mode is training.");
    }
    if (mode == ExecutionMode.INFERENCE
        && (load instanceof Load.InputWait || load instanceof Load.UtilizationLimit)) {
      throw InputException.invalidArgument(
          "load-of-other-mode",
          "An input wait or utilization limit applies to training, and the mode is inference:"
              + " state the request rate.");
    }
  }

  /** With PyTorch, Adam, no checkpointing and no stated load. */
  public static RunSettings of(ExecutionMode mode, Precision precision) {
    return new RunSettings(
        mode, precision, Framework.PYTORCH, TrainingRecipe.DEFAULT, Load.UNSTATED);
  }

  public RunSettings withFramework(Framework framework) {
    return new RunSettings(mode, precision, framework, recipe, load);
  }

  public RunSettings withRecipe(TrainingRecipe recipe) {
    return new RunSettings(mode, precision, framework, recipe, load);
  }

  public RunSettings withLoad(Load load) {
    return new RunSettings(mode, precision, framework, recipe, load);
  }
}
