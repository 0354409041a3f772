/** The planners of the gpu-lets paper: elastic partitioning and what it is compared with. */
@NullMarked
package dev.cotenant.placement.glet;

import org.jspecify.annotations.NullMarked;
