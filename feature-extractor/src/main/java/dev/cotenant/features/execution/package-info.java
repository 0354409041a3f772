/** How a graph runs on a device: kernels, their order, the bytes they move and keep. */
@NullMarked
package dev.cotenant.features.execution;

import org.jspecify.annotations.NullMarked;
