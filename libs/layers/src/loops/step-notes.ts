import type { PreparedCall } from '../call/layer-call.js';
import type { StepWatch } from '../call/module-services.js';
import type { Output } from '../layer-module.js';
import type { Step } from '../stepping-module.js';

/** What becomes known of the steps of one layer outside of their play. */
export class StepNotes {
  /** Steps whose calls are in the audit log. */
  private readonly recorded = new Set<number>();

  constructor(
    private readonly work: PreparedCall,
    private readonly watch: StepWatch,
  ) {}

  /** Before each attempt: the first one records the call of a step that may change something. */
  async aboutToCall(index: number, { name, isAudited }: Step, idempotencyKey: string): Promise<void> {
    if (!isAudited || this.recorded.has(index)) return;
    const { call, layer } = this.work;
    const of = { play: call.play, ref: layer.definition.ref, step: index, tool: name.tool ?? name.kind };
    await this.watch.aboutToCall({ ...of, idempotencyKey });
    this.recorded.add(index);
  }

  failed({ name }: Step): void {
    this.watch.ended(name.kind, 'failed');
  }

  ended({ name }: Step, out: Output): void {
    this.watch.ended(name.kind, out.ok === false ? 'failed' : 'done');
  }

  decided({ name }: Step, decision: unknown): void {
    this.watch.ended(name.kind, decision === 'reject' ? 'rejected' : 'done');
  }
}
