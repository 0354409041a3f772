/** The scenarios of the gpu-lets paper, planned by the strategies that it compares. */
@NullMarked
package dev.cotenant.lab.gpulets;

import org.jspecify.annotations.NullMarked;
