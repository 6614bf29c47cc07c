import { answerOf, plainApi } from '../api/client';
import { checkSession, follow, isSame, noteChange } from './check';
import { holdRequests, isExpired, resumeSession, signInAgain } from './expiry';
import { readMe, type Me } from './me';
import { hearTabs, tellTabs } from './tabs';
import { hasUnsaved, leave, mayLeave } from './unsaved';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** @throws Refusal */
export async function signIn(body: Credentials): Promise<void> {
  await answerOf(plainApi.POST('/api/v1/auth/login', { body }));
}

/** What is not saved is asked about first: afterwards nobody could save it. */
export async function signOut(): Promise<void> {
  if (!(await mayLeave())) return;
  await answerOf(plainApi.POST('/api/v1/auth/logout'));
  tellTabs('signed-out');
  leave('/login');
}

/** The page is loaded anew, so that nothing of the company before is left in memory. */
export async function switchCompany(page: Me, company_id: string): Promise<void> {
  if (!(await mayLeave())) return;
  noteChange();
  // what this page sends from now on would reach the other company
  holdRequests();
  try {
    await answerOf(plainApi.POST('/api/v1/auth/switch-company', { body: { company_id } }));
  } catch (error) {
    // it may be done all the same: the answer can be lost on its way
    tellTabs('switched');
    await checkSession(page);
    throw error;
  }
  tellTabs('switched');
  leave('/');
}

/**
 * Somebody has signed in while the page waited. It goes on only for the same person in the same company; a password opens
 * the person's first company, so the one of the page is tried as well.
 */
export async function comeBack(before: Me): Promise<void> {
  const isLast = noteChange();
  let now: Me | null;
  try {
    now = await readMe();
    if (now && isLast() && mayReturn(now, before)) {
      await plainApi.POST('/api/v1/auth/switch-company', { body: { company_id: before.company_id } });
      now = await readMe();
    }
  } finally {
    tellTabs('signed-in');
  }
  if (!isLast()) return;
  if (now && !isSame(now, before)) return follow(now);
  resumeSession();
}

/** Keeps this tab true when another one signs in, signs out, or switches the company. */
export function followTabs(me: Me): () => void {
  return hearTabs((news) => {
    if (news === 'signed-out') {
      noteChange();
      return hasUnsaved() ? void signInAgain() : leave('/login');
    }
    // it, too, opens the person's first company, and the page that waits may be of another
    if (news === 'signed-in-by-provider' && isExpired()) return void comeBack(me);
    void checkSession(me);
  });
}

/** Whether the same person is in another company, and may go back to that of the page. */
export function mayReturn(now: Me, before: Me): boolean {
  return (
    now.user.id === before.user.id &&
    now.company_id !== before.company_id &&
    now.companies.some(({ company_id }) => company_id === before.company_id)
  );
}
