import { isDeepStrictEqual } from 'node:util';
import type { FlowDocument } from './flow.schema.js';

type Published = Pick<FlowDocument, 'settings' | 'version' | 'publishedVersion'>;

/** What a version holds of a flow; the rest of it (whether it is enabled, who may use it) is the flow's, at any version. */
const CONTENT = [
  'name',
  'category',
  'description',
  'when',
  'argsSchema',
  'blueprintVars',
  'layers',
] as const satisfies readonly (keyof FlowDocument)[];

export function isPublishedByHand({ settings }: Pick<FlowDocument, 'settings'>): boolean {
  return settings.publish === 'manual';
}

/** The version that runs use; null: none was published yet. */
export function publishedVersionOf(flow: Published): number | null {
  return isPublishedByHand(flow) ? (flow.publishedVersion ?? null) : flow.version;
}

/** What to store with a change. One that plays would not notice publishes nothing new: what was published goes on as the version after it. */
export function publishedVersionAfter(before: FlowDocument, after: FlowDocument): number | null {
  if (!isPublishedByHand(after)) return null;
  const published = publishedVersionOf(before);
  return published === before.version && isSameContent(before, after) ? after.version : published;
}

/** The settings of a version, with those that are the flow's: they count for plays of all versions together. */
export function settingsAt(version: FlowDocument['settings'], now: FlowDocument['settings']): FlowDocument['settings'] {
  const { publish, concurrency, mcp } = now;
  const { publish: _publish, mcp: _mcp, ...own } = version;
  return { ...own, concurrency, ...(publish && { publish }), ...(mcp && { mcp }) };
}

function isSameContent(before: FlowDocument, after: FlowDocument): boolean {
  const settings = settingsAt(before.settings, after.settings);
  return (
    isDeepStrictEqual(settings, settingsAt(after.settings, after.settings)) &&
    CONTENT.every((field) => isDeepStrictEqual(before[field] ?? null, after[field] ?? null))
  );
}
