/** Runs of simulated clusters as one page with plots, without scripts or outside files. */
@NullMarked
package dev.cotenant.lab.report;

import org.jspecify.annotations.NullMarked;
