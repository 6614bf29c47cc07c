import { coverPage, holdRequests, resumeSession, sessionIsBack, signInAgain } from './expiry';
import { readMe, type Me } from './me';
import { hasUnsaved, leave } from './unsaved';

/** How often the session may have changed, as far as this page knows. */
let changes = 0;

/** The session may have changed. Answers whether that is still the last change: what was read before a later one is old. */
export function noteChange(): () => boolean {
  const change = ++changes;
  return () => change === changes;
}

/** After a change: the page waits until it is known whose session it is, and is covered where nobody can say. */
export async function checkSession(page: Me, read = readMe): Promise<void> {
  const isLast = noteChange();
  holdRequests();
  try {
    const now = await read();
    if (isLast() && isOfPage(now, page)) resumeSession();
  } catch {
    if (isLast()) coverPage(null);
  }
}

/**
 * Resolves when the session is that of the page, which is not held up by the question.
 *
 * @throws Refusal when the server cannot be reached
 */
export async function sessionOf(page: Me, read = readMe): Promise<void> {
  for (;;) {
    await sessionIsBack();
    const before = changes;
    const now = await read();
    if (before === changes && isOfPage(now, page)) return;
  }
}

/** The session is another's now, and so will be the page; what is not saved waits under a cover for a decision. */
export function follow(now: Me): void {
  if (hasUnsaved()) return coverPage(now);
  holdRequests();
  leave('/');
}

export function isSame(one: Me, other: Me): boolean {
  return one.user.id === other.user.id && one.company_id === other.company_id;
}

/** Halts the page where it is not. */
function isOfPage(now: Me | null, page: Me): boolean {
  if (now && isSame(now, page)) return true;
  if (now) follow(now);
  else void signInAgain();
  return false;
}
