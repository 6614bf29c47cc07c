// @ts-check
/**
 * Loaded into a process with `--import`: SIGUSR2 starts a CPU profile, the next one ends it and writes it to
 * BENCH_PROFILE_FILE. Not `--cpu-prof`: that includes the startup, and writes nothing when a signal ends the process.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const SAMPLE_US = 200;
const file = process.env.BENCH_PROFILE_FILE ?? `${process.pid}.cpuprofile`;
const session = new Session();
session.connect();
let profiling = false;

process.on('SIGUSR2', async () => {
  profiling = !profiling;
  if (profiling) {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
    await session.post('Profiler.start');
  } else {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(file, JSON.stringify(profile));
  }
});
