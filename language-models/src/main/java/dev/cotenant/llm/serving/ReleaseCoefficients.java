package dev.cotenant.llm.serving;

/** Coefficients by release of vLLM: the shipped ones, or what an installation has learned. */
public interface ReleaseCoefficients {
  /** Whether learned coefficients are in force for a release. */
  boolean isPromoted(VllmVersion version);

  /** The coefficients in force for a release. */
  ServingCoefficients coefficients(VllmVersion version);
}
