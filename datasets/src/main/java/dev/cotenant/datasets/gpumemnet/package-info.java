/** Importer of GPUMemNet: random multi-layer perceptrons and convolutional networks on an A100. */
@NullMarked
package dev.cotenant.datasets.gpumemnet;

import org.jspecify.annotations.NullMarked;
