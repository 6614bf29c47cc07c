import { Injectable } from '@nestjs/common';
import { seesOwnPlaysOnly, type PlayAction, type Principal } from '@weft/access';
import type { Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import { FlowRepository } from '@weft/records';
import { FlowRights } from '../flows/flow-rights.js';

type PlayUnderRule = Pick<Play, 'flowId' | 'triggeredBy'>;

const DENIALS: Readonly<Record<PlayAction, string>> = {
  read: 'You may not read this flow.',
  control: 'You may control plays of your own that you may run, and all plays of flows that you may edit.',
  skip: 'Only those who may edit the flow of the play that has the turn may skip it.',
  delete: 'Only admins erase plays.',
};

/** Judges plays by the rules of their flow, which hold also after the flow was deleted. */
@Injectable()
export class PlayRights {
  constructor(
    private readonly flows: FlowRepository,
    private readonly rights: FlowRights,
  ) {}

  /** @throws WeftError `not_found` also for null, `denied` */
  async assertMay<T extends PlayUnderRule>(caller: Principal, right: PlayAction, play: T | null): Promise<T> {
    const flow = play && (await this.flows.findHead(new TenantScope(caller.companyId), play.flowId));
    if (!play || !flow) throw new WeftError('not_found', 'There is no play with this id.');
    if (!(await this.rights.mayOnPlay(caller, right, play, flow))) throw new WeftError('denied', DENIALS[right]);
    if (right === 'read' && seesOwnOnly(caller, 'GET') && play.triggeredBy !== caller.userId) {
      throw new WeftError('denied', 'With the scope flow:execute only plays that you started can be read.');
    }
    return play;
  }

  /** Those of these plays whose flow the caller may run, whoever started them. */
  async ofFlowsToRun<T extends Pick<Play, 'flowId'>>(caller: Principal, plays: readonly T[]): Promise<T[]> {
    const ids = [...new Set(plays.map(({ flowId }) => flowId))];
    const flows = await this.flows.findHeads(new TenantScope(caller.companyId), ids);
    const judged = await Promise.all(flows.map(async (flow) => this.rights.may(caller, 'execute', flow)));
    const runnable = new Set(flows.filter((_flow, i) => judged[i]).map(({ _id }) => _id));
    return plays.filter(({ flowId }) => runnable.has(flowId));
  }

  /** Whether the caller may decide an approval that the play asks for: the rules of `mayDecideApproval`. */
  async mayDecide(caller: Principal, play: Play, approvers: readonly string[]): Promise<boolean> {
    const flow = await this.flows.findHead(new TenantScope(caller.companyId), play.flowId);
    return flow !== null && this.rights.mayDecide(caller, approvers, play, flow);
  }

  /** Those of these plays on which the caller has that right. */
  async permitted<T extends PlayUnderRule>(caller: Principal, right: PlayAction, plays: readonly T[]): Promise<T[]> {
    const flowIds = [...new Set(plays.map((play) => play.flowId))];
    const flows = await this.flows.findHeads(new TenantScope(caller.companyId), flowIds);
    const byId = new Map(flows.map((flow) => [flow._id, flow]));
    const judged = await Promise.all(
      plays.map(async (play) => {
        const flow = byId.get(play.flowId);
        return flow !== undefined && (await this.rights.mayOnPlay(caller, right, play, flow));
      }),
    );
    return plays.filter((_play, i) => judged[i]);
  }
}

/** A token that only `flow:execute` lets in here touches only plays that its user started. */
export function seesOwnOnly(caller: Principal, method: 'GET' | 'POST'): boolean {
  return caller.auth === 'api_key' && seesOwnPlaysOnly(caller.scopes, method);
}
