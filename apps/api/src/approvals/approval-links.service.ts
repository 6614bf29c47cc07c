import { Injectable } from '@nestjs/common';
import { SCOPES, scopeAllows, scopes, type Principal } from '@weft/access';
import { isFinal } from '@weft/contracts';
import type { LayerWait, Play } from '@weft/engine';
import { ApprovalLinks, CredentialChecker, identityOf, MemberSource, type ApprovalLink } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { PlayReadsRepository, TenantScope } from '@weft/store';
import { CompanyRepository, FlowRepository } from '@weft/records';
import type { RequestOrigin } from '../http/request-origin.js';
import { illegalMove } from '../plays/play-commander.js';
import { PlayRights } from '../plays/play-rights.js';
import { ApprovalDecisions } from './approval-decisions.service.js';
import type { DecideByLinkBody } from './approval.requests.js';
import {
  askedBy,
  linkOf,
  openApprovals,
  type ApprovalLinkView,
  type ApprovalStanding,
  type ApprovalView,
} from './approval.view.js';

/** The visitor of a link: the session of the browser, if it has one. */
export interface LinkVisitor {
  readonly sessionId: string | undefined;
  readonly origin: RequestOrigin;
}

/** What a link leads to. */
type Found = { readonly link: ApprovalLink; readonly play: Play } & (
  { readonly standing: 'open'; readonly wait: LayerWait } | { readonly standing: Closed; readonly wait: null }
);

type Closed = Exclude<ApprovalStanding, 'open'>;

/** The approver of the link; null: whoever holds it. */
type Named = Principal | null;

const WHY_NOT: Readonly<Record<Closed, string>> = {
  not_yet: 'The play does not wait for this approval yet. Open the link again later.',
  decided: 'This approval is over: it was decided, or its time ran out. A link decides once.',
  ended: 'The play has ended; there is nothing to decide any more.',
};

/** Opens the commands on a play to an API key. */
const COMMAND_SCOPES = scopes('api', 'api:plays');

/** Lists open approvals and handles the links to them. */
@Injectable()
export class ApprovalLinksService {
  constructor(
    private readonly links: ApprovalLinks,
    private readonly plays: PlayReadsRepository,
    private readonly flows: FlowRepository,
    private readonly companies: CompanyRepository,
    private readonly members: MemberSource,
    private readonly checker: CredentialChecker,
    private readonly rights: PlayRights,
    private readonly decisions: ApprovalDecisions,
  ) {}

  /** @throws WeftError `not_found`, `denied` */
  async open(caller: Principal, playId: string): Promise<ApprovalView[]> {
    const { companyId, userId } = caller;
    const found = await this.plays.findWithLayers(new TenantScope(companyId), playId);
    const play = await this.rights.assertMay(caller, 'read', found);
    const mayCommand = caller.auth === 'session' || scopeAllows(caller.scopes, COMMAND_SCOPES, 'POST');
    const waits = isFinal(play.state) ? [] : openApprovals(play);
    const shown = waits.map(async (wait) => {
      const asked = askedBy(wait);
      const mayDecide = mayCommand && (await this.rights.mayDecide(caller, play, asked.approvers));
      const url = () => this.links.urlOf({ companyId, playId, ref: wait.ref, approver: userId, step: wait.step });
      return { ...asked, mayDecide, approveUrl: mayDecide ? url() : null };
    });
    return Promise.all(shown);
  }

  /** What a link is about. Changes nothing. @throws WeftError `not_found` */
  async read(token: string, visitor: LinkVisitor): Promise<ApprovalLinkView> {
    const found = await this.find(token);
    const { link, play, standing, wait } = found;
    const { playId, ref } = link;
    const bare = { standing, playId, ref, needsSignIn: false, mayDecide: false, decidesAs: null };
    const withoutDetails = { ...bare, flow: null, message: null, until: null };
    if (!wait) return withoutDetails;
    const named = await this.namedBy(found, wait, visitor);
    if (named === 'nobody') return { ...withoutDetails, needsSignIn: true };
    if (named === 'stranger') return withoutDetails;
    if (named && !(await this.rights.mayDecide(named, play, wait.approval?.approvers ?? [])))
      return { ...withoutDetails, decidesAs: named.email };
    const flow = await this.flows.findHead(new TenantScope(play.company_id), play.flowId);
    const told = { message: wait.approval?.message ?? null, until: wait.until?.toISOString() ?? null };
    return { ...bare, ...told, mayDecide: true, decidesAs: named?.email ?? null, flow: flow?.name ?? null };
  }

  /** @throws WeftError `not_found`, `unauthenticated`, `denied`, `illegal_move` */
  async decide({ token, ...body }: DecideByLinkBody, visitor: LinkVisitor): Promise<ApprovalLinkView> {
    const found = await this.find(token);
    const { link, play, standing, wait } = found;
    if (standing !== 'open') throw illegalMove(play, WHY_NOT[standing]);
    const at = { playId: link.playId, ref: link.ref, step: link.step, origin: visitor.origin, byLink: true };
    const named = await this.namedBy(found, wait, visitor);
    if (named === 'nobody') throw new WeftError('unauthenticated', 'Sign in to decide this approval.');
    if (named === 'stranger') throw noSuchLink();
    if (named) await this.decisions.byPerson(named, at, body);
    else await this.decisions.byHolder(link.companyId, at, body);
    return this.read(token, visitor);
  }

  private async find(token: string): Promise<Found> {
    const link = this.links.read(token);
    if (!link) throw noSuchLink();
    const scope = new TenantScope(link.companyId);
    const [play, company] = await Promise.all([
      this.plays.findWithLayers(scope, link.playId),
      this.companies.find(scope),
    ]);
    if (!play || !company?.active) throw noSuchLink();
    const wait = isFinal(play.state)
      ? undefined
      : openApprovals(play).find(({ ref, step }) => ref === link.ref && step === link.step);
    const of = { link, play };
    return wait ? { ...of, standing: 'open', wait } : { ...of, standing: standingOf(play, link.ref), wait: null };
  }

  /** `nobody` has to sign in, `stranger` may not know that there is such a thing. */
  private async namedBy(
    { link }: Found,
    wait: LayerWait,
    { sessionId }: LinkVisitor,
  ): Promise<Named | 'nobody' | 'stranger'> {
    const { companyId, approver } = link;
    if (linkOf(wait) === 'signed_in') {
      const caller = sessionId === undefined ? null : await this.signedIn(sessionId);
      if (!caller) return 'nobody';
      return caller.companyId === companyId ? caller : 'stranger';
    }
    if (approver === null) return null;
    const member = await this.members.find(companyId, approver);
    return member ? inTheNameOf(identityOf(member), wait.until) : 'stranger';
  }

  private async signedIn(sessionId: string): Promise<Principal | null> {
    try {
      return await this.checker.bySessionId(sessionId);
    } catch (error) {
      if (error instanceof WeftError && error.status === 401) return null;
      throw error;
    }
  }
}

function standingOf(play: Play, ref: string): Closed {
  if (play.layers.some((layer) => layer.ref === ref)) return 'decided';
  const wait = Object.values(play.waits ?? {}).find((one) => one.ref === ref);
  if (isFinal(play.state)) return 'ended';
  return wait ? 'decided' : 'not_yet';
}

/** The principal of a link that was made for one user: it has that user's current rights. */
function inTheNameOf(identity: ReturnType<typeof identityOf>, until: Date | null): Principal {
  const expiresAt = until ?? new Date(8_640_000_000_000_000);
  return { ...identity, operator: false, auth: 'session', scopes: SCOPES, credentialId: 'approval-link', expiresAt };
}

function noSuchLink(): WeftError {
  return new WeftError('not_found', 'This link leads to no approval: it is not whole, or what it was for is gone.');
}
