import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { WeftError, type FieldError } from '@weft/kernel';
import { validateLayer } from '@weft/layers';
import type { TriggerFields } from '@weft/records';
import { compilePoll } from '@weft/runs';
import { NO_OPTIONS, type SourceGiven } from '@weft/shapes';
import { isDeepStrictEqual } from 'node:util';
import { LinkRights } from '../flows/link-rights.js';

/** Judges what a trigger reads: its call, its expressions, and whether its editor may use its links. */
@Injectable()
export class SourceChecks {
  constructor(private readonly links: LinkRights) {}

  /** @throws WeftError `invalid_args`, `invalid_expression`, `denied` */
  async assertFits(
    caller: Principal,
    flowId: string,
    { type, source }: TriggerFields,
    before?: TriggerFields,
  ): Promise<void> {
    if (!type || !source || isDeepStrictEqual(source, before?.source)) return;
    if (type === 'poll') {
      assertCall(source);
      compilePoll(source);
    }
    // a link is used where a layer would use it
    const layers = [layerOf('source', 'web-request', { integrationId: source.integrationId })];
    if (source.request) layers.push(layerOf('source.request', source.request.appId, source.request.args));
    const settings = { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null } as const;
    await this.links.assertMayUse(caller, { _id: flowId, layers, blueprintVars: null, settings });
  }
}

/** @throws WeftError `invalid_args`, `invalid_expression` */
function assertCall({ request }: SourceGiven): void {
  if (!request) return;
  const { appId, args } = request;
  const refused: FieldError[] = validateLayer(layerOf('poll', appId, args));
  for (const option of ['paginate'] as const) {
    if (args[option] !== undefined && args[option] !== null) {
      const message = 'a call of a trigger gives one page: go on by source.cursor';
      refused.push({ path: `args.${option}`, code: 'invalid_args', message });
    }
  }
  if (appId === 's3' && args.op !== 'list') {
    refused.push({ path: 'args.op', code: 'invalid_args', message: 'a trigger asks s3 for a list alone' });
  }
  const errors = refused.map(({ path, ...fault }) => ({ ...fault, path: `source.request.${path}` }));
  if (!errors[0]) return;
  const code = errors[0].code === 'invalid_expression' ? 'invalid_expression' : 'invalid_args';
  throw new WeftError(code, `${errors[0].path}: ${errors[0].message}.`, { errors });
}

function layerOf(ref: string, appId: string, args: Readonly<Record<string, unknown>>) {
  return { ...NO_OPTIONS, id: ref, ref, name: ref, index: 0, appId, args };
}
