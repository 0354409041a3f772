package dev.cotenant.e2e.architecture;

import static dev.cotenant.e2e.architecture.Modules.CLASSES;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One convention for the names of bounds. */
class NamesTest {
  private static final String MAX_OR_MIN =
      "(MOST|FEWEST|LEAST|GREATEST|LONGEST|LARGEST|SHORTEST|SMALLEST)(_[A-Z0-9_]+)?";

  private static List<JavaField> fields() {
    return CLASSES.stream()
        .filter(type -> type.getPackageName().startsWith(Modules.ROOT))
        .flatMap(type -> type.getFields().stream())
        .toList();
  }

  /** Orders, texts and the values of an enum bound nothing. */
  private static boolean canBound(JavaField field) {
    JavaClass type = field.getRawType();
    return !type.isAssignableTo(Comparator.class)
        && !type.isEquivalentTo(String.class)
        && !type.isEnum();
  }

  @Test
  void boundsAreNamedMaxOrMin() {
    assertThat(fields()).hasSizeGreaterThan(1000);
    assertThat(fields())
        .filteredOn(field -> field.getName().matches(MAX_OR_MIN) && canBound(field))
        .isEmpty();
  }
}
