package dev.cotenant.service.devices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceFile;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.service.supervision.LoopFaults;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DeviceWatchTest {
  private static final String CMP =
      "cmp-170hx,NVIDIA CMP 170HX,8192,35.0,,35.0,70.0,70.0,600,80,6144,300,data sheet";
  private static final String HEADER = DeviceFile.write(List.of()).getFirst();

  @TempDir private Path folder = Path.of("");
  private Path file = Path.of("");
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final Engine engine = Engine.lazy(EngineSettings.DEFAULT);
  private final AtomicInteger replacements = new AtomicInteger();
  private final Messages messages = new Messages();

  /** The formatted log messages of the class. */
  private static final class Messages extends Handler {
    private final List<String> lines = new ArrayList<>();

    @Override
    public void publish(@Nullable LogRecord entry) {
      if (entry != null) {
        Object[] parameters = entry.getParameters();
        String text = entry.getMessage();
        lines.add(parameters == null || parameters.length == 0 ? text : text.formatted(parameters));
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void listen() {
    file = folder.resolve("devices.csv");
    write(HEADER);
    Logger.getLogger(DeviceWatch.class.getName()).addHandler(messages);
  }

  @AfterEach
  void hush() {
    Logger.getLogger(DeviceWatch.class.getName()).removeHandler(messages);
  }

  /** Replaces the file at once, as the kubelet replaces the files of a ConfigMap. */
  private void write(String... lines) {
    try {
      Path next = Files.writeString(folder.resolve("next"), String.join("\n", lines));
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private DeviceWatch watch(Policies policies) {
    return new DeviceWatch(
        new KnownDevices(Optional.of(file), policies),
        engine,
        replacements::incrementAndGet,
        meters);
  }

  private DeviceWatch watch() {
    return watch(Policies.of(policy(Map.of())));
  }

  private static Policy policy(Map<DeviceId, SharingLimits> exceptions) {
    return Policy.DEFAULT.with(
        copy -> copy.limits = new DeviceLimits(SharingLimits.DEFAULT, exceptions));
  }

  private double failures() {
    return meters.counter("cotenant.devices.reload.failures").count();
  }

  @Test
  void replacesTheCatalogueOnceTheFileHasChanged() {
    DeviceWatch watch = watch();
    watch.look();
    assertThat(replacements).hasValue(0);
    DeviceCatalogue before = engine.devices();

    write(HEADER, CMP);
    watch.look();
    watch.look();

    assertThat(engine.devices().require("cmp-170hx").productName()).isEqualTo("NVIDIA CMP 170HX");
    assertThat(before.find("cmp-170hx")).isEmpty();
    assertThat(replacements).hasValue(1);
    assertThat(failures()).isZero();
  }

  @Test
  void forgetsDevicesThatTheFileNoLongerHas() {
    write(HEADER, CMP);
    DeviceWatch watch = watch();
    watch.look();

    write(HEADER);
    watch.look();

    assertThat(engine.devices().find("cmp-170hx")).isEmpty();
    assertThat(engine.devices().find("t4")).isPresent();
    assertThat(replacements).hasValue(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "x,NVIDIA CMP,lots,35,,35,70,70,600,80,6144,300,x | :3: memory_mib 'lots' is not a whole"
            + " number",
        "x,NVIDIA CMP | :3: the line has 2 columns instead of 13",
      })
  void refusesABrokenFileWithLineAndReason(String line, String reason) {
    DeviceWatch watch = watch();
    write(HEADER, CMP);
    watch.look();

    write(HEADER, CMP.replace("cmp-170hx", "other"), line);
    watch.look();
    watch.look();

    assertThat(engine.devices().find("cmp-170hx")).isPresent();
    assertThat(engine.devices().find("other")).isEmpty();
    assertThat(failures()).isEqualTo(2);
    assertThat(messages.lines.stream().filter(text -> text.contains(file + reason))).hasSize(1);
  }

  @Test
  void refusesAFileThatIsGone() throws IOException {
    write(HEADER, CMP);
    DeviceWatch watch = watch();
    watch.look();

    Files.delete(file);
    watch.look();

    assertThat(engine.devices().find("cmp-170hx")).isPresent();
    assertThat(failures()).isEqualTo(1);
  }

  @Test
  void refusesAFileWithoutADeviceThatAPolicyNames() {
    write(HEADER, CMP);
    Policies policies =
        Policies.of(policy(Map.of(new DeviceId("cmp-170hx"), SharingLimits.DEFAULT)));
    DeviceWatch watch = watch(policies);
    watch.look();

    write(HEADER);
    watch.look();

    assertThat(engine.devices().find("cmp-170hx")).isPresent();
    assertThat(messages.lines).anyMatch(text -> text.contains("cotenant.policy.devices.cmp-170hx"));
    assertThatThrownBy(new KnownDevices(Optional.of(file), policies)::read)
        .isInstanceOf(InputException.class);
  }

  @ParameterizedTest
  @EnumSource
  void isHealedOrEndsTheProcess(Fault.Kind kind) {
    LoopFaults faults = new LoopFaults("devices", kind);
    DeviceWatch watch =
        new DeviceWatch(
            new KnownDevices(Optional.of(file), Policies.of(policy(Map.of()))),
            engine,
            () -> {
              faults.strike();
              replacements.incrementAndGet();
            },
            meters);
    write(HEADER, CMP);
    Loop loop = watch.begin(Duration.ofMillis(5), faults.process().supervisor);

    faults.assertHealed(Duration.ZERO);
    if (faults.isSurvived()) {
      write(HEADER);
      Eventually.holds("it looks again", () -> engine.devices().find("cmp-170hx").isEmpty());
    }
    loop.close();
  }
}
