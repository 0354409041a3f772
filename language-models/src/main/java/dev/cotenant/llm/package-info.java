/**
 * Language models: what their files declare, what a pod's arguments say about them, and the memory
 * that serving and fine-tuning take.
 */
@NullMarked
package dev.cotenant.llm;

import org.jspecify.annotations.NullMarked;
