import { CATALOG } from './catalog.js';
import type { Settings } from './settings.js';

/** What is wrong between settings that are right by themselves, one line each. */
export function contradictions(settings: Settings): string[] {
  const { server, session, websocket, oauth2 } = settings;
  const found: string[] = [];
  if (websocket.readDeadlineSeconds <= websocket.pingPeriodSeconds) {
    found.push(
      `${CATALOG['websocket.read_deadline_seconds'].env}: is not above the ping period; write more than ${websocket.pingPeriodSeconds}`,
    );
  }
  if ((oauth2.clientId === null) !== (oauth2.clientSecret === null)) {
    found.push(
      `${CATALOG['oauth2.client_secret'].env}: goes with ${CATALOG['oauth2.client_id'].env}; set both or neither`,
    );
  }
  if (session.cookieSameSite === 'none' && !session.cookieSecure) {
    found.push(
      `${CATALOG['session.cookie_same_site'].env}: none needs a secure cookie; write strict, or turn secure on`,
    );
  }
  if (!session.cookieSecure && server.apiUrl.startsWith('https:')) {
    found.push(`${CATALOG['session.cookie_secure'].env}: is off, but API_URL is https; leave it on`);
  }
  if (session.maxHours > 0 && session.ttlHours > session.maxHours) {
    found.push(`${CATALOG['session.ttl_hours'].env}: is above the longest session; write at most ${session.maxHours}`);
  }
  return found;
}
