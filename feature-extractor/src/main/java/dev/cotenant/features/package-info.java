/** ONNX file to graph features, without loading weights. */
@NullMarked
package dev.cotenant.features;

import org.jspecify.annotations.NullMarked;
