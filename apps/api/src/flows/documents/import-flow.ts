import type { Principal } from '@weft/access';
import type { NewId } from '@weft/kernel';
import type { FlowDocument, TestCaseDocument } from '@weft/records';
import { DEFAULT_SETTINGS, withSettings } from '../flow-settings.js';
import type { FlowDocumentFile } from '@weft/shapes';

export interface Importer {
  readonly caller: Pick<Principal, 'userId' | 'companyId'>;
  readonly now: Date;
  readonly newId: NewId;
}

/**
 * Makes a new flow from a document: disabled and unrestricted.
 *
 * @throws WeftError `invalid_labels`, `body_too_large` of `withSettings`
 */
export function flowOf(
  document: FlowDocumentFile,
  { caller, now, newId }: Importer,
  key: string | null = null,
): FlowDocument {
  return {
    _id: newId(),
    company_id: caller.companyId,
    key,
    version: 1,
    name: document.name,
    enabled: false,
    category: document.category,
    description: document.description,
    isBlueprint: document.isBlueprint,
    restricted: false,
    groupId: null,
    when: document.when,
    settings: withSettings(DEFAULT_SETTINGS, document.settings),
    argsSchema: document.argsSchema ?? null,
    blueprintId: null,
    blueprintVars: document.blueprintVars,
    createdBy: caller.userId,
    createdAt: now,
    updatedAt: now,
    filteredAt: null,
    layers: document.layers.map(({ name, repeat, ...layer }, index) => ({
      ...layer,
      ...(repeat && { repeat }),
      id: newId(),
      name: name ?? layer.ref,
      index,
    })),
  };
}

/** In the document's order, which is that of their ids. */
export function casesOf({ testCases }: FlowDocumentFile, flow: FlowDocument, newId: NewId): TestCaseDocument[] {
  const { _id: flowId, company_id, createdBy, createdAt, updatedAt } = flow;
  return testCases.map((each) => ({ ...each, _id: newId(), company_id, flowId, createdBy, createdAt, updatedAt }));
}
