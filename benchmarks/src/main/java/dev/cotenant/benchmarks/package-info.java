/** How long reading and measuring a graph takes, next to ONNX Runtime. */
@NullMarked
package dev.cotenant.benchmarks;

import org.jspecify.annotations.NullMarked;
