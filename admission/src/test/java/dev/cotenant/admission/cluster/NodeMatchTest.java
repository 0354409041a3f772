package dev.cotenant.admission.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.NodeRequirements.Expression;
import dev.cotenant.admission.cluster.NodeRequirements.Operator;
import dev.cotenant.admission.cluster.NodeRequirements.Term;
import dev.cotenant.admission.cluster.NodeRequirements.Toleration;
import dev.cotenant.admission.cluster.WatchedNode.Taint;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeMatchTest {
  private static final WatchedNode NODE =
      new WatchedNode("n1", Map.of("disk", "ssd", "gpus", "8", "empty", ""), List.of(), true, 8);

  private static boolean allows(NodeRequirements pod, WatchedNode node) {
    return NodeMatch.whyNot(pod, node).isEmpty();
  }

  private static NodeRequirements terms(Term... terms) {
    return new NodeRequirements(Map.of(), List.of(terms), List.of());
  }

  private static Term label(String key, Operator operator, String... values) {
    return new Term(List.of(new Expression(key, operator, Set.of(values))), List.of());
  }

  private static Term field(String key, Operator operator, String... values) {
    return new Term(List.of(), List.of(new Expression(key, operator, Set.of(values))));
  }

  @ParameterizedTest(name = "{0}, {1}:{2}: {3}")
  @CsvSource({
    "true, nvidia.com/gpu, NoSchedule, ''",
    "true, node.kubernetes.io/not-ready, NoExecute, not ready",
    "true, node.kubernetes.io/disk-pressure, NoSchedule, disk pressure",
    "true, node.kubernetes.io/not-ready, PreferNoSchedule, ''",
    "false, node.kubernetes.io/unschedulable, NoSchedule, cordoned",
  })
  void saysWhyANodeTakesNoPods(boolean schedulable, String key, String effect, String why) {
    WatchedNode node =
        new WatchedNode("n1", Map.of(), List.of(new Taint(key, "", effect)), schedulable, 8);
    assertThat(NodeMatch.whyUnschedulable(node).orElse("")).isEqualTo(why);
  }

  /** Values are separated by blanks. */
  @ParameterizedTest(name = "{0} {1} [{2}]: {3}")
  @CsvSource({
    "disk, IN, ssd nvme, true",
    "disk, IN, hdd, false",
    "absent, IN, ssd, false",
    "disk, NOT_IN, hdd, true",
    "disk, NOT_IN, ssd, false",
    "absent, NOT_IN, ssd, true",
    "disk, EXISTS, '', true",
    "empty, EXISTS, '', true",
    "absent, EXISTS, '', false",
    "absent, DOES_NOT_EXIST, '', true",
    "disk, DOES_NOT_EXIST, '', false",
    "gpus, GREATER_THAN, 7, true",
    "gpus, GREATER_THAN, 8, false",
    "gpus, LESS_THAN, 9, true",
    "gpus, LESS_THAN, 8, false",
    "gpus, GREATER_THAN, -1, true",
    "gpus, GREATER_THAN, 7.5, false",
    "gpus, GREATER_THAN, 1 2, false",
    "gpus, GREATER_THAN, '', false",
    "disk, GREATER_THAN, 1, false",
    "absent, LESS_THAN, 1, false",
    "gpus, LESS_THAN, 9223372036854775808, false",
  })
  void comparesLabels(String key, Operator operator, String values, boolean matches) {
    String[] all = values.isEmpty() ? new String[0] : values.split(" ", -1);

    assertThat(allows(terms(label(key, operator, all)), NODE)).isEqualTo(matches);
  }

  @ParameterizedTest(name = "{0} {1} [{2}]: {3}")
  @CsvSource({
    "metadata.name, IN, n1, true",
    "metadata.name, IN, n2, false",
    "metadata.name, NOT_IN, n2, true",
    "metadata.name, NOT_IN, n1, false",
    "metadata.name, IN, n1 n2, false",
    "metadata.name, EXISTS, '', false",
    "metadata.uid, IN, n1, false",
    "metadata.uid, NOT_IN, n1, false",
  })
  void comparesTheName(String key, Operator operator, String values, boolean matches) {
    String[] all = values.isEmpty() ? new String[0] : values.split(" ", -1);

    assertThat(allows(terms(field(key, operator, all)), NODE)).isEqualTo(matches);
  }

  @Test
  void needsOneTermOfWhichEverythingHolds() {
    Term wrong = label("disk", Operator.IN, "hdd");
    Term right = label("disk", Operator.IN, "ssd");
    Term both =
        new Term(
            right.labels(), List.of(new Expression("metadata.name", Operator.IN, Set.of("n2"))));

    assertThat(allows(terms(wrong, right), NODE)).isTrue();
    assertThat(allows(terms(wrong, both), NODE)).isFalse();
  }

  @Test
  void matchesNothingWithATermThatSaysNothing() {
    assertThat(allows(terms(new Term(List.of(), List.of())), NODE)).isFalse();
  }

  @Test
  void needsEveryLabelOfTheNodeSelector() {
    assertThat(allows(selecting(Map.of("disk", "ssd", "gpus", "8")), NODE)).isTrue();
    assertThat(allows(selecting(Map.of("disk", "ssd", "gpus", "4")), NODE)).isFalse();
    assertThat(allows(selecting(Map.of("absent", "")), NODE)).isFalse();
  }

  private static NodeRequirements selecting(Map<String, String> labels) {
    return new NodeRequirements(labels, List.of(), List.of());
  }

  /** A toleration's key, operator, value and effect, against {@code gpu=a100:NoSchedule}. */
  @ParameterizedTest(name = "[{0}] {1} [{2}] [{3}]: {4}")
  @CsvSource({
    "gpu, Equal, a100, NoSchedule, true",
    "gpu, Equal, a100, '', true",
    "gpu, Equal, v100, NoSchedule, false",
    "gpu, Equal, '', NoSchedule, false",
    "gpu, Exists, '', NoSchedule, true",
    "gpu, Exists, '', NoExecute, false",
    "'', Exists, '', '', true",
    "'', Exists, '', NoExecute, false",
    "other, Exists, '', '', false",
  })
  void toleratesTaints(
      String key, String operator, String value, String effect, boolean tolerated) {
    Toleration toleration = new Toleration(key, operator.equals("Exists"), value, effect);

    assertThat(allows(tolerating(toleration), tainted("NoSchedule"))).isEqualTo(tolerated);
  }

  private static NodeRequirements tolerating(Toleration... tolerations) {
    return new NodeRequirements(Map.of(), List.of(), List.of(tolerations));
  }

  private static WatchedNode tainted(String effect) {
    return new WatchedNode("n1", Map.of(), List.of(new Taint("gpu", "a100", effect)), true, 1);
  }

  @Test
  void staysAwayFromWhatIsNotToleratedUnlessItIsOnlyAPreference() {
    assertThat(allows(NodeRequirements.NONE, tainted("NoSchedule"))).isFalse();
    assertThat(allows(NodeRequirements.NONE, tainted("NoExecute"))).isFalse();
    assertThat(allows(NodeRequirements.NONE, tainted("PreferNoSchedule"))).isTrue();
    assertThat(NodeMatch.whyNot(NodeRequirements.NONE, tainted("NoSchedule")))
        .contains("the pod does not tolerate the taint gpu=a100:NoSchedule");
  }

  @Test
  void staysAwayFromCordonedNodesUnlessThatIsTolerated() {
    WatchedNode cordoned = new WatchedNode("n1", Map.of(), List.of(), false, 1);

    assertThat(allows(NodeRequirements.NONE, cordoned)).isFalse();
    assertThat(
            allows(
                tolerating(
                    new Toleration("node.kubernetes.io/unschedulable", true, "", "NoSchedule")),
                cordoned))
        .isTrue();
  }
}
