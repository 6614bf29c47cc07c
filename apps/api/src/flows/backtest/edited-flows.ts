import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { CLOCK, NEW_ID, WeftError, type Clock, type NewId } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import { FlowVersionRepository, type FlowDocument } from '@weft/records';
import { flowOf } from '../documents/import-flow.js';
import { readDocument } from '../documents/read-document.js';
import { ResourceKeys } from '../keys/resource-keys.js';
import { flowAt } from '../versions/version.view.js';
import type { BacktestBody } from './backtest.requests.js';

/** Gives the flow as it would be: as somebody edited it, or as it was in a version. */
@Injectable()
export class EditedFlows {
  constructor(
    private readonly versions: FlowVersionRepository,
    private readonly keys: ResourceKeys,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @throws WeftError `invalid_body`, `not_found`, `invalid_document`, `left_out` */
  async of(caller: Principal, flow: FlowDocument, { version, document }: BacktestBody): Promise<FlowDocument> {
    if (version !== undefined && document !== undefined) throw both();
    if (document !== undefined) return this.edited(caller, flow, document);
    if (version === undefined || version === flow.version) return flow;
    const found = await this.versions.findWhole(new TenantScope(caller.companyId), flow._id, version);
    if (!found) throw new WeftError('not_found', 'The flow has no version with this number.');
    return flowAt(found, flow);
  }

  private async edited(
    caller: Principal,
    flow: FlowDocument,
    document: NonNullable<BacktestBody['document']>,
  ): Promise<FlowDocument> {
    const by = { caller, now: new Date(this.clock.now()), newId: this.newId };
    // what test cases leave out is not needed here
    const read = await readDocument({ ...document, testCases: [] }, (given) => this.keys.resolved(caller, given), {
      flow,
      cases: [],
    });
    const edited = flowOf(read, by);
    return { ...edited, _id: flow._id, version: flow.version };
  }
}

function both(): WeftError {
  const message = 'give either version or document, not both';
  return new WeftError('invalid_body', `${message}.`, {
    errors: [{ path: 'document', code: 'invalid', message }],
  });
}
