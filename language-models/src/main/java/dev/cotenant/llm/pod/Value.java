package dev.cotenant.llm.pod;

/**
 * A setting as it was read.
 *
 * @param text its value
 * @param source where it was read, such as {@code args}, {@code image} or {@code env MODEL_ID}
 */
public record Value(String text, String source) {}
