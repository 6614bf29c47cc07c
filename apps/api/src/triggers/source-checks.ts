import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { WeftError, type FieldError } from '@weft/kernel';
import { validateLayer } from '@weft/layers';
import type { TriggerFields } from '@weft/records';
import { compilePoll } from '@weft/runs';
import { NO_OPTIONS, type SourceGiven } from '@weft/shapes';
import { isDeepStrictEqual } from 'node:util';
import { LinkRights } from '../flows/link-rights.js';

/** Judges the call of a trigger that polls: its arguments, its expressions, and whether its editor may use the links in it. */
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
    if (type !== 'poll' || !source?.request || isDeepStrictEqual(source, before?.source)) return;
    assertCall(source.request);
    compilePoll(source);
    // what the call shows of a link is decided as in a layer
    const layers = [layerOf('source.request', source.request)];
    const settings = { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null } as const;
    await this.links.assertMayUse(caller, { _id: flowId, layers, blueprintVars: null, settings });
  }
}

type Call = NonNullable<SourceGiven['request']>;

/** @throws WeftError `invalid_args`, `invalid_expression` */
function assertCall(request: Call): void {
  const { appId, args } = request;
  const refused: FieldError[] = validateLayer(layerOf('poll', request));
  if (args.paginate !== undefined && args.paginate !== null) {
    const message = 'a call of a trigger gives one page: go on by source.cursor';
    refused.push({ path: 'args.paginate', code: 'invalid_args', message });
  }
  if (appId === 's3' && args.op !== 'list') {
    refused.push({ path: 'args.op', code: 'invalid_args', message: 'a trigger asks s3 for a list alone' });
  }
  const errors = refused.map(({ path, ...fault }) => ({ ...fault, path: `source.request.${path}` }));
  if (!errors[0]) return;
  const code = errors[0].code === 'invalid_expression' ? 'invalid_expression' : 'invalid_args';
  throw new WeftError(code, `${errors[0].path}: ${errors[0].message}.`, { errors });
}

function layerOf(ref: string, { appId, args }: Call) {
  return { ...NO_OPTIONS, id: ref, ref, name: ref, index: 0, appId, args };
}
