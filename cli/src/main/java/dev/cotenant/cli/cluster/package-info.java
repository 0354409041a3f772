/** Commands about clusters: memory forecasts and decisions about pods. */
@NullMarked
package dev.cotenant.cli.cluster;

import org.jspecify.annotations.NullMarked;
