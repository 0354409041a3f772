package dev.cotenant.e2e.architecture;

import static dev.cotenant.e2e.architecture.Modules.CLASSES;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Packages stay small enough to be read as one list. */
class PackageSizeTest {
  private static final long MAX_TYPES = 25;

  @Test
  void noPackageHasMoreThanTwentyFiveTypes() {
    Map<String, Long> types =
        CLASSES.stream()
            .filter(type -> type.getPackageName().startsWith(Modules.ROOT))
            .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));

    assertThat(types).hasSizeGreaterThan(100);
    assertThat(types.entrySet()).filteredOn(entry -> entry.getValue() > MAX_TYPES).isEmpty();
  }
}
