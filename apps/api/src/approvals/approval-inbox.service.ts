import { Injectable } from '@nestjs/common';
import { reaches, scopeAllows, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { ApprovalInboxRepository, FlowRepository, isInboxKey, TenantScope, type InboxRow } from '@weft/persistence';
import { FlowRights } from '../flows/flow-rights.js';
import { toPage, toPageRequest } from '../http/paging.js';
import { mayDecideApproval } from '../plays/play-rights.js';
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
    const decider = query.mine === 'true' && caller.role !== 'admin' ? deciderOf(caller) : undefined;
    const found = await this.inbox.list(scope, { flows, decider }, request);
    const heads = await this.flows.findHeads(scope, [...new Set(found.items.map(({ flowId }) => flowId))]);
    const names = new Map(heads.map(({ _id, name }) => [_id, name]));
    return toPage(request, found, (row) => toInboxView(caller, row, names.get(row.flowId) ?? ''));
  }
}

/** Whom an approval must name so that the caller decides it: see `mayDecideApproval`. */
function deciderOf({ userId, groupIds, role }: Principal) {
  return { ids: [userId, ...groupIds], unnamed: reaches(role, 'editor') };
}

function toInboxView(caller: Principal, { playId, flowId, wait }: InboxRow, flowName: string): InboxView {
  const mayCommand = caller.auth === 'session' || scopeAllows(caller.scopes, COMMAND_SCOPES, 'POST');
  const asked = askedBy(wait);
  return { playId, flowId, flowName, ...asked, mayDecide: mayCommand && mayDecideApproval(caller, asked.approvers) };
}
