import { setTimeout as pause } from 'node:timers/promises';

/**
 * Whether somebody in front of this process asks for its readiness, and so sends it requests until an answer says no. A process
 * that is never asked stands alone, and stops without waiting for anybody to notice.
 */
export class BalancerWatch {
  private asked = false;

  readinessAsked(): void {
    this.asked = true;
  }

  /** Resolves when whoever asks has had that long to see that this process is not ready any more. */
  async noticed(withinMs: number): Promise<void> {
    if (this.asked) await pause(withinMs);
  }
}
