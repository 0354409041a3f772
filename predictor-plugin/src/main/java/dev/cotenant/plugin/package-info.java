/** Regressors that users bring as ONNX files, run by ONNX Runtime. */
@NullMarked
package dev.cotenant.plugin;

import org.jspecify.annotations.NullMarked;
