import { Injectable } from '@nestjs/common';
import { InvalidationBus } from '@weft/realtime-bus';
import type { FlowPermission } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { TenantScope, type AuditEntryInput } from '@weft/store';
import { FlowRepository, publishedVersionAfter, type FlowDocument, type TestCasesChange } from '@weft/records';
import type { Actor } from './flow-audit.js';
import { FlowFaces } from './flow-faces.js';
import { FlowRights } from './flow-rights.js';
import { withJudgement } from './judgement/flow-judgement.js';
import { LinkRights } from './link-rights.js';

/** What an edit makes of a flow. `version` and `publishedVersion` are set by the editor. */
export interface FlowEdit {
  readonly after: FlowDocument;
  readonly entry: AuditEntryInput;
  /** Left out: the test cases stay as they are. */
  readonly cases?: TestCasesChange;
}

export interface EditRequest {
  readonly actor: Actor;
  readonly flowId: string;
  readonly permission: FlowPermission;
  /** Versions that the caller wants to change, null for any. */
  readonly ifMatch: readonly number[] | null;
  /** The flow is one that was deleted; else it must not be. */
  readonly deleted?: true;
  /** Everything is judged, and nothing is stored. */
  readonly dryRun?: boolean;
}

/** Returns null when nothing changes; may throw a refusal; may be called several times. */
type MakeEdit = (flow: FlowDocument) => FlowEdit | null | Promise<FlowEdit | null>;

/** Edits collide when several people write one flow at the same moment; each round one of them gets through. */
export const EDIT_ATTEMPTS = 8;

/**
 * The only way to change a flow or its layers: read, judge, edit, and replace exactly the version that was read. If it, or a test
 * case that the edit replaces, was changed meanwhile, it starts again, unless the caller named the version.
 */
@Injectable()
export class FlowEditor {
  constructor(
    private readonly flows: FlowRepository,
    private readonly rights: FlowRights,
    private readonly links: LinkRights,
    private readonly faces: FlowFaces,
    private readonly bus: InvalidationBus,
  ) {}

  /**
   * @returns the flow after the change; of a dry run, as it would be
   * @throws WeftError `not_found`, `denied`, `version_conflict`, and what `edit`, `FlowFaces.pinned` and `withJudgement` throw
   */
  async edit(request: EditRequest, edit: MakeEdit): Promise<FlowDocument> {
    const { actor, flowId, permission, ifMatch } = request;
    const scope = new TenantScope(actor.caller.companyId);
    for (let attempt = 1; attempt <= EDIT_ATTEMPTS; attempt += 1) {
      const before = await this.find(scope, request);
      await this.rights.assertMay(actor.caller, permission, before);
      if (ifMatch && !ifMatch.includes(before.version)) throw versionConflict(before.version);
      const edited = await edit(before);
      if (!edited) return before;
      await this.links.assertMayUse(actor.caller, edited.after, before);
      const pinned = await this.faces.pinned(edited.after, before);
      const next: FlowDocument = { ...pinned, version: before.version + 1 };
      const publishedVersion = publishedVersionAfter(before, next);
      const after = await withJudgement({ ...next, publishedVersion }, before);
      if (request.dryRun) return after;
      if (await this.flows.replace(scope, before, after, actor.caller.userId, edited.entry, edited.cases)) {
        this.bus.publish({ kind: 'flow', id: flowId });
        return after;
      }
    }
    throw editedAllTheTime();
  }

  private async find(scope: TenantScope, { flowId, deleted }: EditRequest): Promise<FlowDocument> {
    const flow = await (deleted ? this.flows.findDeleted(scope, flowId) : this.flows.find(scope, flowId));
    if (!flow) throw new WeftError('not_found', `There is no ${deleted ? 'deleted ' : ''}flow with this id.`);
    return flow;
  }
}

export function editedAllTheTime(): WeftError {
  return new WeftError('version_conflict', 'The flow is being changed by others all the time; try again.');
}

export function versionConflict(version: number): WeftError {
  return new WeftError('version_conflict', `The flow is at version ${version} by now; read it again.`);
}
