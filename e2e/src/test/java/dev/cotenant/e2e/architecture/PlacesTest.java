package dev.cotenant.e2e.architecture;

import static dev.cotenant.e2e.architecture.Modules.CLASSES;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** In how many classes a developer adds what CONTRIBUTING.md counts. */
class PlacesTest {
  static Stream<Class<?>> reasonsOfSharing() {
    return Stream.of(Reason.OfSharing.class.getPermittedSubclasses());
  }

  private static Set<String> classesThatName(Class<?> type) {
    return CLASSES.get(type).getDirectDependenciesToSelf().stream()
        .map(dependency -> dependency.getOriginClass())
        .map(Modules::outermost)
        .collect(Collectors.toSet());
  }

  /** Besides the record: the check, its numbers in JSON, and what callers may not see of it. */
  @ParameterizedTest
  @MethodSource("reasonsOfSharing")
  void aReasonOfSharingIsInThreeClassesBesideItsRecord(Class<?> reason) {
    assertThat(classesThatName(reason)).hasSize(3);
  }

  /** The limits themselves, and their configuration. */
  @Test
  void aLimitIsInTwoClasses() {
    JavaClass limits = CLASSES.get(SharingLimits.class);

    assertThat(
            limits.getConstructorCallsToSelf().stream()
                .map(call -> Modules.outermost(call.getOriginOwner()))
                .distinct())
        .containsExactlyInAnyOrder(
            limits.getName(), "dev.cotenant.service.configuration.LimitsConfiguration");
  }
}
