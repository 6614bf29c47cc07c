import { Injectable } from '@nestjs/common';
import { HealthService, type CheckResult } from '@weft/observability';
import { stuckLoops } from './pass-loop.js';

/** A scheduler with a stuck loop does not do its work, and reports itself as unhealthy. */
@Injectable()
export class PassHealth {
  constructor(health: HealthService) {
    health.add({ name: 'passes', check: async () => checkPasses() }, { part: 'queue', fatal: true });
  }
}

export function checkPasses(stuck = stuckLoops()): CheckResult {
  if (stuck.length === 0) return { status: 'healthy' };
  return { status: 'unhealthy', error: `stuck: ${stuck.join(', ')}; restart this process` };
}
