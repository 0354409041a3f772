package dev.cotenant.placement.igniter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlackTreeTest {
  @Test
  void findsTheFirstWithEnoughSlackInAGroup() {
    SlackTree tree = new SlackTree(5);
    tree.set(1, 0, 3);
    tree.set(2, 1, 9);
    tree.set(4, 0, 9);

    assertThat(tree.next(0, 0, 0)).isEqualTo(1);
    assertThat(tree.next(0, 0, 4)).isEqualTo(4);
    assertThat(tree.next(0, 1, 9)).isEqualTo(2);
    assertThat(tree.next(3, 1, 9)).isEqualTo(-1);
    assertThat(tree.next(0, 0, 10)).isEqualTo(-1);
    assertThat(tree.next(5, 0, 0)).isEqualTo(-1);
  }

  @Test
  void findsASlackOfNothingUntilThePlaceIsClosed() {
    SlackTree tree = new SlackTree(1);
    assertThat(tree.next(0, 7, 0)).isEqualTo(-1);
    tree.set(0, 7, 0);
    assertThat(tree.next(0, 7, 0)).isZero();
    tree.close(0);
    assertThat(tree.next(0, 7, 0)).isEqualTo(-1);
  }

  @Test
  void agreesWithLookingAtEveryPlace() {
    Random random = new Random(11);
    for (int places = 1; places < 40; places++) {
      SlackTree tree = new SlackTree(places);
      int[] groups = new int[places];
      int[] slacks = new int[places];
      Arrays.fill(slacks, -1);
      for (int step = 0; step < 200; step++) {
        int place = random.nextInt(places);
        groups[place] = random.nextInt(SlackTree.GROUPS);
        slacks[place] = random.nextInt(SlackTree.MAX_SLACK + 2) - 1;
        if (slacks[place] < 0) {
          tree.close(place);
        } else {
          tree.set(place, groups[place], slacks[place]);
        }
        int from = random.nextInt(places);
        int group = random.nextInt(SlackTree.GROUPS);
        int least = random.nextInt(SlackTree.MAX_SLACK + 1);
        assertThat(tree.next(from, group, least))
            .isEqualTo(first(groups, slacks, from, group, least));
      }
    }
  }

  private static int first(int[] groups, int[] slacks, int from, int group, int least) {
    for (int i = from; i < groups.length; i++) {
      if (groups[i] == group && slacks[i] >= least) {
        return i;
      }
    }
    return -1;
  }
}
