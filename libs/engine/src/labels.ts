/**
 * Labels of plays: texts by key, by which people find plays again. A play stores them as a sorted list of `key:value`, which one
 * index serves; a play without labels has no such field.
 */
import type { Labels } from '@weft/contracts';
import { MAX_LABELS } from '@weft/shapes';

/** As a play stores them. */
export type StoredLabels = readonly string[];

/**
 * The labels of a new play, by key: those of the run, before those of the schedule or trigger, of the flow, and of the parent.
 *
 * @param sources by precedence, the highest first
 * @returns undefined when there is no label
 */
export function mergeLabels(
  ...sources: readonly (Labels | StoredLabels | null | undefined)[]
): StoredLabels | undefined {
  const given = sources.filter((source) => source != null);
  if (given.length === 0) return undefined;
  const merged = new Map<string, string>();
  for (const source of given) {
    for (const [key, value] of isStored(source) ? source.map(split) : Object.entries(source)) {
      if (!merged.has(key) && merged.size < MAX_LABELS) merged.set(key, value);
    }
  }
  return merged.size === 0 ? undefined : [...merged].map(([key, value]) => storedLabel(key, value)).sort();
}

export function storedLabel(key: string, value: string): string {
  return `${key}:${value}`;
}

/** As people see them. */
export function toLabels(stored: StoredLabels = []): Labels {
  return Object.fromEntries(stored.map(split));
}

function isStored(source: Labels | StoredLabels): source is StoredLabels {
  return Array.isArray(source);
}

/** A key has no colon. */
function split(label: string): [string, string] {
  const at = label.indexOf(':');
  return [label.slice(0, at), label.slice(at + 1)];
}
