import { answerOf, plainApi } from '../api/client';
import { coverPage, holdRequests, isExpired, resumeSession, signInAgain } from './expiry';
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
export async function switchCompany(company_id: string): Promise<void> {
  if (!(await mayLeave())) return;
  // what this page sends from now on would reach the other company
  holdRequests();
  try {
    await answerOf(plainApi.POST('/api/v1/auth/switch-company', { body: { company_id } }));
  } catch (error) {
    resumeSession();
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
  let now = await readMe();
  if (now && mayReturn(now, before)) {
    await plainApi.POST('/api/v1/auth/switch-company', { body: { company_id: before.company_id } });
    now = await readMe();
  }
  if (!now) return resumeSession();
  if (!isSame(now, before)) return follow(now);
  resumeSession();
  tellTabs('signed-in');
}

/** Keeps this tab true when another one signs in, signs out, or switches the company. */
export function followTabs(me: Me): () => void {
  return hearTabs((news) => {
    if (news === 'signed-out') return hasUnsaved() ? void signInAgain() : leave('/login');
    // it, too, opens the person's first company, and the page that waits may be of another
    if (news === 'signed-in-by-provider' && isExpired()) return void comeBack(me);
    holdRequests();
    void readMe().then(
      (now) => {
        if (!now) void signInAgain();
        else if (isSame(now, me)) resumeSession();
        else follow(now);
      },
      () => coverPage(null),
    );
  });
}

/** The session is another's now, and so will be the page; what is not saved waits under a cover for a decision. */
function follow(now: Me): void {
  if (hasUnsaved()) coverPage(now);
  else leave('/');
}

function isSame(one: Me, other: Me): boolean {
  return one.user.id === other.user.id && one.company_id === other.company_id;
}

/** Whether the same person is in another company, and may go back to that of the page. */
export function mayReturn(now: Me, before: Me): boolean {
  return (
    now.user.id === before.user.id &&
    now.company_id !== before.company_id &&
    now.companies.some(({ company_id }) => company_id === before.company_id)
  );
}
