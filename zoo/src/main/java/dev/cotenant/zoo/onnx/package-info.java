/** A graph under construction and the ONNX messages that it is written as. */
@NullMarked
package dev.cotenant.zoo.onnx;

import org.jspecify.annotations.NullMarked;
