package dev.cotenant.admission.pod;

import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.PlainText;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * A pod's request on one line, in one form for every dialect, for people and tools:
 *
 * <pre>dialect=hami gpus=1 memory=8192Mi compute=30% container=server</pre>
 *
 * <p>Memory is that of each GPU, as a Kubernetes quantity or a share of the GPU; memory and compute
 * are absent where the pod declares none. The container is the rest of the line, the first one with
 * a request.
 */
public final class NormalisedRequest {
  private static final int PERCENT_DIGITS = 3;

  private NormalisedRequest() {}

  public static String of(Colocatable pod) {
    GpuRequest gpu = pod.gpu();
    StringBuilder line = new StringBuilder();
    line.append("dialect=").append(gpu.dialect().word()).append(" gpus=").append(gpu.gpus());
    pod.declaredMemory().ifPresent(memory -> line.append(" memory=").append(words(memory)));
    if (gpu.compute() != null) {
      line.append(" compute=").append(percent(gpu.compute().percent()));
    }
    return line.append(" container=").append(PlainText.of(gpu.container())).toString();
  }

  private static String words(DeclaredMemory declared) {
    return switch (declared) {
      case DeclaredMemory.Amount(MemorySize memory) -> quantity(memory);
      case DeclaredMemory.FractionOfGpu(double fraction) -> percent(fraction * 100);
    };
  }

  /** Exactly, in MiB where that is a whole number, as most are. */
  private static String quantity(MemorySize memory) {
    long bytes = memory.bytes();
    return bytes % MemorySize.MIB == 0 ? bytes / MemorySize.MIB + "Mi" : String.valueOf(bytes);
  }

  private static String percent(double percent) {
    return BigDecimal.valueOf(percent)
            .setScale(PERCENT_DIGITS, RoundingMode.HALF_UP)
            .stripTrailingZeros()
            .toPlainString()
        + "%";
  }
}
