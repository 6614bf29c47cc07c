import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { Page, TestCaseView, TestRunView } from '@weft/contracts';
import { WeftError, type Clock, type NewId, CLOCK, NEW_ID } from '@weft/kernel';
import { TenantScope, type AuditAction, type AuditEntryInput } from '@weft/store';
import { TEST_CASES, TestCaseRepository, type TestCaseDocument } from '@weft/records';
import { toPage, toPageRequest, type PageQuery } from '../../http/paging.js';
import { changesBetween, flowEntry, type Actor } from '../flow-audit.js';
import { FlowsService } from '../flows.service.js';
import { assertFixtureRefs } from '../dry-run/fixture-refs.js';
import { CaseRuns } from './case-runs.js';
import { MAX_TEST_CASES } from '@weft/shapes';
import { assertCaseSize } from './test-case.limits.js';
import type { CreateTestCaseBody, UpdateTestCaseBody } from './test-case.requests.js';
import { toTestCaseView } from './test-case.view.js';

const AUDITED = [
  'name',
  'args',
  'fixtures',
  'expected',
  'required',
] as const satisfies readonly (keyof TestCaseDocument)[];

/** Changes of one case that collide: each round one of them gets through. */
const ATTEMPTS = 4;

@Injectable()
export class TestCasesService {
  constructor(
    private readonly flows: FlowsService,
    private readonly cases: TestCaseRepository,
    private readonly runs: CaseRuns,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @throws WeftError `not_found`, `denied`, `body_too_large`, `too_many_test_cases`, `unresolved_refs` of a fixture */
  async create(actor: Actor, flowId: string, body: CreateTestCaseBody): Promise<TestCaseView> {
    const { caller } = actor;
    assertFixtureRefs(await this.flows.read(caller, flowId, 'edit'), body.fixtures);
    const now = new Date(this.clock.now());
    const made: TestCaseDocument = {
      _id: this.newId(),
      company_id: caller.companyId,
      flowId,
      name: body.name,
      args: body.args ?? {},
      fixtures: body.fixtures ?? {},
      expected: body.expected ?? {},
      required: body.required ?? false,
      createdBy: caller.userId,
      createdAt: now,
      updatedAt: now,
    };
    assertCaseSize(made);
    const scope = new TenantScope(caller.companyId);
    const entry = caseEntry(actor, 'test_case_created', null, made);
    const outcome = await this.cases.insert(scope, made, MAX_TEST_CASES, entry);
    if (outcome === 'gone') throw new WeftError('not_found', 'There is no flow with this id.');
    if (outcome === 'full') {
      throw new WeftError('too_many_test_cases', `A flow has at most ${MAX_TEST_CASES} test cases.`);
    }
    return toTestCaseView(made);
  }

  async list(caller: Principal, flowId: string, query: PageQuery): Promise<Page<TestCaseView>> {
    const request = toPageRequest(query);
    await this.flows.read(caller, flowId);
    const found = await this.cases.list(new TenantScope(caller.companyId), flowId, request);
    return toPage(request, found, toTestCaseView);
  }

  async read(caller: Principal, flowId: string, caseId: string): Promise<TestCaseView> {
    await this.flows.read(caller, flowId);
    return toTestCaseView(await this.find(caller, flowId, caseId));
  }

  /** @throws WeftError as `create`, `version_conflict` while others change it all the time */
  async update(actor: Actor, flowId: string, caseId: string, body: UpdateTestCaseBody): Promise<TestCaseView> {
    assertFixtureRefs(await this.flows.read(actor.caller, flowId, 'edit'), body.fixtures);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const before = await this.find(actor.caller, flowId, caseId);
      const after = this.withChanges(before, body);
      if (Object.keys(changesBetween(before, after, AUDITED)).length === 0) return toTestCaseView(before);
      assertCaseSize(after);
      const entry = caseEntry(actor, 'test_case_updated', before, after);
      if (await this.cases.replace(new TenantScope(before.company_id), before, after, entry))
        return toTestCaseView(after);
    }
    throw new WeftError('version_conflict', 'The test case is being changed by others all the time; try again.');
  }

  async remove(actor: Actor, flowId: string, caseId: string): Promise<void> {
    await this.flows.read(actor.caller, flowId, 'edit');
    const before = await this.find(actor.caller, flowId, caseId);
    const entry = caseEntry(actor, 'test_case_deleted', before, null);
    if (!(await this.cases.remove(new TenantScope(before.company_id), flowId, caseId, entry))) throw noCase();
  }

  /** Runs all cases of the current flow. */
  async run(caller: Principal, flowId: string): Promise<TestRunView> {
    const flow = await this.flows.read(caller, flowId, 'edit');
    const items = await this.runs.run(flow, await this.cases.findAll(new TenantScope(flow.company_id), flowId));
    const passed = items.filter((item) => item.passed).length;
    return { passed, failed: items.length - passed, items };
  }

  private withChanges(before: TestCaseDocument, body: UpdateTestCaseBody): TestCaseDocument {
    return {
      ...before,
      name: body.name ?? before.name,
      args: body.args ?? before.args,
      fixtures: body.fixtures ?? before.fixtures,
      expected: body.expected ?? before.expected,
      required: body.required ?? before.required,
      // unique, because a replacement compares this time to be sure that it replaces exactly what was read
      updatedAt: new Date(Math.max(this.clock.now(), before.updatedAt.getTime() + 1)),
    };
  }

  private async find(caller: Principal, flowId: string, caseId: string): Promise<TestCaseDocument> {
    const found = await this.cases.find(new TenantScope(caller.companyId), flowId, caseId);
    if (!found) throw noCase();
    return found;
  }
}

function noCase(): WeftError {
  return new WeftError('not_found', 'The flow has no test case with this id.');
}

/** The resource is the flow, as for its layers; the changes say which case it was. */
function caseEntry(
  actor: Actor,
  action: AuditAction,
  before: TestCaseDocument | null,
  after: TestCaseDocument | null,
): AuditEntryInput {
  const testCase = { before: before?._id ?? null, after: after?._id ?? null };
  const changes = { testCase, ...changesBetween(before, after, AUDITED) };
  const flowId = before?.flowId ?? after?.flowId ?? '';
  return { ...flowEntry(actor, action, flowId, changes), collection: TEST_CASES };
}
