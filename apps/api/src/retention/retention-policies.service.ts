import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { WeftError, type Clock, type NewId, CLOCK, NEW_ID } from '@weft/kernel';
import { TenantScope, type AuditAction, type AuditEntryInput } from '@weft/store';
import {
  FlowGroupRepository,
  FlowRepository,
  JobRepository,
  RETENTION_POLICIES,
  RetentionPolicyRepository,
  type RetentionPolicyDocument,
} from '@weft/records';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import { assertPolicy } from './assert-policy.js';
import type { CreatePolicyBody, PreviewPolicyBody, UpdatePolicyBody } from './retention-policy.requests.js';
import { toPolicyView, type RetentionPolicyView } from './retention-policy.view.js';

/** Every rule costs a query in each cleanup. */
const MOST_POLICIES = 500;
/** The id of a policy that is not stored, in a preview. */
const NEW_POLICY = 'new';
const AUDITED = ['scope', 'flow_id', 'flow_group_id', 'cadence', 'min_entries', 'enforced_minimum', 'enabled'] as const;

@Injectable()
export class RetentionPoliciesService {
  constructor(
    private readonly policies: RetentionPolicyRepository,
    private readonly flows: FlowRepository,
    private readonly groups: FlowGroupRepository,
    private readonly jobs: JobRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @throws WeftError `invalid_policy`, `unknown_id` */
  async create(actor: Actor, body: CreatePolicyBody): Promise<RetentionPolicyView> {
    const scope = scopeOf(actor.caller);
    const policy = await this.made(scope, body);
    const entry = entryOf(actor, 'policy_created', null, policy);
    if (!(await this.policies.insert(scope, policy, MOST_POLICIES, entry))) {
      throw new WeftError('invalid_policy', `A company has at most ${MOST_POLICIES} retention policies.`);
    }
    return this.view(policy);
  }

  /**
   * The policy as it would be stored.
   *
   * @param id of the one that it would replace; none: a new policy
   * @throws WeftError `invalid_policy`, `unknown_id`
   */
  async drafted(caller: Principal, { id, ...body }: PreviewPolicyBody): Promise<RetentionPolicyDocument> {
    const scope = scopeOf(caller);
    if (id !== undefined && !(await this.policies.find(scope, id))) throw unknown('id', 'retention policy');
    return { ...(await this.made(scope, body)), _id: id ?? NEW_POLICY };
  }

  /** @throws WeftError `not_found` for another company than the caller's */
  async list(caller: Principal, companyId: string | undefined): Promise<RetentionPolicyView[]> {
    if (companyId !== undefined && companyId !== caller.companyId) {
      throw new WeftError('not_found', 'There is no company with this id that you act in.');
    }
    const [policies, job] = await Promise.all([this.policies.list(scopeOf(caller)), this.job()]);
    return policies.map((policy) => toPolicyView(policy, job));
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, id: string): Promise<RetentionPolicyView> {
    return this.view(await this.find(caller, id));
  }

  /** @throws WeftError `not_found`, `invalid_policy`, `unknown_id`, `version_conflict` */
  async update(actor: Actor, id: string, body: UpdatePolicyBody): Promise<RetentionPolicyView> {
    const before = await this.find(actor.caller, id);
    const updated_at = new Date(Math.max(this.clock.now(), before.updated_at.getTime() + 1));
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    const after: RetentionPolicyDocument = { ...before, ...given, updated_at };
    assertPolicy(after);
    await this.assertSubject(scopeOf(actor.caller), after);
    const entry = entryOf(actor, 'policy_updated', before, after);
    if (Object.keys(entry.changes ?? {}).length === 0) return this.view(before);
    if (!(await this.policies.replace(scopeOf(actor.caller), before, after, entry))) {
      await this.find(actor.caller, id);
      throw new WeftError('version_conflict', 'Somebody else changed the policy at the same moment: read it again.');
    }
    return this.view(after);
  }

  /** @throws WeftError `not_found` */
  async remove(actor: Actor, id: string): Promise<void> {
    const policy = await this.find(actor.caller, id);
    const entry = entryOf(actor, 'policy_deleted', policy, null);
    if (!(await this.policies.remove(scopeOf(actor.caller), id, entry))) throw notFound();
  }

  private async made(scope: TenantScope, body: CreatePolicyBody): Promise<RetentionPolicyDocument> {
    const now = new Date(this.clock.now());
    const policy = {
      _id: this.newId(),
      company_id: scope.companyId,
      scope: body.scope ?? (body.flow_group_id ? 'flows.group' : null),
      flow_id: body.flow_id ?? null,
      flow_group_id: body.flow_group_id ?? null,
      cadence: body.cadence,
      min_entries: body.min_entries ?? 0,
      enforced_minimum: body.enforced_minimum ?? '0',
      enabled: body.enabled ?? true,
      created_at: now,
      updated_at: now,
    };
    assertPolicy(policy);
    await this.assertSubject(scope, policy);
    return policy;
  }

  private async find(caller: Principal, id: string): Promise<RetentionPolicyDocument> {
    const policy = await this.policies.find(scopeOf(caller), id);
    if (!policy) throw notFound();
    return policy;
  }

  private async assertSubject(scope: TenantScope, { flow_id, flow_group_id }: RetentionPolicyDocument): Promise<void> {
    if (flow_id !== null && !(await this.flows.findHead(scope, flow_id))) throw unknown('flow_id', 'flow');
    if (flow_group_id !== null && !(await this.groups.find(scope, flow_group_id))) {
      throw unknown('flow_group_id', 'flow group');
    }
  }

  private async view(policy: RetentionPolicyDocument): Promise<RetentionPolicyView> {
    return toPolicyView(policy, await this.job());
  }

  private async job() {
    return (await this.jobs.list()).find(({ _id }) => _id === 'retention') ?? null;
  }
}

function scopeOf(caller: Principal): TenantScope {
  return new TenantScope(caller.companyId);
}

function notFound(): WeftError {
  return new WeftError('not_found', 'There is no retention policy with this id.');
}

function unknown(path: string, what: string): WeftError {
  const message = `the company has no ${what} with this id`;
  return new WeftError('unknown_id', `${message}.`, { errors: [{ path, code: 'unknown_id', message }] });
}

function entryOf(
  actor: Actor,
  action: AuditAction,
  before: RetentionPolicyDocument | null,
  after: RetentionPolicyDocument | null,
): AuditEntryInput {
  const resource_id = (after ?? before)?._id ?? '';
  const subject = { collection: RETENTION_POLICIES, resource_type: 'retention_policy', resource_id };
  return actorEntry(actor, action, subject, changesBetween(before, after, AUDITED));
}
