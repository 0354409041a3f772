/** Which partition of a service is to run on which GPU, and how it gets there. */
@NullMarked
package dev.cotenant.serving.deployment;

import org.jspecify.annotations.NullMarked;
