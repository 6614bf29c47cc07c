/** A flow's judgement: made when the flow is saved, stored with it, and read wherever the flow is shown. */
import { productVersion } from '@weft/process';
import { WeftError } from '@weft/kernel';
import type { FlowDocument, FlowJudgement } from '@weft/records';
import { assertLayersFit } from '../flow-size.js';
import { JUDGED_FIELDS, judgeFlow, type FlowFindings, type JudgedFields } from './judge-flow.js';

/** Of all layers together: every worker that runs the flow parses them, too. */
const MAX_RICH_CHARS = 1_048_576;

/**
 * The flow with what is to be stored about it.
 *
 * @param before as it was read; one that is the same in what is judged keeps its judgement
 * @throws WeftError `body_too_large` when its layers have more values or bytes than a flow may have; `invalid_expression` when its layers together have more to parse than a flow may have
 */
export async function withJudgement(flow: FlowDocument, before?: FlowDocument): Promise<FlowDocument> {
  assertLayersFit(flow.layers, before?.layers);
  const stored = before && JUDGED_FIELDS.every((field) => flow[field] === before[field]) ? before.judgement : undefined;
  if (stored) return { ...flow, judgement: stored };
  const findings = await judgeFlow(flow);
  if (findings.richChars > MAX_RICH_CHARS) {
    const message = `what is more than paths in all layers of a flow has at most ${MAX_RICH_CHARS} characters`;
    throw new WeftError('invalid_expression', `${message}.`, {
      errors: [{ path: 'layers', code: 'invalid_expression', message }],
    });
  }
  return { ...flow, judgement: asJudgement(findings) };
}

/** What was stored when the flow was saved. */
export async function judgementOf(flow: JudgedFields & Pick<FlowDocument, 'judgement'>): Promise<FlowJudgement> {
  return flow.judgement ?? asJudgement(await judgeFlow(flow));
}

/** By this version of the product, which may know better than the one that the flow was saved by. */
export async function judgementNow(flow: FlowDocument): Promise<FlowJudgement> {
  return flow.judgement?.by === productVersion() ? flow.judgement : asJudgement(await judgeFlow(flow));
}

function asJudgement({ errors, warnings }: FlowFindings): FlowJudgement {
  return {
    valid: errors.found === 0,
    errors: errors.list(),
    warnings: Object.fromEntries([...warnings].map(([layerId, found]) => [layerId, found.list()])),
    by: productVersion(),
  };
}
