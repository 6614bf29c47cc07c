import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { SingleFlight } from '@weft/concurrency';
import { identityOf, MemberSource } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import { FlowVersionRepository, type FlowVersionDocument } from '@weft/records';
import { LinkRights } from '../link-rights.js';

/**
 * Who may run a version that is not the published one. It calls the links and flows that its author wrote into it: both the
 * caller and the author must have the right to use them now, because rights and layers may have been taken away since.
 */
@Injectable()
export class VersionRights {
  private readonly reads = new SingleFlight<string, FlowVersionDocument | null>();

  constructor(
    private readonly versions: FlowVersionRepository,
    private readonly links: LinkRights,
    private readonly members: MemberSource,
  ) {}

  /**
   * @param caller who may edit the flow
   * @throws WeftError `denied`; a version that does not exist is not refused
   */
  async assertMayRun(caller: Principal, flowId: string, version: number): Promise<void> {
    const scope = new TenantScope(caller.companyId);
    const read = () => this.versions.findWhole(scope, flowId, version);
    const found = await this.reads.run(`${scope.companyId}:${flowId}:${version}`, read);
    if (!found) return;
    const content = { ...found, _id: flowId };
    await this.links.assertMayRun(caller, content);
    if (found.createdBy === caller.userId) return;
    const author = await this.members.find(scope.companyId, found.createdBy);
    if (!author) throw refusal(version, 'whoever saved it is not a member of the company any more');
    try {
      await this.links.assertMayRun({ ...NO_KEY, ...identityOf(author) }, content);
    } catch (error) {
      if (!(error instanceof WeftError) || error.code !== 'denied') throw error;
      throw refusal(version, 'whoever saved it may not use all of its links and flows any more', error);
    }
  }
}

/** An author is judged by role and grants alone. */
const NO_KEY = { operator: false, auth: 'session', scopes: [], credentialId: '', expiresAt: new Date(0) } as const;

function refusal(version: number, why: string, cause?: unknown): WeftError {
  const detail = `You may not run version ${version}: ${why}. Publish or restore it, or run the published one.`;
  return new WeftError('denied', detail, { ...(cause !== undefined && { cause }) });
}
