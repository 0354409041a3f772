/**
 * What a preset consists of: cells with the published figure beside ours, and the port to watch its
 * runs.
 */
@NullMarked
package dev.cotenant.lab.figure;

import org.jspecify.annotations.NullMarked;
