package dev.cotenant.cli.placement;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.domain.InputException;
import dev.cotenant.lab.inss.PlacementTraining;
import dev.cotenant.lab.reinforcement.PolicyTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;

/**
 * Trains InSS's placement and writes it as ONNX, with the mean reward of each episode; resumes from
 * the last of the states that it writes every few episodes.
 */
public final class PlacementTrainer {
  private static final String VECTORS = "jdk.incubator.vector";
  private static final int MAX_EPISODES = 100_000;

  /** Between two states; as many are lost at most. */
  private static final int KEPT_EVERY = 5;

  private final Console console;

  public PlacementTrainer(Console console) {
    this.console = console;
  }

  /**
   * Trains until there are so many episodes.
   *
   * @throws InputException ({@code episodes-out-of-range}, {@code no-vector-instructions}, {@code
   *     training-unreadable})
   */
  public void train(long seed, int episodes, Path out) throws IOException {
    if (episodes < 1 || episodes > MAX_EPISODES) {
      throw InputException.invalidArgument(
          "episodes-out-of-range",
          "--episodes must be from 1 to " + MAX_EPISODES + ", is " + episodes + ".");
    }
    if (ModuleLayer.boot().findModule(VECTORS).isEmpty()) {
      throw InputException.invalidArgument(
          "no-vector-instructions",
          "Placements are trained with the Java module "
              + VECTORS
              + ": start with ./cotenant, or add --add-modules "
              + VECTORS
              + " to java.");
    }
    Files.createDirectories(out);
    Path kept = out.resolve("inss-placement-" + seed + ".training");
    PolicyTraining training = begun(kept, seed);
    run(training, episodes, kept);
    Path network = out.resolve("inss-placement-" + seed + ".onnx");
    Files.write(network, training.toOnnx());
    Path rewards = out.resolve("inss-placement-" + seed + ".csv");
    Files.writeString(rewards, csv(training.rewards()));
    console.line("wrote " + network + ": " + training.rewards().size() + " episodes");
    console.line("wrote " + rewards);
  }

  private static PolicyTraining begun(Path kept, long seed) throws IOException {
    return Files.exists(kept)
        ? PlacementTraining.resume(Files.readAllBytes(kept), kept.toString())
        : PlacementTraining.begin(seed);
  }

  private void run(PolicyTraining training, int episodes, Path kept) throws IOException {
    try (Progress progress = console.progress("Training")) {
      for (int done = training.rewards().size(); done < episodes; done++) {
        progress.step("episode " + (done + 1) + " of " + episodes);
        training.runEpisode();
        if ((done + 1) % KEPT_EVERY == 0 || done + 1 == episodes) {
          keep(training, kept);
        }
      }
    }
  }

  /** As a whole or not at all. */
  private static void keep(PolicyTraining training, Path kept) throws IOException {
    Path next = kept.resolveSibling(kept.getFileName() + ".next");
    Files.write(next, training.write());
    Files.move(next, kept, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String csv(List<Double> rewards) {
    StringBuilder csv = new StringBuilder("episode,mean_reward\n");
    for (int i = 0; i < rewards.size(); i++) {
      csv.append(String.format(Locale.ROOT, "%d,%.5f%n", i + 1, rewards.get(i)));
    }
    return csv.toString();
  }
}
