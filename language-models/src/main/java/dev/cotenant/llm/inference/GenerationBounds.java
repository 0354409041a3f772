package dev.cotenant.llm.inference;

import dev.cotenant.llm.fit.FamilyBound;
import dev.cotenant.llm.model.LanguageModel;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Upper bounds on relative errors of generation, each from the worst held-out run of every measured
 * model of its group.
 *
 * @param byGroup of measured groups, at least one
 */
public record GenerationBounds(Map<Group, FamilyBound> byGroup) {
  /** Runs whose errors are alike. */
  public enum Group {
    /** One GPU, weights of 8 bits and more. */
    PLAIN,
    /** One GPU, weights of fewer bits: scales and kernels differ. */
    FEW_BITS,
    /** Several GPUs, weights of 8 bits and more: transients on each. */
    SEVERAL_GPUS,
    /** Several GPUs, weights of fewer bits: both. */
    SEVERAL_GPUS_FEW_BITS;

    static Group of(LanguageModel model, GenerationSettings settings) {
      double bytes = model.quantization().bytesPerWeight();
      boolean fewBits = bytes > 0 && bytes < 1;
      if (settings.gpus() > 1) {
        return fewBits ? SEVERAL_GPUS_FEW_BITS : SEVERAL_GPUS;
      }
      return fewBits ? FEW_BITS : PLAIN;
    }
  }

  /** Of every measured run; a test holds these to the fit. */
  public static final GenerationBounds SHIPPED =
      new GenerationBounds(
          Map.of(
              Group.PLAIN,
              new FamilyBound(
                  List.of(
                      -0.0143, 0.0501, -0.0235, 0.0208, 0.0240, 0.0098, -0.0076, 0.0115, 0.0031,
                      0.0019, 0.0)),
              Group.FEW_BITS,
              new FamilyBound(
                  List.of(
                      -0.0144, 0.0590, 0.0964, -0.0278, 0.0223, 0.0203, 0.0164, 0.0369, 0.0397,
                      0.0774, 0.0515)),
              Group.SEVERAL_GPUS,
              new FamilyBound(List.of(0.0485, 0.0270)),
              Group.SEVERAL_GPUS_FEW_BITS,
              new FamilyBound(List.of(0.2203, 0.0101))));

  private static final Set<String> CARDS = Set.of("a100-80gb", "h20");

  public GenerationBounds {
    byGroup = Map.copyOf(byGroup);
  }

  /** Of these runs, each predicted by constants that were learned without its model. */
  public static GenerationBounds of(List<GenerationRun> runs) {
    Map<Group, FamilyBound> found = new EnumMap<>(Group.class);
    for (Group group : Group.values()) {
      List<GenerationRun> own =
          runs.stream().filter(run -> Group.of(run.model(), run.settings()) == group).toList();
      if (!own.isEmpty()) {
        found.put(group, bound(own, runs));
      }
    }
    return new GenerationBounds(found);
  }

  private static FamilyBound bound(List<GenerationRun> own, List<GenerationRun> all) {
    return FamilyBound.heldOut(
        own,
        GenerationBounds::family,
        others -> {
          List<String> names = others.stream().map(GenerationBounds::family).toList();
          List<String> left =
              own.stream()
                  .map(GenerationBounds::family)
                  .distinct()
                  .filter(name -> !names.contains(name))
                  .toList();
          GenerationFormula formula =
              GenerationFormula.of(
                  all.stream().filter(run -> !left.contains(family(run))).toList());
          return run ->
              run.bytes() / formula.predict(run.model(), run.secondHead(), run.settings()).peak()
                  - 1;
        });
  }

  private static String family(GenerationRun run) {
    return run.model().name();
  }

  /** What of a run was not measured, each a few words; empty where the bound rests on runs. */
  public static List<String> unmeasured(
      LanguageModel model, GenerationSettings settings, String device) {
    List<String> outside = new ArrayList<>();
    TransformersVersion version = settings.version();
    if (version != null && !version.isMeasured()) {
      outside.add("transformers " + version + " (measured: 4.38, 4.46, 4.51)");
    }
    if (!CARDS.contains(device)) {
      outside.add(device + " with transformers (measured: a100-80gb, h20)");
    }
    int gpus = settings.gpus();
    if (gpus > (settings.release() == TransformersVersion.Release.LEAN ? 1 : 3)) {
      outside.add(gpus + " GPUs with transformers");
    }
    String method = model.quantization().method();
    if (!model.quantization().isNone() && !method.matches("(gptq|awq|8-bit).*")) {
      outside.add(method + " weights with transformers");
    }
    if (model.valueBytes() != 2) {
      outside.add("values of " + model.valueBytes() + " bytes with transformers");
    }
    return outside;
  }

  /** The bound for a run; that of the widest group where its own was not measured. */
  public FamilyBound of(LanguageModel model, GenerationSettings settings) {
    FamilyBound own = byGroup.get(Group.of(model, settings));
    return own != null
        ? own
        : Objects.requireNonNull(
            byGroup.values().stream()
                .max(java.util.Comparator.comparingDouble(bound -> bound.at(1)))
                .orElse(null));
  }
}
