import { ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';

import { isDrainable, orderOf, type Drainable } from '@weft/kernel';

/** Every provider and controller of the app that has a `drain` method, once each. */
export function findDrainables(app: NestFastifyApplication): readonly Drainable[] {
  const found = new Set<Drainable>();
  for (const module of app.get(ModulesContainer).values()) {
    for (const { instance } of [...module.providers.values(), ...module.controllers.values()]) {
      const made: unknown = instance;
      if (isDrainable(made)) found.add(made);
    }
  }
  return [...found];
}

/** Lower order first, equal ones together. One that fails or is late is logged and does not delay the others. */
export async function drainAll(drainables: readonly Drainable[], deadlineMs: number, log: Logger): Promise<void> {
  const end = performance.now() + deadlineMs;
  const orders = [...new Set(drainables.map(orderOf))].sort((a, b) => a - b);
  for (const order of orders) {
    const turn = drainables.filter((each) => orderOf(each) === order);
    await Promise.all(
      turn.map(async (each) => {
        const leftMs = Math.max(0, end - performance.now());
        const name = each.constructor.name;
        try {
          if (!(await within(each.drain(leftMs), leftMs))) log.warn({ part: name }, 'not drained in time');
        } catch (error) {
          log.error({ part: name, err: error }, 'draining failed');
        }
      }),
    );
  }
}

/** False when the time is up first. */
export async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
