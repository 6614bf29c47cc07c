/** Read before the realm is sealed. */
const usage = process.threadCpuUsage.bind(process);

/**
 * For how long this program has had a processor, in ms: its time limit does not count while others have it. What passes meanwhile
 * is limited by the parent.
 */
export function ownCpuTimeMs(): number {
  const { user, system } = usage();
  return (user + system) / 1_000;
}
