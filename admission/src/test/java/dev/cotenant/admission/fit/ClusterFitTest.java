package dev.cotenant.admission.fit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.BoundClaim;
import dev.cotenant.admission.cluster.BoundVolume;
import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.LabelSelector;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.NodeRequirements.Expression;
import dev.cotenant.admission.cluster.NodeRequirements.Operator;
import dev.cotenant.admission.cluster.PodTopology;
import dev.cotenant.admission.cluster.PodTopology.PodSelector;
import dev.cotenant.admission.cluster.PodTopology.SpreadConstraint;
import dev.cotenant.admission.cluster.PodTopology.Term;
import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.fit.Placements.Counting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three nodes: a1 and a2 in zone a, b1 in zone b; and c1, which has no zone. */
class ClusterFitTest {
  private static final String APART = "didn't match pod anti-affinity rules";
  private static final String REPELLED = "didn't satisfy existing pods anti-affinity rules";
  private static final String NEAR = "didn't match pod affinity rules";
  private static final String SPREAD = "didn't match pod topology spread constraints";

  private final List<String> freed = new ArrayList<>();
  private final Placements placements = new Placements(freed::add);
  private final Volumes volumes = new Volumes();
  private final List<WatchedNode> nodes =
      new ArrayList<>(List.of(node("a1", "a"), node("a2", "a"), node("b1", "b"), node("c1", null)));
  private final ClusterFit fit = new ClusterFit(placements, volumes, () -> nodes);

  private static WatchedNode node(String name, @Nullable String zone) {
    Map<String, String> labels = new TreeMap<>(Map.of("host", name));
    if (zone != null) {
      labels.put("zone", zone);
    }
    return new WatchedNode(
        name, labels, List.of(), true, 1, ResourceAmounts.of(Map.of("cpu", 4_000L, "pods", 9L)));
  }

  @BeforeEach
  void reset() {
    fit.reset(nodes);
  }

  private static PodSelector app(String value) {
    return new PodSelector(
        Set.of("team"),
        new LabelSelector(List.of(new Expression("app", Operator.IN, Set.of(value)))));
  }

  private static Footprint pod(String app, PodTopology topology) {
    return new Footprint(
        ResourceAmounts.of(Map.of("cpu", 1_000L)),
        List.of(),
        Map.of("app", app),
        topology,
        Set.of());
  }

  private static PodTopology apart(String app, String key) {
    return new PodTopology(List.of(), List.of(new Term(app(app), key)), List.of());
  }

  private static PodTopology near(String app, String key) {
    return new PodTopology(List.of(new Term(app(app), key)), List.of(), List.of());
  }

  private static PodTopology spread(String app, int maxSkew, int minDomains) {
    return new PodTopology(
        List.of(), List.of(), List.of(new SpreadConstraint(app(app), "zone", maxSkew, minDomains)));
  }

  private Map<String, String> whyNot(Footprint pod) {
    return whyNot(pod, NodeRequirements.NONE);
  }

  private Map<String, String> whyNot(Footprint pod, NodeRequirements requirements) {
    Needs needs = new Needs(requirements, placements.demand("team", pod), Map.of());
    return new TreeMap<>(fit.whyNot(needs, Counting.ALL));
  }

  private void place(String uid, Footprint pod, String node) {
    placements.put(uid, "team", pod, node);
  }

  @Test
  void cachesABoundedNumberOfReasons() {
    List<WatchedNode> many = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      many.add(node("n" + i, null));
    }
    fit.reset(many);
    int mostCached = 0;
    for (int request = 5_000; request < 5_800; request++) {
      assertThat(whyNot(requesting(request))).hasSize(1_000);
      mostCached = Math.max(mostCached, fit.cachedReasons());
    }

    assertThat(mostCached).isBetween(100_000, 500_000);
    assertThat(whyNot(requesting(5_000))).hasSize(1_000);
  }

  @Test
  void resourcesOfBoundAndOfGrantedPodsCount() {
    place("bound", requesting(3_500), "a1");
    placements.put("granted", "team", requesting(3_500), null);
    assertThat(whyNot(requesting(1_000))).containsOnlyKeys("a1");

    placements.granted("granted", "a2");
    assertThat(whyNot(requesting(1_000))).containsOnlyKeys("a1", "a2");

    placements.released("granted");
    placements.remove("bound");
    assertThat(whyNot(requesting(1_000))).isEmpty();
    assertThat(freed).containsExactly("a2", "a1");
  }

  private static Footprint requesting(long millicores) {
    return new Footprint(
        ResourceAmounts.of(Map.of("cpu", millicores)),
        List.of(),
        Map.of(),
        PodTopology.NONE,
        Set.of());
  }

  @Test
  void aPodBoundElsewhereThanGrantedCountsWhereItIs() {
    placements.granted("p", "a1");
    place("p", requesting(4_000), "b1");

    assertThat(whyNot(requesting(1))).containsOnlyKeys("b1");
  }

  @Test
  void grantsAreLeftOutWhereCapacityIsReserved() {
    place("plain", requesting(4_000), "a1");
    place("granted", requesting(4_000), "a2");
    placements.granted("granted", "a2");
    Needs needs =
        new Needs(NodeRequirements.NONE, placements.demand("team", requesting(1_000)), Map.of());

    assertThat(fit.whyNot(needs, Counting.ALL)).containsOnlyKeys("a1", "a2");
    assertThat(fit.whyNot(needs, Counting.UNGRANTED)).containsOnlyKeys("a1");
  }

  @Test
  void withoutItsOwnGrantAPodDoesNotBlockItself() {
    placements.put("own", "team", requesting(4_000), null);
    placements.granted("own", "a1");

    assertThat(placements.without("own", () -> whyNot(requesting(4_000)))).isEmpty();
    assertThat(whyNot(requesting(4_000))).containsOnlyKeys("a1");
  }

  @Test
  void antiAffinityExcludesTheWholeDomain() {
    place("web", pod("web", PodTopology.NONE), "a1");

    assertThat(whyNot(pod("infer", apart("web", "zone"))))
        .isEqualTo(Map.of("a1", APART, "a2", APART));
    assertThat(whyNot(pod("infer", apart("web", "host")))).isEqualTo(Map.of("a1", APART));
    assertThat(whyNot(pod("infer", apart("other", "zone")))).isEmpty();
  }

  @Test
  void theAntiAffinityOfAPlacedPodRepelsTheOnesThatItSelects() {
    place("web", pod("web", apart("infer", "zone")), "b1");

    assertThat(whyNot(pod("infer", PodTopology.NONE))).isEqualTo(Map.of("b1", REPELLED));
    assertThat(whyNot(pod("other", PodTopology.NONE))).isEmpty();

    placements.remove("web");
    assertThat(whyNot(pod("infer", PodTopology.NONE))).isEmpty();
  }

  @Test
  void podsOfOtherNamespacesAreNotSelected() {
    placements.put("web", "other", pod("web", apart("infer", "zone")), "a1");

    assertThat(whyNot(pod("infer", apart("web", "zone"))))
        .as("its own term selects namespace team, as does the term of the placed pod")
        .isEqualTo(Map.of("a1", REPELLED, "a2", REPELLED));
  }

  @Test
  void affinityNeedsAPodInTheDomain() {
    place("web", pod("web", PodTopology.NONE), "a2");

    assertThat(whyNot(pod("infer", near("web", "zone")))).isEqualTo(Map.of("b1", NEAR, "c1", NEAR));
    assertThat(whyNot(pod("infer", near("absent", "zone"))))
        .containsOnlyKeys("a1", "a2", "b1", "c1");
  }

  @Test
  void theFirstPodOfAGroupGoesAnywhereWithTheLabel() {
    assertThat(whyNot(pod("infer", near("infer", "zone")))).isEqualTo(Map.of("c1", NEAR));

    place("first", pod("infer", near("infer", "zone")), "b1");
    assertThat(whyNot(pod("infer", near("infer", "zone")))).containsOnlyKeys("a1", "a2", "c1");
  }

  @Test
  void aPodCountsForAffinityWhereItMatchesAllTerms() {
    PodTopology both =
        new PodTopology(
            List.of(new Term(app("web"), "zone"), new Term(app("db"), "zone")),
            List.of(),
            List.of());
    place("web", pod("web", PodTopology.NONE), "a1");
    place("db", pod("db", PodTopology.NONE), "a1");

    assertThat(whyNot(pod("infer", both))).containsOnlyKeys("a1", "a2", "b1", "c1");
  }

  @Test
  void spreadComparesWithTheEmptiestDomain() {
    place("1", pod("infer", PodTopology.NONE), "a1");
    Footprint next = pod("infer", spread("infer", 1, 1));

    assertThat(whyNot(next))
        .isEqualTo(Map.of("a1", SPREAD, "a2", SPREAD, "c1", SPREAD + " (missing required label)"));
    place("2", pod("infer", PodTopology.NONE), "b1");
    assertThat(whyNot(next)).containsOnlyKeys("c1");
  }

  @Test
  void onlyNodesThatThePodMayUseAreDomainsOfSpread() {
    place("1", pod("infer", PodTopology.NONE), "a1");
    NodeRequirements inZoneA = new NodeRequirements(Map.of("zone", "a"), List.of(), List.of());

    assertThat(whyNot(pod("infer", spread("infer", 1, 1)), inZoneA)).doesNotContainKey("a1");
  }

  @Test
  void aPodThatItsConstraintDoesNotSelectAddsNoSkew() {
    place("1", pod("infer", PodTopology.NONE), "a1");

    assertThat(whyNot(pod("other", spread("infer", 1, 1)))).containsOnlyKeys("c1");
  }

  @Test
  void withFewerDomainsThanRequiredTheEmptiestIsEmpty() {
    place("1", pod("infer", PodTopology.NONE), "a1");
    place("2", pod("infer", PodTopology.NONE), "b1");

    assertThat(whyNot(pod("infer", spread("infer", 1, 3))))
        .containsOnlyKeys("a1", "a2", "b1", "c1");
  }

  @Test
  void aBoundVolumeRestrictsNodesAndAnUnboundClaimDoesNot() {
    Footprint pod =
        new Footprint(
            ResourceAmounts.NONE, List.of(), Map.of(), PodTopology.NONE, Set.of("data", "later"));
    volumes.put(
        new BoundVolume(
            "pv-1",
            List.of(
                new NodeRequirements.Term(
                    List.of(new Expression("zone", Operator.IN, Set.of("b"))), List.of()))));
    assertThat(whyNot(pod)).isEmpty();

    volumes.put(new BoundClaim("team/data", "pv-1"));
    assertThat(whyNot(pod))
        .containsOnlyKeys("a1", "a2", "c1")
        .containsEntry("a1", "had volume node affinity conflict: claim data, volume pv-1");

    volumes.removeVolume("pv-1");
    assertThat(whyNot(pod)).isEmpty();
  }

  @Test
  void demandsDifferInWhatMattersOnly() {
    Footprint one = pod("infer", PodTopology.NONE);
    Footprint other = pod("train", PodTopology.NONE);
    assertThat(placements.demand("team", one)).isEqualTo(placements.demand("other", other));

    place("web", pod("web", apart("infer", "zone")), "b1");
    assertThat(placements.demand("team", one)).isNotEqualTo(placements.demand("team", other));
  }

  /** Whatever happened before, a cached answer is the one of a fresh computation. */
  @Test
  void cachedFitsFollowEveryChange() {
    Random random = new Random(7);
    List<PodTopology> topologies =
        List.of(
            PodTopology.NONE,
            apart("x", "zone"),
            apart("y", "host"),
            near("x", "zone"),
            spread("x", 1, 1));
    for (int step = 0; step < 3_000; step++) {
      String uid = "p" + random.nextInt(12);
      Footprint pod = pod(random.nextBoolean() ? "x" : "y", topologies.get(random.nextInt(5)));
      String node = nodes.get(random.nextInt(4)).name();
      switch (random.nextInt(4)) {
        case 0 -> place(uid, pod, node);
        case 1 -> placements.remove(uid);
        case 2 -> placements.granted(uid, node);
        default -> placements.released(uid);
      }
      Footprint next = pod(random.nextBoolean() ? "x" : "y", topologies.get(random.nextInt(5)));
      Needs needs = new Needs(NodeRequirements.NONE, placements.demand("team", next), Map.of());
      Counting counting = random.nextBoolean() ? Counting.ALL : Counting.UNGRANTED;
      ClusterFit fresh = new ClusterFit(placements, volumes, () -> nodes);
      fresh.reset(nodes);

      assertThat(fit.whyNot(needs, counting))
          .as("step %s", step)
          .isEqualTo(fresh.whyNot(needs, counting));
    }
  }
}
