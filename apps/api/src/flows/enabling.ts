import { Injectable } from '@nestjs/common';
import type { FlowReport, Warning } from '@weft/contracts';
import { asSentence, boundedErrors, WeftError, type ErrorCode, type FieldError } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import {
  FlowVersionRepository,
  isPublishedByHand,
  publishedVersionAfter,
  TestCaseRepository,
  type FlowDocument,
  type FlowJudgement,
  type TestCaseDocument,
} from '@weft/records';
import { Destinations } from './destinations.js';
import { FlowFaces } from './flow-faces.js';
import { NamedIds } from './named-ids.js';
import { judgementNow } from './judgement/flow-judgement.js';
import { inLayer, judgeFlow } from './judgement/judge-flow.js';
import { isUnresolved } from './judgement/layer-warnings.js';
import { waitWithoutLimit } from './judgement/wait-without-limit.js';
import { plainSecretsIn } from './judgement/plain-secrets.js';
import { CaseRuns, type FailedCase } from './test-cases/case-runs.js';
import { flowAt } from './versions/version.view.js';

/**
 * The conditions for enabling a flow, also for one that is already enabled in an instance or a restored version. Single
 * changes of an enabled flow are not checked against them, because they are made one call at a time (ADR 9).
 */
@Injectable()
export class Enabling {
  constructor(
    private readonly cases: TestCaseRepository,
    private readonly versions: FlowVersionRepository,
    private readonly runs: CaseRuns,
    private readonly destinations: Destinations,
    private readonly ids: NamedIds,
    private readonly faces: FlowFaces,
  ) {}

  /**
   * @throws WeftError `unknown_app`, `invalid_expression`, `invalid_args`, `invalid_options`, `unresolved_refs`,
   * `missing_blueprint_vars`, naming all faults; `required_case_failed` with the differences; `too_many_dry_runs`
   * @param cases those that the flow is to have; left out, those that it has
   */
  async assertAllowed(flow: FlowDocument, cases?: readonly TestCaseDocument[]): Promise<void> {
    const { errors } = await judgeFlow(flow);
    for (const fault of await this.faces.faultsOf(flow)) errors.add(fault);
    const code = CODES.find((each) => errors.kept.some((fault) => refusalOf(fault) === each));
    if (code) {
      const first = errors.kept.find((fault) => refusalOf(fault) === code);
      const detail = asSentence(`The flow cannot be enabled: ${first?.path}: ${first?.message}`);
      throw new WeftError(code, detail, { errors: errors.list() });
    }
    const failed = await this.failedCases(flow, cases);
    if (failed[0]) {
      const detail = `The flow cannot be enabled while this required test case fails: ${failed[0].name}.`;
      throw new WeftError('required_case_failed', detail, { errors: caseFaults(failed), extra: { cases: failed } });
    }
  }

  /**
   * Refuses a change after which runs would use what cannot be enabled: one that enables the flow, or lets its draft go live.
   *
   * @throws WeftError as `assertAllowed`
   */
  async assertChangeAllowed(before: FlowDocument, after: FlowDocument): Promise<void> {
    const goesLive = isPublishedByHand(before) && !isPublishedByHand(after);
    if (!after.enabled || (before.enabled && !goesLive)) return;
    await this.assertAllowed(await this.usedByRuns(before, after));
  }

  /** What runs use after a change. */
  private async usedByRuns(before: FlowDocument, after: FlowDocument): Promise<FlowDocument> {
    if (!isPublishedByHand(after)) return after;
    const { isBlueprint } = after;
    const published = publishedVersionAfter(before, { ...after, version: before.version + 1 });
    if (published === null || published > before.version) return after;
    if (published === before.version) return { ...before, isBlueprint };
    const found = await this.versions.findWhole(new TenantScope(before.company_id), before._id, published);
    return found ? { ...flowAt(found, before), isBlueprint } : after;
  }

  /**
   * The same, as an answer.
   *
   * @param gone aborted when nobody waits for it any more: test cases that have not been run are left out
   */
  async report(flow: FlowDocument, gone?: AbortSignal): Promise<FlowReport> {
    const judgement = await judgementNow(flow);
    const faults = [...judgement.errors, ...(await this.faces.faultsOf(flow))];
    const failed = faults.length === 0 ? await this.failedCases(flow, undefined, gone) : [];
    const errors = boundedErrors([...faults, ...caseFaults(failed)]);
    return { valid: errors.length === 0, errors, warnings: await this.doubtsIn(judgement, flow) };
  }

  /** Findings that do not prevent a run but may be mistakes. */
  private async doubtsIn({ warnings }: FlowJudgement, flow: FlowDocument): Promise<Warning[]> {
    const ofIds = await this.ids.warningsOf(flow);
    const ofLayers = flow.layers.flatMap((layer) =>
      [...(warnings[layer.id] ?? []), ...this.destinations.warningsOf(layer), ...(ofIds.get(layer.id) ?? [])]
        .filter((warning) => !isUnresolved(warning))
        .map((warning) => inLayer(layer, warning)),
    );
    return [...waitWithoutLimit(flow), ...ofLayers, ...plainSecretsIn(flow.blueprintVars ?? {}, 'blueprintVars')];
  }

  /** A blueprint is never run, and mostly cannot be: the variables that its layers read have no values. */
  private async failedCases(
    flow: FlowDocument,
    cases?: readonly TestCaseDocument[],
    gone?: AbortSignal,
  ): Promise<FailedCase[]> {
    if (flow.isBlueprint) return [];
    const required =
      cases?.filter((each) => each.required) ??
      (await this.cases.findAll(new TenantScope(flow.company_id), flow._id, { required: true }));
    return this.runs.failed(flow, required, gone);
  }
}

/** In order of importance: a refusal has the first that applies. */
const CODES = [
  'unknown_app',
  'invalid_expression',
  'invalid_args',
  'invalid_options',
  'unresolved_refs',
  'missing_blueprint_vars',
] as const satisfies readonly ErrorCode[];

/** What enabling may be refused with. */
export const ENABLING_REFUSALS = [...CODES, 'required_case_failed', 'too_many_dry_runs'] as const;

/** Faults have more codes than refusals. */
const REFUSAL: Readonly<Record<string, (typeof CODES)[number]>> = {
  left_out: 'invalid_args',
  stage_split: 'invalid_options',
  own_ref: 'unresolved_refs',
  later_ref: 'unresolved_refs',
  same_stage_ref: 'unresolved_refs',
  unknown_ref: 'unresolved_refs',
};

function refusalOf({ code }: FieldError): string {
  return REFUSAL[code] ?? code;
}

function caseFaults(failed: readonly FailedCase[]): FieldError[] {
  return failed.flatMap(({ name, differences }) =>
    differences.map(({ path, message }) => ({
      path: `testCases.${name}${path === '' ? '' : `.${path}`}`,
      code: 'required_case_failed',
      message,
    })),
  );
}
