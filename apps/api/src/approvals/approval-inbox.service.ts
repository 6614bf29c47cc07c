import { Injectable } from '@nestjs/common';
import { scopeAllows, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { ApprovalInboxRepository, isInboxKey, TenantScope, type InboxFilter, type InboxRow } from '@weft/store';
import { FlowRepository, type FlowHead } from '@weft/records';
import { FlowRights } from '../flows/flow-rights.js';
import { toPage, toPageRequest } from '../http/paging.js';
import type { ListApprovalsQuery } from './approval.requests.js';
import { askedBy, type InboxView } from './approval.view.js';

const COMMAND_SCOPES = scopes('api', 'api:plays');

/** The approvals that plays of the company wait for now. */
@Injectable()
export class ApprovalInboxService {
  constructor(
    private readonly inbox: ApprovalInboxRepository,
    private readonly flows: FlowRepository,
    private readonly flowRights: FlowRights,
  ) {}

  async list(caller: Principal, query: ListApprovalsQuery): Promise<Page<InboxView>> {
    const request = toPageRequest(query, isInboxKey);
    const scope = new TenantScope(caller.companyId);
    const flows = await this.flows.choiceFor(scope, await this.flowRights.visibilityOf(caller));
    const decider = query.mine === 'true' && caller.role !== 'admin' ? await this.deciderOf(caller) : undefined;
    const found = await this.inbox.list(scope, { flows, decider }, request);
    const heads = await this.flows.findHeads(scope, [...new Set(found.items.map(({ flowId }) => flowId))]);
    const byId = new Map(heads.map((head) => [head._id, head]));
    const items = await Promise.all(found.items.map((row) => this.toView(caller, row, byId.get(row.flowId))));
    return toPage(request, { ...found, items }, (item) => item);
  }

  /** Whom an approval must name so that the caller decides it, or of which flow it must be: see `mayDecideApproval`. */
  private async deciderOf(caller: Principal): Promise<NonNullable<InboxFilter['decider']>> {
    const edited = await this.flowRights.visibilityOf(caller, 'edit');
    const unnamed = await this.flows.choiceFor(new TenantScope(caller.companyId), edited);
    return { ids: [caller.userId, ...caller.groupIds], unnamed };
  }

  private async toView(caller: Principal, row: InboxRow, flow: FlowHead | undefined): Promise<InboxView> {
    const { playId, flowId, wait } = row;
    const mayCommand = caller.auth === 'session' || scopeAllows(caller.scopes, COMMAND_SCOPES, 'POST');
    const asked = askedBy(wait);
    const mayDecide =
      mayCommand && flow !== undefined && (await this.flowRights.mayDecide(caller, asked.approvers, row, flow));
    return { playId, flowId, flowName: flow?.name ?? '', ...asked, mayDecide };
  }
}
