package dev.cotenant.serving;

import dev.cotenant.serving.deployment.FleetTarget.Replica;
import java.util.Locale;

/** One difference between two targets, ordered by cost. */
public sealed interface Change {
  /** Whose. */
  String service();

  /** The GPU that changes. */
  String gpu();

  /** Why. */
  Cause cause();

  /** One clause for people. */
  String clause();

  /** The rank of its cost: 0 for the cheapest. */
  default int rank() {
    return switch (this) {
      case NewBatch _ -> 0;
      case NewShare _ -> 1;
      case Stop _ -> 2;
      case Start _ -> 3;
      case Move _ -> 4;
    };
  }

  /** Another largest batch in the same share: no process changes. */
  record NewBatch(String gpu, Replica before, Replica after, Cause cause) implements Change {
    @Override
    public String service() {
      return after.service();
    }

    @Override
    public String clause() {
      return String.format(Locale.ROOT, "batch %d → %d", before.batch(), after.batch());
    }
  }

  /** A different share on the same GPU. */
  record NewShare(String gpu, Replica before, Replica after, Cause cause) implements Change {
    @Override
    public String service() {
      return after.service();
    }

    @Override
    public String clause() {
      return String.format(
          Locale.ROOT,
          "share %s → %s, batch %d → %d",
          before.share(),
          after.share(),
          before.batch(),
          after.batch());
    }
  }

  /**
   * To another GPU: the old partition serves until the new one is ready.
   *
   * @param gpu where it goes
   * @param from where it was
   * @param opens whether the GPU was not in use
   */
  record Move(String gpu, String from, boolean opens, Replica after, Cause cause)
      implements Change {
    @Override
    public String service() {
      return after.service();
    }

    @Override
    public String clause() {
      return String.format(
          Locale.ROOT,
          "move from %s, share %s, batch %d%s",
          from,
          after.share(),
          after.batch(),
          opens ? ", on a GPU that is opened" : "");
    }
  }

  /**
   * One more partition.
   *
   * @param opens whether the GPU was not in use
   */
  record Start(String gpu, boolean opens, Replica after, Cause cause) implements Change {
    @Override
    public String service() {
      return after.service();
    }

    @Override
    public String clause() {
      return String.format(
          Locale.ROOT,
          "start, share %s, batch %d%s",
          after.share(),
          after.batch(),
          opens ? ", on a GPU that is opened" : "");
    }
  }

  /**
   * One partition less.
   *
   * @param givesBack whether its GPU is then free
   */
  record Stop(String gpu, boolean givesBack, Replica before, Cause cause) implements Change {
    @Override
    public String service() {
      return before.service();
    }

    @Override
    public String clause() {
      return givesBack ? "stop, and release the GPU" : "stop";
    }
  }
}
