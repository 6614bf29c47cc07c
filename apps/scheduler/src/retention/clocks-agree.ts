/**
 * Ages are measured by MongoDB's clock, and what is deleted in error is lost: MongoDB's clock is trusted only while a second
 * clock agrees.
 */
const MAX_DIFFERENCE_MS = 60_000;

/**
 * @param localMs what this machine's clock shows, epoch ms
 * @param serverMs what MongoDB's shows, epoch ms
 * @throws Error when they differ by more than a minute
 */
export function assertClocksAgree(localMs: number, serverMs: number): void {
  const seconds = Math.round(Math.abs(localMs - serverMs) / 1_000);
  if (Math.abs(localMs - serverMs) <= MAX_DIFFERENCE_MS) return;
  const shown = `this machine's clock shows ${said(localMs)} and MongoDB's ${said(serverMs)}, ${seconds} s apart`;
  throw new Error(
    `Retention deletes nothing: ${shown}. One of them is wrong: set it right (NTP on every machine), and the next run cleans.`,
  );
}

function said(ms: number): string {
  return new Date(ms).toISOString();
}
