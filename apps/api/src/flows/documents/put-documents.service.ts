import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, NEW_ID, WeftError, type Clock, type NewId } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import {
  FlowRepository,
  isPublishedByHand,
  TestCaseRepository,
  type FlowDocument,
  type TestCaseDocument,
} from '@weft/records';
import type { FlowTag } from '../../http/etag.js';
import { Enabling } from '../enabling.js';
import { changesBetween, flowEntry, type Actor } from '../flow-audit.js';
import { FlowEditor, type FlowEdit } from '../flow-editor.js';
import { ResourceKeys } from '../keys/resource-keys.js';
import { MAX_RESOURCE_KEY, RESOURCE_KEY, RESOURCE_KEY_SAYS } from '../../http/resource-key.js';
import { diffFlows } from '../versions/diff-flows.js';
import { documentTag, isTagged } from './document-tag.js';
import { DocumentsService } from './documents.service.js';
import { FLOW_SCHEMA } from '@weft/shapes';
import { casesAs, flowAs } from './put-document.js';
import { readDocument, type Resolve } from './read-document.js';

const AUDITED = [
  'name',
  'category',
  'description',
  'isBlueprint',
  'when',
  'settings',
  'argsSchema',
] as const satisfies readonly (keyof FlowDocument)[];

/** Flows with one key that are made and deleted at the same moment: each round one caller gets through. */
const ATTEMPTS = 4;

/** What `If-Match` asks for. */
export interface DocumentMatch {
  /** Null: any. */
  readonly tags: readonly FlowTag[] | null;
  /** There must be a flow. */
  readonly mustExist: boolean;
}

/** A document, and whether it is only judged. */
export interface GivenDocument {
  readonly document: unknown;
  readonly dryRun: boolean;
}

/** What a document was put in the place of: nothing, or a flow that keeps its id. */
export interface PutDocument {
  readonly flow: FlowDocument;
  /** Of the document that the flow is now. */
  readonly tag: string;
  readonly isNew: boolean;
}

/** Puts a document in the place of a flow and its test cases, as one version. */
@Injectable()
export class PutDocumentsService {
  constructor(
    private readonly editor: FlowEditor,
    private readonly documents: DocumentsService,
    private readonly repository: FlowRepository,
    private readonly cases: TestCaseRepository,
    private readonly enabling: Enabling,
    private readonly keys: ResourceKeys,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /**
   * What is the same is not written. An enabled flow stays enabled, so that the document must be one that could be.
   *
   * @throws WeftError of `FlowEditor.edit`, `readDocument`, `flowAs`; of `Enabling` when the flow is enabled; `version_conflict`
   * when the flow has other test cases than the tags say
   */
  async put(
    actor: Actor,
    flowId: string,
    { tags }: DocumentMatch,
    { document, dryRun }: GivenDocument,
  ): Promise<PutDocument> {
    const ifMatch = tags?.map(({ version }) => version) ?? null;
    let cases: readonly TestCaseDocument[] = [];
    const flow = await this.editor.edit({ actor, flowId, permission: 'edit', ifMatch, dryRun }, async (before) => {
      const stored = await this.cases.findAll(new TenantScope(actor.caller.companyId), before._id);
      if (tags && !isTagged(tags, before, stored)) throw casesChanged();
      const edited = await this.edit(actor, before, stored, document);
      cases = edited?.cases?.after ?? stored;
      return edited;
    });
    return { flow, tag: documentTag(flow, cases), isNew: false };
  }

  /**
   * The same for the flow with this key; without such a flow one is made, disabled.
   *
   * @throws WeftError as `put`; `invalid_body` for a text that cannot be a key; `version_conflict` when `ifMatch` wants a flow that
   * does not exist; of `DocumentsService.make`
   */
  async putByKey(actor: Actor, key: string, ifMatch: DocumentMatch, given: GivenDocument): Promise<PutDocument> {
    assertKey(key);
    const { dryRun } = given;
    const scope = new TenantScope(actor.caller.companyId);
    const idsFor: Resolve = (document) => this.keys.resolved(actor.caller, document);
    for (let attempt = 1; ; attempt += 1) {
      const found = await this.repository.findByKey(scope, key);
      try {
        if (found) return await this.put(actor, found._id, ifMatch, given);
        if (ifMatch.mustExist) throw new WeftError('version_conflict', 'There is no flow with this key.');
        const { flow, cases } = await this.documents.make(actor, await readDocument(given.document, idsFor), {
          key,
          dryRun,
        });
        return { flow, tag: documentTag(flow, cases), isNew: !dryRun };
      } catch (error) {
        const isOvertaken = error instanceof WeftError && error.code === (found ? 'not_found' : 'key_taken');
        if (!isOvertaken || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async edit(
    actor: Actor,
    before: FlowDocument,
    stored: readonly TestCaseDocument[],
    input: unknown,
  ): Promise<FlowEdit | null> {
    const { caller } = actor;
    const resolve: Resolve = (given) => this.keys.resolved(caller, given);
    const document = await readDocument(input, resolve, { flow: before, cases: stored });
    const by = { caller, now: new Date(this.clock.now()), newId: this.newId };
    const after = flowAs(document, before, by);
    const cases = casesAs(document, stored, after, by);
    const isSameFlow = diffFlows(before, after).length === 0;
    if (isSameFlow && isDeepStrictEqual(cases, stored)) return null;
    if (after.enabled && !isPublishedByHand(after)) await this.enabling.assertAllowed(after, cases);
    const changes = {
      document: { before: null, after: FLOW_SCHEMA },
      ...changesBetween(before, after, AUDITED),
      // the layers themselves are in both versions, which never change
      layers: { before: before.layers.map(({ ref }) => ref), after: after.layers.map(({ ref }) => ref) },
      testCases: { before: stored.map(({ name }) => name), after: cases.map(({ name }) => name) },
    };
    return {
      after,
      cases: { before: stored, after: cases },
      entry: flowEntry(actor, 'flow_updated', before._id, changes),
    };
  }
}

/** @throws WeftError `invalid_body` */
function assertKey(key: string): void {
  if (key.length <= MAX_RESOURCE_KEY && RESOURCE_KEY.test(key)) return;
  const message =
    key.length > MAX_RESOURCE_KEY ? `key must have at most ${MAX_RESOURCE_KEY} characters` : RESOURCE_KEY_SAYS;
  throw new WeftError('invalid_body', `${message}.`, { errors: [{ path: 'key', code: 'invalid', message }] });
}

function casesChanged(): WeftError {
  return new WeftError('version_conflict', 'The flow has other test cases by now; read its document again.');
}
