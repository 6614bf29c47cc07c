import { answerOf, plainApi } from '../api/client';
import { isExpired, resumeSession, signInAgain } from './expiry';
import { readMe, type Me } from './me';
import { hearTabs, tellTabs } from './tabs';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** @throws Refusal */
export async function signIn(body: Credentials): Promise<void> {
  await answerOf(plainApi.POST('/api/v1/auth/login', { body }));
}

export async function signOut(): Promise<void> {
  await answerOf(plainApi.POST('/api/v1/auth/logout'));
  tellTabs('signed-out');
  leave('/login');
}

/** The page is loaded anew, so that nothing of the company before is left in memory. */
export async function switchCompany(company_id: string): Promise<void> {
  await answerOf(plainApi.POST('/api/v1/auth/switch-company', { body: { company_id } }));
  tellTabs('switched');
  leave('/');
}

/**
 * Somebody has signed in while the page waited. It goes on only for the same person in the same company; a password opens
 * the person's first company, so the one of the page is tried as well.
 */
export async function comeBack(before: Me): Promise<void> {
  let now = await readMe();
  if (now && now.company_id !== before.company_id && now.companies.some(isOf(before.company_id))) {
    await plainApi.POST('/api/v1/auth/switch-company', { body: { company_id: before.company_id } });
    now = await readMe();
  }
  if (!now) return;
  if (!isSame(now, before)) return leave('/');
  resumeSession();
  tellTabs('signed-in');
}

/** Keeps this tab true when another one signs in, signs out, or switches the company. */
export function followTabs(me: Me): () => void {
  return hearTabs((news) => {
    if (news === 'signed-out') return leave('/login');
    // it, too, opens the person's first company, and the page that waits may be of another
    if (news === 'signed-in-by-provider' && isExpired()) return void comeBack(me);
    void readMe().then((now) => {
      if (!now) void signInAgain();
      else if (isSame(now, me)) resumeSession();
      else leave('/');
    });
  });
}

export function isSame(one: Me, other: Me): boolean {
  return one.user.id === other.user.id && one.company_id === other.company_id;
}

const isOf =
  (company_id: string) =>
  (place: { readonly company_id: string }): boolean =>
    place.company_id === company_id;

/** Also out of the browser's memory of pages: `replace` leaves no page of the old session to go back to. */
function leave(path: string): void {
  location.replace(path);
}
