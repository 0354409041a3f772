package dev.cotenant.interference.risk;

import static dev.cotenant.interference.risk.Jobs.LARGE;
import static dev.cotenant.interference.risk.Jobs.SMALL;
import static dev.cotenant.interference.risk.Jobs.THIRD;
import static dev.cotenant.interference.risk.Jobs.speed;
import static dev.cotenant.interference.risk.Jobs.tenant;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.interference.risk.RiskRule.Candidate;
import dev.cotenant.interference.risk.RiskRule.Choice;
import dev.cotenant.interference.risk.RiskRule.TrialOrder;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RiskRuleTest {
  private final RiskModel model = new RiskModel(Jobs.prior());
  private final RiskRule<String> rule =
      new RiskRule<>(model, new RiskBudget(0.1, 0.5, 0.1), TrialOrder.FULLEST);

  private static Candidate<String> gpu(String name, RiskTenant... tenants) {
    double fullness = List.of(tenants).stream().mapToDouble(t -> t.job().utilization()).sum();
    return new Candidate<>(name, Jobs.DEVICE, List.of(tenants), fullness);
  }

  private void measure(double speed, SharedJob one, SharedJob other) {
    for (int i = 0; i < 8; i++) {
      model.learn(speed(speed, one, other));
      model.learn(speed(speed, other, one));
    }
  }

  @Test
  void takesTheFullestGpuWithinTheBudget() {
    measure(1, SMALL, THIRD);
    measure(1, LARGE, THIRD);
    Optional<Choice<String>> choice =
        rule.choose(tenant(THIRD), List.of(gpu("a", tenant(SMALL)), gpu("b", tenant(LARGE))));

    assertThat(choice).map(Choice::gpu).contains("b");
    assertThat(choice).map(Choice::kind).contains(Choice.Kind.WITHIN_BUDGET);
  }

  @Test
  void theRiskOfEveryTenantCounts() {
    for (int i = 0; i < 8; i++) {
      model.learn(speed(1, THIRD, LARGE));
      model.learn(speed(0.7, LARGE, THIRD));
    }
    RiskRule<String> loose = new RiskRule<>(model, new RiskBudget(0.9, 0.9, 0), TrialOrder.FULLEST);

    assertThat(loose.choose(tenant(THIRD), List.of(gpu("a", tenant(LARGE))))).isEmpty();
    assertThat(rule.choose(tenant(THIRD), List.of(gpu("a", tenant(LARGE))))).isEmpty();
  }

  @Test
  void atMostATenthOfTheJobsIsOnATrial() {
    int trials = 0;
    for (int i = 0; i < 100; i++) {
      Optional<Choice<String>> choice =
          rule.choose(tenant(Jobs.job("new" + i, 0.5)), List.of(gpu("a", tenant(LARGE))));
      rule.placed(choice);
      trials += choice.isPresent() ? 1 : 0;
      assertThat(trials).isLessThanOrEqualTo((i + 1) / 10);
    }
    assertThat(trials).isEqualTo(10);
  }

  @Test
  void aMeasuredPairIsNotTriedAgain() {
    model.learn(speed(0.87, THIRD, LARGE));
    for (int i = 0; i < 9; i++) {
      rule.placed(Optional.empty()); // with the tenth comes the first trial
    }

    assertThat(rule.choose(tenant(THIRD), List.of(gpu("a", tenant(LARGE))))).isEmpty();
    assertThat(rule.choose(tenant(SMALL), List.of(gpu("a", tenant(LARGE))))).isPresent();
  }

  @Test
  void aTenantWhoToleratesNoSlowdownIsNeverTriedOn() {
    RiskTenant strict = new RiskTenant(LARGE, Slowdown.NONE);
    RiskRule<String> loose = new RiskRule<>(model, new RiskBudget(0.1, 1, 1), TrialOrder.FULLEST);

    assertThat(loose.choose(tenant(SMALL), List.of(gpu("a", strict)))).isEmpty();
    assertThat(loose.choose(strict, List.of(gpu("a", tenant(SMALL))))).isEmpty();
    assertThat(loose.choose(tenant(SMALL), List.of(gpu("a", tenant(LARGE))))).isPresent();
  }

  @Test
  void aTrialIsTheFullestOrTheLeastRiskOfAll() {
    SharedJob idle = Jobs.job("idle", 0.05);
    for (int i = 0; i < 8; i++) {
      model.learn(speed(0.9, LARGE, Jobs.job("other" + i, 0.9)));
      model.learn(speed(1, idle, Jobs.job("other" + i, 0.9)));
    }
    List<Candidate<String>> gpus = List.of(gpu("a", tenant(LARGE)), gpu("b", tenant(idle)));
    RiskBudget budget = new RiskBudget(0, 0.9, 1);

    assertThat(new RiskRule<String>(model, budget, TrialOrder.SAFEST).choose(tenant(SMALL), gpus))
        .map(Choice::gpu)
        .contains("b");
    assertThat(new RiskRule<String>(model, budget, TrialOrder.FULLEST).choose(tenant(SMALL), gpus))
        .map(Choice::gpu)
        .contains("a");
  }

  @Test
  void refusesBudgetsThatAreNoProbabilities() {
    assertThatThrownBy(() -> RiskBudget.withoutExploration(1.1))
        .hasMessageContaining("budget is 1.1");
    assertThatThrownBy(() -> new RiskBudget(0.3, 0.2, 0)).hasMessageContaining("risk of a trial");
    assertThatThrownBy(() -> new RiskBudget(0.1, 0.2, 2)).hasMessageContaining("share of trials");
  }
}
