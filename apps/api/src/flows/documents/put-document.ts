/** A document in the place of what a flow is: its layers and test cases keep their ids as far as they can. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { FlowDocument, TestCaseDocument } from '@weft/records';
import { DEFAULT_SETTINGS, withSettings } from '../flow-settings.js';
import { rewrittenLayers } from '../layers/all-layers.js';
import type { FlowDocumentFile } from '@weft/shapes';
import type { Importer } from './import-flow.js';

/**
 * The flow as the document says; whether it is enabled, who may use it and its key stay, and how it is published where the
 * document does not say it.
 *
 * @throws WeftError `unknown_id` for the id of a layer that the flow does not have; `invalid_labels`, `body_too_large`
 */
export function flowAs(document: FlowDocumentFile, before: FlowDocument, { now, newId }: Importer): FlowDocument {
  return {
    ...before,
    name: document.name,
    category: document.category,
    description: document.description,
    isBlueprint: document.isBlueprint,
    when: document.when,
    settings: withSettings({ ...DEFAULT_SETTINGS, ...publishOf(before) }, document.settings),
    argsSchema: document.argsSchema ?? null,
    blueprintVars: isDeepStrictEqual(document.blueprintVars, before.blueprintVars ?? null)
      ? before.blueprintVars
      : document.blueprintVars,
    layers: rewrittenLayers(document.layers, before.layers, newId),
    updatedAt: now,
  };
}

function publishOf({ settings: { publish } }: FlowDocument): Pick<FlowDocument['settings'], 'publish'> {
  return publish ? { publish } : {};
}

/**
 * The document's test cases in its order, which is that of their ids. A case keeps its id where its name stays, unless cases
 * have changed places.
 *
 * @param stored in the order of their ids
 */
export function casesAs(
  { testCases }: FlowDocumentFile,
  stored: readonly TestCaseDocument[],
  { _id: flowId, company_id }: FlowDocument,
  { caller, now, newId }: Importer,
): TestCaseDocument[] {
  let last = '';
  return testCases.map((fields) => {
    const present = stored.find(({ _id, name }) => _id > last && name === fields.name);
    const made = present && isSame(present, fields) ? present : changed(present, fields);
    last = made._id;
    return made;
  });

  function changed(present: TestCaseDocument | undefined, fields: CaseFields): TestCaseDocument {
    const of = present ?? {
      _id: newId(),
      company_id,
      flowId,
      createdBy: caller.userId,
      createdAt: now,
      updatedAt: now,
    };
    // each change of a case has a later time
    const updatedAt = present ? new Date(Math.max(now.getTime(), present.updatedAt.getTime() + 1)) : now;
    return { ...of, ...fields, updatedAt };
  }
}

type CaseFields = FlowDocumentFile['testCases'][number];

function isSame({ name, required, args, fixtures, expected }: TestCaseDocument, fields: CaseFields): boolean {
  return isDeepStrictEqual({ name, required, args, fixtures, expected }, fields);
}
