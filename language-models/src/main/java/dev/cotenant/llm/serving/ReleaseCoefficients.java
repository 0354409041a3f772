package dev.cotenant.llm.serving;

/** Coefficients by release of vLLM: the shipped ones, or what an installation has learnt. */
public interface ReleaseCoefficients {
  /** Whether learnt coefficients are in force for a release. */
  boolean isPromoted(VllmVersion version);

  /** The coefficients in force for a release. */
  ServingCoefficients coefficients(VllmVersion version);
}
