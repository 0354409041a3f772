/** Published results on inference services in partitions: iGniter, gpu-lets, InSS. */
@NullMarked
package dev.cotenant.lab.serving;

import org.jspecify.annotations.NullMarked;
