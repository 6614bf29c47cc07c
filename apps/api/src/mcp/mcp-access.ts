import type { McpLimits, Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';

/** The limits of an API key, asked before the services, which know the rights of its user. */
export class McpAccess {
  private readonly limits: McpLimits;

  constructor(caller: Pick<Principal, 'mcp'>) {
    this.limits = caller.mcp ?? {};
  }

  /** Null: every flow that the user may use. */
  get flowIds(): readonly string[] | null {
    return this.limits.flow_ids ?? null;
  }

  mayUse(flowId: string): boolean {
    return this.limits.flow_ids?.includes(flowId) ?? true;
  }

  /** @throws WeftError `denied` */
  assertFlow(flowId: string): void {
    if (!this.mayUse(flowId)) throw new WeftError('denied', 'This API key is for other flows: call list_flows.');
  }

  /** @throws WeftError `denied` */
  assertMayCreate(): void {
    if (this.limits.flow_ids) throw new WeftError('denied', 'This API key is for certain flows and makes no new ones.');
  }

  /** @throws WeftError `denied` when the key may write drafts only, and the flow is enabled or is to be */
  assertDraft(isEnabled: boolean, willBeEnabled: boolean): void {
    if (!this.limits.drafts_only || (!isEnabled && !willBeEnabled)) return;
    const what = isEnabled ? 'this flow is enabled' : 'it cannot enable a flow';
    throw new WeftError('denied', `This API key writes disabled flows only: ${what}. A person has to do it.`);
  }
}
