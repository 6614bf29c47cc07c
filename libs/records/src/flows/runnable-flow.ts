import type { FlowDocument } from './flow.schema.js';
import { flowVersionId } from './flow-version.schema.js';
import { isPublishedByHand, settingsAt } from './publication.js';

/** What the run path must know of a flow. */
export type RunnableRow = Pick<
  FlowDocument,
  | '_id'
  | 'company_id'
  | 'version'
  | 'name'
  | 'key'
  | 'enabled'
  | 'isBlueprint'
  | 'restricted'
  | 'createdBy'
  | 'groupId'
  | 'settings'
  | 'when'
  | 'blueprintVars'
  | 'argsSchema'
  | 'publishedVersion'
> & {
  /** None of its versions was published yet: it is run only by those who name a version. */
  readonly unpublished?: true;
};

/** With what the flow is for. */
export type CallableRow = RunnableRow & Pick<FlowDocument, 'description'>;

/** The part of it that a version holds. */
export type RunnableContent = Pick<
  RunnableRow,
  'version' | 'name' | 'settings' | 'when' | 'blueprintVars' | 'argsSchema'
>;

export type RunnableContentOfFlow = RunnableContent & { readonly flowId: string };

/** The projection that reads it, of a flow and of a version. */
export const RUNNABLE_CONTENT = {
  version: 1,
  name: 1,
  settings: 1,
  when: 1,
  argsSchema: 1,
  // many copies of these are in memory: only a condition and the names of queues read them there
  blueprintVars: {
    $cond: [
      {
        $and: [
          { $eq: ['$when', null] },
          { $eq: [{ $ifNull: ['$settings.lane', null] }, null] },
          { $eq: [{ $ifNull: ['$settings.concurrency.key', null] }, null] },
        ],
      },
      '$$REMOVE',
      '$blueprintVars',
    ],
  },
} as const;

export const RUNNABLE = {
  ...RUNNABLE_CONTENT,
  company_id: 1,
  publishedVersion: 1,
  key: 1,
  enabled: 1,
  isBlueprint: 1,
  restricted: 1,
  createdBy: 1,
  groupId: 1,
} as const;

/** The ids of the published versions that are not the last of their flows; null: all of these flows run their last version. */
export function versionsBehind(rows: readonly RunnableRow[]): string[] | null {
  const behind = rows.filter(isBehind);
  if (behind.length === 0) return null;
  return behind.flatMap(({ _id, publishedVersion }) =>
    publishedVersion == null ? [] : [flowVersionId(_id, publishedVersion)],
  );
}

/** @param versions those that `versionsBehind` named */
export function asPublished(rows: readonly RunnableRow[], versions: readonly RunnableContentOfFlow[]): RunnableRow[] {
  const published = new Map(versions.map((version) => [version.flowId, version]));
  return rows.map((row) => {
    if (!isBehind(row)) return row;
    const content = published.get(row._id);
    return content ? { ...row, ...contentAt(content, row.settings) } : { ...row, unpublished: true };
  });
}

/** @param now the flow's settings, some of which are the same at all versions */
export function contentAt(
  { version, name, settings, when, blueprintVars, argsSchema }: RunnableContent,
  now: FlowDocument['settings'],
): RunnableContent {
  return {
    ...{ version, name, when, blueprintVars, argsSchema },
    settings: settingsAt(settings, now),
  };
}

function isBehind(row: RunnableRow): boolean {
  return isPublishedByHand(row) && row.publishedVersion !== row.version;
}
