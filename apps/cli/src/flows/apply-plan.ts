import type { Flow, FlowDocument, Weft } from '@weft/client';
import { layersOf, type Step, type StoredCase } from './plan.js';

export async function casesOf(weft: Weft, flowId: string): Promise<StoredCase[]> {
  const cases: StoredCase[] = [];
  for await (const one of weft.testCases.list(flowId, { size: 200 })) cases.push(one);
  return cases;
}

/**
 * Makes all changes of the flow as one version, if it is still the one that the plan compares with; then its test cases, which
 * belong to no version.
 *
 * @returns the flow as it is then
 */
export async function applySteps(weft: Weft, flow: Flow, steps: readonly Step[], wanted: FlowDocument): Promise<Flow> {
  let now = flow;
  const ofLayers = steps.some((step) => step.do.endsWith('layer') || step.do === 'order layers');
  const ofFlow = steps.find((step) => step.do === 'change flow');
  if (ofLayers || ofFlow) {
    const body = { ...ofFlow?.fields, ...(ofLayers && { layers: layersOf(flow, wanted) }) };
    now = await weft.flows.update(flow.id, body, { ifVersion: flow.version });
  }
  for (const step of steps) {
    if (step.do === 'add case') await weft.testCases.create(flow.id, step.fields);
    if (step.do === 'change case') await weft.testCases.update(flow.id, step.id, step.fields);
    if (step.do === 'remove case') await weft.testCases.delete(flow.id, step.id);
  }
  return now;
}
