package dev.cotenant.engine.model;

import dev.cotenant.engine.lifecycle.QuotaException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * How much registered models may take of memory.
 *
 * @param names registered names, at least 1
 * @param heapBytes of the graphs in memory together, and so of each, by {@link
 *     dev.cotenant.features.ModelGraph#heapBytes}
 */
public record ModelQuota(int names, long heapBytes) {
  private static final int NAMES = 1_000;

  /** A model beyond a quarter leaves too little for requests. */
  private static final int PART_OF_HEAP = 4;

  /** A thousand names and a quarter of this process's largest heap. */
  public static ModelQuota ofThisProcess() {
    return new ModelQuota(NAMES, Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
  }

  /**
   * Returns normally if the model is within the quota.
   *
   * @param present registered models; an equal name is replaced
   * @throws QuotaException ({@code too-many-models}, {@code model-too-large})
   */
  public void require(Registered model, Collection<Registered> present) {
    requireName(model, present);
    requireRoom(model);
  }

  /**
   * Returns where a model's name has room beside others.
   *
   * @throws QuotaException ({@code too-many-models})
   */
  public void requireName(Registered model, Collection<Registered> present) {
    Map<String, Registered> byName = new HashMap<>();
    present.forEach(one -> byName.put(one.name(), one));
    byName.put(model.name(), model);
    if (byName.size() > names) {
      throw new QuotaException(
          "too-many-models",
          "Models are limited to "
              + names
              + " names: model "
              + model.name()
              + " was not registered; replace one that is no longer used.");
    }
  }

  private void requireRoom(Registered model) {
    if (model instanceof RegisteredModel graph && graph.graph().heapBytes() > heapBytes) {
      throw new QuotaException(
          "model-too-large",
          "The graph of model "
              + model.name()
              + " takes "
              + (graph.graph().heapBytes() >> 20)
              + " MiB of memory, over the limit of "
              + (heapBytes >> 20)
              + " MiB: it was not registered; register a smaller export, or start with a larger"
              + " heap.");
    }
  }
}
