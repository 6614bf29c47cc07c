import type { LayerDefinition } from '@weft/engine';
import type { FlowDocument, TestCaseDocument } from '@weft/records';
import { FLOW_SCHEMA, LAYER_FIELDS, type FlowDocumentFile } from '@weft/shapes';
import { yieldingToEventLoop } from '../yielding-to-event-loop.js';

import { withoutPrivateArgs, withoutPrivateVars, withoutSecretValues } from './private-values.js';

/**
 * Exports a flow and its test cases as a document: what the flow does, without its owner, state and origin. The same flow
 * always gives the same text; free values keep the order of their keys, on which a peer may rely. It yields to the event loop
 * between layers and cases.
 */
export async function exportFlow(flow: FlowDocument, cases: readonly TestCaseDocument[]): Promise<FlowDocumentFile> {
  const { labels, publish } = flow.settings;
  return {
    schema: FLOW_SCHEMA,
    name: flow.name,
    category: flow.category,
    description: flow.description,
    isBlueprint: flow.isBlueprint,
    when: flow.when,
    settings: {
      ...flow.settings,
      labels: labels && Object.keys(labels).length > 0 ? inOrderOfName(labels) : undefined,
      publish: publish === 'manual' ? publish : undefined,
    },
    ...(flow.argsSchema && { argsSchema: flow.argsSchema }),
    blueprintVars: flow.blueprintVars ? inOrderOfName(withoutPrivateVars(flow.blueprintVars, flow.layers)) : null,
    layers: await eachInTurns(flow.layers, exportLayer),
    testCases: await eachInTurns(cases, exportCase),
  };
}

async function eachInTurns<T, Shown>(items: readonly T[], show: (item: T) => Shown): Promise<Shown[]> {
  const shown: Shown[] = [];
  for await (const item of yieldingToEventLoop(items)) shown.push(show(item));
  return shown;
}

/** Without what it leaves out, and in the order of the shape. */
function exportLayer(layer: LayerDefinition): FlowDocumentFile['layers'][number] {
  const fields = { ...layer, args: withoutPrivateArgs(layer) };
  const given = LAYER_FIELDS.filter((field) => fields[field] !== undefined);
  return Object.fromEntries(given.map((field) => [field, fields[field]])) as FlowDocumentFile['layers'][number];
}

function exportCase(stored: TestCaseDocument): FlowDocumentFile['testCases'][number] {
  const fields = caseFieldsOf(stored);
  return {
    ...fields,
    args: withoutSecretValues(fields.args),
    fixtures: withoutSecretValues(fields.fixtures),
    expected: withoutSecretValues(fields.expected),
  };
}

/** What a document says of a test case. */
export function caseFieldsOf(stored: TestCaseDocument): FlowDocumentFile['testCases'][number] {
  const { name, required, args, fixtures, expected } = stored;
  return { name, required, args, fixtures, expected };
}

function inOrderOfName(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}
