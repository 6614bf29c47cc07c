// Which specs run first: a long one that begins last runs alone after everything else has ended. vitest's own order uses the
// times of the previous run, which a fresh clone does not have.
import { BaseSequencer } from 'vitest/node';

/** The longest specs of each project; specs that mostly wait alternate with specs that mostly compute. */
const FIRST = [
  'libs/sandbox/src/sandbox.spec.ts',
  'libs/engine/src/protocol.model.spec.ts',
  'apps/api/src/http/worst-megabyte.int.spec.ts',
  'apps/scheduler/src/webhooks/webhook-deliverer.int.spec.ts',
  'libs/persistence/src/plays/mongo-play-store.int.spec.ts',
  'libs/testing/src/servers/private-servers.int.spec.ts',
  'apps/scheduler/src/schedules/schedule-firer.int.spec.ts',
  'libs/redis/src/open-redis.int.spec.ts',
  'libs/persistence/src/backup/backup.int.spec.ts',
  'libs/process/src/join-tasks.int.spec.ts',
  'apps/api/src/users/prepared-accounts.int.spec.ts',
  'libs/testing/src/servers/protected-servers.int.spec.ts',
  'apps/realtime/src/play-stream/play-stream.int.spec.ts',
  'apps/api/src/auth/route-cells.int.spec.ts',
  'libs/identity/src/first-admin.int.spec.ts',
  'test/e2e/standalone.e2e.spec.ts',
  'test/e2e/dashboard-admin.e2e.spec.ts',
  'test/e2e/backup.e2e.spec.ts',
  'test/e2e/dashboard-dialogs.e2e.spec.ts',
  'test/e2e/dashboard-flows.e2e.spec.ts',
  'test/e2e/operator-scripts.e2e.spec.ts',
  'test/e2e/dashboard.e2e.spec.ts',
  'test/e2e/compose.e2e.spec.ts',
  'test/e2e/dashboard-editor.e2e.spec.ts',
  'test/e2e/doctor.e2e.spec.ts',
  'test/e2e/credentials.e2e.spec.ts',
  'test/e2e/cli.e2e.spec.ts',
  'test/e2e/engine.e2e.spec.ts',
  'test/e2e/sandbox.e2e.spec.ts',
  'test/e2e/runs.e2e.spec.ts',
  'test/e2e/modules.e2e.spec.ts',
  'test/chaos/nemesis.spec.ts',
  'test/chaos/replica-set.spec.ts',
  'test/chaos/slow-links.spec.ts',
  'test/chaos/loops.spec.ts',
  'test/chaos/fairness.spec.ts',
  'test/chaos/poison.spec.ts',
  'test/chaos/worker-kill.spec.ts',
  'test/chaos/worker-freeze.spec.ts',
  'test/chaos/long-layers.spec.ts',
  'test/chaos/schedulers.spec.ts',
  'test/chaos/redis-loss.spec.ts',
  'test/chaos/delayed-load.spec.ts',
  'test/chaos/live-streams.spec.ts',
  'test/chaos/webhooks.spec.ts',
  'test/chaos/frozen-stores.spec.ts',
  'test/chaos/redis-wipe.spec.ts',
  'test/chaos/standby.spec.ts',
  'test/chaos/dashboard.spec.ts',
];

/** @param {import('vitest/node').TestSpecification} spec */
function rank({ moduleId }) {
  const at = FIRST.findIndex((path) => moduleId.endsWith(`/${path}`));
  return at < 0 ? FIRST.length : at;
}

export default class LongestFirst extends BaseSequencer {
  /**
   * @override
   * @param {import('vitest/node').TestSpecification[]} files
   * @returns {Promise<import('vitest/node').TestSpecification[]>}
   */
  async sort(files) {
    const sorted = await super.sort(files);
    // the sort is stable: specs that are not named stay in vitest's order
    return sorted.sort((a, b) => groupOf(a) - groupOf(b) || rank(a) - rank(b));
  }
}

/** @param {import('vitest/node').TestSpecification} spec */
function groupOf({ project }) {
  return project.config.sequence.groupOrder;
}
