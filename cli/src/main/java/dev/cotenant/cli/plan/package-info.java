/** Plans of whole fleets. */
@NullMarked
package dev.cotenant.cli.plan;

import org.jspecify.annotations.NullMarked;
