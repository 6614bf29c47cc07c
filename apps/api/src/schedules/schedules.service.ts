import { Inject, Injectable } from '@nestjs/common';
import { ScheduledRunAuthorizer, PlayAcceptance } from '@weft/runs';
import type { FlowPermission, Principal } from '@weft/access';
import { isFinal } from '@weft/contracts';
import { nextSlots } from '@weft/engine';
import { WeftError, type NewId, NEW_ID } from '@weft/kernel';
import { Mongo, TenantScope, type AuditAction, type AuditEntryInput } from '@weft/store';
import { FlowRepository, runsOf, SCHEDULES, ScheduleRepository, toLastRun, type ScheduleDocument } from '@weft/records';
import { changed, scheduleShape, type ScheduleFields } from '@weft/shapes';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import { FlowRights } from '../flows/flow-rights.js';
import { assertLabels } from '../http/labels.js';
import { toRunAnswer, type RunAnswer } from '../plays/run/run-answer.js';
import { RunService } from '../plays/run/run.service.js';
import { assertArgsFit, checkedRule, ruleOf } from './schedule-fields.js';
import type { CreateScheduleBody, UpdateScheduleBody } from './schedule.requests.js';
import { toScheduleView, type ScheduleView } from './schedule.view.js';

/** How often a change is tried again on the current schedule, when a slot or another change was written meanwhile. */
const ATTEMPTS = 10;
const PREVIEW = 5;
/** Of a company: they may all be due at one minute, and lists of them have no pages. */
const MAX_SCHEDULES = 10_000;
const FIELDS = Object.keys(scheduleShape.shape) as (keyof ScheduleFields)[];

@Injectable()
export class SchedulesService {
  constructor(
    private readonly schedules: ScheduleRepository,
    private readonly flows: FlowRepository,
    private readonly rights: FlowRights,
    private readonly runs: RunService,
    private readonly acceptance: PlayAcceptance,
    private readonly authorizer: ScheduledRunAuthorizer,
    private readonly mongo: Mongo,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** Of the flows that the caller may read, newest first. */
  async list(caller: Principal, flowId?: string): Promise<ScheduleView[]> {
    const scope = scopeOf(caller);
    const all = await this.schedules.list(scope, { flowId });
    const heads = await this.flows.findHeads(scope, [...new Set(all.map(({ flow_id }) => flow_id))]);
    const judged = await Promise.all(
      heads.map(async (head) => ((await this.rights.may(caller, 'read', head)) ? head._id : null)),
    );
    const readable = new Set(judged);
    return this.views(
      caller,
      all.filter(({ flow_id }) => readable.has(flow_id)),
    );
  }

  /** @throws WeftError `not_found`, `denied` */
  async read(caller: Principal, id: string): Promise<ScheduleView> {
    return this.view(caller, await this.find(caller, id, 'read'));
  }

  /**
   * @throws WeftError `not_found`, `denied`, `invalid_body`, `invalid_cron`, `invalid_timezone`, `invalid_policy`,
   * `invalid_labels`, `too_many_schedules`
   */
  async create(actor: Actor, body: CreateScheduleBody): Promise<ScheduleView> {
    const { caller } = actor;
    assertArgsFit(body.args);
    assertLabels('labels', body.labels);
    const fields = scheduleShape.parse(body);
    await this.assertMayExecute(caller, fields.flow_id);
    const now = this.now();
    const rule = checkedRule(fields, now);
    const nextSlot = fields.enabled ? rule.next(now) : null;
    const schedule: ScheduleDocument = {
      _id: this.newId(),
      company_id: caller.companyId,
      ...fields,
      created_by: caller.userId,
      created_at: now,
      updated_at: now,
      rev: 1,
      nextSlot,
      takenUntil: null,
      attendAt: nextSlot,
      pending: [],
      open: [],
      last: null,
      rested: false,
    };
    const entry = entryOf(actor, 'schedule_created', null, schedule);
    if (!(await this.schedules.insert(scopeOf(caller), schedule, MAX_SCHEDULES, entry))) {
      throw new WeftError('too_many_schedules', `A company has at most ${MAX_SCHEDULES} schedules.`);
    }
    return this.view(caller, schedule);
  }

  /** @throws WeftError as `create`, `version_conflict` */
  async update(actor: Actor, id: string, body: UpdateScheduleBody): Promise<ScheduleView> {
    const { caller } = actor;
    assertArgsFit(body.args);
    assertLabels('labels', body.labels);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const before = await this.find(caller, id, 'execute');
      const fields = changed(scheduleShape, before, body);
      if (fields.flow_id !== before.flow_id) await this.assertMayExecute(caller, fields.flow_id);
      const now = this.now();
      const rule = checkedRule(fields, now);
      const entry = entryOf(actor, 'schedule_updated', before, { ...before, ...fields });
      if (Object.keys(entry.changes ?? {}).length === 0) return this.view(caller, before);
      const slots = changesSlots(before, fields)
        ? slotsOf(before, fields.enabled, rule.next(later(now, before.takenUntil)))
        : {};
      const changes = { ...fields, ...slots, updated_at: now };
      if (await this.schedules.change(scopeOf(caller), before, changes, entry)) return this.read(caller, id);
    }
    throw new WeftError('version_conflict', 'The schedule is changed by others all the time. Try again.');
  }

  /** @throws WeftError `not_found`, `denied` */
  async remove(actor: Actor, id: string): Promise<void> {
    const before = await this.find(actor.caller, id, 'execute');
    const entry = entryOf(actor, 'schedule_deleted', before, null);
    if (!(await this.schedules.remove(scopeOf(actor.caller), id, entry))) throw notFound();
  }

  /**
   * Runs it once now, besides its slots, for the caller, whether it is paused or not.
   *
   * @throws WeftError `not_found`, `denied`, `flow_disabled`, `flow_is_blueprint`, `backlog_full`
   */
  async run(caller: Principal, id: string): Promise<RunAnswer> {
    const schedule = await this.find(caller, id, 'execute');
    const flow = await this.runs.runnable(caller, schedule.flow_id);
    const { args, labels } = schedule;
    const ask = { args, labels, trigger: 'schedule', triggeredBy: caller.userId } as const;
    const { play } = await this.acceptance.accept(flow, ask);
    const run = toLastRun(play);
    await this.schedules.ranBesides(scopeOf(caller), id, run, !isFinal(run.state));
    return toRunAnswer(play);
  }

  /** @throws WeftError `invalid_cron`, `invalid_timezone` */
  preview(schedule: string, timezone: string): string[] {
    const now = this.now();
    return nextSlots(ruleOf(schedule, timezone, now), now, PREVIEW).map((slot) => slot.toISOString());
  }

  /** Schedules are judged by their flow, also after that was deleted. */
  private async find(caller: Principal, id: string, permission: FlowPermission): Promise<ScheduleDocument> {
    const schedule = await this.schedules.find(scopeOf(caller), id);
    const head = schedule && (await this.flows.findHead(scopeOf(caller), schedule.flow_id));
    if (!schedule || !head) throw notFound();
    await this.rights.assertMay(caller, permission, head);
    return schedule;
  }

  private async assertMayExecute(caller: Principal, flowId: string): Promise<void> {
    const head = await this.flows.findHead(scopeOf(caller), flowId);
    if (head?.filteredAt !== null) throw new WeftError('not_found', 'There is no such flow.');
    await this.rights.assertMay(caller, 'execute', head);
  }

  private async view(caller: Principal, schedule: ScheduleDocument): Promise<ScheduleView> {
    const [view] = await this.views(caller, [schedule]);
    return view as ScheduleView;
  }

  private async views(caller: Principal, schedules: readonly ScheduleDocument[]): Promise<ScheduleView[]> {
    const playIds = schedules.flatMap(({ last }) => last?.playId ?? []);
    const [runs, eligibilities] = await Promise.all([
      runsOf(this.mongo, scopeOf(caller), playIds),
      Promise.all(
        schedules.map(({ company_id: companyId, flow_id: flowId, created_by: userId }) =>
          this.authorizer.eligibilityOf({ companyId, flowId, userId }),
        ),
      ),
    ]);
    const now = this.now();
    return schedules.map((schedule, i) => {
      const last = schedule.last && (runs.get(schedule.last.playId) ?? schedule.last);
      return toScheduleView(schedule, last, eligibilities[i]?.blockedReason ?? null, now);
    });
  }

  private now(): Date {
    return new Date(this.mongo.serverNow());
  }
}

function changesSlots(before: ScheduleFields, after: ScheduleFields): boolean {
  return (['schedule', 'timezone', 'enabled'] as const).some((field) => before[field] !== after[field]);
}

/** Taken slots are released unless their play may have been made; later slots follow the new rule. */
function slotsOf(
  before: ScheduleDocument,
  enabled: boolean,
  next: Date | null,
): Pick<ScheduleDocument, 'nextSlot' | 'attendAt' | 'pending'> {
  const pending = before.pending.filter(({ playId }) => playId !== null);
  const nextSlot = enabled ? next : null;
  return { nextSlot, pending, attendAt: pending.length > 0 ? before.attendAt : nextSlot };
}

function later(a: Date, b: Date | null): Date {
  return b && b > a ? b : a;
}

function scopeOf(caller: Principal): TenantScope {
  return new TenantScope(caller.companyId);
}

function notFound(): WeftError {
  return new WeftError('not_found', 'There is no schedule with this id.');
}

function entryOf(
  actor: Actor,
  action: AuditAction,
  before: ScheduleDocument | null,
  after: ScheduleDocument | null,
): AuditEntryInput {
  const subject = { collection: SCHEDULES, resource_type: 'schedule', resource_id: (after ?? before)?._id ?? '' };
  return actorEntry(actor, action, subject, changesBetween(before, after, FIELDS));
}
