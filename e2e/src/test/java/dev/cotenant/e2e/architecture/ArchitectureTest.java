package dev.cotenant.e2e.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static dev.cotenant.e2e.architecture.Modules.CLASSES;
import static dev.cotenant.e2e.architecture.Modules.ROOT;
import static dev.cotenant.e2e.architecture.Modules.arrows;
import static dev.cotenant.e2e.architecture.Modules.isIn;
import static dev.cotenant.e2e.architecture.Modules.names;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The arrows of docs/architecture.md, checked on what all modules were compiled to. */
class ArchitectureTest {
  private static final List<String> ALGORITHMS =
      List.of(
          "domain",
          "learning",
          "llm",
          "features",
          "predictor",
          "forecast",
          "interference",
          "placement",
          "serving");

  @ParameterizedTest
  @MethodSource("dev.cotenant.e2e.architecture.Modules#names")
  void everyModuleWasCompiled(String module) {
    assertThat(CLASSES.stream().map(JavaClass::getPackageName))
        .as("build all modules, this test looks at every one's target/classes")
        .anyMatch(name -> isIn(module, name));
  }

  @ParameterizedTest
  @MethodSource("dev.cotenant.e2e.architecture.Modules#names")
  void dependsOnlyOnWhatItMay(String module) {
    String[] forbidden =
        names().stream()
            .filter(other -> !other.equals(module) && !arrows(module).contains(other))
            .map(other -> ROOT + other + "..")
            .toArray(String[]::new);

    noClasses()
        .that()
        .resideInAPackage(ROOT + module + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden)
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @ParameterizedTest
  @MethodSource("dev.cotenant.e2e.architecture.Modules#names")
  void packagesOfAModuleHaveNoCycles(String module) {
    slices().assignedFrom(new PackagesOf(module)).should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void algorithmsKnowNoFramework() {
    String[] algorithms =
        ALGORITHMS.stream().map(module -> ROOT + module + "..").toArray(String[]::new);

    noClasses()
        .that()
        .resideInAnyPackage(algorithms)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.quarkus..",
            "io.smallrye..",
            "io.vertx..",
            "io.micrometer..",
            "jakarta..",
            "org.eclipse.microprofile..",
            "com.fasterxml.jackson.databind..",
            "com.fasterxml.jackson.annotation..",
            "io.fabric8..",
            "picocli..")
        .check(CLASSES);
  }

  @Test
  void onlyLearnersKnowSmile() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.cotenant.evaluation.learner..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("smile..")
        .check(CLASSES);
  }

  @Test
  void onlyTheModulesForThemKnowNativeLibraries() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "dev.cotenant.evaluation.compare..", "dev.cotenant.evaluation.learner..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.tribuo..", "ml.dmlc..", "io.github.metarank..", "com.microsoft..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.cotenant.plugin..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("ai.onnxruntime..")
        .check(CLASSES);
  }

  /** The service's build refuses the libraries by name; here its modules and those it reaches. */
  @Test
  void theServiceReachesNoCodeOfSmileTribuoOrOnnxRuntime() {
    String[] reached =
        Stream.concat(Stream.of("service"), arrows("service").stream())
            .map(module -> ROOT + module + "..")
            .toArray(String[]::new);

    assertThat(arrows("service")).doesNotContain("evaluation", "lab", "datasets", "zoo", "plugin");
    noClasses()
        .that()
        .resideInAnyPackage(reached)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "smile..", "org.tribuo..", "ai.onnxruntime..", ROOT + "evaluation..", ROOT + "plugin..")
        .check(CLASSES);
  }

  /** admission-kubernetes is a module of its own, in a package of admission's. */
  @Test
  void onlyTheModuleForItKnowsKubernetes() {
    String module = "dev.cotenant.admission.kubernetes..";

    assertThat(CLASSES.stream().map(JavaClass::getPackageName))
        .anyMatch("dev.cotenant.admission.kubernetes"::equals);
    noClasses()
        .that()
        .resideOutsideOfPackage(module)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.fabric8..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("dev.cotenant.admission..")
        .and()
        .resideOutsideOfPackage(module)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(module)
        .check(CLASSES);
  }

  @Test
  void onlyTheServiceKnowsQuarkus() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.cotenant.service..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.quarkus..", "io.vertx..", "jakarta..")
        .check(CLASSES);
  }

  @Test
  void onlyTracingKnowsOpenTelemetry() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.cotenant.service.tracing..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.opentelemetry..")
        .check(CLASSES);
  }

  @Test
  void everyClassBelongsToAModule() {
    classes()
        .should()
        .resideInAnyPackage(
            names().stream().map(module -> ROOT + module + "..").toArray(String[]::new))
        .check(CLASSES.that(DescribedPredicate.describe("are ours", ArchitectureTest::isOurs)));
  }

  private static boolean isOurs(JavaClass type) {
    return type.getPackageName().startsWith(ROOT);
  }

  /** Every package of a module is a slice of its own, the module's root package included. */
  private record PackagesOf(String module) implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      String name = type.getPackageName();
      return isIn(module, name) ? SliceIdentifier.of(name) : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "packages of " + module;
    }
  }
}
