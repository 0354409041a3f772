/** Layers that networks are made of, written as the PyTorch exporter writes them. */
@NullMarked
package dev.cotenant.zoo.layers;

import org.jspecify.annotations.NullMarked;
