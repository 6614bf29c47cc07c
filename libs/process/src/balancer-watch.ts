import { setTimeout as pause } from 'node:timers/promises';

/**
 * Whether a load balancer probes the readiness of this process, and so sends it requests until a probe fails. A process
 * that is never probed stops without waiting for a balancer to notice.
 */
export class BalancerWatch {
  private asked = false;

  readinessAsked(): void {
    this.asked = true;
  }

  /** Resolves when the balancer has had this long to notice that this process is not ready any more. */
  async noticed(withinMs: number): Promise<void> {
    if (this.asked) await pause(withinMs);
  }
}
