import { Injectable } from '@nestjs/common';
import { HealthService, type CheckResult } from '@weft/observability';
import { stuckLoops } from './pass-loop.js';

/** A scheduler one of whose loops is stuck does not do its work, and says so in its health. */
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
