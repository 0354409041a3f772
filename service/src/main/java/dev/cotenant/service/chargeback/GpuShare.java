package dev.cotenant.service.chargeback;

import java.util.Locale;

/**
 * A part of the memory of one GPU.
 *
 * @param gpu its uuid
 * @param node its node
 * @param product its id in the catalogue, {@code a100-80gb}
 * @param namespace of who has the part; empty for nobody, and where that is not known
 * @param pod its name; empty as that is
 * @param part what the part is
 * @param ratio of the memory that workloads can use, from 0 to 1
 */
record GpuShare(
    String gpu,
    String node,
    String product,
    String namespace,
    String pod,
    Part part,
    double ratio) {
  /** Kind of a part, in order; each excludes the preceding kinds. */
  enum Part {
    /** Memory in use. */
    USED,
    /** The upper bound of the grant, which nobody else may take. */
    BOUNDED,
    /** What the pod requests: the whole GPU where it has it alone. */
    REQUESTED,
    /** Nobody's. */
    IDLE;

    /** The value of the label {@code part}. */
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
