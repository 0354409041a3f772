package dev.cotenant.e2e.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static dev.cotenant.e2e.architecture.Modules.CLASSES;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GatePackagesTest {
  /** The gate's packages from the top; each may import those after it. */
  private static final List<String> GATE =
      List.of(
          "dev.cotenant.admission.gate",
          "dev.cotenant.admission.gate.cycle",
          "dev.cotenant.admission.gate.events",
          "dev.cotenant.admission.gate.write",
          "dev.cotenant.admission.gate.persistence",
          "dev.cotenant.admission.gate.state",
          "dev.cotenant.admission.gate.port");

  private static final int MAX_TYPES = 25;

  @ParameterizedTest
  @MethodSource("gatePackages")
  void packagesOfTheGateImportOneWay(int index) {
    noClasses()
        .that()
        .resideInAPackage(GATE.get(index))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(GATE.subList(0, index).toArray(String[]::new))
        .allowEmptyShould(index == 0)
        .check(CLASSES);
  }

  static IntStream gatePackages() {
    return IntStream.range(0, GATE.size());
  }

  @Test
  void theGateHasNoOtherPackagesAndNoneIsLarge() {
    Map<String, Long> types =
        CLASSES.stream()
            .filter(type -> type.getPackageName().startsWith(GATE.getFirst()))
            .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));

    assertThat(types.keySet()).containsExactlyInAnyOrderElementsOf(GATE);
    assertThat(types.values())
        .allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(MAX_TYPES));
  }

  @Test
  void othersEnterTheGateAtItsRoot() {
    noClasses()
        .that()
        .resideOutsideOfPackage(GATE.getFirst() + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(GATE.subList(1, GATE.size() - 1).toArray(String[]::new))
        .check(CLASSES);
  }

  @Test
  void theStateOfTheGateChangesThroughMethodsAlone() {
    fields()
        .that()
        .areDeclaredInClassesThat()
        .resideInAPackage("dev.cotenant.admission.gate.state")
        .and()
        .areNotStatic()
        .should()
        .bePrivate()
        .check(CLASSES);
  }
}
