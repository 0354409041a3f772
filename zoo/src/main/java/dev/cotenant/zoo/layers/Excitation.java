package dev.cotenant.zoo.layers;

/**
 * Squeeze-and-excitation [Hu et al., CVPR 2018].
 *
 * @param squeezed channels between its two layers
 * @param activation after the first
 * @param gate after the second
 */
public record Excitation(int squeezed, Activation activation, Activation gate) {}
