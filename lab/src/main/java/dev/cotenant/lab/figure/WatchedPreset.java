package dev.cotenant.lab.figure;

import java.util.List;
import java.util.function.Consumer;

/** A preset whose runs can be observed. */
public interface WatchedPreset extends Preset {
  @Override
  default List<Cell> run(int seeds, Consumer<String> progress) {
    return run(seeds, Watch.of(progress));
  }

  @Override
  List<Cell> run(int seeds, Watch watch);
}
