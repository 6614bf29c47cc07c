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
  readonly hasSeries?: true;
  readonly usesLink?: true;
  /** None of its versions was published yet: it is run only by those who name a version. */
  readonly unpublished?: true;
};

/** The part of it that a version holds. */
export type RunnableContent = Pick<
  RunnableRow,
  'version' | 'name' | 'settings' | 'when' | 'blueprintVars' | 'argsSchema' | 'hasSeries' | 'usesLink'
>;

export type RunnableContentOfFlow = RunnableContent & { readonly flowId: string };

/** A layer with pages, rounds, or a loop over run-flow. */
const IS_SERIES = {
  $or: [
    { $gt: ['$$this.repeat', null] },
    { $gt: ['$$this.args.paginate', null] },
    { $and: [{ $eq: ['$$this.appId', 'run-flow'] }, { $gt: ['$$this.forEach', null] }] },
  ],
} as const;

/** A text that reads `$link`. */
const READS_LINK = (value: string) => ({
  $cond: [
    { $eq: [{ $type: value }, 'string'] },
    { $regexMatch: { input: value, regex: '\\{\\{\\s*\\$link\\b' } },
    false,
  ],
});
const VALUES_READ_LINK = (object: string) => ({
  $cond: [
    { $eq: [{ $type: object }, 'object'] },
    {
      $anyElementTrue: [
        {
          $map: {
            input: { $objectToArray: object },
            as: 'field',
            in: {
              $cond: [
                { $isArray: '$$field.v' },
                { $anyElementTrue: [{ $map: { input: '$$field.v', as: 'one', in: READS_LINK('$$one') } }] },
                READS_LINK('$$field.v'),
              ],
            },
          },
        },
      ],
    },
    false,
  ],
});
/** A web request that puts a field of its integration link in another place than the link's kind. */
const USES_LINK = {
  $and: [
    { $gt: ['$$this.args.auth', null] },
    { $or: [VALUES_READ_LINK('$$this.args.headers'), VALUES_READ_LINK('$$this.args.query')] },
  ],
} as const;

/** The projection that reads it, of a flow and of a version. */
export const RUNNABLE_CONTENT = {
  version: 1,
  name: 1,
  settings: 1,
  when: 1,
  argsSchema: 1,
  // many copies of these are in memory: only a condition and the name of a lane read them there
  blueprintVars: {
    $cond: [
      { $and: [{ $eq: ['$when', null] }, { $eq: [{ $ifNull: ['$settings.lane', null] }, null] }] },
      '$$REMOVE',
      '$blueprintVars',
    ],
  },
  hasSeries: {
    $cond: [{ $anyElementTrue: [{ $map: { input: '$layers', in: IS_SERIES } }] }, true, '$$REMOVE'],
  },
  usesLink: {
    $cond: [{ $anyElementTrue: [{ $map: { input: '$layers', in: USES_LINK } }] }, true, '$$REMOVE'],
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
  { version, name, settings, when, blueprintVars, argsSchema, hasSeries, usesLink }: RunnableContent,
  now: FlowDocument['settings'],
): RunnableContent {
  return {
    ...{ version, name, when, blueprintVars, argsSchema, hasSeries, usesLink },
    settings: settingsAt(settings, now),
  };
}

function isBehind(row: RunnableRow): boolean {
  return isPublishedByHand(row) && row.publishedVersion !== row.version;
}
