package dev.cotenant.admission.pod;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.pod.GpuDialect.MemoryField;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.testing.GeneratedPart;
import dev.cotenant.domain.workload.MemoryResource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of dialects say what the code says. */
class DialectPageTest {
  private static final String WHOLE = '`' + GpuDialect.WHOLE_GPUS + '`';

  @Test
  void saysHowADialectIsRead() {
    check(
        "docs/kubernetes.md",
        "| dialect | resources or annotations | memory is | a fraction of |",
        GpuDialect.values(),
        dialect ->
            dialect
                .memoryField()
                .map(field -> read(dialect, field))
                .orElse(
                    dialect == GpuDialect.DRA
                        ? "annotation `"
                            + CotenantAnnotations.RESOURCE_CLAIM
                            + "`, without any request above | | one GPU"
                        : words(GpuDialects.names(dialect)) + " | | "));
  }

  private static String read(GpuDialect dialect, MemoryField field) {
    String names =
        (dialect.isAnnotated() ? "annotations " : "")
            + (isBesideWhole(field) ? WHOLE + " with " : "")
            + words(
                Stream.concat(field.names().stream(), Stream.ofNullable(field.container()))
                    .toList());
    String whole = (dialect.isAnnotated() ? "1" : "100") + (field.isSum() ? " a GPU" : "");
    return names + " | " + unit(field) + " | " + (field.shares().isEmpty() ? "" : whole);
  }

  @Test
  void saysHowADialectIsWritten() {
    check(
        "docs/right-sizing.md",
        "| dialect | memory is missing without | written | unit | share of compute | enforced by"
            + " its owner |",
        Stream.of(GpuDialect.values())
            .filter(dialect -> dialect.memoryField().isPresent())
            .toArray(GpuDialect[]::new),
        dialect -> written(dialect, dialect.memoryField().orElseThrow()));
  }

  private static String written(GpuDialect dialect, MemoryField field) {
    return String.join(
        " | ",
        (dialect.isAnnotated() ? "annotations " : "") + words(field.stated("NAME")),
        '`' + field.name() + '`' + beside(field),
        unit(field),
        Optional.ofNullable(field.core()).map(core -> '`' + core + '`').orElse(""),
        switch (field.enforced()) {
          case ALWAYS -> "always";
          case BY_LABEL -> "with the label `" + GpuDialect.ISOLATION_LABEL + '`';
          case NEVER -> "no";
        });
  }

  private static String beside(MemoryField field) {
    String number = " `" + field.number() + '`';
    String more =
        switch (field.numbering()) {
          case BESIDE_WHOLE -> " beside" + number;
          case ONLY_ONE -> "; one GPU alone";
          case FROM_TWO, FROM_TWO_IN_SUM -> ", from two GPUs on" + number;
          case ALWAYS -> " and" + number;
        };
    return field.container() == null ? more : " with `" + field.container() + '`' + more;
  }

  @Test
  void measuresRequestsByTheNamesThatReadThem() {
    assertThat(GpuDialect.memoryResources())
        .contains(
            new MemoryResource("nvidia.com/gpumem", MemorySize.MIB, false),
            new MemoryResource("koordinator.sh/gpu-memory", 1, true),
            new MemoryResource("koordinator.sh/gpu", 0, true))
        .noneMatch(resource -> resource.name().startsWith("gpu-"));
  }

  private static boolean isBesideWhole(MemoryField field) {
    return field.numbering() == GpuDialect.Numbering.BESIDE_WHOLE;
  }

  private static String unit(MemoryField field) {
    String unit =
        field.unitBytes() == MemorySize.MIB
            ? "MiB"
            : field.unitBytes() == MemorySize.GIB ? "GiB" : "bytes";
    return switch (field.numbering()) {
      case FROM_TWO_IN_SUM -> unit + " over all GPUs";
      case ONLY_ONE -> unit;
      case BESIDE_WHOLE, FROM_TWO, ALWAYS -> unit + " a GPU";
    };
  }

  private static String words(List<String> names) {
    return names.stream().map(name -> '`' + name + '`').collect(joining(", "));
  }

  private static void check(
      String page,
      String header,
      GpuDialect[] dialects,
      java.util.function.Function<GpuDialect, String> row) {
    String rule = "|---".repeat((int) header.chars().filter(c -> c == '|').count() - 1) + '|';
    GeneratedPart.check(
        page,
        "DialectPageTest",
        Stream.concat(
                Stream.of(header, rule),
                Stream.of(dialects)
                    .map(dialect -> "| `" + dialect.word() + "` | " + row.apply(dialect) + " |"))
            .toList());
  }
}
