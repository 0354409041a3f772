/** The scenarios of the gpu-lets paper, planned by the strategies that it compares. */
@NullMarked
package dev.cotenant.simulator.gpulets;

import org.jspecify.annotations.NullMarked;
