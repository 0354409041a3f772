package dev.cotenant.service.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.policy.Filling;
import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.Measuring;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.admission.policy.TrustScope;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyConfigurationTest {
  private static final DeviceId T4 = new DeviceId("t4");
  private static final DeviceId V100 = new DeviceId("v100-16gb");

  private static Policies read(String... keysAndValues) {
    Map<String, String> properties = new TreeMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      properties.put("cotenant." + keysAndValues[i], keysAndValues[i + 1]);
    }
    return ConfigurationTest.read(properties).policies();
  }

  @Test
  void givesEveryNamespaceTheStandardPolicyByDefault() {
    Policies policies = read();
    assertThat(policies.byNamespace()).isEmpty();
    assertThat(policies.of("anywhere")).isSameAs(policies.standard());
  }

  @Test
  void givesANamedPolicyWhatItSaysAndTheStandardPolicysForTheRest() {
    Policies policies =
        read(
            "policy.mode", "warn",
            "policy.max-wait", "1h",
            "policy.scheduler-name", "cotenant-scheduler",
            "policy.limits.tenants", "2",
            "policies.research.namespaces", "team-a,team-b",
            "policies.research.mode", "enforce",
            "policies.research.unknown-models", "unmanaged",
            "policies.research.gpu-assignment", "hami",
            "policies.research.stale-metrics", "exclusive",
            "policies.research.ordering", "largest-memory-first",
            "policies.research.ageing", "30s",
            "policies.research.max-skips", "0",
            "policies.research.fallback", "unmanaged",
            "policies.research.out-of-memory", "resubmit",
            "policies.research.unschedulable", "resubmit",
            "policies.research.preemption", "never",
            "policies.research.trust-domain", "research",
            "policies.research.engine-budget", "write",
            "policies.research.fill-target", "hami",
            "policies.research.profiling", "unknown-first",
            "policies.research.profile-time", "2m",
            "policies.research.claims.sharing", "time-slicing",
            "policies.research.limits.slowdown", "1.5",
            "policies.sandbox.namespaces", "play",
            "policies.sandbox.mode", "off");
    Policy research = policies.of("team-b");
    assertThat(research)
        .isEqualTo(
            new Policy(
                "research",
                Mode.ENFORCE,
                research.limits(),
                new Policy.Queue(
                    Policy.Ordering.LARGEST_MEMORY_FIRST,
                    Duration.ofSeconds(30),
                    0,
                    Duration.ofHours(1),
                    Policy.Fallback.UNMANAGED),
                Policy.StaleMetrics.EXCLUSIVE,
                Policy.UnknownModels.UNMANAGED,
                Policy.GpuAssignment.HAMI,
                Policy.OutOfMemory.RESUBMIT,
                Policy.Unschedulable.RESUBMIT,
                new ClaimSharing.TimeSlicing(),
                Policy.Preemption.NEVER,
                null,
                Policy.EngineBudget.WRITE,
                new TrustScope("research"),
                new Measuring(
                    Measuring.Profiling.UNKNOWN_FIRST,
                    Duration.ofMinutes(2),
                    GuardRules.DEFAULT,
                    null),
                new Filling(GpuDialect.HAMI, 2, Filling.Scope.PODS)));
    assertThat(research.limits().standard().tenants()).isEqualTo(2);
    assertThat(research.limits().standard().slowdown().ratio()).isEqualTo(1.5);
    assertThat(policies.of("team-a")).isEqualTo(research);
    assertThat(policies.of("play").mode()).isEqualTo(Mode.OFF);
    assertThat(policies.of("other").mode()).isEqualTo(Mode.WARN);
    assertThat(policies.of("play").schedulerName()).isEqualTo("cotenant-scheduler");
  }

  /**
   * Of the limits on a T4 in namespace play: tenants are its own policy's for T4, slowdown its own
   * policy's everywhere, headroom the standard policy's.
   */
  @Test
  void givesProductsLimitsOfTheirOwn() {
    Policies policies =
        read(
            "policy.limits.memory-headroom-percent", "7",
            "policy.devices.t4.tenants", "2",
            "policy.devices.v100-16gb.utilization-percent", "80",
            "policies.sandbox.namespaces", "play",
            "policies.sandbox.limits.slowdown", "1.3",
            "policies.sandbox.devices.t4.tenants", "5");
    assertThat(policies.standard().limits().on(T4).tenants()).isEqualTo(2);
    assertThat(policies.standard().limits().on(new DeviceId("a10")).tenants()).isEqualTo(3);
    assertThat(policies.of("play").limits().on(T4).tenants()).isEqualTo(5);
    assertThat(policies.of("play").limits().on(T4).slowdown().ratio()).isEqualTo(1.3);
    assertThat(policies.of("play").limits().on(T4).memoryHeadroomFraction()).isEqualTo(0.07);
    assertThat(policies.of("play").limits().on(V100).summedUtilization().percent()).isEqualTo(80);
    assertThat(policies.of("play").limits().on(V100).slowdown().ratio()).isEqualTo(1.3);
    assertThatCode(() -> PolicyDevices.require(policies, DeviceCatalogue.builtIn()))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({"t5", "v100"})
  void namesTheProductThatDoesNotExist(String device) {
    Policies policies =
        read("policies.p.namespaces", "play", "policies.p.devices." + device + ".tenants", "1");
    assertThatThrownBy(() -> PolicyDevices.require(policies, DeviceCatalogue.builtIn()))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("cotenant.policies.p.devices." + device + " must be ");
  }

  @ParameterizedTest
  @CsvSource({
    "policy.mode, on, enforce",
    "policy.unknown-models, refuse, deny",
    "policy.gpu-assignment, magic, visible-devices",
    "policy.stale-metrics, ignore, allow",
    "policy.ordering, fifo, largest-memory-first",
    "policy.fallback, deny, unmanaged",
    "policies.p.mode, on, shadow",
  })
  void namesTheKeyTheValueAndTheChoices(String key, String value, String choice) {
    assertThatThrownBy(() -> read("policies.p.namespaces", "n", key, value))
        .hasMessageContaining("cotenant." + key + " ")
        .hasMessageContaining('"' + value + '"')
        .hasMessageContaining(choice);
  }

  @ParameterizedTest
  @CsvSource({
    "policy.ageing, 0s",
    "policy.max-skips, -1",
    "policy.max-wait, 0s",
    "policy.devices.t4.tenants, 0",
    "policies.p.max-wait, 0s",
    "policies.p.limits.slowdown, 0.5",
    "policies.p.devices.t4.coverage-percent, 101",
  })
  void namesTheKeyThatIsOutOfRange(String key, String value) {
    assertThatThrownBy(() -> read("policies.p.namespaces", "n", key, value))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("cotenant." + key + " must ")
        .message()
        .hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({
    "sharing, mps, thread-percent, 101, claims.thread-percent must be",
    "sharing, mps, memory-limit, 1K, claims.memory-limit must be at least 1 MiB",
    "sharing, time-slicing, thread-percent, 50, claims.sharing must be mps with limits",
    "sharing, none, memory-limit, 1G, claims.sharing must be mps with limits",
  })
  void refusesLimitsThatNoClientOfAClaimHas(
      String key, String value, String limit, String of, String why) {
    assertThatThrownBy(() -> read("policy.claims." + key, value, "policy.claims." + limit, of))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(why);
  }

  @Test
  void givesANamedPolicyASchedulerOfItsOwn() {
    Policies policies =
        read("policies.p.namespaces", "n", "policies.p.scheduler-name", "gpu.example.com");
    assertThat(policies.of("n").schedulerName()).isEqualTo("gpu.example.com");
    assertThat(policies.standard().schedulerName()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "policy.scheduler-name, Mine, DNS-1123",
    "policy.scheduler-name, a b, DNS-1123",
    "policies.p.scheduler-name, a..b, DNS-1123",
    "policies.hami.scheduler-name, mine, HAMi's own scheduler",
    "policies.dra.scheduler-name, mine, the claim selects the GPU",
  })
  void refusesASchedulerThatCannotPlaceThePods(String key, String value, String why) {
    assertThatThrownBy(() ->
            read(
                "policies.p.namespaces",
                "n",
                "policies.hami.namespaces",
                "h",
                "policies.hami.gpu-assignment",
                "hami",
                "policies.dra.namespaces",
                "d",
                "policies.dra.gpu-assignment",
                "dra",
                key,
                value))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("cotenant." + key + " must be ")
        .hasMessageContaining("is '" + value + "'")
        .hasMessageContaining(why)
        .message()
        .hasLineCount(1);
  }

  @Test
  void refusesTwoPoliciesForOneNamespace() {
    assertThatThrownBy(() -> read("policies.a.namespaces", "n", "policies.b.namespaces", "m,n"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("cotenant.policies.b.namespaces must not name 'n'")
        .hasMessageContaining("policy a");
  }

  @Test
  void refusesAPolicyOfTheStandardPolicysName() {
    assertThatThrownBy(() -> read("policies.default.namespaces", "n"))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("cotenant.policies.default must ");
  }

  /** Immediate is the default of the standard policy. */
  @Test
  void refusesToKeepGrantsInTwoPlaces() {
    assertThatThrownBy(() -> read("policies.a.namespaces", "n", "policies.a.mode", "enforce"))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("cotenant.policies must fit cotenant.policy.mode");
  }

  @ParameterizedTest(name = "{0}={1}")
  @CsvSource({
    "guard-time, 59s, must be from PT1M to PT1H",
    "guard-time, 61m, must be from PT1M to PT1H",
    "guard-evictions-per-hour, -1, must be from 0 to 1000",
    "guard-evictions-per-hour, 1001, must be from 0 to 1000",
    "speed-query, sum(up), must have LABEL=",
  })
  void refusesAGuardOutOfRange(String key, String value, String why) {
    assertThatThrownBy(() -> read("policy." + key, value))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("cotenant.policy." + key + " " + why);
  }
}
