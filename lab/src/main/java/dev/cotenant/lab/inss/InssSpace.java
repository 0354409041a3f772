package dev.cotenant.lab.inss;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.lab.inss.InssServer.Model;
import dev.cotenant.lab.reinforcement.Environment.Shape;
import dev.cotenant.placement.fleet.FixedShare;
import java.util.ArrayList;
import java.util.List;

/**
 * States and actions of InSS's placement [InSS, section 5.2] as numbers: used memory of each GPU
 * relative to its capacity, and of each model the rate, relative to a whole RTX 2060's in batches
 * of 4, and the queue, relative to that rate's requests of a second. An action is a GPU and a tenth
 * of it for each model.
 *
 * <p>The paper counts shares in SMs, 30 or 34 per GPU; a tenth is three SMs. What the shares of a
 * GPU add up to beyond the whole is taken from all in proportion, so that no action breaks
 * constraint (1a).
 */
final class InssSpace {
  private static final int LEVELS = 10;
  private static final double MAX_QUEUED = 10;

  private final InssServer server;
  private final List<MemorySize> memory;

  InssSpace(InssServer server) {
    this.server = server;
    memory = server.memory();
  }

  Shape shape() {
    int models = server.models().size();
    return new Shape(memory.size() + 2 * models, models, memory.size() * LEVELS);
  }

  /**
   * The state.
   *
   * @param usedBytes of each GPU
   * @param perSecond rate of each model
   * @param queued requests of each model
   */
  float[] state(double[] usedBytes, double[] perSecond, double[] queued) {
    float[] state = new float[shape().state()];
    for (int gpu = 0; gpu < usedBytes.length; gpu++) {
      state[gpu] = (float) (usedBytes[gpu] / memory.get(gpu).bytes());
    }
    int at = usedBytes.length;
    for (int i = 0; i < perSecond.length; i++) {
      double whole = server.wholeRate(server.models().get(i));
      state[at + i] = (float) (perSecond[i] / whole);
      state[at + perSecond.length + i] = (float) Math.min(MAX_QUEUED, queued[i] / whole);
    }
    return state;
  }

  /** The shares of an action, in the order of models. */
  List<FixedShare> shares(int[] choices) {
    int[] sums = new int[memory.size()];
    for (int choice : choices) {
      sums[choice / LEVELS] += choice % LEVELS + 1;
    }
    List<FixedShare> shares = new ArrayList<>();
    for (int i = 0; i < choices.length; i++) {
      int gpu = choices[i] / LEVELS;
      int level = choices[i] % LEVELS + 1;
      int permille = Share.WHOLE.permille() * level / Math.max(LEVELS, sums[gpu]);
      Model model = server.models().get(i);
      shares.add(new FixedShare(gpu, model.name(), new Share(permille)));
    }
    return shares;
  }

  int gpus() {
    return memory.size();
  }

  MemorySize memoryOf(int gpu) {
    return memory.get(gpu);
  }
}
