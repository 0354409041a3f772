package dev.cotenant.datasets.gpumemnet;

import dev.cotenant.domain.graph.BackwardMemory;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What training keeps of a network of the set, by its list of layers and the derivatives of
 * PyTorch: a product and a normalisation keep their input, ReLU and the hyperbolic tangent their
 * output, other activations their input, dropout one byte an element.
 *
 * <p>Layers of "dense" networks read the outputs of all before them in their block, put together in
 * a tensor of its own. How many channels that has follows from the parameters: each layer has 32
 * filters of 3×3, 32 · (9 · channels + 1); what is no such number halves the channels with 1×1.
 */
final class SavedTensors {
  private static final Pattern LAYER =
      Pattern.compile("\\['(\\w+)',\\s*(\\d{1,10}),\\s*(\\d{1,10}),\\s*\\d+]");
  private static final Pattern ACTIVATION = Pattern.compile("_act:([a-z_]+?)_dropout");
  private static final Set<String> BY_OUTPUT = Set.of("relu", "tanh");
  private static final String UNNAMED = "relu";
  private static final String NONE = "identity";
  private static final long GROWTH = 32;
  private static final long BYTES = 4;

  private final boolean isDense;
  private final boolean keepsOutputs;
  private final boolean hasActivations;
  private final List<Long> sizes = new ArrayList<>();
  private final BitSet saved = new BitSet();
  private long besideBytes;
  private long convolution;

  private SavedTensors(String configuration, long inputs) {
    Matcher activation = ACTIVATION.matcher(configuration);
    isDense = configuration.contains("_arch:dense_");
    String name = activation.find() ? activation.group(1) : UNNAMED;
    keepsOutputs = BY_OUTPUT.contains(name);
    hasActivations = !name.equals(NONE);
    sizes.add(inputs);
  }

  /**
   * Saved tensors of a batch.
   *
   * @param configuration the generator's settings
   * @param layers kind, outputs, parameters and multiply-accumulates of each
   * @param inputs elements of a sample
   * @param batch samples
   * @throws IllegalArgumentException when some layer cannot be read
   * @throws ArithmeticException when there is more of it than bytes can count
   */
  static BackwardMemory of(String configuration, String layers, long inputs, int batch) {
    SavedTensors tensors = new SavedTensors(configuration, inputs);
    Matcher layer = LAYER.matcher(layers);
    int read = 0;
    while (layer.find()) {
      tensors.add(layer.group(1), Long.parseLong(layer.group(2)), Long.parseLong(layer.group(3)));
      read++;
    }
    if (read != layers.chars().filter(character -> character == '[').count() - 1) {
      throw new IllegalArgumentException("not all layers can be read");
    }
    return tensors.ofBatch(batch);
  }

  private void add(String kind, long outputs, long parameters) {
    if (kind.equals("act") && !hasActivations) {
      return; // the very tensor that it is given
    }
    int input = sizes.size() - 1;
    sizes.add(outputs);
    switch (kind) {
      case "conv" -> addConvolution(input, outputs, parameters);
      case "lin", "bn" -> saved.set(input);
      case "act" -> saved.set(keepsOutputs ? input + 1 : input);
      case "do" -> besideBytes += outputs;
      case "sm" -> saved.set(input + 1);
      default -> {}
    }
  }

  private void addConvolution(int input, long outputs, long parameters) {
    long read = isDense ? joined(outputs, parameters) : sizes.get(input);
    if (read == sizes.get(input)) {
      saved.set(input);
    } else {
      besideBytes += BYTES * read;
    }
    if (!isDense || isGrowth(parameters)) {
      convolution = Math.max(convolution, read + outputs);
    }
  }

  private static long joined(long outputs, long parameters) {
    return isGrowth(parameters)
        ? (parameters - GROWTH) / (9 * GROWTH) * (outputs / GROWTH)
        : 2 * outputs;
  }

  /** Whether it is a 3×3 layer of a block. */
  private static boolean isGrowth(long parameters) {
    return (parameters - GROWTH) % (9 * GROWTH) == 0;
  }

  private BackwardMemory ofBatch(int batch) {
    long elements = saved.stream().mapToLong(sizes::get).sum();
    return new BackwardMemory(
        MemorySize.ofBytes(Math.multiplyExact(batch, BYTES * elements + besideBytes)),
        MemorySize.ofBytes(Math.multiplyExact(batch, BYTES * convolution)));
  }
}
