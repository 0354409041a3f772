package dev.cotenant.learning.trees;

import dev.cotenant.learning.file.PayloadReader;
import dev.cotenant.learning.file.PayloadWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A sum of regression trees of any shape. Immutable, thread safe.
 *
 * <p>An answer costs one path through each tree.
 */
public final class BoostedTrees {
  /*
   * Idea: a value's rank among all thresholds of its feature decides every comparison with it, since
   * x > t[k] exactly when more than k thresholds lie below x. Ranks are looked up once a row; then a
   * node is a 16-bit number and a descent is integer arithmetic without a branch. Many trees descend
   * together, so that the processor waits for many reads at once.
   *
   * The first levels of all trees are filled up to full binary trees, in which the children of place i
   * are 2i and 2i + 1 on the next level. What is deeper follows links, a leaf being its own child.
   */
  private static final int BLOCK = 128;

  /** Levels that are filled up: more cost more memory than links do. */
  private static final int MAX_FULL_LEVELS = 5;

  private final FlatNodes nodes;

  /** By level and place, from the roots. */
  private final char[][] full;

  /** By place below the full levels, and of the nodes that these lead to: the answer of a leaf. */
  private final float[] answers;

  /** Nodes and first children of the same; empty where the full levels are all there are. */
  private final char[] deep;

  private final int[] children;

  private BoostedTrees(FlatNodes nodes) {
    this.nodes = nodes;
    full = new char[fullLevels(nodes)][];
    int[] places = new int[nodes.trees()];
    for (int i = 0; i < places.length; i++) {
      places[i] = i;
    }
    for (int level = 0; level < full.length; level++) {
      full[level] = new char[places.length];
      places = fill(full[level], places);
    }
    int[] numbers = nodes.depth() <= full.length ? places : withDescendants(places);
    answers = answers(numbers);
    boolean isDeep = nodes.depth() > full.length;
    deep = new char[isDeep ? numbers.length : 0];
    children = new int[deep.length];
    int next = places.length;
    for (int i = 0; i < deep.length; i++) {
      int link = nodes.links()[numbers[i]];
      deep[i] = link < 0 ? nodes.never() : nodes.splits()[(link - nodes.trees()) / 2];
      children[i] = link < 0 ? i : next;
      next += link < 0 ? 0 : 2;
    }
  }

  /** Fills in the nodes of one level; gives the places of the next. */
  private int[] fill(char[] level, int[] places) {
    // a new virtual machine interprets this loop: no calls in it
    int[] links = nodes.links();
    char[] splits = nodes.splits();
    char never = nodes.never();
    int trees = nodes.trees();
    int[] next = new int[2 * places.length];
    for (int i = 0; i < places.length; i++) {
      int link = links[places[i]];
      if (link < 0) {
        level[i] = never;
        next[2 * i] = places[i];
        next[2 * i + 1] = places[i];
      } else {
        level[i] = splits[(link - trees) >> 1];
        next[2 * i] = link;
        next[2 * i + 1] = link + 1;
      }
    }
    return next;
  }

  private float[] answers(int[] numbers) {
    int[] links = nodes.links();
    float[] leaves = nodes.leaves();
    float[] found = new float[numbers.length];
    for (int i = 0; i < found.length; i++) {
      int link = links[numbers[i]];
      found[i] = link < 0 ? leaves[~link] : 0;
    }
    return found;
  }

  /** No more than fill up to a few times the nodes there are, whatever a file states. */
  private static int fullLevels(FlatNodes nodes) {
    int levels = 0;
    while (levels < Math.min(nodes.depth(), MAX_FULL_LEVELS)
        && (long) nodes.trees() << levels <= nodes.count()) {
      levels++;
    }
    return levels;
  }

  /** Nodes, then the children of those that are splits, and so on. */
  private int[] withDescendants(int[] places) {
    int[] numbers = places;
    int count = numbers.length;
    for (int i = 0; i < count; i++) {
      int link = nodes.links()[numbers[i]];
      if (link >= 0) {
        if (count + 2 > numbers.length) {
          numbers = Arrays.copyOf(numbers, 2 * count + 2);
        }
        numbers[count++] = link;
        numbers[count++] = link + 1;
      }
    }
    return Arrays.copyOf(numbers, count);
  }

  /**
   * A sum of trees.
   *
   * @param base what the sum starts from
   * @param features length of a feature vector
   * @throws IllegalArgumentException when a tree splits on another feature, or there are more
   *     features and thresholds of one than 16 bits can name
   */
  public static BoostedTrees of(double base, int features, List<Tree> trees) {
    return new BoostedTrees(FlatNodes.of((float) base, features, trees));
  }

  /** The mean of several sums over the same features: their trees, answering less each. */
  public static BoostedTrees mean(List<BoostedTrees> sums) {
    double base = 0;
    List<Tree> all = new ArrayList<>();
    for (BoostedTrees sum : sums) {
      base += (double) sum.nodes.base() / sums.size();
      sum.trees().forEach(tree -> all.add(tree.times(1.0 / sums.size())));
    }
    return of(base, sums.getFirst().features(), all);
  }

  /** Prediction for a vector of {@link #features} values; further values are ignored. */
  public double predict(float[] vector) {
    int[] ranks = nodes.ranks(vector);
    int trees = nodes.trees();
    int[] places = new int[Math.min(BLOCK, trees)];
    double sum = nodes.base();
    for (int first = 0; first < trees; first += BLOCK) {
      int count = Math.min(BLOCK, trees - first);
      for (int i = 0; i < count; i++) {
        places[i] = first + i;
      }
      for (char[] level : full) {
        descend(level, places, count, ranks);
      }
      boolean isDone = deep.length == 0;
      while (!isDone) {
        isDone = !follow(places, count, ranks);
      }
      for (int i = 0; i < count; i++) {
        sum += answers[places[i]];
      }
    }
    return sum;
  }

  /** From each place on a full level to the first child or, where the rank is above, the second. */
  private void descend(char[] level, int[] places, int count, int[] ranks) {
    int rankBits = nodes.rankBits();
    for (int i = 0; i < count; i++) {
      int place = places[i];
      int node = level[place];
      int below = node - ranks[(node >>> rankBits) & (ranks.length - 1)];
      places[i] = 2 * place + (below >>> (Integer.SIZE - 1));
    }
  }

  /** The same by links; whether any place changed. */
  private boolean follow(int[] places, int count, int[] ranks) {
    int rankBits = nodes.rankBits();
    int moved = 0;
    for (int i = 0; i < count; i++) {
      int place = places[i];
      int node = deep[place];
      int below = node - ranks[(node >>> rankBits) & (ranks.length - 1)];
      int next = children[place] + (below >>> (Integer.SIZE - 1));
      moved |= next ^ place;
      places[i] = next;
    }
    return moved != 0;
  }

  /** Number of trees. */
  public int size() {
    return nodes.trees();
  }

  /** Splits between a root and the leaf farthest from one. */
  public int depth() {
    return nodes.depth();
  }

  /** Length of the vectors that it judges. */
  public int features() {
    return nodes.features();
  }

  /** The trees in their order. */
  public List<Tree> trees() {
    return nodes.unfolded();
  }

  /** Writes what {@link #readFrom} reads. */
  public void writeTo(PayloadWriter out) throws IOException {
    nodes.writeTo(out);
  }

  /**
   * Reads trees over at most so many features.
   *
   * @throws IllegalArgumentException when they are no trees
   */
  public static BoostedTrees readFrom(PayloadReader in, int maxFeatures) {
    return new BoostedTrees(FlatNodes.readFrom(in, maxFeatures));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BoostedTrees that && nodes.equals(that.nodes);
  }

  @Override
  public int hashCode() {
    return nodes.hashCode();
  }
}
