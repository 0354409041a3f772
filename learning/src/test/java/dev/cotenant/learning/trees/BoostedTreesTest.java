package dev.cotenant.learning.trees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.learning.file.FileFormat;
import dev.cotenant.learning.file.FileFormatException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BoostedTreesTest {
  private static final FileFormat FILE = new FileFormat("TEST", 1, 1 << 20);
  private static final int FEATURES = 5;

  private static final Tree ONE =
      new Tree.Split(
          0,
          0.5f,
          new Tree.Split(1, 1, new Tree.Leaf(1), new Tree.Leaf(2)),
          new Tree.Split(1, 2, new Tree.Leaf(3), new Tree.Leaf(4)));

  private static BoostedTrees trees(double base, Tree... trees) {
    return BoostedTrees.of(base, 2, List.of(trees));
  }

  @Test
  void descendsByEveryThreshold() {
    // x0 ≤ 0.5: then x1 ≤ 1 gives 1, else 2; x0 > 0.5: then x1 ≤ 2 gives 3, else 4.
    BoostedTrees one = trees(0, ONE);
    assertThat(one.predict(new float[] {0.5f, 1})).isEqualTo(1);
    assertThat(one.predict(new float[] {0, 1.5f})).isEqualTo(2);
    assertThat(one.predict(new float[] {0.6f, 2})).isEqualTo(3);
    assertThat(one.predict(new float[] {9, 9})).isEqualTo(4);
  }

  @Test
  void isTheSumOfItsTreesAndItsBase() {
    BoostedTrees two =
        trees(0.5, new Tree.Split(0, 0, new Tree.Leaf(1), new Tree.Leaf(2)), new Tree.Leaf(10));

    assertThat(two.size()).isEqualTo(2);
    assertThat(two.predict(new float[] {-1, 0})).isEqualTo(11.5);
    assertThat(two.predict(new float[] {1, 0})).isEqualTo(12.5);
    assertThat(trees(0.5).predict(new float[] {1, 0})).isEqualTo(0.5);
  }

  @Test
  void meansOfSumsAnswerTheMean() {
    BoostedTrees first = trees(1, ONE);
    BoostedTrees second = trees(2, new Tree.Leaf(10));
    assertThat(BoostedTrees.mean(List.of(first, second)).predict(new float[] {9, 9}))
        .isEqualTo((1 + 4 + 2 + 10) / 2.0);
  }

  /** Blocks of 128 trees descend together; the first levels are filled up, deeper ones are not. */
  @ParameterizedTest
  @CsvSource({"0, 3", "1, 0", "1, 9", "7, 5", "127, 4", "128, 6", "129, 2", "300, 12"})
  void answersAsEachTreeDoes(int count, int depth) {
    SplittableRandom random = new SplittableRandom(count);
    BoostedTrees sum = random(random, count, depth);
    for (int i = 0; i < 300; i++) {
      float[] vector = new float[FEATURES];
      for (int j = 0; j < FEATURES; j++) {
        vector[j] = i == 0 ? Float.NaN : (float) random.nextInt(8);
      }
      double expected = 0.5;
      for (Tree tree : sum.trees()) {
        expected += tree.predict(vector);
      }
      assertThat(sum.predict(vector)).isEqualTo(expected);
    }
  }

  /** Thresholds are whole numbers as values are: a value of at most the threshold goes low. */
  private static BoostedTrees random(SplittableRandom random, int count, int depth) {
    List<Tree> trees = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      trees.add(random(random, i % 4 == 0 ? 0 : depth)); // single leaves and deep trees
    }
    return BoostedTrees.of(0.5, FEATURES, trees);
  }

  private static Tree random(SplittableRandom random, int depth) {
    return depth == 0 || random.nextInt(5) == 0
        ? new Tree.Leaf(random.nextInt(1000) / 8f)
        : new Tree.Split(
            random.nextInt(FEATURES),
            random.nextInt(-1, 8),
            random(random, depth - 1),
            random(random, depth - 1));
  }

  @Test
  void isTheSameAfterWritingAndReading() {
    for (int depth : new int[] {0, 1, 4, 9}) {
      BoostedTrees written = random(new SplittableRandom(depth), 40, depth);
      BoostedTrees read = read(FILE.write(written::writeTo));
      assertThat(read).isEqualTo(written).hasSameHashCodeAs(written);
      assertThat(read.trees()).isEqualTo(written.trees());
      assertThat(read.depth()).isEqualTo(written.depth());
    }
  }

  private static BoostedTrees read(byte[] file) {
    return FILE.read(file, in -> BoostedTrees.readFrom(in, FEATURES));
  }

  /** Whatever numbers a file holds, its trees answer or it is refused. */
  @Test
  void survivesEveryNumberThatAFileMayHold() {
    byte[] whole = payload(random(new SplittableRandom(1), 12, 4));
    SplittableRandom random = new SplittableRandom(2);
    int refused = 0;
    for (int trial = 0; trial < 20_000; trial++) {
      byte[] mutated = whole.clone();
      for (int i = 0; i <= trial % 3; i++) {
        mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
      }
      try {
        BoostedTrees read = read(FILE.write(out -> out.write(mutated)));
        assertThat(read.predict(new float[FEATURES])).isFinite();
      } catch (FileFormatException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(1000);
  }

  private static byte[] payload(BoostedTrees trees) {
    byte[] file = FILE.write(trees::writeTo);
    return java.util.Arrays.copyOfRange(file, 12, file.length - 36);
  }

  /** One deep tree beside many leaves takes no more memory than the file allows for. */
  @Test
  void fillsUpNoMoreThanThereIs() {
    List<Tree> trees = new ArrayList<>();
    Tree deep = new Tree.Leaf(1);
    for (int i = 0; i < 30; i++) {
      deep = new Tree.Split(0, i, new Tree.Leaf(0), deep);
    }
    trees.add(deep);
    for (int i = 0; i < 100_000; i++) {
      trees.add(new Tree.Leaf(0));
    }
    BoostedTrees sum = BoostedTrees.of(0, 1, trees);
    assertThat(sum.predict(new float[] {99})).isEqualTo(1);
    assertThat(sum.predict(new float[] {28.5f})).isEqualTo(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 2, 3})
  void refusesAFeatureThatThereIsNot(int feature) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> trees(0, new Tree.Split(feature, 1, new Tree.Leaf(1), new Tree.Leaf(2))));
  }

  @Test
  void refusesWhatIsNoNumber() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Tree.Leaf(Float.NaN));
    assertThatIllegalArgumentException().isThrownBy(() -> new Tree.Leaf(Float.NEGATIVE_INFINITY));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Tree.Split(0, Float.NaN, new Tree.Leaf(1), new Tree.Leaf(2)));
  }

  @Test
  void refusesMoreFeaturesThanItsReaderKnows() {
    byte[] file = FILE.write(BoostedTrees.of(0, FEATURES + 1, List.of(ONE))::writeTo);
    assertThatThrownBy(() -> read(file)).hasMessageContaining("6 features");
  }

  @Test
  void learnedTreesAnswerLikeTheirLinkedForm() {
    Problem problem = Problem.random(300, 4, 3);
    BoostingSettings settings = new BoostingSettings(150, 6, 0.3, 0.8, 1, 2, 1);
    BoostedTrees sum = new BoostingLearner(problem.rows).fit(problem.targets, settings, 1);
    for (float[] row : problem.rows) {
      double expected = sum.trees().stream().mapToDouble(tree -> tree.predict(row)).sum();
      assertThat(sum.predict(row)).isCloseTo(expected, within(1e-12));
    }
  }
}
