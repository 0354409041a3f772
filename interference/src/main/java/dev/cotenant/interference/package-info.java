/** What colocated workloads do to each other. */
@NullMarked
package dev.cotenant.interference;

import org.jspecify.annotations.NullMarked;
