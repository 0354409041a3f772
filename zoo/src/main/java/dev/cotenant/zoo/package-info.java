/** Writes well-known architectures as ONNX graphs that carry shapes and no weights. */
@NullMarked
package dev.cotenant.zoo;

import org.jspecify.annotations.NullMarked;
